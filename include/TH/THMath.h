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

/* What follows the decimal point, with the sign of x. */
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

  /* What x misses by is all that its last digits come from, so it is wanted to more of them. */
  const double miss = size < 0.5 ? (double)(erfl(x) - size) : (double)((1.0 - size) - erfcl(x));
  const double step = miss / (two_over_sqrt_pi * exp(-x * x));
  return copysign(x - step / (1.0 + x * step), y);
}

/* pi r for |r| <= 1/2; low is what it loses. */
static inline double TH_timesPi(double r, double *low)
{
  const double high = (double)(float)r, rest = r - high; /* 24 and 29 bits */
  const double pi = 3.141592502593994, pi_rest = 1.5099579909783765e-07;
  const double p = M_PI * r;
  *low = (high * pi - p) + high * pi_rest + rest * M_PI;
  return p;
}

/* The derivative of log(gamma(x)).  Infinite at 0, with the sign opposite to that of the zero; NaN
 * at negative integers.  Off by less than 4 units in the last place for x > 0; for x < 0 by less
 * than 4 units of the larger of two terms, digamma(1 - x) and pi / tan(pi x), which are equal at
 * the zeros.
 *
 * On [1, 2] a rational approximation (error 1e-17, fitted at Chebyshev nodes) times the distance
 * from the zero of digamma, which is known to twice the precision: so values near that zero are
 * accurate too.  From there up to 10 by the recurrence, beyond by the asymptotic series, below 0
 * by reflection. */
static inline double TH_digamma(double x)
{
  static const double p[] = {-4.622758139095331e-05, -0.00227682174529244, -0.03308082961720959,
                             -0.1979917303542515,    -0.5181949196382484,  -0.5054533638180585,
                             -0.04894412396816712};
  static const double q[] = {4.664959078686044e-05,
                             0.0025031842360786877,
                             0.041378314480827155,
                             0.2978119036558111,
                             1.0319333676352624,
                             1.6718236205395554,
                             1.0};
  static const double zero = 1.4616321449683622, zero_rest = 9.5499954299656977e-17;

  if (x == 0.0)
    return copysign((double)INFINITY, -x);
  double mirror = 0.0, sum = 0.0, lost = 0.0;
  if (x < 0.0) {
    const double r = x - rint(x), a = fabs(r); /* the period of the tangent is 1 here: exact */
    if (!(a != 0.0))
      return (double)NAN;
    double low;
    const double angle = TH_timesPi(a < 0.25 ? a : 0.5 - a, &low), slope = tan(angle);
    const double exact = slope + low * (1.0 + slope * slope);
    mirror = copysign(a < 0.25 ? M_PI / exact : M_PI * exact, -r);
    const double mirrored = 1.0 - x;
    lost = mirrored < 3.0 ? (1.0 - mirrored) - x : 0.0;
    x = mirrored;
  }

  if (x >= 10.0) {
    const double z = 1.0 / (x * x);
    const double tail =
        z *
        (1.0 / 12 -
         z * (1.0 / 120 -
              z * (1.0 / 252 -
                   z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 -
                                                          z * (1.0 / 12 - z * 3617.0 / 8160)))))));
    return mirror + (log(x) - (0.5 / x + tail));
  }
  for (; x > 2.0; x -= 1.0)
    sum += 1.0 / (x - 1.0);
  if (x < 1.0) {
    sum -= 1.0 / x;
    x += 1.0;
  }
  const double t = x - 1.5, distance = (x - zero) - (zero_rest - lost);
  double above = p[0], below = q[0];
  for (int i = 1; i < 7; i++) {
    above = above * t + p[i];
    below = below * t + q[i];
  }
  return mirror + (sum + (distance + distance * (above / below)));
}

static inline float TH_digammaf(float x)
{
  return (float)TH_digamma((double)x);
}

/* The derivative of digamma; infinite at 0 and at negative integers.  Off by less than 4 units in
 * the last place. */
static inline double TH_trigamma(double x)
{
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
                     z * (5.0 / 66 - z * (691.0 / 2730 - z * (7.0 / 6 - z * 3617.0 / 510))))));
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
