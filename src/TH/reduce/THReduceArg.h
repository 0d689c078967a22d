/* The largest or smallest value of each lane, with its index: argmax and argmin. */

enum { BEST_DEEP = 4, BEST_BYTES = 8192 };

enum { STRIP = 1024 }; /* lanes worked on at a time; their states stay in L1 */

typedef struct {
  int64_t index; /* of the first such value */
  real value;
} Best;

/* Indices within a strip, as wide as the values so that both fill the same vectors. */
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR) || defined(TH_REAL_IS_SHORT)
typedef int16_t RowIndex;
enum { STRIP_ROWS = INT16_MAX };
#elif defined(TH_REAL_IS_INT) || defined(TH_REAL_IS_FLOAT)
typedef int32_t RowIndex;
enum { STRIP_ROWS = INT32_MAX };
#else
typedef int64_t RowIndex;
static const ptrdiff_t STRIP_ROWS = PTRDIFF_MAX;
#endif

/* x comes before a: it is larger (smaller), or the first NaN. */
static inline __attribute__((always_inline)) int beats(int largest, real x, real a)
{
  return ((largest ? x > a : x < a) | IS_NAN(x)) & !IS_NAN(a);
}

static inline __attribute__((always_inline)) void take_better(int largest, real *a, RowIndex *row,
                                                              real x, RowIndex i)
{
  const int better = beats(largest, x, *a);
  *a = better ? x : *a;
  *row = better ? i : *row;
}

static inline __attribute__((always_inline)) void best_join(int largest, Best *a, const Best *b,
                                                            ptrdiff_t lanes)
{
  for (ptrdiff_t j = 0; j < lanes; j++) {
    const int tie = !beats(largest, a[j].value, b[j].value) & (b[j].index < a[j].index);
    const int better = beats(largest, b[j].value, a[j].value) | tie;
    a[j].value = better ? b[j].value : a[j].value;
    a[j].index = better ? b[j].index : a[j].index;
  }
}

/* Takes in deep rows, from row i on, of lanes lanes (a constant), whose states stay in registers
 * meanwhile. */
static inline __attribute__((always_inline)) void best_unrolled(int largest, real *restrict value,
                                                                RowIndex *restrict row, int lanes,
                                                                const real *restrict x,
                                                                ptrdiff_t rowStride, RowIndex i,
                                                                int deep)
{
  real a[128 / ITEM];
  RowIndex r[128 / ITEM];
  for (int k = 0; k < lanes; k++) {
    a[k] = value[k];
    r[k] = row[k];
  }
  for (int d = 0; d < deep; d++)
    TH_PRAGMA(omp simd) /* otherwise compilers unroll and branch */
  for (int k = 0; k < lanes; k++)
    take_better(largest, &a[k], &r[k], x[d * rowStride + k], (RowIndex)(i + d));
  for (int k = 0; k < lanes; k++) {
    value[k] = a[k];
    row[k] = r[k];
  }
}

/* Takes in deep rows of n lanes, from row i on. */
static inline __attribute__((always_inline)) void best_across(int largest, real *restrict value,
                                                              RowIndex *restrict row, ptrdiff_t n,
                                                              const real *restrict x,
                                                              ptrdiff_t rowStride, RowIndex i,
                                                              int deep, uintptr_t ahead)
{
  enum { UNROLL = 128 / ITEM, VECTOR = ITEM > 1 ? 32 / ITEM : UNROLL };
  ptrdiff_t j = 0;
  for (; j + UNROLL <= n; j += UNROLL) {
    for (int d = 0; d < deep; d++)
      prefetch((uintptr_t)(x + d * rowStride + j) + ahead, UNROLL);
    best_unrolled(largest, value + j, row + j, UNROLL, x + j, rowStride, i, deep);
  }
  for (; j + VECTOR <= n; j += VECTOR)
    best_unrolled(largest, value + j, row + j, VECTOR, x + j, rowStride, i, deep);
  for (; j < n; j++)
    for (int d = 0; d < deep; d++)
      take_better(largest, &value[j], &row[j], x[d * rowStride + j], (RowIndex)(i + d));
}

