/* Products of vectors and matrices: the public functions around TH's template, and solving batches
 * of equations by cuBLAS. */
#include "THC/core/THCPrivate.h"
#include "THCTensorShape.h"
#include "TH/loop/THResult.h"
#include "thc_matrix.h"

#include "THCTemplate.h"

#ifdef THC_REAL_IS_HALF
#define FACTOR(X) THC_half2float(X)
#else
#define FACTOR(X) (X)
#endif

accreal THCDevice_(dot)(THCTensor *t, THCTensor *src);

accreal THCTensor_(dot)(THCState *state, THCTensor *self, THCTensor *src)
{
  THC_enter(state);
  THCAssertSameGPU(THCTensor_(checkGPU)(state, 2, self, src));
  return THCDevice_(dot)(self, src);
}

#define PRODUCT(NAME)                                                                           \
  void THCDevice_(NAME)(THCTensor *r_, accreal beta, THCTensor *t, accreal alpha, THCTensor *a, \
                        THCTensor *b);                                                          \
  void THCTensor_(NAME)(THCState *state, THCTensor *self, real beta, THCTensor *t, real alpha,  \
                        THCTensor *a, THCTensor *b)                                             \
  {                                                                                             \
    THC_enter(state);                                                                           \
    THCAssertSameGPU(THCTensor_(checkGPU)(state, 4, self, t, a, b));                            \
    THCDevice_(NAME)(self, FACTOR(beta), t, FACTOR(alpha), a, b);                               \
  }

PRODUCT(addmv)
PRODUCT(addmm)
PRODUCT(addr)
PRODUCT(addbmm)
PRODUCT(baddbmm)

/* --- equations ------------------------------------------------------------------------------ */

#if defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)

#ifdef THC_REAL_IS_FLOAT
#define getrf THCudaBlas_Sgetrf
#define getrs THCudaBlas_Sgetrs
#else
#define getrf THCudaBlas_Dgetrf
#define getrs THCudaBlas_Dgetrs
#endif

void THCDevice_(free)(THCTensor *self);
void THCDevice_(resizeForNow)(THBefore *before, THCTensor *r, const THShape *shape);
void THCudaIntDevice_free(THCudaIntTensor *self);
void THCudaIntDevice_resizeForNow(THBefore *before, THCudaIntTensor *r, const THShape *shape);

/* count and n of a batch of square matrices. */
static int THCTensor_(squares)(THCState *state, THCTensor *a, const char *name, int arg)
{
  THArgCheck(a->nDimension == 3 && a->size[1] == a->size[2], arg,
             "%s has size %s, and has to be a batch of square matrices", name,
             THCTensor_(sizeDesc)(state, a).str);
  THArgCheck(a->size[0] <= INT32_MAX && a->size[1] <= INT32_MAX, arg,
             "%s has size %s, more than cuBLAS can count", name,
             THCTensor_(sizeDesc)(state, a).str);
  return (int)a->size[1];
}

/* A copy of t (N x n x k, or N x n) with column-major matrices. */
static THCTensor *THCTensor_(byColumns)(THCState *state, THGuard *guard, THCTensor *t)
{
  THGuard_enter(guard, (THUndo)THCDevice_(free));
  const int64_t n = t->size[1], k = t->nDimension == 3 ? t->size[2] : 1;
  const int64_t strides[] = {n * k, 1, n};
  THCTensor *copy = guard->what =
      THCTensor_(newShapeNd)(state, NULL, 0, t->nDimension, t->size, strides);
  THCTensor_(copy)(state, copy, t);
  return copy;
}

static void THCTensor_(freeMemory)(void *memory)
{
  THCudaFree(THC_using, memory);
}

/* The addresses of the matrices of a batch, on the device. */
static real **THCTensor_(addresses)(THCState *state, THGuard *guard, THCTensor *batch)
{
  const int64_t count = batch->size[0];
  const ptrdiff_t bytes = (ptrdiff_t)sizeof(real *) * count;
  THCDeviceAllocator *allocator = state->cudaDeviceAllocator;
  THGuard_enter(guard, THCTensor_(freeMemory));
  real **there = guard->what = THC_allocate(state, allocator, allocator->state, (size_t)bytes);
  THGuard list;
  THGuard_enter(&list, THFree);
  real **here = list.what = THAlloc(bytes);
  for (int64_t i = 0; i < count; i++)
    here[i] = THCTensor_(data)(state, batch) + i * batch->stride[0];
  THC_refuseCapture(THCState_getStream(state), "a list of matrices on the CPU");
  THCudaCheck(cudaMemcpyAsync(there, here, (size_t)bytes, cudaMemcpyHostToDevice,
                              THCState_getCurrentStream(state)));
  THGuard_leave(&list);
  return there;
}

