/* exp, sin and the others against the C library's long double: random bit patterns, the intervals
 * where things happen, the neighbours of special arguments.  ulp_all.c tries every float. */
#include "THTemplate.h"

#include "th_test.h"
#include "vector_math.h"

#ifdef TH_REAL_IS_FLOAT
typedef uint32_t Bits;
enum { BITS = 24, LEAST = -149 };
#define NEXT nextafterf
#else
typedef uint64_t Bits;
enum { BITS = 53, LEAST = -1074 };
#define NEXT nextafter
#endif

enum { COUNT = 40000 };

/* A number of the interval, of any magnitude, or of any bits at all. */
static real argument(th_random *random, real low, real high)
{
  const Bits any = (Bits)th_random_next(random);
  const real unit = (real)th_random_below(random, (int64_t)1 << 53) / (real)((int64_t)1 << 53);
  real x = low + (high - low) * unit;
  switch (th_random_next(random) % 4) {
    case 0:
      memcpy(&x, &any, sizeof x);
      break;
    case 1:
      x = (real)ldexp(1 + unit, (int)th_random_below(random, 60) - 50) * (any & 1 ? 1 : -1);
      break;
  }
  return x;
}

/* Numbers on both sides of where formulas change and results overflow, underflow or saturate. */
static int special(real *x)
{
  static const double points[] = {
      0, 1, 0.5, 0.875, 2, 0.34657359, 0.69314718, 88.722839, 87.336545, 103.2789, 103.97208,
      709.78271, 708.39642, 745.13321, 744.44, 89.415985, 710.475860, 9.010913, 17.328680, 1048576,
      0.41421356, 2.41421356, 0.70710678, 1.41421356, 1.57079633, 3.14159265, 4, 6, 5, 8, 10,
      0.9966, 0x1p-126, 0x1p-1022, 1e30, 1e300, 0.9375, 0.45, 0.9, 7.2, 0x1p12, 0x1p20, 0x1p-960,
      /* zeros of digamma and of lgamma */
      1.4616321449683623, 0.5040830082644554, 1.5734984731623904, 2.6107208684441446,
      9.7026725400018637, 2.4570247382208006, 2.7476826467274126, 3.1435808883499801,
      3.9552942848585979};
  int count = 0;
  for (size_t i = 0; i < sizeof points / sizeof *points; i++)
    for (int sign = -1; sign <= 1; sign += 2) {
      real p = (real)(sign * points[i]);
      for (int k = 0; k < 3; k++)
        p = NEXT(p, -(real)INFINITY);
      for (int k = 0; k < 6; k++) {
        x[count++] = p;
        p = NEXT(p, (real)INFINITY);
      }
    }
  x[count++] = (real)-0.0;
  x[count++] = (real)INFINITY;
  x[count++] = -(real)INFINITY;
  x[count++] = (real)NAN;
  return count;
}

static void compare(const char *name, void (*function)(THTensor *, THTensor *),
                    long double (*want)(long double), double low, double high, double bound)
{
  th_note("%s, seed %llu", name, (unsigned long long)th_seed());
  th_random random = {th_seed()};
  THTensor *t = THTensor_(newWithSize1d)(COUNT), *r = THTensor_(new)();
  real *x = THTensor_(data)(t);
  for (int i = special(x); i < COUNT; i++)
    x[i] = argument(&random, (real)low, (real)high);
  function(r, t);
  const real *y = THTensor_(data)(r);
  double worst = 0;
  int at = 0;
  for (int i = 0; i < COUNT; i++) {
    const double off = units_off(y[i], want(x[i]), BITS, LEAST);
    if (off > worst) {
      worst = off;
      at = i;
    }
  }
  printf("%-8s %s: at most %.3f units off, for %a\n", name, TH_STRING_OF(Real), worst, x[at]);
  CHECK_MSG(worst < bound, "%s(%a) is %a, %.3f units off", name, x[at], y[at], worst);
  THTensor_(free)(t);
  THTensor_(free)(r);
}

#define L(NAME) NAME##l
#define WANT(NAME, REFERENCE, LOW, HIGH, BOUND) \
  static long double want_##NAME(long double x) \
  {                                             \
    return REFERENCE;                           \
  }
VECTOR_MATH(WANT)

