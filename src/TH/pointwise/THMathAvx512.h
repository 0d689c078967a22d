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
#ifndef TH_WIDE_MATH_H
#define TH_WIDE_MATH_H

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

#include "THMath.h"
#include "THVectorMath.h"

#include "THDoubleTables.h"
#include "THMathTables.h"

/* TO[i - FROM] = EXPRESSION for i from FROM up to END, where OPERANDS are TH_WIDE(name, array).
 * Masks, which cost time, are used only for the rest. */
#define TH_WIDE_LOOP(OPERANDS, TO, FROM, END, EXPRESSION) \
  TH_WIDE_LOOP_OF(ps, 16, OPERANDS, TO, FROM, END, EXPRESSION)
#define TH_WIDE(NAME, POINTER) \
  const __m512 NAME = _mm512_maskz_loadu_ps(lanes, (const float *)(POINTER) + i);

/* The same for doubles. */
#define TH_WIDE_LOOP2(OPERANDS, TO, FROM, END, EXPRESSION) \
  TH_WIDE_LOOP_OF(pd, 8, OPERANDS, TO, FROM, END, EXPRESSION)
#define TH_WIDE2(NAME, POINTER) \
  const __m512d NAME = _mm512_maskz_loadu_pd(lanes, (const double *)(POINTER) + i);

#define TH_WIDE_LOOP_OF(KIND, LANES, OPERANDS, TO, FROM, END, EXPRESSION) \
  {                                                                       \
    ptrdiff_t i = FROM;                                                   \
    __mmask##LANES lanes = (1u << (LANES)) - 1;                           \
    for (; (END) - i >= (LANES); i += (LANES)) {                          \
      OPERANDS                                                            \
      _mm512_storeu_##KIND((TO) + (i - (FROM)), EXPRESSION);              \
    }                                                                     \
    if (i < (END)) {                                                      \
      lanes = (__mmask##LANES)((1u << ((END) - i)) - 1);                  \
      OPERANDS                                                            \
      _mm512_mask_storeu_##KIND((TO) + (i - (FROM)), lanes, EXPRESSION);  \
    }                                                                     \
  }

/* --- what the functions are written with ----------------------------------------------------- */

#define WIDE    TH_MATH __m512
#define WIDE2   TH_MATH __m512d
#define ALL     _mm512_set1_ps
#define ALL2    _mm512_set1_pd
#define MAD     _mm512_fmadd_ps /* a b + c */
#define MAD2    _mm512_fmadd_pd
#define BITS    _mm512_castps_si512
#define BITS2   _mm512_castpd_si512
#define NUMBER2 _mm512_castsi512_pd

/* Elements of a table of 32, picked by the last 5 bits of i. */
WIDE THWide_pick(const float *table, __m512i i)
{
  return _mm512_permutex2var_ps(_mm512_loadu_ps(table), i, _mm512_loadu_ps(table + 16));
}

/* The same for 16 doubles and 4 bits. */
WIDE2 THWide_pick2(const double *table, __m512i i)
{
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table), i, _mm512_loadu_pd(table + 8));
}

/* --- by intervals ---------------------------------------------------------------------------- */

/* f(a), from the polynomial of interval i about a number m in it.  m was chosen so that f(m) and
 * f'(m) are floats, or nearly so.  hi is the sum of the first two terms, lo its rounding error and
 * the other terms.  more is f'(m) - 1 where f(m) is 0. */
typedef struct THWidePair {
  __m512 hi, lo;
} THWidePair;

TH_MATH THWidePair THWide_partsByInterval(__m512 a, __m512i i, const float (*table)[32], float more)
{
  const __m512 d = a - THWide_pick(table[0], i), square = d * d;
  const __m512 value = THWide_pick(table[1], i), slope = THWide_pick(table[2], i);
  const __m512 sum = MAD(slope, d, value);
  __m512 rest = MAD(slope, d, value - sum);
  if (more != 0)
    rest = _mm512_mask3_fmadd_ps(a, ALL(more), rest, _mm512_cmp_ps_mask(value, ALL(0), _CMP_EQ_OQ));
  const __m512 low = MAD(THWide_pick(table[4], i), d, THWide_pick(table[3], i));
  const __m512 high = MAD(THWide_pick(table[6], i), d, THWide_pick(table[5], i));
  const __m512 top = MAD(THWide_pick(table[7], i), square, high);
  const THWidePair p = {sum, MAD(MAD(top, square, low), square, rest)};
  return p;
}

