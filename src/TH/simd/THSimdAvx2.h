/* The section of AVX2, with FMA and F16C. */
#include <immintrin.h>

#define TH_VECTOR       32
#define TH_VECTOR_MASKS 0
#define TH_VECTOR_HALFS 1
#define TH_VECTOR_FMA   1
#define TH_LIST32(LIST) TH_##LIST##8
#define TH_LIST64(LIST) TH_##LIST##4
#include "THSimdTypes.h"

TH_SIMD void THSimd_stream(void *to, THLongs v)
{
  _mm256_stream_si256((__m256i *)to, (__m256i)v);
}

TH_SIMD void THSimd_finishStreams(void)
{
  _mm_sfence();
}

TH_SIMD THFloats THFloats_mulAdd(THFloats a, THFloats b, THFloats c)
{
  return _mm256_fmadd_ps(a, b, c);
}

TH_SIMD THDoubles THDoubles_mulAdd(THDoubles a, THDoubles b, THDoubles c)
{
  return _mm256_fmadd_pd(a, b, c);
}

/* The sum of all lanes, added up from the first to the last. */
TH_SIMD double THDoubles_sum(THDoubles v)
{
  double sum = v[0];
  for (int k = 1; k < (int)(TH_VECTOR / sizeof(double)); k++)
    sum += v[k];
  return sum;
}

/* Bit k of the result is the byte k, which is 0 or 1, of 64. */
TH_SIMD uint64_t THSimd_marks(const uint8_t *marks)
{
  const __m256i zero = _mm256_setzero_si256();
  const __m256i low = _mm256_cmpgt_epi8(_mm256_loadu_si256((const __m256i *)marks), zero);
  const __m256i high = _mm256_cmpgt_epi8(_mm256_loadu_si256((const __m256i *)(marks + 32)), zero);
  return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)_mm256_movemask_epi8(high) << 32;
}

/* --- conversions ----------------------------------------------------------------------------- */

TH_SIMD THDoubles THDoubles_loadFloats(const float *p)
{
  return _mm256_cvtps_pd(_mm_loadu_ps(p));
}

/* p is aligned to half of a vector. */
TH_SIMD void THDoubles_streamFloats(float *p, THDoubles v)
{
  _mm_stream_ps(p, _mm256_cvtpd_ps(v));
}

TH_SIMD THFloats THFloats_loadHalfs(const void *p)
{
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

TH_SIMD void THFloats_storeHalfs(void *p, THFloats v)
{
  _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
