/* Kernels of reductions: a row of states (lanes) takes in rows of elements, lane by lane. */
#include "THVectorMath.h"

#include "THTemplate.h"

#include "TH/core/THCpu.h"
#include "THReduce.h"
#include "TH/core/THScratch.h"
#include "THReduceLanes.h"
#include "TH/simd/THAddViaFma.h"
#include "TH/simd/THTranspose.h"

/* --- what the table's expressions use -------------------------------------------------------- */

#define TO_ACCREAL(x) (x)
#include "ops/reduce_elements.h"

#if TH_VECTOR == 64 && \
    (defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_LONG))
#define BY_EIGHT
enum { EIGHT = 8 };
#if defined(TH_REAL_IS_LONG)
typedef THLongs Eight;
#else
typedef THDoubles Eight;
#endif
#endif

#if defined(TH_REAL_IS_FLOATING)
#if defined(TH_REAL_IS_FLOAT) && defined(BY_EIGHT)
static inline accreal one_sum(accreal a, accreal b)
{
  return a + b;
}

static inline Eight eight_sum(Eight a, Eight b)
{
  return THAddViaFma(a, b);
}

#define ADD(a, b) _Generic((a), Eight: eight_sum, Four: four_sum, accreal: one_sum)(a, b)
#else
#define ADD(a, b) ((a) + (b))
#endif
#if defined(TH_REAL_IS_FLOAT)
#define FABS(x) fabsf(x)
#else
#define FABS(x) fabs(x)
#endif
#else
static inline accreal one_sum(accreal a, accreal b)
{
  return (accreal)((uint64_t)a + (uint64_t)b);
}

#if defined(BY_EIGHT)
static inline Eight eight_sum(Eight a, Eight b)
{
  return a + b;
}

#define ADD(a, b) _Generic((a), Eight: eight_sum, accreal: one_sum)(a, b)
#else
#define ADD one_sum
#endif
#endif

#define AT(block) ((const real *)(block)->at)

/* How many bytes ahead a line is prefetched; 0 if it is not.  A line in memory is prefetched only a
 * little ahead, since prefetches further ahead delay the loads that are needed first.  A line in
 * the caches (assumed to hold less than 100 MB) can be prefetched far ahead; whether it needs
 * prefetching at all is said by fetched. */
static inline uintptr_t line_ahead(const THReduceScalars *scalars, int prefetched)
{
  enum { MUCH = 100000000 / ITEM, NEARER = 1024 };
  if (!prefetched && !scalars->far)
    return 0;
  return scalars->count < MUCH ? PREFETCH_BYTES : NEARER;
}

/* The distance in bytes from the elements that are taken in, n lanes of some rows, to those that
 * are prefetched: as many rows, further down, and none of the rows that are taken in together
 * now. */
static inline uintptr_t rows_ahead(ptrdiff_t n, ptrdiff_t rowStride, int deep)
{
  enum { LEAST = 3 };
  return (uintptr_t)(THMax(PREFETCH_BYTES / ITEM / n, LEAST) + deep) * (uintptr_t)rowStride * ITEM;
}

/* --- lanes that are not adjacent in memory --------------------------------------------------- */

/* Short lines are transposed first, some at a time into a buffer in L1, whose rows are then rows of
 * lanes.  Lengths of lines are in elements. */
enum {
  TRANSPOSE_LINES = 64,
  TRANSPOSE_ROWS = 64,
  SHORT_LINE = 384,      /* the longest of them, where a state is a scalar */
  SHORT_LINE_SMALL = 64, /* the same for states of 1 or 2 bytes */
  VECTOR_LINE = 16,      /* from this length on a line becomes a vector of lanes instead */
#if defined(TH_REAL_IS_FLOATING)
  VECTOR_LINE_ALONE = 32, /* the same where there are fewer than 16 lines */
#else
  VECTOR_LINE_ALONE = SHORT_LINE, /* compilers vectorise integers' lines by themselves */
#endif
  MIDDLE_LINE = BLOCK, /* the same as SHORT_LINE for reductions whose lines fill several vectors */
  SHORT_LINE_BEST = ITEM < 4 ? 128 : 1024 / ITEM
};

