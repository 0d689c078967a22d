/* The section of AVX-512 with its parts F, BW, DQ and VL, and BMI2: it has masks. */
#include <immintrin.h>

#define TH_VECTOR       64
#define TH_VECTOR_MASKS 1
#define TH_VECTOR_HALFS 1
#define TH_VECTOR_FMA   1
#define TH_LIST32(LIST) TH_##LIST##16
#define TH_LIST64(LIST) TH_##LIST##8
#include "THSimdTypes.h"

/* Bit k of a mask is lane k. */
typedef __mmask16 THMask32;
typedef __mmask8 THMask64;

/* The first count lanes, up to 31. */
TH_SIMD uint32_t THMask_first(uint32_t count)
{
  return _bzhi_u32(UINT32_MAX, count);
}

/* The first count of the marked lanes, count below 32. */
TH_SIMD uint32_t THMask_lowest(uint32_t mask, uint32_t count)
{
  return _pdep_u32((1u << count) - 1, mask);
}

/* --- the kinds ------------------------------------------------------------------------------- */

#define KIND_(NAME) THFloats_##NAME
#define KIND        THFloats
#define ELEMENT     float
#define INTEGERS    THInts
#define MASK        THMask32
#define RAW         __m512
#define OP(NAME)    _mm512_##NAME##_ps
#define COMPARE     _mm512_cmp_ps_mask
#define GATHER      _mm512_mask_i32gather_ps
#define GATHER_ALL  _mm512_i32gather_ps
#define SIGNS       _mm512_movepi32_mask
#define ALIGN       _mm512_alignr_epi32
#define SIGN        _mm512_set1_epi32(INT32_MIN)
#define TERNARY     _mm512_ternarylogic_epi32
#define ALL_BITS    _mm512_set1_epi32
#include "THSimdAvx512Real.h"
#include "THSimdAvx512End.h"

#define KIND_(NAME) THDoubles_##NAME
#define KIND        THDoubles
#define ELEMENT     double
#define INTEGERS    THLongs
#define MASK        THMask64
#define RAW         __m512d
#define OP(NAME)    _mm512_##NAME##_pd
#define COMPARE     _mm512_cmp_pd_mask
#define GATHER      _mm512_mask_i64gather_pd
#define GATHER_ALL  _mm512_i64gather_pd
#define SIGNS       _mm512_movepi64_mask
#define ALIGN       _mm512_alignr_epi64
#define SIGN        _mm512_set1_epi64(INT64_MIN)
#define TERNARY     _mm512_ternarylogic_epi64
#define ALL_BITS    _mm512_set1_epi64
#include "THSimdAvx512Real.h"
#include "THSimdAvx512End.h"

typedef uint32_t THUnsignedInts __attribute__((vector_size(TH_VECTOR)));
typedef uint64_t THUnsignedLongs __attribute__((vector_size(TH_VECTOR)));

#define KIND_(NAME)      THInts_##NAME
#define KIND             THInts
#define ELEMENT          int32_t
#define INTEGERS         THInts
#define MASK             THMask32
#define RAW              __m512i
#define OP(NAME)         _mm512_##NAME##_epi32
#define COMPARE          _mm512_cmp_epi32_mask
#define GATHER           _mm512_mask_i32gather_epi32
#define GATHER_ALL       _mm512_i32gather_epi32
#define UNSIGNED(NAME)   _mm512_##NAME##_epu32
#define COMPARE_UNSIGNED _mm512_cmp_epu32_mask
#define TEST             _mm512_test_epi32_mask
#define UNSIGNED_KIND    THUnsignedInts
#define COUNTING         0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#include "THSimdAvx512Integer.h"
#include "THSimdAvx512End.h"

#define KIND_(NAME)      THLongs_##NAME
#define KIND             THLongs
#define ELEMENT          int64_t
#define INTEGERS         THLongs
#define MASK             THMask64
#define RAW              __m512i
#define OP(NAME)         _mm512_##NAME##_epi64
#define COMPARE          _mm512_cmp_epi64_mask
#define GATHER           _mm512_mask_i64gather_epi64
#define GATHER_ALL       _mm512_i64gather_epi64
#define UNSIGNED(NAME)   _mm512_##NAME##_epu64
#define COMPARE_UNSIGNED _mm512_cmp_epu64_mask
#define TEST             _mm512_test_epi64_mask
#define UNSIGNED_KIND    THUnsignedLongs
#define COUNTING         0, 1, 2, 3, 4, 5, 6, 7
#include "THSimdAvx512Integer.h"
#include "THSimdAvx512End.h"

