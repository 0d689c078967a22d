/* Interface of random.cu: arrays of random numbers, from the words that PyTorch's kernels take for them.
 *
 * Of `threads` threads, as many as PyTorch starts on the device, thread t draws from subsequence t.  Each call of
 * Philox makes `each` numbers, 2 of Double and of wide integers, else 4, for elements t, t + threads ...  With
 * probabilities of each element, and of aliases, elements are drawn in groups of four: group g takes 4 * words words of
 * subsequence g, and element k of the group those from k * words on. */
#ifndef THC_RANDOM_KERNELS_H
#define THC_RANDOM_KERNELS_H

#include <cuda_runtime_api.h>

#include "THCRandomDraw.h"

typedef enum THCRandomKind {
  THC_RANDOM_INTEGERS,          /* base + one of 0 ... range - 1, the remainder of a word */
  THC_RANDOM_WIDE_INTEGERS,     /* integers of 64 bits; a range of 0 stands for 2^64 */
  THC_RANDOM_GEOMETRIC,         /* a: the probability that a trial is the last */
  THC_RANDOM_BERNOULLI,         /* a: the probability of 1 */
  THC_RANDOM_BERNOULLI_FLOATS,  /* probabilities: floats, one for each element */
  THC_RANDOM_BERNOULLI_DOUBLES, /* probabilities: doubles, one for each element */
  /* floating types alone: */
  THC_RANDOM_UNIFORM, /* from a to b */
  THC_RANDOM_NORMAL,  /* of mean a and deviation b, unless elements have their own */
  THC_RANDOM_LOG_NORMAL,
  THC_RANDOM_EXPONENTIAL, /* of mean 1 / a */
  THC_RANDOM_CAUCHY,      /* of median a and scale b */
  THC_RANDOM_ALIAS,       /* means: thresholds; aliases; range: how many; Long results */
  THC_RANDOM_KINDS
} THCRandomKind;

typedef struct THCRandomFill {
  ptrdiff_t count, threads;
  void *to;
  int packed; /* `to` is aligned for groups */
  THCDraw draw;
  double a, b;
  int64_t base;
  uint64_t range;
  const void *probabilities;
  const void *means, *deviations; /* or NULL */
  const int64_t *aliases;         /* indices, which count from TH_INDEX_BASE */
} THCRandomFill;

typedef struct THCRandomKernel {
  int each;  /* 0: in groups */
  int words; /* of an element of a group */
  void (*launch)(const THCRandomFill *fill, cudaStream_t stream);
} THCRandomKernel;

#endif
