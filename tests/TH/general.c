/* What belongs nowhere else: the version, log1p and expm1, levels by name, and the number of
 * threads. */
#include "th_test.h"

#include "THKernel.h"
#include "THParallel.h"

static void version(void **state)
{
  int major, minor, patch;
  CHECK_EQ(sscanf(THVersion(), "%d.%d.%d", &major, &minor, &patch), 3);
  CHECK_EQ(major, TH_VERSION_MAJOR);
  CHECK_EQ(minor, TH_VERSION_MINOR);
  CHECK_EQ(patch, TH_VERSION_PATCH);
}

/* Two terms of the series are enough at 1e-10. */
static void near_zero(void **state)
{
  CHECK_CLOSE(THLog1p(1e-10), 1e-10 - 0.5e-20, 1e-15);
  CHECK_CLOSE(THExpm1(1e-10), 1e-10 + 0.5e-20, 1e-15);
  CHECK_CLOSE(THLog1p(1), 0.69314718055994531, 1e-15);
  CHECK_CLOSE(THExpm1(1), 1.71828182845904524, 1e-15);
}

static void levels(void **state)
{
  CHECK(!strcmp(THCpu_levelName(TH_CPU_DEFAULT), "default"));
  CHECK(!strcmp(THCpu_levelName(TH_CPU_AVX512), "avx512"));
  CHECK(THCpu_level() <= TH_CPU_AVX512);
}

static void threads(void **state)
{
  const int before = THGetNumThreads();
  CHECK(THGetNumCores() >= 1);
  THInferNumThreads();
  CHECK_EQ(THGetNumThreads(), before);
  THSetNumThreads(3);
  CHECK_EQ(THGetNumThreads(), 3);
  THSetNumThreads(0);
  THSetNumThreads(-1);
  CHECK_EQ(THGetNumThreads(), 3);
  CHECK_EQ(THParallel_threads(299, 100), 2);
  CHECK_EQ(THParallel_threads(199, 100), 1);
  CHECK_EQ(THParallel_threads(1000000, 100), 3);
  THSetNumThreads(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(version), cmocka_unit_test(near_zero),
                                     cmocka_unit_test(levels), cmocka_unit_test(threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
