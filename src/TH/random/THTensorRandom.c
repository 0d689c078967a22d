/* Tensors of random integers, and of bernoulli and geometric numbers. */
#include "THTemplate.h"
#include "THKernel.h"

#include "TH/tensor/THConvert.h"
#include "THRandomSource.h"
#include "TH/tensor/THTensorCore.h"

/* --- integers ------------------------------------------------------------------------------- */

/* The base plus the remainder of the next word by the range; of two words, where one is too small.
 * A range of 2^64 takes all bits. */
static void produce_integers(THRandomSource *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(uint32_t, words, 2 * RANDOM_CHUNK);
  const uint64_t range = source->range, mask = range - 1;
  const uint64_t base = range == 0 ? 0 : (uint64_t)source->base;
  if (source->words == 2) {
    THTensor_(drawWords)(source, words, 2 * n);
    for (ptrdiff_t i = 0; i < n; i++) {
      const uint64_t word = (uint64_t)words[2 * i] << 32 | words[2 * i + 1];
      out[i] = (real)(int64_t)(base + (range & mask ? word % range : word & mask));
    }
    return;
  }
  const uint64_t most = range & mask ? UINT32_MAX : mask; /* the largest remainder, or above */
  THTensor_(drawWords)(source, words, n);
  if (range & mask)
    TH_DISPATCHED(THRandom_kernels)->remainders(words, n, (uint32_t)range);
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (real)(int64_t)(base + (words[i] & most));
}

void THTensor_(random)(THTensor *self, THGenerator *_generator)
{
  const int words = COUNTABLE > UINT32_MAX ? 2 : 1;
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){
                        .produce = produce_integers, .words = words, .range = COUNTABLE});
}

void THTensor_(clampedRandom)(THTensor *self, THGenerator *_generator, int64_t min, int64_t max)
{
  THArgCheck(min <= max, 4, "max is %lld, less than min, which is %lld", (long long)max,
             (long long)min);
  enum { WIDE_RANGE = 1 << 28 }; /* from which on two words are drawn, as PyTorch does */
  const uint64_t range = (uint64_t)max - (uint64_t)min + 1;
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){.produce = produce_integers,
                                      .words = range == 0 || range >= WIDE_RANGE ? 2 : 1,
                                      .base = min,
                                      .range = range});
}

void THTensor_(cappedRandom)(THTensor *self, THGenerator *_generator, int64_t max)
{
  THArgCheck(max >= 1, 3, "max is %lld, not >= 1", (long long)max);
  THTensor_(clampedRandom)(self, _generator, 1, max);
}

/* ceil(x) for x >= 0, which without SSE4.1 would be a call. */
static inline double round_up(double x)
{
  const double whole = (x + 0x1p52) - 0x1p52;
  return x >= 0x1p52 ? x : whole + (whole < x);
}

/* Numbers of trials, each the logarithm of a uniform number by that of 1 - p, rounded up.  In
 * Torch7, p is the probability that the trials go on: the logarithm is divided by that of p. */
#ifdef TH_COMPAT_TORCH7
enum { GEOMETRIC_WORDS = 1 }; /* words for each number */
#else
enum { GEOMETRIC_WORDS = 2 };
#endif

static void produce_geometric(THRandomSource *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(THRandomWork, work, 1);
#ifdef TH_COMPAT_TORCH7 /* of 1 - u: if the quotient is an integer, one more */
  THTensor_(drawWords)(source, work->pairs, n);
  for (ptrdiff_t i = 0; i < n; i++)
    work->x[i] = floor(log1p((double)work->pairs[i] * -0x1p-32) * source->a) + 1;
#else
  const uint32_t *pairs = THTensor_(drawRaw)(source, work->pairs, 2 * n);
  TH_DISPATCHED(THRandom_kernels)->logarithms(work->x, pairs, n, source->a, 0);
#endif
  for (ptrdiff_t i = 0; i < n; i++) {
    const double trials = round_up(work->x[i]);
#ifdef REAL_IS_FLOATING
    out[i] = (real)trials;
#else
    out[i] = (real)(int64_t)THMin(trials, 0x1p62);
#endif
  }
}

void THTensor_(geometric)(THTensor *self, THGenerator *_generator, double p)
{
  THArgCheck(p > 0 && p < 1, 3, "p is %g, not between 0 and 1", p);
#ifdef TH_COMPAT_TORCH7
  const double logarithm = log(p);
#else
  const double logarithm = log1p(-p);
#endif
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){.produce = produce_geometric,
                                      .words = GEOMETRIC_WORDS,
                                      .a = 1.0 / logarithm});
}

/* --- bernoulli -------------------------------------------------------------------------------- */

static void produce_bernoulli(THRandomSource *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(uint32_t, pairs, 2 * RANDOM_CHUNK);
#if defined(TH_REAL_IS_FLOAT)
  TH_DISPATCHED(THRandom_kernels)
      ->belowFloat(out, THTensor_(drawRaw)(source, pairs, 2 * n), n, source->threshold);
#else
  TH_SCRATCH(uint8_t, bits, RANDOM_CHUNK);
  TH_DISPATCHED(THRandom_kernels)
      ->below(bits, THTensor_(drawRaw)(source, pairs, 2 * n), n, source->threshold);
  const THRun run = {.rows = 1, .n = n, .at = {(char *)out, (char *)bits}, .stride = {1, 1}};
  TH_DISPATCHED(THTensor_(convert))[THScalarByte](&run, NULL);
#endif
}