WIDE THWide_byInterval(__m512 a, __m512i i, const float (*table)[32], float more)
{
  const THWidePair p = THWide_partsByInterval(a, i, table, more);
  return p.hi + p.lo;
}

/* An odd function that approaches 1.  Its intervals are given by the exponent and three more bits
 * of |x| + start. */
WIDE THWide_odd(__m512 x, const float (*table)[32], float start, float end, float more)
{
  const __m512 a = _mm512_min_ps(ALL(end), _mm512_abs_ps(x)); /* NaN remains */
  const __m512i i = _mm512_srli_epi32(BITS(a + ALL(start)), 20);
  const __m512 y = THWide_byInterval(a, i, table, more);
  const __m512i sign = _mm512_set1_epi32(INT32_MIN); /* y | (x & sign) */
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(BITS(x), BITS(y), sign, 0xec));
}

WIDE THWide_tanh(__m512 x)
{
  return THWide_odd(x, THWide_tanhTable, 0.625f, 9.25f, 0);
}

WIDE THWide_erf(__m512 x)
{
  return THWide_odd(x, THWide_erfTable, 0.28125f, 4, 0x1.06eba8p-3f);
}

/* atan(a) = pi/2 - atan(1/a).  The rounding error of the quotient is added, and the table's sum
 * stays in two parts. */
WIDE THWide_atan(__m512 x)
{
  const __m512 a = _mm512_abs_ps(x), zero = _mm512_setzero_ps();
  const __mmask16 far = _mm512_cmp_ps_mask(a, ALL(1), _CMP_GT_OQ);
  const __m512 q = _mm512_mask_div_ps(a, far, ALL(1), a);
  const __m512 lack = _mm512_maskz_fnmadd_ps(far, q, a, ALL(1)) * q; /* NaN where a is infinite */
  const __m512i i = _mm512_srli_epi32(BITS(q + ALL(0.0703125f)), 20);
  const THWidePair p = THWide_partsByInterval(q, i, THWide_atanTable, 0);
  const __m512 slope = THWide_pick(THWide_atanTable[2], i);
  const __m512 rest =
      MAD(slope, _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(q, zero, _CMP_GT_OQ), lack), p.lo);
  const __m512 base = _mm512_maskz_mov_ps(far, ALL(0x1.921fb6p+0f));
  const __m512 low = _mm512_maskz_mov_ps(far, ALL(-0x1.777a5cp-25f));
  const __m512 high = _mm512_mask_sub_ps(p.hi, far, base, p.hi);
  const __m512 lost = _mm512_maskz_add_ps(far, (base - high) - p.hi, low);
  const __m512 y = high + (lost + _mm512_mask_sub_ps(rest, far, zero, rest));
  const __m512i sign = _mm512_set1_epi32(INT32_MIN); /* y | (x & sign) */
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(BITS(x), BITS(y), sign, 0xec));
}

/* --- exponentials ---------------------------------------------------------------------------- */

/* e^x of x from -104 up to 89.  2^k e^(r + low), where k is the multiple of 1/32 nearest to x /
 * ln(2); its last 5 bits pick 2^(k mod 1).  The error is up to 0.55 ulp; denormal results are
 * rounded twice, 0.76 ulp. */
WIDE THWide_expBetween(__m512 x)
{
  const __m512 rounder = ALL(0x3p17f), biased = MAD(x, ALL(0x1.715476p+0f), rounder);
  const __m512 k = biased - rounder, r = MAD(k, ALL(-0x1.62e43p-1f), x);
  const __m512 root = THWide_pick(THWide_expTable[0], BITS(biased));
  const __m512 low = MAD(k, ALL(0x1.05c61p-29f), THWide_pick(THWide_expTable[1], BITS(biased)));
  const __m512 slope = MAD(MAD(r, ALL(0x1.5555d8p-3f), ALL(0x1.000088p-1f)), r, ALL(1));
  return _mm512_scalef_ps(MAD(root, MAD(slope, r, low), root), k);
}

WIDE THWide_expUpTo89(__m512 x)
{
  return THWide_expBetween(_mm512_max_ps(ALL(-104), x)); /* NaN remains */
}

WIDE THWide_exp(__m512 x)
{
  return THWide_expUpTo89(_mm512_min_ps(ALL(89), x));
}