/* Transposes a matrix of lines x n items, each of so many bytes. */
static inline __attribute__((always_inline)) void transpose(ptrdiff_t bytes, void *to,
                                                            const void *from, ptrdiff_t lines,
                                                            ptrdiff_t lineStride, ptrdiff_t n)
{
  if (bytes == 4)
    THTranspose32_lines(to, TRANSPOSE_LINES, from, lines, lineStride, n);
  else if (bytes == 8)
    THTranspose64_lines(to, TRANSPOSE_LINES, from, lines, lineStride, n);
  else
    for (ptrdiff_t i = 0; i < n; i++)
      for (ptrdiff_t j = 0; j < lines; j++)
        ((real *)to)[i * TRANSPOSE_LINES + j] = ((const real *)from)[j * lineStride + i];
}

/* Whether each lane is a line of adjacent elements. */
static inline int are_lines(const THRows *block)
{
  return block->stride != 1 && block->rowStride == 1 && block->group == 1;
}

static inline int is_transposed(const THRows *block)
{
  return are_lines(block) && block->lanes >= 16 && block->rows > 1;
}

/* Whether these lines are so long (least elements or more) that each becomes a vector of lanes. */
static inline int are_vectors(const THRows *block, ptrdiff_t least)
{
  return are_lines(block) && block->rows >= (block->lanes >= 16 ? least : VECTOR_LINE_ALONE);
}

static void transposed_rows(void (*rows)(void *, const THRows *, const THReduceScalars *),
                            ptrdiff_t stateSize, void *states, const THRows *block,
                            const THReduceScalars *scalars)
{
  TH_SCRATCH(real, transposed, TRANSPOSE_ROWS * TRANSPOSE_LINES);
  for (ptrdiff_t j = 0; j < block->lanes; j += TRANSPOSE_LINES)
    for (ptrdiff_t i = 0; i < block->rows; i += TRANSPOSE_ROWS) {
      const THRows part = {.at = transposed,
                           .lanes = THMin(TRANSPOSE_LINES, block->lanes - j),
                           .stride = 1,
                           .rows = THMin(TRANSPOSE_ROWS, block->rows - i),
                           .rowStride = TRANSPOSE_LINES,
                           .first = block->first + i * block->rowIndex + j * block->laneIndex,
                           .rowIndex = block->rowIndex,
                           .laneIndex = block->laneIndex,
                           .group = 1};
      transpose(ITEM, transposed, AT(block) + j * block->stride + i, part.lanes, block->stride,
                part.rows);
      rows((char *)states + j * stateSize, &part, scalars);
    }
}

/* Joins the partial states of lines: parts has a vector of them for each line. */
static void fold_lines(void (*join)(void *, const void *, ptrdiff_t), ptrdiff_t stateSize,
                       void *states, const void *parts, ptrdiff_t lines)
{
  _Alignas(64) char transposed[64 * TRANSPOSE_LINES];
  const ptrdiff_t perLine = 64 / stateSize, row = TRANSPOSE_LINES * stateSize;
  transpose(stateSize, transposed, parts, lines, perLine, perLine);
  for (ptrdiff_t half = perLine / 2; half > 0; half /= 2)
    join(transposed, transposed + half * row, half * TRANSPOSE_LINES);
  join(states, transposed, lines);
}

/* --- scalar states: the rows of the table ---------------------------------------------------- */

/* Whether n elements fill all lanes several times. */
static inline int is_long(ptrdiff_t n, ptrdiff_t stateSize)
{
  return n >= LANE_BYTES / stateSize * 4;
}

#if defined(TH_REAL_IS_FLOATING)
#define EVERY(X) TH_REDUCTIONS(X) TH_FLOAT_REDUCTIONS(X)
#elif defined(TH_REAL_IS_BYTE)
#define EVERY(X) TH_REDUCTIONS(X) TH_BYTE_REDUCTIONS(X)
#else
#define EVERY(X) TH_REDUCTIONS(X)
#endif

