/* sin, cos and tan.  The ...Near functions are for vector loops whose arguments are all isNear; the
 * plain ones take any: of float they call the C library's of double where arguments are not near.
 * The element type is double here: float is computed in it. */

#define TH_TRIG_LIMIT 1048576. /* up to here a product below is exact */
#define TH_INVERSE_PI 0x1.45f306dc9c883p-2

/* x - n pi: pi in two parts, the product of n and the first is exact. */
TH_MATH double THFloatMath_lessPi(double x, double n)
{
  return THMath_(mad)(n, -0x1.0b4611a626331p-33, THMath_(mad)(n, -0x1.921fb544p+1, x));
}

/* sin(r) for |r| <= pi/2, good enough for float. */
TH_MATH double THFloatMath_sinOfHalfTurn(double r)
{
  const double z = r * r;
  return THMath_(mad)(r * z,
                      TH_POLY(z, -0x1.555555493944bp-3, 0x1.11110cb855954p-7,
                              -0x1.a017fa6fe5c82p-13, 0x1.71745c4bb5481p-19,
                              -0x1.9ab8e0d465ba4p-26),
                      r);
}

/* sin(r) for |r| <= pi/2, negated where the integer in the last bits of turns is odd. */
TH_MATH float THFloatMath_sinOfRest(double turns, double r)
{
  const double s = THFloatMath_sinOfHalfTurn(r);
  return (float)THMath_(fromBits)(THMath_(bits)(s) ^ THMath_(bits)(turns) << 63);
}

TH_MATH float THFloatMath_sinNear(float x)
{
  const double turns = THMath_(mad)(x, TH_INVERSE_PI, THMath_(rounder)());
  const float y = THFloatMath_sinOfRest(turns, THFloatMath_lessPi(x, turns - THMath_(rounder)()));
  return x == 0 ? x : y;
}

TH_MATH float THFloatMath_cosNear(float x)
{
  /* sin(x + pi/2), with n + 1/2 instead of n */
  const double a = THMath_(abs)(x);
  const double turns = THMath_(mad)(a, TH_INVERSE_PI, 0.5) + THMath_(rounder)();
  return THFloatMath_sinOfRest(turns,
                               THFloatMath_lessPi(a, turns - (THMath_(rounder)() + 1) + 0.5));
}

/* x - n pi/2 = r + low, |r| <= pi/4. */
typedef struct THMathRest {
  double n, r, low;
} THMathRest;

TH_MATH THMathRest THMath_(rest)(double x)
{
  const double n = THMath_(mad)(x, 2 * TH_INVERSE_PI, THMath_(rounder)()) - THMath_(rounder)();
  /* pi/2 in four parts: the products of n with the first three are exact. */
  const double first = THMath_(mad)(n, -0x1.921fb544p+0, x);
  const THMathPair second = THMath_(sum)(first, -(n * 0x1.0b4611a6p-34));
  const THMathPair third = THMath_(sum)(second.hi, -(n * 0x1.3198a2ep-69));
  const THMathPair h =
      THMath_(quickSum)(third.hi, THMath_(mad)(n, -0x1.b839a252049c1p-104, third.lo + second.lo));
  const THMathRest a = {n, h.hi, h.lo};
  return a;
}

TH_MATH int THMath_(isOdd)(double n)
{
  return THMath_(round)(n * 0.5) * 2 != n;
}

/* The coefficients of r^4, with its rounding error, and from r^6 on; of r^5 and from r^7 on. */
#define TH_COS_FOURTH 0x1.5555555555555p-5
#define TH_COS_LOST   0x1.5555555555555p-59
#define TH_COS_POLY                                                                             \
  -0x1.6c16c16c16c15p-10, 0x1.a01a01a0196eep-16, -0x1.27e4fb7685ac2p-22, 0x1.1eed8d2cbc85ap-29, \
      -0x1.9393c507fb417p-37, 0x1.aaffbaa566f8bp-45
