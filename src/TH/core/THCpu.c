/* Which instruction set the kernels use, and how large the caches are. */
#define _GNU_SOURCE /* secure_getenv */
#include "THCpu.h"

#include <stdbool.h>
#include <unistd.h>

#include "THGeneral.h"
#include "THKernel.h"
#include "THTuning.h"

static const char *const level_names[] = {"default", "avx2", "avx512"};

static THCpuLevel best_level(void)
{
#ifdef __x86_64__
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return TH_CPU_DEFAULT;
#ifndef TH_WITHOUT_AVX512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return TH_CPU_AVX512;
#endif
#ifndef TH_WITHOUT_AVX2
  return TH_CPU_AVX2;
#endif
#endif
  return TH_CPU_DEFAULT;
}

THCpuLevel THCpu_levelInUse = TH_CPU_DEFAULT;

/* Called by constructors, perhaps before that of this file: so it is decided on the first call. */
THCpuLevel THCpu_level(void)
{
  static bool isDecided;
  if (!isDecided) {
    const THCpuLevel best = best_level();
    THCpuLevel chosen = best;
    const char *wish = secure_getenv("TH_CPU_CAPABILITY");
    for (int i = 0; wish && i <= (int)best; i++)
      if (!strcmp(wish, level_names[i]))
        chosen = (THCpuLevel)i;
    THCpu_levelInUse = chosen;
    isDecided = true;
  }
  return THCpu_levelInUse;
}

/* Before main, so that no two threads decide. */
__attribute__((constructor)) static void decide(void)
{
  THCpu_level();
}

const char *THCpu_levelName(THCpuLevel level)
{
  return level_names[level];
}

/* What the C library says; 0 if it does not, as musl. */
static long said_cache(int level)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
  return sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#else
  (void)level;
  return 0;
#endif
}

/* The kernel knows what a virtual machine really shares; the C library only reports the processor's
 * numbers. */
ptrdiff_t THCpu_lastLevelCache(void)
{
  long kilobytes = 0;
  FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
  if (file) {
    if (fscanf(file, "%ldK", &kilobytes) != 1)
      kilobytes = 0;
    fclose(file);
  }
  if (kilobytes > 0)
    return (ptrdiff_t)kilobytes << 10;
  const long bytes = said_cache(3);
  return bytes > 0 ? bytes : 32 << 20;
}

/* Called by single operations, so the answer is kept. */
ptrdiff_t THCpu_l2Cache(void)
{
  static ptrdiff_t bytes = 0;
  ptrdiff_t known = __atomic_load_n(&bytes, __ATOMIC_RELAXED);
  if (known == 0) {
    const long said = said_cache(2);
    known = said > 0 ? said : 256 << 10;
    __atomic_store_n(&bytes, known, __ATOMIC_RELAXED);
  }
  return known;
}

static int sums_by_eight(void)
{
#ifdef __x86_64__
  return __builtin_cpu_is("amd");
#else
  return 0;
#endif
}

int THCpu_addsEight(void)
{
  static int kept = -1;
  const int64_t tuned = THTuning_get(TH_TUNE_SUM_DOUBLES);
  int known = tuned >= 0 ? tuned == 8 : __atomic_load_n(&kept, __ATOMIC_RELAXED);
  if (known < 0) {
    known = sums_by_eight();
    __atomic_store_n(&kept, known, __ATOMIC_RELAXED);
  }
  return known;
}
