/* exp, log, sqrt, sin, cos, tan, arcs, tanh, erf, sigmoid and pow of 16 floats, exp and sqrt of 8
 * doubles at once, for the level AVX-512; THDoubleMathAvx512.h has more of doubles.
 *
 *     TH_WIDE_LOOP(TH_WIDE(x, source), result, 0, n, THWide_tanh(x))
 *
 * The functions of THVectorMath.h, which define what these compute, are plain C that compilers
 * vectorise, and so have no tables.  Here tables are in registers, where one instruction picks an
 * element for each of 16 numbers, which allows short polynomials.  At the other levels a table
 * would need a load per number.  Special arguments are as exact as there; docs/vector-math.md has
 * the largest errors. */
#ifndef TH_MATH_AVX512_H
#define TH_MATH_AVX512_H

#include "TH/simd/THSimd.h"

#if TH_VECTOR_MASKS
#include "THMath.h"
#include "THVectorMath.h"

#include "THDoubleTables.h"
#include "THMathTables.h"

/* TO[i - FROM] = EXPRESSION for i from FROM up to END, where OPERANDS are TH_WIDE(name, array).
 * Masks, which cost time, are used only for the rest. */
#define TH_WIDE_LOOP(OPERANDS, TO, FROM, END, EXPRESSION) \
  TH_WIDE_LOOP_OF(THFloats, THMask32, 16, OPERANDS, TO, FROM, END, EXPRESSION)
#define TH_WIDE(NAME, POINTER) \
  const THFloats NAME = THFloats_loadMasked(lanes, (const float *)(POINTER) + i);

/* TH_WIDE_LOOP for doubles. */
#define TH_WIDE_LOOP2(OPERANDS, TO, FROM, END, EXPRESSION) \
  TH_WIDE_LOOP_OF(THDoubles, THMask64, 8, OPERANDS, TO, FROM, END, EXPRESSION)
#define TH_WIDE2(NAME, POINTER) \
  const THDoubles NAME = THDoubles_loadMasked(lanes, (const double *)(POINTER) + i);

#define TH_WIDE_LOOP_OF(VECTOR, MASK, LANES, OPERANDS, TO, FROM, END, EXPRESSION) \
  {                                                                               \
    ptrdiff_t i = FROM;                                                           \
    MASK lanes = (MASK)((1u << (LANES)) - 1);                                     \
    for (; (END) - i >= (LANES); i += (LANES)) {                                  \
      OPERANDS                                                                    \
      VECTOR##_store((TO) + (i - (FROM)), EXPRESSION);                            \
    }                                                                             \
    TH_WIDE_REST(VECTOR, MASK, OPERANDS, (TO) + (i - (FROM)), END, EXPRESSION)    \
  }

#define TH_WIDE_REST(VECTOR, MASK, OPERANDS, TO, END, EXPRESSION) \
  if (i < (END)) {                                                \
    lanes = (MASK)((1u << ((END) - i)) - 1);                      \
    OPERANDS                                                      \
    VECTOR##_storeMasked(TO, lanes, EXPRESSION);                  \
  }

/* --- what the functions are written with ----------------------------------------------------- */

#define WIDE    TH_MATH THFloats
#define WIDE2   TH_MATH THDoubles
#define ALL     THFloats_all
#define ALL2    THDoubles_all
#define MAD     THFloats_mulAdd
#define MAD2    THDoubles_mulAdd
#define BITS    (THInts)
#define BITS2   (THLongs)
#define NUMBER2 (THDoubles)

/* Elements of a table of 32, picked by the last 5 bits of i. */
WIDE THWide_pick(const float *table, THInts i)
{
  return THFloats_permuteTwo(THFloats_load(table), THFloats_load(table + 16), i);
}

/* Elements of a table of 16 doubles, picked by the last 4 bits of i. */
WIDE2 THWide_pick2(const double *table, THLongs i)
{
  return THDoubles_permuteTwo(THDoubles_load(table), THDoubles_load(table + 8), i);
}

/* --- by intervals ---------------------------------------------------------------------------- */

/* f(a), from the polynomial of interval i about a number m in it.  m was chosen so that f(m) and
 * f'(m) are floats, or nearly so.  hi is the sum of the first two terms, lo its rounding error and
 * the other terms.  more is f'(m) - 1 where f(m) is 0. */
typedef struct THWidePair {
  THFloats hi, lo;
} THWidePair;

