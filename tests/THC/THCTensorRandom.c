/* Random tensors on the device, against a loop over the same words, in long steps of double; their
 * moments; errors. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_compare.h"

#include "THPhilox.h"

enum { SEED = 77, USED = 12 }; /* words of each subsequence that are used up before */

#ifdef TH_REAL_IS_DOUBLE
enum { FLOAT_WORDS = 2 };
#else
enum { FLOAT_WORDS = 1 };
#endif

static ptrdiff_t drawn; /* elements of the tensor that is looked at */

/* Threads that PyTorch starts for them: blocks of 256, up to as many as the device runs at a time. */
static ptrdiff_t threads(void)
{
  const struct cudaDeviceProp *device = THCState_getCurrentDeviceProperties(thc_state());
  const ptrdiff_t most =
      (ptrdiff_t)device->multiProcessorCount * (device->maxThreadsPerMultiProcessor / 256);
  return 256 * THMin(most, (drawn + 255) / 256);
}

/* The call that makes the number of element i, of `each` for a call, and which of its numbers it is. */
static int number_of(ptrdiff_t i, int each, uint32_t *words)
{
  const ptrdiff_t round = i / threads();
  THPhilox_words(SEED, (uint64_t)(i % threads()), (uint64_t)(USED / 4 + round / each), words);
  return (int)(round % each);
}

/* Elements with probabilities of their own are drawn in groups of four. */
static double group_unit(ptrdiff_t i)
{
  uint32_t words[4];
  THPhilox_words(SEED, (uint64_t)(i / 4), USED / 4, words);
  return (double)(((float)words[i % 4] + 0.5F) * 0x1p-32F);
}

/* Number k of a call in (0, 1], rounded as the type's. */
static double unit_in(const uint32_t *words, int k)
{
  if (FLOAT_WORDS == 1)
    return (double)(((float)words[k] + 0.5F) * 0x1p-32F);
  return ((double)(words[2 * k] ^ (uint64_t)words[2 * k + 1] << 21) + 0.5) * 0x1p-53;
}

static double unit(ptrdiff_t i)
{
  uint32_t words[4];
  const int k = number_of(i, 4 / FLOAT_WORDS, words);
  return unit_in(words, k);
}

TH_UNUSED static double normal_of(ptrdiff_t i)
{
  uint32_t words[4];
  const int k = number_of(i, 4 / FLOAT_WORDS, words), first = k / 2 * 2;
  const double radius = sqrt(-2 * log(unit_in(words, first)));
  const double angle = 2 * M_PI * unit_in(words, first + 1);
  return radius * (k % 2 ? cos(angle) : sin(angle));
}

static uint64_t word_of(ptrdiff_t i, int wide)
{
  uint32_t words[4];
  const int k = number_of(i, wide ? 2 : 4, words);
  return wide ? (uint64_t)words[2 * k] << 32 | words[2 * k + 1] : words[k];
}

/* --- every layout ------------------------------------------------------------------------------ */

/* One distribution: a call on the device, and element i. */
typedef struct THTest_(Kind) {
  const char *name;
  void (*draw)(THCTensor *r);
  double (*element)(ptrdiff_t i);
  int each, steps; /* of a call; exact in steps of whole numbers, but for ties */
} THTest_(Kind);

#define KIND(NAME, CALL, ELEMENT)           \
  static void draw_##NAME(THCTensor *r)     \
  {                                         \
    THCState *state = thc_state();          \
    THCTensor_(CALL);                       \
  }                                         \
  static double element_##NAME(ptrdiff_t i) \
  {                                         \
    return ELEMENT;                         \
  }

#if defined(TH_REAL_IS_HALF)
#define COUNTABLE UINT64_C(0x801)
#elif defined(TH_REAL_IS_FLOAT)
#define COUNTABLE UINT64_C(0x1000001)
#elif defined(TH_REAL_IS_DOUBLE)
#define COUNTABLE UINT64_C(0x20000000000001)
#elif defined(TH_REAL_IS_BYTE)
#define COUNTABLE UINT64_C(256)
#else
#define COUNTABLE (UINT64_C(1) << (8 * sizeof(real) - 1))
#endif
#define WIDE (COUNTABLE > UINT32_MAX)

