/* Exponentials, and functions computed from them. */

/* exp(x) = 2^n (1 + r + t): t is the rounding error of r. */
typedef struct THMathPower {
  real n, r, t;
} THMathPower;

/* exp(x) - 1 - x for |x| <= ln(2)/2. */
TH_MATH real THMath_(expTail)(real x)
{
  return x * x * TH_POLY(x, (real)0.5, TH_EXP_POLY);
}

/* x / ln(2) as an integer. */
TH_MATH real THMath_(powerOf)(real x)
{
  return THMath_(mad)(x, TH_LOG2_E, THMath_(rounder)()) - THMath_(rounder)();
}

/* x + low - n ln(2), n being the power of x. */
TH_MATH THMathPair THMath_(lessPower)(real n, real x, real low)
{
#if defined(__FMA__)
  const THMathPair r = {THMath_(mad)(n, -TH_LN2, x), THMath_(mad)(n, -TH_LN2_LOST, low)};
  return r; /* hi is exact: a multiple of the last places of both */
#else
  return THMath_(quickSum)(x - n * TH_LN2_HIGH, low - n * TH_LN2_LOW);
#endif
}

/* one + exp(r) - 1, in a large and a small part.  With one = 1 + 2^k their sum is rounded to as
 * many digits as a result has that is not normal. */
TH_MATH THMathPair THMath_(expOfRest)(THMathPair r, real one)
{
  const real x = r.hi, half = (real)0.5 * x, cube = x * x * x;
  const real hi = THMath_(mad)(half, x, one + x), lost = THMath_(residue)((one - hi) + x, -half, x);
  const real tail = THMath_(mad)(cube, TH_POLY(x, TH_EXP_POLY), lost);
  const real e = hi - (one - 1), power = TH_FRACTION_BITS < 30 ? e : e + tail;
  const THMathPair p = {hi, THMath_(mad)(r.lo, power, tail)};
  return p;
}

/* exp(x + low), n being the power of x. */
TH_MATH THMathPower THMath_(power)(real n, real x, real low)
{
  const THMathPair r = THMath_(lessPower)(n, x, low);
  const real half = (real)0.5 * r.hi, cube = r.hi * r.hi * r.hi;
  const real hi = THMath_(mad)(half, r.hi, r.hi);
  const real lost = THMath_(residue)(r.hi - hi, -half, r.hi);
  const real tail = THMath_(mad)(cube, TH_POLY(r.hi, TH_EXP_POLY), lost);
  const real e = 1 + hi, power = TH_FRACTION_BITS < 30 ? e : e + tail;
  const THMathPair s = THMath_(quickSum)(hi, THMath_(mad)(r.lo, power, tail));
  const THMathPower p = {n, s.hi, s.lo};
  return p;
}

#ifdef TH_REAL_IS_FLOAT
/* exp(x), n being the power of x: 1 + r + r r (1/2 + r/6), all in two parts, and r^4 p(r). */
TH_MATH THMathPower THMath_(finePower)(real n, real x)
{
  const THMathPair rest = THMath_(lessPower)(n, x, 0);
  const real r = rest.hi, sixth = 0x1.555556p-3f, lack = -0x1.555556p-28f; /* together 1/6 */
  const real factor = THMath_(mad)(r, sixth, 0.5f);
  const real lost = THMath_(mad)(r, sixth, 0.5f - factor);
  const THMathPair q = THMath_(product)(r, factor);
  const real hi = THMath_(mad)(q.hi, r, r), low = THMath_(residue)(r - hi, -q.hi, r);
  const real small = THMath_(mad)(THMath_(mad)(lost, r, q.lo), r, low);
  const real more = THMath_(mad)(r, TH_POLY(r, TH_FINE_EXP_POLY), lack);
  const real tail = THMath_(mad)(r * r * r, more, small);
  const THMathPair s = THMath_(quickSum)(hi, THMath_(mad)(rest.lo, 1 + hi, tail));
  const THMathPower p = {n, s.hi, s.lo};
  return p;
}
#else
#define THDoubleMath_finePower(N, X) THDoubleMath_power(N, X, 0)
#endif

