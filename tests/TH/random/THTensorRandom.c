/* Random tensors: PyTorch's values in every layout, moments, overlap, errors. */
#include "THTemplate.h"

#include "th_golden.h"
#include "th_layouts.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define REAL_IS_FLOATING
#endif

enum { SEED = 8765 }; /* of tests/oracle/random_streams.py */

static const int64_t sizes[] = {1, 7, 15, 16, 17, 40, 1301};

/* A generator at the start of the golden stream. */
static THGenerator *seeded(void)
{
  THGenerator *generator = THGenerator_new();
  THRandom_manualSeed(generator, SEED);
  return generator;
}

/* --- golden values in every layout ------------------------------------------------------------ */

typedef void (*Draw)(THTensor *self, THGenerator *generator);

/* The last values of self, in row-major order, are those of the entry. */
static void check_tail(THTensor *self, const THGolden *want, double tolerance)
{
  const ptrdiff_t skipped = THTest_(count)(self) - want->count;
  for (ptrdiff_t i = 0; i < want->count; i++) {
    const real got = *THTest_(at)(self, skipped + i);
    const double expected = th_golden_number(want, i);
    if (want->type != THScalarFloat && want->type != THScalarDouble)
      CHECK_EQ(got, (real)want->values[i].integer);
    else if (tolerance == 0)
      CHECK_EQ(got, (real)expected);
    else
      CHECK_NEAR(got, expected, tolerance * fmax(1, fabs(expected)));
  }
}

static void check_golden(const char *name, Draw draw, double tolerance)
{
  THGoldenFile *file = th_golden_open("random_streams.txt");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int layout = 0; layout < TH_ONE; layout++) {
      if (!th_layout_is_writable(layout))
        continue;
      th_note("%s, %d elements, %s", name, (int)sizes[k], th_layout_names[layout]);
      const THGolden *want = th_golden(file, "%s/%s/%d", TH_STRING_OF(Real), name, (int)sizes[k]);
      THTensor *t = sizes[k] == 40 ? THTest_(tensor)(layout, 3, TH_SHAPE(2, 4, 5))
                                   : THTest_(tensor)(layout, 3, TH_SHAPE(sizes[k]));
      real *before = THTest_(storageValues)(t);
      THGenerator *generator = seeded();
      draw(t, generator);
      check_tail(t, want, tolerance);
      CHECK_OUTSIDE(t, before);
      THGenerator_free(generator);
      free(before);
      THTensor_(free)(t);
    }
  th_golden_close(file);
}

static void draw_clamped(THTensor *self, THGenerator *generator)
{
  THTensor_(clampedRandom)(self, generator, 3, 100);
}

/* One trial in five ends them: in Torch7, p is the probability that it does not. */
#ifdef TH_COMPAT_TORCH7
static const double geometricP = 0.8;
#else
static const double geometricP = 0.2;
#endif

static void draw_geometric(THTensor *self, THGenerator *generator)
{
  THTensor_(geometric)(self, generator, geometricP);
}

static void draw_bernoulli(THTensor *self, THGenerator *generator)
{
  THTensor_(bernoulli)(self, generator, 0.3);
}

static void draw_bernoulliFloat(THTensor *self, THGenerator *generator)
{
  THFloatTensor *p = THFloatTensor_newWithSize1d(THTensor_(nElement)(self));
  for (int64_t i = 0; i < p->size[0]; i++)
    THFloatTensor_set1d(p, i, (float)(i % 7 + 1) / 8);
  THTensor_(bernoulli_FloatTensor)(self, generator, p);
  THFloatTensor_free(p);
}

/* The probabilities are every third element of a tensor. */
static void draw_bernoulliDouble(THTensor *self, THGenerator *generator)
{
  THDoubleTensor *wide = THDoubleTensor_newWithSize2d(THTensor_(nElement)(self), 3);
  for (int64_t i = 0; i < wide->size[0] * 3; i++)
    wide->storage->data[i] = i % 3 == 1 ? (double)(i / 3 % 7 + 1) / 8 : 17;
  THDoubleTensor *p = THDoubleTensor_newNarrow(wide, 1, 1, 1);
  THTensor_(bernoulli_DoubleTensor)(self, generator, p);
  THDoubleTensor_free(p);
  THDoubleTensor_free(wide);
}

