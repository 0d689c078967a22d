/* Transposes: afterwards the vectors of a row hold one element of each line.  THTranspose8 to
 * THTranspose64 move elements of 1 to 8 bytes, whatever their type. */
#ifndef TH_TRANSPOSE_H
#define TH_TRANSPOSE_H

#include "THParallel.h"

#include "THSimd.h"

/* Loads the first count elements at x; the other lanes are 0. */
#if TH_VECTOR_MASKS
#define TH_MASKED_LOAD32(x, count) \
  THInts_loadMasked((THMask32)((1u << (count)) - 1), (const int32_t *)(x))
#define TH_MASKED_LOAD64(x, count) \
  THLongs_loadMasked((THMask64)((1u << (count)) - 1), (const int64_t *)(x))
#endif

/* Transposes a whole square in registers.
 *
 * Each step interleaves rows i and i + SIDE / 2 into rows 2i and 2i + 1.  So the highest bit of the
 * row number becomes the lowest bit of the column number, and the highest bit of the column number
 * the lowest of the row number.  After as many steps as a number has bits, rows and columns are
 * swapped. */
#define TH_TRANSPOSE_SQUARE(BITS, BYTES, LOWER, UPPER)                                         \
  enum { THTranspose##BITS##_SIDE = BYTES / (BITS / 8) };                                      \
  typedef uint##BITS##_t THTranspose##BITS##_Vector __attribute__((vector_size(BYTES)));       \
                                                                                               \
  static inline __attribute__((always_inline)) void                                            \
      THTranspose##BITS##_store(THTranspose##BITS##_Vector v[2][THTranspose##BITS##_SIDE],     \
                                uint##BITS##_t *y, ptrdiff_t pitch)                            \
  {                                                                                            \
    enum { SIDE = THTranspose##BITS##_SIDE };                                                  \
    int from = 0;                                                                              \
    TH_PRAGMA(GCC unroll 4)                                                                    \
    for (int bits = 1; bits < SIDE; bits *= 2, from = !from)                                   \
      TH_PRAGMA(GCC unroll 8)                                                                  \
    for (int i = 0; i < SIDE / 2; i++) {                                                       \
      v[!from][2 * i] = __builtin_shufflevector(v[from][i], v[from][i + SIDE / 2], LOWER);     \
      v[!from][2 * i + 1] = __builtin_shufflevector(v[from][i], v[from][i + SIDE / 2], UPPER); \
    }                                                                                          \
    TH_PRAGMA(GCC unroll 16)                                                                   \
    for (int i = 0; i < SIDE; i++)                                                             \
      memcpy(y + i * pitch, &v[from][i], sizeof v[0][0]);                                      \
  }                                                                                            \
                                                                                               \
  /* y[j * nextY + i] = x[i * nextX + j] for a whole square. */                                \
  static inline void THTranspose##BITS##_square(const void *x, ptrdiff_t nextX, void *y,       \
                                                ptrdiff_t nextY)                               \
  {                                                                                            \
    THTranspose##BITS##_Vector v[2][THTranspose##BITS##_SIDE];                                 \
    for (int i = 0; i < THTranspose##BITS##_SIDE; i++)                                         \
      memcpy(&v[0][i], (const uint##BITS##_t *)x + i * nextX, sizeof v[0][0]);                 \
    THTranspose##BITS##_store(v, y, nextY);                                                    \
  }

/* to[i * pitch + j] = from[j * apart + i] for lines j and n elements i of each.  to has room for
 * both counts rounded up to whole vectors; the surplus elements get arbitrary values. */
#define TH_TRANSPOSE_LINES(BITS)                                                                   \
  static __attribute__((noinline,                                                                  \
                        unused)) void THTranspose##BITS##_lines(void *to, ptrdiff_t pitch,         \
                                                                const void *from, ptrdiff_t lines, \
                                                                ptrdiff_t apart, ptrdiff_t n)      \
  {                                                                                                \
    enum { SIDE = THTranspose##BITS##_SIDE };                                                      \
    const uint##BITS##_t *const x = from;                                                          \
    uint##BITS##_t *const y = to;                                                                  \
    if (n <= SIDE / 4) { /* most of the square would be empty */                                   \
      for (ptrdiff_t i = 0; i < n; i++)                                                            \
        for (ptrdiff_t j = 0; j < lines; j++)                                                      \
          y[i * pitch + j] = x[j * apart + i];                                                     \
      return;                                                                                      \
    }                                                                                              \
    for (ptrdiff_t i = 0; i < n; i += SIDE) {                                                      \
      const int count = n - i < SIDE ? (int)(n - i) : SIDE;                                        \
      for (ptrdiff_t j = 0; j < lines; j += SIDE) {                                                \
        const int rows = lines - j < SIDE ? (int)(lines - j) : SIDE;                               \
        const uint##BITS##_t *const at = x + j * apart + i;                                        \
        THTranspose##BITS##_Vector v[2][SIDE];                                                     \
        if (rows == SIDE && TH_CAN_LOAD(count)) {                                                  \
          TH_PRAGMA(GCC unroll 16)                                                                 \
          for (int a = 0; a < SIDE; a++)                                                           \
            TH_LOAD(BITS, v[0][a], at + a * apart, count);                                         \
        } else {                                                                                   \
          memset(v[0], 0, sizeof v[0]);                                                            \
          for (int a = 0; a < rows; a++)                                                           \
            memcpy(&v[0][a], at + a * apart, (size_t)count * sizeof *at);                          \
        }                                                                                          \
        THTranspose##BITS##_store(v, y + i * pitch + j, pitch);                                    \
      }                                                                                            \
    }                                                                                              \
  }

#if TH_VECTOR_MASKS
#define TH_CAN_LOAD(count)         1
#define TH_LOAD(BITS, v, x, count) (v) = (THTranspose##BITS##_Vector)TH_MASKED_LOAD##BITS(x, count)
#else
#define TH_CAN_LOAD(count)         ((count) == SIDE)
#define TH_LOAD(BITS, v, x, count) memcpy(&(v), x, sizeof(v))
#endif
TH_TRANSPOSE_SQUARE(32, TH_VECTOR, TH_LIST32(LOWER), TH_LIST32(UPPER))
TH_TRANSPOSE_SQUARE(64, TH_VECTOR, TH_LIST64(LOWER), TH_LIST64(UPPER))
TH_TRANSPOSE_LINES(32)
TH_TRANSPOSE_LINES(64)

/* Short elements in vectors of 16 bytes, which every level interleaves in one instruction. */
TH_TRANSPOSE_SQUARE(8, 16, TH_LOWER16, TH_UPPER16)
TH_TRANSPOSE_SQUARE(16, 16, TH_LOWER8, TH_UPPER8)

#endif