TH_MATH THWidePair THWide_partsByInterval(THFloats a, THInts i, const float (*table)[32],
                                          float more)
{
  const THFloats d = a - THWide_pick(table[0], i), square = d * d;
  const THFloats value = THWide_pick(table[1], i), slope = THWide_pick(table[2], i);
  const THFloats sum = MAD(slope, d, value);
  THFloats rest = MAD(slope, d, value - sum);
  if (more != 0)
    rest =
        THFloats_select(THFloats_equal(value, ALL(0)), THFloats_mulAdd(a, ALL(more), rest), rest);
  const THFloats low = MAD(THWide_pick(table[4], i), d, THWide_pick(table[3], i));
  const THFloats high = MAD(THWide_pick(table[6], i), d, THWide_pick(table[5], i));
  const THFloats top = MAD(THWide_pick(table[7], i), square, high);
  const THWidePair p = {sum, MAD(MAD(top, square, low), square, rest)};
  return p;
}

WIDE THWide_byInterval(THFloats a, THInts i, const float (*table)[32], float more)
{
  const THWidePair p = THWide_partsByInterval(a, i, table, more);
  return p.hi + p.lo;
}

/* An odd function that approaches 1.  Its intervals are given by the exponent and three more bits
 * of |x| + start. */
WIDE THWide_odd(THFloats x, const float (*table)[32], float start, float end, float more)
{
  const THFloats a = THFloats_min(ALL(end), THFloats_abs(x)); /* NaN remains */
  const THInts i = THInts_shiftRight(BITS(a + ALL(start)), 20);
  const THFloats y = THWide_byInterval(a, i, table, more);
  return THFloats_orSign(y, x);
}

WIDE THWide_tanh(THFloats x)
{
  return THWide_odd(x, THWide_tanhTable, 0.625f, 9.25f, 0);
}

WIDE THWide_erf(THFloats x)
{
  return THWide_odd(x, THWide_erfTable, 0.28125f, 4, 0x1.06eba8p-3f);
}

/* atan(a) = pi/2 - atan(1/a).  The rounding error of the quotient is added, and the table's sum
 * stays in two parts. */
WIDE THWide_atan(THFloats x)
{
  const THFloats a = THFloats_abs(x), zero = THFloats_all(0);
  const THMask32 far = THFloats_greater(a, ALL(1));
  const THFloats q = THFloats_select(far, ALL(1) / a, a);
  const THFloats lack =
      THFloats_keep(far, THFloats_negMulAdd(q, a, ALL(1))) * q; /* NaN where a is infinite */
  const THInts i = THInts_shiftRight(BITS(q + ALL(0.0703125f)), 20);
  const THWidePair p = THWide_partsByInterval(q, i, THWide_atanTable, 0);
  const THFloats slope = THWide_pick(THWide_atanTable[2], i);
  const THFloats rest = MAD(slope, THFloats_keep(THFloats_greater(q, zero), lack), p.lo);
  const THFloats base = THFloats_keep(far, ALL(0x1.921fb6p+0f));
  const THFloats low = THFloats_keep(far, ALL(-0x1.777a5cp-25f));
  const THFloats high = THFloats_select(far, base - p.hi, p.hi);
  const THFloats lost = THFloats_keep(far, ((base - high) - p.hi) + low);
  const THFloats y = high + (lost + THFloats_select(far, zero - rest, rest));
  return THFloats_orSign(y, x);
}

/* --- exponentials ---------------------------------------------------------------------------- */

/* e^x of x from -104 up to 89.  2^k e^(r + low), where k is the multiple of 1/32 nearest to x /
 * ln(2); its last 5 bits pick 2^(k mod 1).  The error is up to 0.55 ulp; denormal results are
 * rounded twice, 0.76 ulp. */
WIDE THWide_expBetween(THFloats x)
{
  const THFloats rounder = ALL(0x3p17f), biased = MAD(x, ALL(0x1.715476p+0f), rounder);
  const THFloats k = biased - rounder, r = MAD(k, ALL(-0x1.62e43p-1f), x);
  const THFloats root = THWide_pick(THWide_expTable[0], BITS(biased));
  const THFloats low = MAD(k, ALL(0x1.05c61p-29f), THWide_pick(THWide_expTable[1], BITS(biased)));
  const THFloats slope = MAD(MAD(r, ALL(0x1.5555d8p-3f), ALL(0x1.000088p-1f)), r, ALL(1));
  return THFloats_scale(MAD(root, MAD(slope, r, low), root), k);
}

