/* log, sin, cos, tan, tanh, sigmoid, erf, erfinv and, by THArcsAvx512.h, arcs of 8 doubles at once,
 * for the level AVX-512; a part of THMathAvx512.h.
 *
 * Tables of 16 are in registers.  Results are computed in two parts, so that the error is hardly
 * more than that of the last rounding: by at most 0.51 units in the last place sin, cos, tan, atan
 * and erfinv, 0.55 tanh, sigmoid and erf, 0.6 log, 0.64 asin and acos; more where results are next
 * to the denormal numbers, 0.63 erf, 0.77 sigmoid. */

#define TH_WIDE_TINY 0x1p-960 /* below, rounding errors of products may underflow */

typedef struct THWidePair2 {
  __m512d hi, lo;
} THWidePair2;

/* c0 + c1 x + c2 x^2 + ..., by pairs. */
#define POLY2(X, SQUARE, ...) \
  THWide_poly2(X, SQUARE, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / 8)
WIDE2 THWide_poly2(__m512d x, __m512d square, const double *c, int count)
{
  __m512d y = ALL2(c[--count]);
  if (count % 2)
    y = MAD2(y, x, ALL2(c[--count]));
  TH_PRAGMA(GCC unroll 16)
  while (count > 0) {
    count -= 2;
    y = MAD2(y, square, MAD2(x, ALL2(c[count + 1]), ALL2(c[count])));
  }
  return y;
}

/* The magnitude of y with the sign of x; y must not be negative, or its sign be ignored. */
WIDE2 THWide_signed2(__m512d y, __m512d x)
{
  const __m512i sign = _mm512_set1_epi64(INT64_MIN);
  return NUMBER2(_mm512_ternarylogic_epi64(BITS2(x), BITS2(y), sign, 0xe4));
}

WIDE2 THWide_minusWhere2(__mmask8 where, __m512d x)
{
  return _mm512_mask_sub_pd(x, where, ALL2(-0.0), x);
}

/* a / b.  The parts of each may overlap. */
WIDE2 THWide_quotient2(THWidePair2 a, THWidePair2 b)
{
  const __m512d inverse = ALL2(1) / (b.hi + b.lo), q = (a.hi + a.lo) * inverse;
  const __m512d rest = _mm512_fnmadd_pd(q, b.lo, _mm512_fnmadd_pd(q, b.hi, a.hi) + a.lo);
  return MAD2(rest, inverse, q);
}

/* The root of x >= 0 in two parts. */
TH_MATH THWidePair2 THWide_root2(__m512d x)
{
  const __mmask8 some = _mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_NEQ_UQ);
  const __m512d y = _mm512_maskz_rsqrt14_pd(some, x), first = x * y, half = y * ALL2(0.5);
  const __m512d e = _mm512_fnmadd_pd(first, half, ALL2(0.5));
  const __m512d second = MAD2(first, e, first), h = MAD2(half, e, half);
  const __m512d s = MAD2(second, _mm512_fnmadd_pd(second, h, ALL2(0.5)), second);
  const THWidePair2 root = {s, _mm512_fnmadd_pd(s, s, x) * h};
  return root;
}

/* --- by intervals ---------------------------------------------------------------------------- */

/* f(x), from the polynomial of interval i about a number m there.  hi is the sum of the first two
 * terms, lo its rounding error and the other terms.  first marks the numbers with f(m) = 0 if more,
 * the part of f'(m) beyond a double, is not 0: for them lo lacks the rounding error. */
TH_MATH THWidePair2 THWide_byInterval2(__m512d x, __m512i i, const double (*table)[16], int rows,
                                       double more, __mmask8 *first)
{
  const __m512d d = x - THWide_pick2(table[0], i), square = d * d;
  const __m512d value = THWide_pick2(table[1], i), slope = THWide_pick2(table[2], i);
  __m512d p = THWide_pick2(table[--rows], i);
  if (rows % 2 == 0)
    p = MAD2(p, d, THWide_pick2(table[--rows], i));
  TH_PRAGMA(GCC unroll 8)
  while (rows > 3) {
    rows -= 2;
    p = MAD2(p, square, MAD2(THWide_pick2(table[rows + 1], i), d, THWide_pick2(table[rows], i)));
  }
  const __m512d sum = MAD2(slope, d, value);
  __m512d rest = MAD2(slope, d, value - sum);
  if (more != 0) {
    *first = _mm512_cmp_pd_mask(value, _mm512_setzero_pd(), _CMP_EQ_OQ);
    rest = _mm512_mask_mul_pd(rest, *first, d, ALL2(more));
  }
  const THWidePair2 y = {sum, MAD2(p, square, rest)};
  return y;
}