/* The expressions of a row as functions. */
#define FUNCTION(TYPE, NAME, PARAMETERS, EXPRESSION) \
  TH_UNUSED static inline TYPE NAME PARAMETERS       \
  {                                                  \
    return (TYPE)(EXPRESSION);                       \
  }
#define EXPRESSIONS(name, state, initial, accumulate, joined, finished)  \
  typedef state name##_State;                                            \
  FUNCTION(state, name##_initial, (void), initial)                       \
  FUNCTION(state, name##_take, (state a, state x, double p), accumulate) \
  FUNCTION(state, name##_joined, (state a, state b), joined)             \
  FUNCTION(accreal, name##_result, (state a, double p, ptrdiff_t count), finished)
EVERY(EXPRESSIONS)

#define TEMPLATE "THReduceStates.h"
#include "THReduceEach.h"
#if defined(TH_REAL_IS_FLOATING)
#define ROW mean
#include "THReduceStates.h"
#undef ROW
#endif

#if defined(FOURS)
/* Of rows whose state is accreal. */
#define TAKE_FOUR(name, state, ...) TAKE_FOUR_##state(name, __VA_ARGS__)
#define TAKE_FOUR_real(...)
#define TAKE_FOUR_accreal(name, initial, accumulate, ...) \
  FUNCTION(Four, name##_four_take, (Four a, Four x, double p), accumulate)
EVERY(TAKE_FOUR)
#endif

#define TEMPLATE "THReduceTakes.h"
#include "THReduceEach.h"

#if defined(BY_EIGHT)
#define sum_shortLine   MIDDLE_LINE
#define norm2_shortLine MIDDLE_LINE
#endif

#if defined(SWEEPS_STRIDED)
/* A sweep that prefetches, or one that reads memory in strides where nothing is prefetched. */
static inline __attribute__((always_inline)) ptrdiff_t max_sweep_strided(real *restrict a,
                                                                         const real *x, int lanes,
                                                                         int deep, ptrdiff_t n,
                                                                         uintptr_t ahead, double p)
{
  return ahead ? max_sweep(a, x, lanes, deep, n, ahead, p)
               : sweep_strided(1, LOWEST, a, x, lanes, n);
}

static inline __attribute__((always_inline)) ptrdiff_t min_sweep_strided(real *restrict a,
                                                                         const real *x, int lanes,
                                                                         int deep, ptrdiff_t n,
                                                                         uintptr_t ahead, double p)
{
  return ahead ? min_sweep(a, x, lanes, deep, n, ahead, p)
               : sweep_strided(0, HIGHEST, a, x, lanes, n);
}

#define max_shortLine  MIDDLE_LINE
#define min_shortLine  MIDDLE_LINE
#define max_prefetched 0
#define min_prefetched 0
#define max_sweep      max_sweep_strided
#define min_sweep      min_sweep_strided
#endif

#define TEMPLATE "THReduceLines.h"
#include "THReduceEach.h"

/* --- sums in vectors of eight scalars --------------------------------------------------------- */

#if defined(BY_EIGHT)

#define SHUFFLED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Lanes of c where lanes has a bit, else of b. */
static inline Eight eight_chosen(Eight b, THMask64 lanes, Eight c)
{
#if defined(TH_REAL_IS_LONG)
  return THLongs_select(lanes, c, b);
#else
  return THDoubles_select(lanes, c, b);
#endif
}

#if defined(TH_REAL_IS_FLOAT)
static inline Eight eight_at(const accreal *x) /* THReduceVectors.h calls it VECTOR_(at) */
{
  return THDoubles_load(x);
}

/* Loads the elements whose bits are set in left; other lanes are 0. */
static inline Eight eight_of(const real *x, THMask64 left)
{
  return THDoubles_loadFloatsMasked(left, x);
}

static inline Eight eight_widened(const real *x)
{
  return THDoubles_loadFloats(x);
}
#else
static inline Eight eight_of(const real *x, THMask64 left)
{
  return (Eight)THLongs_loadMasked(left, (const int64_t *)x);
}

static inline Eight eight_widened(const real *x)
{
  return (Eight)THSimd_load(x);
}
#endif

#define TAKE_EIGHT(name, state, initial, accumulate, joined, ...)              \
  FUNCTION(Eight, name##_eight_take, (Eight a, Eight x, double p), accumulate) \
  FUNCTION(Eight, name##_joined_eight, (Eight a, Eight b), joined)

TH_SUM(TAKE_EIGHT)
#define ROW sum
#include "THReduceEight.h"
#undef ROW
#if defined(TH_REAL_IS_FLOATING)
TH_NORM2(TAKE_EIGHT)
#define ROW norm2
#include "THReduceEight.h"
#undef ROW
#endif
#if defined(TH_REAL_IS_LONG)
#define sum_least 2 /* a short line of doubles is added up in the same order as a column */
#endif
#if !defined(TH_REAL_IS_FLOAT)
#define sum_line    sum_by_eight_line
#define sum_lines   sum_by_eight_lines
#define norm2_line  norm2_by_eight_line
#define norm2_lines norm2_by_eight_lines
#endif
#endif

#define TEMPLATE "THReduceRows.h"
#include "THReduceEach.h"

#if defined(BY_EIGHT) && defined(TH_REAL_IS_FLOAT)
#define NAME_(name) TH_CONCAT_3(ROW, _by_eight_, name)
#define ROW_(name)  TH_CONCAT_3(ROW, _, name)
#define State       accreal
#define ROW         sum
#include "THReduceColumns.h"
#undef ROW
#define ROW norm2
#include "THReduceColumns.h"
#undef ROW
#undef State
#undef ROW_
#undef NAME_

/* Vectors of four or of eight, whichever this processor adds faster. */
#define ROW sum
#include "THReduceEither.h"
#undef ROW
#define ROW norm2
#include "THReduceEither.h"
#undef ROW
#define sum_rows   sum_either_rows
#define sum_line   sum_either_line
#define norm2_rows norm2_either_rows
#define norm2_line norm2_either_line
#endif

#define mean_rows      sum_rows
#define mean_line      sum_line
#define mean_shortLine sum_shortLine

/* --- the largest or smallest value, with its index ------------------------------------------- */

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
static __attribute__((noinline)) ptrdiff_t where(const real *x, ptrdiff_t n, real value)
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
/* The same for integers, block by block: per-lane block numbers gain less than they cost. */
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
  const ptrdiff_t at = begin + where(x + begin, THMin(BEST_BLOCK, n - begin), value);
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

/* --- variance -------------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOATING)

/* Rows that are shifted by the same value.  Floats are summed in doubles, which have digits to
 * spare, so that more rows can share one shift. */
enum {
  VARIANCE_ROWS = ITEM < 8 ? 256 : 64,
  VARIANCE_STRIP = 2048 / ITEM, /* lanes; their states and the rows taken in together fill half of
                                 * L1 */
  VARIANCE_DEEP = 8,
  VARIANCE_UNROLL = 2
};

typedef struct {
  accreal n, mean, squares; /* the sum of squared deviations from the mean */
} Moments;

static void var_start(void *states, ptrdiff_t lanes)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((Moments *)states)[j] = (Moments){0, 0, 0};
}

/* Chan, Golub, LeVeque 1979.  Equal means stay exactly what they are.  If a sum of squares is
 * infinite, the elements are finite (otherwise it is NaN); then the result is infinite, too,
 * whatever the means are. */
static inline Moments joined(Moments a, Moments b)
{
  const accreal n = a.n + b.n, weight = b.n / THMax(n, 1), difference = b.mean - a.mean;
  const accreal within = a.squares + b.squares;
  const accreal between = a.n == 0 || isinf(within) ? 0 : difference * difference * a.n * weight;
  return (Moments){n, a.n == 0 ? b.mean : a.mean + difference * weight, within + between};
}

static void var_join(void *states, const void *others, ptrdiff_t lanes)
{
  Moments *a = states;
  const Moments *b = others;
  for (ptrdiff_t j = 0; j < lanes; j++)
    if (b[j].n > 0)
      a[j] = joined(a[j], b[j]);
}

/* The moments of n elements, from the sum of their differences to shift and the sum of the squared
 * differences.  If shift is one of the elements, no more digits are lost than n has, and equal
 * elements deviate by exactly 0. */
static inline Moments moments_of(accreal n, accreal shift, accreal sum, accreal squares)
{
  const accreal mean = sum / n, lost = sum * mean;
  return (Moments){n, shift + mean, squares < lost ? 0 : squares - lost};
}

/* The moments of n elements whose sums are not finite: the sum of squares is infinite if all
 * elements are finite, NaN otherwise.  The mean is then irrelevant. */
static __attribute__((noinline)) Moments moments_beyond(const real *x, ptrdiff_t n, ptrdiff_t step)
{
  accreal none = 0; /* an infinite element makes it NaN, too */
  for (ptrdiff_t i = 0; i < n; i++)
    none += 0 * (accreal)x[i * step];
  return (Moments){(accreal)n, (accreal)*x, none + (accreal)INFINITY};
}

/* Whether moments_beyond is needed: sums of floats in doubles never overflow. */
static inline int is_beyond(accreal squares)
{
  return sizeof(real) == sizeof(accreal) && !(squares < (accreal)INFINITY);
}

/* sum + x * x, rounded once where the processor has fused multiply-add. */
static inline accreal plus_square(accreal sum, accreal x)
{
#if TH_VECTOR_FMA
  return (accreal)fma(x, x, sum);
#else
  return sum + x * x;
#endif
}

/* Takes in a few rows of n lanes, less shift. */
static inline __attribute__((always_inline)) void
var_lanes(accreal *restrict sum, accreal *restrict squares, const accreal *restrict shift,
          const real *x, ptrdiff_t n, ptrdiff_t step, ptrdiff_t rowStride, int rows)
{
  for (ptrdiff_t k = 0; k < n; k++) {
    accreal one = 0, two = 0;
    for (int i = 0; i < rows; i++) {
      const accreal difference = (accreal)x[i * rowStride + k * step] - shift[k];
      one += difference;
      two = plus_square(two, difference);
    }
    sum[k] += one;
    squares[k] += two;
  }
}

/* Takes in VARIANCE_DEEP rows of lanes adjacent lanes (a constant). */
static inline __attribute__((always_inline)) void var_unrolled(accreal *restrict sum,
                                                               accreal *restrict squares,
                                                               const accreal *restrict shift,
                                                               const real *x, int lanes,
                                                               ptrdiff_t rowStride)
{
#if defined(TH_REAL_IS_FLOAT) && TH_VECTOR == 64
  /* Loads eight floats at a time: compilers load sixteen and extract halves, and these extra
   * instructions fill the queues of the processor that wait for memory. */
  for (int k = 0; k < lanes; k += 8) {
    const THDoubles from = THDoubles_load(shift + k);
    THDoubles one = THDoubles_load(sum + k), two = THDoubles_load(squares + k);
    for (int i = 0; i < VARIANCE_DEEP; i++) {
      const THDoubles difference = (THDoubles_loadFloats(x + i * rowStride + k) - from);
      one = one + difference;
      two = THDoubles_mulAdd(difference, difference, two);
    }
    THDoubles_store(sum + k, one);
    THDoubles_store(squares + k, two);
  }
#else
  var_lanes(sum, squares, shift, x, lanes, 1, rowStride, VARIANCE_DEEP);
#endif
}

/* Takes in VARIANCE_DEEP rows of n adjacent lanes and prefetches later rows. */
static inline __attribute__((always_inline)) void var_deep(accreal *restrict sum,
                                                           accreal *restrict squares,
                                                           const accreal *restrict shift,
                                                           const real *x, ptrdiff_t n,
                                                           ptrdiff_t rowStride, uintptr_t ahead)
{
  enum { UNROLL = 64 / ITEM };
  ptrdiff_t j = 0;
  for (; j + UNROLL <= n; j += UNROLL) {
    for (int i = 0; i < VARIANCE_DEEP; i++)
      prefetch((uintptr_t)(x + i * rowStride + j) + ahead, UNROLL);
    var_unrolled(sum + j, squares + j, shift + j, x + j, UNROLL, rowStride);
  }
  var_lanes(sum + j, squares + j, shift + j, x + j, n - j, 1, rowStride, VARIANCE_DEEP);
}

static void var_strip(Moments *moments, const real *x, ptrdiff_t n, ptrdiff_t step, ptrdiff_t rows,
                      ptrdiff_t rowStride)
{
  TH_SCRATCH(accreal, shift, VARIANCE_STRIP);
  TH_SCRATCH(accreal, sum, VARIANCE_STRIP);
  TH_SCRATCH(accreal, squares, VARIANCE_STRIP);
  for (ptrdiff_t j = 0; j < n; j++) {
    shift[j] = (accreal)x[j * step];
    sum[j] = squares[j] = 0;
  }
  /* Prefetched rows are taken in next, before other lines evict them from L1. */
  const ptrdiff_t later = THMax(VARIANCE_DEEP, PREFETCH_BYTES / ITEM / n);
  const uintptr_t ahead = (uintptr_t)later * (uintptr_t)rowStride * ITEM;
  ptrdiff_t i = 0;
  for (; i + VARIANCE_DEEP <= rows; i += VARIANCE_DEEP)
    if (step == 1)
      var_deep(sum, squares, shift, x + i * rowStride, n, rowStride, ahead);
    else
      var_lanes(sum, squares, shift, x + i * rowStride, n, step, rowStride, VARIANCE_DEEP);
  for (; i + VARIANCE_UNROLL <= rows; i += VARIANCE_UNROLL)
    var_lanes(sum, squares, shift, x + i * rowStride, n, step, rowStride, VARIANCE_UNROLL);
  for (; i < rows; i++)
    var_lanes(sum, squares, shift, x + i * rowStride, n, step, rowStride, 1);
  for (ptrdiff_t j = 0; j < n; j++) {
    const Moments here = is_beyond(squares[j])
                             ? moments_beyond(x + j * step, rows, rowStride)
                             : moments_of((accreal)rows, shift[j], sum[j], squares[j]);
    moments[j] = joined(moments[j], here);
  }
}

static void var_rows(void *states, const THRows *block, const THReduceScalars *scalars)
{
  if (is_transposed(block)) {
    transposed_rows(var_rows, sizeof(Moments), states, block, scalars);
    return;
  }
  for (ptrdiff_t i = 0; i < block->rows; i += VARIANCE_ROWS)
    for (ptrdiff_t j = 0; j < block->lanes; j += VARIANCE_STRIP)
      var_strip((Moments *)states + j, AT(block) + i * block->rowStride + j * block->stride,
                THMin(VARIANCE_STRIP, block->lanes - j), block->stride,
                THMin(VARIANCE_ROWS, block->rows - i), block->rowStride);
}

/* The sum of all lanes; overwrites lanes. */
static inline __attribute__((always_inline)) accreal sum_of(accreal *lanes, int count)
{
  for (int half = count / 2; half > 0; half /= 2)
    for (int j = 0; j < half; j++)
      lanes[j] += lanes[j + half];
  return lanes[0];
}

/* Returns the sum of the differences of n elements to shift; *squares becomes the sum of the
 * squared differences. */
static inline __attribute__((always_inline)) accreal deviations(const real *x, ptrdiff_t n,
                                                                accreal shift, accreal *squares)
{
  enum { UNROLL = LANE_BYTES / sizeof(accreal) };
  accreal one[UNROLL] = {0}, two[UNROLL] = {0};
  ptrdiff_t i = 0;
  for (; i + UNROLL <= n; i += UNROLL) {
    prefetch((uintptr_t)(x + i) + PREFETCH_BYTES, UNROLL);
    for (int j = 0; j < UNROLL; j++) {
      const accreal difference = (accreal)x[i + j] - shift;
      one[j] += difference;
      two[j] = plus_square(two[j], difference);
    }
  }
  for (ptrdiff_t j = 0; j < n - i; j++) {
    const accreal difference = (accreal)x[i + j] - shift;
    one[j] += difference;
    two[j] = plus_square(two[j], difference);
  }
  *squares = sum_of(two, UNROLL);
  return sum_of(one, UNROLL);
}

/* Takes in a line block by block.  Doubles have no digits to spare, so that a block of them is read
 * twice, the second time shifted by its mean. */
static void var_line(void *to, const void *at, ptrdiff_t n, ptrdiff_t first,
                     const THReduceScalars *scalars)
{
  Moments *all = to;
  for (ptrdiff_t done = 0; done < n; done += BLOCK) {
    const real *x = (const real *)at + done;
    const ptrdiff_t here = THMin(BLOCK, n - done);
    accreal shift = (accreal)*x, squares, sum = deviations(x, here, shift, &squares);
    if (sizeof(real) == sizeof(accreal)) {
      shift += sum / (accreal)here;
      sum = deviations(x, here, shift, &squares);
    }
    *all = joined(*all, is_beyond(squares) ? moments_beyond(x, here, 1)
                                           : moments_of((accreal)here, shift, sum, squares));
  }
}

static inline accreal variance(const Moments *m, const THReduceScalars *scalars)
{
  return m->squares / (m->n - scalars->p);
}

static void var_finish(const void *states, ptrdiff_t lanes, const THReduceScalars *scalars,
                       void *result, ptrdiff_t step, int64_t *index, ptrdiff_t indexStep)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((real *)result)[j * step] = (real)variance((const Moments *)states + j, scalars);
}

static void var_total(const void *states, const THReduceScalars *scalars, void *result)
{
  *(accreal *)result = variance(states, scalars);
}

static void std_finish(const void *states, ptrdiff_t lanes, const THReduceScalars *scalars,
                       void *result, ptrdiff_t step, int64_t *index, ptrdiff_t indexStep)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((real *)result)[j * step] = (real)sqrt(variance((const Moments *)states + j, scalars));
}

static void std_total(const void *states, const THReduceScalars *scalars, void *result)
{
  *(accreal *)result = sqrt(variance(states, scalars));
}

#endif

/* --- logarithms of sums of exponentials ----------------------------------------------------- */

#include "TH/pointwise/THMathAvx512.h"
#if defined(TH_WIDE_LOOP) && defined(TH_REAL_IS_FLOAT)
#include "THReducePowers.h"
#define HAS_POWERS
#endif

/* --- the reductions of this level ------------------------------------------------------------- */

#define REDUCTION(NAME, ...) \
  const THReduction TH_LEVEL_(THTensor_(reduction_##NAME))[] = {{__VA_ARGS__}};
#define ENTRY(name, state, ...)                                                            \
  REDUCTION(name, sizeof(state), name##_shortLine, name##_start, name##_rows, name##_line, \
            name##_join, name##_finish, name##_total)

EVERY(ENTRY)
#if defined(TH_REAL_IS_FLOATING)
REDUCTION(var, sizeof(Moments), SHORT_LINE, var_start, var_rows, var_line, var_join, var_finish,
          var_total, .wide = 1)
REDUCTION(std, sizeof(Moments), SHORT_LINE, var_start, var_rows, var_line, var_join, std_finish,
          std_total, .wide = 1)
#endif
REDUCTION(argmax, sizeof(Best), SHORT_LINE_BEST, argmax_start, argmax_rows, argmax_line,
          argmax_join, best_finish, NULL)
REDUCTION(argmin, sizeof(Best), SHORT_LINE_BEST, argmin_start, argmin_rows, argmin_line,
          argmin_join, best_finish, NULL)
#if defined(HAS_POWERS)
REDUCTION(logSumExp, sizeof(Powers), POWERS_SHORT_LINE, powers_start, powers_rows, powers_line,
          powers_join, powers_finish, powers_total)
#elif defined(TH_REAL_IS_FLOATING)
REDUCTION(logSumExp, 0)
#endif
