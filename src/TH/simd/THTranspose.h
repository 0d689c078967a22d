/* Transposes: afterwards the vectors of a row hold one element of each line.  THTranspose8 to
 * THTranspose64 move elements of 1 to 8 bytes, whatever their type. */
#ifndef TH_TURN_H
#define TH_TURN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "THParallel.h"

#if defined(__AVX512F__)
#include <immintrin.h>
enum { TH_TRANSPOSE_VECTOR = 64 };
#elif defined(__AVX__)
enum { TH_TRANSPOSE_VECTOR = 32 };
#else
enum { TH_TRANSPOSE_VECTOR = 16 };
#endif

/* Shuffles that interleave two vectors: their lower halves (FIRST), their upper halves (LAST). */
#define TH_FIRST2  0, 2
#define TH_LAST2   1, 3
#define TH_FIRST4  0, 4, 1, 5
#define TH_LAST4   2, 6, 3, 7
#define TH_FIRST8  0, 8, 1, 9, 2, 10, 3, 11
#define TH_LAST8   4, 12, 5, 13, 6, 14, 7, 15
#define TH_FIRST16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define TH_LAST16  8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

/* Loads the first count elements at x; the other lanes are 0. */
#if defined(__AVX512F__)
#define TH_MASKED_LOAD32(x, count) _mm512_maskz_loadu_epi32((__mmask16)((1u << (count)) - 1), x)
#define TH_MASKED_LOAD64(x, count) _mm512_maskz_loadu_epi64((__mmask8)((1u << (count)) - 1), x)
#endif

/* Transposes a whole square in registers.
 *
 * Each step interleaves rows i and i + SIDE / 2 into rows 2i and 2i + 1.  So the highest bit of the
 * row number becomes the lowest bit of the column number, and the highest bit of the column number
 * the lowest of the row number.  After as many steps as a number has bits, rows and columns are
 * swapped. */
#define TH_TRANSPOSE_SQUARE(BITS, BYTES, FIRST, LAST)                                         \
  enum { THTranspose##BITS##_SIDE = BYTES / (BITS / 8) };                                     \
  typedef uint##BITS##_t THTranspose##BITS##_Vector __attribute__((vector_size(BYTES)));      \
                                                                                              \
  static inline __attribute__((always_inline)) void                                           \
      THTranspose##BITS##_store(THTranspose##BITS##_Vector v[2][THTranspose##BITS##_SIDE],    \
                                uint##BITS##_t *y, ptrdiff_t pitch)                           \
  {                                                                                           \
    enum { SIDE = THTranspose##BITS##_SIDE };                                                 \
    int from = 0;                                                                             \
    TH_PRAGMA(GCC unroll 4)                                                                   \
    for (int bits = 1; bits < SIDE; bits *= 2, from = !from)                                  \
      TH_PRAGMA(GCC unroll 8)                                                                 \
    for (int i = 0; i < SIDE / 2; i++) {                                                      \
      v[!from][2 * i] = __builtin_shufflevector(v[from][i], v[from][i + SIDE / 2], FIRST);    \
      v[!from][2 * i + 1] = __builtin_shufflevector(v[from][i], v[from][i + SIDE / 2], LAST); \
    }                                                                                         \
    TH_PRAGMA(GCC unroll 16)                                                                  \
    for (int i = 0; i < SIDE; i++)                                                            \
      memcpy(y + i * pitch, &v[from][i], sizeof v[0][0]);                                     \
  }                                                                                           \
                                                                                              \
  /* y[j * nextY + i] = x[i * nextX + j] for a whole square. */                               \
  static inline void THTranspose##BITS##_square(const void *x, ptrdiff_t nextX, void *y,      \
                                                ptrdiff_t nextY)                              \
  {                                                                                           \
    THTranspose##BITS##_Vector v[2][THTranspose##BITS##_SIDE];                                \
    for (int i = 0; i < THTranspose##BITS##_SIDE; i++)                                        \
      memcpy(&v[0][i], (const uint##BITS##_t *)x + i * nextX, sizeof v[0][0]);                \
    THTranspose##BITS##_store(v, y, nextY);                                                   \
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

#if defined(__AVX512F__)
#define TH_CAN_LOAD(count)         1
#define TH_LOAD(BITS, v, x, count) (v) = (THTranspose##BITS##_Vector)TH_MASKED_LOAD##BITS(x, count)
TH_TRANSPOSE_SQUARE(32, TH_TRANSPOSE_VECTOR, TH_FIRST16, TH_LAST16)
TH_TRANSPOSE_SQUARE(64, TH_TRANSPOSE_VECTOR, TH_FIRST8, TH_LAST8)
#else
#define TH_CAN_LOAD(count)         ((count) == SIDE)
#define TH_LOAD(BITS, v, x, count) memcpy(&(v), x, sizeof(v))
#if defined(__AVX__)
TH_TRANSPOSE_SQUARE(32, TH_TRANSPOSE_VECTOR, TH_FIRST8, TH_LAST8)
TH_TRANSPOSE_SQUARE(64, TH_TRANSPOSE_VECTOR, TH_FIRST4, TH_LAST4)
#else
TH_TRANSPOSE_SQUARE(32, TH_TRANSPOSE_VECTOR, TH_FIRST4, TH_LAST4)
TH_TRANSPOSE_SQUARE(64, TH_TRANSPOSE_VECTOR, TH_FIRST2, TH_LAST2)
#endif
#endif
TH_TRANSPOSE_LINES(32)
TH_TRANSPOSE_LINES(64)

/* Short elements in vectors of 16 bytes, which every level interleaves in one instruction. */
TH_TRANSPOSE_SQUARE(8, 16, TH_FIRST16, TH_LAST16)
TH_TRANSPOSE_SQUARE(16, 16, TH_FIRST8, TH_LAST8)

#endif