static THCudaIntTensor *THCTensor_(newInts)(THCState *state, THGuard *guard, int dims,
                                            const int64_t *size)
{
  THGuard_enter(guard, (THUndo)THCudaIntDevice_free);
  return guard->what = THCudaIntTensor_newShapeNd(state, NULL, 0, dims, size, NULL);
}

/* Raises an error if a factorisation has found a zero pivot. */
static void THCTensor_(checkInfo)(THCState *state, THCudaIntTensor *info)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THIntTensor_free);
  THIntTensor *here = guard.what = THIntTensor_newWithSize1d(info->size[0]);
  THIntTensor_copyCudaInt(state, here, info);
  for (int64_t i = 0; i < info->size[0]; i++) {
    const int at = THIntTensor_get1d(here, i);
    if (at)
      THError("btrifact: U(%d,%d) of matrix %lld is zero, the matrix is singular", at, at,
              (long long)i + TH_INDEX_BASE);
  }
  THGuard_leave(&guard);
}

/* Pivots that exchange no rows. */
static void THCTensor_(noPivots)(THCState *state, THCudaIntTensor *pivots)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THIntTensor_free);
  THIntTensor *here = guard.what = THIntTensor_newWithSize2d(pivots->size[0], pivots->size[1]);
  for (int64_t i = 0; i < pivots->size[0]; i++)
    for (int64_t j = 0; j < pivots->size[1]; j++)
      THIntTensor_set2d(here, i, j, (int)j + 1);
  THCudaIntTensor_copyInt(state, pivots, here);
  THGuard_leave(&guard);
}

void THCTensor_(btrifact)(THCState *state, THCTensor *ra_, THCudaIntTensor *rpivots_,
                          THCudaIntTensor *rinfo_, int pivot, THCTensor *a)
{
  THC_enter(state);
  THCAssertSameGPU(THCTensor_(checkGPU)(state, 4, ra_, rpivots_, rinfo_, a));
  a = a ? a : ra_;
  const int n = THCTensor_(squares)(state, a, "a", 5);
  const int64_t count = a->size[0], pivotSize[] = {count, n};
  THArgCheck(rpivots_ != rinfo_, 3, "rpivots_ and rinfo_ are one tensor");
  THShape shape, pivotShape, infoShape;
  THShape_openAs(&shape, 3, a->size, NULL);
  THShape_setStrides(&shape, NULL);
  THShape_openAs(&pivotShape, 2, pivotSize, NULL);
  THShape_setStrides(&pivotShape, NULL);
  THShape_openAs(&infoShape, 1, &count, NULL);
  THShape_setStrides(&infoShape, NULL);
  THResult_check(TH_VIEW(ra_), &shape, 1);
  THResult_check(TH_VIEW(rpivots_), &pivotShape, 2);
  if (rinfo_)
    THResult_check(TH_VIEW(rinfo_), &infoShape, 3);

  THGuard factorGuard, pivotGuard, infoGuard, addressGuard;
  THCTensor *factors = THCTensor_(byColumns)(state, &factorGuard, a);
  THCudaIntTensor *pivots = THCTensor_(newInts)(state, &pivotGuard, 2, pivotSize);
  THCudaIntTensor *info = THCTensor_(newInts)(state, &infoGuard, 1, &count);
  real **addresses = THCTensor_(addresses)(state, &addressGuard, factors);
  if (!pivot)
    THCTensor_(noPivots)(state, pivots);
  getrf(state, n, addresses, n, pivot ? THCudaIntTensor_data(state, pivots) : NULL,
        THCudaIntTensor_data(state, info), (int)count);
  if (!rinfo_)
    THCTensor_(checkInfo)(state, info);

  THBefore before[3];
  THCDevice_(resizeForNow)(&before[0], ra_, &shape);
  THCudaIntDevice_resizeForNow(&before[1], rpivots_, &pivotShape);
  if (rinfo_)
    THCudaIntDevice_resizeForNow(&before[2], rinfo_, &infoShape);
  THCTensor_(copy)(state, ra_, factors);
  THCudaIntTensor_copy(state, rpivots_, pivots);
  if (rinfo_) {
    THCudaIntTensor_copy(state, rinfo_, info);
    THBefore_forget(&before[2]);
  }
  THBefore_forget(&before[1]);
  THBefore_forget(&before[0]);
  THGuard_leave(&addressGuard);
  THGuard_leave(&infoGuard);
  THGuard_leave(&pivotGuard);
  THGuard_leave(&factorGuard);
  THShape_close(&infoShape);
  THShape_close(&pivotShape);
  THShape_close(&shape);
}

/* Rejects pivots out of range, which nothing follows, and zeros on the diagonal, by which cuBLAS divides: by the error
 * word of the stream. */
