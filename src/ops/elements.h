/* The functions of one element that the expressions of pointwise.h call, beyond those of analysis;
 * THMath_(name) for the current element type, on every device.
 *
 * The including file has defined how a function begins (TH_ELEMENT) and the functions that these
 * call: of floating types abs, round, trunc, fmod, floorMod, digamma and trigamma; of integers
 * divide, and divideProduct, whose dividend is an int where elements are narrower. */
#ifndef ureal /* floating */

/* NaN, on either side, is the result; of equal numbers the first.  Of two conditions apart the
 * second is an instruction of its own, and the first is left out of loops where y is one number. */
TH_ELEMENT real THMath_(max)(real x, real y)
{
  const real larger = y > x ? y : x;
  return y != y ? y : larger;
}

TH_ELEMENT real THMath_(min)(real x, real y)
{
  const real smaller = y < x ? y : x;
  return y != y ? y : smaller;
}

/* x rounded to the nearest integer; halves to the even one, in Torch7 away from 0. */
TH_ELEMENT real THMath_(nearest)(real x)
{
#ifdef TH_COMPAT_TORCH7
  const real whole = THMath_(trunc)(x), away = whole + (x < 0 ? (real)-1 : (real)1);
  return THMath_(abs)(x - whole) >= (real)0.5 ? away : whole;
#else
  return THMath_(round)(x);
#endif
}

TH_ELEMENT real THMath_(divide)(real x, real y)
{
  return x / y;
}

TH_ELEMENT real THMath_(divideProduct)(real x, real y)
{
  return x / y;
}

TH_ELEMENT real THMath_(remainder)(real x, real y)
{
  return THMath_(floorMod)(THMath_(fmod)(x, y), y);
}

/* Times a power of 2, of any number. */
TH_ELEMENT real THMath_(lshift)(real x, real y)
{
  return (real)(x * exp2((double)y));
}

TH_ELEMENT real THMath_(rshift)(real x, real y)
{
  return (real)(x / exp2((double)y));
}

/* Exact at both ends. */
TH_ELEMENT real THMath_(lerp)(real x, real y, real weight)
{
  const real d = y - x, front = x + weight * d, back = y - d * (1 - weight);
  return weight < (real)0.5 ? front : back;
}

TH_ELEMENT real THMath_(polygamma)(real n, real x)
{
  return n == 0 ? THMath_(digamma)(x) : THMath_(trigamma)(x);
}

#else

TH_ELEMENT real THMath_(max)(real x, real y)
{
  return y > x ? y : x;
}

TH_ELEMENT real THMath_(min)(real x, real y)
{
  return y < x ? y : x;
}

/* The remainder of x / y: fmod with the sign of x, remainder with the sign of y. */
TH_ELEMENT real THMath_(fmod)(real x, real y)
{
  return (real)(x - THMath_(divide)(x, y) * y);
}

TH_ELEMENT real THMath_(remainder)(real x, real y)
{
  const real rest = THMath_(fmod)(x, y);
  const real other =
      (real) - ((rest != 0) & ((rest < 0) != (y < 0))); /* all bits, or none: no branch */
  return (real)(rest + (y & other));
}

TH_ELEMENT real THMath_(abs)(real x)
{
  return x < 0 ? -x : x;
}

/* A count below 0, or not below the width, shifts everything out. */
TH_ELEMENT real THMath_(lshift)(real x, real y)
{
  const ureal count = (ureal)y, width = 8 * sizeof(real);
  const ureal inside = count < width ? count : 0;
  return count < width ? (real)((ureal)x << inside) : 0;
}

/* Shifts in the sign from the left, in Torch7 0. */
TH_ELEMENT real THMath_(rshift)(real x, real y)
{
  const ureal count = (ureal)y, most = 8 * sizeof(real) - 1;
#ifdef TH_COMPAT_TORCH7
  return count <= most ? (real)((ureal)x >> (count < most ? count : most)) : 0;
#else
  return (real)(x >> (count < most ? count : most)) &
         (real)((real)-1 < 0 || count <= most ? -1 : 0);
#endif
}

/* Wraps around.  A negative power is the integer part of the exact one: 0 but for 1 and -1. */
TH_ELEMENT real THMath_(pow)(real x, real y)
{
  if (y < 0)
    return x == 1 ? 1 : x == (real)-1 ? (y & 1 ? -1 : 1) : 0;
  real power = 1;
  for (; y; y >>= 1) {
    if (y & 1)
      power = (real)(power * x);
    x = (real)(x * x);
  }
  return power;
}

#endif