/* The remainder of a word, or a pair. */
static double random_of(ptrdiff_t i)
{
  return (double)(int64_t)(word_of(i, WIDE) % COUNTABLE);
}

/* One trial in five ends them. */
#ifdef TH_COMPAT_TORCH7
#define GEOMETRIC_P 0.8
#else
#define GEOMETRIC_P 0.2
#endif

/* What would round to the end of the range is its beginning. */
TH_UNUSED static double uniform_of(double x, double from, double to)
{
  return TO_NUMBER(TO_REAL(x)) == TO_NUMBER(TO_REAL(to)) ? from : x;
}

/* clang-format off */
KIND(random, random(state, r), random_of(i))
KIND(clamped, clampedRandom(state, r, -3, 100), -3 + (double)(word_of(i, 0) % 104))
KIND(capped, cappedRandom(state, r, 9), 1 + (double)(word_of(i, 0) % 9))
KIND(geometric, geometric(state, r, GEOMETRIC_P), fmax(ceil(log(unit(i)) / log(0.8)), 1))
KIND(bernoulli, bernoulli(state, r, 0.3), unit(i) < 0.3)
#if IS_FLOATING
KIND(uniform, uniform(state, r, -1, 3), uniform_of(unit(i) * 4 - 1, -1, 3))
KIND(normal, normal(state, r, 1, 2), normal_of(i) * 2 + 1)
KIND(logNormal, logNormal(state, r, 1, 0.5), exp(normal_of(i) * 0.5 + 1))
KIND(exponential, exponential(state, r, 2), -log(unit(i)) / 2)
KIND(cauchy, cauchy(state, r, 1, 2), tan(M_PI * (unit(i) - 0.5)) * 2 + 1)
#endif

static const THTest_(Kind) kinds[] = {
    {"random",      draw_random,      element_random,      WIDE ? 2 : 4, 1},
#if !defined(TH_REAL_IS_BYTE)
    {"clamped",     draw_clamped,     element_clamped,     4, 1},
#endif
    {"capped",      draw_capped,      element_capped,      4, 1},
    {"geometric",   draw_geometric,   element_geometric,   4 / FLOAT_WORDS, 1},
    {"bernoulli",   draw_bernoulli,   element_bernoulli,   4 / FLOAT_WORDS, 1},
#if IS_FLOATING
    {"uniform",     draw_uniform,     element_uniform,     4 / FLOAT_WORDS, 0},
    {"normal",      draw_normal,      element_normal,      4 / FLOAT_WORDS, 0},
    {"logNormal",   draw_logNormal,   element_logNormal,   4 / FLOAT_WORDS, 0},
    {"exponential", draw_exponential, element_exponential, 4 / FLOAT_WORDS, 0},
    {"cauchy",      draw_cauchy,      element_cauchy,      4 / FLOAT_WORDS, 0},
#endif
};
/* clang-format on */

/* A generator of which USED words of each subsequence are used up. */
static THCGenerator *seeded(void)
{
  THCRandom_manualSeed(thc_state(), SEED);
  THCGenerator *generator = &THCState_getRngState(thc_state())->gen[0];
  generator->philox_seed_offset = USED;
  return generator;
}

/* Float has rounding errors of some ulps, more where the logarithm or the tangent is steep. */
static void check_drawn(const THTest_(Kind) * kind, THCTensor *d)
{
  THTensor *twin = THCTest_(twin)(d);
  const ptrdiff_t n = drawn = d->nDimension ? THTest_(count)(twin) : 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double want = kind->element(i), got = TO_NUMBER(*THTest_(at)(twin, i));
    const double rounded = TO_NUMBER(TO_REAL(want));
    const double scale = !strcmp(kind->name, "cauchy") ? want * want + 1 : fabs(want) + 1;
    if (!thc_is_near(got, rounded, kind->steps ? 0 : 16 * THMax(0x1p-24, EPSILON / 16) * scale))
      th_fail_at(__FILE__, __LINE__, "%s: element %td is %.17g, expected %.17g", kind->name, i, got,
                 want);
  }
  THTensor_(free)(twin);
}

static void check_refused(const THTest_(Kind) * kind, THCTensor *d)
{
  THCGenerator *generator = seeded();
  CHECK_RAISES(1, "share memory", kind->draw(d));
  CHECK_EQ(generator->philox_seed_offset, USED);
}

