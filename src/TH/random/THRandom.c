/* Numbers, one at a time, and the draws that all distributions are made of. */
#include "THRandomDraw.h"
#include "THKernel.h"

/* --- draws from a locked generator ---------------------------------------------------------- */

void THRandom_rawWords(THGenerator *generator, uint32_t *words, ptrdiff_t count)
{
  enum { N = _MERSENNE_STATE_N };
  while (count > 0) {
    if (generator->left == 1 && count >= N) { /* whole blocks */
      const ptrdiff_t blocks = count / N;
      TH_DISPATCHED(THRandom_kernels)->makeBlocks(generator->state, words, blocks);
      generator->next = N;
      words += blocks * N;
      count -= blocks * N;
      continue;
    }
    if (generator->left == 1) {
      TH_DISPATCHED(THRandom_kernels)->makeBlocks(generator->state, NULL, 1);
      generator->left = N + 1;
      generator->next = 0;
    }
    const ptrdiff_t some = THMin(count, generator->left - 1);
    for (ptrdiff_t i = 0; i < some; i++)
      words[i] = (uint32_t)generator->state[generator->next + (uint64_t)i];
    generator->left -= (int)some;
    generator->next += (uint64_t)some;
    words += some;
    count -= some;
  }
}

void THRandom_words(THGenerator *generator, uint32_t *words, ptrdiff_t count)
{
  THRandom_rawWords(generator, words, count);
  TH_DISPATCHED(THRandom_kernels)->temper(words, words, count);
}

/* The pair's first number is the cosine's, its second one the sine's. */
double THRandom_standardNormal(THGenerator *generator)
{
  if (generator->normal_is_valid) {
    generator->normal_is_valid = 0;
    return generator->normal_rho * sin(2.0 * M_PI * generator->normal_x);
  }
  generator->normal_x = THRandom_unit(generator);
  generator->normal_y = THRandom_unit(generator);
  generator->normal_rho = sqrt(-2.0 * log1p(-generator->normal_y));
  generator->normal_is_valid = 1;
  return generator->normal_rho * cos(2.0 * M_PI * generator->normal_x);
}

void THRandom_standardNormals(THGenerator *generator, double *x, ptrdiff_t count)
{
  enum { BLOCK = 256 };
  uint32_t pairs[2 * BLOCK];
  if (count > 0 && generator->normal_is_valid) {
    *x++ = THRandom_standardNormal(generator);
    count--;
  }
  while (count > 1) {
    const ptrdiff_t some = THMin(count & -2, BLOCK);
    THRandom_rawWords(generator, pairs, 2 * some);
    TH_DISPATCHED(THRandom_kernels)->normalPairs(x, pairs, some);
    x += some;
    count -= some;
  }
  if (count > 0)
    *x = THRandom_standardNormal(generator);
}

#define TH_GAMMA        static
#define TH_GAMMA_SOURCE THGenerator
#define TH_GAMMA_UNIT   THRandom_unit
#define TH_GAMMA_NORMAL THRandom_standardNormal
#include "THGammaDraw.h"

double THRandom_standardGamma(THGenerator *generator, double alpha)
{
  return TH_drawGamma(generator, alpha);
}

/* --- the public functions: lock, draw, unlock ----------------------------------------------- */

/* Defines a function that returns VALUE, computed while _generator is locked. */
#define DRAW(TYPE, VALUE)               \
  THGuard guard;                        \
  THRandom_lock(&guard, _generator, 1); \
  const TYPE value_ = (VALUE);          \
  THGuard_leave(&guard);                \
  return value_

uint64_t THRandom_random(THGenerator *_generator)
{
  DRAW(uint64_t, THRandom_word(_generator));
}

uint64_t THRandom_random64(THGenerator *_generator)
{
  DRAW(uint64_t, THRandom_word64(_generator));
}

double THRandom_standard_uniform(THGenerator *_generator)
{
  DRAW(double, THRandom_unit(_generator));
}

double THRandom_uniform(THGenerator *_generator, double a, double b)
{
#ifdef TH_COMPAT_TORCH7
  DRAW(double, THRandom_between(THRandom_wordUnit(_generator), a, b));
#else
  DRAW(double, THRandom_between(THRandom_unit(_generator), a, b));
#endif
}

/* A uniform number in [0, 1), of 24 bits. */
static float unit24(THGenerator *generator)
{
  return (float)(THRandom_word(generator) & 0xffffffu) * 0x1p-24f;
}

float THRandom_uniformFloat(THGenerator *_generator, float a, float b)
{
  const float width = b - a;
  const int wide = isinf(width); /* for a float */
  DRAW(float, wide ? (float)THRandom_between(unit24(_generator), a, b)
                   : fmaf(unit24(_generator), width, a));
}

double THRandom_normal(THGenerator *_generator, double mean, double stdv)
{
  THArgCheck(stdv > 0, 3, "stdv is %g, not > 0", stdv);
  DRAW(double, THRandom_standardNormal(_generator) * stdv + mean);
}

double THRandom_exponential(THGenerator *_generator, double lambda)
{
  THArgCheck(lambda > 0, 2, "lambda is %g, not > 0", lambda);
  DRAW(double, -1.0 / lambda * log1p(-THRandom_unit(_generator)));
}

double THRandom_standard_gamma(THGenerator *_generator, double alpha)
{
  THArgCheck(alpha > 0 && isfinite(alpha), 2, "alpha is %g, not > 0 and finite", alpha);
  DRAW(double, THRandom_standardGamma(_generator, alpha));
}

double THRandom_cauchy(THGenerator *_generator, double median, double sigma)
{
  THArgCheck(sigma > 0, 3, "sigma is %g, not > 0", sigma);
  DRAW(double, median + sigma * tan(M_PI * (THRandom_unit(_generator) - 0.5)));
}

double THRandom_logNormal(THGenerator *_generator, double mean, double stdv)
{
  THArgCheck(stdv > 0, 3, "stdv is %g, not > 0", stdv);
  DRAW(double, exp(THRandom_standardNormal(_generator) * stdv + mean));
}

int THRandom_geometric(THGenerator *_generator, double p)
{
  THArgCheck(p > 0 && p < 1, 2, "p is %g, not between 0 and 1", p);
  THGuard guard;
  THRandom_lock(&guard, _generator, 1);
#ifdef TH_COMPAT_TORCH7
  const double trials = floor(log1p(-THRandom_wordUnit(_generator)) / log(p)) + 1;
#else
  const double trials = ceil(log(THRandom_unit(_generator)) / log1p(-p));
#endif
  THGuard_leave(&guard);
  return trials < INT_MAX ? (int)trials : INT_MAX;
}

int THRandom_bernoulli(THGenerator *_generator, double p)
{
  THArgCheck(p >= 0 && p <= 1, 2, "p is %g, not in [0, 1]", p);
  DRAW(int, THRandom_unit(_generator) < p);
}
