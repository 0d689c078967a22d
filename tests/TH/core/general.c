/* What belongs nowhere else: the version, log1p and expm1, levels by name, the number of threads,
 * and numbers in messages. */
#define _GNU_SOURCE /* uselocale */
#include "th_test.h"

#include <locale.h>
#include <unistd.h>

#include "THKernel.h"
#include "THParallel.h"
#include "THTuning.h"
#include "th_locale.h"

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
  THTuning_set(TH_TUNE_THREAD_WORK, -1);
  CHECK(THGetNumCores() >= 1);
  THInferNumThreads();
  CHECK_EQ(THGetNumThreads(), before);
  THSetNumThreads(3);
  CHECK_EQ(THGetNumThreads(), 3);
  THSetNumThreads(0);
  THSetNumThreads(-1);
  CHECK_EQ(THGetNumThreads(), 3);
  CHECK_EQ(THParallel_threads(149, 100), 2); /* half the work is enough unless that was measured */
  CHECK_EQ(THParallel_threads(99, 100), 1);
  THTuning_set(TH_TUNE_THREAD_WORK, TH_LOOP_GRAIN);
  CHECK_EQ(THParallel_threads(299, 100), 2);
  CHECK_EQ(THParallel_threads(199, 100), 1);
  CHECK_EQ(THParallel_threads(1000000, 100), 3);
  THTuning_set(TH_TUNE_THREAD_WORK, 2 * TH_LOOP_GRAIN); /* twice as much for a thread */
  CHECK_EQ(THParallel_threads(299, 100), 1);
  CHECK_EQ(THParallel_threads(400, 100), 2);
  CHECK_EQ(THParallel_threads(2, 1), 2); /* what is one item is not divided */
  THTuning_set(TH_TUNE_THREAD_WORK, TH_LOOP_GRAIN / 2);
  CHECK_EQ(THParallel_threads(149, 100), 2);
  CHECK_EQ(THParallel_threads(100, 100), 1); /* a grain of all is for what one thread has to do */
  THTuning_set(TH_TUNE_THREAD_WORK, -1);
  CHECK_EQ(THParallel_threads(149, 100), 2);
  CHECK_RAISES(2, "thread_work is 1023, and has to be from 1024 to",
               THTuning_set(TH_TUNE_THREAD_WORK, 1023));
  CHECK_EQ(THTuning_get(TH_TUNE_THREAD_WORK), -1);
  THSetNumThreads(before);
}

/* Numbers in messages have a point, whether the locale is the process's or the thread's. */
static void locales(void **state)
{
  char folder[] = "/tmp/th-general.XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  THGenerator *generator = THGenerator_new();
  const int found = th_locale_comma(folder);
  if (found) {
    CHECK_RAISES(3, "stdv is -1.5, not", THRandom_normal(generator, 0, -1.5));
    const locale_t comma = duplocale(LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
    const locale_t before = uselocale(comma);
    char number[8];
    snprintf(number, sizeof number, "%.1f", 1.5);
    CHECK(!strcmp(number, "1,5"));
    CHECK_RAISES(3, "stdv is -2.5, not", THRandom_normal(generator, 0, -2.5));
    snprintf(number, sizeof number, "%.1f", 1.5); /* and the thread's stays */
    CHECK(!strcmp(number, "1,5"));
    uselocale(before);
    freelocale(comma);
  }
  THGenerator_free(generator);
  th_locale_plain(folder);
  CHECK_EQ(rmdir(folder), 0);
  if (!found)
    skip();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(version), cmocka_unit_test(near_zero),
                                     cmocka_unit_test(levels), cmocka_unit_test(threads),
                                     cmocka_unit_test(locales)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
