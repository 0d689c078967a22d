/* The functions that the expressions of src/ops/pointwise.h call, THMath_(name), on the device:
 * CUDA's for floating types, and those of src/ops/elements.h.  A .cu file that is compiled once per
 * element type includes this file first.
 *
 * Half is computed in float and rounded once: memory holds `element`, expressions use `real`, and
 * THC_LOAD and THC_STORE convert. */
#ifndef THC_MATH_H
#define THC_MATH_H

#include "THC/core/thc_cuda.h"

#include "THGeneral.h"
/* TH's scalar functions, compiled for the device too. */
#define inline inline __host__ __device__
#include "THMath.h"
#undef inline

#include "THC/core/thc_template.h"

typedef real element;
#ifdef TH_REAL_IS_HALF
#undef real
#define real         float
#define THC_LOAD(X)  THC_halfToFloat(X)
#define THC_STORE(X) THC_floatToHalf(X)
#else
#define THC_LOAD(X)  (X)
#define THC_STORE(X) (X)
#endif

#define THMath_(NAME) TH_CONCAT_2(THCMath_, NAME)

#ifndef ureal /* floating */

#ifdef TH_REAL_IS_DOUBLE
#define THC_FUNCTION(NAME) NAME
#else
#define THC_FUNCTION(NAME) NAME##f
#endif

/* clang-format off */
#define THC_MATH_1(NAME, FUNCTION) THC_DEVICE real THMath_(NAME)(real x) { return THC_FUNCTION(FUNCTION)(x); }
#define THC_MATH_2(NAME, FUNCTION)                                                       \
  THC_DEVICE real THMath_(NAME)(real x, real y) { return THC_FUNCTION(FUNCTION)(x, y); }
/* clang-format on */
THC_MATH_1(abs, fabs)
THC_MATH_1(sqrt, sqrt)
THC_MATH_1(rsqrt, rsqrt)
THC_MATH_1(ceil, ceil)
THC_MATH_1(floor, floor)
THC_MATH_1(round, rint)
THC_MATH_1(trunc, trunc)
THC_MATH_1(exp, exp)
THC_MATH_1(expm1, expm1)
THC_MATH_1(log, log)
THC_MATH_1(log1p, log1p)
THC_MATH_1(tanh, tanh)
THC_MATH_1(sinh, sinh)
THC_MATH_1(cosh, cosh)
THC_MATH_1(sin, sin)
THC_MATH_1(cos, cos)
THC_MATH_1(tan, tan)
THC_MATH_1(asin, asin)
THC_MATH_1(acos, acos)
THC_MATH_1(atan, atan)
THC_MATH_1(erf, erf)
THC_MATH_1(erfinv, erfinv)
THC_MATH_2(fmod, fmod)
THC_MATH_2(atan2, atan2)

THC_DEVICE real THMath_(frac)(real x)
{
  return x - THMath_(trunc)(x);
}

/* The argument of exp is not positive: the exponential may underflow, but not overflow. */
THC_DEVICE real THMath_(sigmoid)(real x)
{
  const real e = THMath_(exp)(-THMath_(abs)(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/* The exponent is often the same for all elements, and most often 2. */
THC_DEVICE real THMath_(pow)(real x, real y)
{
  return y == 2 ? x * x : THC_FUNCTION(pow)(x, y);
}

/* Long functions are called, not inlined. */
#ifdef __CUDACC__
#define THC_CALLED static __device__ __noinline__
#else
#define THC_CALLED static inline
#endif

THC_CALLED real THMath_(lgamma)(real x)
{
  return THC_FUNCTION(lgamma)(x);
}

THC_CALLED real THMath_(digamma)(real x)
{
  return (real)TH_digamma((double)x);
}

THC_CALLED real THMath_(trigamma)(real x)
{
  return (real)TH_trigamma((double)x);
}

/* The remainder with the sign of y, from the remainder with the sign of the dividend. */
THC_DEVICE real THMath_(floorMod)(real rest, real y)
{
  return (rest != 0 && (rest < 0) != (y < 0)) ? rest + y : rest;
}

#else

/* Divisors in device memory are not checked for 0: the quotient is then 0 and the remainder the
 * dividend.  The smallest integer divided by -1 wraps around to itself. */
THC_DEVICE real THMath_(divide)(real x, real y)
{
  if (y == 0)
    return 0;
  return (real)-1 < 0 && y == (real)-1 ? (real)(0 - (ureal)x) : (real)(x / y);
}

#if defined(TH_REAL_IS_INT) || defined(TH_REAL_IS_LONG)
THC_DEVICE real THMath_(divideProduct)(real x, real y)
{
  return THMath_(divide)(x, y);
}
#else
THC_DEVICE int THMath_(divideProduct)(int x, real y)
{
  return y == 0 ? 0 : x / y;
}
#endif

#endif

/* Expressions compare Byte with 0. */
#ifdef __CUDACC__
#pragma nv_diag_suppress 186
#else
#pragma GCC diagnostic ignored "-Wtype-limits"
#endif
#define TH_ELEMENT THC_DEVICE
#include "ops/elements.h"

#endif
