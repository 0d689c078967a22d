/* logsumexp of Float at AVX-512, a part of THReduceKernels.c.  Exponentials are computed in registers
 * there, so one pass is faster than finding the largest element first.  An element x is taken in as
 * e^(x - shift), where shift is close to the largest element so far.  The sum is rescaled, and shift
 * raised, only where an element exceeds shift by more than LOG_SUM_EXP_MUCH.  A NaN makes the sum
 * NaN, an infinite element makes it infinite. */
#ifndef TH_REDUCE_LOG_SUM_EXP_H
#define TH_REDUCE_LOG_SUM_EXP_H

#include "TH/pointwise/THPointwise.h"
#include "THReduceLanes.h"
#include "TH/pointwise/THMathAvx512.h"

/* For functions called once for many elements: faster code would be many times as long. */
#define SMALL __attribute__((cold, noinline))

typedef struct {
  accreal sum; /* of e^(x - shift); any small value where shift is -INFINITY */
  real shift;
} LogSumExp;

/* LOG_SUM_EXP_DEEP rows of LOG_SUM_EXP_LANES lanes are taken in at a time, in strips of lanes whose states
 * stay in L1.  Lines of fewer than LOG_SUM_EXP_SHORT_LINE elements are transposed.  Where an element
 * exceeds shift by more than LOG_SUM_EXP_MUCH, shift is raised. */
enum {
  LOG_SUM_EXP_DEEP = 8,
  LOG_SUM_EXP_LANES = 64 / ITEM,
  LOG_SUM_EXP_STRIP = 4096 / ITEM,
  LOG_SUM_EXP_MUCH = 8,
  LOG_SUM_EXP_SHORT_LINE = 192
};

static void logSumExp_start(void *states, ptrdiff_t lanes)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((LogSumExp *)states)[j] = (LogSumExp){0, -(real)INFINITY};
}

/* Applies a row of src/ops/pointwise.h to n numbers in place. */
static __attribute__((noinline)) void make_each(const THPointwiseKernels *row, void *numbers,
                                                ptrdiff_t n)
{
  static const int64_t unused[2]; /* loops read scalars even where they ignore them */
  THPointwise_kernel(row, THScalarDouble)(n, numbers, numbers, NULL, NULL, unused, 0);
}

static SMALL void logSumExp_join(void *states, const void *others, ptrdiff_t lanes)
{
  LogSumExp *a = states;
  const LogSumExp *b = others;
  for (ptrdiff_t j = 0; j < lanes;
       j += LOG_SUM_EXP_LANES, a += LOG_SUM_EXP_LANES, b += LOG_SUM_EXP_LANES) {
    const ptrdiff_t n = THMin(LOG_SUM_EXP_LANES, lanes - j);
    double up[LOG_SUM_EXP_LANES];
    for (ptrdiff_t k = 0; k < n; k++)
      up[k] = a[k].shift == b[k].shift ? 0 : -fabs((double)a[k].shift - (double)b[k].shift);
    make_each(&THPointwise_kernels_exp, up, n);
    for (ptrdiff_t k = 0; k < n; k++) {
      const int below = a[k].shift < b[k].shift;
      a[k].sum = below ? a[k].sum * up[k] + b[k].sum : a[k].sum + b[k].sum * up[k];
      a[k].shift = below ? b[k].shift : a[k].shift;
    }
  }
}

/* Raises shift to top where top exceeds shift by much.  In most calls the sum was empty before. */
static __attribute__((noinline)) void raise_shift(accreal *sum, real *shift, const real *top,
                                                  ptrdiff_t n)
{
  double up[LOG_SUM_EXP_LANES];
  int known = 0;
  TH_PRAGMA(omp simd reduction(| : known))
  for (ptrdiff_t k = 0; k < n; k++) {
    const int raised = top[k] > shift[k] + LOG_SUM_EXP_MUCH ||
                       (top[k] == (real)INFINITY && shift[k] != (real)INFINITY);
    up[k] = raised ? (double)shift[k] - (double)top[k] : 0;
    known |= shift[k] > -(real)INFINITY;
    shift[k] = raised ? top[k] : shift[k];
  }
  if (known)
    make_each(&THPointwise_kernels_exp, up, n);
  TH_PRAGMA(omp simd)
  for (ptrdiff_t k = 0; k < n; k++)
    sum[k] *= known ? up[k] : 0;
}

