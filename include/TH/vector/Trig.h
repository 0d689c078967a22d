/* sin, cos and tan.  The ...Near functions are for vector loops whose arguments are all isNear;
 * beyond, and for infinities and NaN, the plain ones call the C library's.  The element type is
 * double here: float is computed in it. */

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
  return THMath_(mad)(
      r * z,
      TH_POLY(z, -0x1.555555493944bp-3, 0x1.11110cb855954p-7, -0x1.a017fa6fe5c82p-13,
              0x1.71745c4bb5481p-19, -0x1.9ab8e0d465ba4p-26),
      r);
}

/* The same, negative where the integer in the last bits of turns is odd. */
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
  /* sin(x + pi/2), with n + 1/2 in place of n */
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

/* The coefficients from r^5 on, and of r^4 and from r^6 on. */
#define TH_SIN_POLY                                                                            \
  0x1.111111111110bp-7, -0x1.a01a01a018aaep-13, 0x1.71de3a5335015p-19, -0x1.ae645292646cfp-26, \
      0x1.61208ee6cd252p-33, -0x1.aaa35c56f3f02p-41
#define TH_COS_FOURTH 0x1.555555555554cp-5
#define TH_COS_POLY                                                                             \
  -0x1.6c16c16c15142p-10, 0x1.a01a019caba13p-16, -0x1.27e4f8054a3e4p-22, 0x1.1ee9e898c5d25p-29, \
      -0x1.8facd1fbb86ap-37

/* sin(r + low) = r + s and cos(r + low) = c.hi + c.lo. */
typedef struct THMathAngle {
  double r, s;
  THMathPair c;
} THMathAngle;

TH_MATH THMathAngle THMath_(angle)(double r, double low)
{
  THMathAngle a;
  const THMathPair z = THMath_(product)(r, r), half = {0.5 * z.hi, 0.5 * z.lo};
  const THMathPair third = THMath_(product)(r, -0x1.5555555555555p-3);
  const THMathPair cube = THMath_(product)(third.hi, z.hi);
  const double lost = THMath_(mad)(r, -0x1.5555555555555p-57, third.lo);
  const double sine = THMath_(mad)(r * z.hi * z.hi, TH_POLY(z.hi, TH_SIN_POLY),
                                   THMath_(mad)(third.hi, z.lo, THMath_(mad)(lost, z.hi, cube.lo)));
  const THMathPair s = THMath_(quickSum)(r, cube.hi);
  a.r = s.hi;
  a.s = s.lo + THMath_(mad)(THMath_(mad)(half.hi, -1., 1.), low, sine);
  const THMathPair one = THMath_(quickSum)(1., -half.hi);
  THMathPair fourth = THMath_(product)(z.hi, z.hi);
  fourth.lo += 2 * z.hi * z.lo;
  const THMathPair part = THMath_(productWith)(fourth, TH_COS_FOURTH);
  const THMathPair c = THMath_(quickSum)(one.hi, part.hi);
  const double cosine =
      THMath_(mad)(fourth.hi * z.hi, TH_POLY(z.hi, TH_COS_POLY), part.lo - half.lo);
  a.c = THMath_(quickSum)(c.hi, c.lo + (one.lo + THMath_(mad)(-s.hi, low, cosine)));
  return a;
}

/* sin(x + m pi/2), m being 0 or 1: of the rest r the sine or, for odd n + m, the cosine; (n + m)/2
 * odd changes the sign.  r - r^3/6 or 1 - r^2/2 in two parts, and a polynomial. */
TH_MATH double THMath_(sinOfTurns)(double x, double m)
{
  const THMathRest a = THMath_(rest)(x);
  const double n = a.n + m, r = a.r, low = a.low;
  const int odd = THMath_(isOdd)(n);
  const THMathPair z = THMath_(product)(r, r), third = THMath_(product)(r, -0x1.5555555555555p-3);
  const double base = odd ? 1. : r, factor = odd ? -0.5 : third.hi;
  const double lost = odd ? 0. : THMath_(mad)(r, -0x1.5555555555555p-57, third.lo);
  const double slope = odd ? -THMath_(mad)(third.hi, z.hi, r) : THMath_(mad)(z.hi, -0.5, 1.);
  THMathPair fourth = THMath_(product)(z.hi, z.hi);
  fourth.lo += 2 * z.hi * z.lo;
  const THMathPair part = THMath_(productWith)(fourth, TH_COS_FOURTH);
  const double sine = r * TH_POLY(z.hi, TH_SIN_POLY);
  const double cosine = z.hi * TH_POLY(z.hi, TH_COS_POLY);
  const THMathPair second = THMath_(product)(factor, z.hi);
  const THMathPair h = THMath_(quickSum)(base, second.hi);
  const THMathPair g = THMath_(quickSum)(h.hi, odd ? part.hi : 0.);
  const double tail = THMath_(mad)(fourth.hi, odd ? cosine : sine, odd ? part.lo : 0.);
  const double rest = THMath_(mad)(factor, z.lo, THMath_(mad)(lost, z.hi, second.lo));
  const double y = g.hi + (g.lo + (h.lo + (THMath_(mad)(low, slope, rest) + tail)));
  return THMath_(fromBits)(THMath_(bits)(y) ^ (THMath_(bits)(n + THMath_(rounder)()) & 2) << 62);
}

TH_MATH double THDoubleMath_sinNear(double x)
{
  const double y = THMath_(sinOfTurns)(x, 0);
  return x == 0 ? x : y;
}

TH_MATH double THDoubleMath_cosNear(double x)
{
  return THMath_(sinOfTurns)(x, 1);
}

TH_MATH double THDoubleMath_tanNear(double x)
{
  const THMathRest rest = THMath_(rest)(x);
  const THMathAngle a = THMath_(angle)(rest.r, rest.low);
  const THMathPair s = THMath_(quickSum)(a.r, a.s), c = a.c;
  const int odd = THMath_(isOdd)(rest.n);
  THMathPair up, down;
  up.hi = odd ? -c.hi : s.hi;
  up.lo = odd ? -c.lo : s.lo;
  down.hi = odd ? s.hi : c.hi;
  down.lo = odd ? s.lo : c.lo;
  const THMathPair q = THMath_(quotient)(up, down);
  return x == 0 ? x : q.hi + q.lo;
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
  return THDoubleMath_isNear(x) ? THDoubleMath_sinNear(x) : sin(x);
}

static inline double THDoubleMath_cos(double x)
{
  return THDoubleMath_isNear(x) ? THDoubleMath_cosNear(x) : cos(x);
}

static inline double THDoubleMath_tan(double x)
{
  return THDoubleMath_isNear(x) ? THDoubleMath_tanNear(x) : tan(x);
}