static void THTest_(golden)(void)
{
  check_golden("random", THTensor_(random), 0);
  check_golden("clamped", draw_clamped, 0);
#ifndef TH_COMPAT_TORCH7 /* torch7Draws.c has the others */
  check_golden("geometric", draw_geometric, 0);
#endif
  check_golden("bernoulli", draw_bernoulli, 0);
  check_golden("bernoulliFloat", draw_bernoulliFloat, 0);
  check_golden("bernoulliDouble", draw_bernoulliDouble, 0);
}

/* --- integers against the words themselves -------------------------------------------------- */

static void check_range(int64_t min, int64_t max)
{
  const uint64_t range = (uint64_t)max - (uint64_t)min + 1;
  THGenerator *generator = seeded(), *words = seeded();
  THTensor *t = THTensor_(newWithSize1d)(200);
  th_note("%lld ... %lld", (long long)min, (long long)max);
  if (min == 1)
    THTensor_(cappedRandom)(t, generator, max);
  else
    THTensor_(clampedRandom)(t, generator, min, max);
  for (int64_t i = 0; i < 200; i++) {
    const uint64_t word =
        range == 0 || range >> 28 ? THRandom_random64(words) : THRandom_random(words);
    const int64_t value = (int64_t)(range ? (uint64_t)min + word % range : word);
    CHECK_EQ(THTensor_(get1d)(t, i), (real)value);
  }
  THTensor_(free)(t);
  THGenerator_free(words);
  THGenerator_free(generator);
}

static void THTest_(ranges)(void)
{
  check_range(1, 1);
  check_range(1, 6);
  check_range(1, 64);
  check_range(-5, 5);
  check_range(0, 127);
#if defined(TH_REAL_IS_INT) || defined(TH_REAL_IS_LONG) || defined(REAL_IS_FLOATING)
  check_range(0, (1 << 28) - 2);
  check_range(0, (1 << 28) - 1);
  check_range(INT32_MIN, INT32_MAX);
#endif
#if defined(TH_REAL_IS_LONG) || defined(REAL_IS_FLOATING)
  check_range(0, UINT32_MAX - 1);
  check_range(0, UINT32_MAX);
  check_range(-7, INT64_C(1) << 40);
  check_range(0, INT64_MAX);
  check_range(1, INT64_MAX);
  check_range(INT64_MIN, -1);
  check_range(INT64_MIN, INT64_MAX);
#endif
}

/* --- permutations --------------------------------------------------------------------------- */

/* Each number is exchanged with one of those from it on, which the next word tells. */
static void check_permutation(THTensor *t, THGenerator *generator, int64_t n)
{
  THGenerator *same = THGenerator_copy(THGenerator_new(), generator);
  int64_t *order = malloc((size_t)n * sizeof *order);
  for (int64_t i = 0; i < n; i++)
    order[i] = i;
  for (int64_t i = 0; i + 1 < n; i++) {
    const int64_t k = i + (int64_t)(THRandom_random(same) % (uint64_t)(n - i)), kept = order[i];
    order[i] = order[k];
    order[k] = kept;
  }
  THTensor_(randperm)(t, generator, n);
  for (int64_t i = 0; i < n; i++)
    CHECK_EQ((int64_t)THTensor_(get1d)(t, i), order[i]);
  CHECK_EQ(THRandom_random(generator), THRandom_random(same));
  free(order);
  THGenerator_free(same);
}

#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR) && !defined(TH_REAL_IS_SHORT)
static void THTest_(longPermutations)(THTensor *t, THGenerator *generator)
{
  /* So long that a second thread is worth its while. */
  const int threads = THGetNumThreads();
  for (int n = 1; n <= 3; n++)
    for (int layout = 0; layout < TH_ONE; layout++) {
      if (!th_layout_is_writable(layout))
        continue;
      th_note("%s, %d threads", th_layout_names[layout], n);
      THTensor *large = THTest_(tensor)(layout, 3, TH_SHAPE(50021));
      THSetNumThreads(n);
      check_permutation(large, generator, 50021);
      THSetNumThreads(threads);
      THTensor_(free)(large);
    }
  /* And so long that the room for partners is used again. */
  for (int n = 1; n <= 2; n++) {
    th_note("%d threads", n);
    THSetNumThreads(n);
    check_permutation(t, generator, 400009);
    THSetNumThreads(threads);
  }
}
#endif

