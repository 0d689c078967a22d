/* What the functions of THVectorMath.h should give, and how to measure how far they are off. */
#ifndef VECTOR_MATH_H
#define VECTOR_MATH_H

#include <math.h>

static inline long double want_sigmoid(long double x)
{
  return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

static inline long double want_rsqrt(long double x)
{
  return 1 / sqrtl(x);
}

/* X(name, reference, an interval where it is interesting, error permitted in units of the last
 * place).  The reference has 11 bits more than double. */
#define VECTOR_MATH(X)                  \
  X(exp, expl, -110, 90, 1)             \
  X(log, logl, 0, 4, 1)                 \
  X(sqrt, sqrtl, 0, 9, 0.5001)          \
  X(tanh, tanhl, -10, 10, 1)            \
  X(sigmoid, want_sigmoid, -100, 20, 1) \
  X(sin, sinl, -30, 30, 1)              \
  X(cos, cosl, -30, 30, 1)              \
  X(tan, tanl, -30, 30, 1)              \
  X(expm1, expm1l, -20, 90, 1)          \
  X(log1p, log1pl, -1, 3, 1)            \
  X(sinh, sinhl, -91, 91, 1)            \
  X(cosh, coshl, -91, 91, 1)            \
  X(asin, asinl, -1, 1, 1)              \
  X(acos, acosl, -1, 1, 1)              \
  X(atan, atanl, -4, 4, 1)              \
  X(erf, erfl, -4, 4, 1.1)              \
  X(rsqrt, want_rsqrt, 0, 9, 1.5)       \
  X(lgamma, lgammal, -4, 40, 4)

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

#endif