/* The lanes whose numbers are of some classes: of constant bits, 1 quiet NaN, 2 zero, 4 -0, 8 infinity,
 * 0x10 -infinity, 0x20 denormal, 0x40 negative, 0x80 signaling NaN. */
#define THFloats_ofClass(V, CLASSES)  _mm512_fpclass_ps_mask(V, CLASSES)
#define THDoubles_ofClass(V, CLASSES) _mm512_fpclass_pd_mask(V, CLASSES)

/* The lanes of size bytes, 1 to 8, that are not 0. */
TH_SIMD uint64_t THSimd_nonzeros(THLongs v, size_t size)
{
  const __m512i x = (__m512i)v;
  return size == 1   ? _mm512_test_epi8_mask(x, x)
         : size == 2 ? _mm512_test_epi16_mask(x, x)
         : size == 4 ? _mm512_test_epi32_mask(x, x)
                     : _mm512_test_epi64_mask(x, x);
}

/* Bit k of the result is the byte k, which is 0 or 1, of 64. */
TH_SIMD uint64_t THSimd_marks(const uint8_t *marks)
{
  return THSimd_nonzeros(THSimd_load(marks), 1);
}

/* The lanes whose bytes are not 0. */
TH_SIMD THMask32 THMask32_ofBytes(const uint8_t *p)
{
  const __m128i x = _mm_loadu_si128((const __m128i *)p);
  return _mm_test_epi8_mask(x, x);
}

/* --- non-temporal stores --------------------------------------------------------------------- */

TH_SIMD void THSimd_stream(void *to, THLongs v)
{
  _mm512_stream_si512((__m512i *)to, (__m512i)v);
}

TH_SIMD void THSimd_finishStreams(void)
{
  _mm_sfence();
}

/* --- elements far apart ----------------------------------------------------------------------------------- */

/* p[i] and p[i + 1] for as many i as fit. */
TH_SIMD THFloats THFloats_gatherPairs(const float *p, const int32_t *i)
{
  return (THFloats)_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)i), p, sizeof *p);
}

/* Writes the marked lanes of v to p[i]. */
TH_SIMD void THDoubles_scatterMasked(double *p, THMask64 mask, THLongs i, THDoubles v)
{
  _mm512_mask_i64scatter_pd(p, mask, (__m512i)i, v, sizeof *p);
}

TH_SIMD void THDoubles_scatterFloatsMasked(float *p, THMask64 mask, THLongs i, THDoubles v)
{
  _mm512_mask_i64scatter_ps(p, mask, (__m512i)i, _mm512_cvtpd_ps(v), sizeof *p);
}

/* --- sums of quarters ------------------------------------------------------------------------ */

/* The sum of the four quarters of v, each of 16 bytes: lower and upper half first. */
TH_SIMD void THFloats_storeQuarterSum(float *p, THFloats v)
{
  const __m256 half = _mm512_castps512_ps256(v) + _mm512_extractf32x8_ps(v, 1);
  _mm_storeu_ps(p, _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1));
}

TH_SIMD void THDoubles_storeQuarterSum(double *p, THDoubles v)
{
  const __m256d half = _mm512_castpd512_pd256(v) + _mm512_extractf64x4_pd(v, 1);
  _mm_storeu_pd(p, _mm256_castpd256_pd128(half) + _mm256_extractf128_pd(half, 1));
}

/* --- conversions ----------------------------------------------------------------------------- */

/* Compilers would convert the halves of a vector one by one. */
TH_SIMD THDoubles THDoubles_loadFloats(const float *p)
{
  return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}

TH_SIMD THDoubles THDoubles_loadFloatsMasked(THMask64 mask, const float *p)
{
  return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask, p));
}

/* The products of floats, rounded as floats. */
TH_SIMD THDoubles THDoubles_loadProductsMasked(THMask64 mask, const float *p, const float *q)
{
  return _mm512_cvtps_pd(_mm256_mul_ps(_mm256_maskz_loadu_ps(mask, p),
                                       _mm256_maskz_loadu_ps(mask, q)));
}

TH_SIMD void THDoubles_storeFloats(float *p, THDoubles v)
{
  _mm256_storeu_ps(p, _mm512_cvtpd_ps(v));
}

