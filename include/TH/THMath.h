/* Scalar functions that the C library lacks.
 *
 *     double p = TH_sigmoid(0.3);                       0.5744...
 *     double z = TH_erfinv(0.5);                        0.4769...
 *
 * The ones on double are accurate to a few units in the last place; those on float are rounded
 * from double where they are not exact anyway. */
#ifndef TH_MATH_H
#define TH_MATH_H

#include "THGeneral.h"

#ifndef TH_NO_INLINE

/* 1 / (1 + exp(-value)) */
static inline double TH_sigmoid(double value)
{
  return 1.0 / (1.0 + exp(-value));
}

static inline float TH_sigmoidf(float value)
{
  return 1.0f / (1.0f + expf(-value));
}

/* The fraction, with the sign of x. */
static inline double TH_frac(double x)
{
  return x - trunc(x);
}

static inline float TH_fracf(float x)
{
  return x - truncf(x);
}

/* 1 / sqrt(x) */
static inline double TH_rsqrt(double x)
{
  return 1.0 / sqrt(x);
}

static inline float TH_rsqrtf(float x)
{
  return 1.0f / sqrtf(x);
}

/* a + weight * (b - a), exactly a at weight 0 and b at weight 1. */
static inline double TH_lerp(double a, double b, double weight)
{
  return weight < 0.5 ? a + weight * (b - a) : b - (b - a) * (1.0 - weight);
}

static inline float TH_lerpf(float a, float b, float weight)
{
  return weight < 0.5f ? a + weight * (b - a) : b - (b - a) * (1.0f - weight);
}

/* The x with erf(x) = y: infinite at 1 and -1, NaN beyond.  Off by little more than half a unit in
 * the last place.
 *
 * Starts from polynomials in w = -log(1 - y^2), in the centre, and in the root of w, good to seven
 * digits, and takes one of Halley's steps, which triples the digits.  Far from 0 it is taken on
 * erfc, because erf(x) there no longer tells neighbouring x apart. */
static inline double TH_erfinv(double y)
{
  static const double centre[] = {-8.790440100406746e-09, 2.3232735965330834e-08,
                                  4.661621840836552e-07,  -3.462703174591819e-06,
                                  -4.963309867869835e-06, 0.00021834441779009683,
                                  -0.0012527419373717433, -0.004177386723620317,
                                  0.24664028617113795,    1.5014093592615325};
  static const double tails[] = {
      7.071116049762995e-07, -1.577161258999072e-06, -5.844588968491841e-06, 2.823832208674335e-05,
      -8.29118668139651e-05, 0.00028660703901082,    -0.0008549818399814192, 0.0012573928200512918,
      1.00949519059361,      3.8397833192893716};
  const double two_over_sqrt_pi = 1.1283791670955125739;

  const double size = fabs(y);
  if (!(size < 1.0))
    return size == 1.0 ? copysign((double)INFINITY, y) : (double)NAN;
  if (size < 1e-300) /* where steps are lost: half the root of pi times y */
    return (double)(y * 0.88622692545275801364908374167057259L);

  const double w = -log((1.0 - size) * (1.0 + size));
  const double *const p = w < 5.0 ? centre : tails;
  const double t = w < 5.0 ? w - 2.5 : sqrt(w) - 4.0;
  double x = p[0];
  for (int i = 1; i < 10; i++)
    x = x * t + p[i];
  x = w < 5.0 ? x * size : x;

  /* The last digits of the result come from this difference, so it is computed with more of
   * them. */
  const double miss = size < 0.5 ? (double)(erfl(x) - size) : (double)((1.0 - size) - erfcl(x));
  const double step = miss / (two_over_sqrt_pi * exp(-x * x));
  return copysign(x - step / (1.0 + x * step), y);
}

/* pi r for |r| <= 1/2; low is the rounding error. */
static inline double TH_timesPi(double r, double *low)
{
  const double high = (double)(float)r, rest = r - high; /* 24 and 29 bits */
  const double pi = 3.141592502593994, pi_rest = 1.5099579909783765e-07;
  const double p = M_PI * r;
  *low = (high * pi - p) + high * pi_rest + rest * M_PI;
  return p;
}

/* A number in two parts, lo at most half a unit in the last place of hi. */
typedef struct THPair {
  double hi, lo;
} THPair;

static inline THPair TH_pairOf(double a, double b)
{
  const double sum = a + b, part = sum - a;
  const THPair s = {sum, (a - (sum - part)) + (b - part)};
  return s;
}

static inline THPair TH_pairAdd(THPair a, THPair b)
{
  const THPair s = TH_pairOf(a.hi, b.hi), t = TH_pairOf(a.lo, b.lo);
  const THPair u = TH_pairOf(s.hi, s.lo + t.hi);
  return TH_pairOf(u.hi, u.lo + t.lo);
}

