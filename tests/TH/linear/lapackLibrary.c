/* A BLAS library without LAPACK: products work, and whatever needs LAPACK is an error that names
 * the function which is missing, and changes nothing. */
#include "th_test.h"

static void lacks(void **state)
{
  (void)state;
  setenv("TH_BLAS_LIBRARY", TH_BLAS_WITHOUT_LAPACK, 1);
  float a[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8};
  THFloatBlas_gemm('n', 'n', 2, 2, 2, 1, a, 2, a, 2, 0, c, 2);

  int pivots[2] = {7, 7}, info = 7;
  CHECK_RAISES(0, "has no function sgesv_", THFloatLapack_gesv(2, 2, a, 2, pivots, c, 2, &info));
  CHECK_RAISES(0, "blasWithoutLapack", THFloatLapack_potrf('U', 2, a, 2, &info));
  CHECK_EQ(info, 7);
  CHECK_EQ(pivots[0], 7);
  for (int i = 0; i < 4; i++)
    CHECK_EQ(a[i], (float)(1 + i));

  THDoubleTensor *t = THDoubleTensor_newWithSize2d(2, 2), *r = THDoubleTensor_new();
  THDoubleTensor_eye(t, 2, 2);
  CHECK_RAISES(0, "has no function dgetrf_", THDoubleTensor_getri(r, t));
  CHECK_RAISES(0, "has no function dgeqrf_", THDoubleTensor_qr(r, t, t));
  CHECK_EQ(r->nDimension, 0);
  CHECK_EQ(THDoubleTensor_get2d(t, 1, 1), 1.0);

  /* Among threads too: the first matrix of a batch finds out. */
  THLongStorage *size = THLongStorage_newWithSize3(100, 2, 2);
  THDoubleTensor *batch = THDoubleTensor_newExpand(t, size);
  THIntTensor *rows = THIntTensor_new();
  CHECK_RAISES(0, "has no function dgetrf_", THDoubleTensor_btrifact(r, rows, NULL, 1, batch));
  CHECK_EQ(r->nDimension, 0);
  THIntTensor_free(rows);
  THLongStorage_free(size);
  THDoubleTensor_free(batch);
  THDoubleTensor_free(r);
  THDoubleTensor_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