/* The same, and as exact for denormal results, which are tested for and take longer. */
WIDE THWide_exactExp(__m512 x)
{
  const __m512 normal = ALL(-0x1.5d589ep+6f), near = _mm512_min_ps(ALL(89), x);
  const __mmask16 far = _mm512_cmp_ps_mask(x, normal, _CMP_LT_OQ);
  if (!far)
    return THWide_expBetween(near);
  float y[16];
  _mm512_storeu_ps(y, x);
  TH_PRAGMA(omp simd)
  for (int k = 0; k < 16; k++)
    y[k] = THFloatMath_exp(y[k]);
  return _mm512_mask_loadu_ps(THWide_expBetween(_mm512_max_ps(normal, near)), far, y);
}

/* The same for 8 doubles, by sixteenths; 0.52 ulp. */
WIDE2 THWide_expBetween2(__m512d x)
{
  const __m512d rounder = ALL2(0x3p47), biased = MAD2(x, ALL2(0x1.71547652b82fep+0), rounder);
  const __m512d k = biased - rounder, r = MAD2(k, ALL2(-0x1.62e42fefa39efp-1), x), square = r * r;
  const __m512d root = THWide_pick2(THWide_exp2Table[0], BITS2(biased));
  const __m512d rest = THWide_pick2(THWide_exp2Table[1], BITS2(biased));
  const __m512d low = MAD2(k, ALL2(-0x1.abc9e3b39803fp-56), rest);
  const __m512d first = MAD2(r, ALL2(0x1.5555555555559p-3), ALL2(0x1.0000000000004p-1));
  const __m512d second = MAD2(r, ALL2(0x1.1111111080147p-7), ALL2(0x1.555555547ebefp-5));
  const __m512d third = MAD2(r, ALL2(0x1.a01b9ba6792a7p-13), ALL2(0x1.6c18421fc9ccp-10));
  const __m512d slope = MAD2(MAD2(MAD2(third, square, second), square, first), r, ALL2(1));
  return _mm512_scalef_pd(MAD2(root, MAD2(slope, r, MAD2(low, r, low)), root), k);
}

WIDE2 THWide_exactExp2(__m512d x)
{
  const __m512d normal = ALL2(-0x1.6232bdd7abcd2p+9), near = _mm512_min_pd(ALL2(710), x);
  const __mmask8 far = _mm512_cmp_pd_mask(x, normal, _CMP_LT_OQ);
  if (!far)
    return THWide_expBetween2(near);
  double y[8];
  _mm512_storeu_pd(y, x);
  TH_PRAGMA(omp simd)
  for (int k = 0; k < 8; k++)
    y[k] = THDoubleMath_exp(y[k]);
  return _mm512_mask_loadu_pd(THWide_expBetween2(_mm512_max_pd(normal, near)), far, y);
}

/* --- logarithms ------------------------------------------------------------------------------ */

/* x = 2^n m, m from 3/4 up to 3/2, and log(x) = n log(2) + log(1/c) + log(1 + r), r = c m - 1: the
 * sum of the first two has few digits, and c is 1 for x near 1, where nothing may cancel.  With a
 * small rest, the result is log(x) + rest. */
WIDE THWide_logAnd(__m512 x, const __m512 *rest)
{
  const __m512 m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
  const __m512 e = _mm512_getexp_ps(x);
  const __m512 n = _mm512_mask_add_ps(e, _mm512_cmp_ps_mask(m, ALL(1), _CMP_LT_OQ), e, ALL(1));
  const __m512i i = _mm512_srli_epi32(BITS(m), 18);
  const __m512 r = MAD(m, THWide_pick(THWide_logTable[0], i), ALL(-1));
  const __m512 base = MAD(n, ALL(0x1.62e4p-1f), THWide_pick(THWide_logTable[1], i));
  const __m512 high = MAD(r, ALL(0x1.822ad8p-3f), ALL(-0x1.001196p-2f));
  const __m512 p = MAD(MAD(high, r, ALL(0x1.55584p-2f)), r, ALL(-0.5f));
  __m512 y = MAD(n, ALL(0x1.7f7d1cp-20f), r);
  if (rest)
    y += MAD(p, r * r, *rest);
  else
    y = MAD(p, r * r, y);
  y += base;
  /* NaN stays, negative numbers give NaN, zeros and infinity their limits. */
  enum { QUIET = 1, INDEFINITE = 3, BELOW = 4, ABOVE = 5 };
  const int special =
      QUIET | QUIET << 4 | BELOW << 8 | INDEFINITE << 16 | ABOVE << 20 | INDEFINITE << 24;
  return _mm512_fixupimm_ps(y, x, _mm512_set1_epi32(special), 0);
}

