/* Layers without a BLAS library: an error before anything has changed. */
#include "THNN.h"
#include "th_faults.h"

static THFloatTensor *filled(int64_t a, int64_t b, int64_t c, int64_t d)
{
  THFloatTensor *t = THFloatTensor_newWithSize4d(a, b, c, d);
  THFloatTensor_fill(t, 2);
  return t;
}

static void missing(void **state)
{
  setenv("TH_BLAS_LIBRARY", "/nowhere/libmissing.so", 1);
  THFloatTensor *input = filled(5, 2, 2, 2), *weight = filled(1, 2, 1, 1),
                *output = filled(1, 1, 1, 2);
  THFloatTensor *gradOutput = filled(5, 1, 2, 2), *rows = filled(4, 3, -1, -1);
  THFloatTensor *matrix = filled(2, 3, -1, -1), *gradRows = filled(4, 2, -1, -1);
  WATCH(output);
  WATCH(weight);
  WATCH(matrix);
  CHECK_RAISES(0, "libmissing",
               THNN_FloatSpatialConvolutionMM_updateOutput(NULL, input, output, weight, NULL, NULL,
                                                           NULL, 1, 1, 1, 1, 0, 0));
  CHECK_RAISES(0, "libmissing",
               THNN_FloatSpatialConvolutionMM_updateGradInput(NULL, input, gradOutput, output,
                                                              weight, NULL, NULL, 1, 1, 1, 1, 0,
                                                              0));
  CHECK_RAISES(0, "libmissing",
               THNN_FloatSpatialConvolutionMM_accGradParameters(NULL, input, gradOutput, weight,
                                                                NULL, NULL, NULL, 1, 1, 1, 1, 0, 0,
                                                                1));
  CHECK_RAISES(0, "libmissing",
               THNN_FloatLinear_updateOutput(NULL, rows, output, matrix, NULL, NULL));
  CHECK_RAISES(0, "libmissing",
               THNN_FloatLinear_updateGradInput(NULL, rows, gradRows, output, matrix));
  CHECK_RAISES(0, "libmissing",
               THNN_FloatLinear_accGradParameters(NULL, rows, gradRows, NULL, NULL, NULL, matrix,
                                                  NULL, NULL, 1));
  th_watch_check(1);
  th_watch_forget();
  THFloatTensor *all[] = {input, weight, output, gradOutput, rows, matrix, gradRows};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THFloatTensor_free(all[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(missing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
