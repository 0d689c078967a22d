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

/* The prefetch distance along a line in bytes; 0: no prefetch.  Lines of less than 100 MB are taken
 * to lie in a cache and are prefetched PREFETCH_BYTES ahead.  Longer lines come from memory and are
 * prefetched NEARER bytes ahead, since prefetches further ahead delay the loads that are needed
 * first.  prefetched: whether this reduction prefetches lines that lie in a cache at all. */
static inline uintptr_t line_ahead(const THReduceScalars *scalars, int prefetched)
{
  enum { MUCH = 100000000 / ITEM, NEARER = 1024 };
  if (!prefetched && !scalars->far)
    return 0;
  return scalars->count < MUCH ? PREFETCH_BYTES : NEARER;
}

/* The prefetch distance in bytes for rows of n lanes: as many whole rows as have PREFETCH_BYTES, at
 * least LEAST, below the `deep` rows that are reduced together now. */
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
  SHORT_LINE = 384,      /* lines from this length on are reduced one by one */
  SHORT_LINE_SMALL = 64, /* SHORT_LINE of states of 1 or 2 bytes */
  VECTOR_LINE = 16,      /* from this length on a line becomes a vector of lanes instead */
#if defined(TH_REAL_IS_FLOATING)
  VECTOR_LINE_ALONE = 32, /* VECTOR_LINE where there are fewer than 16 lines */
#else
  VECTOR_LINE_ALONE = SHORT_LINE, /* compilers vectorise integers' lines by themselves */
#endif
  MIDDLE_LINE = BLOCK, /* SHORT_LINE of reductions that fill several vectors from one line */
  SHORT_LINE_BEST = ITEM < 4 ? 128 : 1024 / ITEM /* SHORT_LINE of argmax and argmin */
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

/* Joins the partial states of lines: parts has a vector of partial states for each line. */
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

/* The expressions of a reduction's row as functions. */
/* clang-format off */
#define FUNCTION(TYPE, NAME, PARAMETERS, EXPRESSION)                          \
  TH_UNUSED static inline TYPE NAME PARAMETERS { return (TYPE)(EXPRESSION); }
/* clang-format on */
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
/* Reductions whose state is accreal take in four elements at a time. */
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

#if defined(SWEEPS_NAN_APART)
/* The sweep of a line that is prefetched is the plain one.  Other lines are swept with the largest
 * (smallest) element and the NaN in separate vectors (THReduceLanes.h). */
static inline __attribute__((always_inline)) ptrdiff_t max_sweep_nan_apart(real *restrict a,
                                                                           const real *x, int lanes,
                                                                           int deep, ptrdiff_t n,
                                                                           uintptr_t ahead,
                                                                           double p)
{
  return ahead ? max_sweep(a, x, lanes, deep, n, ahead, p)
               : sweep_nan_apart(1, LOWEST, a, x, lanes, n);
}

static inline __attribute__((always_inline)) ptrdiff_t min_sweep_nan_apart(real *restrict a,
                                                                           const real *x, int lanes,
                                                                           int deep, ptrdiff_t n,
                                                                           uintptr_t ahead,
                                                                           double p)
{
  return ahead ? min_sweep(a, x, lanes, deep, n, ahead, p)
               : sweep_nan_apart(0, HIGHEST, a, x, lanes, n);
}

#define max_shortLine  MIDDLE_LINE
#define min_shortLine  MIDDLE_LINE
#define max_prefetched 0
#define min_prefetched 0
#define max_sweep      max_sweep_nan_apart
#define min_sweep      min_sweep_nan_apart
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
/* For integers the order of additions does not matter.  A short line of doubles has to be added up
 * in the order of a column, so doubles keep VECTOR_LINE. */
#define sum_least 2
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

#include "THReduceArg.h"
#include "THReduceVariance.h"

/* --- logsumexp ------------------------------------------------------------------------------- */

#include "TH/pointwise/THMathAvx512.h"
#if defined(TH_WIDE_LOOP) && defined(TH_REAL_IS_FLOAT)
#include "THReduceLogSumExp.h"
#define HAS_LOG_SUM_EXP
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
#if defined(HAS_LOG_SUM_EXP)
REDUCTION(logSumExp, sizeof(LogSumExp), LOG_SUM_EXP_SHORT_LINE, logSumExp_start, logSumExp_rows,
          logSumExp_line, logSumExp_join, logSumExp_finish, logSumExp_total)
#elif defined(TH_REAL_IS_FLOATING)
REDUCTION(logSumExp, 0)
#endif