static void check_layout(const THTest_(Kind) * kind, THCTensor *d)
{
  THTensor *before = THCTest_(twin)(d);
  real *outside = THTest_(storageValues)(before);
  THCGenerator *generator = seeded();
  kind->draw(d);
  check_drawn(kind, d);
  CHECK_EQ(generator->philox_seed_offset, USED + (d->nDimension > 0) * 4);
  THTensor *after = THCTest_(twin)(d);
  CHECK_OUTSIDE(after, outside);
  THTensor_(free)(after);
  THTensor_(free)(before);
  free(outside);
}

static void THTest_(randomLayouts)(void)
{
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int layout = 0; layout < TH_LAYOUTS; layout++) {
      th_note("%s, %s", kinds[k].name, th_layout_names[layout]);
      THCTensor *d = THCTest_(tensor)(layout, 3, TH_SHAPE(3, 7, 5));
      (th_layout_is_writable(layout) ? check_layout : check_refused)(&kinds[k], d);
      THCTensor_(free)(thc_state(), d);
    }
}

/* Sizes around those of blocks and, on the simulator, of several rounds of all threads; and what comes next differs. */
static void THTest_(randomSizes)(void)
{
  static const int64_t sizes[] = {1, 2, 5, 255, 256, 257, 1025, 8191, 8193, 33000};
  THCState *state = thc_state();
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      THCTensor *d = THCTensor_(newWithSize1d)(state, sizes[s]);
      th_note("%s, %d elements", kinds[k].name, (int)sizes[s]);
      THCGenerator *generator = seeded();
      kinds[k].draw(d);
      check_drawn(&kinds[k], d);
      CHECK_EQ(generator->philox_seed_offset,
               USED + 4 * ((drawn - 1) / (threads() * kinds[k].each) + 1));
      if (sizes[s] > 1000) {
        THCTensor *next = THCTensor_(newWithSize1d)(state, sizes[s]);
        kinds[k].draw(next);
        CHECK(!THCTensor_(equal)(state, d, next));
        THCTensor_(free)(state, next);
      }
      THCTensor_(free)(state, d);
    }
}

/* As TH, uniform numbers are rounded once: the product is not rounded before the sum. */
static void THTest_(roundedOnce)(void)
{
#if IS_FLOATING
  THCState *state = thc_state();
  THCTensor *d = THCTensor_(newWithSize1d)(state, 256);
  seeded();
  drawn = 256;
  THCTensor_(uniform)(state, d, 0.1, 0.7);
  const double a = TO_NUMBER(TO_REAL(0.1)), b = TO_NUMBER(TO_REAL(0.7)),
               width = TO_NUMBER(TO_REAL(b - a));
  for (int i = 0; i < 256; i++) {
    const double want = FLOAT_WORDS == 2 ? fma(unit(i), width, a)
                                         : (double)fmaf((float)unit(i), (float)width, (float)a);
    CHECK(TO_NUMBER(THCTensor_(get1d)(state, d, i)) == TO_NUMBER(TO_REAL(uniform_of(want, a, b))));
  }
  THCTensor_(free)(state, d);
#endif
}

static void THTest_(wideRanges)(void)
{
#ifdef TH_REAL_IS_LONG
  static const int64_t ends[][2] = {
      {INT64_MIN, INT64_MAX}, {0, INT64_MAX}, {-5, UINT32_MAX}, {1, 1 << 28}, {0, (1 << 28) - 2}};
  THCState *state = thc_state();
  THCTensor *d = THCTensor_(newWithSize1d)(state, 50);
  for (int k = 0; k < 5; k++) {
    const uint64_t range = (uint64_t)ends[k][1] - (uint64_t)ends[k][0] + 1;
    const int wide = range == 0 || range >= UINT64_C(1) << 28;
    seeded();
    drawn = 50;
    THCTensor_(clampedRandom)(state, d, ends[k][0], ends[k][1]);
    for (ptrdiff_t i = 0; i < 50; i++) {
      const uint64_t word = word_of(i, wide), below = range == 0 ? word : word % range;
      CHECK_EQ(THCTensor_(get1d)(state, d, i), (int64_t)((uint64_t)ends[k][0] + below));
    }
  }
  THCTensor_(free)(state, d);
#endif
}

/* --- probabilities, means and deviations for each element ----------------------------------------- */

