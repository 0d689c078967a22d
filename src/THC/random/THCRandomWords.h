/* From the words of Philox to numbers: the same lines for the host and for kernels. */
#ifndef THC_RANDOM_WORDS_H
#define THC_RANDOM_WORDS_H

#include "THPhilox.h"

/* In [0, 1): 11, 24 and 53 bits, as many as Half, Float and Double hold. */
TH_PHILOX_INLINE float THCRandom_unit11(uint32_t word)
{
  return (float)(word >> 21) * 0x1p-11f;
}

TH_PHILOX_INLINE float THCRandom_unit24(uint32_t word)
{
  return (float)(word >> 8) * 0x1p-24f;
}

TH_PHILOX_INLINE double THCRandom_unit53(const uint32_t *pair)
{
  return (double)(((uint64_t)pair[0] << 32 | pair[1]) >> 11) * 0x1p-53;
}

/* In (0, 1], for logarithms: in steps of 2^-32 near 0. */
TH_PHILOX_INLINE float THCRandom_above0(uint32_t word)
{
  return ((float)word + 0.5f) * 0x1p-32f;
}

/* One of 0 ... range - 1: the upper half of a product.  A range of 0 stands for 2^64. */
TH_PHILOX_INLINE uint64_t THCRandom_below32(uint32_t word, uint64_t range)
{
  return word * range >> 32;
}

TH_PHILOX_INLINE uint64_t THCRandom_below64(const uint32_t *pair, uint64_t range)
{
  const uint64_t high = pair[0], low = pair[1], above = range >> 32, below = range & 0xffffffffu;
  if (range == 0)
    return high << 32 | low;
  const uint64_t middle = high * below + (low * below >> 32), other = low * above;
  return high * above + (middle >> 32) + (((middle & 0xffffffffu) + other) >> 32);
}

#endif