static void THTest_(vectorMath)(void)
{
#define COMPARE(NAME, REFERENCE, LOW, HIGH, BOUND) \
  compare(#NAME, THTensor_(NAME), want_##NAME, LOW, HIGH, BOUND);
  VECTOR_MATH(COMPARE)
}

/* The arguments of two: powers and angles, at random and special ones with one another. */
static void THTest_(vectorMathOfTwo)(void)
{
  static const double points[] = {0,        -0.0,       1,      -1,          2,         -2,
                                  0.5,      -0.5,       3,      -3,          1.5,       NAN,
                                  INFINITY, 1e30,       -1e30,  -INFINITY,   0x1p-149,  -0x1p-149,
                                  0x1p24,   0x1p23 + 1, 0x1p53, -0x1p53 + 1, 0x1p-1074, 1e308};
  enum { POINTS = sizeof points / sizeof *points };
  THTensor *t = THTensor_(newWithSize1d)(COUNT), *s = THTensor_(newWithSize1d)(COUNT);
  real *x = THTensor_(data)(t), *y = THTensor_(data)(s);
  th_random random = {th_seed()};
  for (int i = 0; i < COUNT; i++) {
    x[i] = argument(&random, 0, 3);
    y[i] = argument(&random, -100, 100);
    if (i % 3 == 0)
      y[i] = (real)(int)th_random_below(&random, 60) - 30;
    if (i < POINTS * POINTS) {
      x[i] = (real)points[i / POINTS];
      y[i] = (real)points[i % POINTS];
    }
  }
  THTensor *p = THTensor_(new)(), *a = THTensor_(new)();
  THTensor_(cpow)(p, t, s);
  THTensor_(atan2)(a, t, s);
  double worst[2] = {0};
  for (int i = 0; i < COUNT; i++) {
    const double power = units_off(THTensor_(data)(p)[i], powl(x[i], y[i]), BITS, LEAST);
    const double angle = units_off(THTensor_(data)(a)[i], atan2l(x[i], y[i]), BITS, LEAST);
    CHECK_MSG(power < 1, "pow(%a, %a) is %a, %.3f units off", x[i], y[i], THTensor_(data)(p)[i],
              power);
    CHECK_MSG(angle < 2, "atan2(%a, %a) is %a, %.3f units off", x[i], y[i], THTensor_(data)(a)[i],
              angle);
    worst[0] = fmax(worst[0], power);
    worst[1] = fmax(worst[1], angle);
  }
  printf("pow      %s: at most %.3f units off\natan2    %s: at most %.3f units off\n",
         TH_STRING_OF(Real), worst[0], TH_STRING_OF(Real), worst[1]);

  /* With one of them the same for all. */
  for (int i = 0; i < POINTS; i++) {
    const real c = (real)points[i];
    THTensor_(pow)(p, t, c);
    THTensor_(tpow)(a, c, t);
    for (int k = 0; k < 2000; k++) {
      CHECK_MSG(units_off(THTensor_(data)(p)[k], powl(x[k], c), BITS, LEAST) < 1,
                "pow(%a, %a) is %a", x[k], c, THTensor_(data)(p)[k]);
      CHECK_MSG(units_off(THTensor_(data)(a)[k], powl(c, x[k]), BITS, LEAST) < 1,
                "tpow(%a, %a) is %a", c, x[k], THTensor_(data)(a)[k]);
    }
  }
  THTensor_(free)(t);
  THTensor_(free)(s);
  THTensor_(free)(p);
  THTensor_(free)(a);
}

/* Numbers whose roots are next to the middle m between two numbers: x 2^k = m^2 - c for a small c,
 * m being a root of c modulo 2^k, found bit by bit. */
static int hard_roots(real *x)
{
  int count = 0;
  for (int c = 1 - 8 * 200; c < 8 * 200; c += 8)
    for (int k = BITS + 1; k <= BITS + 2; k++) {
      const uint64_t half = (uint64_t)1 << (k - 1);
      uint64_t r = 1;
      for (int j = 3; j < k; j++)
        r += (r * r - (uint64_t)(int64_t)c) >> j & 1 ? (uint64_t)1 << (j - 1) : 0;
      for (int i = 0; i < 4; i++) {
        const uint64_t m = ((i & 1 ? 0 - r : r) + (i & 2 ? half : 0)) % (2 * half);
        const uint64_t v = (uint64_t)(((unsigned __int128)m * m - (unsigned __int128)c) >> k);
        if (m >> BITS == 1 && v >> (BITS - 1) == 1)
          x[count++] = (real)ldexp((double)v, k & 1);
      }
    }
  return count;
}

/* Roots are rounded as the C library's, whatever they are made of. */
static void THTest_(vectorMathRoots)(void)
{
  THTensor *t = THTensor_(newWithSize1d)(COUNT), *r = THTensor_(new)();
  real *x = THTensor_(data)(t);
  th_random random = {th_seed()};
  const int hard = hard_roots(x);
  CHECK(hard > 300);
  for (int i = hard; i < COUNT; i++)
    x[i] = argument(&random, 0, 9);
  THTensor_(sqrt)(r, t);
  for (int i = 0; i < COUNT; i++) {
    const real got = THTensor_(data)(r)[i], want = (real)sqrt(x[i]);
    CHECK_MSG(x[i] != x[i] || x[i] < 0 ? got != got
                                       : got == want && !signbit(got) == !signbit(want),
              "sqrt(%a) is %a, not %a", x[i], got, want);
  }
  THTensor_(free)(t);
  THTensor_(free)(r);
}

/* digamma and trigamma by the name of their order, and no other order. */
static void THTest_(polygamma)(void)
{
  THTensor *t = THTensor_(newWithSize1d)(1000), *r = THTensor_(new)(), *p = THTensor_(new)();
  for (int i = 0; i < 1000; i++)
    THTensor_(data)(t)[i] = (real)(0.019 * i - 5.005);
  THTensor_(digamma)(r, t);
  THTensor_(polygamma)(p, 0, t);
  CHECK(!memcmp(THTensor_(data)(r), THTensor_(data)(p), 1000 * sizeof(real)));
  THTensor_(trigamma)(r, t);
  THTensor_(polygamma)(p, 1, t);
  CHECK(!memcmp(THTensor_(data)(r), THTensor_(data)(p), 1000 * sizeof(real)));
  CHECK_RAISES(2, "n is 2", THTensor_(polygamma)(r, 2, t));
  THTensor_(free)(t);
  THTensor_(free)(r);
  THTensor_(free)(p);
}

/* Stretches with arguments far out between others give what each gives alone, and any layout gives
 * the same bits, in place too. */
static void sameInStretches(double scale)
{
  enum { N = 5000 };
  static void (*const functions[])(THTensor *, THTensor *) = {
      THTensor_(sin),  THTensor_(cos),     THTensor_(tan),    THTensor_(exp),   THTensor_(log),
      THTensor_(sqrt), THTensor_(sigmoid), THTensor_(erf),    THTensor_(tanh),  THTensor_(atan),
      THTensor_(asin), THTensor_(acos),    THTensor_(erfinv), THTensor_(lgamma)};
  THTensor *wide = THTensor_(newWithSize2d)(N, 2), *t = THTensor_(newSelect)(wide, 1, 1);
  THTensor *r = THTensor_(new)(), *one = THTensor_(newWithSize1d)(1), *same = THTensor_(new)();
  th_random random = {th_seed()};
  for (int i = 0; i < N; i++)
    THTensor_(set1d)(t, i,
                     (real)(scale * ((double)th_random_below(&random, 5000) / (i % 2 ? 25 : 3) -
                                     (i % 2 ? 110 : 800))));
  THTensor_(set1d)(t, 1500, (real)1e30);
  THTensor_(set1d)(t, 3000, (real)NAN);
  THTensor_(set1d)(t, 4999, (real)INFINITY);
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    functions[f](r, t);
    THTensor *packed = THTensor_(newContiguous)(t);
    functions[f](same, packed);
    CHECK(!memcmp(THTensor_(data)(r), THTensor_(data)(same), N * sizeof(real)));
    functions[f](packed, packed);
    CHECK(!memcmp(THTensor_(data)(r), THTensor_(data)(packed), N * sizeof(real)));
    THTensor_(free)(packed);
    for (int i = 0; i < N; i++) {
      THTensor_(set1d)(one, 0, THTensor_(get1d)(t, i));
      functions[f](one, one);
      th_note("function %d of %g", (int)f, (double)THTensor_(get1d)(t, i));
      CHECK_EQ(THTensor_(get1d)(r, i), THTensor_(get1d)(one, 0));
    }
  }
  THTensor_(free)(wide);
  THTensor_(free)(t);
  THTensor_(free)(r);
  THTensor_(free)(one);
  THTensor_(free)(same);
}

static void THTest_(vectorMathStretches)(void)
{
  sameInStretches(1);
  sameInStretches(1. / 800); /* arcs are of numbers up to 1, most of them small ones */
  sameInStretches(16);
}

TH_TESTS(THTest_(vectorMath), THTest_(vectorMathOfTwo), THTest_(vectorMathRoots),
         THTest_(polygamma), THTest_(vectorMathStretches))