#define TH_SIN_FIFTH 0x1.1111111111111p-7
#define TH_SIN_POLY                                                                             \
  -0x1.a01a01a019c22p-13, 0x1.71de3a548fc2fp-19, -0x1.ae64543d45c9fp-26, 0x1.61218f31fd80bp-33, \
      -0x1.ab1b347e3b884p-41

/* sin(r + low) = r + s and cos(r + low) = c.hi + c.lo. */
typedef struct THMathAngle {
  double r, s;
  THMathPair c;
} THMathAngle;

TH_MATH THMathAngle THMath_(angle)(double r, double low)
{
  THMathAngle a;
  const THMathPair z = THMath_(product)(r, r), half = {0.5 * z.hi, 0.5 * z.lo};
  THMathPair fourth = THMath_(product)(z.hi, z.hi);
  fourth.lo += 2 * z.hi * z.lo;
  const THMathPair part = THMath_(productWith)(fourth, TH_COS_FOURTH);
  const THMathPair one = THMath_(quickSum)(1., -half.hi);
  const THMathPair c = THMath_(quickSum)(one.hi, part.hi);
  const THMathPair third = THMath_(product)(r, -0x1.5555555555555p-3);
  const THMathPair cube = THMath_(product)(third.hi, z.hi);
  const double lost = THMath_(mad)(r, -0x1.5555555555555p-57, third.lo);
  const double sine =
      THMath_(mad)(r * fourth.hi, THMath_(mad)(z.hi, TH_POLY(z.hi, TH_SIN_POLY), TH_SIN_FIFTH),
                   THMath_(mad)(third.hi, z.lo, THMath_(mad)(lost, z.hi, cube.lo)));
  const THMathPair s = THMath_(quickSum)(r, cube.hi);
  a.r = s.hi;
  a.s = s.lo + THMath_(mad)(c.hi, low, sine);
  const double cosine =
      THMath_(mad)(fourth.hi, THMath_(mad)(z.hi, TH_POLY(z.hi, TH_COS_POLY), TH_COS_LOST),
                   part.lo - half.lo);
  a.c = THMath_(quickSum)(c.hi, c.lo + (one.lo + THMath_(mad)(-s.hi, low, cosine)));
  return a;
}

/* sin(x + m pi/2), m being 0 or 1, from the rest of x: the sine of r or, for odd n + m, the cosine;
 * (n + m)/2 odd changes the sign.  r - r^3/6 + r^5/120 or 1 - r^2/2 + r^4/24 in two parts, and a
 * polynomial. */
TH_MATH double THMath_(sinOfTurns)(THMathRest a, double m)
{
  const double n = a.n + m, r = a.r, low = a.low;
  const int odd = THMath_(isOdd)(n);
  const THMathPair z = THMath_(product)(r, r), third = THMath_(product)(r, -0x1.5555555555555p-3);
  const double base = odd ? 1. : r, factor = odd ? -0.5 : third.hi;
  const double lost = odd ? 0. : THMath_(mad)(r, -0x1.5555555555555p-57, third.lo);
  const double even = THMath_(mad)(z.hi, THMath_(mad)(z.hi, TH_COS_FOURTH, -0.5), 1.);
  const double slope = odd ? -THMath_(mad)(third.hi, z.hi, r) : even;
  THMathPair fourth = THMath_(product)(z.hi, z.hi);
  fourth.lo += 2 * z.hi * z.lo;
  const THMathPair part = THMath_(productWith)(fourth, odd ? TH_COS_FOURTH : r * TH_SIN_FIFTH);
  const double sine = r * z.hi * TH_POLY(z.hi, TH_SIN_POLY);
  const double cosine = THMath_(mad)(z.hi, TH_POLY(z.hi, TH_COS_POLY), TH_COS_LOST);
  const THMathPair second = THMath_(product)(factor, z.hi);
  const THMathPair h = THMath_(quickSum)(base, second.hi);
  const THMathPair g = THMath_(quickSum)(h.hi, part.hi);
  const double tail = THMath_(mad)(fourth.hi, odd ? cosine : sine, part.lo);
  const double rest = THMath_(mad)(factor, z.lo, THMath_(mad)(lost, z.hi, second.lo));
  const double y = g.hi + (g.lo + (h.lo + (THMath_(mad)(low, slope, rest) + tail)));
  return THMath_(fromBits)(THMath_(bits)(y) ^ (THMath_(bits)(n + THMath_(rounder)()) & 2) << 62);
}