WIDE THWide_expUpTo89(THFloats x)
{
  return THWide_expBetween(THFloats_max(ALL(-104), x)); /* NaN remains */
}

WIDE THWide_exp(THFloats x)
{
  return THWide_expUpTo89(THFloats_min(ALL(89), x));
}

/* e^x, as exact for denormal results, which are tested for and take longer. */
WIDE THWide_exactExp(THFloats x)
{
  const THFloats normal = ALL(-0x1.5d589ep+6f), near = THFloats_min(ALL(89), x);
  const THMask32 far = THFloats_less(x, normal);
  if (!far)
    return THWide_expBetween(near);
  float y[16];
  THFloats_store(y, x);
  TH_PRAGMA(omp simd)
  for (int k = 0; k < 16; k++)
    y[k] = THFloatMath_exp(y[k]);
  return THFloats_loadOr(THWide_expBetween(THFloats_max(normal, near)), far, y);
}

/* THWide_expBetween for 8 doubles, by sixteenths; 0.52 ulp. */
WIDE2 THWide_expBetween2(THDoubles x)
{
  const THDoubles rounder = ALL2(0x3p47), biased = MAD2(x, ALL2(0x1.71547652b82fep+0), rounder);
  const THDoubles k = biased - rounder, r = MAD2(k, ALL2(-0x1.62e42fefa39efp-1), x), square = r * r;
  const THDoubles root = THWide_pick2(THWide_exp2Table[0], BITS2(biased));
  const THDoubles rest = THWide_pick2(THWide_exp2Table[1], BITS2(biased));
  const THDoubles low = MAD2(k, ALL2(-0x1.abc9e3b39803fp-56), rest);
  const THDoubles first = MAD2(r, ALL2(0x1.5555555555559p-3), ALL2(0x1.0000000000004p-1));
  const THDoubles second = MAD2(r, ALL2(0x1.1111111080147p-7), ALL2(0x1.555555547ebefp-5));
  const THDoubles third = MAD2(r, ALL2(0x1.a01b9ba6792a7p-13), ALL2(0x1.6c18421fc9ccp-10));
  const THDoubles slope = MAD2(MAD2(MAD2(third, square, second), square, first), r, ALL2(1));
  return THDoubles_scale(MAD2(root, MAD2(slope, r, MAD2(low, r, low)), root), k);
}

WIDE2 THWide_exactExp2(THDoubles x)
{
  const THDoubles normal = ALL2(-0x1.6232bdd7abcd2p+9), near = THDoubles_min(ALL2(710), x);
  const THMask64 far = THDoubles_less(x, normal);
  if (!far)
    return THWide_expBetween2(near);
  double y[8];
  THDoubles_store(y, x);
  TH_PRAGMA(omp simd)
  for (int k = 0; k < 8; k++)
    y[k] = THDoubleMath_exp(y[k]);
  return THDoubles_loadOr(THWide_expBetween2(THDoubles_max(normal, near)), far, y);
}

/* --- logarithms ------------------------------------------------------------------------------ */

/* x = 2^n m, m from 3/4 up to 3/2, and log(x) = n log(2) + log(1/c) + log(1 + r), r = c m - 1: the
 * sum of the first two has few digits, and c is 1 for x near 1, where nothing may cancel.  With a
 * small rest, the result is log(x) + rest. */
WIDE THWide_logAnd(THFloats x, const THFloats *rest)
{
  const THFloats m = THFloats_mantissa(x);
  const THFloats e = THFloats_exponent(x);
  const THFloats n = THFloats_select(THFloats_less(m, ALL(1)), e + ALL(1), e);
  const THInts i = THInts_shiftRight(BITS(m), 18);
  const THFloats r = MAD(m, THWide_pick(THWide_logTable[0], i), ALL(-1));
  const THFloats base = MAD(n, ALL(0x1.62e4p-1f), THWide_pick(THWide_logTable[1], i));
  const THFloats high = MAD(r, ALL(0x1.822ad8p-3f), ALL(-0x1.001196p-2f));
  const THFloats p = MAD(MAD(high, r, ALL(0x1.55584p-2f)), r, ALL(-0.5f));
  THFloats y = MAD(n, ALL(0x1.7f7d1cp-20f), r);
  if (rest)
    y += MAD(p, r * r, *rest);
  else
    y = MAD(p, r * r, y);
  y += base;
  /* NaN stays, negative numbers give NaN, zeros and infinity their limits. */
  enum { QUIET = 1, INDEFINITE = 3, BELOW = 4, ABOVE = 5 };
  const int special =
      QUIET | QUIET << 4 | BELOW << 8 | INDEFINITE << 16 | ABOVE << 20 | INDEFINITE << 24;
  return THFloats_fix(y, x, special);
}