static void THTest_(permutation)(void)
{
  THGoldenFile *file = th_golden_open("random_streams.txt");
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(101));
    THGenerator *generator = seeded();
    THTensor_(randperm)(t, generator, 101);
    CHECK_EQ(t->nDimension, 1);
    CHECK_EQ(t->size[0], 101);
    if (layout != TH_EXPANDED && layout != TH_EXPANDED_LAST)
      check_tail(t, th_golden(file, "%s/randperm", TH_STRING_OF(Real)), 0);
    THGenerator_free(generator);
    THTensor_(free)(t);
  }
  th_golden_close(file);

  THTensor *t = THTensor_(new)();
  THGenerator *generator = seeded();
  THTensor_(randperm)(t, generator, 1);
  CHECK_EQ(THTensor_(get1d)(t, 0), (real)0);
  CHECK_RAISES(3, "n is 0", THTensor_(randperm)(t, generator, 0));
  CHECK_RAISES(3, "n is -4", THTensor_(randperm)(t, generator, -4));
#if defined(TH_REAL_IS_BYTE)
  THTensor_(randperm)(t, generator, 256);
  CHECK_RAISES(3, "n is 257, not in 1 ... 256", THTensor_(randperm)(t, generator, 257));
#elif defined(TH_REAL_IS_CHAR)
  CHECK_RAISES(3, "n is 129, not in 1 ... 128", THTensor_(randperm)(t, generator, 129));
#elif defined(TH_REAL_IS_FLOAT)
  CHECK_RAISES(3, "n is 16777218", THTensor_(randperm)(t, generator, 16777218));
#endif
  /* Longer than a chunk of words, if the type counts so far. */
#if defined(TH_REAL_IS_BYTE)
  check_permutation(t, generator, 256);
#elif defined(TH_REAL_IS_CHAR)
  check_permutation(t, generator, 128);
#else
  check_permutation(t, generator, 3001);
#endif
#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR) && !defined(TH_REAL_IS_SHORT)
  THTest_(longPermutations)(t, generator);
#endif
  THGenerator_free(generator);
  THTensor_(free)(t);
}

/* --- errors leave everything as it was ------------------------------------------------------ */

#define CHECK_REFUSED(ARGUMENT, PART, STATEMENT)                       \
  do {                                                                 \
    THGenerator kept_;                                                 \
    THGenerator_copy(&kept_, generator);                               \
    real *before_ = THTest_(storageValues)(t);                         \
    CHECK_RAISES(ARGUMENT, PART, STATEMENT);                           \
    CHECK(!memcmp(&kept_, generator, sizeof kept_));                   \
    CHECK(!memcmp(before_, t->storage->data, 7 * sizeof *before_));    \
    CHECK(t->nDimension == 1 && t->size[0] == 7 && t->stride[0] == 1); \
    free(before_);                                                     \
  } while (0)

/* Probabilities as tensors. */
static void THTest_(wrongProbabilities)(THTensor *t, THGenerator *generator)
{
  THFloatTensor *f = THFloatTensor_newWithSize1d(7);
  THDoubleTensor *d = THDoubleTensor_newWithSize1d(7);
  for (int i = 0; i < 7; i++) {
    THFloatTensor_set1d(f, i, i == 6 ? 1.5f : 0.5f);
    THDoubleTensor_set1d(d, i, i == 6 ? NAN : 0.5);
  }
  CHECK_REFUSED(3, "element 1.5", THTensor_(bernoulli_FloatTensor)(t, generator, f));
  CHECK_REFUSED(3, "nan", THTensor_(bernoulli_DoubleTensor)(t, generator, d));
  THFloatTensor_resize1d(f, 6);
  THDoubleTensor_resize1d(d, 8);
  CHECK_REFUSED(3, "p has 6 elements, self has 7",
                THTensor_(bernoulli_FloatTensor)(t, generator, f));
  CHECK_REFUSED(3, "p has 8 elements, self has 7",
                THTensor_(bernoulli_DoubleTensor)(t, generator, d));
  THFloatTensor_free(f);
  THDoubleTensor_free(d);
}