/* The number that is subtracted from elements: shift, or 0 where shift is infinite. */
static inline real taken_off(real shift)
{
  return shift - shift == 0 ? shift : 0;
}

static inline __attribute__((always_inline)) void logSumExp_unrolled(accreal *sum, real *shift,
                                                                     const real *x,
                                                                     ptrdiff_t rowStride, int deep,
                                                                     THMask32 lanes)
{
  enum { INFINITE = 0x18 };
  const THFloats infinite = THFloats_all(INFINITY), lowest = THFloats_all(-INFINITY);
  THFloats v[LOG_SUM_EXP_DEEP], top = lowest, from = THFloats_loadOr(lowest, lanes, shift);
  TH_PRAGMA(GCC unroll 8)
  for (int d = 0; d < deep; d++) {
    v[d] = THFloats_loadMasked(lanes, x + d * rowStride);
    top = THFloats_max(v[d], top); /* returns the second operand where one is NaN */
  }
  const THFloats bound = from + THFloats_all(LOG_SUM_EXP_MUCH);
  if ((lanes & THFloats_greater(top, bound)) | THFloats_equal(THFloats_max(from, top), infinite)) {
    float most[16];
    THFloats_store(most, top);
    raise_shift(sum, shift, most, __builtin_popcount(lanes));
    from = THFloats_loadOr(lowest, lanes, shift);
    const THMask32 all = THFloats_equal(from, infinite);
    for (int d = 0; d < deep; d++) /* infinite elements, and NaN */
      v[d] = THFloats_select(all, THFloats_min(THFloats_all(89), v[d]), v[d]);
  }
  from = THFloats_select(THFloats_ofClass(from, INFINITE), THFloats_all(0), from);
  const THMask64 upper = (THMask64)(lanes >> 8);
  THDoubles one = THDoubles_loadMasked((THMask64)lanes, sum);
  THDoubles two = THDoubles_loadMasked(upper, sum + 8);
  TH_PRAGMA(GCC unroll 8)
  for (int d = 0; d < deep; d++) {
    const THFloats e = THWide_expUpTo89(v[d] - from);
    one += THWide_half(e, 0);
    two += THWide_half(e, 1);
  }
  THDoubles_storeMasked(sum, (THMask64)lanes, one);
  THDoubles_storeMasked(sum + 8, upper, two);
}

/* Takes in deep rows of up to LOG_SUM_EXP_LANES lanes. */
static inline __attribute__((always_inline)) void take_exponentials(accreal *sum, real *shift,
                                                                    const real *x,
                                                                    ptrdiff_t rowStride, int deep,
                                                                    ptrdiff_t n)
{
  logSumExp_unrolled(sum, shift, x, rowStride, deep, (THMask32)((1u << n) - 1));
}

/* The largest of n elements, NaN ignored. */
static inline real most_of(const real *x, ptrdiff_t n)
{
  THFloats p = THFloats_all(-INFINITY), q = p, r = p, s = p;
  ptrdiff_t i = 0;
  for (; n - i >= 64; i += 64) {
    p = THFloats_max(THFloats_load(x + i), p);
    q = THFloats_max(THFloats_load(x + i + 16), q);
    r = THFloats_max(THFloats_load(x + i + 32), r);
    s = THFloats_max(THFloats_load(x + i + 48), s);
  }
  for (; i < n; i += 16) {
    const THMask32 lanes = (THMask32)(n - i < 16 ? (1u << (n - i)) - 1 : 0xffff);
    p = THFloats_select(lanes, THFloats_max(THFloats_loadMasked(lanes, x + i), p), p);
  }
  return THFloats_greatest(THFloats_max(THFloats_max(p, q), THFloats_max(r, s)));
}

