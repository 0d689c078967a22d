/* Inverse trigonometric functions. */

/* |x| <= 1/2: asin(x) = x + tail.  Beyond, asin(|x|) = pi/2 - 2 asin(s) with s = sqrt((1 - |x|)/2),
 * which is 2 (s + low + tail). */
TH_MATH real THMath_(asin)(real x)
{
  const real a = THMath_(abs)(x), far = (1 - a) * (real)0.5;
  const int near = a <= (real)0.5;
  const real z = near ? a * a : far, s = THMath_(sqrt)(far);
  const real low = THMath_(residue)(far, s, s) / (2 * s), v = near ? a : s;
  const real tail = v * z * TH_POLY(z, TH_ASIN_POLY);
  const THMathPair h = THMath_(quickSum)(TH_PI_HIGH / 2, -2 * s);
  const real rest = h.hi + (h.lo + (TH_PI_LOW / 2 - 2 * ((s == 0 ? 0 : low) + tail)));
  const real y = near ? a + tail : rest;
  return THMath_(flipped)(y, x);
}

TH_MATH real THMath_(acos)(real x)
{
  const real a = THMath_(abs)(x), far = (1 - a) * (real)0.5;
  const int near = a <= (real)0.5;
  const real z = near ? a * a : far, s = THMath_(sqrt)(far);
  const real low = THMath_(residue)(far, s, s) / (2 * s);
  /* base - v: pi/2 - asin(x), pi - 2 asin(s), 0 + 2 asin(s) */
  const real v = near ? x : THMath_(flipped)(-2 * s, x);
  const real lost = (near | (s == 0)) ? 0 : THMath_(flipped)(-2 * low, x);
  const real base = near ? (real)0.5 : (real)(x < 0);
  const THMathPair h = THMath_(quickSum)(base * TH_PI_HIGH, -v);
  return h.hi + (h.lo + (base * TH_PI_LOW - (lost + v * z * TH_POLY(z, TH_ASIN_POLY))));
}

/* base pi + atan(a / b), a / b between -tan(pi/8) and tan(pi/8). */
TH_MATH real THMath_(atanOfQuotient)(real base, THMathPair a, THMathPair b)
{
  const THMathPair q = THMath_(quotient)(a, b), turn = THMath_(product)(base, TH_PI_HIGH);
  const real z = q.hi * q.hi, tail = q.hi * z * TH_POLY(z, TH_ATAN_POLY);
  const THMathPair h = THMath_(quickSum)(turn.hi, q.hi);
  const real lost = THMath_(mad)(-z, q.lo, q.lo); /* the derivative is 1 / (1 + z) */
  return h.hi + (h.lo + (base * TH_PI_LOW + turn.lo + (lost + tail)));
}

/* atan(a / b) for a, b >= 0: as it is, or pi/4 + atan((a-b) / (a+b)), or pi/2 - atan(b/a);
 * with flip, pi minus that. */
TH_MATH real THMath_(atanOfRatio)(real a, real b, int flip)
{
  const int low = a<(real)0.414213562373095 * b, high = a>(real) 2.414213562373095 * b;
  const THMathPair less = THMath_(sum)(a, -b), more = THMath_(sum)(a, b);
  THMathPair n = less, d = more;
  n.hi = high ? -b : n.hi;
  n.lo = high ? 0 : n.lo;
  d.hi = high ? a : d.hi;
  d.lo = high ? 0 : d.lo;
  n.hi = low ? a : n.hi;
  n.lo = low ? 0 : n.lo;
  d.hi = low ? b : d.hi;
  d.lo = low ? 0 : d.lo;
  real base = high ? (real)0.5 : (real)0.25;
  base = low ? 0 : base;
  n.hi = flip ? -n.hi : n.hi;
  n.lo = flip ? -n.lo : n.lo;
  return THMath_(atanOfQuotient)(flip ? 1 - base : base, n, d);
}

TH_MATH real THMath_(atan)(real x)
{
  const real a = THMath_(abs)(x);
  return THMath_(flipped)(THMath_(atanOfRatio)(a > TH_BIG ? TH_BIG : a, 1, 0), x);
}

/* The angle of the point (x, y).  Off by less than 2 units where the quotient is denormal. */
TH_MATH real THMath_(atan2)(real y, real x)
{
  real a = THMath_(abs)(y), b = THMath_(abs)(x);
  const real infinity = (real)INFINITY;
  const int endless = (a == infinity) | (b == infinity), nan = (x != x) | (y != y);
  const int flip = THMath_(signed)(1, x) < 0;
  a = endless ? (real)(a == infinity) : a;
  b = endless ? (real)(b == infinity) : ((a == 0) & (b == 0)) ? (real)1 : b;
  /* Neither sum nor inverse may overflow. */
  const real top = a > b ? a : b;
  const real scale = top > TH_BIG ? 1 / TH_BIG : top < 1 ? TH_BIG : 1;
  const real r = THMath_(atanOfRatio)(a * scale, b * scale, flip);
  return nan ? x + y : THMath_(flipped)(r, y);
}