static void THTest_(errors)(void)
{
  THGenerator *generator = seeded();
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(7));
  THRandom_normal(generator, 0, 1);

  CHECK_REFUSED(4, "max is 2, less than min, which is 3",
                THTensor_(clampedRandom)(t, generator, 3, 2));
  CHECK_REFUSED(3, "max is 0", THTensor_(cappedRandom)(t, generator, 0));
  CHECK_REFUSED(3, "p is 0", THTensor_(geometric)(t, generator, 0));
  CHECK_REFUSED(3, "p is 1", THTensor_(geometric)(t, generator, 1));
  CHECK_REFUSED(3, "nan", THTensor_(geometric)(t, generator, NAN));
  CHECK_REFUSED(3, "p is -0.1", THTensor_(bernoulli)(t, generator, -0.1));
  CHECK_REFUSED(3, "p is 1.1", THTensor_(bernoulli)(t, generator, 1.1));
  CHECK_REFUSED(3, "nan", THTensor_(bernoulli)(t, generator, NAN));

  THTest_(wrongProbabilities)(t, generator);
#ifdef REAL_IS_FLOATING
  THTensor *s = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 3)), *six = s;
  THTensor_(set2d)(s, 1, 2, -1);
  CHECK_REFUSED(3, "p has 6 elements", THTensor_(bernoulli_Tensor)(t, generator, s));
  CHECK_REFUSED(4, "stdv is 0", THTensor_(normal)(t, generator, 0, 0));
  CHECK_REFUSED(4, "stdv is -2", THTensor_(normal)(t, generator, 0, -2));
  CHECK_REFUSED(4, "nan", THTensor_(normal)(t, generator, 0, NAN));
  CHECK_REFUSED(4, "stddev is 0", THTensor_(normal_means)(t, generator, six, 0));
  CHECK_REFUSED(4, "element", THTensor_(normal_stddevs)(t, generator, 0, s));
  CHECK_REFUSED(4, "element", THTensor_(normal_means_stddevs)(t, generator, s, s));
  CHECK_REFUSED(4, "stddevs has 7 elements, means has 6",
                THTensor_(normal_means_stddevs)(t, generator, s, t));
  CHECK_REFUSED(3, "lambda is 0", THTensor_(exponential)(t, generator, 0));
  CHECK_REFUSED(4, "sigma is -1", THTensor_(cauchy)(t, generator, 0, -1));
  CHECK_REFUSED(4, "stdv is 0", THTensor_(logNormal)(t, generator, 0, 0));
  CHECK_REFUSED(3, "alpha has the element", THTensor_(standard_gamma)(t, generator, s));
  CHECK_REFUSED(3, "size is NULL", THTensor_(rand)(t, generator, NULL));
  CHECK_REFUSED(3, "size is NULL", THTensor_(randn)(t, generator, NULL));
  THTensor_(free)(s);
#endif

  THGenerator unseeded = {0};
  CHECK_RAISES(2, "not valid", THTensor_(random)(t, &unseeded));
  CHECK_RAISES(2, "NULL", THTensor_(random)(t, NULL));
  CHECK_RAISES(2, "not valid", THTensor_(randperm)(t, &unseeded, 9));
  CHECK_EQ(t->size[0], 7);
  THTensor_(free)(t);
  THGenerator_free(generator);
}

/* Of elements that share memory each takes its draws; an empty tensor takes none. */
static void THTest_(outputs)(void)
{
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    const int good = th_layout_is_writable(layout);
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(3, 4));
    THFloatTensor *p = THFloatTensor_newWithSize1d(12);
    for (int i = 0; i < 12; i++)
      THFloatTensor_set1d(p, i, 0.5f);
    THGenerator *generator = seeded();
    THGenerator start = *generator;
    if (!good) {
      THTensor *apart = THTensor_(newWithSize2d)(3, 4);
      THTensor_(bernoulli_FloatTensor)(apart, generator, p);
      THTensor_(bernoulli_FloatTensor)(t, &start, p);
      CHECK_EQ(*THTest_(at)(t, 11), *THTest_(at)(apart, 11));
      CHECK(!memcmp(&start, generator, sizeof start));
      THTensor_(free)(apart);
    }
    if (layout == TH_EMPTY) {
      THTensor_(random)(t, generator);
      CHECK(!memcmp(&start, generator, sizeof start));
    }
    THGenerator_free(generator);
    THFloatTensor_free(p);
    THTensor_(free)(t);
  }
}

