/* Compaction: of contiguous elements, those marked with 1 are copied to the front of the result, in
 * order.  The plain loop defines the result; with vectors, elements are compacted in a register
 * that is stored whole. */
#ifndef TH_COMPACT_H
#define TH_COMPACT_H

#include "THIndex.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* How many elements after the last one of the result may be overwritten. */
enum { TH_COMPACT_ROOM = 16 };

/* TH_COMPACT_LANES elements of size bytes each, of which bits says which are marked.  (Instructions
 * that compact into memory are slow on some machines.) */
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TH_COMPACT_LANES 16

static inline unsigned THCompact_bits(const uint8_t *marks)
{
  const __m128i m = _mm_loadu_si128((const __m128i *)marks);
  return _mm_test_epi8_mask(m, m);
}

static inline __attribute__((always_inline)) void THCompact_some(char *to, const char *x,
                                                                 unsigned bits, size_t size)
{
  const __mmask16 all = (__mmask16)bits;
  if (size == 1) {
    const __m512i wide = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)x));
    const __m512i some = _mm512_maskz_compress_epi32(all, wide);
    _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(some));
  } else if (size == 2) {
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)x));
    const __m512i some = _mm512_maskz_compress_epi32(all, wide);
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(some));
  } else if (size == 4) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(all, _mm512_loadu_si512(x)));
  } else {
    const __mmask8 low = (__mmask8)bits, high = (__mmask8)(bits >> 8);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(low, _mm512_loadu_si512(x)));
    to += 8 * __builtin_popcount(low);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(high, _mm512_loadu_si512(x + 64)));
  }
}

#elif defined(__AVX2__)
#define TH_COMPACT_LANES 8

static inline unsigned THCompact_bits(const uint8_t *marks)
{
  const __m128i m = _mm_loadl_epi64((const __m128i *)marks);
  return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(m, _mm_setzero_si128()));
}

/* Twice each number of the lower half, followed by that plus 1: indices of 4-byte halves of 8-byte
 * elements. */
static inline __m128i THCompact_pairs(__m128i numbers)
{
  const __m128i twice = _mm_unpacklo_epi8(numbers, numbers);
  return _mm_add_epi8(_mm_add_epi8(twice, twice), _mm_set1_epi16(0x100));
}

static inline __m128i THCompact_front(unsigned bits)
{
  return _mm_cvtsi64_si128((long long)THIndex_fronts[bits]);
}

/* Four elements of 8 bytes. */
static inline void THCompact_four(char *to, const char *x, unsigned bits)
{
  const __m256i order = _mm256_cvtepu8_epi32(THCompact_pairs(THCompact_front(bits)));
  const __m256i all = _mm256_loadu_si256((const __m256i *)x);
  _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(all, order));
}

static inline __attribute__((always_inline)) void THCompact_some(char *to, const char *x,
                                                                 unsigned bits, size_t size)
{
  if (size == 1) {
    const __m128i all = _mm_loadl_epi64((const __m128i *)x);
    _mm_storel_epi64((__m128i *)to, _mm_shuffle_epi8(all, THCompact_front(bits)));
  } else if (size == 2) {
    const __m128i all = _mm_loadu_si128((const __m128i *)x);
    const __m128i order = THCompact_pairs(THCompact_front(bits));
    _mm_storeu_si128((__m128i *)to, _mm_shuffle_epi8(all, order));
  } else if (size == 4) {
    const __m256i all = _mm256_loadu_si256((const __m256i *)x);
    const __m256i order = _mm256_cvtepu8_epi32(THCompact_front(bits));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(all, order));
  } else {
    THCompact_four(to, x, bits & 15);
    THCompact_four(to + 8 * __builtin_popcount(bits & 15), x + 32, bits >> 4);
  }
}
#endif

/* Returns how many elements are marked. */
static inline __attribute__((always_inline)) ptrdiff_t THCompact(void *to, const void *x,
                                                                 const uint8_t *marks, ptrdiff_t n,
                                                                 size_t size)
{
  char *t = (char *)to;
  const char *f = (const char *)x;
  ptrdiff_t i = 0;
#if defined(TH_COMPACT_LANES)
  for (; i + TH_COMPACT_LANES <= n; i += TH_COMPACT_LANES) {
    const unsigned bits = THCompact_bits(marks + i);
    THCompact_some(t, f + (size_t)i * size, bits, size);
    t += (size_t)__builtin_popcount(bits) * size;
  }
#endif
  for (; i < n; i++) {
    memcpy(t, f + (size_t)i * size, size);
    t += marks[i] * size;
  }
  return (t - (char *)to) / (ptrdiff_t)size;
}

#endif