/* exp(x + low), low being far smaller than x. */
TH_MATH real THMath_(expOfSum)(real x, real low)
{
  /* Compared as integers, which have a minimum where numbers that may be NaN have none. */
  const THMathBits lowest = THMath_(bits)(TH_EXP_LOWEST), any = THMath_(bits)(x);
  const THMathInt highest = (THMathInt)THMath_(bits)(TH_EXP_HIGHEST);
  const THMathInt above = (THMathInt)(any < lowest ? any : lowest);
  const real near = THMath_(fromBits)((THMathBits)(above < highest ? above : highest));
  const real rounder = THMath_(rounder)() + TH_BIAS;
  const THMathInt least = (THMathInt)THMath_(bits)(rounder - (TH_BIAS + TH_FRACTION_BITS - 1)),
                  nearest = (THMathInt)THMath_(bits)(THMath_(mad)(near, TH_LOG2_E, rounder));
  const real biased = THMath_(fromBits)((THMathBits)(nearest > least ? nearest : least));
  const real n = biased - rounder;
  const THMathBits power = THMath_(bits)(biased) << TH_FRACTION_BITS;
  /* 2^k as long as the result is normal by 2^k times */
  const THMathBits over = THMath_(bits)((real)2) - power,
                   all = 0 - (THMathBits)(near < TH_EXP_SUBNORMAL);
  const real digits = THMath_(fromBits)(over & all);
  const THMathPair e = THMath_(expOfRest)(THMath_(lessPower)(n, near, low), 1 + digits);
  /* 2^n may be too large or too small: by way of 2^64 or 2^-64 (2^512, 2^-512). */
  const THMathBits one = THMath_(bits)((real)1),
                   far = one + ((THMathBits)(TH_BIAS + 1) / 2 << TH_FRACTION_BITS);
  const THMathBits half = near < 0 ? 2 * one - far : far;
  const real y = ((e.hi + e.lo) - digits) * THMath_(fromBits)(power + one - half);
  return x == x ? y * THMath_(fromBits)(half) : x;
}

TH_MATH real THMath_(exp)(real x)
{
  return THMath_(expOfSum)(x, 0);
}

/* The results are normal, and exp gives the same. */
TH_MATH int THMath_(isModest)(real x)
{
  return THMath_(abs)(x) <= TH_EXP_MODEST;
}

TH_MATH real THMath_(expModest)(real x)
{
  const real biased = THMath_(mad)(x, TH_LOG2_E, THMath_(rounder)());
  const real n = biased - THMath_(rounder)();
  const THMathPair e = THMath_(expOfRest)(THMath_(lessPower)(n, x, 0), 1);
  return THMath_(fromBits)(THMath_(bits)(e.hi + e.lo) +
                           (THMath_(bits)(biased) << TH_FRACTION_BITS));
}

/* exp(x) good to two units in the last place, for two thirds of what the exact one takes; results
 * below the smallest normal number are 0. */
TH_MATH real THMath_(expFlushed)(real x)
{
  const real lowest = (real)-0.6932 * TH_BIAS, most = TH_BIAS + 1; /* 2^-TH_BIAS is 0 here */
  x = x < lowest ? lowest : x;
  real n = THMath_(powerOf)(x);
  n = n > most ? most : n;
  const real r = THMath_(mad)(n, -TH_LN2_LOW, THMath_(mad)(n, -TH_LN2_HIGH, x));
  return (1 + THMath_(mad)(r * r, TH_POLY(r, (real)0.5, TH_EXP_POLY), r)) * THMath_(power2)(n);
}

/* exp(x) - 1, to about twice the digits of a number, for x that are not positive. */
TH_MATH THMathPair THMath_(decay)(real x)
{
  x = x < TH_ONE_LOST ? TH_ONE_LOST : x;
  const THMathPower p = THMath_(finePower)(THMath_(powerOf)(x), x);
  const real s = THMath_(power2)(p.n), r = s * p.r;
  const real one = s - 1, lost = s - (one + 1);
  THMathPair e = THMath_(quickSum)(one, r);
  e.lo += lost + s * p.t;
  return e;
}