/* The probabilities: a view with gaps of 35 elements. */
static THCudaDoubleTensor *THTest_(probabilities)(void)
{
  THDoubleTensor *host = THDoubleTensor_newWithSize2d(35, 2);
  THCudaDoubleTensor *p = THCudaDoubleTensor_newWithSize2d(thc_state(), 35, 2);
  for (int i = 0; i < 70; i++)
    host->storage->data[i] = i % 2 ? i / 2 % 9 / 8.0 : 17;
  THCudaDoubleTensor_copyDouble(thc_state(), p, host);
  THCudaDoubleTensor_select(thc_state(), p, NULL, 1, 1);
  THDoubleTensor_free(host);
  return p;
}

static void THTest_(checkBernoulli)(THCTensor *d)
{
  for (int i = 0; i < 35; i++)
    CHECK_EQ(TO_NUMBER(THCTensor_(get2d)(thc_state(), d, i / 7, i % 7)),
             group_unit(i) <= i % 9 / 8.0);
}

/* p has another shape than self. */
static void THTest_(bernoulliDoubles)(void)
{
  THCState *state = thc_state();
  THCudaDoubleTensor *p = THTest_(probabilities)();
  THCTensor *d = THCTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(5, 7));
  seeded();
  THCTensor_(bernoulli_DoubleTensor)(state, d, p);
  THTest_(checkBernoulli)(d);
  THCudaDoubleTensor_set1d(state, p, 7, 1.5);
  CHECK_RAISES(2, "1.5, not in [0, 1]", THCTensor_(bernoulli_DoubleTensor)(state, d, p));
  THCudaDoubleTensor_set1d(state, p, 7, NAN);
  CHECK_RAISES(2, "not in [0, 1]", THCTensor_(bernoulli_DoubleTensor)(state, d, p));
  THCudaDoubleTensor_resize1d(state, p, 34);
  CHECK_RAISES(2, "34 elements, self has 35", THCTensor_(bernoulli_DoubleTensor)(state, d, p));
  THCudaDoubleTensor_free(state, p);
  THCTensor_(free)(state, d);
}

static void THTest_(bernoulliFloats)(void)
{
  THCState *state = thc_state();
  THCudaDoubleTensor *doubles = THTest_(probabilities)();
  THCudaTensor *p = THCudaTensor_newWithSize2d(state, 7, 5);
  THCudaTensor_copyCudaDouble(state, p, doubles);
  THCTensor *d = THCTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(5, 7));
  seeded();
  THCTensor_(bernoulli_FloatTensor)(state, d, p);
  THTest_(checkBernoulli)(d);
  THCudaTensor_set2d(state, p, 6, 4, -0.5f);
  CHECK_RAISES(2, "the element -0.5, not", THCTensor_(bernoulli_FloatTensor)(state, d, p));
  THCudaTensor_resize1d(state, p, 36);
  CHECK_RAISES(2, "36 elements, self has 35", THCTensor_(bernoulli_FloatTensor)(state, d, p));
  THCudaTensor_free(state, p);
  THCudaDoubleTensor_free(state, doubles);
  THCTensor_(free)(state, d);
}

/* bernoulli with probabilities of the tensor's own type, which may be the tensor itself. */
static void THTest_(bernoulliOwn)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTensor_(newWithSize1d)(state, 40);
  for (int i = 0; i < 40; i++)
    THCTensor_(set1d)(state, d, i, TO_REAL(IS_FLOATING ? i % 5 / 4.0 : i % 2));
  seeded();
  THCTensor_(bernoulli_Tensor)(state, d, d);
  for (int i = 0; i < 40; i++)
    CHECK_EQ(TO_NUMBER(THCTensor_(get1d)(state, d, i)),
             IS_FLOATING ? group_unit(i) <= i % 5 / 4.0 : i % 2);
  THCTensor_(free)(state, d);
}

#if IS_FLOATING

static void check_affine(THCTensor *r, int means, int deviations)
{
  THTensor *twin = THCTest_(twin)(r);
  drawn = 35;
  CHECK_EQ(r->size[0], 5);
  for (ptrdiff_t i = 0; i < 35; i++) {
    const double mean = means ? (double)i : 3, deviation = deviations ? (double)(i % 4) : 2;
    const double want = normal_of(i) * deviation + mean;
    const double got = TO_NUMBER(*THTest_(at)(twin, i));
    if (!thc_is_near(got, want, 64 * EPSILON + EPSILON * fabs(want)))
      th_fail_at(__FILE__, __LINE__, "element %td is %.9g, expected %.9g", i, got, want);
  }
  THTensor_(free)(twin);
}

