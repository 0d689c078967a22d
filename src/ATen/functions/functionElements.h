/* The functions of one element that the expressions of src/ops/functions.h share; the including
 * file has defined how a function begins (AT_ELEMENT), and THMath_(name) for the element type. */

#define AT_(NAME) TH_CONCAT_4(at_, Real, _, NAME)
#ifdef TH_REAL_IS_DOUBLE
#define AT_LIBM(NAME) NAME
#else
#define AT_LIBM(NAME) NAME##f
#endif

/* log(1 + exp(z)), which does not overflow. */
AT_ELEMENT real AT_(softplus)(real z)
{
  return THMath_(max)(z, 0) + THMath_(log1p)(THMath_(exp)(-THMath_(abs)(z)));
}

/* The standard normal distribution: its probability up to x, and its density at x. */
AT_ELEMENT real AT_(normal)(real x)
{
  return (real)0.5 * (1 + THMath_(erf)(x * (real)M_SQRT1_2));
}

AT_ELEMENT real AT_(density)(real x)
{
  return THMath_(exp)(x * x * (real)-0.5) * (real)0.3989422804014327; /* 1 / sqrt(2 pi) */
}

/* x, or what stands for NaN, for infinity and for its negative.  Three selections one after the other
 * are three comparisons of vectors; one expression would combine their masks. */
AT_ELEMENT real AT_(numberFor)(real x, real nan, real most, real least)
{
  real number = x == (real)INFINITY ? most : x;
  number = x == -(real)INFINITY ? least : number;
  return x == x ? number : nan;
}

/* The hyperbolic tangent in the approximation of gelu. */
AT_ELEMENT real AT_(geluTanh)(real x)
{
  const real inner = x + (real)0.044715 * x * x * x;
  return THMath_(tanh)((real)0.7978845608028654 * inner); /* sqrt(2 / pi) */
}

AT_ELEMENT real AT_(geluTanhSlope)(real x)
{
  const real t = AT_(geluTanh)(x);
  const real inner = (real)0.7978845608028654 * (1 + 3 * (real)0.044715 * x * x);
  return (real)0.5 * (1 + t + x * (1 - t * t) * inner);
}

AT_ELEMENT real AT_(siluSlope)(real x)
{
  const real s = 1 / (1 + THMath_(exp)(-x));
  return s * (1 + x * (1 - s));
}

AT_ELEMENT real AT_(mishSlope)(real x)
{
  const real s = 1 / (1 + THMath_(exp)(-x)), t = THMath_(tanh)(AT_(softplus)(x));
  return t + x * s * (1 - t * t);
}

AT_ELEMENT real AT_(hardSigmoid)(real x)
{
  return THMath_(min)(THMath_(max)(x + 3, 0), 6) / 6;
}

AT_ELEMENT real AT_(logOdds)(real p)
{
  return THMath_(log)(p / (1 - p));
}

/* Equal arguments may be infinite, and their difference NaN. */
AT_ELEMENT real AT_(logAddExp)(real x, real y)
{
  const real rest = THMath_(log1p)(THMath_(exp)(-THMath_(abs)(x - y)));
  return x == y ? x + (real)M_LN2 : THMath_(max)(x, y) + rest;
}

AT_ELEMENT real AT_(logAddExp2)(real x, real y)
{
  const real rest = THMath_(log1p)(AT_LIBM(exp2)(-THMath_(abs)(x - y))) * (real)(1 / M_LN2);
  return x == y ? x + 1 : THMath_(max)(x, y) + rest;
}

/* The largest whole number not above the quotient; the remainder tells, where the quotient rounds
 * up. */
AT_ELEMENT real AT_(floorDivide)(real x, real y)
{
  const real rest = THMath_(fmod)(x, y), q = (x - rest) / y;
  const real exact = ((rest != 0) & ((y < 0) != (rest < 0))) ? q - 1 : q;
  const real whole = THMath_(floor)(exact), near = exact - whole > (real)0.5 ? whole + 1 : whole;
  return y == 0 ? x / y : exact == 0 ? AT_LIBM(copysign)((real)0, x / y) : near;
}

/* Quadratic up to the distance delta, then linear. */
AT_ELEMENT real AT_(huber)(real distance, real delta)
{
  return distance <= delta ? (real)0.5 * distance * distance
                           : delta * (distance - (real)0.5 * delta);
}

AT_ELEMENT real AT_(smoothL1)(real distance, real beta)
{
  return distance < beta ? (real)0.5 * distance * distance / beta : distance - (real)0.5 * beta;
}
