/* Drawing from a generator that is locked already. */
#ifndef TH_RANDOM_DRAW_H
#define TH_RANDOM_DRAW_H

#include <math.h>

#include "THRandomKernels.h"
#include "THKernel.h"

/* Checks that generator, argument number argument of the caller, can be drawn from, and locks it
 * until guard is left.  Memory is allocated before: an allocation may run the program's collector,
 * which may draw too. */
void THRandom_lock(THGuard *guard, THGenerator *generator, int argument);

/* The check alone, for functions that resize a tensor before they draw. */
void THRandom_check(THGenerator *generator, int argument);

/* The next count words, untempered, as the functions of THRandom_kernels take them. */
void THRandom_rawWords(THGenerator *generator, uint32_t *words, ptrdiff_t count);

/* The next count words. */
void THRandom_words(THGenerator *generator, uint32_t *words, ptrdiff_t count);

static inline uint32_t THRandom_word(THGenerator *generator)
{
  if (generator->left == 1) {
    TH_DISPATCHED(THRandom_kernels)->makeBlocks(generator->state, NULL, 1);
    generator->left = _MERSENNE_STATE_N + 1;
    generator->next = 0;
  }
  uint32_t word = (uint32_t)generator->state[generator->next];
  TH_DISPATCHED(THRandom_kernels)->temper(&word, &word, 1);
  generator->left--;
  generator->next++;
  return word;
}

static inline uint64_t THRandom_word64(THGenerator *generator)
{
  const uint64_t high = THRandom_word(generator);
  return high << 32 | THRandom_word(generator);
}

/* A uniform number in [0, 1), of 53 bits. */
static inline double THRandom_unit(THGenerator *generator)
{
  return (double)(int64_t)(THRandom_word64(generator) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

/* A uniform number in [0, 1), from the 32 bits of one word; Torch7 computes uniform and geometric numbers from
 * it. */
static inline double THRandom_wordUnit(THGenerator *generator)
{
  return (double)THRandom_word(generator) * 0x1p-32;
}

/* a + u * (b - a), from halves if b - a overflows; rounded once, as PyTorch's, which Torch7's is
 * not. */
static inline double THRandom_between(double u, double a, double b)
{
  const double width = b - a;
#ifdef TH_COMPAT_TORCH7
  const double sum = u * width + a;
#else
  const double sum = fma(u, width, a);
#endif
  return isinf(width) ? 2 * (u * (b / 2 - a / 2) + a / 2) : sum;
}

/* The next count numbers of THRandom_standardNormal. */
void THRandom_standardNormals(THGenerator *generator, double *x, ptrdiff_t count);

/* A normal number of mean 0 and deviation 1, from the pair that is kept in the generator. */
double THRandom_standardNormal(THGenerator *generator);

/* A gamma number for alpha > 0. */
double THRandom_standardGamma(THGenerator *generator, double alpha);

#endif