WIDE THWide_log(THFloats x)
{
  return THWide_logAnd(x, NULL);
}

/* --- roots ----------------------------------------------------------------------------------- */

/* The result has the same bits as the slower instruction, which is used for negative, tiny and
 * nonfinite numbers.  s and h approximate the root and half its inverse; x - s^2 is exact, and
 * multiplied by h it gives the last correction. */
WIDE THWide_sqrt(THFloats x)
{
  const THMask32 some = THInts_test(BITS(x), THInts_all(INT32_MAX));
  const THInts least = BITS(ALL(0x1p-100f)), range = BITS(ALL(0x1.fffffep+127f)) - least;
  if (some & THInts_greaterUnsigned(BITS(x) - least, range))
    return THFloats_sqrt(x);
  const THFloats y = THFloats_keep(some, THFloats_inverseRootNear(x)), first = x * y,
                 half = y * ALL(0.5f);
  const THFloats e = THFloats_negMulAdd(first, half, ALL(0.5f));
  const THFloats s = MAD(first, e, first), h = MAD(half, e, half);
  return MAD(THFloats_negMulAdd(s, s, x), h, s);
}

/* THWide_sqrt for doubles: two steps to s and h. */
WIDE2 THWide_sqrt2(THDoubles x)
{
  const THMask64 some = THLongs_test(BITS2(x), THLongs_all(INT64_MAX));
  const THLongs least = BITS2(ALL2(0x1p-900)), range = BITS2(ALL2(0x1.fffffffffffffp+1023)) - least;
  if (some & THLongs_greaterUnsigned(BITS2(x) - least, range))
    return THDoubles_sqrt(x);
  const THDoubles y = THDoubles_keep(some, THDoubles_inverseRootNear(x)), first = x * y,
                  half = y * ALL2(0.5);
  const THDoubles e = THDoubles_negMulAdd(first, half, ALL2(0.5));
  const THDoubles second = MAD2(first, e, first), better = MAD2(half, e, half);
  const THDoubles f = THDoubles_negMulAdd(second, better, ALL2(0.5));
  const THDoubles s = MAD2(second, f, second), h = MAD2(better, f, better);
  return MAD2(THDoubles_negMulAdd(s, s, x), h, s);
}

/* --- arcs ------------------------------------------------------------------------------------ */

/* The size of y with the sign of x. */
WIDE THWide_signed(THFloats y, THFloats x)
{
  return THFloats_withSign(y, x);
}

/* -0 - x, which keeps the sign of NaN; compilers would make a change of sign of the difference. */
WIDE THWide_minusWhere(THMask32 where, THFloats x)
{
  return THFloats_select(where, THFloats_negMulAdd(x, ALL(1), ALL(-0.0f)), x);
}

/* 1 / x, to 27 bits. */
WIDE THWide_inverse(THFloats x)
{
  const THFloats y = THFloats_inverseNear(x);
  return MAD(THFloats_negMulAdd(x, y, ALL(1)), y, y);
}

/* The root of x >= 0 in two parts. */
TH_MATH THWidePair THWide_root(THFloats x)
{
  const THMask32 some = THFloats_differ(x, ALL(0));
  const THFloats y = THFloats_keep(some, THFloats_inverseRootNear(x)), first = x * y,
                 half = y * ALL(0.5f);
  const THFloats s = MAD(first, THFloats_negMulAdd(first, half, ALL(0.5f)), first);
  const THWidePair root = {s, THFloats_negMulAdd(s, s, x) * half};
  return root;
}

/* c0 + c1 x + c2 x^2 + ..., by pairs. */
WIDE THWide_poly(THFloats x, THFloats square, const float *c, int count)
{
  THFloats y = ALL(c[--count]);
  if (count % 2)
    y = MAD(y, x, ALL(c[--count]));
  TH_PRAGMA(GCC unroll 16)
  while (count > 0) {
    count -= 2;
    y = MAD(y, square, MAD(x, ALL(c[count + 1]), ALL(c[count])));
  }
  return y;
}

