/* Bits of nonzero elements, in words of 64, and indices of the bits that are set.  The plain loops
 * define the results; vector comparisons make the bits of many elements at once. */
#ifndef TH_BITS_H
#define TH_BITS_H

#include "TH/index/THCompact.h"

enum { TH_BITS_WORD = 64 };

/* The bits of marks, which are 0 or 1. */
static inline uint64_t THBits_ofMarks(const uint8_t marks[TH_BITS_WORD])
{
#if TH_VECTOR >= 32
  return THSimd_marks(marks);
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
#if TH_VECTOR_MASKS
  enum { UNROLL = TH_VECTOR / sizeof(real) };
  uint64_t bits = 0;
  for (int i = 0; i < TH_BITS_WORD; i += UNROLL) {
#if defined(TH_REAL_IS_FLOAT)
    const uint64_t some = THFloats_differ(THFloats_load(x + i), THFloats_all(0));
#elif defined(TH_REAL_IS_DOUBLE)
    const uint64_t some = THDoubles_differ(THDoubles_load(x + i), THDoubles_all(0));
#else
    const uint64_t some = THSimd_nonzeros(THSimd_load(x + i), sizeof(real));
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
 * TH_COMPACT_SLACK elements after the last one may be overwritten. */
static inline ptrdiff_t THBits_indices(int *indices, const uint64_t *bits, ptrdiff_t words)
{
  int *to = indices;
  for (ptrdiff_t w = 0; w < words; w++) {
    uint64_t rest = bits[w];
    const int first = (int)(w * TH_BITS_WORD);
#if TH_VECTOR_MASKS
    if (rest)
      for (int k = 0; k < TH_BITS_WORD; k += 16, rest >>= 16) {
        THInts_store(to, THInts_compress((THMask32)rest, THInts_counting() + (first + k)));
        to += __builtin_popcount((uint16_t)rest);
      }
#elif TH_VECTOR == 32
    if (rest)
      for (int k = 0; k < TH_BITS_WORD; k += 8, rest >>= 8) {
        THCompact_indices(to, (uint8_t)rest, first + k);
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