/* An odd function of |x| = a, whose slope at 0 is slope + more. */
WIDE2 THWide_odd2(__m512d x, __m512d a, __m512i i, const double (*table)[16], int rows,
                  double slope, double more)
{
  __mmask8 first;
  const THWidePair2 p = THWide_byInterval2(a, i, table, rows, more, &first);
  const __m512d y = _mm512_mask_mov_pd(p.hi + p.lo, first, MAD2(ALL2(slope), a, p.lo));
  return THWide_signed2(y, x);
}

/* The widths of the intervals grow as 1 / (3.78 - 0.4 a): near 1 results need fewer digits. */
WIDE2 THWide_erf2(__m512d x)
{
  const __m512d a = _mm512_min_pd(ALL2(6), _mm512_abs_pd(x)); /* NaN remains */
  const __m512i i = BITS2(MAD2(_mm512_fnmadd_pd(a, ALL2(0.2), ALL2(3.78)), a, ALL2(0x3p51)));
  return THWide_odd2(x, a, i, THWide_erf2Table, 14, 0x1.20dd750429b6dp+0, 0x1.1ae3a914fed8p-56);
}

/* --- logarithms ------------------------------------------------------------------------------ */

/* As THWide_log; the c have so few digits that r is exact where that matters. */
TH_MATH THWidePair2 THWide_logParts2(__m512d x)
{
  const __m512d m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
  const __m512d e = _mm512_getexp_pd(x);
  const __m512d n = _mm512_mask_add_pd(e, _mm512_cmp_pd_mask(m, ALL2(1), _CMP_LT_OQ), e, ALL2(1));
  const __m512i i = _mm512_srli_epi64(BITS2(m), 48);
  const __m512d r = MAD2(m, THWide_pick2(THWide_log2Table[0], i), ALL2(-1)), square = r * r;
  const __m512d base = MAD2(n, ALL2(0x1.62e42fefa3p-1), THWide_pick2(THWide_log2Table[1], i));
  const __m512d rest = THWide_pick2(THWide_log2Table[2], i);
  const __m512d low = MAD2(n, ALL2(0x1.3de6af278ece6p-42), rest);
  const __m512d p =
      POLY2(r, square, -0x1.fffffffffffffp-2, 0x1.5555555555566p-2, -0x1.0000000002093p-2,
            0x1.999999998fbep-3, -0x1.55555528dc09p-3, 0x1.2492479450d17p-3, -0x1.0000b13aec392p-3,
            0x1.c7359331c6dcp-4, -0x1.981fb23230f39p-4, 0x1.43b92ef4602b7p-4);
  const __m512d sum = base + r;
  const THWidePair2 y = {sum, MAD2(p, square, low) + (r - (sum - base))};
  return y;
}

WIDE2 THWide_log2(__m512d x)
{
  const THWidePair2 y = THWide_logParts2(x);
  /* NaN stays, negative numbers give NaN, zeros and infinity their limits. */
  enum { QUIET = 1, INDEFINITE = 3, BELOW = 4, ABOVE = 5 };
  const int special =
      QUIET | QUIET << 4 | BELOW << 8 | INDEFINITE << 16 | ABOVE << 20 | INDEFINITE << 24;
  return _mm512_fixupimm_pd(y.hi + y.lo, x, _mm512_set1_epi64(special), 0);
}

/* --- sine, cosine, tangent ------------------------------------------------------------------- */

/* x = k pi/16 + r + low, |r| <= pi/32; k is in the last bits of turns. */
typedef struct THWideTurn2 {
  __m512i turns;
  __m512d r, low;
} THWideTurn2;

/* Subtracts k part, which is exact, from x and returns the rounding error. */
WIDE2 THWide_lessPart2(__m512d *x, __m512d k, double part)
{
  const __m512d y = _mm512_fnmadd_pd(k, ALL2(part), *x);
  const __m512d lost = _mm512_fnmadd_pd(k, ALL2(part), *x - y);
  *x = y;
  return lost;
}

