/* The inner loops of the generator and of the distributions, chosen per instruction set.  Functions
 * that convert words to numbers take untempered words and temper them. */
#ifndef TH_RANDOM_KERNELS_H
#define TH_RANDOM_KERNELS_H

#include "THKernel.h"
#include "THRandom.h"

typedef struct THRandomKernels {
  /* Makes the next 624 words, count times over, and leaves the last ones in state; out takes all of
   * them.  out may be NULL. */
  void (*makeBlocks)(uint64_t *state, uint32_t *out, ptrdiff_t count);

  /* Tempers words.  out may be words. */
  void (*temper)(uint32_t *out, const uint32_t *words, ptrdiff_t n);

  /* words[i] %= divisor, of tempered words. */
  void (*remainders)(uint32_t *words, ptrdiff_t n, uint32_t divisor);

  /* words[i] = the tempered word % (divisor - i); n < divisor. */
  void (*shrinkingRemainders)(uint32_t *words, ptrdiff_t n, uint32_t divisor);

  /* out[i] = i. */
  void (*numbers)(uint32_t *out, uint32_t n);

  /* out[i] = the i-th pair of words, its low 53 bits as an integer, is below threshold. */
  void (*below)(uint8_t *out, const uint32_t *pairs, ptrdiff_t n, uint64_t threshold);
  void (*belowFloat)(float *out, const uint32_t *pairs, ptrdiff_t n, uint64_t threshold);

  /* out[i] = scale * log(1 - u) or, with fromOne 0, scale * log(u), where u in [0, 1) comes from
   * the i-th pair.  Of u = 0 the logarithm is a large negative number. */
  void (*logarithms)(double *out, const uint32_t *pairs, ptrdiff_t n, double scale, int fromOne);

  /* x[2 i] and x[2 i + 1] = the pair of normal numbers whose angle comes from pair 2 i and whose
   * radius from pair 2 i + 1; n is even. */
  void (*normalPairs)(double *x, const uint32_t *pairs, ptrdiff_t n);

  /* out[i] = scale * tan(pi * (u - 1/2)) + shift, u in [0, 1) from the i-th pair. */
  void (*tangents)(double *out, const uint32_t *pairs, ptrdiff_t n, double scale, double shift);

  /* Uniform in [a, b): 24 bits of each word, 53 bits of each pair. */
  void (*uniformFloat)(float *out, const uint32_t *words, ptrdiff_t n, float a, float b);
  void (*uniformDouble)(double *out, const uint32_t *pairs, ptrdiff_t n, double a, double b);

  /* Normal numbers from n uniform ones in [0, 1), in place; n is a multiple of 16, in each of which
   * numbers i and i + 8 make a pair. */
  void (*normalFloat)(float *x, ptrdiff_t n, float mean, float stdv);
  void (*normalDouble)(double *x, ptrdiff_t n, double mean, double stdv);
} THRandomKernels;

/* One entry: the level in use. */
extern const THRandomKernels *const THRandom_kernels[];

#endif
