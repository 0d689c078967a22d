/* The error function. */

TH_MATH real THMath_(erf)(real x)
{
  const real a = THMath_(abs)(x), z = a * a;
  const real near = THMath_(mad)(a, TH_POLY(z, TH_ERF_POLY), a);
  const real t = (a > TH_ERF_ONE ? TH_ERF_ONE : a) - (real)0.875;
  const THMathPair l = THMath_(sum)(TH_ERFC_HIGH, -t * TH_POLY(t, TH_ERFC_POLY));
  const THMathPower p = THMath_(power)(THMath_(powerOf)(l.hi), l.hi, l.lo + TH_ERFC_LOW);
  const real far = 1 - THMath_(power2)(p.n) * (1 + p.r);
  return THMath_(flipped)(a < (real)0.875 ? near : far, x);
}
