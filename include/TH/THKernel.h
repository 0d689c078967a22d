/* Kernels compiled once per instruction set, and the choice between them.
 *
 * A kernel file is a template that the build compiles at every level with TH_LEVEL set to default,
 * avx2 or avx512.  It defines one table whose name carries the level:
 *
 *     const THKernel TH_LEVEL_(THTensor_(pointwise))[] = { [TH_OP_neg] = neg, ... };
 *
 * One ordinary file per type lists the tables of all levels, and a call takes that of the level in use:
 *
 *     TH_DISPATCH(THKernel, THTensor_(pointwise))
 *     const THKernel *kernels = TH_DISPATCHED(THTensor_(pointwise));
 *
 * A static program leaves out the tables that none of its calls takes.
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
/* The level in use as a variable, so that TH_DISPATCHED needs no call. */
TH_API THCpuLevel THCpu_levelInUse;

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

/* The array of the tables of every level.  A single kernel is a table of one. */
#define TH_DISPATCH(TYPE, NAME)                                                              \
  extern const TYPE TH_CONCAT_2(NAME, _default)[], TH_AT_AVX2(NAME)[], TH_AT_AVX512(NAME)[]; \
  const TYPE *const NAME[] = {TH_CONCAT_2(NAME, _default), TH_AT_AVX2(NAME), TH_AT_AVX512(NAME)};

/* The table of the level in use.  A device has one set of kernels. */
#ifdef TH_TEMPLATE_DEVICE
#define TH_DISPATCHED(TABLE) (TABLE)
#else
#define TH_DISPATCHED(TABLES) (TABLES)[THCpu_levelInUse]
#endif

#endif