static void THTest_(affine)(void)
{
  THCState *state = thc_state();
  THCTensor *m = THCTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(5, 7)), *r = THCTensor_(new)(state);
  THCTensor *s = THCTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(5, 7));
  for (int i = 0; i < 35; i++) {
    THCTensor_(set2d)(state, m, i / 7, i % 7, TO_REAL(i));
    THCTensor_(set2d)(state, s, i / 7, i % 7, TO_REAL(i % 4));
  }
  seeded();
  THCTensor_(normal_means_stddevs)(state, r, m, s);
  check_affine(r, 1, 1);
  seeded();
  THCTensor_(normal_stddevs)(state, r, 3, s);
  check_affine(r, 0, 1);
  seeded();
  THCTensor_(normal_means)(state, m, m, 2); /* in place */
  check_affine(m, 1, 0);
  CHECK_RAISES(3, "stddev is 0", THCTensor_(normal_means)(state, m, m, 0));
  THCTensor_(set2d)(state, s, 0, 0, TO_REAL(-1));
  CHECK_RAISES(3, "from -1", THCTensor_(normal_stddevs)(state, r, 0, s));
  THCTensor_(resize1d)(state, s, 34);
  CHECK_RAISES(3, "34 elements, means has 35", THCTensor_(normal_means_stddevs)(state, r, m, s));
  THCTensor_(free)(state, s);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, m);
}

/* The first four moments of uniform and normal numbers, within five deviations of the means of n
 * numbers (of a power of a standard normal: sqrt(1, 2, 15, 96)). */
static void THTest_(moments)(void)
{
  enum { N = 40000 };
  static const double expected[2][4] = {{0.5, 1 / 3.0, 0.25, 0.2}, {0, 1, 0, 3}};
  static const double deviation[2][4] = {{0.29, 0.3, 0.29, 0.27}, {1, 1.42, 3.88, 9.8}};
  THCState *state = thc_state();
  THCTensor *d = THCTensor_(new)(state);
  THLongStorage *size = THLongStorage_newWithSize2(200, N / 200);
  for (int kind = 0; kind < 2; kind++) {
    double sums[4] = {0};
    THCRandom_manualSeed(state, SEED);
    (kind ? THCTensor_(randn) : THCTensor_(rand))(state, d, size);
    CHECK_EQ(d->size[1], N / 200);
    THTensor *twin = THCTest_(twin)(d);
    for (ptrdiff_t i = 0; i < N; i++) {
      const double x = TO_NUMBER(twin->storage->data[i]);
      CHECK(kind || (x >= 0 && x < 1));
      for (int k = 0; k < 4; k++)
        sums[k] += pow(x, k + 1) / N;
    }
    for (int k = 0; k < 4; k++)
      CHECK_NEAR(sums[k], expected[kind][k], 5 * deviation[kind][k] / sqrt(N) + EPSILON);
    THTensor_(free)(twin);
  }
  THLongStorage_free(size);
  THCTensor_(free)(state, d);
}

#else

static void THTest_(affine)(void)
{
}

static void THTest_(moments)(void)
{
}

#endif

/* What PyTorch prints on a GPU for torch.rand(5) and torch.randn(10) after torch.manual_seed(0). */
static void THTest_(asPyTorch)(void)
{
#ifdef TH_REAL_IS_FLOAT
  static const double uniforms[] = {0.3990, 0.5167, 0.0249, 0.9401, 0.9459};
  static const double normals[] = {-0.9247, -0.4253, -2.6438, 0.1452,  -0.1209,
                                   -0.5797, -0.6229, -0.3284, -1.0745, -0.3631};
  THCState *state = thc_state();
  THCTensor *d = THCTensor_(newWithSize1d)(state, 5);
  THCRandom_manualSeed(state, 0);
  THCTensor_(uniform)(state, d, 0, 1);
  for (int i = 0; i < 5; i++)
    CHECK_NEAR(THCTensor_(get1d)(state, d, i), uniforms[i], 6e-5);
  THCTensor_(resize1d)(state, d, 10);
  THCRandom_manualSeed(state, 0);
  THCTensor_(normal)(state, d, 0, 1);
  for (int i = 0; i < 10; i++)
    CHECK_NEAR(THCTensor_(get1d)(state, d, i), normals[i], 6e-5);
  THCTensor_(free)(state, d);
#endif
}