WIDE THWide_log(__m512 x)
{
  return THWide_logAnd(x, NULL);
}

/* --- roots ----------------------------------------------------------------------------------- */

/* The result has the same bits as the slower instruction, which is used for negative, tiny and
 * nonfinite numbers.  s and h approximate the root and half its inverse; x - s^2 is exact, and
 * multiplied by h it gives the last correction. */
WIDE THWide_sqrt(__m512 x)
{
  const __mmask16 some = _mm512_test_epi32_mask(BITS(x), _mm512_set1_epi32(INT32_MAX));
  const __m512i least = BITS(ALL(0x1p-100f)),
                range = _mm512_sub_epi32(BITS(ALL(0x1.fffffep+127f)), least);
  if (_mm512_mask_cmpgt_epu32_mask(some, _mm512_sub_epi32(BITS(x), least), range))
    return _mm512_sqrt_ps(x);
  const __m512 y = _mm512_maskz_rsqrt14_ps(some, x), first = x * y, half = y * ALL(0.5f);
  const __m512 e = _mm512_fnmadd_ps(first, half, ALL(0.5f));
  const __m512 s = MAD(first, e, first), h = MAD(half, e, half);
  return MAD(_mm512_fnmadd_ps(s, s, x), h, s);
}

/* The same for doubles: two steps to s and h. */
WIDE2 THWide_sqrt2(__m512d x)
{
  const __mmask8 some = _mm512_test_epi64_mask(BITS2(x), _mm512_set1_epi64(INT64_MAX));
  const __m512i least = BITS2(ALL2(0x1p-900)), range = BITS2(ALL2(0x1.fffffffffffffp+1023)) - least;
  if (_mm512_mask_cmpgt_epu64_mask(some, BITS2(x) - least, range))
    return _mm512_sqrt_pd(x);
  const __m512d y = _mm512_maskz_rsqrt14_pd(some, x), first = x * y, half = y * ALL2(0.5);
  const __m512d e = _mm512_fnmadd_pd(first, half, ALL2(0.5));
  const __m512d second = MAD2(first, e, first), better = MAD2(half, e, half);
  const __m512d f = _mm512_fnmadd_pd(second, better, ALL2(0.5));
  const __m512d s = MAD2(second, f, second), h = MAD2(better, f, better);
  return MAD2(_mm512_fnmadd_pd(s, s, x), h, s);
}

/* --- arcs ------------------------------------------------------------------------------------ */

/* The size of y with the sign of x. */
WIDE THWide_signed(__m512 y, __m512 x)
{
  const __m512i sign = _mm512_set1_epi32(INT32_MIN);
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(BITS(x), BITS(y), sign, 0xe4));
}

WIDE THWide_minusWhere(__mmask16 where, __m512 x)
{
  return _mm512_mask_sub_ps(x, where, ALL(-0.0f), x);
}

/* 1 / x, to 27 bits. */
WIDE THWide_inverse(__m512 x)
{
  const __m512 y = _mm512_rcp14_ps(x);
  return MAD(_mm512_fnmadd_ps(x, y, ALL(1)), y, y);
}

/* The root of x >= 0 in two parts. */
TH_MATH THWidePair THWide_root(__m512 x)
{
  const __mmask16 some = _mm512_cmp_ps_mask(x, ALL(0), _CMP_NEQ_UQ);
  const __m512 y = _mm512_maskz_rsqrt14_ps(some, x), first = x * y, half = y * ALL(0.5f);
  const __m512 s = MAD(first, _mm512_fnmadd_ps(first, half, ALL(0.5f)), first);
  const THWidePair root = {s, _mm512_fnmadd_ps(s, s, x) * half};
  return root;
}

