/* The error function. */

/* |x| < 7/8: a + a p(v) with v = 49/128 - a^2; the terms of p are added from the smallest on. */
TH_MATH real THMath_(erf)(real x)
{
  const real a = THMath_(abs)(x), v = THMath_(residue)((real)0.3828125, a, a);
  const real square = THMath_(mad)(v, TH_POLY(v, TH_ERF_POLY), TH_ERF_SLOPE_LOST);
  const real p = THMath_(mad)(v, TH_ERF_SLOPE, THMath_(mad)(v, square, TH_ERF_VALUE));
  real near = THMath_(fused)(a, p, a);
#if !defined(__FMA__) && !defined(TH_REAL_IS_FLOAT)
  near = a < 1 / TH_BIG ? a * 0x1.20dd750429b6dp+0 : near; /* 2/sqrt(pi): denormals too */
#endif
  const real t = (a > TH_ERF_ONE ? TH_ERF_ONE : a) - (real)0.875;
  const THMathPair l = THMath_(sum)(TH_ERFC_HIGH, -t * TH_POLY(t, TH_ERFC_POLY));
  const THMathPower e = THMath_(power)(THMath_(powerOf)(l.hi), l.hi, l.lo + TH_ERFC_LOW);
  const real s = THMath_(power2)(e.n), far = THMath_(mad)(-s, e.r, 1 - s);
  return THMath_(flipped)(a < (real)0.875 ? near : far, x);
}
