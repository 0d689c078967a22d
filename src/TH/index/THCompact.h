/* Compaction: of contiguous elements, those marked with 1 are copied to the front of the result, in
 * order.  The plain loop defines the result; with vectors, elements are compacted in a register
 * that is stored whole. */
#ifndef TH_COMPACT_H
#define TH_COMPACT_H

#include "THIndex.h"

#include "TH/simd/THSimd.h"

/* How many elements after the last one of the result may be overwritten. */
enum { TH_COMPACT_SLACK = 16 };

/* TH_COMPACT_LANES elements of size bytes each, of which bits says which are marked.  (Instructions
 * that compact into memory are slow on some machines.) */
#if TH_VECTOR_MASKS
#define TH_COMPACT_LANES 16

static inline unsigned THCompact_bits(const uint8_t *marks)
{
  return THMask32_ofBytes(marks);
}

TH_SIMD void THCompact_some(char *to, const char *x, unsigned bits, size_t size)
{
  const THMask32 all = (THMask32)bits;
  if (size == 1) {
    THInts_storeBytes(to, THInts_compress(all, THInts_loadBytes(x)));
  } else if (size == 2) {
    THInts_storeShorts(to, THInts_compress(all, THInts_loadShorts(x)));
  } else if (size == 4) {
    THSimd_store(to, (THLongs)THInts_compress(all, (THInts)THSimd_load(x)));
  } else {
    const THMask64 low = (THMask64)bits, high = (THMask64)(bits >> 8);
    THSimd_store(to, THLongs_compress(low, THSimd_load(x)));
    to += 8 * __builtin_popcount(low);
    THSimd_store(to, THLongs_compress(high, THSimd_load(x + TH_VECTOR)));
  }
}

#elif TH_VECTOR == 32
#include "TH/simd/THCompactAvx2.h"
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
