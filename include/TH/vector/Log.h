/* Logarithms. */

/* x = 2^n m with m between sqrt(1/2) and sqrt(2), for normal x; n in hi, m in lo. */
TH_MATH THMathPair THMath_(split)(real x)
{
  THMathPair s;
  const THMathBits offset = THMath_(bits)((real)1) - THMath_(bits)(TH_SQRT_HALF);
  const THMathBits u = THMath_(bits)(x) + offset;
  const real shift = (real)((THMathBits)1 << TH_FRACTION_BITS);
  /* The biased exponent is below 2^12: as the last bits of 2^TH_FRACTION_BITS it is a number. */
  s.hi = THMath_(fromBits)(THMath_(bits)(shift) | u >> TH_FRACTION_BITS) - (shift + TH_BIAS);
  s.lo = THMath_(fromBits)((u & (((THMathBits)1 << TH_FRACTION_BITS) - 1)) +
                           THMath_(bits)(TH_SQRT_HALF));
  return s;
}

/* n ln(2) + log(1 + f), 1 + f between sqrt(1/2) and sqrt(2); low is added to f. */
TH_MATH real THMath_(logOfPower)(real n, real f, real low)
{
  const THMathPair h = THMath_(quickSum)(n * TH_LN2_HIGH, f);
  low = THMath_(mad)(n, TH_LN2_LOW, low);
#ifdef TH_REAL_IS_FLOAT
  const real t = f * f * THMath_(mad)(-f, TH_POLY(f, TH_LOG_POLY), (real)0.5);
  return h.hi + (h.lo + (low - t));
#else
  const THMathPair square = THMath_(product)(f, -0.5 * f);
  const THMathPair s = THMath_(quickSum)(h.hi, square.hi);
  const real t = -2 * f * square.hi * TH_POLY(f, TH_LOG_POLY);
  return s.hi + (s.lo + (h.lo + (square.lo + low) + t));
#endif
}

/* y where x is positive and finite, otherwise the logarithm's special value. */
TH_MATH real THMath_(logSpecial)(real x, real y)
{
  y = x == 0 ? -(real)INFINITY : y;
  y = x < 0 ? (real)NAN : y;
  return x < (real)INFINITY ? y : x; /* infinity, NaN */
}

TH_MATH real THMath_(log)(real x)
{
  const int tiny = x < TH_SMALLEST_NORMAL;
  const THMathPair s = THMath_(split)(tiny ? x * TH_LOG_SCALE : x);
  const real n = tiny ? s.hi - TH_LOG_SCALE_BITS : s.hi;
  return THMath_(logSpecial)(x, THMath_(logOfPower)(n, s.lo - 1, 0));
}

TH_MATH real THMath_(log1p)(real x)
{
  const THMathPair u = THMath_(sum)((real)1, x), s = THMath_(split)(u.hi);
  /* The rounding error of 1 + x, on the scale of f; for large x it no longer matters. */
  const real far = -TH_ONE_LOST, n = s.hi > far ? far : s.hi;
  const real f = s.lo - 1, low = u.lo * THMath_(power2)(-n);
  const real y = THMath_(logOfPower)(s.hi, f, low - low * f * (1 - f));
  return x == 0 ? x : THMath_(logSpecial)(u.hi, y);
}