/* |x| up to 2^12 or, in lanes of far, up to 2^20, with pi/16 in more parts of fewer digits. */
TH_MATH THWideTurn2 THWide_turn2(__m512d x, __mmask8 far)
{
  const __m512d rounder = ALL2(0x3p51), turns = MAD2(x, ALL2(0x1.45f306dc9c883p+2), rounder);
  const __m512d k = turns - rounder;
  __m512d r = _mm512_fnmadd_pd(k, ALL2(0x1.921fb5444p-3), x);
  const __m512d lost = THWide_lessPart2(&r, k, 0x1.68c234c4c8p-42);
  THWideTurn2 t = {BITS2(turns), r, MAD2(k, ALL2(0x1.9d747f23e32edp-82), lost)};
  if (far) {
    r = _mm512_fnmadd_pd(k, ALL2(0x1.921fb548p-3), x);
    __m512d low = THWide_lessPart2(&r, k, -0x1.de973dc8p-34);
    low += THWide_lessPart2(&r, k, -0x1.9d9cceb8p-65);
    t.r = _mm512_mask_mov_pd(t.r, far, r);
    t.low = _mm512_mask_mov_pd(t.low, far, MAD2(k, ALL2(0x1.1fc8f8cbb5bf7p-96), low));
  }
  return t;
}

/* sin(k pi/16) + cos(k pi/16) (r + rest), or with cosine cos(k pi/16) - sin(k pi/16) (r + rest).
 * The second term is at most half of the first, if that is not 0. */
TH_MATH THWidePair2 THWide_turned2(__m512i k, __m512d r, __m512d rest, int cosine)
{
  const double(*const from)[16] = THWide_turnTable + 2 * cosine;
  const double(*const to)[16] = THWide_turnTable + 2 * !cosine;
  const __m512d a = THWide_pick2(from[0], k), low = THWide_pick2(from[1], k);
  const __m512d b = THWide_pick2(to[0], k), bLow = THWide_pick2(to[1], k);
  const __m512d slope = cosine ? -b : b, slopeLow = cosine ? -bLow : bLow;
  const __m512d hi = MAD2(slope, r, a), lost = MAD2(slope, r, a - hi);
  const THWidePair2 y = {hi, MAD2(slope, rest, MAD2(slopeLow, r, low + lost))};
  return y;
}

/* sin(k pi/16 + r + low); the rounding error of z = -r^2 / 2 is kept, too. */
WIDE2 THWide_sinOfTurn2(__m512i k, THWideTurn2 t)
{
  const __m512d half = t.r * ALL2(-0.5), z = half * t.r, square = z * z;
  const __m512d s = POLY2(z, square, 0x1.5555555555555p-2, 0x1.111111110ee97p-5,
                          0x1.a01a00f7b0f57p-10, 0x1.71c9f6c5a96fap-15);
  const __m512d c =
      POLY2(z, square, 0x1.5555555552a16p-3, 0x1.6c16c0c685625p-7, 0x1.a0016ac484349p-12);
  const __m512d sine = THWide_pick2(THWide_turnTable[0], k);
  const THWidePair2 p = THWide_turned2(k, t.r, MAD2(t.r * z, s, t.low), 0);
  const __m512d lost = _mm512_fnmadd_pd(t.r, t.low, _mm512_fmsub_pd(half, t.r, z));
  const __m512d y = p.hi + MAD2(sine, z, MAD2(sine, MAD2(square, c, lost), p.lo));
  const __m512i sign = _mm512_set1_epi64(INT64_MIN); /* y ^ (turns & sign) */
  return NUMBER2(_mm512_ternarylogic_epi64(BITS2(y), _mm512_slli_epi64(k, 59), sign, 0x78));
}

/* y, but zeros of x stay zeros with their signs. */
WIDE2 THWide_zerosOf2(__m512d y, __m512d x)
{
  return _mm512_fixupimm_pd(y, x, _mm512_set1_epi64(0x100), 0);
}