TH_SIMD void THDoubles_storeFloatsMasked(float *p, THMask64 mask, THDoubles v)
{
  _mm256_mask_storeu_ps(p, mask, _mm512_cvtpd_ps(v));
}

TH_SIMD void THDoubles_streamFloats(float *p, THDoubles v)
{
  _mm256_stream_ps(p, _mm512_cvtpd_ps(v));
}

TH_SIMD THDoubles THDoubles_ofLower(THFloats v)
{
  return _mm512_cvtps_pd(_mm512_castps512_ps256(v));
}

TH_SIMD THDoubles THDoubles_ofUpper(THFloats v)
{
  return _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
}

TH_SIMD THDoubles THDoubles_ofLowerInts(THInts v)
{
  return _mm512_cvtepi32_pd(_mm512_castsi512_si256((__m512i)v));
}

TH_SIMD THFloats THFloats_ofDoubles(THDoubles lower, THDoubles upper)
{
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(lower)), _mm512_cvtpd_ps(upper),
                            1);
}

TH_SIMD THLongs THLongs_loadInts(const int32_t *p)
{
  return (THLongs)_mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)p));
}

TH_SIMD THLongs THLongs_loadIntsOr(int32_t other, THMask64 mask, const int32_t *p)
{
  return (THLongs)_mm512_cvtepi32_epi64(_mm256_mask_loadu_epi32(_mm256_set1_epi32(other), mask, p));
}

TH_SIMD void THLongs_storeInts(int32_t *p, THLongs v)
{
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi64_epi32((__m512i)v));
}

TH_SIMD void THLongs_storeIntsMasked(int32_t *p, THMask64 mask, THLongs v)
{
  _mm256_mask_storeu_epi32(p, mask, _mm512_cvtepi64_epi32((__m512i)v));
}

TH_SIMD THLongs THLongs_ofLower(THInts v)
{
  return (THLongs)_mm512_cvtepi32_epi64(_mm512_castsi512_si256((__m512i)v));
}

TH_SIMD THLongs THLongs_ofUpper(THInts v)
{
  return (THLongs)_mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64((__m512i)v, 1));
}

TH_SIMD THInts THInts_ofLongs(THLongs lower, THLongs upper)
{
  return (THInts)_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32((__m512i)lower)),
                                    _mm512_cvtepi64_epi32((__m512i)upper), 1);
}

/* Integers of 8 and 16 bits without sign; what is stored loses the upper bits. */
TH_SIMD THInts THInts_loadBytes(const void *p)
{
  return (THInts)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
}

TH_SIMD void THInts_storeBytes(void *p, THInts v)
{
  _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)v));
}

TH_SIMD THInts THInts_loadShorts(const void *p)
{
  return (THInts)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}

TH_SIMD THInts THInts_loadShortsMasked(THMask32 mask, const void *p)
{
  return (THInts)_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, p));
}

/* Pairs of integers of 16 bits; a bit of the mask for each. */
TH_SIMD THInts THInts_loadPairsMasked(uint32_t mask, const void *p)
{
  return (THInts)_mm512_maskz_loadu_epi16(mask, p);
}

TH_SIMD void THInts_storeShorts(void *p, THInts v)
{
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)v));
}

TH_SIMD void THInts_storeShortsMasked(void *p, THMask32 mask, THInts v)
{
  _mm256_mask_storeu_epi16(p, mask, _mm512_cvtepi32_epi16((__m512i)v));
}

/* Towards 0. */
TH_SIMD THInts THInts_ofFloats(THFloats v)
{
  return (THInts)_mm512_cvttps_epi32(v);
}

TH_SIMD THFloats THFloats_loadHalfs(const void *p)
{
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

TH_SIMD void THFloats_storeHalfs(void *p, THFloats v)
{
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

/* Rounds once, as THHalf_fromDouble. */
TH_SIMD void THDoubles_storeHalfs(void *p, THDoubles v)
{
  const __m256 cut = _mm512_cvt_roundpd_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __mmask8 lost = _mm512_cmp_pd_mask(_mm512_cvtps_pd(cut), v, _CMP_NEQ_OQ);
  const __m256i bits = _mm256_castps_si256(cut);
  const __m256i odd = _mm256_mask_or_epi32(bits, lost, bits, _mm256_set1_epi32(1));
  _mm_storeu_si128((__m128i *)p,
                   _mm256_cvtps_ph(_mm256_castsi256_ps(odd), _MM_FROUND_TO_NEAREST_INT));
}
