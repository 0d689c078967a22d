/* Transposes: afterwards the vectors of a row hold one element of each line.  THTranspose8 to
 * THTranspose64 move elements of 1 to 8 bytes, whatever their type:
 *
 *     THTranspose32_square(x, nextX, y, nextY)                a square as wide as a vector
 *     THTranspose32_lines(to, pitch, from, lines, apart, n)   any lines, of 32 or 64 bits */
#ifndef TH_TRANSPOSE_H
#define TH_TRANSPOSE_H

#include "THParallel.h"

#include "THSimd.h"

/* Loads the first count elements at x to v: the other lanes are 0 where there are masks; elsewhere
 * all are loaded. */
#if TH_VECTOR_MASKS
#define LOAD_FIRST32(v, x, count)                                                \
  (v) = (THTranspose32_Vector)THInts_loadMasked((THMask32)((1u << (count)) - 1), \
                                                (const int32_t *)(x))
#define LOAD_FIRST64(v, x, count)                                                 \
  (v) = (THTranspose64_Vector)THLongs_loadMasked((THMask64)((1u << (count)) - 1), \
                                                 (const int64_t *)(x))
#else
#define LOAD_FIRST32(v, x, count) memcpy(&(v), x, sizeof(v))
#define LOAD_FIRST64              LOAD_FIRST32
#endif

#define BITS       32
#define BYTES      TH_VECTOR
#define LOWER_LIST TH_LIST32(LOWER)
#define UPPER_LIST TH_LIST32(UPPER)
#define LOAD_FIRST LOAD_FIRST32
#include "THTransposeSquare.h"

#define BITS       64
#define BYTES      TH_VECTOR
#define LOWER_LIST TH_LIST64(LOWER)
#define UPPER_LIST TH_LIST64(UPPER)
#define LOAD_FIRST LOAD_FIRST64
#include "THTransposeSquare.h"

/* Short elements in vectors of 16 bytes, which every level interleaves in one instruction. */
#define BITS       8
#define BYTES      16
#define LOWER_LIST TH_LOWER16
#define UPPER_LIST TH_UPPER16
#include "THTransposeSquare.h"

#define BITS       16
#define BYTES      16
#define LOWER_LIST TH_LOWER8
#define UPPER_LIST TH_UPPER8
#include "THTransposeSquare.h"

#undef LOAD_FIRST32
#undef LOAD_FIRST64
#endif
