/* How lanes of states take in elements: functions that THReduceKernels.c makes for each row of
 * src/ops/reduce.h from its function name##_take(state, element converted to a state, p). */
#ifndef TH_REDUCE_LANES_H
#define TH_REDUCE_LANES_H

#include "THReduce.h"

#include "TH/simd/THSimd.h"

/* LANE_BYTES of states are worked on at a time, about as many as registers hold.  Elements are
 * prefetched PREFETCH_BYTES ahead.  A line is reduced in blocks of BLOCK elements so that no
 * partial sum has many terms.  DEEP rows of a column, or LINE_DEEP of a line, are taken in at a
 * time: compilers add small integers up before they widen them. */
enum {
  ITEM = sizeof(real),
  LANE_BYTES = ITEM < 4 ? 512 : 256,
  PREFETCH_BYTES = 16384,
  BLOCK = 2048,
  DEEP = ITEM < 4 ? 8 / ITEM : 4,
#if TH_VECTOR < 32
  LINE_DEEP = ITEM < 4 ? DEEP : 2
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  LINE_DEEP = 1 /* reading two rows alternately from memory is slower */
#else
  LINE_DEEP = ITEM < 4 ? 1 : 2 /* all lanes of small integers fill the registers */
#endif
};

/* Prefetches n elements. x may be past the end of the array: a prefetch of an invalid address does
 * nothing. */
static inline __attribute__((always_inline)) void prefetch(uintptr_t x, size_t n)
{
  for (size_t k = 0; k < n * ITEM; k += 64)
    __builtin_prefetch((const void *)(x + k));
}

/* How lanes take in elements, each of which becomes a state first; numbers of lanes and deep are
 * constants:
 *
 *     name##_few(a, x, lanes, rowStride, deep, p)   deep rows, rowStride elements apart
 *     name##_sweep(a, x, lanes, deep, n, ahead, p)  starts with n adjacent elements, deep
 *                                                   rows at a time; returns how many it took in
 *     name##_rest(a, x, lanes, n, p)                the n elements that a sweep leaves over
 *     name##_some(a, x, lanes, some, p)             a row, of which only the first some count
 *
 * A sweep prefetches elements ahead bytes further on, unless ahead is 0. */
#define TAKES_real(name, state, initial, ...)                                                     \
  static inline                                                                                   \
      __attribute__((always_inline)) void name##_few(state *restrict a, const real *x, int lanes, \
                                                     ptrdiff_t rowStride, int deep, double p)     \
  {                                                                                               \
    TH_PRAGMA(omp simd) /* otherwise compilers unroll it first and leave it scalar */             \
    for (int k = 0; k < lanes; k++) {                                                             \
      state b = a[k];                                                                             \
      for (int d = 0; d < deep; d++)                                                              \
        b = name##_take(b, (state)x[d * rowStride + k], p);                                       \
      a[k] = b;                                                                                   \
    }                                                                                             \
  }                                                                                               \
                                                                                                  \
  static inline                                                                                   \
      __attribute__((always_inline)) ptrdiff_t name##_sweep(state *restrict a, const real *x,     \
                                                            int lanes, int deep, ptrdiff_t n,     \
                                                            uintptr_t ahead, double p)            \
  {                                                                                               \
    ptrdiff_t i = 0;                                                                              \
    name##_start(a, lanes);                                                                       \
    for (; i + deep * lanes <= n; i += deep * lanes) {                                            \
      if (ahead)                                                                                  \
        prefetch((uintptr_t)(x + i) + ahead, (size_t)(deep * lanes));                             \
      name##_few(a, x + i, lanes, lanes, deep, p);                                                \
    }                                                                                             \
    return i;                                                                                     \
  }                                                                                               \
                                                                                                  \
  static inline __attribute__((always_inline)) void name##_rest(state *restrict a, const real *x, \
                                                                int lanes, ptrdiff_t n, double p) \
  {                                                                                               \
    for (ptrdiff_t i = 0; i < n; i += lanes)                                                      \
      for (ptrdiff_t j = 0; j < THMin(lanes, n - i); j++)                                         \
        a[j] = name##_take(a[j], (state)x[i + j], p);                                             \
  }                                                                                               \
                                                                                                  \
  static inline __attribute__((always_inline)) void name##_some(state *restrict a, const real *x, \
                                                                int lanes, int some, double p)    \
  {                                                                                               \
    state wide[64 / sizeof(state)];                                                               \
    for (int k = 0; k < lanes; k++)                                                               \
      wide[k] = (state)x[k];                                                                      \
    TH_PRAGMA(omp simd) /* otherwise it has branches, which are mispredicted */                   \
    for (int k = 0; k < lanes; k++) {                                                             \
      const state b = a[k], c = name##_take(b, wide[k], p);                                       \
      a[k] = k < some ? c : b;                                                                    \
    }                                                                                             \
  }

