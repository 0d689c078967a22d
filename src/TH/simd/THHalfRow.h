/* Half to float and back by the processor's instructions, which give what THHalfBits.h gives: how
 * many of n elements were converted, a whole number of vectors. */
#ifndef TH_HALF_ROW_H
#define TH_HALF_ROW_H

#include <stddef.h>

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

/* By way of floats, as THHalf_fromFloat of a double. */
static inline ptrdiff_t THHalfRow_fromDouble(THHalf *r, const double *x, ptrdiff_t n)
{
  ptrdiff_t i = 0;
#if defined(__AVX512F__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128((__m128i *)(r + i), _mm256_cvtps_ph(_mm512_cvtpd_ps(_mm512_loadu_pd(x + i)),
                                                         _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
  for (; i + 4 <= n; i += 4)
    _mm_storel_epi64((__m128i *)(r + i), _mm_cvtps_ph(_mm256_cvtpd_ps(_mm256_loadu_pd(x + i)),
                                                      _MM_FROUND_TO_NEAREST_INT));
#endif
  return i;
}

#endif
