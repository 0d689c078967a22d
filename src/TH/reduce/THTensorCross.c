/* cross (the cross product of vectors of three elements) and match (squared distances of rows). */
#include "THTemplate.h"

#include "THLoop.h"
#include "THParallel.h"
#include "TH/tensor/THTensorCore.h"

/* --- cross ----------------------------------------------------------------------------------- */

/* One component of the product: r = x * y' - x' * y. */
static void THTensor_(component)(const THRun *run, const void *unused)
{
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const real *in[4];
    for (int k = 0; k < 4; k++)
      in[k] = (const real *)run->at[k + 1] + j * run->rowStride[k + 1];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->stride[0]] = (real)(in[0][i * run->stride[1]] * in[1][i * run->stride[2]] -
                                     in[2][i * run->stride[3]] * in[3][i * run->stride[4]]);
  }
}

/* Adds the slice of t at index along dimension, with sizes and strides that leave dimension out. */
static void THTensor_(addSlice)(THLoop *loop, const THTensor *t, const int64_t *size, int dimension,
                                int index)
{
  THLoop_operand(loop, THTensor_(data)(t) + index * t->stride[dimension], sizeof(real),
                 t->nDimension, size, t->stride);
}

void THTensor_(cross)(THTensor *r_, THTensor *a, THTensor *b, int dimension)
{
  THArgCheck(THTensor_(isSameSizeAs)(a, b), 3, "b has size %s, a has %s",
             THTensor_(sizeDesc)(b).str, THTensor_(sizeDesc)(a).str);
  for (int d = 0; d < a->nDimension && dimension < 0; d++)
    if (a->size[d] == 3)
      dimension = d;
  THArgCheck(dimension >= 0, 4, "no dimension of a (%s) has size 3", THTensor_(sizeDesc)(a).str);
  THArgCheck(dimension < a->nDimension && a->size[dimension] == 3, 4,
             "dimension %d of a (%s) has to be of size 3", dimension + TH_INDEX_BASE,
             THTensor_(sizeDesc)(a).str);

  /* Each component needs two others: the product is computed in a new tensor and copied. */
  THGuard guard;
  THShape slice;
  THTensor_(guard)(&guard);
  THTensor *product = guard.what = THTensor_(newBare)();
  THTensor_(resizeAs)(product, a);
  THShape_openAs(&slice, a->nDimension, a->size, NULL);
  slice.size[dimension] = 1;
  for (int k = 0; k < 3; k++) {
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    THLoop loop;
    THLoop_init(&loop);
    THTensor_(addSlice)(&loop, product, slice.size, dimension, k);
    THTensor_(addSlice)(&loop, a, slice.size, dimension, k1);
    THTensor_(addSlice)(&loop, b, slice.size, dimension, k2);
    THTensor_(addSlice)(&loop, a, slice.size, dimension, k2);
    THTensor_(addSlice)(&loop, b, slice.size, dimension, k1);
    THLoop_run(&loop, THTensor_(component), NULL);
  }
  THShape_close(&slice);
  THTensor_(resizeAs)(r_, product);
  THTensor_(copy)(r_, product);
  THGuard_leave(&guard);
}

/* --- match ----------------------------------------------------------------------------------- */

/* The rows of t, each contiguous, as a new tensor of two dimensions. */
static THTensor *THTensor_(newRows)(THTensor *t)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *rows = guard.what = THTensor_(newContiguous)(t);
  THTensor *view = THTensor_(newWithStorage2d)(rows->storage, rows->storageOffset, t->size[0], -1,
                                               THTensor_(nElement)(t) / t->size[0], -1);
  THGuard_leave(&guard);
  return view;
}

void THTensor_(match)(THTensor *r_, THTensor *m1, THTensor *m2, real gain)
{
  THArgCheck(m1->nDimension > 0, 2, "m1 is empty");
  THArgCheck(m2->nDimension > 0, 3, "m2 is empty");
  const int64_t n1 = m1->size[0], n2 = m2->size[0], length = THTensor_(nElement)(m1) / n1;
  THArgCheck(THTensor_(nElement)(m2) / n2 == length, 3,
             "rows of m2 (%s) have %td elements, those of m1 (%s) %lld",
             THTensor_(sizeDesc)(m2).str, THTensor_(nElement)(m2) / n2, THTensor_(sizeDesc)(m1).str,
             (long long)length);

  THGuard rows1, rows2, distances;
  THTensor_(guard)(&rows1);
  THTensor_(guard)(&rows2);
  THTensor_(guard)(&distances);
  THTensor *t1 = rows1.what = THTensor_(newRows)(m1);
  THTensor *t2 = rows2.what = THTensor_(newRows)(m2);
  THTensor *result = distances.what = THTensor_(newWithSize2d)(n1, n2);
  const real *x = THTensor_(data)(t1), *y = THTensor_(data)(t2);
  real *r = THTensor_(data)(result);
  TH_PARALLEL_FOR (i, n1, THMax(1, TH_LOOP_GRAIN / THMax(1, n2 * length)))
    for (int64_t j = 0; j < n2; j++) {
      accreal sum = 0;
      for (int64_t k = 0; k < length; k++) {
        const accreal difference = (accreal)x[i * length + k] - (accreal)y[j * length + k];
        sum += difference * difference;
      }
      r[i * n2 + j] = (real)((accreal)gain * sum);
    }
  THTensor_(resize2d)(r_, n1, n2);
  THTensor_(copy)(r_, result);
  THGuard_leave(&distances);
  THGuard_leave(&rows2);
  THGuard_leave(&rows1);
}