WIDE2 THWide_sinNear2(__m512d x, __mmask8 far)
{
  const THWideTurn2 t = THWide_turn2(x, far);
  return THWide_zerosOf2(THWide_sinOfTurn2(t.turns, t), x);
}

WIDE2 THWide_cosNear2(__m512d x, __mmask8 far)
{
  const THWideTurn2 t = THWide_turn2(x, far);
  return THWide_sinOfTurn2(_mm512_add_epi64(t.turns, _mm512_set1_epi64(8)), t);
}

WIDE2 THWide_tanNear2(__m512d x, __mmask8 far)
{
  const THWideTurn2 t = THWide_turn2(x, far);
  const __m512d z = t.r * t.r, square = z * z;
  const __m512d p =
      POLY2(z, square, 0x1.5555555555555p-2, 0x1.11111111113e2p-3, 0x1.ba1ba1b84446fp-5,
            0x1.664f4cf03a595p-6, 0x1.2268d413445adp-7, 0x1.dd4010a7ed076p-9);
  const __m512d rest = MAD2(t.r * z, p, t.low);
  const THWidePair2 sine = THWide_turned2(t.turns, t.r, rest, 0);
  const THWidePair2 cosine = THWide_turned2(t.turns, t.r, rest, 1);
  return THWide_zerosOf2(THWide_quotient2(sine, cosine), x);
}