/* Floats are loaded and widened to doubles four at a time.  Compilers widen longer vectors by
 * halves, which takes an extra instruction for each half, and Intel's processors have more units
 * for vectors of four doubles than of eight.  On other processors sums are taken in eight at a time
 * (SUMS in THReduceKernels.c). */
#if defined(TH_REAL_IS_FLOAT) && TH_VECTOR >= 32

enum { FOUR = 4 };
typedef accreal Four __attribute__((vector_size(FOUR * sizeof(accreal))));
typedef int64_t FourBits __attribute__((vector_size(FOUR * sizeof(accreal))));

static inline Four four_at(const accreal *x)
{
  Four four;
  memcpy(&four, x, sizeof four);
  return four;
}

static inline Four four_widened(const real *x)
{
#if TH_VECTOR == 32
  return THDoubles_loadFloats(x);
#else /* four of longer vectors' lanes: gcc would convert two by two */
  return (Four)_mm256_cvtps_pd(_mm_loadu_ps(x));
#endif
}

TH_UNUSED static inline Four four_sum(Four a, Four b)
{
  return a + b;
}

static inline Four four_absolute(Four x)
{
  return (Four)((FourBits)x & INT64_MAX);
}

static inline Four four_nonzero(Four x)
{
  return (Four)((x != 0) & (FourBits)(Four){1, 1, 1, 1});
}

static inline Four four_power(Four x, double p)
{
  return (Four){pow(x[0], p), pow(x[1], p), pow(x[2], p), pow(x[3], p)};
}

static inline Four four_chosen(FourBits mask, Four yes, Four no)
{
  return (Four)(((FourBits)yes & mask) | ((FourBits)no & ~mask));
}

static inline accreal one_nonzero(accreal x)
{
  return x != 0;
}

#define ABSOLUTE(x) _Generic((x), Four: four_absolute, accreal: fabs)(x)
#define NONZERO(x)  _Generic((x), Four: four_nonzero, accreal: one_nonzero)(x)
#define POWER(x, p) _Generic((x), Four: four_power, accreal: pow)(x, p)

