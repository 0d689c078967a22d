/* What the functions of THVectorMath.h should give, and how to measure how far they are off. */
#ifndef VECTOR_MATH_H
#define VECTOR_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "special_reference.h"

/* X(name, reference, an interval where it is interesting, error permitted in units of the
 * last place).  The reference is of x, with C's functions as L(function): L makes them those of long
 * double, with 11 bits more than double, or of double, which is enough for floats. */
#define VECTOR_MATH(X)                                                                  \
  X(exp, L(exp)(x), -110, 90, 0.6)                                                      \
  X(log, L(log)(x), 0, 4, 0.9)                                                          \
  X(sqrt, L(sqrt)(x), 0, 9, 0.5001)                                                     \
  X(tanh, L(tanh)(x), -10, 10, 0.57)                                                    \
  X(sigmoid, x < 0 ? L(exp)(x) / (1 + L(exp)(x)) : 1 / (1 + L(exp)(-x)), -100, 20, 0.9) \
  X(sin, L(sin)(x), -30, 30, 0.51)                                                      \
  X(cos, L(cos)(x), -30, 30, 0.51)                                                      \
  X(tan, L(tan)(x), -30, 30, 0.52)                                                      \
  X(expm1, L(expm1)(x), -20, 90, 0.65)                                                  \
  X(log1p, L(log1p)(x), -1, 3, 1)                                                       \
  X(sinh, L(sinh)(x), -91, 91, 0.9)                                                     \
  X(cosh, L(cosh)(x), -91, 91, 0.75)                                                    \
  X(asin, L(asin)(x), -1, 1, 0.7)                                                       \
  X(acos, L(acos)(x), -1, 1, 0.7)                                                       \
  X(atan, L(atan)(x), -4, 4, 0.75)                                                      \
  X(erf, L(erf)(x), -4, 4, 0.77)                                                        \
  X(rsqrt, 1 / L(sqrt)(x), 0, 9, 1.5)                                                   \
  X(lgamma, L(lgamma)(x), -4, 40, 3)                                                    \
  X(erfinv, L(erfinv)(x), -1, 1, 0.51)                                                  \
  X(digamma, L(digamma)(x), -9, 30, 4)                                                  \
  X(trigamma, L(trigamma)(x), -9, 30, 3)                                                \
  X(cinv, 1 / x, -4, 4, 0.5001)                                                         \
  X(neg, -x, -4, 4, EXACT)                                                              \
  X(abs, L(fabs)(x), -4, 4, EXACT)                                                      \
  X(ceil, L(ceil)(x), -9, 9, EXACT)                                                     \
  X(floor, L(floor)(x), -9, 9, EXACT)                                                   \
  X(round, NEAREST(x), -9, 9, EXACT)                                                    \
  X(trunc, L(trunc)(x), -9, 9, EXACT)                                                   \
  X(frac, x - L(trunc)(x), -9, 9, EXACT)

#ifdef TH_COMPAT_TORCH7
#define NEAREST(x) L(round)(x)
#else
#define NEAREST(x) L(rint)(x)
#endif

#define EXACT 0x1p-20

/* |got - want| in units of the last place of a result with so many bits and such a least exponent:
 * 24 and -149, or 53 and -1074.  Infinite where one is NaN, infinite or a zero with a sign that the
 * other is not. */
static inline double units_off(long double got, long double want, int bits, int least)
{
  if (isnan(want) || isnan(got))
    return isnan(want) && isnan(got) ? 0 : INFINITY;
  const long double rounded = bits == 24 ? (long double)(float)want : (long double)(double)want;
  if (isinf(rounded) || isinf(got))
    return rounded == got ? 0 : INFINITY;
  if (want == 0)
    return got == 0 && !signbit(got) == !signbit(want) ? 0 : INFINITY;
  int exponent;
  frexpl(want, &exponent);
  exponent -= bits;
  return (double)(fabsl(got - want) / ldexpl(1, exponent < least ? least : exponent));
}

/* units_off for float, by arithmetic that is quick for the many results that are finite and not tiny. */
static inline double float_units_off(float got, double want)
{
  const double size = fabs(want);
  if (!(size >= 0x1p-126 && size < 0x1.fffffep127 && isfinite(got)))
    return units_off(got, want, 24, -149);
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  bits = (bits & (uint64_t)0x7ff << 52) - ((uint64_t)23 << 52); /* a unit of the last place */
  double unit;
  memcpy(&unit, &bits, sizeof unit);
  return fabs(got - want) / unit;
}

#endif