/* Numbers beyond 2^20, infinities and NaN are computed one by one. */
#define TURNS2(NAME)                                                                            \
  static __attribute__((noinline, unused)) __m512d THWide_##NAME##Far2(__m512d x, __mmask8 far) \
  {                                                                                             \
    double all[8], y[8];                                                                        \
    _mm512_storeu_pd(all, x);                                                                   \
    _mm512_storeu_pd(y, THWide_##NAME##Near2(x, far));                                          \
    for (int k = 0; k < 8; k++)                                                                 \
      if (!THDoubleMath_isNear(all[k]))                                                         \
        y[k] = THDoubleMath_##NAME(all[k]);                                                     \
    return _mm512_loadu_pd(y);                                                                  \
  }                                                                                             \
  WIDE2 THWide_##NAME##2(__m512d x)                                                             \
  {                                                                                             \
    const __mmask8 far = _mm512_cmp_pd_mask(_mm512_abs_pd(x), ALL2(0x1p12), _CMP_NLE_UQ);       \
    return __builtin_expect(far, 0) ? THWide_##NAME##Far2(x, far) : THWide_##NAME##Near2(x, 0); \
  }
TURNS2(sin)
TURNS2(cos)
TURNS2(tan)
#undef TURNS2

/* --- arcs ------------------------------------------------------------------------------------ */

#define TYPED(NAME)  THWide_##NAME##2
#define Arc          THWideArc2
#define Vector       __m512d
#define Pair         THWidePair2
#define Mask         __mmask8
#define OP(NAME)     _mm512_##NAME##_pd
#define EACH         ALL2
#define INVERSE(X)   (ALL2(1) / (X))
#define Element      double
#define COMPARE      _mm512_cmp_pd_mask
#define WHOLE        BITS2
#define SIGNS(X)     _mm512_movepi64_mask(BITS2(X))
#define PI_HIGH      0x1.921fb54442d18p+1
#define PI_LOW       0x1.1a62633145c07p-53
#define BIG          0x1p120
#define STEP_ROUNDER 0x3p47 /* to multiples of 1/16 */
#define LAST_STEP    0.9375
#define ATAN_TERMS                                                                          \
  -0x1.5555555555536p-2, 0x1.999999996257bp-3, -0x1.24924826e9851p-3, 0x1.c7187900e87f9p-4, \
      -0x1.70bf0f9d5fa7ep-4
#define ASIN_TERMS                                                                             \
  0x1.5555555555578p-3, 0x1.333333332df53p-4, 0x1.6db6db7227b8fp-5, 0x1.f1c71a8d3bf06p-6,      \
      0x1.6e8bdfb3411e5p-6, 0x1.1c49e1effea7cp-6, 0x1.ca20df4d5f0eap-7, 0x1.757af796c6d3ep-7,  \
      0x1.6176a46b6367dp-7, 0x1.e297aeef0f8f1p-9, 0x1.649e21a833b5ap-6, -0x1.59645ae9c1aadp-6, \
      0x1.0bb5456c2131dp-5
#define POLY   POLY2
#define ANGLES THWide_angleTable2
#include "THArcsAvx512.h"

WIDE2 THWide_atan2(__m512d x)
{
  const __m512d one = ALL2(1), a = _mm512_min_pd(ALL2(0x1p120), _mm512_abs_pd(x));
  const __mmask8 far = _mm512_cmp_pd_mask(a, one, _CMP_GT_OQ);
  __m512i i;
  const __m512d t = THWide_step2(_mm512_mask_rcp14_pd(a, far, a), &i);
  const __m512d nearHi = THWide_pick2(THWide_angleTable2[0], i);
  const __m512d nearLo = THWide_pick2(THWide_angleTable2[1], i);
  const __m512d farHi = THWide_pick2(THWide_angleTable2[2], i);
  const __m512d farLo = THWide_pick2(THWide_angleTable2[3], i);
  const THWidePair2 base = {_mm512_mask_mov_pd(nearHi, far, farHi),
                            _mm512_mask_mov_pd(nearLo, far, farLo)};
  const __m512d up = _mm512_mask_mov_pd(a, far, one), down = _mm512_mask_mov_pd(one, far, a);
  return THWide_signed2(THWide_angle2(up, down, t, far, base), x);
}

/* --- functions computed from exponentials ---------------------------------------------------- */

/* e^x = root (1 + r + tail), x from -708 to 0. */
typedef struct THWidePower2 {
  __m512d root, r, tail;
} THWidePower2;

TH_MATH THWidePower2 THWide_power2(__m512d x)
{
  const __m512d rounder = ALL2(0x3p47), biased = MAD2(x, ALL2(0x1.71547652b82fep+0), rounder);
  const __m512d k = biased - rounder, r = MAD2(k, ALL2(-0x1.62e42fefa39efp-1), x), square = r * r;
  const __m512d root = THWide_pick2(THWide_exp2Table[0], BITS2(biased));
  const __m512d rest = THWide_pick2(THWide_exp2Table[1], BITS2(biased));
  const __m512d low = MAD2(k, ALL2(-0x1.abc9e3b39803fp-56), rest);
  const __m512d p =
      POLY2(r, square, 0x1.0000000000004p-1, 0x1.5555555555559p-3, 0x1.555555547ebefp-5,
            0x1.1111111080147p-7, 0x1.6c18421fc9ccp-10, 0x1.a01b9ba6792a7p-13);
  const THWidePower2 power = {_mm512_scalef_pd(root, k), r, MAD2(p, square, MAD2(low, r, low))};
  return power;
}

/* (1 - e) / (1 + e), e = exp(-2|x|). */
WIDE2 THWide_tanh2(__m512d x)
{
  const __m512d one = ALL2(1), two = ALL2(2), a = _mm512_abs_pd(x) * ALL2(-2);
  const THWidePower2 p = THWide_power2(_mm512_max_pd(ALL2(-40), a)); /* NaN remains */
  const __m512d base = p.root - one, baseLow = p.root - (base + one);
  const __m512d less = MAD2(p.root, p.r, base), lost = MAD2(p.root, p.r, base - less);
  const __m512d more = less + two;
  const THWidePair2 n = {less, MAD2(p.root, p.tail, lost + baseLow)};
  const THWidePair2 d = {more, (less - (more - two)) + n.lo};
  return THWide_signed2(THWide_quotient2(n, d), x);
}

/* 1 / (1 + e) or e / (1 + e), e = exp(-|x|), or e itself where e is tiny. */
WIDE2 THWide_sigmoid2(__m512d x)
{
  const __m512d one = ALL2(1), least = ALL2(-708);
  const __m512d a = _mm512_or_pd(x, ALL2(-0.0));
  const THWidePower2 p = THWide_power2(_mm512_max_pd(least, a)); /* NaN remains */
  const __m512d t = p.r + p.tail, e = MAD2(p.root, t, p.root), low = MAD2(p.root, t, p.root - e);
  const __mmask8 negative = _mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_NGE_UQ);
  const __m512d sum = one + e;
  const THWidePair2 n = {_mm512_mask_mov_pd(one, negative, e), _mm512_maskz_mov_pd(negative, low)};
  const THWidePair2 d = {sum, (e - (sum - one)) + low};
  const __m512d y = THWide_quotient2(n, d);
  const __mmask8 far = _mm512_cmp_pd_mask(x, least, _CMP_LT_OQ);
  return __builtin_expect(far, 0) ? _mm512_mask_mov_pd(y, far, THWide_exactExp2(x)) : y;
}

