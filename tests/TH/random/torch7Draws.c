/* Where random tensors of builds with TH_COMPAT=torch7 differ: each number takes one word, of which
 * it has all 32 bits. */
#include "THTemplate.h"

#include "th_layouts.h"

enum { SEED = 8765 };

static const int64_t sizes[] = {1, 7, 40, 1301, 70001};

static THGenerator *seeded(void)
{
  THGenerator *generator = THGenerator_new();
  THRandom_manualSeed(generator, SEED);
  return generator;
}

/* All elements, drawn from one generator, are those that the next words of another one make. */
static void check_words(void (*draw)(THTensor *self, THGenerator *generator),
                        double (*make)(double unit))
{
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int layout = 0; layout < TH_ONE; layout++) {
      if (!th_layout_is_writable(layout))
        continue;
      th_note("%d elements, %s", (int)sizes[k], th_layout_names[layout]);
      THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(sizes[k]));
      real *before = THTest_(storageValues)(t);
      THGenerator *generator = seeded(), *other = seeded();
      draw(t, generator);
      for (ptrdiff_t i = 0; i < sizes[k]; i++) {
        const real want = (real)make((double)THRandom_random(other) / 4294967296.0);
        if (*THTest_(at)(t, i) != want)
          CHECK_EQ(*THTest_(at)(t, i), want);
      }
      CHECK_EQ(THRandom_random(generator), THRandom_random(other));
      CHECK_OUTSIDE(t, before);
      THGenerator_free(generator);
      THGenerator_free(other);
      free(before);
      THTensor_(free)(t);
    }
}

/* The least n >= 1 with 1 - p^n above unit: p is the probability that the trials go on. */
static double make_geometric(double unit)
{
  double n = 1;
  for (double power = 0.8; 1 - power <= unit; power *= 0.8)
    n++;
  return n;
}

static void draw_geometric(THTensor *self, THGenerator *generator)
{
  THTensor_(geometric)(self, generator, 0.8);
}

static void THTest_(geometricOfTorch7)(void)
{
  check_words(draw_geometric, make_geometric);
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

static double make_uniform(double unit)
{
  return unit * 4.0 - 1.3;
}

static void draw_uniform(THTensor *self, THGenerator *generator)
{
  THTensor_(uniform)(self, generator, -1.3, 2.7);
}

static void THTest_(uniformOfTorch7)(void)
{
  check_words(draw_uniform, make_uniform);
}

TH_TESTS(THTest_(geometricOfTorch7), THTest_(uniformOfTorch7))
#else
TH_TESTS(THTest_(geometricOfTorch7))
#endif
