/* References for functions that the C library lacks, in its manner: name for results that are good
 * as double, namel for long double, both to more digits than that where terms cancel. */
#ifndef SPECIAL_REFERENCE_H
#define SPECIAL_REFERENCE_H

#include <math.h>

/* 113 bits, by the compiler's name for them.  The C library has the functions; only gcc is told so by math.h. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef _Float128 quad;
#endif
extern quad logf128(quad), tanf128(quad), sinf128(quad), rintf128(quad);

/* pi in three parts, as sums of which it is written in any type. */
#define REFERENCE_PI(T) \
  ((T)0x1.921fb54442d18p+1 + (T)0x1.1a62633145c07p-53 + (T) - 0x1.f1976b7ed8fbcp-109)

/* Bernoulli's numbers B2, B4, ... as fractions. */
static const double bernoulli[][2] = {
    {1, 6},       {-1, 30},           {1, 42},       {-1, 30},
    {5, 66},      {-691, 2730},       {7, 6},        {-3617, 510},
    {43867, 798}, {-174611, 330},     {854513, 138}, {-236364091, 2730},
    {8553103, 6}, {-23749461029, 870}};

enum { BERNOULLI = sizeof bernoulli / sizeof *bernoulli };

/* Euler's constant, and pi^2 / 6. */
#define REFERENCE_EULER(T) ((T)0x1.2788cfc6fb619p-1 - (T)0x1.6cb90701fbfabp-58)
#define REFERENCE_ZETA2(T) ((T)0x1.a51a6625307d3p+0 + (T)0x1.1873d8912200cp-55)

/* By reflection from negative numbers, by recurrence to FAR, there by the asymptotic series, which
 * with so many terms is good to 1e-29 from 16 on and to 1e-37 from 30 on.  Below NEAR by the first
 * terms of the series about 0, of which the next one is x^3 times the first. */

/* The sum of the asymptotic series, z = 1 / x^2, whose terms digamma divides by 2k. */
#define REFERENCE_SERIES(NAME, T, DIVISOR)                                            \
  static inline T NAME##Series(T z)                                                   \
  {                                                                                   \
    T tail = 0;                                                                       \
    for (int k = BERNOULLI; k >= 1; k--)                                              \
      tail = z * ((T)bernoulli[k - 1][0] / (bernoulli[k - 1][1] * (DIVISOR)) + tail); \
    return tail;                                                                      \
  }

/* digamma(x) - digamma(1 - x) */
#define REFERENCE_DIGAMMA_MIRROR(NAME, T, FUNCTION)          \
  static inline T NAME##Mirror(T x)                          \
  {                                                          \
    const T r = x - FUNCTION(rint)(x), pi = REFERENCE_PI(T); \
    return r != 0 ? -pi / FUNCTION(tan)(pi * r) : (T)NAN;    \
  }

