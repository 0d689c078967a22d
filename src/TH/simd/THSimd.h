/* Vectors as wide as the level's registers, and what kernels do with them: one vocabulary for all
 * instruction sets.
 *
 *     enum { LANES = TH_VECTOR / sizeof(float) };
 *     for (; i + LANES <= n; i += LANES)
 *       THFloats_store(y + i, THFloats_mulAdd(THFloats_load(x + i), a, THFloats_load(y + i)));
 *
 * THFloats, THDoubles, THInts and THLongs fill a register of TH_VECTOR bytes.  C's operators work on
 * them lane by lane, and a cast keeps the bits.  V stands for one of the four names:
 *
 *     V_load(p), V_store(p, v)   from or to memory that need not be aligned
 *     V_all(x)                   x in all lanes
 *     V_mulAdd(a, b, c)          a b + c of floats or doubles, rounded once but by SSE2
 *     TH_MIX(a, b, LANES...)     the lanes of a and b with these numbers; THSimdLists.h has lists
 *
 * THSimd_load and THSimd_store move lanes of any kind as THLongs.  THSimd_stream is a non-temporal
 * store to memory that is aligned to TH_VECTOR; THSimd_finishStreams waits for those of this
 * thread.  THDoubles_loadFloats converts, THDoubles_sum adds lanes in an order of the level's choice.
 *
 * TH_VECTOR_FMA is 1 where V_mulAdd rounds once.  Where TH_VECTOR_MASKS is 1 there is more: masks, THMask32 and
 * THMask64, are integers with a bit for each lane.  Kernels for such levels ask for TH_VECTOR_MASKS and not for an
 * instruction set.
 *
 * Each level has a section.  Only sections have intrinsics; README.md lists what a section for a new
 * level has to define. */
#ifndef TH_SIMD_H
#define TH_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TH_SIMD static inline __attribute__((always_inline))

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__BMI2__)
#include "THSimdAvx512.h"
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "THSimdAvx2.h"
#elif defined(__aarch64__)
#include "THSimdNeon.h"
#else
#include "THSimdBaseline.h"
#endif

#endif
