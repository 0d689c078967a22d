/* What all reductions of src/ops/reduce.h share: sizes of blocks, prefetches, vectors of four doubles
 * (Four), and the sweep of max and min.  The functions of each reduction are in THReduceTakes.h. */
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

/* Floats are loaded and widened to doubles four at a time.  Compilers widen longer vectors by
 * halves, which takes an extra instruction for each half, and Intel's processors have more units
 * for vectors of four doubles than of eight.  Where a processor adds eight doubles as fast
 * (THCpu_addsEight), sums take in eight at a time (THReduceEight.h, THReduceEither.h). */
#if defined(TH_REAL_IS_FLOAT) && TH_VECTOR >= 32

#define FOURS
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

#else
#define ABSOLUTE(x) fabs(x)
#define NONZERO(x)  ((x) != 0)
#define POWER(x, p) pow(x, p)
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

/* Sweeps n adjacent elements and returns how many were taken in: a multiple of lanes.  max and min
 * of vectors return their second operand where one of the two is NaN. */
static inline __attribute__((always_inline)) ptrdiff_t sweep_nan_apart(int largest, real worst,
                                                                       real *restrict a,
                                                                       const real *x, int lanes,
                                                                       ptrdiff_t n)
{
  enum { WIDTH = TH_VECTOR / ITEM };
  WideReals best[LANE_BYTES / TH_VECTOR], none[LANE_BYTES / TH_VECTOR];
  ptrdiff_t i = 0;
  TH_PRAGMA(GCC unroll 4)
  for (int k = 0; k < lanes / WIDTH; k++) {
    best[k] = IN_WIDE(all)(worst);
    none[k] = IN_WIDE(all)(0);
  }
  for (; i + lanes <= n; i += lanes) {
    TH_PRAGMA(GCC unroll 4)
    for (int k = 0; k < lanes / WIDTH; k++) {
      const WideReals here = IN_WIDE(load)(x + i + k * WIDTH);
      best[k] = largest ? IN_WIDE(max)(here, best[k]) : IN_WIDE(min)(here, best[k]);
      none[k] = IN_WIDE(select)(NONE_OF(here), here, none[k]);
    }
  }
  TH_PRAGMA(GCC unroll 4)
  for (int k = 0; k < lanes / WIDTH; k++)
    IN_WIDE(store)(a + k * WIDTH, IN_WIDE(select)(NONE_OF(none[k]), none[k], best[k]));
  return i;
}

#define SWEEPS_NAN_APART 1
#endif

#endif