static inline __attribute__((always_inline)) void best_strip(int largest, Best *best,
                                                             const THRows *block, const real *x,
                                                             ptrdiff_t first, ptrdiff_t n,
                                                             ptrdiff_t j0, ptrdiff_t rows)
{
  const ptrdiff_t step = block->stride, rowStride = block->rowStride;
  TH_SCRATCH(real, value, STRIP);
  TH_SCRATCH(RowIndex, row, STRIP);
  for (ptrdiff_t j = 0; j < n; j++) {
    value[j] = x[j * step];
    row[j] = 0;
  }
  ptrdiff_t i = 1;
  if (step == 1) {
    const uintptr_t ahead = rows_ahead(n, rowStride, BEST_DEEP);
    for (; i + BEST_DEEP <= rows; i += BEST_DEEP)
      best_across(largest, value, row, n, x + i * rowStride, rowStride, (RowIndex)i, BEST_DEEP,
                  ahead);
    for (; i < rows; i++)
      best_across(largest, value, row, n, x + i * rowStride, rowStride, (RowIndex)i, 1, ahead);
  } else {
    for (ptrdiff_t j = 0; j < n; j++) {
      real a = value[j];
      RowIndex r = 0;
      for (i = 1; i < rows; i++)
        take_better(largest, &a, &r, x[i * rowStride + j * step], (RowIndex)i);
      value[j] = a;
      row[j] = r;
    }
  }
  for (ptrdiff_t j = 0; j < n; j++) {
    const ptrdiff_t lane = block->group == 1 ? j0 + j : (j0 + j) / block->group;
    const Best here = {first + row[j] * block->rowIndex + lane * block->laneIndex, value[j]};
    best_join(largest, best + j, &here, 1);
  }
}

static inline __attribute__((always_inline)) void best_rows(int largest, Best *best,
                                                            const THRows *block)
{
  for (ptrdiff_t i = 0; i < block->rows; i += THMin(STRIP_ROWS, block->rows - i))
    for (ptrdiff_t j = 0; j < block->lanes; j += STRIP)
      best_strip(largest, best + j, block, AT(block) + i * block->rowStride + j * block->stride,
                 block->first + i * block->rowIndex, THMin(STRIP, block->lanes - j), j,
                 THMin(STRIP_ROWS, block->rows - i));
}

/* Whether x equals value, or both are NaN. */
static inline __attribute__((always_inline)) int is_same(real x, real value)
{
  return (x == value) | (IS_NAN(x) & IS_NAN(value));
}

/* COMPARED elements are compared at once.  A Mark is as wide as an element, so that results of
 * vector comparisons need no conversion. */
enum { COMPARED = 256 / ITEM };
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
typedef int8_t Mark;
#else
typedef RowIndex Mark;
#endif

static inline __attribute__((always_inline)) int any_same(const real *x, int missing, real value)
{
  Mark found = 0;
  for (int j = 0; j < COMPARED; j++)
    found |= (missing ? IS_NAN(x[j]) : x[j] == value) ? -1 : 0;
  return found;
}

/* The index of the first of COMPARED elements that equals value, or is NaN if missing. */
static inline __attribute__((always_inline)) RowIndex first_same(const real *x, int missing,
                                                                 real value)
{
  RowIndex first = COMPARED;
  TH_PRAGMA(omp simd reduction(min : first)) /* a branch on the index would be mispredicted */
  for (int j = 0; j < COMPARED; j++) {
    const int same = missing ? IS_NAN(x[j]) : x[j] == value;
    first = THMin(first, (RowIndex)(same ? j : COMPARED));
  }
  return first;
}

/* The index of the first of n elements that equals value, or is NaN if value is.  There has to be
 * one. */
static __attribute__((noinline)) ptrdiff_t index_of(const real *x, ptrdiff_t n, real value)
{
  const int missing = IS_NAN(value);
  ptrdiff_t i = 0;
  for (; i + COMPARED <= n; i += COMPARED)
    if (missing ? any_same(x + i, 1, value) : any_same(x + i, 0, value))
      return i + (missing ? first_same(x + i, 1, value) : first_same(x + i, 0, value));
  while (!is_same(x[i], value))
    i++;
  return i;
}