/* c0 + c1 x + c2 x^2 + ..., by pairs. */
WIDE THWide_poly(__m512 x, __m512 square, const float *c, int count)
{
  __m512 y = ALL(c[--count]);
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
#define Vector       __m512
#define Pair         THWidePair
#define Mask         __mmask16
#define Element      float
#define OP(NAME)     _mm512_##NAME##_ps
#define COMPARE      _mm512_cmp_ps_mask
#define EACH         ALL
#define INVERSE      THWide_inverse
#define WHOLE        BITS
#define SIGNS(X)     _mm512_movepi32_mask(BITS(X))
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
WIDE2 THWide_half(__m512 x, int upper)
{
  return _mm512_cvtps_pd(upper ? _mm512_extractf32x8_ps(x, 1) : _mm512_castps512_ps256(x));
}

WIDE THWide_whole(__m512d lower, __m512d upper)
{
  const __m512 x = _mm512_castps256_ps512(_mm512_cvtpd_ps(lower));
  return _mm512_insertf32x8(x, _mm512_cvtpd_ps(upper), 1);
}

/* 2^z to some 36 bits, by sixteenths of z; z is clamped to -200 .. 200. */
WIDE2 THWide_exp2(__m512d z)
{
  z = _mm512_min_pd(ALL2(200), _mm512_max_pd(ALL2(-200), z)); /* NaN remains */
  const __m512d rounder = ALL2(0x3p47), sixteenths = z + rounder, s = z - (sixteenths - rounder);
  const __m512i k = BITS2(sixteenths), root = BITS2(THWide_pick2(THWide_powTable[2], k));
  const __m512d power = NUMBER2(_mm512_add_epi64(root, _mm512_slli_epi64(k, 48)));
  const __m512d first = MAD2(s, ALL2(0x1.ebfbdff4dd88ep-3), ALL2(0x1.62e42fec39ba3p-1));
  const __m512d second = MAD2(s, ALL2(0x1.3b2ccdcbae857p-7), ALL2(0x1.c6b3f785614bbp-5));
  return MAD2(power * s, MAD2(s * s, second, first), power);
}

/* x^y of doubles that were floats, 0 <= x <= infinity, good to some 36 bits; 1^infinity, infinity^0
 * and 0^0 are left open.
 *
 * x = 2^n m, m from 3/4 up to 3/2, and log2(x) = n + log2(1/c) + log2(c m); c is 1 for x near 1,
 * where nothing may cancel. */
WIDE2 THWide_powOfPositive(__m512d x, __m512d y)
{
  const __m512d m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
  /* scaled by a little more than 4/3 */
  const __m512d n = _mm512_getexp_pd(x * ALL2(0x1.5555556p0));
  const __m512i i = _mm512_srli_epi64(BITS2(m), 48);
  const __m512d r = MAD2(m, THWide_pick2(THWide_powTable[0], i), ALL2(-1));
  const __m512d square = r * r;
  const __m512d low = MAD2(r, ALL2(-0x1.715476517ea22p-1), ALL2(0x1.71547652b92a5p+0));
  const __m512d middle = MAD2(r, ALL2(-0x1.715496ef170e6p-2), ALL2(0x1.ec709cf7f75d3p-2));
  const __m512d high = MAD2(r, ALL2(-0x1.ec12a4931f972p-3), ALL2(0x1.277e13df60ec9p-2));
  const __m512d top = MAD2(square, ALL2(0x1.811b2de6c9931p-3), high);
  const __m512d p = MAD2(top, square * square, MAD2(middle, square, low));
  const __m512d log2 = MAD2(r, p, n + THWide_pick2(THWide_powTable[1], i));
  return THWide_exp2(y * log2);
}

WIDE THWide_pow(__m512 x, __m512 y)
{
  const __m512 a = _mm512_abs_ps(x);
  const __m512d lower = THWide_powOfPositive(THWide_half(a, 0), THWide_half(y, 0));
  const __m512d upper = THWide_powOfPositive(THWide_half(a, 1), THWide_half(y, 1));
  const __m512 p = THWide_whole(lower, upper);
  enum { SPECIAL = 0x9f /* NaN, zeros, infinities */, NEGATIVE = 0x40 };
  if (!(_mm512_fpclass_ps_mask(x, SPECIAL | NEGATIVE) | _mm512_fpclass_ps_mask(y, SPECIAL)))
    return p;
  float xs[16], ys[16], ps[16];
  _mm512_storeu_ps(xs, x);
  _mm512_storeu_ps(ys, y);
  _mm512_storeu_ps(ps, p);
  TH_PRAGMA(omp simd)
  for (int k = 0; k < 16; k++)
    ps[k] = THFloatMath_powFrom(ps[k], xs[k], ys[k]);
  return _mm512_loadu_ps(ps);
}

/* --- sine and cosine ------------------------------------------------------------------------- */

/* For count vectors of 8 doubles (a constant up to 4): each step is done for all vectors before the
 * next step, since the processor's window is shorter than all steps of a few vectors. */
#define EACH TH_PRAGMA(GCC unroll 4) for (int k = 0; k < count; k++)

/* Each x[k], |x[k]| <= pi/2, becomes the sine of x[k] + n pi, where n is the integer in the last
 * bits of turns[k]. */
TH_MATH void THWide_sinesOfRests(__m512d *x, const __m512d *turns, int count)
{
  __m512d z[4], s[4];
  EACH z[k] = x[k] * x[k];
  EACH s[k] = MAD2(z[k], ALL2(-0x1.9ab8e0d465ba4p-26), ALL2(0x1.71745c4bb5481p-19));
  EACH s[k] = MAD2(s[k], z[k], ALL2(-0x1.a017fa6fe5c82p-13));
  EACH s[k] = MAD2(s[k], z[k], ALL2(0x1.11110cb855954p-7));
  EACH s[k] = MAD2(s[k], z[k], ALL2(-0x1.555555493944bp-3));
  EACH s[k] = MAD2(s[k], z[k], ALL2(1));
  EACH s[k] = x[k] * s[k];
  EACH x[k] = NUMBER2(_mm512_xor_si512(BITS2(s[k]), _mm512_slli_epi64(BITS2(turns[k]), 63)));
}

WIDE2 THWide_sinOfRest(__m512d turns, __m512d r)
{
  THWide_sinesOfRests(&r, &turns, 1);
  return r;
}

/* x[k] - n[k] pi, as THFloatMath_lessPi computes it. */
TH_MATH void THWide_lessPi(__m512d *x, const __m512d *n, int count)
{
  EACH x[k] = MAD2(n[k], ALL2(-0x1.921fb544p+1), x[k]);
  EACH x[k] = MAD2(n[k], ALL2(-0x1.0b4611a626331p-33), x[k]);
}

TH_MATH void THWide_sinNear(__m512d *x, int count)
{
  const __m512d rounder = ALL2(0x3p51);
  __m512d turns[4], n[4];
  EACH turns[k] = MAD2(x[k], ALL2(0x1.45f306dc9c883p-2), rounder);
  EACH n[k] = turns[k] - rounder;
  THWide_lessPi(x, n, count);
  THWide_sinesOfRests(x, turns, count);
}

/* The sine of x + pi/2, with n - 1/2 in place of n. */
TH_MATH void THWide_cosNear(__m512d *x, int count)
{
  const __m512d rounder = ALL2(0x3p51);
  __m512d turns[4], n[4];
  EACH turns[k] = MAD2(x[k], ALL2(0x1.45f306dc9c883p-2), ALL2(0.5)) + rounder;
  EACH n[k] = (turns[k] - rounder) - ALL2(0.5);
  THWide_lessPi(x, n, count);
  THWide_sinesOfRests(x, turns, count);
}

/* The tangent, from the sine and cosine of the nearest multiple of pi/16 and the difference to
 * it. */
WIDE2 THWide_tanOfOne(__m512d x)
{
  const __m512d rounder = ALL2(0x3p51), turns = MAD2(x, ALL2(0x1.45f306dc9c883p+2), rounder);
  const __m512d k = turns - rounder, less = _mm512_fnmadd_pd(k, ALL2(0x1.921fb548p-3), x);
  const __m512d r = MAD2(k, ALL2(0x1.de973dcb3b39ap-34), less), z = r * r;
  const __m512d p = MAD2(MAD2(z, ALL2(0x1.bd736ced789f9p-5), ALL2(0x1.110fddb7d31cbp-3)), z,
                         ALL2(0x1.555555940ab04p-2));
  const __m512d tangent = MAD2(r * z, p, r);
  const __m512d sine = THWide_pick2(THWide_turnTable[0], BITS2(turns));
  const __m512d cosine = THWide_pick2(THWide_turnTable[2], BITS2(turns));
  const __m512d up = MAD2(cosine, tangent, sine), down = _mm512_fnmadd_pd(sine, tangent, cosine);
  const __m512d y = _mm512_rcp14_pd(down), e = _mm512_fnmadd_pd(y, down, ALL2(1));
  const __m512d quotient = up * MAD2(MAD2(e, e, e), y, y);
  return _mm512_fixupimm_pd(quotient, x, _mm512_set1_epi64(0x100), 0); /* zeros keep their signs */
}

TH_MATH void THWide_tanNear(__m512d *x, int count)
{
  EACH x[k] = THWide_tanOfOne(x[k]);
}

/* Loads 8 * count floats as doubles, and stores them: extracting halves of a vector of floats would
 * cost more. */
TH_MATH void THWide_widen(__m512d *x, const float *from, int count)
{
  EACH x[k] = _mm512_cvtps_pd(_mm256_loadu_ps(from + 8 * k));
}

TH_MATH void THWide_narrow(float *to, const __m512d *x, int count)
{
  EACH _mm256_storeu_ps(to + 8 * k, _mm512_cvtpd_ps(x[k]));
}
#undef EACH

/* Large arguments are left to the C library. */
#define TH_WIDE_TURNS(NAME)                                                      \
  TH_MATH void THWide_##NAME(float *to, const float *from)                       \
  {                                                                              \
    enum { LARGEST = 11 };                                                       \
    __m512d x[2];                                                                \
    THWide_widen(x, from, 2);                                                    \
    const __m512d largest = _mm512_range_pd(x[0], x[1], LARGEST);                \
    const int far = _mm512_cmp_pd_mask(largest, ALL2(0x1p20), _CMP_GT_OQ);       \
    float all[16];                                                               \
    if (__builtin_expect(far, 0))                                                \
      _mm512_storeu_ps(all, _mm512_loadu_ps(from));                              \
    THWide_##NAME##Near(x, 2);                                                   \
    THWide_narrow(to, x, 2);                                                     \
    if (__builtin_expect(far, 0))                                                \
      for (int k = 0; k < 16; k++)                                               \
        if (!THFloatMath_isNear(all[k]))                                         \
          to[k] = (float)NAME((double)all[k]);                                   \
  }                                                                              \
                                                                                 \
  /* The same for 32, with one test for large arguments. */                      \
  TH_MATH void THWide_##NAME##OfTwo(float *to, const float *from)                \
  {                                                                              \
    enum { LARGEST = 11 };                                                       \
    const __m512 x = _mm512_loadu_ps(from), y = _mm512_loadu_ps(from + 16);      \
    const __m512 largest = _mm512_range_ps(x, y, LARGEST), limit = ALL(0x1p20f); \
    if (__builtin_expect(_mm512_cmp_ps_mask(largest, limit, _CMP_GT_OQ), 0)) {   \
      THWide_##NAME(to, from);                                                   \
      THWide_##NAME(to + 16, from + 16);                                         \
    } else {                                                                     \
      __m512d parts[4];                                                          \
      THWide_widen(parts, from, 4);                                              \
      THWide_##NAME##Near(parts, 4);                                             \
      THWide_narrow(to, parts, 4);                                               \
    }                                                                            \
  }
TH_WIDE_TURNS(sin)
TH_WIDE_TURNS(cos)
TH_WIDE_TURNS(tan)
#undef TH_WIDE_TURNS

/* --- sigmoid --------------------------------------------------------------------------------- */

/* 1 / (1 + e^a) for a > 11. */
WIDE2 THWide_sigmoidFar(__m512d a)
{
  const __m512d e = THWide_exp2(a * ALL2(-0x1.71547652b82fep+0));
  return MAD2(-e, e, e);
}

/* y = 1 / (1 + e^|x|), by intervals about multiples of 3/8 as far as the table goes; the result is
 * y or 1 - y. */
WIDE THWide_sigmoid(__m512 x)
{
  const __m512 a = _mm512_abs_ps(x);
  const __m512i i = BITS(MAD(a, ALL(8 / 3.f), ALL(0x3p22f)));
  __m512 y = THWide_byInterval(a, i, THWide_sigmoidTable, 0);
  const __mmask16 far = _mm512_cmp_ps_mask(a, ALL(11.8f), _CMP_NLE_UQ);
  if (far) {
    const __m512d lower = THWide_sigmoidFar(THWide_half(a, 0));
    const __m512d upper = THWide_sigmoidFar(THWide_half(a, 1));
    y = _mm512_mask_mov_ps(y, far, THWide_whole(lower, upper));
  }
  return _mm512_mask_sub_ps(y, _mm512_cmp_ps_mask(x, ALL(0), _CMP_GE_OQ), ALL(1), y);
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
