/* Rounding, remainders, signs, roots: all exact or correctly rounded. */

/* x rounded to the nearest integer, halves to the even one. */
TH_MATH real THMath_(round)(real x)
{
#if defined(__SSE4_1__)
  return TH_ROUND_BUILTIN(nearbyint)(x);
#else
  const real a = THMath_(abs)(x), limit = (real)((THMathBits)1 << TH_FRACTION_BITS);
  return a < limit ? THMath_(signed)((a + limit) - limit, x) : x;
#endif
}

TH_MATH real THMath_(floor)(real x)
{
#if defined(__SSE4_1__)
  return TH_ROUND_BUILTIN(floor)(x);
#else
  const real r = THMath_(round)(x), f = r - (real)(r > x);
  return r == x ? x : THMath_(signed)(THMath_(abs)(f), x);
#endif
}

TH_MATH real THMath_(ceil)(real x)
{
  return -THMath_(floor)(-x);
}

TH_MATH real THMath_(trunc)(real x)
{
#if defined(__SSE4_1__)
  return TH_ROUND_BUILTIN(trunc)(x);
#else
  return THMath_(signed)(THMath_(floor)(THMath_(abs)(x)), x);
#endif
}

/* The fraction, with the sign of x; NaN for infinities. */
TH_MATH real THMath_(frac)(real x)
{
  return x - THMath_(trunc)(x);
}

TH_MATH real THMath_(sqrt)(real x)
{
  return TH_ROUND_BUILTIN(sqrt)(x);
}

/* 1 / sqrt(x), from the rounded root: off by less than 1.5 units. */
TH_MATH real THMath_(rsqrt)(real x)
{
  return 1 / TH_ROUND_BUILTIN(sqrt)(x);
}

/* -1, 0 or 1; NaN gives 0. */
TH_MATH real THMath_(sign)(real x)
{
  return (real)(x > 0) - (real)(x < 0);
}