#define TYPED(NAME)  THWide_##NAME
#define Arc          THWideArc
#define Vector       THFloats
#define Pair         THWidePair
#define Mask         THMask32
#define Integers     THInts
#define Element      float
#define OP(NAME)     THFloats_##NAME
#define EACH         ALL
#define INVERSE      THWide_inverse
#define PI_HIGH      0x1.921fb6p+1f
#define PI_LOW       -0x1.777a5cp-24f
#define BIG          0x1p60f
#define STEP_ROUNDER 0x3p17f /* to multiples of 1/32 */
#define LAST_STEP    0.96875f
#define ATAN_TERMS   -0x1.555552p-2f, 0x1.9933c2p-3f
#define ASIN_TERMS \
  0x1.55554cp-3f, 0x1.33389p-4f, 0x1.6cabfap-5f, 0x1.04a84cp-5f, 0x1.d7d71cp-7f, 0x1.33c4ap-5f
#define POLY(X, SQUARE, ...) \
  THWide_poly(X, SQUARE, (const float[]){__VA_ARGS__}, sizeof((float[]){__VA_ARGS__}) / 4)
#define ANGLES THWide_angleTable
#include "THArcsAvx512.h"

/* --- powers ---------------------------------------------------------------------------------- */

/* Floats in two halves, as doubles, and back. */
WIDE2 THWide_half(THFloats x, int upper)
{
  return upper ? THDoubles_ofUpper(x) : THDoubles_ofLower(x);
}

WIDE THWide_whole(THDoubles lower, THDoubles upper)
{
  return THFloats_ofDoubles(lower, upper);
}

/* 2^z to some 36 bits, by sixteenths of z; z is clamped to -200 .. 200. */
WIDE2 THWide_exp2(THDoubles z)
{
  z = THDoubles_min(ALL2(200), THDoubles_max(ALL2(-200), z)); /* NaN remains */
  const THDoubles rounder = ALL2(0x3p47), sixteenths = z + rounder, s = z - (sixteenths - rounder);
  const THLongs k = BITS2(sixteenths), root = BITS2(THWide_pick2(THWide_powTable[2], k));
  const THDoubles power = NUMBER2(root + (k << 48));
  const THDoubles first = MAD2(s, ALL2(0x1.ebfbdff4dd88ep-3), ALL2(0x1.62e42fec39ba3p-1));
  const THDoubles second = MAD2(s, ALL2(0x1.3b2ccdcbae857p-7), ALL2(0x1.c6b3f785614bbp-5));
  return MAD2(power * s, MAD2(s * s, second, first), power);
}

/* x^y of doubles that were floats, 0 <= x <= infinity, good to some 36 bits; 1^infinity, infinity^0
 * and 0^0 are left open.
 *
 * x = 2^n m, m from 3/4 up to 3/2, and log2(x) = n + log2(1/c) + log2(c m); c is 1 for x near 1,
 * where nothing may cancel. */
WIDE2 THWide_powOfPositive(THDoubles x, THDoubles y)
{
  const THDoubles m = THDoubles_mantissa(x);
  /* scaled by a little more than 4/3 */
  const THDoubles n = THDoubles_exponent(x * ALL2(0x1.5555556p0));
  const THLongs i = THLongs_shiftRight(BITS2(m), 48);
  const THDoubles r = MAD2(m, THWide_pick2(THWide_powTable[0], i), ALL2(-1));
  const THDoubles square = r * r;
  const THDoubles low = MAD2(r, ALL2(-0x1.715476517ea22p-1), ALL2(0x1.71547652b92a5p+0));
  const THDoubles middle = MAD2(r, ALL2(-0x1.715496ef170e6p-2), ALL2(0x1.ec709cf7f75d3p-2));
  const THDoubles high = MAD2(r, ALL2(-0x1.ec12a4931f972p-3), ALL2(0x1.277e13df60ec9p-2));
  const THDoubles top = MAD2(square, ALL2(0x1.811b2de6c9931p-3), high);
  const THDoubles p = MAD2(top, square * square, MAD2(middle, square, low));
  const THDoubles log2 = MAD2(r, p, n + THWide_pick2(THWide_powTable[1], i));
  return THWide_exp2(y * log2);
}

