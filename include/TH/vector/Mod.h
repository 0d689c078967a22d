/* Remainders of division, exact.  The ...Near functions are for vector loops whose operands are all
 * areNear: then the quotient is an exact integer.  The element type is double here: float is
 * computed in it. */

/* |x / y| is far below the largest exact integer of double, and y is finite. */
TH_MATH int THFloatMath_areNear(float x, float y)
{
  const float a = THFloatMath_abs(x), b = THFloatMath_abs(y);
  return (a < b * 0x1p28f) & (b < (float)INFINITY);
}

TH_MATH int THDoubleMath_areNear(double x, double y)
{
  const double a = THDoubleMath_abs(x), b = THDoubleMath_abs(y);
  return (a < b * 0x1p52) & (b < 0x1p900) & (b > 0x1p-900);
}

/* The remainder with the sign of x. */
TH_MATH float THFloatMath_fmodNear(float x, float y)
{
  /* Nothing rounds: the quotient is 2^-24 or more away from the next integer. */
  const double q = THMath_(trunc)((double)x / y);
  return THFloatMath_signed(THFloatMath_abs((float)(x - q * y)), x);
}

TH_MATH double THDoubleMath_fmodNear(double x, double y)
{
  const double a = THMath_(abs)(x), b = THMath_(abs)(y);
  /* The quotient may have been rounded up to the next integer: then the rest is negative. */
  const double rest = THMath_(residue)(a, THMath_(trunc)(a / b), b);
  return THMath_(signed)(rest < 0 ? rest + b : rest, x);
}

static inline float THFloatMath_fmod(float x, float y)
{
  return THFloatMath_areNear(x, y) ? THFloatMath_fmodNear(x, y) : fmodf(x, y);
}

static inline double THDoubleMath_fmod(double x, double y)
{
  return THDoubleMath_areNear(x, y) ? THDoubleMath_fmodNear(x, y) : fmod(x, y);
}

/* The remainder with the sign of y, made from that with the sign of x. */
TH_MATH float THFloatMath_floorMod(float rest, float y)
{
  return ((rest != 0) & ((rest < 0) != (y < 0))) ? rest + y : rest;
}

TH_MATH double THDoubleMath_floorMod(double rest, double y)
{
  return ((rest != 0) & ((rest < 0) != (y < 0))) ? rest + y : rest;
}