/* The sum of e^(x - from) of n elements that do not exceed from. */
static inline accreal sum_exponentials(const real *x, ptrdiff_t n, real from)
{
  const THFloats off = THFloats_all(from);
  THDoubles a = THDoubles_all(0), b = a, c = a, d = a;
  ptrdiff_t i = 0;
  for (; n - i >= 32; i += 32) {
    prefetch((uintptr_t)(x + i) + PREFETCH_BYTES, 32);
    const THFloats e = THWide_expUpTo89(THFloats_load(x + i) - off);
    const THFloats f = THWide_expUpTo89(THFloats_load(x + i + 16) - off);
    a += THWide_half(e, 0);
    b += THWide_half(e, 1);
    c += THWide_half(f, 0);
    d += THWide_half(f, 1);
  }
  for (; i < n; i += 16) {
    const THMask32 lanes = (THMask32)(n - i < 16 ? (1u << (n - i)) - 1 : 0xffff);
    const THFloats z = THFloats_loadMasked(lanes, x + i) - off;
    const THFloats e = THFloats_keep(lanes, THWide_expUpTo89(z));
    a += THWide_half(e, 0);
    b += THWide_half(e, 1);
  }
  return THDoubles_sum((a + b) + (c + d));
}

/* Reduces n adjacent elements, a block at a time: the block stays in L1 between the search for its
 * largest element and the sum. */
static void logSumExp_line(void *to, const void *at, ptrdiff_t n, ptrdiff_t first,
                           const THReduceScalars *scalars)
{
  LogSumExp *const all = to;
  for (ptrdiff_t done = 0; done < n; done += BLOCK) {
    const real *const x = (const real *)at + done;
    const ptrdiff_t here = THMin(BLOCK, n - done);
    const real top = most_of(x, here);
    if (top > all->shift) {
      all->sum *= exp((double)all->shift - (double)top);
      all->shift = top;
    }
    if (all->shift == (real)INFINITY)
      for (ptrdiff_t i = 0; i < here; i++)
        all->sum += x[i] == x[i] ? (accreal)INFINITY : (accreal)x[i];
    else
      all->sum += sum_exponentials(x, here, taken_off(all->shift));
  }
}

/* Copies states to arrays of their members, or the arrays back to states. */
static __attribute__((noinline)) void move_states(LogSumExp *states, accreal *sum, real *shift,
                                                  ptrdiff_t n, int toArrays)
{
  for (ptrdiff_t j = 0; j < n; j++)
    if (toArrays) {
      sum[j] = states[j].sum;
      shift[j] = states[j].shift;
    } else {
      states[j] = (LogSumExp){sum[j], shift[j]};
    }
}

static __attribute__((noinline)) void logSumExp_strip(LogSumExp *states, const real *x, ptrdiff_t n,
                                                      ptrdiff_t rows, ptrdiff_t rowStride)
{
  TH_SCRATCH(accreal, sum, LOG_SUM_EXP_STRIP);
  TH_SCRATCH(real, shift, LOG_SUM_EXP_STRIP);
  move_states(states, sum, shift, n, 1);
  for (ptrdiff_t i = 0; i < rows; i += LOG_SUM_EXP_DEEP) {
    const ptrdiff_t deep = THMin(LOG_SUM_EXP_DEEP, rows - i);
    for (ptrdiff_t j = 0; j < n; j += LOG_SUM_EXP_LANES) {
      const real *const at = x + i * rowStride + j;
      const ptrdiff_t lanes = THMin(LOG_SUM_EXP_LANES, n - j);
      for (int d = 0; d < LOG_SUM_EXP_DEEP; d++)
        prefetch((uintptr_t)(at + (LOG_SUM_EXP_DEEP + d) * rowStride), LOG_SUM_EXP_LANES);
      if (deep == LOG_SUM_EXP_DEEP)
        take_exponentials(sum + j, shift + j, at, rowStride, LOG_SUM_EXP_DEEP, lanes);
      else
        for (ptrdiff_t d = 0; d < deep; d++)
          take_exponentials(sum + j, shift + j, at + d * rowStride, rowStride, 1, lanes);
    }
  }
  move_states(states, sum, shift, n, 0);
}