/* --- the inverse of the error function ------------------------------------------------------- */

/* |x| below 15/16, not tiny; intervals by the exponent of 1 - |x| and two more bits. */
WIDE2 THWide_erfinvNear2(__m512d x)
{
  const __m512d a = _mm512_abs_pd(x), rest = ALL2(0x1.fffffffffffffp-1) - a;
  return THWide_odd2(x, a, _mm512_srli_epi64(BITS2(rest), 50), THWide_erfinv2Table, 15,
                     0x1.c5bf891b4ef6bp-1, -0x1.618f13eb7ca89p-55);
}

/* |x| from 15/16 on: as a function of s = sqrt(-log(1 - |x|)), in two parts, by intervals of 0.275
 * from 1.64 on.  Tiny numbers are computed one by one. */
WIDE2 THWide_erfinvFar2(__m512d x)
{
  const __m512d zero = _mm512_setzero_pd(), a = _mm512_abs_pd(x), rest = ALL2(1) - a;
  const THWidePair2 l = THWide_logParts2(rest);
  const __m512d sum = l.hi + l.lo, more = (sum - l.hi) - l.lo;
  const THWidePair2 s = THWide_root2(zero - sum);
  const __m512d position =
      MAD2(_mm512_min_pd(s.hi, ALL2(6)), ALL2(1 / 0.275), ALL2(-1.64 / 0.275 - 0.5));
  const __m512i i = BITS2(position + ALL2(0x3p51));
  const THWidePair2 p = THWide_byInterval2(s.hi, i, THWide_erfinvFar2Table, 13, 0, NULL);
  const __m512d low =
      MAD2(THWide_pick2(THWide_erfinvFar2Table[2], i), s.lo + more / (s.hi + s.hi), p.lo);
  const __mmask8 inside = _mm512_cmp_pd_mask(rest, zero, _CMP_GT_OQ);
  const __mmask8 end = _mm512_cmp_pd_mask(rest, zero, _CMP_EQ_OQ);
  const __m512d any = _mm512_mask_mov_pd(ALL2((double)NAN), inside, p.hi + low);
  const __m512d y = _mm512_mask_mov_pd(any, end, ALL2((double)INFINITY));
  double all[8], results[8];
  _mm512_storeu_pd(results, THWide_signed2(y, x));
  if (_mm512_cmp_pd_mask(a, ALL2(TH_WIDE_TINY), _CMP_LT_OQ)) {
    _mm512_storeu_pd(all, x);
    for (int k = 0; k < 8; k++)
      if (fabs(all[k]) < TH_WIDE_TINY)
        results[k] = TH_erfinv(all[k]);
  }
  return _mm512_loadu_pd(results);
}

TH_MATH __mmask8 THWide_erfinvIsFar2(__m512d x)
{
  const __m512i least = BITS2(ALL2(TH_WIDE_TINY)), most = BITS2(ALL2(0.9375));
  return _mm512_cmpge_epu64_mask(BITS2(_mm512_abs_pd(x)) - least, most - least);
}

/* --- functions of floats, computed in doubles ------------------------------------------------ */

/* c0 + c1 d + ..., d = x - m, of interval i; rows of the table are m, c0, c1, ... */
WIDE2 THWide_sumOfInterval(__m512d x, __m512i i, const double (*table)[16], int rows)
{
  const __m512d d = x - THWide_pick2(table[0], i);
  __m512d y = THWide_pick2(table[rows - 1], i);
  TH_PRAGMA(GCC unroll 16)
  for (int k = rows - 2; k > 0; k--)
    y = MAD2(y, d, THWide_pick2(table[k], i));
  return y;
}

/* |x| below 15/16. */
WIDE2 THWide_erfinvNear(__m512d x)
{
  const __m512d a = _mm512_abs_pd(x), rest = ALL2(0x1.fffffffffffffp-1) - a;
  const __m512i i = _mm512_srli_epi64(BITS2(rest), 50);
  return THWide_signed2(THWide_sumOfInterval(a, i, THWide_erfinvTable, 9), x);
}