static inline __attribute__((always_inline)) real best_of(int largest, const real *x, ptrdiff_t n,
                                                          const THReduceScalars *scalars)
{
  real value = largest ? LOWEST : HIGHEST;
  if (largest)
    max_line(&value, x, n, 0, scalars);
  else
    min_line(&value, x, n, 0, scalars);
  return value;
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
/* Reduces n elements of a line to lanes. */
static inline void best_lanes(int largest, real *lanes, const real *x, ptrdiff_t n, uintptr_t ahead)
{
  if (largest)
    max_lanes(lanes, x, n, ahead, 0);
  else
    min_lanes(lanes, x, n, ahead, 0);
}

/* The best of count lanes; overwrites lanes. */
static inline __attribute__((always_inline)) real best_fold(int largest, real *lanes, int count)
{
  return largest ? max_fold(lanes, count) : min_fold(lanes, count);
}

/* The index at which the first block with the line's best element begins.  Joining the lanes after
 * each block would take as long as reading part of the block, so each lane keeps the number of the
 * first block that has the lane's best element.  Block numbers fit a RowIndex, since the engine
 * cuts longer lines. */
static inline __attribute__((always_inline)) ptrdiff_t best_block(int largest, real *value,
                                                                  const real *x, ptrdiff_t n,
                                                                  const THReduceScalars *scalars)
{
  enum { UNROLL = LANE_BYTES / ITEM, BEST_BLOCK = BEST_BYTES / ITEM };
  const uintptr_t ahead = line_ahead(scalars, max_prefetched);
  real best[UNROLL], lanes[UNROLL];
  const RowIndex past = (RowIndex)STRIP_ROWS;
  RowIndex indices[UNROLL] = {0};
  for (int k = 0; k < UNROLL; k++)
    best[k] = largest ? LOWEST : HIGHEST;
  for (ptrdiff_t i = 0; i * BEST_BLOCK < n; i++) {
    best_lanes(largest, lanes, x + i * BEST_BLOCK, THMin(BEST_BLOCK, n - i * BEST_BLOCK), ahead);
    TH_PRAGMA(omp simd)
    for (int k = 0; k < UNROLL; k++)
      take_better(largest, &best[k], &indices[k], lanes[k], (RowIndex)i);
  }
  memcpy(lanes, best, sizeof lanes);
  *value = best_fold(largest, lanes, UNROLL);
  RowIndex first = past;
  TH_PRAGMA(omp simd reduction(min : first))
  for (int k = 0; k < UNROLL; k++) {
    const RowIndex here = is_same(best[k], *value) ? indices[k] : past;
    first = here < first ? here : first;
  }
  return (ptrdiff_t)first * BEST_BLOCK;
}

#else
/* Of integers: the index at which the first block with the line's best element begins.  Lanes are
 * joined after each block: a block number for each lane would gain less than it costs. */
static inline __attribute__((always_inline)) ptrdiff_t best_block(int largest, real *value,
                                                                  const real *x, ptrdiff_t n,
                                                                  const THReduceScalars *scalars)
{
  enum { BEST_BLOCK = BEST_BYTES / ITEM };
  ptrdiff_t best = 0;
  for (ptrdiff_t i = 0; i < n; i += BEST_BLOCK) {
    const real other = best_of(largest, x + i, THMin(BEST_BLOCK, n - i), scalars);
    if (i == 0 || beats(largest, other, *value)) {
      *value = other;
      best = i;
    }
  }
  return best;
}
#endif

/* First finds the value, as fast as memory is read; then its index, within a block that is still in
 * the caches. */
static inline __attribute__((always_inline)) void best_line(int largest, Best *best, const real *x,
                                                            ptrdiff_t n, ptrdiff_t first,
                                                            const THReduceScalars *scalars)
{
  enum { BEST_BLOCK = BEST_BYTES / ITEM };
  real value = 0;
  ptrdiff_t begin = 0;
  if (n > BEST_BLOCK)
    begin = best_block(largest, &value, x, n, scalars);
  else
    value = best_of(largest, x, n, scalars);
  const ptrdiff_t at = begin + index_of(x + begin, THMin(BEST_BLOCK, n - begin), value);
  const Best here = {first + at, x[at]};
  best_join(largest, best, &here, 1);
}

static void best_start(Best *best, ptrdiff_t lanes, real value)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    best[j] = (Best){INT64_MAX, value};
}

static void best_finish(const void *states, ptrdiff_t lanes, const THReduceScalars *scalars,
                        void *result, ptrdiff_t step, int64_t *index, ptrdiff_t indexStep)
{
  const Best *best = states;
  for (ptrdiff_t j = 0; j < lanes; j++) {
    ((real *)result)[j * step] = best[j].value;
    index[j * indexStep] = best[j].index;
  }
}

#define ROW     argmax
#define LARGEST 1
#define WORST   LOWEST
#include "THReduceBest.h"
#define ROW     argmin
#define LARGEST 0
#define WORST   HIGHEST
#include "THReduceBest.h"