/* --- states and errors ----------------------------------------------------------------------------- */

/* A saved state brings back the draws; every device has a generator of its own. */
static void THTest_(randomStates)(void)
{
  THCState *state = thc_state();
  THCTensor *a = THCTensor_(newWithSize1d)(state, 999), *b = THCTensor_(newWithSize1d)(state, 999);
  THByteTensor *saved = THByteTensor_new();
  THCRandom_manualSeed(state, 5);
  THCTensor_(random)(state, a);
  THCRandom_getRNGState(state, saved);
  THCTensor_(random)(state, a);
  THCTensor_(random)(state, b);
  CHECK(!THCTensor_(equal)(state, a, b));
  THCRandom_setRNGState(state, saved);
  THCTensor_(random)(state, b);
  CHECK(THCTensor_(equal)(state, a, b));
  THByteTensor_free(saved);
  THCTensor_(free)(state, b);
  THCTensor_(free)(state, a);
}

/* A permutation has each number once, in an order that the seed decides. */
static void THTest_(permutations)(void)
{
  enum { N = 100 };
  THCState *state = thc_state();
  THCTensor *d = THCTensor_(newWithSize2d)(state, N, 2), *again = THCTensor_(new)(state);
  THCTensor_(select)(state, d, NULL, 1, 0);
  seeded();
  THCTensor_(randperm)(state, d, N);
  seeded();
  THCTensor_(randperm)(state, again, N);
  CHECK(THCTensor_(equal)(state, d, again));
  int found[N] = {0}, inPlace = 0;
  for (int i = 0; i < N; i++) {
    const int x = (int)TO_NUMBER(THCTensor_(get1d)(state, d, i));
    CHECK(x >= 0 && x < N && !found[x]++);
    inPlace += x == i;
  }
  CHECK(inPlace < 10);
  CHECK_RAISES(2, "n is 0", THCTensor_(randperm)(state, d, 0));
  THCTensor_(free)(state, again);
  THCTensor_(free)(state, d);
}

static void THTest_(randomErrors)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTensor_(newWithSize1d)(state, 3);
  THCGenerator *generator = seeded();
  CHECK_RAISES(3, "less than min", THCTensor_(clampedRandom)(state, d, 3, 2));
  CHECK_RAISES(2, "not >= 1", THCTensor_(cappedRandom)(state, d, 0));
  CHECK_RAISES(2, "p is 1, not between", THCTensor_(geometric)(state, d, 1));
  CHECK_RAISES(2, "p is 1.5", THCTensor_(bernoulli)(state, d, 1.5));
  CHECK_RAISES(2, "p is nan", THCTensor_(bernoulli)(state, d, NAN));
  CHECK_RAISES(0, "state is NULL", THCTensor_(random)(NULL, d));
#if IS_FLOATING
  CHECK_RAISES(3, "stdv is 0", THCTensor_(normal)(state, d, 0, 0));
  CHECK_RAISES(3, "stdv is -1", THCTensor_(logNormal)(state, d, 0, -1));
  CHECK_RAISES(2, "lambda is 0", THCTensor_(exponential)(state, d, 0));
  CHECK_RAISES(3, "sigma is 0", THCTensor_(cauchy)(state, d, 0, 0));
  CHECK_RAISES(2, "size is NULL", THCTensor_(rand)(state, d, NULL));
  CHECK_RAISES(2, "size is NULL", THCTensor_(randn)(state, d, NULL));
#endif
  CHECK_EQ(generator->philox_seed_offset, USED);
  THCTensor_(free)(state, d);
}

TH_TESTS(THTest_(asPyTorch), THTest_(randomLayouts), THTest_(randomSizes), THTest_(roundedOnce),
         THTest_(wideRanges), THTest_(bernoulliFloats), THTest_(bernoulliDoubles),
         THTest_(bernoulliOwn), THTest_(affine), THTest_(moments), THTest_(permutations),
         THTest_(randomStates), THTest_(randomErrors))
