/* Exponentials, and what is made of them. */

/* exp(x) = 2^n (1 + r + t): t is what r lost in rounding. */
typedef struct THMathPower {
  real n, r, t;
} THMathPower;

/* exp(x) - 1 - x for |x| <= ln(2)/2. */
TH_MATH real THMath_(expTail)(real x)
{
  return x * x * TH_POLY(x, TH_EXP_POLY);
}

/* x / ln(2) as an integer. */
TH_MATH real THMath_(powerOf)(real x)
{
  return THMath_(mad)(x, TH_LOG2_E, THMath_(rounder)()) - THMath_(rounder)();
}

/* exp(x + low), n being the power of x. */
TH_MATH THMathPower THMath_(power)(real n, real x, real low)
{
  const real high = THMath_(mad)(n, -TH_LN2_HIGH, x); /* exact */
  low = THMath_(mad)(n, -TH_LN2_LOW, low);
  const real r = high + low;
  const THMathPair e = THMath_(quickSum)(high, THMath_(mad)(r * r, TH_POLY(r, TH_EXP_POLY), low));
  const THMathPower p = {n, e.hi, e.lo};
  return p;
}

/* exp(x + low), low being far smaller than x. */
TH_MATH real THMath_(expOfSum)(real x, real low)
{
  x = x < TH_EXP_LOWEST ? TH_EXP_LOWEST : x;
  real n = THMath_(powerOf)(x);
  /* Where x is larger still, r is large too, and the result infinite. */
  n = n > TH_EXP_LIMIT ? TH_EXP_LIMIT : n;
  return THMath_(scaled)(1 + THMath_(power)(n, x, low).r, n);
}

TH_MATH real THMath_(exp)(real x)
{
  return THMath_(expOfSum)(x, 0);
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
  return (1 + THMath_(mad)(r * r, TH_POLY(r, TH_EXP_POLY), r)) * THMath_(power2)(n);
}

/* exp(x) - 1, to about twice the digits of a number, for x that are not positive. */
TH_MATH THMathPair THMath_(decay)(real x)
{
  x = x < TH_ONE_LOST ? TH_ONE_LOST : x;
  const THMathPower p = THMath_(power)(THMath_(powerOf)(x), x, 0);
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
  return THMath_(abs)(x) < 1 / TH_BIG ? x : y; /* half of it may lose bits */
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
  return THMath_(flipped)(a < 1 / TH_BIG ? a : y, x); /* a quarter of it may lose bits */
}

TH_MATH real THMath_(cosh)(real x)
{
  return THMath_(halfSum)(x, 1);
}