#define REFERENCE_DIGAMMA_OF(NAME, RESULT, T, FUNCTION, FAR, NEAR)                       \
  static inline RESULT NAME(RESULT argument)                                             \
  {                                                                                      \
    T x = argument, sum = x < 0 ? NAME##Mirror(x) : 0;                                   \
    if (x > -NEAR && x < NEAR)                                                           \
      return (RESULT)(REFERENCE_ZETA2(T) * x - REFERENCE_EULER(T) - 1 / x);              \
    for (x = x < 0 ? 1 - x : x; x < FAR; x += 1)                                         \
      sum -= 1 / x;                                                                      \
    return (RESULT)(sum + (FUNCTION(log)(x) - 1 / (2 * x) - NAME##Series(1 / (x * x)))); \
  }

#define REFERENCE_DIGAMMA(NAME, RESULT, T, FUNCTION, FAR, NEAR) \
  REFERENCE_SERIES(NAME, T, 2 * k)                              \
  REFERENCE_DIGAMMA_MIRROR(NAME, T, FUNCTION)                   \
  REFERENCE_DIGAMMA_OF(NAME, RESULT, T, FUNCTION, FAR, NEAR)

/* trigamma(x) + trigamma(1 - x) */
#define REFERENCE_TRIGAMMA_MIRROR(NAME, T, FUNCTION)                                    \
  static inline T NAME##Mirror(T x)                                                     \
  {                                                                                     \
    const T pi = REFERENCE_PI(T), s = pi / FUNCTION(sin)(pi * (x - FUNCTION(rint)(x))); \
    return s * s;                                                                       \
  }

#define REFERENCE_TRIGAMMA_OF(NAME, RESULT, T, FAR, NEAR)           \
  static inline RESULT NAME(RESULT argument)                        \
  {                                                                 \
    T x = argument, mirror = x < 0 ? NAME##Mirror(x) : 0, sum = 0;  \
    if (x > -NEAR && x < NEAR)                                      \
      return (RESULT)(1 / (x * x) + REFERENCE_ZETA2(T));            \
    for (x = x < 0 ? 1 - x : x; x < FAR; x += 1)                    \
      sum += 1 / (x * x);                                           \
    sum += 1 / x + 1 / (x * x) / 2 + NAME##Series(1 / (x * x)) / x; \
    return (RESULT)(argument < 0 ? mirror - sum : sum);             \
  }

#define REFERENCE_TRIGAMMA(NAME, RESULT, T, FUNCTION, FAR, NEAR) \
  REFERENCE_SERIES(NAME, T, 1)                                   \
  REFERENCE_TRIGAMMA_MIRROR(NAME, T, FUNCTION)                   \
  REFERENCE_TRIGAMMA_OF(NAME, RESULT, T, FAR, NEAR)

/* Winitzki's formula, good to 2e-3: sqrt(sqrt(b^2 - l/a) - b), without the loss of a small
 * difference. */
#define REFERENCE_ERFINV_FIRST(NAME, T, FUNCTION)                          \
  static inline T NAME##First(T y)                                         \
  {                                                                        \
    const T l = FUNCTION(log1p)(-y * y), a = (T)0.147;                     \
    const T c = 2 / (REFERENCE_PI(T) * a) + l / 2;                         \
    return FUNCTION(sqrt)((-l / a) / (FUNCTION(sqrt)(c * c - l / a) + c)); \
  }

/* Each of Halley's steps triples the digits. */
#define REFERENCE_ERFINV_NEXT(NAME, T, FUNCTION)                                      \
  static inline T NAME##Next(T x, T y)                                                \
  {                                                                                   \
    const T miss = y < (T)0.5 ? FUNCTION(erf)(x) - y : (1 - y) - FUNCTION(erfc)(x);   \
    const T step = miss * FUNCTION(sqrt)(REFERENCE_PI(T)) / 2 * FUNCTION(exp)(x * x); \
    return x - step / (1 + x * step);                                                 \
  }

#define REFERENCE_ERFINV(NAME, T, FUNCTION)                       \
  REFERENCE_ERFINV_FIRST(NAME, T, FUNCTION)                       \
  REFERENCE_ERFINV_NEXT(NAME, T, FUNCTION)                        \
  static inline T NAME(T argument)                                \
  {                                                               \
    const T y = FUNCTION(fabs)(argument);                         \
    T x = y < 1 ? NAME##First(y) : y == 1 ? (T)INFINITY : (T)NAN; \
    for (int i = 0; i < 3 && y > 0 && y < 1; i++)                 \
      x = NAME##Next(x, y);                                       \
    return FUNCTION(copysign)(x, argument);                       \
  }

#define REFERENCE_D(NAME) NAME
#define REFERENCE_L(NAME) NAME##l
#define REFERENCE_Q(NAME) NAME##f128
REFERENCE_DIGAMMA(digamma, double, long double, REFERENCE_L, 16, 0x1p-24)
REFERENCE_DIGAMMA(digammal, long double, quad, REFERENCE_Q, 30, 0x1p-40)
REFERENCE_TRIGAMMA(trigamma, double, long double, REFERENCE_L, 16, 0x1p-24)
REFERENCE_TRIGAMMA(trigammal, long double, quad, REFERENCE_Q, 30, 0x1p-40)
REFERENCE_ERFINV(erfinv, double, REFERENCE_D)
REFERENCE_ERFINV(erfinvl, long double, REFERENCE_L)

#endif
