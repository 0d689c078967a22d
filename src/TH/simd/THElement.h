/* The functions of one element that the expressions of src/ops/pointwise.h use, beyond those of
 * THVectorMath.h: THMath_(name) for the current element type. */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

static inline real THMath_(remainderNear)(real x, real y)
{
  return THMath_(floorMod)(THMath_(fmodNear)(x, y), y);
}

static inline real THMath_(lgamma)(real x)
{
  int sign; /* lgamma would store the sign in a variable that threads share */
  const double y = lgamma_r(x, &sign);
#ifdef TH_REAL_IS_DOUBLE
  if (x < 0 && fabs(y) < 1)
    return (double)lgammal_r(x, &sign); /* lgamma loses digits near its zeros here */
#endif
  return (real)y;
}

#if defined(TH_REAL_IS_DOUBLE)
static inline double THDoubleMath_erfinv(double x)
{
  return TH_erfinv(x);
}

static inline double THDoubleMath_digamma(double x)
{
  return TH_digamma(x);
}

static inline double THDoubleMath_trigamma(double x)
{
  return TH_trigamma(x);
}
#endif

#else

/* Dividing the least integer by -1 would trap, so that it is made to wrap around to itself.  Narrow
 * types divide in floating arithmetic, which has vectors and is exact: a quotient of n bits is 2^-n
 * or more away from the next integer. */
#if defined(TH_REAL_IS_LONG)
static inline real THMath_(divide)(real x, real y)
{
  return y == -1 ? -x : x / y;
}
#elif defined(TH_REAL_IS_INT)
static inline real THMath_(divide)(real x, real y)
{
  const double q = (double)x / y;
  return y == -1 ? -x : (real)(q < 0x1p31 ? q : 0);
}
#else
static inline real THMath_(divide)(real x, real y)
{
  return (real)(int)((float)x / (float)y);
}

/* An int divided by a narrow divisor: only double has enough digits. */
static inline int THMath_(divideProduct)(int x, real y)
{
  return (int)((double)x / y);
}
#endif

#if defined(TH_REAL_IS_INT) || defined(TH_REAL_IS_LONG)
static inline real THMath_(divideProduct)(real x, real y)
{
  return THMath_(divide)(x, y);
}
#endif

#endif

#define TH_ELEMENT static inline
#include "ops/elements.h"