#ifdef REAL_IS_FLOATING

/* --- floating types ------------------------------------------------------------------------- */

static void draw_uniform(THTensor *self, THGenerator *generator)
{
  THTensor_(uniform)(self, generator, -1.3, 2.7);
}

static void draw_normal(THTensor *self, THGenerator *generator)
{
  THTensor_(normal)(self, generator, 0.5, 0.7);
}

static void draw_exponential(THTensor *self, THGenerator *generator)
{
  THTensor_(exponential)(self, generator, 1.7);
}

static void draw_cauchy(THTensor *self, THGenerator *generator)
{
  THTensor_(cauchy)(self, generator, 0.5, 1.7);
}

static void draw_logNormal(THTensor *self, THGenerator *generator)
{
  THTensor_(logNormal)(self, generator, 0.5, 0.7);
}

#if defined(TH_REAL_IS_FLOAT)
static const double tolerance = 1e-6, exact = 1.3e-7; /* exact: but for the last bit */
#else
static const double tolerance = 1e-14, exact = 1e-14;
#endif

static void THTest_(goldenFloat)(void)
{
#ifndef TH_COMPAT_TORCH7
  check_golden("uniform", draw_uniform, 0);
#endif
  check_golden("normal", draw_normal, tolerance);
  check_golden("exponential", draw_exponential, exact);
  check_golden("cauchy", draw_cauchy, tolerance);
  check_golden("logNormal", draw_logNormal, exact);
}

/* rand and randn take the shape they are told. */
static void THTest_(randShape)(void)
{
  THLongStorage *size = THLongStorage_newWithSize2(5, 8);
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(3, 4)), *u = THTensor_(new)();
  THGenerator *generator = seeded(), *again = seeded();
  THTensor_(rand)(t, generator, size);
  THTensor_(resize1d)(u, 40);
  THTensor_(uniform)(u, again, 0, 1);
  CHECK(t->nDimension == 2 && t->size[0] == 5 && t->size[1] == 8);
  for (ptrdiff_t i = 0; i < 40; i++)
    CHECK_EQ(*THTest_(at)(t, i), THTensor_(get1d)(u, i));
  THTensor_(randn)(u, generator, size);
  THTensor_(normal)(t, again, 0, 1);
  CHECK(u->nDimension == 2 && u->size[0] == 5 && u->size[1] == 8);
  for (ptrdiff_t i = 0; i < 40; i++)
    CHECK_EQ(*THTest_(at)(t, i), *THTest_(at)(u, i));
  THGenerator unseeded = {0};
  THLongStorage_resize(size, 1);
  CHECK_RAISES(2, "not valid", THTensor_(rand)(t, &unseeded, size));
  CHECK_RAISES(2, "not valid", THTensor_(randn)(t, &unseeded, size));
  CHECK_EQ(t->nDimension, 2);
  THGenerator_free(again);
  THGenerator_free(generator);
  THTensor_(free)(u);
  THTensor_(free)(t);
  THLongStorage_free(size);
}

/* Means and deviations as the oracle has them, in a tensor of that layout and n elements. */
static THTensor *affine_operand(int layout, int n, int stddevs)
{
  THTensor *t = n == 40 ? THTest_(tensor)(layout, 3, TH_SHAPE(2, 4, 5))
                        : THTest_(tensor)(layout, 3, TH_SHAPE(n));
  for (ptrdiff_t i = 0; i < n; i++)
    *THTest_(at)(t, i) = (real)(stddevs ? (double)i / 8 : (double)i / 4 - 3);
  return t;
}