TH_MATH real THMath_(expm1)(real x)
{
  const real top = x > TH_EXP_HIGHEST ? TH_EXP_HIGHEST : x,
             low = top < TH_ONE_LOST ? TH_ONE_LOST : top;
  const THMathPower p = THMath_(power)(THMath_(powerOf)(low), low, 0);
  /* Half of 2^n, which itself may be too large. */
  const real s = THMath_(power2)(p.n - 1), r = s * p.r;
  const THMathPair one = THMath_(sum)(s, (real)-0.5), e = THMath_(sum)(one.hi, r);
  const real y = 2 * (e.hi + (e.lo + one.lo + s * p.t));
  return THMath_(abs)(x) < 1 / TH_BIG ? x : y; /* half of x may lose bits */
}

TH_MATH real THMath_(tanh)(real x)
{
  /* -e / (2 + e) with e = exp(-2|x|) - 1 */
  const THMathPair e = THMath_(decay)(-2 * THMath_(abs)(x));
  THMathPair d = THMath_(quickSum)((real)2, e.hi);
  d.lo += e.lo;
  const THMathPair q = THMath_(quotient)(e, d);
  return THMath_(signed)(THMath_(abs)(q.hi + q.lo), x);
}

TH_MATH real THMath_(sigmoid)(real x)
{
  /* With a = -|x|: e^a / (1 + e^a), and 1 minus that. */
  real a = -THMath_(abs)(x);
  a = a < TH_EXP_LOWEST ? TH_EXP_LOWEST : a;
  const THMathPower p = THMath_(power)(THMath_(powerOf)(a), a, 0);
  THMathPair e = THMath_(quickSum)((real)1, p.r);
  e.lo += p.t;
  const real s = THMath_(power2)(p.n < TH_ONE_LOST ? TH_ONE_LOST : p.n);
  THMathPair d = THMath_(quickSum)((real)1, s * e.hi);
  d.lo += s * e.lo;
  const THMathPair q = THMath_(quotient)(e, d);
  const real y = THMath_(scaled)(q.hi + q.lo, p.n);
  return x < 0 ? y : 1 - y;
}

/* With x = n ln 2 + r + low, e^x and e^-x have the powers 2^n and 2^-n and polynomials in r and
 * -r in common. */
TH_MATH real THMath_(halfSum)(real x, real sign)
{
  real a = THMath_(abs)(x);
  a = a > TH_EXP_HIGHEST + (real)0.6 ? TH_EXP_HIGHEST + (real)0.6 : a;
  const real n = THMath_(powerOf)(a);
  const real r = THMath_(mad)(n, -TH_LN2_HIGH, a), low = n * -TH_LN2_LOW, all = r + low;
  /* A quarter of the powers: e^x may be too large where half of it is not. */
  const real up = THMath_(power2)(n - 2);
  const real m = n > -TH_ONE_LOST ? -TH_ONE_LOST : n, down = sign * THMath_(power2)(-2 - m);
  const real tail = up * (low + THMath_(expTail)(all)) + down * (THMath_(expTail)(-all) - low);
  const THMathPair one = THMath_(sum)(up, down), two = THMath_(sum)(one.hi, up * r);
  const THMathPair three = THMath_(sum)(two.hi, -down * r);
  return 2 * (three.hi + (three.lo + (two.lo + (one.lo + tail))));
}

TH_MATH real THMath_(sinh)(real x)
{
  const real a = THMath_(abs)(x), y = THMath_(halfSum)(a, -1);
  return THMath_(flipped)(a < 1 / TH_BIG ? a : y, x); /* a quarter of x may lose bits */
}

TH_MATH real THMath_(cosh)(real x)
{
  return THMath_(halfSum)(x, 1);
}
