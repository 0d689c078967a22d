/* From the words of Philox to numbers: the same lines for the host and for kernels. */
#ifndef THC_RANDOM_WORDS_H
#define THC_RANDOM_WORDS_H

#include "THPhilox.h"

/* Uniform numbers in [0, 1): 24 and 53 bits, as many as Float and Double hold. */
TH_PHILOX_INLINE float THCRandom_unit24(uint32_t word)
{
  return (float)(word >> 8) * 0x1p-24f;
}

TH_PHILOX_INLINE double THCRandom_unit53(const uint32_t *pair)
{
  return (double)(((uint64_t)pair[0] << 32 | pair[1]) >> 11) * 0x1p-53;
}

/* Uniform numbers in (0, 1], as cuRAND has them: in steps of 2^-32, or of 2^-53, near 0. */
TH_PHILOX_INLINE float THCRandom_above0(uint32_t word)
{
  return ((float)word + 0.5f) * 0x1p-32f;
}

TH_PHILOX_INLINE double THCRandom_above0Double(const uint32_t *pair)
{
  return ((double)(pair[0] ^ (uint64_t)pair[1] << 21) + 0.5) * 0x1p-53;
}

/* One of 0 ... range - 1: the upper half of a product. */
TH_PHILOX_INLINE uint64_t THCRandom_below32(uint32_t word, uint64_t range)
{
  return word * range >> 32;
}

#endif
