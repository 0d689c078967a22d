/* What levels with masks have for every kind of vector, in AVX-512; included by THSimdAvx512.h
 * for each kind.  OP(name) is the instruction. */

TH_SIMD KIND KIND_(loadMasked)(MASK mask, const ELEMENT *p)
{
  return (KIND)OP(maskz_loadu)(mask, p);
}

TH_SIMD KIND KIND_(loadOr)(KIND other, MASK mask, const ELEMENT *p)
{
  return (KIND)OP(mask_loadu)((RAW)other, mask, p);
}

TH_SIMD void KIND_(storeMasked)(ELEMENT *p, MASK mask, KIND v)
{
  OP(mask_storeu)(p, mask, (RAW)v);
}

TH_SIMD KIND KIND_(keep)(MASK mask, KIND v)
{
  return (KIND)OP(maskz_mov)(mask, (RAW)v);
}

TH_SIMD KIND KIND_(select)(MASK mask, KIND a, KIND b)
{
  return (KIND)OP(mask_mov)((RAW)b, mask, (RAW)a);
}

TH_SIMD KIND KIND_(min)(KIND a, KIND b)
{
  return (KIND)OP(min)((RAW)a, (RAW)b);
}

TH_SIMD KIND KIND_(max)(KIND a, KIND b)
{
  return (KIND)OP(max)((RAW)a, (RAW)b);
}

TH_SIMD KIND KIND_(permute)(KIND v, INTEGERS i)
{
  return (KIND)OP(permutexvar)((__m512i)i, (RAW)v);
}

TH_SIMD KIND KIND_(permuteTwo)(KIND a, KIND b, INTEGERS i)
{
  return (KIND)OP(permutex2var)((RAW)a, (__m512i)i, (RAW)b);
}

TH_SIMD KIND KIND_(gather)(const ELEMENT *p, INTEGERS i)
{
  return (KIND)GATHER_ALL((__m512i)i, p, sizeof *p);
}

TH_SIMD KIND KIND_(gatherOr)(KIND other, MASK mask, const ELEMENT *p, INTEGERS i)
{
  return (KIND)GATHER((RAW)other, mask, (__m512i)i, p, sizeof *p);
}

/* unpackLower and unpackUpper interleave a and b within each 16 bytes. */
TH_SIMD KIND KIND_(unpackLower)(KIND a, KIND b)
{
  return (KIND)OP(unpacklo)((RAW)a, (RAW)b);
}

TH_SIMD KIND KIND_(unpackUpper)(KIND a, KIND b)
{
  return (KIND)OP(unpackhi)((RAW)a, (RAW)b);
}

#define COMPARISON(NAME, PREDICATE)            \
  TH_SIMD MASK KIND_(NAME)(KIND a, KIND b)     \
  {                                            \
    return COMPARE((RAW)a, (RAW)b, PREDICATE); \
  }
COMPARISONS(COMPARISON)
#undef COMPARISON
