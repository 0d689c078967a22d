/* log, sin, cos, tan, tanh, sigmoid, erf, erfinv and, by THArcsAvx512.h, arcs of 8 doubles at once,
 * for the level AVX-512; a part of THMathAvx512.h.
 *
 * Tables of 16 are in registers.  Results are computed in two parts, so that the error is hardly
 * more than that of the last rounding: by at most 0.51 units in the last place sin, cos, tan, atan
 * and erfinv, 0.55 tanh, sigmoid and erf, 0.6 log, 0.64 asin and acos; more where results are next
 * to the denormal numbers, 0.63 erf, 0.77 sigmoid. */

#define TH_WIDE_TINY 0x1p-960 /* below, rounding errors of products may underflow */

typedef struct THWidePair2 {
  THDoubles hi, lo;
} THWidePair2;

/* c0 + c1 x + c2 x^2 + ..., by pairs. */
#define POLY2(X, SQUARE, ...) \
  THWide_poly2(X, SQUARE, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / 8)
WIDE2 THWide_poly2(THDoubles x, THDoubles square, const double *c, int count)
{
  THDoubles y = ALL2(c[--count]);
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
WIDE2 THWide_signed2(THDoubles y, THDoubles x)
{
  return THDoubles_withSign(y, x);
}

WIDE2 THWide_minusWhere2(THMask64 where, THDoubles x)
{
  return THDoubles_select(where, THDoubles_negMulAdd(x, ALL2(1), ALL2(-0.0)), x);
}

/* a / b.  The parts of each may overlap. */
WIDE2 THWide_quotient2(THWidePair2 a, THWidePair2 b)
{
  const THDoubles inverse = ALL2(1) / (b.hi + b.lo), q = (a.hi + a.lo) * inverse;
  const THDoubles rest = THDoubles_negMulAdd(q, b.lo, THDoubles_negMulAdd(q, b.hi, a.hi) + a.lo);
  return MAD2(rest, inverse, q);
}

/* The root of x >= 0 in two parts. */
TH_MATH THWidePair2 THWide_root2(THDoubles x)
{
  const THMask64 some = THDoubles_differ(x, THDoubles_all(0));
  const THDoubles y = THDoubles_keep(some, THDoubles_inverseRootNear(x)), first = x * y,
                  half = y * ALL2(0.5);
  const THDoubles e = THDoubles_negMulAdd(first, half, ALL2(0.5));
  const THDoubles second = MAD2(first, e, first), h = MAD2(half, e, half);
  const THDoubles s = MAD2(second, THDoubles_negMulAdd(second, h, ALL2(0.5)), second);
  const THWidePair2 root = {s, THDoubles_negMulAdd(s, s, x) * h};
  return root;
}

/* --- by intervals ---------------------------------------------------------------------------- */

/* f(x), from the polynomial of interval i about a number m there.  hi is the sum of the first two
 * terms, lo its rounding error and the other terms.  first marks the numbers with f(m) = 0 if more,
 * the part of f'(m) beyond a double, is not 0: for them lo lacks the rounding error. */
TH_MATH THWidePair2 THWide_byInterval2(THDoubles x, THLongs i, const double (*table)[16], int rows,
                                       double more, THMask64 *first)
{
  const THDoubles d = x - THWide_pick2(table[0], i), square = d * d;
  const THDoubles value = THWide_pick2(table[1], i), slope = THWide_pick2(table[2], i);
  THDoubles p = THWide_pick2(table[--rows], i);
  if (rows % 2 == 0)
    p = MAD2(p, d, THWide_pick2(table[--rows], i));
  TH_PRAGMA(GCC unroll 8)
  while (rows > 3) {
    rows -= 2;
    p = MAD2(p, square, MAD2(THWide_pick2(table[rows + 1], i), d, THWide_pick2(table[rows], i)));
  }
  const THDoubles sum = MAD2(slope, d, value);
  THDoubles rest = MAD2(slope, d, value - sum);
  if (more != 0) {
    *first = THDoubles_equal(value, THDoubles_all(0));
    rest = THDoubles_select(*first, d * ALL2(more), rest);
  }
  const THWidePair2 y = {sum, MAD2(p, square, rest)};
  return y;
}

/* An odd function of |x| = a, whose slope at 0 is slope + more. */
WIDE2 THWide_odd2(THDoubles x, THDoubles a, THLongs i, const double (*table)[16], int rows,
                  double slope, double more)
{
  THMask64 first;
  const THWidePair2 p = THWide_byInterval2(a, i, table, rows, more, &first);
  const THDoubles y = THDoubles_select(first, MAD2(ALL2(slope), a, p.lo), p.hi + p.lo);
  return THWide_signed2(y, x);
}

/* The widths of the intervals grow as 1 / (3.78 - 0.4 a): near 1 results need fewer digits. */
WIDE2 THWide_erf2(THDoubles x)
{
  const THDoubles a = THDoubles_min(ALL2(6), THDoubles_abs(x)); /* NaN remains */
  const THLongs i = BITS2(MAD2(THDoubles_negMulAdd(a, ALL2(0.2), ALL2(3.78)), a, ALL2(0x3p51)));
  return THWide_odd2(x, a, i, THWide_erf2Table, 14, 0x1.20dd750429b6dp+0, 0x1.1ae3a914fed8p-56);
}

/* --- logarithms ------------------------------------------------------------------------------ */

/* As THWide_log; the c have so few digits that r is exact where that matters. */
TH_MATH THWidePair2 THWide_logParts2(THDoubles x)
{
  const THDoubles m = THDoubles_mantissa(x);
  const THDoubles e = THDoubles_exponent(x);
  const THDoubles n = THDoubles_select(THDoubles_less(m, ALL2(1)), e + ALL2(1), e);
  const THLongs i = THLongs_shiftRight(BITS2(m), 48);
  const THDoubles r = MAD2(m, THWide_pick2(THWide_log2Table[0], i), ALL2(-1)), square = r * r;
  const THDoubles base = MAD2(n, ALL2(0x1.62e42fefa3p-1), THWide_pick2(THWide_log2Table[1], i));
  const THDoubles rest = THWide_pick2(THWide_log2Table[2], i);
  const THDoubles low = MAD2(n, ALL2(0x1.3de6af278ece6p-42), rest);
  const THDoubles p =
      POLY2(r, square, -0x1.fffffffffffffp-2, 0x1.5555555555566p-2, -0x1.0000000002093p-2,
            0x1.999999998fbep-3, -0x1.55555528dc09p-3, 0x1.2492479450d17p-3, -0x1.0000b13aec392p-3,
            0x1.c7359331c6dcp-4, -0x1.981fb23230f39p-4, 0x1.43b92ef4602b7p-4);
  const THDoubles sum = base + r;
  const THWidePair2 y = {sum, MAD2(p, square, low) + (r - (sum - base))};
  return y;
}

WIDE2 THWide_log2(THDoubles x)
{
  const THWidePair2 y = THWide_logParts2(x);
  /* NaN stays, negative numbers give NaN, zeros and infinity their limits. */
  enum { QUIET = 1, INDEFINITE = 3, BELOW = 4, ABOVE = 5 };
  const int special =
      QUIET | QUIET << 4 | BELOW << 8 | INDEFINITE << 16 | ABOVE << 20 | INDEFINITE << 24;
  return THDoubles_fix(y.hi + y.lo, x, special);
}

/* --- sine, cosine, tangent ------------------------------------------------------------------- */

/* x = k pi/16 + r + low, |r| <= pi/32; k is in the last bits of turns. */
typedef struct THWideTurn2 {
  THLongs turns;
  THDoubles r, low;
} THWideTurn2;

/* Subtracts k part, which is exact, from x and returns the rounding error. */
WIDE2 THWide_lessPart2(THDoubles *x, THDoubles k, double part)
{
  const THDoubles y = THDoubles_negMulAdd(k, ALL2(part), *x);
  const THDoubles lost = THDoubles_negMulAdd(k, ALL2(part), *x - y);
  *x = y;
  return lost;
}

/* |x| up to 2^12 or, in lanes of far, up to 2^20, with pi/16 in more parts of fewer digits. */
TH_MATH THWideTurn2 THWide_turn2(THDoubles x, THMask64 far)
{
  const THDoubles rounder = ALL2(0x3p51), turns = MAD2(x, ALL2(0x1.45f306dc9c883p+2), rounder);
  const THDoubles k = turns - rounder;
  THDoubles r = THDoubles_negMulAdd(k, ALL2(0x1.921fb5444p-3), x);
  const THDoubles lost = THWide_lessPart2(&r, k, 0x1.68c234c4c8p-42);
  THWideTurn2 t = {BITS2(turns), r, MAD2(k, ALL2(0x1.9d747f23e32edp-82), lost)};
  if (far) {
    r = THDoubles_negMulAdd(k, ALL2(0x1.921fb548p-3), x);
    THDoubles low = THWide_lessPart2(&r, k, -0x1.de973dc8p-34);
    low += THWide_lessPart2(&r, k, -0x1.9d9cceb8p-65);
    t.r = THDoubles_select(far, r, t.r);
    t.low = THDoubles_select(far, MAD2(k, ALL2(0x1.1fc8f8cbb5bf7p-96), low), t.low);
  }
  return t;
}

/* sin(k pi/16) + cos(k pi/16) (r + rest), or with cosine cos(k pi/16) - sin(k pi/16) (r + rest).
 * The second term is at most half of the first, if that is not 0. */
TH_MATH THWidePair2 THWide_turned2(THLongs k, THDoubles r, THDoubles rest, int cosine)
{
  const double(*const from)[16] = THWide_turnTable + 2 * cosine;
  const double(*const to)[16] = THWide_turnTable + 2 * !cosine;
  const THDoubles a = THWide_pick2(from[0], k), low = THWide_pick2(from[1], k);
  const THDoubles b = THWide_pick2(to[0], k), bLow = THWide_pick2(to[1], k);
  const THDoubles slope = cosine ? -b : b, slopeLow = cosine ? -bLow : bLow;
  const THDoubles hi = MAD2(slope, r, a), lost = MAD2(slope, r, a - hi);
  const THWidePair2 y = {hi, MAD2(slope, rest, MAD2(slopeLow, r, low + lost))};
  return y;
}

/* sin(k pi/16 + r + low); the rounding error of z = -r^2 / 2 is kept, too. */
WIDE2 THWide_sinOfTurn2(THLongs k, THWideTurn2 t)
{
  const THDoubles half = t.r * ALL2(-0.5), z = half * t.r, square = z * z;
  const THDoubles s = POLY2(z, square, 0x1.5555555555555p-2, 0x1.111111110ee97p-5,
                            0x1.a01a00f7b0f57p-10, 0x1.71c9f6c5a96fap-15);
  const THDoubles c =
      POLY2(z, square, 0x1.5555555552a16p-3, 0x1.6c16c0c685625p-7, 0x1.a0016ac484349p-12);
  const THDoubles sine = THWide_pick2(THWide_turnTable[0], k);
  const THWidePair2 p = THWide_turned2(k, t.r, MAD2(t.r * z, s, t.low), 0);
  const THDoubles lost = THDoubles_negMulAdd(t.r, t.low, THDoubles_mulSub(half, t.r, z));
  const THDoubles y = p.hi + MAD2(sine, z, MAD2(sine, MAD2(square, c, lost), p.lo));
  return THDoubles_xorSign(y, NUMBER2(k << 59));
}

/* y, but zeros of x stay zeros with their signs. */
WIDE2 THWide_zerosOf2(THDoubles y, THDoubles x)
{
  return THDoubles_fix(y, x, 0x100);
}

WIDE2 THWide_sinNear2(THDoubles x, THMask64 far)
{
  const THWideTurn2 t = THWide_turn2(x, far);
  return THWide_zerosOf2(THWide_sinOfTurn2(t.turns, t), x);
}

WIDE2 THWide_cosNear2(THDoubles x, THMask64 far)
{
  const THWideTurn2 t = THWide_turn2(x, far);
  return THWide_sinOfTurn2(t.turns + THLongs_all(8), t);
}

WIDE2 THWide_tanNear2(THDoubles x, THMask64 far)
{
  const THWideTurn2 t = THWide_turn2(x, far);
  const THDoubles z = t.r * t.r, square = z * z;
  const THDoubles p =
      POLY2(z, square, 0x1.5555555555555p-2, 0x1.11111111113e2p-3, 0x1.ba1ba1b84446fp-5,
            0x1.664f4cf03a595p-6, 0x1.2268d413445adp-7, 0x1.dd4010a7ed076p-9);
  const THDoubles rest = MAD2(t.r * z, p, t.low);
  const THWidePair2 sine = THWide_turned2(t.turns, t.r, rest, 0);
  const THWidePair2 cosine = THWide_turned2(t.turns, t.r, rest, 1);
  return THWide_zerosOf2(THWide_quotient2(sine, cosine), x);
}

/* Numbers beyond 2^20, infinities and NaN are computed one by one. */
#define SELDOM static __attribute__((noinline, unused))
#define NAME   sin
#include "THDoubleTrigAvx512.h"
#define NAME cos
#include "THDoubleTrigAvx512.h"
#define NAME tan
#include "THDoubleTrigAvx512.h"
#undef TURNS_FAR2
#undef SELDOM

/* --- arcs ------------------------------------------------------------------------------------ */

#define TYPED(NAME)  THWide_##NAME##2
#define Arc          THWideArc2
#define Vector       THDoubles
#define Pair         THWidePair2
#define Mask         THMask64
#define Integers     THLongs
#define OP(NAME)     THDoubles_##NAME
#define EACH         ALL2
#define INVERSE(X)   (ALL2(1) / (X))
#define Element      double
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

WIDE2 THWide_atan2(THDoubles x)
{
  const THDoubles one = ALL2(1), a = THDoubles_min(ALL2(0x1p120), THDoubles_abs(x));
  const THMask64 far = THDoubles_greater(a, one);
  THLongs i;
  const THDoubles t = THWide_step2(THDoubles_select(far, THDoubles_inverseNear(a), a), &i);
  const THDoubles nearHi = THWide_pick2(THWide_angleTable2[0], i);
  const THDoubles nearLo = THWide_pick2(THWide_angleTable2[1], i);
  const THDoubles farHi = THWide_pick2(THWide_angleTable2[2], i);
  const THDoubles farLo = THWide_pick2(THWide_angleTable2[3], i);
  const THWidePair2 base = {THDoubles_select(far, farHi, nearHi),
                            THDoubles_select(far, farLo, nearLo)};
  const THDoubles up = THDoubles_select(far, one, a), down = THDoubles_select(far, a, one);
  return THWide_signed2(THWide_angle2(up, down, t, far, base), x);
}

/* --- functions computed from exponentials ---------------------------------------------------- */

/* e^x = root (1 + r + tail), x from -708 to 0. */
typedef struct THWidePower2 {
  THDoubles root, r, tail;
} THWidePower2;

TH_MATH THWidePower2 THWide_power2(THDoubles x)
{
  const THDoubles rounder = ALL2(0x3p47), biased = MAD2(x, ALL2(0x1.71547652b82fep+0), rounder);
  const THDoubles k = biased - rounder, r = MAD2(k, ALL2(-0x1.62e42fefa39efp-1), x), square = r * r;
  const THDoubles root = THWide_pick2(THWide_exp2Table[0], BITS2(biased));
  const THDoubles rest = THWide_pick2(THWide_exp2Table[1], BITS2(biased));
  const THDoubles low = MAD2(k, ALL2(-0x1.abc9e3b39803fp-56), rest);
  const THDoubles p =
      POLY2(r, square, 0x1.0000000000004p-1, 0x1.5555555555559p-3, 0x1.555555547ebefp-5,
            0x1.1111111080147p-7, 0x1.6c18421fc9ccp-10, 0x1.a01b9ba6792a7p-13);
  const THWidePower2 power = {THDoubles_scale(root, k), r, MAD2(p, square, MAD2(low, r, low))};
  return power;
}

/* (1 - e) / (1 + e), e = exp(-2|x|). */
WIDE2 THWide_tanh2(THDoubles x)
{
  const THDoubles one = ALL2(1), two = ALL2(2), a = THDoubles_abs(x) * ALL2(-2);
  const THWidePower2 p = THWide_power2(THDoubles_max(ALL2(-40), a)); /* NaN remains */
  const THDoubles base = p.root - one, baseLow = p.root - (base + one);
  const THDoubles less = MAD2(p.root, p.r, base), lost = MAD2(p.root, p.r, base - less);
  const THDoubles more = less + two;
  const THWidePair2 n = {less, MAD2(p.root, p.tail, lost + baseLow)};
  const THWidePair2 d = {more, (less - (more - two)) + n.lo};
  return THWide_signed2(THWide_quotient2(n, d), x);
}

/* 1 / (1 + e) or e / (1 + e), e = exp(-|x|), or e itself where e is tiny. */
WIDE2 THWide_sigmoid2(THDoubles x)
{
  const THDoubles one = ALL2(1), least = ALL2(-708);
  const THDoubles a = THDoubles_negAbs(x);
  const THWidePower2 p = THWide_power2(THDoubles_max(least, a)); /* NaN remains */
  const THDoubles t = p.r + p.tail, e = MAD2(p.root, t, p.root), low = MAD2(p.root, t, p.root - e);
  const THMask64 negative = THDoubles_notAtLeast(x, THDoubles_all(0));
  const THDoubles sum = one + e;
  const THWidePair2 n = {THDoubles_select(negative, e, one), THDoubles_keep(negative, low)};
  const THWidePair2 d = {sum, (e - (sum - one)) + low};
  const THDoubles y = THWide_quotient2(n, d);
  const THMask64 far = THDoubles_less(x, least);
  return __builtin_expect(far, 0) ? THDoubles_select(far, THWide_exactExp2(x), y) : y;
}

/* --- the inverse of the error function ------------------------------------------------------- */

/* |x| below 15/16, not tiny; intervals by the exponent of 1 - |x| and two more bits. */
WIDE2 THWide_erfinvNear2(THDoubles x)
{
  const THDoubles a = THDoubles_abs(x), rest = ALL2(0x1.fffffffffffffp-1) - a;
  return THWide_odd2(x, a, THLongs_shiftRight(BITS2(rest), 50), THWide_erfinv2Table, 15,
                     0x1.c5bf891b4ef6bp-1, -0x1.618f13eb7ca89p-55);
}

/* |x| from 15/16 on: as a function of s = sqrt(-log(1 - |x|)), in two parts, by intervals of 0.275
 * from 1.64 on.  Tiny numbers are computed one by one. */
WIDE2 THWide_erfinvFar2(THDoubles x)
{
  const THDoubles zero = THDoubles_all(0), a = THDoubles_abs(x), rest = ALL2(1) - a;
  const THWidePair2 l = THWide_logParts2(rest);
  const THDoubles sum = l.hi + l.lo, more = (sum - l.hi) - l.lo;
  const THWidePair2 s = THWide_root2(zero - sum);
  const THDoubles position =
      MAD2(THDoubles_min(s.hi, ALL2(6)), ALL2(1 / 0.275), ALL2(-1.64 / 0.275 - 0.5));
  const THLongs i = BITS2(position + ALL2(0x3p51));
  const THWidePair2 p = THWide_byInterval2(s.hi, i, THWide_erfinvFar2Table, 13, 0, NULL);
  const THDoubles low =
      MAD2(THWide_pick2(THWide_erfinvFar2Table[2], i), s.lo + more / (s.hi + s.hi), p.lo);
  const THMask64 inside = THDoubles_greater(rest, zero);
  const THMask64 end = THDoubles_equal(rest, zero);
  const THDoubles any = THDoubles_select(inside, p.hi + low, ALL2((double)NAN));
  const THDoubles y = THDoubles_select(end, ALL2((double)INFINITY), any);
  double all[8], results[8];
  THDoubles_store(results, THWide_signed2(y, x));
  if (THDoubles_less(a, ALL2(TH_WIDE_TINY))) {
    THDoubles_store(all, x);
    for (int k = 0; k < 8; k++)
      if (fabs(all[k]) < TH_WIDE_TINY)
        results[k] = TH_erfinv(all[k]);
  }
  return THDoubles_load(results);
}

TH_MATH THMask64 THWide_erfinvIsFar2(THDoubles x)
{
  const THLongs least = BITS2(ALL2(TH_WIDE_TINY)), most = BITS2(ALL2(0.9375));
  return THLongs_atLeastUnsigned(BITS2(THDoubles_abs(x)) - least, most - least);
}

/* --- functions of floats, computed in doubles ------------------------------------------------ */

/* c0 + c1 d + ..., d = x - m, of interval i; rows of the table are m, c0, c1, ... */
WIDE2 THWide_sumOfInterval(THDoubles x, THLongs i, const double (*table)[16], int rows)
{
  const THDoubles d = x - THWide_pick2(table[0], i);
  THDoubles y = THWide_pick2(table[rows - 1], i);
  TH_PRAGMA(GCC unroll 16)
  for (int k = rows - 2; k > 0; k--)
    y = MAD2(y, d, THWide_pick2(table[k], i));
  return y;
}

/* |x| below 15/16. */
WIDE2 THWide_erfinvNear(THDoubles x)
{
  const THDoubles a = THDoubles_abs(x), rest = ALL2(0x1.fffffffffffffp-1) - a;
  const THLongs i = THLongs_shiftRight(BITS2(rest), 50);
  return THWide_signed2(THWide_sumOfInterval(a, i, THWide_erfinvTable, 9), x);
}

TH_MATH THMask64 THWide_erfinvIsFar(THDoubles x)
{
  return THDoubles_notLess(THDoubles_abs(x), ALL2(0.9375));
}

/* x from 0.45 on, up to 7.2 by the exponent of x / 0.9 and two more bits, where 1 and 2 are their
 * intervals' m; then by the asymptotic series. */
WIDE2 THWide_lgammaNear(THDoubles x)
{
  const THLongs i = THLongs_shiftRight(BITS2(x * ALL2(1 / 0.9)), 50);
  const THDoubles near = THWide_sumOfInterval(x, i, THWide_lgammaTable, 10);
  const THWidePair2 l = THWide_logParts2(x);
  const THDoubles inverse = ALL2(1) / x, z = inverse * inverse;
  const THDoubles terms =
      MAD2(MAD2(MAD2(z, ALL2(-1. / 1680), ALL2(1. / 1260)), z, ALL2(-1. / 360)), z, ALL2(1. / 12));
  const THDoubles rest = MAD2(terms, inverse, ALL2(0.91893853320467274) - x);
  const THDoubles far = MAD2(x - ALL2(0.5), l.hi + l.lo, rest);
  return THDoubles_select(THDoubles_atLeast(x, ALL2(7.2)), far, near);
}

/* Other numbers, with y = |x|: lgamma(y) = lgamma(y + 1) - log(y), and by reflection lgamma(-y) =
 * log(pi / (|sin(pi y)| y)) - lgamma(y).  Near zeros of lgamma below 0, both terms agree in their
 * leading digits: small results are left to the C library. */
WIDE2 THWide_lgammaFar(THDoubles x)
{
  const THDoubles zero = THDoubles_all(0), one = ALL2(1), y = THDoubles_abs(x);
  const THMask64 minus = THDoubles_less(x, zero);
  const THMask64 small = THDoubles_less(y, ALL2(0.45));
  const THDoubles above = THWide_lgammaNear(THDoubles_select(small, y + one, y));
  const THDoubles whole = THDoubles_roundNear(y);
  const THDoubles sine = THDoubles_abs(THWide_sinOfRest(zero, (y - whole) * ALL2(M_PI)));
  /* e^lgamma(x) = q e^above for x > 0, q / e^above below: q = 1 / y, or pi / sin, or pi / (sin y).
   */
  const THDoubles up = THDoubles_select(minus, ALL2(M_PI), one);
  const THDoubles down = THDoubles_select(minus, sine, one);
  const THDoubles q = up / THDoubles_select((THMask64) ~(minus & small), down * y, down);
  const THDoubles r = THWide_log2(q), sum = THDoubles_select(minus, r - above, r + above);
  const THMask64 end = THDoubles_equal(y, ALL2((double)INFINITY));
  const THDoubles most = THDoubles_select(end, y, sum);
  const THMask64 close = minus & THDoubles_less(THDoubles_abs(sum), one);
  if (!close)
    return most;
  double all[8], results[8];
  THDoubles_store(all, x);
  THDoubles_store(results, most);
  for (int k = 0; k < 8; k++) {
    int sign;
    if (close >> k & 1)
      results[k] = lgamma_r(all[k], &sign);
  }
  return THDoubles_load(results);
}

TH_MATH THMask64 THWide_lgammaIsFar(THDoubles x)
{
  return (THMask64) ~(THDoubles_atLeast(x, ALL2(0.45)) & THDoubles_less(x, ALL2(0x1p1023)));
}

#undef POLY2
#undef TH_WIDE_TINY
