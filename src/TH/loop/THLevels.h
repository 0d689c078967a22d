/* A kernel or a set of kernels at each level, for a choice by the call:
 *
 *     TH_LEVELS_OF(THReduction, THTensor_(reduction_sum))   defines the array,
 *     TH_NOW(THTensor_(reduction_sum))                      is that of the level in use.
 *
 * What nothing calls so is left out of a static program, where TH_DISPATCH (THKernel.h) keeps all that its table
 * has; a call costs one more load. */
#ifndef TH_LEVELS_H
#define TH_LEVELS_H

#include "THKernel.h"

/* The kernels of each level are an array of which the first counts. */
#define TH_LEVELS_OF(TYPE, NAME)                                                             \
  extern const TYPE TH_CONCAT_2(NAME, _default)[], TH_AT_AVX2(NAME)[], TH_AT_AVX512(NAME)[]; \
  const TYPE *const NAME[] = {TH_CONCAT_2(NAME, _default), TH_AT_AVX2(NAME), TH_AT_AVX512(NAME)};

/* That of the level in use; a device has one set of kernels. */
#ifdef TH_TEMPLATE_DEVICE
#define TH_NOW(KERNELS) (KERNELS)
#else
#define TH_NOW(LEVELS) (LEVELS)[THCpu_level()]
#endif

#endif