TH_MATH __mmask8 THWide_erfinvIsFar(__m512d x)
{
  return _mm512_cmp_pd_mask(_mm512_abs_pd(x), ALL2(0.9375), _CMP_NLT_UQ);
}

/* x from 0.45 on, up to 7.2 by the exponent of x / 0.9 and two more bits, where 1 and 2 are their
 * intervals' m; then by the asymptotic series. */
WIDE2 THWide_lgammaNear(__m512d x)
{
  const __m512i i = _mm512_srli_epi64(BITS2(x * ALL2(1 / 0.9)), 50);
  const __m512d near = THWide_sumOfInterval(x, i, THWide_lgammaTable, 10);
  const THWidePair2 l = THWide_logParts2(x);
  const __m512d inverse = ALL2(1) / x, z = inverse * inverse;
  const __m512d terms =
      MAD2(MAD2(MAD2(z, ALL2(-1. / 1680), ALL2(1. / 1260)), z, ALL2(-1. / 360)), z, ALL2(1. / 12));
  const __m512d rest = MAD2(terms, inverse, ALL2(0.91893853320467274) - x);
  const __m512d far = MAD2(x - ALL2(0.5), l.hi + l.lo, rest);
  return _mm512_mask_mov_pd(near, _mm512_cmp_pd_mask(x, ALL2(7.2), _CMP_GE_OQ), far);
}

/* Other numbers, with y = |x|: lgamma(y) = lgamma(y + 1) - log(y), and by reflection lgamma(-y) =
 * log(pi / (|sin(pi y)| y)) - lgamma(y).  Near zeros of lgamma below 0, both terms agree in their
 * leading digits: small results are left to the C library. */
WIDE2 THWide_lgammaFar(__m512d x)
{
  const __m512d zero = _mm512_setzero_pd(), one = ALL2(1), y = _mm512_abs_pd(x);
  const __mmask8 minus = _mm512_cmp_pd_mask(x, zero, _CMP_LT_OQ);
  const __mmask8 small = _mm512_cmp_pd_mask(y, ALL2(0.45), _CMP_LT_OQ);
  const __m512d above = THWide_lgammaNear(_mm512_mask_add_pd(y, small, y, one));
  const __m512d whole = _mm512_roundscale_pd(y, _MM_FROUND_TO_NEAREST_INT);
  const __m512d sine = _mm512_abs_pd(THWide_sinOfRest(zero, (y - whole) * ALL2(M_PI)));
  /* e^lgamma(x) = q e^above for x > 0, q / e^above below: q = 1 / y, or pi / sin, or pi / (sin y).
   */
  const __m512d up = _mm512_mask_mov_pd(one, minus, ALL2(M_PI));
  const __m512d down = _mm512_mask_mov_pd(one, minus, sine);
  const __m512d q = up / _mm512_mask_mul_pd(down, (__mmask8) ~(minus & small), down, y);
  const __m512d r = THWide_log2(q), sum = _mm512_mask_sub_pd(r + above, minus, r, above);
  const __mmask8 end = _mm512_cmp_pd_mask(y, ALL2((double)INFINITY), _CMP_EQ_OQ);
  const __m512d most = _mm512_mask_mov_pd(sum, end, y);
  const __mmask8 close = _mm512_mask_cmp_pd_mask(minus, _mm512_abs_pd(sum), one, _CMP_LT_OQ);
  if (!close)
    return most;
  double all[8], results[8];
  _mm512_storeu_pd(all, x);
  _mm512_storeu_pd(results, most);
  for (int k = 0; k < 8; k++) {
    int sign;
    if (close >> k & 1)
      results[k] = lgamma_r(all[k], &sign);
  }
  return _mm512_loadu_pd(results);
}

TH_MATH __mmask8 THWide_lgammaIsFar(__m512d x)
{
  return (__mmask8) ~(_mm512_cmp_pd_mask(x, ALL2(0.45), _CMP_GE_OQ) &
                      _mm512_cmp_pd_mask(x, ALL2(0x1p1023), _CMP_LT_OQ));
}

#undef POLY2
#undef TH_WIDE_TINY