static void THTest_(affine)(void)
{
  THGoldenFile *file = th_golden_open("random_streams.txt");
  const char *names[] = {"normal_means", "normal_stddevs", "normal_means_stddevs"};
  for (int n = 7; n <= 40; n += 33)
    for (int layout = 0; layout < TH_ONE; layout++)
      for (int kind = 0; kind < 3; kind++)
        for (int alias = 0; alias < 4;
             alias++) { /* 1: self is means, 2: stddevs, 3: an own shape */
          if (!th_layout_is_writable(layout))
            continue;
          th_note("%s, %d elements, %s, alias %d", names[kind], n, th_layout_names[layout], alias);
          THTensor *means = affine_operand(layout, n, 0), *stddevs = affine_operand(layout, n, 1);
          THTensor *like = kind == 1 ? stddevs : means;
          THTensor *self = THTensor_(new)();
          if (alias == 1 || alias == 2) {
            THTensor_(free)(self);
            self = alias == 1 ? means : stddevs;
            THTensor_(retain)(self);
          } else if (alias == 3) {
            THTensor_(resizeAs)(self, like);
            THTensor_(transpose)(self, NULL, 0, self->nDimension - 1);
          }
          THGenerator *generator = seeded();
          if (kind == 0)
            THTensor_(normal_means)(self, generator, means, 0.7);
          else if (kind == 1)
            THTensor_(normal_stddevs)(self, generator, 0.5, stddevs);
          else
            THTensor_(normal_means_stddevs)(self, generator, means, stddevs);
          CHECK(THTensor_(isSameSizeAs)(self, like));
          check_tail(self, th_golden(file, "%s/%s/%d", TH_STRING_OF(Real), names[kind], n),
                     4 * tolerance);
          THGenerator_free(generator);
          THTensor_(free)(self);
          THTensor_(free)(stddevs);
          THTensor_(free)(means);
        }
  th_golden_close(file);
}

/* Operands that overlap the result in another way are read as they were before. */
static void THTest_(overlap)(void)
{
  for (int kind = 0; kind < 3; kind++) {
    real expected[20];
    for (int shared = 0; shared < 2; shared++) {
      THTensor *all = THTensor_(newWithSize1d)(30);
      for (int i = 0; i < 30; i++)
        THTensor_(set1d)(all, i, (real)(i % 9 + 1) / 10);
      THTensor *operand = THTensor_(newNarrow)(all, 0, 3, 20);
      THTensor *self = shared ? THTensor_(newNarrow)(all, 0, 0, 20) : THTensor_(newWithSize1d)(20);
      THGenerator *generator = seeded();
      if (kind == 0)
        THTensor_(bernoulli_Tensor)(self, generator, operand);
      else if (kind == 1)
        THTensor_(normal_means_stddevs)(self, generator, operand, operand);
      else
        THTensor_(standard_gamma)(self, generator, operand);
      for (int i = 0; i < 20; i++) {
        if (shared)
          CHECK_EQ(THTensor_(get1d)(self, i), expected[i]);
        expected[i] = THTensor_(get1d)(self, i);
      }
      if (kind == 0 && !shared) { /* and in place */
        THTensor_(bernoulli_Tensor)(operand, (THRandom_manualSeed(generator, SEED), generator),
                                    operand);
        for (int i = 0; i < 20; i++)
          CHECK_EQ(THTensor_(get1d)(operand, i), expected[i]);
      }
      THGenerator_free(generator);
      THTensor_(free)(self);
      THTensor_(free)(operand);
      THTensor_(free)(all);
    }
  }
}

