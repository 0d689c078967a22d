/* Interface of random.cu: arrays of random numbers.
 *
 * Elements are drawn in groups of four: group g takes 4 * words words of subsequence g, and element
 * k of the group those from k * words on, whatever the launch. */
#ifndef THC_RANDOM_KERNELS_H
#define THC_RANDOM_KERNELS_H

#include <cuda_runtime_api.h>

#include "THCRandomDraw.h"

typedef enum THCRandomKind {
  THC_RANDOM_INTEGERS, /* base + one of 0 ... range - 1, a range up to 2^32 */
  THC_RANDOM_WIDE_INTEGERS,
  THC_RANDOM_GEOMETRIC,         /* a: 1 / log(probability to go on) */
  THC_RANDOM_BERNOULLI,         /* 1 for words below range */
  THC_RANDOM_BERNOULLI_FLOATS,  /* probabilities of each element: floats */
  THC_RANDOM_BERNOULLI_DOUBLES, /* or doubles */
  /* floating types alone: */
  THC_RANDOM_UNIFORM, /* from a to b */
  THC_RANDOM_NORMAL,  /* of mean a and deviation b, unless elements have their own */
  THC_RANDOM_LOG_NORMAL,
  THC_RANDOM_EXPONENTIAL, /* of mean a */
  THC_RANDOM_CAUCHY,      /* of median a and scale b */
  THC_RANDOM_ALIAS,       /* means: thresholds; aliases; range: how many; Long results */
  THC_RANDOM_KINDS
} THCRandomKind;

typedef struct THCRandomFill {
  ptrdiff_t count;
  void *to;
  int packed; /* `to` is aligned for groups */
  THCDraw draw;
  double a, b;
  int64_t base;
  uint64_t range;
  const void *probabilities;
  const void *means, *deviations; /* or NULL */
  const int64_t *aliases;         /* which count from TH_INDEX_BASE */
} THCRandomFill;

typedef struct THCRandomKernel {
  int words; /* of an element */
  void (*launch)(const THCRandomFill *fill, cudaStream_t stream);
} THCRandomKernel;

#endif