static void logSumExp_rows(void *states, const THRows *block, const THReduceScalars *scalars);

/* Elements with any strides: copies some at a time to a buffer. */
static SMALL void logSumExp_strided(LogSumExp *states, const THRows *block,
                                    const THReduceScalars *scalars)
{
  TH_SCRATCH(real, transposed, TRANSPOSE_ROWS * TRANSPOSE_LINES);
  for (ptrdiff_t j = 0; j < block->lanes; j += TRANSPOSE_LINES)
    for (ptrdiff_t i = 0; i < block->rows; i += TRANSPOSE_ROWS) {
      const THRows part = {.at = transposed,
                           .lanes = THMin(TRANSPOSE_LINES, block->lanes - j),
                           .stride = 1,
                           .rows = THMin(TRANSPOSE_ROWS, block->rows - i),
                           .rowStride = block->lanes == 1 ? 1 : TRANSPOSE_LINES};
      const real *const from = AT(block) + i * block->rowStride + j * block->stride;
      for (ptrdiff_t d = 0; d < part.rows; d++)
        for (ptrdiff_t k = 0; k < part.lanes; k++)
          transposed[d * part.rowStride + k] = from[d * block->rowStride + k * block->stride];
      logSumExp_rows(states + j, &part, scalars);
    }
}

static void logSumExp_rows(void *states, const THRows *block, const THReduceScalars *scalars)
{
  if (is_transposed(block))
    transposed_rows(logSumExp_rows, sizeof(LogSumExp), states, block, scalars);
  else if (block->lanes == 1 && block->rowStride == 1)
    logSumExp_line(states, block->at, block->rows, block->first, scalars);
  else if (block->stride != 1)
    logSumExp_strided(states, block, scalars);
  else
    for (ptrdiff_t j = 0; j < block->lanes; j += LOG_SUM_EXP_STRIP)
      logSumExp_strip((LogSumExp *)states + j, AT(block) + j,
                      THMin(LOG_SUM_EXP_STRIP, block->lanes - j), block->rows, block->rowStride);
}

static void logSumExp_finish(const void *states, ptrdiff_t lanes, const THReduceScalars *scalars,
                             void *result, ptrdiff_t step, int64_t *index, ptrdiff_t indexStep)
{
  const LogSumExp *a = states;
  for (ptrdiff_t j = 0; j < lanes; j += LOG_SUM_EXP_LANES, a += LOG_SUM_EXP_LANES) {
    const ptrdiff_t n = THMin(LOG_SUM_EXP_LANES, lanes - j);
    double sum[LOG_SUM_EXP_LANES];
    for (ptrdiff_t k = 0; k < n; k++) /* 1 where the result is infinite */
      sum[k] = isinf(a[k].shift) && a[k].sum == a[k].sum ? 1 : a[k].sum;
    make_each(&THPointwise_kernels_log, sum, n);
    for (ptrdiff_t k = 0; k < n; k++)
      ((real *)result)[(j + k) * step] = (real)(sum[k] + (double)a[k].shift);
  }
}

static SMALL void logSumExp_total(const void *states, const THReduceScalars *scalars, void *result)
{
  const LogSumExp *const a = states;
  const int isInfinite = isinf(a->shift) && a->sum == a->sum;
  *(accreal *)result = (isInfinite ? 0 : log(a->sum)) + (double)a->shift;
}

#endif
