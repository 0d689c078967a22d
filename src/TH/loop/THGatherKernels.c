/* Copies strided elements to contiguous memory, by their size. */
#include "THGather.h"
#include "TH/simd/THTranspose.h"

/* Compilers have vector instructions for small constant strides: a loop for each of these. */
#define SMALL_STRIDES(X, BITS) X(BITS, 2) X(BITS, 3) X(BITS, 4)

/* r[i] = x[i * APART] */
#define STEPPED_BY(BITS, APART)       \
  case APART:                         \
    TH_PRAGMA(omp simd)               \
    for (ptrdiff_t i = 0; i < n; i++) \
      r[i] = x[APART * i];            \
    return;

/* r[j * LINES + i] = x[i * step + j] for each i < LINES */
#define WOVEN_OF(BITS, LINES)               \
  case LINES:                               \
    TH_PRAGMA(omp simd)                     \
    for (ptrdiff_t j = 0; j < rows; j++)    \
      for (ptrdiff_t i = 0; i < LINES; i++) \
        r[LINES * j + i] = x[i * step + j]; \
    return;

#define KERNELS(BITS)                                                                     \
  static void stepped##BITS(void *to, const void *from, ptrdiff_t step, ptrdiff_t n)      \
  {                                                                                       \
    uint##BITS##_t *const r = to;                                                         \
    const uint##BITS##_t *const x = from;                                                 \
    switch (step) {                                                                       \
      SMALL_STRIDES(STEPPED_BY, BITS)                                                     \
      default:                                                                            \
        for (ptrdiff_t i = 0; i < n; i++)                                                 \
          r[i] = x[i * step];                                                             \
    }                                                                                     \
  }                                                                                       \
                                                                                          \
  /* For fewer rows, or shorter ones, than a square has. */                               \
  static void narrow##BITS(uint##BITS##_t *r, ptrdiff_t pitch, const uint##BITS##_t *x,   \
                           ptrdiff_t step, ptrdiff_t n, ptrdiff_t rows)                   \
  {                                                                                       \
    if (n >= THTranspose##BITS##_SIDE) {                                                  \
      for (ptrdiff_t j = 0; j < rows; j++)                                                \
        stepped##BITS(r + j * pitch, x + j, step, n);                                     \
      return;                                                                             \
    }                                                                                     \
    switch (pitch == n ? n : 0) {                                                         \
      SMALL_STRIDES(WOVEN_OF, BITS)                                                       \
      default:                                                                            \
        for (ptrdiff_t i = 0; i < n; i++)                                                 \
          for (ptrdiff_t j = 0; j < rows; j++)                                            \
            r[j * pitch + i] = x[i * step + j];                                           \
    }                                                                                     \
  }                                                                                       \
                                                                                          \
  /* Transposes squares in registers, in bands of a few cache lines of each source row: \
   * these lines stay in the cache until all of them have been read.  The last squares of \
   * a row or a band overlap with those before them. */ \
  static void across##BITS(void *to, ptrdiff_t pitch, const void *from, ptrdiff_t step,   \
                           ptrdiff_t n, ptrdiff_t rows, ptrdiff_t ahead)                  \
  {                                                                                       \
    enum { SIDE = THTranspose##BITS##_SIDE, LINE = 64 / (BITS / 8), BAND = 4 * LINE };    \
    uint##BITS##_t *const r = to;                                                         \
    const uint##BITS##_t *const x = from;                                                 \
    if (n < SIDE || rows < SIDE) {                                                        \
      narrow##BITS(r, pitch, x, step, n, rows);                                           \
      return;                                                                             \
    }                                                                                     \
    for (ptrdiff_t first = 0; first < rows; first += BAND) {                              \
      const ptrdiff_t end = THMin(rows, first + BAND);                                    \
      for (ptrdiff_t i = 0; i < n; i += SIDE)                                             \
        for (ptrdiff_t j = first; j < end; j += SIDE) {                                   \
          const ptrdiff_t a = THMin(i, n - SIDE), b = THMin(j, rows - SIDE);              \
          const uint##BITS##_t *const square = x + a * step + b;                          \
          if (ahead && (j - first) % LINE == 0)                                           \
            for (ptrdiff_t k = 0; k < SIDE; k++)                                          \
              __builtin_prefetch(square + k * step + ahead);                              \
          THTranspose##BITS##_square(square, step, r + b * pitch + a, pitch);             \
        }                                                                                 \
    }                                                                                     \
  }

KERNELS(8)
KERNELS(16)
KERNELS(32)
KERNELS(64)

const THGatherKernels TH_LEVEL_(THGather_kernels)[] = {
    {.across = {across8, across16, across32, across64},
     .stepped = {stepped8, stepped16, stepped32, stepped64}}};