void THTensor_(bernoulli)(THTensor *self, THGenerator *_generator, double p)
{
  THArgCheck(p >= 0 && p <= 1, 3, "p is %g, not in [0, 1]", p);
  /* k * 2^-53 < p exactly when the integer k is below this one. */
  const uint64_t threshold = (uint64_t)ceil(p * 0x1p53);
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){
                        .produce = produce_bernoulli, .words = 2, .threshold = threshold});
}

/* Element i of a row of probabilities: of doubles if wide, else of floats. */
static inline double probability(const char *p, ptrdiff_t i, int wide)
{
  return wide ? ((const double *)p)[i] : ((const float *)p)[i];
}

typedef struct Probabilities {
  THGenerator *generator;
  int wide;   /* doubles, each of which takes a pair of words; a float takes one */
  double bad; /* a number that is no probability */
} Probabilities;

static void note_improbable(const THRun *run, const void *context)
{
  Probabilities *all = *(Probabilities *const *)context;
  const ptrdiff_t size = all->wide ? sizeof(double) : sizeof(float);
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const char *row = run->at[1] + j * run->rowStride[1] * size;
      const double p = probability(row, i * run->stride[1], all->wide);
      if (!(p >= 0 && p <= 1))
        all->bad = p;
    }
}

static inline __attribute__((always_inline)) void draw_row(THGenerator *generator, ptrdiff_t n,
                                                           real *r, ptrdiff_t dr, const char *p,
                                                           ptrdiff_t dp, int wide)
{
  TH_SCRATCH(uint32_t, words, 2 * RANDOM_CHUNK);
  for (ptrdiff_t i = 0; i < n;) {
    const ptrdiff_t some = THMin(n - i, RANDOM_CHUNK);
    THRandom_words(generator, words, (1 + wide) * some);
    for (ptrdiff_t k = 0; k < some; k++, i++) {
      const uint32_t *w = words + (1 + wide) * k;
      const double u = wide ? ((double)(w[0] & 0x1fffffu) * 0x1p32 + (double)w[1]) * 0x1p-53
                            : (double)(w[0] & 0xffffffu) * 0x1p-24;
      r[i * dr] = u < probability(p, i * dp, wide);
    }
  }
}

static void draw_rows(const THRun *run, const void *context)
{
  const Probabilities *all = *(Probabilities *const *)context;
  const ptrdiff_t size = all->wide ? sizeof(double) : sizeof(float);
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const char *p = run->at[1] + j * run->rowStride[1] * size;
    if (all->wide)
      draw_row(all->generator, run->n, r, run->stride[0], p, run->stride[1], 1);
    else
      draw_row(all->generator, run->n, r, run->stride[0], p, run->stride[1], 0);
  }
}

/* loop holds self and p.  Returns 0 if p must be copied first. */
static int bernoulli_loop(THLoop *loop, THGenerator *generator, int wide)
{
  Probabilities all = {generator, wide, 0}, *context = &all;
  loop->inOrder = 1;
  THLoop_run(loop, note_improbable, &context);
  THArgCheck(all.bad == 0, 3, "p has the element %g, not in [0, 1]", all.bad);
  if (THLoop_overlap(loop, 0, 1) == TH_OVERLAP_MIXED)
    return 0;
  THGuard guard;
  THRandom_lock(&guard, generator, 2);
  THLoop_run(loop, draw_rows, &context);
  THGuard_leave(&guard);
  return 1;
}

void THTensor_(bernoulli_FloatTensor)(THTensor *self, THGenerator *_generator, THFloatTensor *p)
{
  const ptrdiff_t n = THTensor_(nElement)(self), np = THFloatTensor_nElement(p);
  THArgCheck(np == n, 3, "p has %td elements, self has %td", np, n);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  THLoop_tensor(&loop, p);
  if (bernoulli_loop(&loop, _generator, 0))
    return;
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THFloatTensor_free);
  THFloatTensor *aside = guard.what = THFloatTensor_newClone(p);
  THTensor_(bernoulli_FloatTensor)(self, _generator, aside);
  THGuard_leave(&guard);
}

void THTensor_(bernoulli_DoubleTensor)(THTensor *self, THGenerator *_generator, THDoubleTensor *p)
{
  const ptrdiff_t n = THTensor_(nElement)(self), np = THDoubleTensor_nElement(p);
  THArgCheck(np == n, 3, "p has %td elements, self has %td", np, n);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  THLoop_tensor(&loop, p);
  if (bernoulli_loop(&loop, _generator, 1))
    return;
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THDoubleTensor_free);
  THDoubleTensor *aside = guard.what = THDoubleTensor_newClone(p);
  THTensor_(bernoulli_DoubleTensor)(self, _generator, aside);
  THGuard_leave(&guard);
}

#ifdef REAL_IS_FLOATING
void THTensor_(bernoulli_Tensor)(THTensor *self, THGenerator *_generator, THTensor *p)
{
#if defined(TH_REAL_IS_FLOAT)
  THTensor_(bernoulli_FloatTensor)(self, _generator, p);
#else
  THTensor_(bernoulli_DoubleTensor)(self, _generator, p);
#endif
}
#endif