WIDE THWide_pow(THFloats x, THFloats y)
{
  const THFloats a = THFloats_abs(x);
  const THDoubles lower = THWide_powOfPositive(THWide_half(a, 0), THWide_half(y, 0));
  const THDoubles upper = THWide_powOfPositive(THWide_half(a, 1), THWide_half(y, 1));
  const THFloats p = THWide_whole(lower, upper);
  enum { SPECIAL = 0x9f /* NaN, zeros, infinities */, NEGATIVE = 0x40 };
  if (!(THFloats_ofClass(x, SPECIAL | NEGATIVE) | THFloats_ofClass(y, SPECIAL)))
    return p;
  float xs[16], ys[16], ps[16];
  THFloats_store(xs, x);
  THFloats_store(ys, y);
  THFloats_store(ps, p);
  TH_PRAGMA(omp simd)
  for (int k = 0; k < 16; k++)
    ps[k] = THFloatMath_powFrom(ps[k], xs[k], ys[k]);
  return THFloats_load(ps);
}

/* --- sine and cosine ------------------------------------------------------------------------- */

/* For count vectors of 8 doubles (a constant up to 4): each step is done for all vectors before the
 * next step, since the processor's window is shorter than all steps of a few vectors. */
#define EACH TH_PRAGMA(GCC unroll 4) for (int k = 0; k < count; k++)

/* Each x[k], |x[k]| <= pi/2, becomes the sine of x[k] + n pi, where n is the integer in the last
 * bits of turns[k]. */
TH_MATH void THWide_sinesOfRests(THDoubles *x, const THDoubles *turns, int count)
{
  THDoubles z[4], s[4];
  EACH z[k] = x[k] * x[k];
  EACH s[k] = MAD2(z[k], ALL2(-0x1.9ab8e0d465ba4p-26), ALL2(0x1.71745c4bb5481p-19));
  EACH s[k] = MAD2(s[k], z[k], ALL2(-0x1.a017fa6fe5c82p-13));
  EACH s[k] = MAD2(s[k], z[k], ALL2(0x1.11110cb855954p-7));
  EACH s[k] = MAD2(s[k], z[k], ALL2(-0x1.555555493944bp-3));
  EACH s[k] = MAD2(s[k], z[k], ALL2(1));
  EACH s[k] = x[k] * s[k];
  EACH x[k] = NUMBER2(BITS2(s[k]) ^ BITS2(turns[k]) << 63);
}

WIDE2 THWide_sinOfRest(THDoubles turns, THDoubles r)
{
  THWide_sinesOfRests(&r, &turns, 1);
  return r;
}

/* x[k] - n[k] pi, as THFloatMath_lessPi computes it. */
TH_MATH void THWide_lessPi(THDoubles *x, const THDoubles *n, int count)
{
  EACH x[k] = MAD2(n[k], ALL2(-0x1.921fb544p+1), x[k]);
  EACH x[k] = MAD2(n[k], ALL2(-0x1.0b4611a626331p-33), x[k]);
}

TH_MATH void THWide_sinNear(THDoubles *x, int count)
{
  const THDoubles rounder = ALL2(0x3p51);
  THDoubles turns[4], n[4];
  EACH turns[k] = MAD2(x[k], ALL2(0x1.45f306dc9c883p-2), rounder);
  EACH n[k] = turns[k] - rounder;
  THWide_lessPi(x, n, count);
  THWide_sinesOfRests(x, turns, count);
}

/* The sine of x + pi/2, with n - 1/2 in place of n. */
TH_MATH void THWide_cosNear(THDoubles *x, int count)
{
  const THDoubles rounder = ALL2(0x3p51);
  THDoubles turns[4], n[4];
  EACH turns[k] = MAD2(x[k], ALL2(0x1.45f306dc9c883p-2), ALL2(0.5)) + rounder;
  EACH n[k] = (turns[k] - rounder) - ALL2(0.5);
  THWide_lessPi(x, n, count);
  THWide_sinesOfRests(x, turns, count);
}

/* The tangent, from the sine and cosine of the nearest multiple of pi/16 and the difference to
 * it. */
