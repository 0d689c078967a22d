/* Kernels compiled once per instruction set, and the choice between them.
 *
 * A kernel file is a template that the build compiles at every level with TH_LEVEL set to default,
 * avx2 or avx512.  It defines one table whose name carries the level:
 *
 *     const THKernel TH_LEVEL_(THTensor_(pointwise))[] = { [TH_OP_neg] = neg, ... };
 *
 * One ordinary file per type picks the table when the library is loaded:
 *
 *     TH_DISPATCH(THKernel, THTensor_(pointwise))
 *
 * which defines const THKernel *THTensor_(pointwise).
 *
 * TH_CPU_CAPABILITY=default|avx2|avx512 in the environment forces a level that the machine has. */
#ifndef TH_KERNEL_H
#define TH_KERNEL_H

#include "THLoop.h"
#include "THMacros.h"

typedef enum THCpuLevel { TH_CPU_DEFAULT, TH_CPU_AVX2, TH_CPU_AVX512 } THCpuLevel;

/* The level in use, decided once, before main. */
TH_API THCpuLevel THCpu_level(void);
TH_API const char *THCpu_levelName(THCpuLevel level);

#define TH_LEVEL_(NAME) TH_CONCAT_3(NAME, _, TH_LEVEL)

/* The tables of a level that this build has no kernels for are those of the baseline. */
#if defined(__x86_64__) && !defined(TH_WITHOUT_AVX2)
#define TH_AT_AVX2(NAME) TH_CONCAT_2(NAME, _avx2)
#else
#define TH_AT_AVX2(NAME) TH_CONCAT_2(NAME, _default)
#endif
#if defined(__x86_64__) && !defined(TH_WITHOUT_AVX512)
#define TH_AT_AVX512(NAME) TH_CONCAT_2(NAME, _avx512)
#else
#define TH_AT_AVX512(NAME) TH_CONCAT_2(NAME, _default)
#endif

#define TH_DISPATCH(TYPE, NAME)                                                              \
  extern const TYPE TH_CONCAT_2(NAME, _default)[], TH_AT_AVX2(NAME)[], TH_AT_AVX512(NAME)[]; \
  const TYPE *NAME = TH_CONCAT_2(NAME, _default);                                            \
  __attribute__((constructor)) static void TH_CONCAT_2(pick_, NAME)(void)                    \
  {                                                                                          \
    const TYPE *const levels[] = {TH_CONCAT_2(NAME, _default), TH_AT_AVX2(NAME),             \
                                  TH_AT_AVX512(NAME)};                                       \
    NAME = levels[THCpu_level()];                                                            \
  }

#endif