static void THCTensor_(checkFactors)(THCState *state, const char *function, THCTensor *factors,
                                     THCudaIntTensor *pivots)
{
  const int64_t n = factors->size[1];
  THCMatrixFactors f = {.factors = THCTensor_(data)(state, factors),
                        .pivots = THCudaIntTensor_data(state, pivots),
                        .count = factors->size[0],
                        .n = n,
                        .argument = 3,
                        .report = {.fault = {.first = 1, .last = n}}};
  THCCheck check;
  THCFault fault = {0};
  const int checks = THCCheck_open(&check, state, function, 4, 1, n);
  if (checks)
    f.report = check.report;
  TH_CONCAT_2(THCMatrix_checkFactors_, Real)(&f, THCState_getCurrentStream(state));
  if (!checks || !THCCheck_close(&check, &fault))
    return;
  const long long matrix = fault.at / n + TH_INDEX_BASE, row = fault.at % n + 1;
  if (fault.found == THC_FAULT_PARAMETER)
    THError("btrisolve: U(%lld,%lld) of matrix %lld is zero, the matrix is singular", row, row,
            matrix);
  THArgError(4, "pivots of matrix %lld have %lld, which is none of the rows 1 to %lld", matrix,
             (long long)fault.value, (long long)n);
}

void THCTensor_(btrisolve)(THCState *state, THCTensor *rb_, THCTensor *b, THCTensor *atf,
                           THCudaIntTensor *pivots)
{
  THC_enter(state);
  THCAssertSameGPU(THCTensor_(checkGPU)(state, 4, rb_, b, atf, pivots));
  b = b ? b : rb_;
  const int n = THCTensor_(squares)(state, atf, "atf", 3);
  const int64_t count = atf->size[0];
  THArgCheck((b->nDimension == 2 || b->nDimension == 3) && b->size[0] == count && b->size[1] == n,
             2, "b has size %s, atf has %s", THCTensor_(sizeDesc)(state, b).str,
             THCTensor_(sizeDesc)(state, atf).str);
  THArgCheck(b->nDimension == 2 || b->size[2] <= INT32_MAX, 2,
             "b has size %s, more than cuBLAS can count", THCTensor_(sizeDesc)(state, b).str);
  THArgCheck(pivots->nDimension == 2 && pivots->size[0] == count && pivots->size[1] == n, 4,
             "pivots has size %s, atf has %s", THCudaIntTensor_sizeDesc(state, pivots).str,
             THCTensor_(sizeDesc)(state, atf).str);
  THShape shape;
  THShape_openAs(&shape, b->nDimension, b->size, NULL);
  THShape_setStrides(&shape, NULL);
  THResult_check(TH_VIEW(rb_), &shape, 1);

  THGuard factorGuard, xGuard, pivotGuard, factorAddresses, xAddresses;
  THCTensor *factors = THCTensor_(byColumns)(state, &factorGuard, atf);
  THCTensor *x = THCTensor_(byColumns)(state, &xGuard, b);
  THCudaIntTensor *rows = THCTensor_(newInts)(state, &pivotGuard, 2, pivots->size);
  THCudaIntTensor_copy(state, rows, pivots);
  THCTensor_(checkFactors)(state, __func__, factors, rows);
  const real **from = (const real **)THCTensor_(addresses)(state, &factorAddresses, factors);
  real **to = THCTensor_(addresses)(state, &xAddresses, x);
  int info;
  getrs(state, 'n', n, b->nDimension == 2 ? 1 : (int)b->size[2], from, n,
        THCudaIntTensor_data(state, rows), to, n, &info, (int)count);

  THBefore before;
  THCDevice_(resizeForNow)(&before, rb_, &shape);
  THCTensor_(copy)(state, rb_, x);
  THBefore_forget(&before);
  THGuard_leave(&xAddresses);
  THGuard_leave(&factorAddresses);
  THGuard_leave(&pivotGuard);
  THGuard_leave(&xGuard);
  THGuard_leave(&factorGuard);
  THShape_close(&shape);
}

#else

void THCTensor_(btrifact)(THCState *state, THCTensor *ra_, THCudaIntTensor *rpivots_,
                          THCudaIntTensor *rinfo_, int pivot, THCTensor *a)
{
  THC_enter(state);
  THError("btrifact of " TH_STRING_OF(Real) ": on a GPU it is of Float and Double");
}

void THCTensor_(btrisolve)(THCState *state, THCTensor *rb_, THCTensor *b, THCTensor *atf,
                           THCudaIntTensor *pivots)
{
  THC_enter(state);
  THError("btrisolve of " TH_STRING_OF(Real) ": on a GPU it is of Float and Double");
}

#endif