WIDE2 THWide_tanOfOne(THDoubles x)
{
  const THDoubles rounder = ALL2(0x3p51), turns = MAD2(x, ALL2(0x1.45f306dc9c883p+2), rounder);
  const THDoubles k = turns - rounder, less = THDoubles_negMulAdd(k, ALL2(0x1.921fb548p-3), x);
  const THDoubles r = MAD2(k, ALL2(0x1.de973dcb3b39ap-34), less), z = r * r;
  const THDoubles p = MAD2(MAD2(z, ALL2(0x1.bd736ced789f9p-5), ALL2(0x1.110fddb7d31cbp-3)), z,
                           ALL2(0x1.555555940ab04p-2));
  const THDoubles tangent = MAD2(r * z, p, r);
  const THDoubles sine = THWide_pick2(THWide_turnTable[0], BITS2(turns));
  const THDoubles cosine = THWide_pick2(THWide_turnTable[2], BITS2(turns));
  const THDoubles up = MAD2(cosine, tangent, sine),
                  down = THDoubles_negMulAdd(sine, tangent, cosine);
  const THDoubles y = THDoubles_inverseNear(down), e = THDoubles_negMulAdd(y, down, ALL2(1));
  const THDoubles quotient = up * MAD2(MAD2(e, e, e), y, y);
  return THDoubles_fix(quotient, x, 0x100); /* zeros keep their signs */
}

TH_MATH void THWide_tanNear(THDoubles *x, int count)
{
  EACH x[k] = THWide_tanOfOne(x[k]);
}

/* Loads 8 * count floats as doubles, and stores them: extracting halves of a vector of floats would
 * cost more. */
TH_MATH void THWide_widen(THDoubles *x, const float *from, int count)
{
  EACH x[k] = THDoubles_loadFloats(from + 8 * k);
}

TH_MATH void THWide_narrow(float *to, const THDoubles *x, int count)
{
  EACH THDoubles_storeFloats(to + 8 * k, x[k]);
}
#undef EACH

/* Large arguments are left to the C library.  Whether there are some among 16 floats, which all
 * keeps then, since the results may be written over them. */
TH_MATH int THWide_keepFar(float *all, const float *from, const THDoubles *x)
{
  const int far = THDoubles_greater(THDoubles_largerSize(x[0], x[1]), ALL2(0x1p20));
  if (__builtin_expect(far, 0))
    THFloats_store(all, THFloats_load(from));
  return far;
}

TH_MATH void THWide_computeFar(int far, float *to, const float *all, double (*function)(double))
{
  if (__builtin_expect(far, 0))
    for (int k = 0; k < 16; k++)
      if (!THFloatMath_isNear(all[k]))
        to[k] = (float)function((double)all[k]);
}

/* Whether one of the arguments, of which these are the largest, is large. */
TH_MATH int THWide_isFar(THFloats x)
{
  return __builtin_expect(THFloats_greater(x, ALL(0x1p20f)), 0);
}

TH_MATH void THWide_nearOfTwo(float *to, const float *from, void (*near)(THDoubles *, int))
{
  THDoubles parts[4];
  THWide_widen(parts, from, 4);
  near(parts, 4);
  THWide_narrow(to, parts, 4);
}

#define NAME sin
#include "THTrigAvx512.h"
#define NAME cos
#include "THTrigAvx512.h"
#define NAME tan
#include "THTrigAvx512.h"

/* --- sigmoid --------------------------------------------------------------------------------- */

/* 1 / (1 + e^a) for a > 11. */
WIDE2 THWide_sigmoidFar(THDoubles a)
{
  const THDoubles e = THWide_exp2(a * ALL2(-0x1.71547652b82fep+0));
  return MAD2(-e, e, e);
}

/* y = 1 / (1 + e^|x|), by intervals about multiples of 3/8 as far as the table goes; the result is
 * y or 1 - y. */
WIDE THWide_sigmoid(THFloats x)
{
  const THFloats a = THFloats_abs(x);
  const THInts i = BITS(MAD(a, ALL(8 / 3.f), ALL(0x3p22f)));
  THFloats y = THWide_byInterval(a, i, THWide_sigmoidTable, 0);
  const THMask32 far = THFloats_notGreater(a, ALL(11.8f));
  if (far) {
    const THDoubles lower = THWide_sigmoidFar(THWide_half(a, 0));
    const THDoubles upper = THWide_sigmoidFar(THWide_half(a, 1));
    y = THFloats_select(far, THWide_whole(lower, upper), y);
  }
  return THFloats_select(THFloats_atLeast(x, ALL(0)), ALL(1) - y, y);
}

#include "THDoubleMathAvx512.h"

#undef ALL
#undef ALL2
#undef BITS
#undef BITS2
#undef MAD
#undef MAD2
#undef NUMBER2
#undef WIDE
#undef WIDE2
#endif
#endif
