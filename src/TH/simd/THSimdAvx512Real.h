/* Floats or doubles in AVX-512; included by THSimdAvx512.h for each. */
#define COMPARISONS(X)       \
  X(equal, _CMP_EQ_OQ)       \
  X(differ, _CMP_NEQ_UQ)     \
  X(less, _CMP_LT_OQ)        \
  X(greater, _CMP_GT_OQ)     \
  X(atLeast, _CMP_GE_OQ)     \
  X(notLess, _CMP_NLT_UQ)    \
  X(notGreater, _CMP_NLE_UQ) \
  X(notAtLeast, _CMP_NGE_UQ) \
  X(unordered, _CMP_UNORD_Q)
#include "THSimdAvx512Kind.h"

TH_SIMD KIND KIND_(mulAdd)(KIND a, KIND b, KIND c)
{
  return OP(fmadd)(a, b, c);
}

TH_SIMD KIND KIND_(mulSub)(KIND a, KIND b, KIND c)
{
  return OP(fmsub)(a, b, c);
}

TH_SIMD KIND KIND_(negMulAdd)(KIND a, KIND b, KIND c)
{
  return OP(fnmadd)(a, b, c);
}

TH_SIMD KIND KIND_(abs)(KIND v)
{
  return OP(abs)(v);
}

/* -|v| */
TH_SIMD KIND KIND_(negAbs)(KIND v)
{
  return OP(or)(v, OP(set1)(-(ELEMENT)0));
}

TH_SIMD KIND KIND_(sqrt)(KIND v)
{
  return OP(sqrt)(v);
}

TH_SIMD KIND KIND_(roundNear)(KIND v)
{
  return OP(roundscale)(v, _MM_FROUND_TO_NEAREST_INT);
}

TH_SIMD KIND KIND_(roundDown)(KIND v)
{
  return OP(roundscale)(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

TH_SIMD ELEMENT KIND_(sum)(KIND v)
{
  return OP(reduce_add)(v);
}

TH_SIMD ELEMENT KIND_(greatest)(KIND v)
{
  return OP(reduce_max)(v);
}

/* All lanes of a but the first, and then the first of b. */
TH_SIMD KIND KIND_(next)(KIND a, KIND b)
{
  return (KIND)ALIGN((__m512i)b, (__m512i)a, 1);
}

/* --- parts of numbers ------------------------------------------------------------------------ */

/* The sign bits. */
TH_SIMD MASK KIND_(signs)(KIND v)
{
  return SIGNS((__m512i)v);
}

/* The size of y with the sign of x. */
TH_SIMD KIND KIND_(withSign)(KIND y, KIND x)
{
  return (KIND)TERNARY((__m512i)x, (__m512i)y, SIGN, 0xe4);
}

/* y | (x & sign) */
TH_SIMD KIND KIND_(orSign)(KIND y, KIND x)
{
  return (KIND)TERNARY((__m512i)x, (__m512i)y, SIGN, 0xec);
}

/* y ^ (x & sign) */
TH_SIMD KIND KIND_(xorSign)(KIND y, KIND x)
{
  return (KIND)TERNARY((__m512i)y, (__m512i)x, SIGN, 0x78);
}

/* x = m 2^e as the mantissa m from 3/4 up to 3/2, without the sign; and the exponent e for m from 1
 * up to 2. */
TH_SIMD KIND KIND_(mantissa)(KIND x)
{
  return OP(getmant)(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
}

TH_SIMD KIND KIND_(exponent)(KIND x)
{
  return OP(getexp)(x);
}

/* x 2^e, e rounded down */
TH_SIMD KIND KIND_(scale)(KIND x, KIND e)
{
  return OP(scalef)(x, e);
}

/* 1 / x and 1 / sqrt(x) to 14 bits */
TH_SIMD KIND KIND_(inverseNear)(KIND x)
{
  return OP(rcp14)(x);
}

TH_SIMD KIND KIND_(inverseRootNear)(KIND x)
{
  return OP(rsqrt14)(x);
}

/* The larger one of |a| and |b|; a number, if one is NaN. */
TH_SIMD KIND KIND_(largerSize)(KIND a, KIND b)
{
  return OP(range)(a, b, 11);
}

/* y, except where x is special: for each class of numbers, four bits of fixes say what is instead. */
TH_SIMD KIND KIND_(fix)(KIND y, KIND x, int fixes)
{
  return OP(fixupimm)(y, x, ALL_BITS(fixes), 0);
}

#undef COMPARISONS
#undef COMPARE
#undef SIGNS
#undef ALIGN
#undef SIGN
#undef TERNARY
#undef ALL_BITS
