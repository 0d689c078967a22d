/* Steps on the elements of matrices that cuSOLVER works on: TH's, by kernels. */
#define TH_TEMPLATE_DEVICE "THC/linear/THCLapack.h"
#include "THTemplate.h"

#include "TH/linear/THTensorWork.h"
#include "thc_matrix.h"

static void copy(const THCMatrixCopy *how)
{
  TH_CONCAT_2(THCMatrix_copy_, Real)(how, THCState_getCurrentStream(THC_using));
  THCudaCheck(cudaGetLastError());
}

/* The first element that is searched for, UINT64_MAX where there is none; waits for it. */
static uint64_t search(const real *a, int64_t rows, int64_t columns, char triangle)
{
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  THGuard guard;
  uint64_t found;
  THCMatrixSearch how = {a, rows, columns, triangle, THC_scratch(&guard, sizeof found)};
  THCudaCheck(cudaMemsetAsync(how.found, 0xFF, sizeof found, stream));
  TH_CONCAT_2(THCMatrix_search_, Real)(&how, stream);
  THCudaCheck(cudaGetLastError());
  THCudaCheck(cudaMemcpyAsync(&found, how.found, sizeof found, cudaMemcpyDeviceToHost, stream));
  THC_wait(THC_using);
  THGuard_leave(&guard);
  return found;
}

void THTensor_(checkFinite)(const real *a, int rows, int columns, char triangle, const char *name,
                            int arg)
{
  if (rows == 0 || columns == 0)
    return;
  const uint64_t found = search(a, rows, columns, triangle);
  if (found == UINT64_MAX)
    return;
  real value;
  THCudaCheck(cudaMemcpy(&value, a + found, sizeof value, cudaMemcpyDeviceToHost));
  THArgCheck(0, arg, "%s is %g in row %lld, column %lld: not finite", name, (double)value,
             (long long)(found % (uint64_t)rows) + TH_INDEX_BASE,
             (long long)(found / (uint64_t)rows) + TH_INDEX_BASE);
}

int THTensor_(zeroOnDiagonal)(const real *a, int64_t lda, int64_t n)
{
  const uint64_t found = n > 0 ? search(a, lda, n, 'D') : UINT64_MAX;
  return found == UINT64_MAX ? 0 : (int)found + 1;
}

void THTensor_(copyRows)(real *r, int64_t ldr, const real *t, int64_t ldt, int64_t rows,
                         int64_t columns)
{
  copy(&(THCMatrixCopy){r, t, rows, columns, 1, ldr, 1, ldt, THC_MATRIX_ALL});
}

void THTensor_(clearMatrix)(real *r, int64_t rows, int64_t columns)
{
  copy(&(THCMatrixCopy){r, NULL, rows, columns, 1, rows, 0, 0, THC_MATRIX_ALL});
}

void THTensor_(clearOther)(real *r, int64_t n, char triangle)
{
  copy(&(THCMatrixCopy){r, r, n, n, 1, n, 1, n,
                        triangle == 'U' ? THC_MATRIX_UPPER : THC_MATRIX_LOWER});
}

void THTensor_(setIdentity)(real *r, int64_t n)
{
  copy(&(THCMatrixCopy){r, NULL, n, n, 1, n, 0, 0, THC_MATRIX_EYE});
}

void THTensor_(mirror)(real *r, int64_t n, char triangle)
{
  copy(&(THCMatrixCopy){r, r, n, n, 1, n, 1, n,
                        triangle == 'U' ? THC_MATRIX_MIRROR_UPPER : THC_MATRIX_MIRROR_LOWER});
}

void THTensor_(copyUpper)(real *r, const real *t, int64_t ldt, int64_t rows, int64_t columns)
{
  copy(&(THCMatrixCopy){r, t, rows, columns, columns, 1, 1, ldt, THC_MATRIX_UPPER});
}

/* cuSOLVER's functions of these names are by divide and conquer, or faster. */
int THTensor_(divideSymmetric)(THWorks *works, THTensor *from, char triangle, int n, real *a,
                               real *values)
{
  return 0;
}

int THTensor_(divideValues)(THWorks *works, THTensor *from, char job, int m, int n, real *a,
                            real *s, real *u, real *v, int ldv)
{
  return 0;
}
