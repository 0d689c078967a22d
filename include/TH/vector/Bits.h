/* The parts of the vector functions: the bits of a number, sums and products with their rounding
 * errors. */

/* A number kept in two parts, |lo| at most half a unit in the last place of hi, or nearly so. */
typedef struct THMathPair {
  real hi, lo;
} THMathPair;

TH_MATH THMathBits THMath_(bits)(real x)
{
  THMathBits u;
  memcpy(&u, &x, sizeof u);
  return u;
}

TH_MATH real THMath_(fromBits)(THMathBits u)
{
  real x;
  memcpy(&x, &u, sizeof x);
  return x;
}

TH_MATH real THMath_(abs)(real x)
{
  return THMath_(fromBits)(THMath_(bits)(x) & (THMathBits)-1 >> 1);
}

/* magnitude, which is not negative, with the sign of x. */
TH_MATH real THMath_(signed)(real magnitude, real x)
{
  return THMath_(fromBits)(THMath_(bits)(magnitude) | (THMath_(bits)(x) & ~((THMathBits)-1 >> 1)));
}

/* x, with its sign changed where y is negative or -0. */
TH_MATH real THMath_(flipped)(real x, real y)
{
  return THMath_(fromBits)(THMath_(bits)(x) ^ (THMath_(bits)(y) & ~((THMathBits)-1 >> 1)));
}

/* Adding this to a number below 2^22 (2^51) rounds it to an integer, which then stands in the
 * lowest bits. */
TH_MATH real THMath_(rounder)(void)
{
  return (real)3 * ((THMathBits)1 << (TH_FRACTION_BITS - 1));
}

/* 2^n for an integer n, -127 < n < 128 (-1023 < n < 1024). */
TH_MATH real THMath_(power2)(real n)
{
  return THMath_(fromBits)(THMath_(bits)(n + (THMath_(rounder)() + TH_BIAS)) << TH_FRACTION_BITS);
}

/* a b + c; the product is rounded only where the processor has no instruction for it. */
TH_MATH real THMath_(mad)(real a, real b, real c)
{
#if !defined(__FMA__)
  return a * b + c;
#elif defined(TH_REAL_IS_FLOAT)
  return __builtin_fmaf(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/* x 2^n, rounded once, for x near 1 and an integer n twice as large as power2 takes. */
TH_MATH real THMath_(scaled)(real x, real n)
{
  const real biased = THMath_(mad)(n, (real)0.5, THMath_(rounder)() + TH_BIAS);
  const real rest = n - (biased - (THMath_(rounder)() + TH_BIAS));
  return x * THMath_(fromBits)(THMath_(bits)(biased) << TH_FRACTION_BITS) * THMath_(power2)(rest);
}

/* c - a b, the product exact; c and the product agree in their leading bits. */
TH_MATH real THMath_(residue)(real c, real a, real b)
{
#if defined(__FMA__)
  return THMath_(mad)(-a, b, c);
#elif defined(TH_REAL_IS_FLOAT)
  return (float)(c - (double)a * b);
#else
  /* Dekker's product of halves. */
  const real p = a * b, sa = a * 0x1.0000002p27, sb = b * 0x1.0000002p27;
  const real ah = sa - (sa - a), al = a - ah, bh = sb - (sb - b), bl = b - bh;
  return (c - p) - (al * bl - (((p - ah * bh) - al * bh) - ah * bl));
#endif
}

/* a + b and its rounding error. */
TH_MATH THMathPair THMath_(sum)(real a, real b)
{
  THMathPair s = {a + b, 0};
  const real c = s.hi - a;
  s.lo = (a - (s.hi - c)) + (b - c);
  return s;
}

/* a + b and its rounding error, for |a| >= |b|, or a = 0. */
TH_MATH THMathPair THMath_(quickSum)(real a, real b)
{
  THMathPair s = {a + b, 0};
  s.lo = b - (s.hi - a);
  return s;
}

/* The product of two numbers and its rounding error. */
TH_MATH THMathPair THMath_(product)(real a, real b)
{
  THMathPair p = {a * b, 0};
  p.lo = -THMath_(residue)(p.hi, a, b);
  return p;
}

/* a b + c for |a b| <= |c|, rounded once or nearly so. */
TH_MATH real THMath_(fused)(real a, real b, real c)
{
#if defined(__FMA__)
  return THMath_(mad)(a, b, c);
#elif defined(TH_REAL_IS_FLOAT)
  return (float)((double)a * b + c);
#else
  const THMathPair p = THMath_(product)(a, b), s = THMath_(quickSum)(c, p.hi);
  /* The rounding error of a product is unknown if it is denormal. */
  return s.hi + (s.lo + (THMath_(abs)(c) < 0x1p-900 ? 0 : p.lo));
#endif
}

/* The product of a number in two parts and another number, in two parts. */
TH_MATH THMathPair THMath_(productWith)(THMathPair a, real b)
{
  THMathPair p = THMath_(product)(a.hi, b);
  p.lo += a.lo * b;
  return p;
}

/* a / b, to about twice the digits of a number. */
TH_MATH THMathPair THMath_(quotient)(THMathPair a, THMathPair b)
{
  const real inverse = 1 / b.hi;
  THMathPair q = {a.hi * inverse, 0};
  q.lo = (THMath_(residue)(a.hi, q.hi, b.hi) + (a.lo - q.hi * b.lo)) * inverse;
  return q;
}