TH_MATH double THDoubleMath_sinNear(double x)
{
  const double y = THMath_(sinOfTurns)(THMath_(rest)(x), 0);
  return x == 0 ? x : y;
}

TH_MATH double THDoubleMath_cosNear(double x)
{
  return THMath_(sinOfTurns)(THMath_(rest)(x), 1);
}

TH_MATH double THMath_(tanOfRest)(THMathRest rest)
{
  const THMathAngle a = THMath_(angle)(rest.r, rest.low);
  const THMathPair s = THMath_(quickSum)(a.r, a.s), c = a.c;
  const int odd = THMath_(isOdd)(rest.n);
  THMathPair up, down;
  up.hi = odd ? -c.hi : s.hi;
  up.lo = odd ? -c.lo : s.lo;
  down.hi = odd ? s.hi : c.hi;
  down.lo = odd ? s.lo : c.lo;
  const THMathPair q = THMath_(quotient)(up, down);
  return q.hi + q.lo;
}

TH_MATH double THDoubleMath_tanNear(double x)
{
  const double y = THMath_(tanOfRest)(THMath_(rest)(x));
  return x == 0 ? x : y;
}

TH_MATH float THFloatMath_tanNear(float x)
{
  const double n = THMath_(mad)(x, 2 * TH_INVERSE_PI, THMath_(rounder)()) - THMath_(rounder)();
  const double r = THFloatMath_lessPi(x, 0.5 * n), z = r * r;
  const double s = r + r * z *
                           TH_POLY(z, -0x1.5555554ca66dbp-3, 0x1.111108883a82ap-7,
                                   -0x1.a00f9252f4083p-13, 0x1.6cd5a46db2475p-19);
  const double c = 1 + z * TH_POLY(z, -0.5, 0x1.5555554f44582p-5, -0x1.6c16b88dd996fp-10,
                                   0x1.a01118c382a45p-16, -0x1.24294614365c4p-22);
  const int odd = THMath_(isOdd)(n);
  const float y = (float)((odd ? -c : s) / (odd ? s : c));
  return x == 0 ? x : y;
}

/* --- for any argument ------------------------------------------------------------------------ */

#include "TrigFar.h"

TH_MATH int THFloatMath_isNear(float x)
{
  return THFloatMath_abs(x) <= (float)TH_TRIG_LIMIT;
}

TH_MATH int THDoubleMath_isNear(double x)
{
  return THDoubleMath_abs(x) <= TH_TRIG_LIMIT;
}

static inline float THFloatMath_sin(float x)
{
  return THFloatMath_isNear(x) ? THFloatMath_sinNear(x) : (float)sin(x);
}

static inline float THFloatMath_cos(float x)
{
  return THFloatMath_isNear(x) ? THFloatMath_cosNear(x) : (float)cos(x);
}

static inline float THFloatMath_tan(float x)
{
  return THFloatMath_isNear(x) ? THFloatMath_tanNear(x) : (float)tan(x);
}

static inline double THDoubleMath_sin(double x)
{
  if (THDoubleMath_isNear(x))
    return THDoubleMath_sinNear(x);
  return x - x == 0 ? THMath_(sinOfTurns)(THMath_(restFar)(x), 0) : x - x;
}

static inline double THDoubleMath_cos(double x)
{
  if (THDoubleMath_isNear(x))
    return THDoubleMath_cosNear(x);
  return x - x == 0 ? THMath_(sinOfTurns)(THMath_(restFar)(x), 1) : x - x;
}

static inline double THDoubleMath_tan(double x)
{
  if (THDoubleMath_isNear(x))
    return THDoubleMath_tanNear(x);
  return x - x == 0 ? THMath_(tanOfRest)(THMath_(restFar)(x)) : x - x;
}