static void THTest_(gamma)(void)
{
  static const double alphas[] = {1e-3, 0.1, 0.5, 0.99, 1, 1.01, 2, 7.5, 100, 1e6};
  THGoldenFile *file = th_golden_open("random_streams.txt");
  const THGolden *want = th_golden(file, "%s/standard_gamma", TH_STRING_OF(Real));
  for (int layout = 0; layout < TH_ONE; layout++) {
    if (!th_layout_is_writable(layout))
      continue;
    for (int alias = 0; alias < 2; alias++) {
      th_note("%s, alias %d", th_layout_names[layout], alias);
      THTensor *alpha = THTest_(tensor)(layout, 3, TH_SHAPE(10, 10));
      for (int i = 0; i < 100; i++)
        *THTest_(at)(alpha, i) = (real)alphas[i % 10];
      THTensor *self = THTensor_(new)();
      if (alias) {
        THTensor_(free)(self);
        THTensor_(retain)(self = alpha);
      }
      THGenerator *generator = seeded();
      THTensor_(standard_gamma)(self, generator, alpha);
      CHECK(THTensor_(isSameSizeAs)(self, alpha));
      for (int i = 0; i < 100; i++)
        /* PyTorch computes with a third that is rounded to float, also for doubles. */
        CHECK_CLOSE(*THTest_(at)(self, i), th_golden_number(want, i), 1e-6);
      THGenerator_free(generator);
      THTensor_(free)(self);
      THTensor_(free)(alpha);
    }
  }
  th_golden_close(file);
}

/* --- moments -------------------------------------------------------------------------------- */

/* The mean of 40,000 draws and that of their squares, within five standard errors. */
static void check_moments(const char *name, Draw draw, double mean, double variance, double fourth)
{
  enum { N = 40000 };
  THTensor *t = THTensor_(newWithSize2d)(N / 50, 50);
  THTensor_(transpose)(t, NULL, 0, 1);
  THGenerator *generator = seeded();
  draw(t, generator);
  double sum = 0, squares = 0, lag = 0;
  const real *x = t->storage->data;
  for (int i = 0; i < N; i++) {
    const double v = (double)*THTest_(at)(t, i) - mean;
    sum += v;
    squares += v * v;
    if (i > 0)
      lag += v * ((double)*THTest_(at)(t, i - 1) - mean);
  }
  th_note("%s, first %g", name, (double)x[0]);
  CHECK_NEAR(sum / N, 0.0, 5 * sqrt(variance / N));
  CHECK_NEAR(squares / N, variance, 5 * sqrt((fourth - variance * variance) / N));
  CHECK_NEAR(lag / N, 0.0, 5 * variance / sqrt(N)); /* neighbours are independent */
  THGenerator_free(generator);
  THTensor_(free)(t);
}

static void draw_gamma(THTensor *self, THGenerator *generator)
{
  THTensor *alpha = THTensor_(newWithSize1d)(1);
  THTensor_(set1d)(alpha, 0, 3);
  THLongStorage *size = THTensor_(newSizeOf)(self);
  THTensor *many = THTensor_(new)();
  THTensor_(unsqueeze1d)(many, alpha, 0);
  THTensor_(expand)(many, many, size);
  THTensor_(standard_gamma)(self, generator, many);
  THTensor_(free)(many);
  THLongStorage_free(size);
  THTensor_(free)(alpha);
}

static void THTest_(moments)(void)
{
  const double width = 4, l = 1.7, v = 0.49, p = 0.2;
  check_moments("uniform", draw_uniform, 0.7, width * width / 12, pow(width, 4) / 80);
  check_moments("normal", draw_normal, 0.5, v, 3 * v * v);
  check_moments("exponential", draw_exponential, 1 / l, 1 / (l * l), 9 / pow(l, 4));
  check_moments("gamma", draw_gamma, 3, 3, 3 * 3 * 3 + 6 * 3);
  const double e = exp(v), var = (e - 1) * exp(1 + v);
  check_moments("logNormal", draw_logNormal, exp(0.5 + v / 2), var,
                var * var * (pow(e, 4) + 2 * pow(e, 3) + 3 * e * e - 3));
  const double q = 1 - p, g = q / (p * p);
  check_moments("geometric", draw_geometric, 1 / p, g, g * g * (9 + p * p / q));
  check_moments("bernoulli", draw_bernoulli, 0.3, 0.21, 0.21 * (1 - 3 * 0.21));
}

#endif

/* --- large tensors, whose numbers are drawn in turns ---------------------------------------- */

/* Numbers drawn from one generator at once are those that come one after the other, in rows that
 * are no row in memory; so are those that come next. */