static inline THPair TH_pairSub(THPair a, THPair b)
{
  const THPair minus = {-b.hi, -b.lo};
  return TH_pairAdd(a, minus);
}

static inline THPair TH_pairMul(THPair a, THPair b)
{
  const double p = a.hi * b.hi;
  return TH_pairOf(p, fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi));
}

static inline THPair TH_pairDiv(THPair a, THPair b)
{
  const THPair first = {a.hi / b.hi, 0};
  const THPair rest = TH_pairSub(a, TH_pairMul(b, first)), second = {rest.hi / b.hi, 0};
  const THPair last = TH_pairSub(rest, TH_pairMul(b, second));
  return TH_pairAdd(TH_pairOf(first.hi, second.hi), TH_pairOf(last.hi / b.hi, 0));
}

/* digamma(1 - x) - pi / tan(pi x) for x < 0 where the two are nearly the same: in pairs the result
 * has all its digits.  By recurrence to 24 and the asymptotic series; logarithm, sine and cosine by
 * their series too. */
static inline double TH_digammaOfPair(double x)
{
  /* Bernoulli's numbers, the last one first, over their index. */
  static const double terms[][2] = {{-3392780147., 3480},
                                    {657931, 12},
                                    {-236364091, 65520},
                                    {77683, 276},
                                    {-174611, 6600},
                                    {43867, 14364},
                                    {-3617, 8160},
                                    {1, 12},
                                    {-691, 32760},
                                    {1, 132},
                                    {-1, 240},
                                    {1, 252},
                                    {-1, 120},
                                    {1, 12}};
  const THPair one = {1, 0}, pi = {M_PI, 1.2246467991473532e-16};
  const THPair ln2 = {0.6931471805599453, 2.3190468138462996e-17};
  THPair y = TH_pairOf(1, -x), sum = {0, 0};
  for (; y.hi < 24; y = TH_pairAdd(y, one))
    sum = TH_pairSub(sum, TH_pairDiv(one, y));

  /* log(y) = log(m 2^n) = 2 atanh((m - 1) / (m + 1)) + n log(2) */
  int n;
  const double part = frexp(y.hi, &n);
  n -= part < 0.7071;
  const THPair m = {ldexp(y.hi, -n), ldexp(y.lo, -n)}, power = {(double)n, 0};
  const THPair s = TH_pairDiv(TH_pairSub(m, one), TH_pairAdd(m, one)), ss = TH_pairMul(s, s);
  THPair log = {0, 0};
  for (int k = 43; k > 0; k -= 2)
    log = TH_pairAdd(TH_pairMul(log, ss), TH_pairDiv(one, TH_pairOf(k, 0)));
  log = TH_pairMul(log, s);
  sum = TH_pairAdd(sum, TH_pairAdd(TH_pairAdd(log, log), TH_pairMul(power, ln2)));

  const THPair inverse = TH_pairDiv(one, y), z = TH_pairMul(inverse, inverse);
  const THPair half = {inverse.hi / 2, inverse.lo / 2};
  THPair tail = {0, 0};
  for (int k = 0; k < 14; k++) {
    const THPair term = TH_pairDiv(TH_pairOf(terms[k][0], 0), TH_pairOf(terms[k][1], 0));
    tail = TH_pairMul(z, TH_pairAdd(term, tail));
  }
  sum = TH_pairSub(TH_pairSub(sum, half), tail);

  /* The sine and the cosine of an angle of at most pi/4. */
  const double r = x - rint(x), a = fabs(r);
  const THPair angle = TH_pairMul(pi, TH_pairOf(a < 0.25 ? a : 0.5 - a, 0));
  const THPair square = TH_pairMul(angle, angle);
  THPair sine = one, cosine = one;
  for (int k = 28; k > 0; k -= 2) {
    cosine = TH_pairSub(one, TH_pairDiv(TH_pairMul(square, cosine), TH_pairOf(k * (k - 1), 0)));
    sine = TH_pairSub(one, TH_pairDiv(TH_pairMul(square, sine), TH_pairOf(k * (k + 1), 0)));
  }
  sine = TH_pairMul(sine, angle);
  const THPair slope = a < 0.25 ? TH_pairDiv(cosine, sine) : TH_pairDiv(sine, cosine);
  const THPair mirror = TH_pairMul(pi, slope);
  return (r < 0 ? TH_pairAdd(sum, mirror) : TH_pairSub(sum, mirror)).hi;
}

