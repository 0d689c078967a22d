/* The error function. */

TH_MATH real THMath_(erf)(real x)
{
  const real a = THMath_(abs)(x), z = THMath_(residue)((real)0.3828125, a, a);
  const real near = THMath_(fused)(a, TH_POLY(z, TH_ERF_POLY), a);
  const real t = (a > TH_ERF_ONE ? TH_ERF_ONE : a) - (real)0.875;
  const THMathPair l = THMath_(sum)(TH_ERFC_HIGH, -t * TH_POLY(t, TH_ERFC_POLY));
  const THMathPower p = THMath_(power)(THMath_(powerOf)(l.hi), l.hi, l.lo + TH_ERFC_LOW);
  const real s = THMath_(power2)(p.n), far = THMath_(mad)(-s, p.r, 1 - s);
  return THMath_(flipped)(a < (real)0.875 ? near : far, x);
}
