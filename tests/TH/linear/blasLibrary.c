/* The BLAS library that is not there: an error that names it, from any call, and no harm done. */
#include "th_test.h"

static void missing(void **state)
{
  (void)state;
  float a[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8};
  setenv("TH_BLAS_LIBRARY", "/nowhere/libmissing.so", 1);
  CHECK_RAISES(0, "/nowhere/libmissing.so",
               THFloatBlas_gemm('n', 'n', 2, 2, 2, 1, a, 2, a, 2, 0, c, 2));
  CHECK_RAISES(0, "libmissing", THFloatBlas_gemv('n', 2, 2, 1, a, 2, a, 1, 0, c, 1));
  for (int i = 0; i < 4; i++)
    assert_true(c[i] == (float)(5 + i));

  THFloatTensor *t = THFloatTensor_newWithSize2d(2, 2), *r = THFloatTensor_new();
  THFloatTensor_fill(t, 2);
  CHECK_RAISES(0, "libmissing", THFloatTensor_addmm(r, 0, t, 1, t, t));
  assert_int_equal(r->nDimension, 0);
  THFloatTensor_free(r);
  THFloatTensor_free(t);
}

/* A library without BLAS in it. */
static void another(void **state)
{
  (void)state;
  float a[1] = {3};
  setenv("TH_BLAS_LIBRARY", "libm.so.6", 1);
  CHECK_RAISES(0, "no function", THFloatBlas_gemm('n', 'n', 1, 1, 1, 1, a, 1, a, 1, 0, a, 1));
}

/* What is computed here needs no library; and once it is found all goes on. */
static void found(void **state)
{
  (void)state;
  float x[3] = {1, 2, 3}, y[1] = {0};
  int32_t i[1] = {7};
  assert_true(THFloatBlas_dot(3, x, 1, x, 1) == 14);
  THIntBlas_gemm('n', 'n', 1, 1, 1, 3, i, 1, i, 1, 0, i, 1);
  assert_int_equal(i[0], 147);
  unsetenv("TH_BLAS_LIBRARY");
  THFloatBlas_gemm('n', 'n', 1, 1, 3, 1, x, 1, x, 3, 0, y, 1);
  assert_true(y[0] == 14);
}

/* Under THSetDeterministic, the same bits on any number of threads; which stay as they were set. */
static void deterministic(void **state)
{
  (void)state;
  enum { N = 301 };
  const int threads = THGetNumThreads();
  double *a = malloc(2 * N * N * sizeof *a), *c = malloc(2 * N * N * sizeof *c);
  for (int i = 0; i < 2 * N * N; i++)
    a[i] = sin(i);
  THSetDeterministic(1);
  for (int n = 1; n <= 2; n++) {
    THSetNumThreads(n);
    THDoubleBlas_gemm('n', 't', N, N, N, 1, a, N, a + N * N, N, 0, c + (n - 1) * N * N, N);
    assert_int_equal(THGetNumThreads(), n);
  }
  assert_memory_equal(c, c + N * N, N * N * sizeof *c);
  THSetDeterministic(0);
  THSetNumThreads(threads);
  free(a);
  free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing),
      cmocka_unit_test(another),
      cmocka_unit_test(found),
      cmocka_unit_test(deterministic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
