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

/* The x with erf(x) = y: infinite at 1 and -1, NaN beyond.
 *
 * Starts from polynomials in w = -log(1 - y^2), in the centre those of Giles ("Approximating the
 * erfinv function", 2010), good to five digits, and takes two of Halley's steps, each of which
 * triples the digits.  Far from 0 they are taken on erfc, because erf(x) there no longer tells
 * neighbouring x apart. */
static inline double TH_erfinv(double y)
{
  static const double centre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                  -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                  -0.00417768164,  0.246640727,    1.50140941};
  static const double tails[] = {1.82328681e-5, -7.99161255e-5, 8.95515566e-5,
                                 -2.2689863e-5, 0.000253803456, -0.000949327614,
                                 0.00129842277, 1.00951363,     3.83978035};
  const double two_over_sqrt_pi = 1.1283791670955125739;

  const double size = fabs(y);
  if (!(size < 1.0))
    return size == 1.0 ? copysign((double)INFINITY, y) : (double)NAN;

  const double w = -log((1.0 - size) * (1.0 + size));
  const double *const p = w < 5.0 ? centre : tails;
  const double t = w < 5.0 ? w - 2.5 : sqrt(w) - 4.0;
  double x = p[0];
  for (int i = 1; i < 9; i++)
    x = x * t + p[i];
  x *= size;

  for (int i = 0; i < 2; i++) {
    const double miss = size < 0.5 ? erf(x) - size : (1.0 - size) - erfc(x);
    const double step = miss / (two_over_sqrt_pi * exp(-x * x));
    x -= step / (1.0 + x * step);
  }
  return copysign(x, y);
}

/* The derivative of log(gamma(x)).  Infinite at 0, with the sign opposite to that of the zero; NaN
 * at negative integers.
 *
 * On [1, 2] a rational approximation (error 1e-19, fitted at Chebyshev nodes) times the distance
 * from the zero of digamma, which is known to twice the precision: so values near the zero are
 * accurate too.  From there up to 10 by the recurrence, beyond by the asymptotic series, below 0
 * by reflection. */
static inline double TH_digamma(double x)
{
  static const double p[] = {4.2200939590713198e-7, 2.2636249078624787e-4, 8.2974848636175672e-3,
                             9.9820173301559600e-2, 5.1373844799701415e-1, 1.1663702567214969,
                             9.5105587603183288e-1};
  static const double q[] = {4.6649590786860440e-5,
                             2.5031842360786879e-3,
                             4.1378314480827153e-2,
                             2.9781190365581109e-1,
                             1.0319333676352625,
                             1.6718236205395554,
                             1.0};
  static const double zero = 1.4616321449683622, zero_rest = 9.5499954299656977e-17;

  if (x == 0.0)
    return copysign((double)INFINITY, -x);
  double sum = 0.0;
  if (x < 0.0) {
    const double r = x - rint(x); /* the period of the tangent is 1 here: exact */
    if (!(r != 0.0))
      return (double)NAN;
    sum = -M_PI / tan(M_PI * r);
    x = 1.0 - x;
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
    return sum + (log(x) - 0.5 / x - tail);
  }
  for (; x > 2.0; x -= 1.0)
    sum += 1.0 / (x - 1.0);
  if (x < 1.0) {
    sum -= 1.0 / x;
    x += 1.0;
  }
  const double t = x - 1.5;
  double above = p[0], below = q[0];
  for (int i = 1; i < 7; i++) {
    above = above * t + p[i];
    below = below * t + q[i];
  }
  return sum + ((x - zero) - zero_rest) * (above / below);
}

static inline float TH_digammaf(float x)
{
  return (float)TH_digamma((double)x);
}

/* The derivative of digamma; infinite at 0 and at negative integers. */
static inline double TH_trigamma(double x)
{
  double sum = 0.0, sign = 1.0;
  if (x < 0.0) { /* reflection: (pi / sin(pi x))^2 - trigamma(1 - x) */
    const double r = x - rint(x);
    const double s = M_PI / sin(M_PI * r);
    sum = -s * s;
    sign = -1.0;
    x = 1.0 - x;
  }
  for (; x < 10.0; x += 1.0)
    sum += 1.0 / (x * x);
  const double z = 1.0 / (x * x);
  const double tail =
      1.0 / 6 -
      z * (1.0 / 30 -
           z * (1.0 / 42 -
                z * (1.0 / 30 -
                     z * (5.0 / 66 - z * (691.0 / 2730 - z * (7.0 / 6 - z * 3617.0 / 510))))));
  return sign * (sum + (1.0 / x + z * (0.5 + tail / x)));
}

static inline float TH_trigammaf(float x)
{
  return (float)TH_trigamma((double)x);
}

#endif

#endif
