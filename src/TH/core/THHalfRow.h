/* Conversions between half and float by the processor's instructions, with the results of
 * THHalfBits.h.  They return how many of n elements they converted, a whole number of vectors. */
#ifndef TH_HALF_ROW_H
#define TH_HALF_ROW_H

#include "THHalfBits.h"
#include "THHalf.h"

#include "TH/simd/THSimd.h"

static inline ptrdiff_t THHalfRow_toFloat(float *r, const THHalf *x, ptrdiff_t n)
{
  ptrdiff_t i = 0;
#if TH_VECTOR_HALFS
  enum { LANES = TH_VECTOR / sizeof(float) };
  for (; i + LANES <= n; i += LANES)
    THFloats_store(r + i, THFloats_loadHalfs(x + i));
#endif
  return i;
}

static inline ptrdiff_t THHalfRow_fromFloat(THHalf *r, const float *x, ptrdiff_t n)
{
  ptrdiff_t i = 0;
#if TH_VECTOR_HALFS
  enum { LANES = TH_VECTOR / sizeof(float) };
  for (; i + LANES <= n; i += LANES)
    THFloats_storeHalfs(r + i, THFloats_load(x + i));
#endif
  return i;
}

/* Rounds once: floats between are cut, with the last bit set where digits were lost. */
static inline ptrdiff_t THHalfRow_fromDouble(THHalf *r, const double *x, ptrdiff_t n)
{
  ptrdiff_t i = 0;
#if TH_VECTOR_MASKS
  enum { LANES = TH_VECTOR / sizeof(double) };
  for (; i + LANES <= n; i += LANES)
    THDoubles_storeHalfs(r + i, THDoubles_load(x + i));
#elif TH_VECTOR_HALFS
  enum { LANES = TH_VECTOR / sizeof(float) };
  for (; i + LANES <= n; i += LANES) {
    float cut[LANES];
    for (int k = 0; k < LANES; k++)
      cut[k] = THHalf_cutDouble(x[i + k]);
    THFloats_storeHalfs(r + i, THFloats_load(cut));
  }
#endif
  return i;
}

#endif
