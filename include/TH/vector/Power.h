/* x^y for x >= 0, the core of pow: a logarithm to more digits than the result has, times y, and an
 * exponential.  The element type is double here: float is computed in it. */

/* x^y for 0 <= x <= infinity; 1^infinity and 0^0 are left open. */
TH_MATH float THFloatMath_powOfPositive(float x, float y)
{
  const THMathPair s = THMath_(split)((double)x); /* normal, as a double */
  const double f = s.lo - 1;
  const double p = TH_POLY(f, 0x1.5555555dede7p-2, -0x1.000000d08cccfp-2, 0x1.99998e687a169p-3,
                           -0x1.5554978bc4bf8p-3, 0x1.24941953d2c7cp-3, -0x1.001eca277821fp-3,
                           0x1.c6fce4165a598p-4, -0x1.950d906dc4173p-4, 0x1.712ea34ff50dcp-4,
                           -0x1.7b9b6a7293e41p-4, 0x1.79a8ae55e3912p-4, -0x1.9681169428fa3p-5);
  const double l = f - f * f * THMath_(mad)(-f, p, 0.5);
  double log2 = THMath_(mad)(l, TH_LOG2_E, s.hi);
  log2 = x == 0 ? -INFINITY : log2;
  log2 = x < (float)INFINITY ? log2 : x;
  double z = y * log2;
  z = z < -200 ? -200 : z;
  z = z > 200 ? 200 : z;
  const double n = (z + THMath_(rounder)()) - THMath_(rounder)(), r = z - n;
  const double e =
      1 + r * TH_POLY(r, 0x1.62e430cee9b9ap-1, 0x1.ebfbe0db6e3e5p-3, 0x1.c6aecbdc8b634p-5,
                      0x1.3b29a7313e7edp-7, 0x1.5f497c0296319p-10, 0x1.4491be3747a85p-13);
  return (float)(e * THMath_(power2)(n));
}

/* log(x) for normal or denormal x > 0, to 68 bits or so: with s = (m-1)/(m+1), which is at most
 * 0.172, log(m) = 2 s + 2/3 s^3 + 2/5 s^5 + 2 s^7 (1/7 + s^2/9 + ...). */
TH_MATH THMathPair THMath_(logOfPositive)(double x)
{
  const int tiny = x < TH_SMALLEST_NORMAL;
  const THMathPair split = THMath_(split)(tiny ? x * TH_LOG_SCALE : x);
  const double n = tiny ? split.hi - TH_LOG_SCALE_BITS : split.hi;
  const THMathPair up = {split.lo - 1, 0};
  const THMathPair s = THMath_(quotient)(up, THMath_(sum)(split.lo, 1.));
  THMathPair z = THMath_(product)(s.hi, s.hi);
  z.lo += 2 * s.hi * s.lo;
  const double third = 0x1.5555555555555p-1, lost = 0x1.5555555555555p-55; /* 2/3 */
  THMathPair zs = THMath_(product)(z.hi, s.hi);
  zs.lo += z.hi * s.lo + z.lo * s.hi;
  THMathPair cube = THMath_(product)(zs.hi, third);
  cube.lo += zs.lo * third + zs.hi * lost;
  THMathPair zzs = THMath_(product)(zs.hi, z.hi);
  zzs.lo += zs.hi * z.lo + zs.lo * z.hi;
  const double fifth = 0x1.999999999999ap-2, excess = 0x1.999999999999ap-56; /* 2/5 */
  THMathPair five = THMath_(product)(zzs.hi, fifth);
  five.lo += zzs.lo * fifth - zzs.hi * excess;
  const double tail = 2 * zzs.hi * z.hi *
                      TH_POLY(z.hi, 0x1.2492492492489p-3, 0x1.c71c71c71f2a8p-4,
                              0x1.745d174344d79p-4, 0x1.3b13b282b1579p-4, 0x1.1110afabf9bcap-4,
                              0x1.e2053edce2a52p-5, 0x1.ab50a5ee3fd7ep-5, 0x1.c06d1030c8f9ap-5);
  const THMathPair one = THMath_(sum)(n * TH_LN2_HIGH, 2 * s.hi);
  const THMathPair two = THMath_(sum)(one.hi, cube.hi), three = THMath_(sum)(two.hi, five.hi);
  const double low = five.lo + (tail + n * TH_LN2_LOW);
  return THMath_(quickSum)(three.hi, three.lo + (two.lo + (one.lo + (2 * s.lo + (cube.lo + low)))));
}

TH_MATH double THDoubleMath_powOfPositive(double x, double y)
{
  const THMathPair l = THMath_(logOfPositive)(x);
  double log = x == 0 ? -INFINITY : l.hi;
  log = x < INFINITY ? log : x;
  const THMathPair z = THMath_(product)(y, log);
  const double low = z.lo + y * l.lo;
  return THMath_(expOfSum)(z.hi, THMath_(abs)(z.hi) < 1000 ? low : 0);
}