#define TH_T              double
#define TH_T_LOG          log
#define TH_DIGAMMA        TH_digammaAbove
#define TH_DIGAMMA_(NAME) TH_digammaAbove##NAME
#include "vector/Digamma.h"
#undef TH_T
#undef TH_T_LOG
#undef TH_DIGAMMA
#undef TH_DIGAMMA_

/* digamma of x < 0, to a few more bits than double has, where there is a type for that. */
#if !defined(__CUDA_ARCH__) && LDBL_MANT_DIG > DBL_MANT_DIG
#define TH_T              long double
#define TH_T_LOG          logl
#define TH_DIGAMMA        TH_digammaAbovel
#define TH_DIGAMMA_(NAME) TH_digammaAbovel##NAME
#include "vector/Digamma.h"
#undef TH_T
#undef TH_T_LOG
#undef TH_DIGAMMA
#undef TH_DIGAMMA_

static inline double TH_digammaOfWide(double x)
{
  const double r = x - rint(x), a = fabs(r);
  const long double y = 1 - (long double)x, pi = 3.14159265358979323846264338327950288L;
  const long double slope = tanl(pi * (a < 0.25 ? a : 0.5 - a));
  const long double size = a < 0.25 ? pi / slope : pi * slope, mirror = r < 0 ? size : -size;
  const long double result = mirror + TH_digammaAbovel(y, (1 - y) - x);
  return fabsl(result) < size / 64 ? TH_digammaOfPair(x) : (double)result;
}
#else
#define TH_digammaOfWide TH_digammaOfPair
#endif

/* The derivative of log(gamma(x)).  Infinite at 0, with the sign opposite to that of the zero; NaN
 * at negative integers.  Off by less than 3.5 units in the last place.
 *
 * Below 0 by reflection, in wider arithmetic where the two terms of that cancel. */
static inline double TH_digamma(double x)
{
  if (fabs(x) < 1e-20)
    return -1.0 / x;
  if (!(x < 0.0))
    return TH_digammaAbove(x, 0.0);
  const double r = x - rint(x), a = fabs(r); /* the period of the tangent is 1 here: exact */
  if (!(a != 0.0))
    return (double)NAN;
  double low;
  const double angle = TH_timesPi(a < 0.25 ? a : 0.5 - a, &low), slope = tan(angle);
  const double exact = slope + low * (1.0 + slope * slope);
  const double mirror = copysign(a < 0.25 ? M_PI / exact : M_PI * exact, -r), y = 1.0 - x;
  const double sum = TH_digammaAbove(y, y < 3.0 ? (1.0 - y) - x : 0.0), result = mirror + sum;
  return fabs(result) < 0.9 * fmax(fabs(mirror), fabs(sum)) ? TH_digammaOfWide(x) : result;
}

static inline float TH_digammaf(float x)
{
  return (float)TH_digamma((double)x);
}

/* The derivative of digamma; infinite at 0 and at negative integers.  Off by less than 3 units in
 * the last place. */
static inline double TH_trigamma(double x)
{
  if (fabs(x) < 1e-20)
    return 1.0 / x * (1.0 / x);
  double mirror = 0.0, lost = 0.0;
  const int negative = x < 0.0;
  if (negative) { /* reflection: (pi / sin(pi x))^2 - trigamma(1 - x) */
    double low;
    const double angle = TH_timesPi(x - rint(x), &low), s = sin(angle);
    const double high = (double)(float)s, rest = s - high, square = s * s;
    const double excess = (high * high - square) + (2.0 * high + rest) * rest;
    mirror = 9.869604401089358 / square;
    /* pi^2 is 6e-17 of itself more than that */
    if (mirror < (double)INFINITY)
      lost = mirror * (6.3481e-17 - (excess + 2.0 * s * low * cos(angle)) / square);
    x = 1.0 - x;
  }
  /* By recurrence from 10 or more down: the terms grow. */
  const double steps = x < 10.0 ? ceil(10.0 - x) : 0.0, far = x + steps;
  const double z = 1.0 / (far * far);
  const double tail =
      1.0 / 6 -
      z * (1.0 / 30 -
           z * (1.0 / 42 -
                z * (1.0 / 30 -
                     z * (5.0 / 66 -
                          z * (691.0 / 2730 -
                               z * (7.0 / 6 - z * (3617.0 / 510 -
                                                   z * (43867.0 / 798 - z * 174611.0 / 330))))))));
  double sum = 1.0 / far + z * (0.5 + tail / far);
  for (double k = steps - 1.0; k >= 0.0; k -= 1.0)
    sum += 1.0 / ((x + k) * (x + k));
  return negative ? mirror - (sum - lost) : sum;
}

static inline float TH_trigammaf(float x)
{
  return (float)TH_trigamma((double)x);
}

#endif

#endif
