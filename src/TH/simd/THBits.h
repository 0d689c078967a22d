/* Bits of nonzero elements, in words of 64, and indices of the bits that are set.  The plain loops
 * define the results; vector comparisons make the bits of many elements at once. */
#ifndef TH_BITS_H
#define TH_BITS_H

#include "TH/index/THCompact.h"

enum { TH_BITS_WORD = 64 };

/* The bits of marks, which are 0 or 1. */
static inline uint64_t THBits_ofMarks(const uint8_t marks[TH_BITS_WORD])
{
#if defined(__AVX2__)
  const __m256i zero = _mm256_setzero_si256();
  const __m256i low = _mm256_cmpgt_epi8(_mm256_loadu_si256((const __m256i *)marks), zero);
  const __m256i high = _mm256_cmpgt_epi8(_mm256_loadu_si256((const __m256i *)(marks + 32)), zero);
  return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)_mm256_movemask_epi8(high) << 32;
#else
  uint64_t bits = 0;
  for (int i = 0; i < TH_BITS_WORD; i += 8) { /* bit k of the product's highest byte is mark k */
    uint64_t some = 0;
    for (int k = 0; k < 8; k++)
      some |= (uint64_t)marks[i + k] << 8 * k;
    bits |= (some * 0x0102040810204080u >> 56) << i;
  }
  return bits;
#endif
}

/* The bits of 64 contiguous elements. */
static inline uint64_t THBits_ofElements(const real *x)
{
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
  enum { UNROLL = 64 / sizeof(real) };
  uint64_t bits = 0;
  for (int i = 0; i < TH_BITS_WORD; i += UNROLL) {
    const __m512i v = _mm512_loadu_si512(x + i);
#if defined(TH_REAL_IS_FLOAT)
    const uint64_t some = _mm512_cmpneq_ps_mask(_mm512_castsi512_ps(v), _mm512_setzero_ps());
#elif defined(TH_REAL_IS_DOUBLE)
    const uint64_t some = _mm512_cmpneq_pd_mask(_mm512_castsi512_pd(v), _mm512_setzero_pd());
#else
    const uint64_t some = sizeof(real) == 1   ? _mm512_test_epi8_mask(v, v)
                          : sizeof(real) == 2 ? _mm512_test_epi16_mask(v, v)
                          : sizeof(real) == 4 ? _mm512_test_epi32_mask(v, v)
                                              : _mm512_test_epi64_mask(v, v);
#endif
    bits |= some << i;
  }
  return bits;
#else
  uint8_t marks[TH_BITS_WORD];
  for (int i = 0; i < TH_BITS_WORD; i++)
    marks[i] = x[i] != 0;
  return THBits_ofMarks(marks);
#endif
}

/* The bits of n elements that are step apart; the bits after the last element are 0. */
static __attribute__((noinline)) void THBits_find(uint64_t *bits, const real *x, ptrdiff_t step,
                                                  ptrdiff_t n)
{
  for (; n >= TH_BITS_WORD && step == 1; n -= TH_BITS_WORD, x += TH_BITS_WORD)
    *bits++ = THBits_ofElements(x);
  for (; n > 0; n -= TH_BITS_WORD, x += TH_BITS_WORD * step) {
    uint8_t marks[TH_BITS_WORD] = {0};
    for (ptrdiff_t i = 0; i < THMin(n, TH_BITS_WORD); i++)
      marks[i] = x[i * step] != 0;
    *bits++ = THBits_ofMarks(marks);
  }
}

/* The indices of set bits among words * 64, ascending; returns how many there are.  Up to
 * TH_COMPACT_ROOM elements after the last one may be overwritten. */
static inline ptrdiff_t THBits_indices(int *indices, const uint64_t *bits, ptrdiff_t words)
{
  int *to = indices;
  for (ptrdiff_t w = 0; w < words; w++) {
    uint64_t rest = bits[w];
    const int first = (int)(w * TH_BITS_WORD);
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    if (rest)
      for (int k = 0; k < TH_BITS_WORD; k += 16, rest >>= 16) {
        const __m512i all = _mm512_add_epi32(lanes, _mm512_set1_epi32(first + k));
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)rest, all));
        to += __builtin_popcount((uint16_t)rest);
      }
#elif defined(__AVX2__)
    if (rest)
      for (int k = 0; k < TH_BITS_WORD; k += 8, rest >>= 8) {
        const __m256i some = _mm256_cvtepu8_epi32(THCompact_front((uint8_t)rest));
        _mm256_storeu_si256((__m256i *)to, _mm256_add_epi32(some, _mm256_set1_epi32(first + k)));
        to += __builtin_popcount((uint8_t)rest);
      }
#else
    for (; rest; rest &= rest - 1)
      *to++ = first + __builtin_ctzll(rest);
#endif
  }
  return to - indices;
}

#endif