static void check_turns(const char *name, Draw draw, ptrdiff_t n)
{
  THTensor *wide = THTensor_(newWithSize2d)(n, 2), *apart = THTensor_(newNarrow)(wide, 1, 1, 1);
  THTensor *all = THTensor_(newWithSize1d)(n + 1), *row = THTensor_(newNarrow)(all, 0, 1, n);
  THGenerator *one = seeded(), *other = seeded();
  const int threads = THGetNumThreads();
  for (int t = 1; t <= 4; t++) {
    th_note("%s, %td numbers, %d threads", name, n, t);
    THRandom_random(one); /* turns do not begin with a block of words */
    THRandom_random(other);
    THSetNumThreads(1);
    draw(apart, one);
    THSetNumThreads(t);
    draw(row, other);
    THSetNumThreads(threads);
    const real *a = THTensor_(data)(apart), *b = THTensor_(data)(row);
    ptrdiff_t same = 0;
    while (same < n && a[2 * same] == b[same])
      same++;
    CHECK_EQ(same, n);
    CHECK_EQ(THRandom_random(one), THRandom_random(other));
  }
  THGenerator_free(one);
  THGenerator_free(other);
  THTensor *tensors[] = {wide, apart, all, row};
  for (int i = 0; i < 4; i++)
    THTensor_(free)(tensors[i]);
}

static void THTest_(turns)(void)
{
  /* Two turns of 16 chunks, and more; of the last ones some are no multiple of 16, and some chunks
   * are cut so that the last is not short. */
  static const ptrdiff_t counts[] = {39936, 39936 + 1248 + 3, 70001};
  for (int i = 0; i < 3; i++) {
    check_turns("random", THTensor_(random), counts[i]);
    check_turns("clamped", draw_clamped, counts[i]);
    check_turns("bernoulli", draw_bernoulli, counts[i]);
#ifdef REAL_IS_FLOATING
    check_turns("uniform", draw_uniform, counts[i]);
    check_turns("normal", draw_normal, counts[i]);
#endif
  }
  check_turns("geometric", draw_geometric, counts[1]);
#ifdef REAL_IS_FLOATING
  check_turns("exponential", draw_exponential, counts[1]);
  check_turns("cauchy", draw_cauchy, counts[1]);
#endif
}

#ifdef REAL_IS_FLOATING
/* From end to end of the type, whose distance is no number: finite numbers, as many on one side as
 * on the other, and those of smaller ranges in proportion. */
static void THTest_(wholeRange)(void)
{
  const double most = sizeof(real) == 4 ? FLT_MAX : DBL_MAX;
  THTensor *t = THTensor_(newWithSize1d)(2000), *unit = THTensor_(newWithSize1d)(2000);
  for (int ends = 0; ends < 2; ends++) {
    const double a = ends ? -most : -0.9 * most, b = ends ? most : 0.8 * most;
    THGenerator *generator = seeded(), *again = seeded();
    THTensor_(uniform)(t, generator, a, b);
    THTensor_(uniform)(unit, again, 0, 1);
    for (int i = 0; i < 2000; i++) {
      const double u = (double)unit->storage->data[i];
      const real x = t->storage->data[i];
      CHECK(isfinite(x) && x >= (real)a && x <= (real)b);
      CHECK_NEAR((double)x / most, a / most + u * (b / most - a / most), 1e-6);
    }
    THGenerator_free(again);
    THGenerator_free(generator);
  }
  THGenerator *generator = seeded();
  for (int i = 0; i < 100; i++) {
    CHECK(isfinite(THRandom_uniform(generator, -DBL_MAX, DBL_MAX)));
    CHECK(isfinite(THRandom_uniformFloat(generator, -FLT_MAX, FLT_MAX)));
  }
  THGenerator_free(generator);
  THTensor_(free)(unit);
  THTensor_(free)(t);
}

TH_TESTS(THTest_(golden), THTest_(turns), THTest_(ranges), THTest_(permutation), THTest_(errors),
         THTest_(outputs), THTest_(wholeRange), THTest_(goldenFloat), THTest_(randShape),
         THTest_(affine), THTest_(overlap), THTest_(gamma), THTest_(moments))
#else
TH_TESTS(THTest_(golden), THTest_(turns), THTest_(ranges), THTest_(permutation), THTest_(errors),
         THTest_(outputs))
#endif
