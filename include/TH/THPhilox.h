/* Philox4x32-10: random numbers that are a function of a key and a counter, for the host and for
 * kernels alike.
 *
 *     uint32_t four[4];
 *     THPhilox_words(seed, subsequence, offset, four);          words 4 * offset ... of subsequence
 *
 * The key is the seed; the counter is the offset, 64 bits of it, and on top the subsequence, such
 * as the number of a thread.  Any number of threads draw from one stream without sharing anything.
 * (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011) */
#ifndef TH_PHILOX_H
#define TH_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define TH_PHILOX_INLINE static __host__ __device__ __forceinline__
#else
#define TH_PHILOX_INLINE static inline
#endif

/* Ten rounds on a counter of four words with a key of two. */
TH_PHILOX_INLINE void THPhilox_rounds(const uint32_t counter[4], const uint32_t key[2],
                                      uint32_t words[4])
{
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    const uint64_t product0 = (uint64_t)0xD2511F53u * c0, product1 = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)product1;
    c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)product0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

TH_PHILOX_INLINE void THPhilox_words(uint64_t seed, uint64_t subsequence, uint64_t offset,
                                     uint32_t words[4])
{
  const uint32_t counter[4] = {(uint32_t)offset, (uint32_t)(offset >> 32), (uint32_t)subsequence,
                               (uint32_t)(subsequence >> 32)};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  THPhilox_rounds(counter, key, words);
}

#endif
