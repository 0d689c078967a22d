/* The functions of one element that the expressions of src/ops/pointwise.h use, beyond those of
 * THVectorMath.h: THMath_(name) for the current element type. */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* NaN, on either side, is the result; of equal numbers the first. */
static inline real THMath_(max)(real x, real y)
{
  return ((y > x) | (y != y)) ? y : x;
}

static inline real THMath_(min)(real x, real y)
{
  return ((y < x) | (y != y)) ? y : x;
}

static inline real THMath_(divide)(real x, real y)
{
  return x / y;
}

static inline real THMath_(remainderNear)(real x, real y)
{
  return THMath_(floorMod)(THMath_(fmodNear)(x, y), y);
}

static inline real THMath_(remainder)(real x, real y)
{
  return THMath_(floorMod)(THMath_(fmod)(x, y), y);
}

/* Times a power of 2, of any number. */
static inline real THMath_(lshift)(real x, real y)
{
  return (real)(x * exp2(y));
}

static inline real THMath_(rshift)(real x, real y)
{
  return (real)(x / exp2(y));
}

/* Exact at both ends. */
static inline real THMath_(lerp)(real x, real y, real weight)
{
  const real d = y - x, front = x + weight * d, back = y - d * (1 - weight);
  return weight < (real)0.5 ? front : back;
}

static inline real THMath_(lgamma)(real x)
{
  int sign; /* lgamma would leave it in a variable that threads share */
  return (real)lgamma_r(x, &sign);
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

static inline real THMath_(polygamma)(real n, real x)
{
  return n == 0 ? THMath_(digamma)(x) : THMath_(trigamma)(x);
}

#else

static inline real THMath_(max)(real x, real y)
{
  return y > x ? y : x;
}

static inline real THMath_(min)(real x, real y)
{
  return y < x ? y : x;
}

/* The least integer divided by -1 would trap: it wraps around to itself.  Narrow types divide in
 * floating arithmetic, which has vectors and is exact: a quotient of n bits is 2^-n or more away
 * from the next integer. */
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
#endif

/* With the sign of x, and with that of y. */
static inline real THMath_(fmod)(real x, real y)
{
  return (real)(x - THMath_(divide)(x, y) * y);
}

static inline real THMath_(remainder)(real x, real y)
{
  const real rest = THMath_(fmod)(x, y);
  return ((rest != 0) & ((rest < 0) != (y < 0))) ? (real)(rest + y) : rest;
}

static inline real THMath_(abs)(real x)
{
  return x < 0 ? -x : x;
}

/* A count below 0, or not below the width, shifts everything out. */
static inline real THMath_(lshift)(real x, real y)
{
  const ureal count = (ureal)y, width = 8 * sizeof(real);
  const ureal inside = count < width ? count : 0;
  return count < width ? (real)((ureal)x << inside) : 0;
}

static inline real THMath_(rshift)(real x, real y)
{
  const ureal count = (ureal)y, most = 8 * sizeof(real) - 1;
  return (real)(x >> (count < most ? count : most)) &
         (real)((real)-1 < 0 || count <= most ? -1 : 0);
}

/* Wraps around.  A negative power is the integer part of the exact one: 0 but for 1 and -1. */
static inline real THMath_(pow)(real x, real y)
{
  if (y < 0)
    return x == 1 ? 1 : x == (real)-1 ? (y & 1 ? -1 : 1) : 0;
  real power = 1;
  for (; y; y >>= 1) {
    if (y & 1)
      power = (real)(power * x);
    x = (real)(x * x);
  }
  return power;
}

#endif
