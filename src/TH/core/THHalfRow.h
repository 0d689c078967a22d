/* Conversions between half and float by the processor's instructions, with the results of
 * THHalfBits.h.  They return how many of n elements they converted, a whole number of vectors. */
#ifndef TH_HALF_ROW_H
#define TH_HALF_ROW_H

#include <stddef.h>

#include "THHalfBits.h"
#include "THHalf.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

static inline ptrdiff_t THHalfRow_toFloat(float *r, const THHalf *x, ptrdiff_t n)
{
  ptrdiff_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(r + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(x + i))));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(r + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
#endif
  return i;
}

static inline ptrdiff_t THHalfRow_fromFloat(THHalf *r, const float *x, ptrdiff_t n)
{
  ptrdiff_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256((__m256i *)(r + i),
                        _mm512_cvtps_ph(_mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128((__m128i *)(r + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  return i;
}

/* Converts to floats first and sets the last bit of a float where digits were cut, as
 * THHalf_cutDouble does. */
static inline ptrdiff_t THHalfRow_fromDouble(THHalf *r, const double *x, ptrdiff_t n)
{
  ptrdiff_t i = 0;
#if defined(__AVX512F__)
  for (; i + 8 <= n; i += 8) {
    const __m512d from = _mm512_loadu_pd(x + i);
    const __m256 cut = _mm512_cvt_roundpd_ps(from, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __mmask8 lost = _mm512_cmp_pd_mask(_mm512_cvtps_pd(cut), from, _CMP_NEQ_OQ);
    const __m256i bits = _mm256_castps_si256(cut);
    const __m256i odd = _mm256_mask_or_epi32(bits, lost, bits, _mm256_set1_epi32(1));
    _mm_storeu_si128((__m128i *)(r + i),
                     _mm256_cvtps_ph(_mm256_castsi256_ps(odd), _MM_FROUND_TO_NEAREST_INT));
  }
#elif defined(__F16C__)
  for (; i + 4 <= n; i += 4) {
    float cut[4];
    for (int k = 0; k < 4; k++)
      cut[k] = THHalf_cutDouble(x[i + k]);
    _mm_storel_epi64((__m128i *)(r + i),
                     _mm_cvtps_ph(_mm_loadu_ps(cut), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  return i;
}

#endif
