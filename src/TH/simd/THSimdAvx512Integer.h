/* Integers in AVX-512; included by THSimdAvx512.h for both widths. */
#define COMPARISONS(X) X(equal, _MM_CMPINT_EQ) X(less, _MM_CMPINT_LT)
#include "THSimdAvx512Kind.h"

/* The marked lanes, first. */
TH_SIMD KIND KIND_(compress)(MASK mask, KIND v)
{
  return (KIND)OP(maskz_compress)(mask, (RAW)v);
}

/* 0, 1, 2 ... */
TH_SIMD KIND KIND_(counting)(void)
{
  return (KIND){COUNTING};
}

TH_SIMD KIND KIND_(shiftRight)(KIND v, int bits)
{
  return (KIND)((UNSIGNED_KIND)v >> bits);
}

/* The lanes in which a and b have a common bit. */
TH_SIMD MASK KIND_(test)(KIND a, KIND b)
{
  return TEST((RAW)a, (RAW)b);
}

/* The least and the greatest of the marked lanes. */
TH_SIMD ELEMENT KIND_(leastOf)(MASK mask, KIND v)
{
  return OP(mask_reduce_min)(mask, (RAW)v);
}

TH_SIMD ELEMENT KIND_(greatestOf)(MASK mask, KIND v)
{
  return OP(mask_reduce_max)(mask, (RAW)v);
}

/* --- lanes as unsigned numbers --------------------------------------------------------------- */

TH_SIMD KIND KIND_(minUnsigned)(KIND a, KIND b)
{
  return (KIND)UNSIGNED(min)((RAW)a, (RAW)b);
}

TH_SIMD KIND KIND_(maxUnsigned)(KIND a, KIND b)
{
  return (KIND)UNSIGNED(max)((RAW)a, (RAW)b);
}

TH_SIMD MASK KIND_(lessUnsigned)(KIND a, KIND b)
{
  return COMPARE_UNSIGNED((RAW)a, (RAW)b, _MM_CMPINT_LT);
}

TH_SIMD MASK KIND_(greaterUnsigned)(KIND a, KIND b)
{
  return COMPARE_UNSIGNED((RAW)a, (RAW)b, _MM_CMPINT_NLE);
}

TH_SIMD MASK KIND_(atLeastUnsigned)(KIND a, KIND b)
{
  return COMPARE_UNSIGNED((RAW)a, (RAW)b, _MM_CMPINT_NLT);
}

#undef COMPARISONS
#undef COMPARE
#undef COMPARE_UNSIGNED
#undef UNSIGNED
#undef TEST
#undef COUNTING
#undef UNSIGNED_KIND