/* The functions for a Vector of COUNT doubles, to which as many floats are widened. */
#define TAKES_VECTORS(name, Vector, vector, COUNT, initial, accumulate)                            \
  static inline Vector name##_take_##vector(Vector a, Vector x, double p)                          \
  {                                                                                                \
    return accumulate;                                                                             \
  }                                                                                                \
                                                                                                   \
  static inline __attribute__((always_inline)) void name##_few(accreal *restrict a, const real *x, \
                                                               int lanes, ptrdiff_t rowStride,     \
                                                               int deep, double p)                 \
  {                                                                                                \
    for (int k = 0; k < lanes; k += COUNT) {                                                       \
      Vector b = vector##_at(a + k);                                                               \
      for (int d = 0; d < deep; d++)                                                               \
        b = name##_take_##vector(b, vector##_widened(x + d * rowStride + k), p);                   \
      memcpy(a + k, &b, sizeof b);                                                                 \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  static inline                                                                                    \
      __attribute__((always_inline)) ptrdiff_t name##_sweep(accreal *restrict a, const real *x,    \
                                                            int lanes, TH_UNUSED int deep,         \
                                                            ptrdiff_t n, uintptr_t ahead,          \
                                                            double p)                              \
  {                                                                                                \
    Vector b[LANE_BYTES / sizeof(Vector)];                                                         \
    ptrdiff_t i = 0;                                                                               \
    TH_PRAGMA(GCC unroll 8)                                                                        \
    for (int k = 0; k < lanes / COUNT; k++)                                                        \
      b[k] = (Vector){0} + (accreal)(initial);                                                     \
    for (; i + lanes <= n; i += lanes) {                                                           \
      if (ahead)                                                                                   \
        prefetch((uintptr_t)(x + i) + ahead, (size_t)lanes);                                       \
      TH_PRAGMA(GCC unroll 8)                                                                      \
      for (int k = 0; k < lanes / COUNT; k++)                                                      \
        b[k] = name##_take_##vector(b[k], vector##_widened(x + i + k * COUNT), p);                 \
    }                                                                                              \
    TH_PRAGMA(GCC unroll 8)                                                                        \
    for (int k = 0; k < lanes / COUNT; k++)                                                        \
      memcpy(a + k * COUNT, &b[k], sizeof b[k]);                                                   \
    return i;                                                                                      \
  }

#define TAKES_accreal(name, state, initial, accumulate, ...)                                      \
  TAKES_VECTORS(name, Four, four, FOUR, initial, accumulate)                                      \
                                                                                                  \
  static inline                                                                                   \
      __attribute__((always_inline)) void name##_rest(accreal *restrict a, const real *x,         \
                                                      TH_UNUSED int lanes, ptrdiff_t n, double p) \
  {                                                                                               \
    ptrdiff_t i = 0;                                                                              \
    for (; i + FOUR <= n; i += FOUR)                                                              \
      name##_few(a + i, x + i, FOUR, 0, 1, p);                                                    \
    for (; i < n; i++)                                                                            \
      a[i] = name##_take(a[i], x[i], p);                                                          \
  }                                                                                               \
                                                                                                  \
  static inline                                                                                   \
      __attribute__((always_inline)) void name##_some(accreal *restrict a, const real *x,         \
                                                      int lanes, int some, double p)              \
  {                                                                                               \
    for (int k = 0; k < lanes; k += FOUR) {                                                       \
      const FourBits index = {k, k + 1, k + 2, k + 3};                                            \
      const Four b = four_at(a + k);                                                              \
      const Four c = four_chosen(index < some, name##_take_four(b, four_widened(x + k), p), b);   \
      memcpy(a + k, &c, sizeof c);                                                                \
    }                                                                                             \
  }

#else
#define ABSOLUTE(x)   fabs(x)
#define NONZERO(x)    ((x) != 0)
#define POWER(x, p)   pow(x, p)
#define TAKES_accreal TAKES_real
#endif

/* Keeps the largest element and the NaN of a line in separate vectors: the maximum then depends on
 * one instruction only, instead of a comparison and a masked move.  Lines that may be in memory,
 * and so are prefetched, use the plain sweep, since separate vectors would delay the prefetches. */
#if (defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)) && TH_VECTOR_MASKS
#if defined(TH_REAL_IS_FLOAT)
#define IN_WIDE(name) THFloats_##name
typedef THFloats WideReals;
#else
#define IN_WIDE(name) THDoubles_##name
typedef THDoubles WideReals;
#endif
#define NONE_OF(x) IN_WIDE(unordered)(x, x)

/* better has to return its second operand where one of the two is NaN. */
#define SWEEP_APART(name, worst, better)                                                           \
  static inline                                                                                    \
      __attribute__((always_inline)) ptrdiff_t name##_sweep_apart(real *restrict a, const real *x, \
                                                                  int lanes, int deep,             \
                                                                  ptrdiff_t n, uintptr_t ahead,    \
                                                                  double p)                        \
  {                                                                                                \
    enum { WIDTH = TH_VECTOR / ITEM };                                                             \
    if (ahead)                                                                                     \
      return name##_sweep(a, x, lanes, deep, n, ahead, p);                                         \
    WideReals best[LANE_BYTES / TH_VECTOR], none[LANE_BYTES / TH_VECTOR];                          \
    ptrdiff_t i = 0;                                                                               \
    TH_PRAGMA(GCC unroll 4)                                                                        \
    for (int k = 0; k < lanes / WIDTH; k++) {                                                      \
      best[k] = IN_WIDE(all)(worst);                                                               \
      none[k] = IN_WIDE(all)(0);                                                                   \
    }                                                                                              \
    for (; i + lanes <= n; i += lanes) {                                                           \
      TH_PRAGMA(GCC unroll 4)                                                                      \
      for (int k = 0; k < lanes / WIDTH; k++) {                                                    \
        const WideReals here = IN_WIDE(load)(x + i + k * WIDTH);                                   \
        best[k] = IN_WIDE(better)(here, best[k]);                                                  \
        none[k] = IN_WIDE(select)(NONE_OF(here), here, none[k]);                                   \
      }                                                                                            \
    }                                                                                              \
    TH_PRAGMA(GCC unroll 4)                                                                        \
    for (int k = 0; k < lanes / WIDTH; k++)                                                        \
      IN_WIDE(store)(a + k * WIDTH, IN_WIDE(select)(NONE_OF(none[k]), none[k], best[k]));          \
    return i;                                                                                      \
  }
#endif

#endif
