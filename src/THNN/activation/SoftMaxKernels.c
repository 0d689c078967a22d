/* Kernels of SoftMax and LogSoftMax, for sequences that are contiguous, or side by side in lanes.
 *
 * The largest element is subtracted first, so that nothing overflows.  A sequence with a NaN, or of
 * infinities only, becomes NaN. */
#include "THVectorMath.h"
#include "TH/loop/THStream.h"
#include "TH/simd/THAddViaFma.h"
#include "TH/core/THScratch.h"

#include "THNN/layer/Template.h"

#ifdef TH_REAL_IS_FLOAT
#include "TH/pointwise/THMathAvx512.h"
#endif

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* the largest element is found one by one */
#endif

/* BLOCK elements, or ROWS rows of lanes, are summed in their own type; the sums of blocks are added
 * in accreal. */
enum { LANES = THNN_SOFT_MAX_LANES, BLOCK = 256, ROWS = 64 };

/* Always inline, so that whether the result is a logarithm is a constant. */
#define KERNEL static inline __attribute__((always_inline)) void

/* --- exponentials ---------------------------------------------------------------------------- */

#ifdef TH_WIDE_LOOP

/* y[i] = e^(x[i] - most), where y is not NULL; returns the sum.  An element can exceed most only
 * where another one is NaN, and then the sum is NaN as well. */
static inline __attribute__((always_inline)) accreal powers(ptrdiff_t n, const real *x, real most,
                                                            real *y)
{
  const THFloats top = THFloats_all(most);
  THDoubles lower = THDoubles_all(0), upper = lower;
  for (ptrdiff_t from = 0; from < n; from += BLOCK) {
    const ptrdiff_t end = THMin(n, from + BLOCK);
    THFloats part = THFloats_all(0);
    ptrdiff_t i = from;
    for (; end - i >= 16; i += 16) {
      /* The next row, which is searched for its largest element first. */
      __builtin_prefetch((const void *)((uintptr_t)(x + i) + (uintptr_t)n * sizeof *x));
      const THFloats e = THWide_expUpTo89(THFloats_load(x + i) - top);
      if (y)
        THFloats_store(y + i, e);
      part += e;
    }
    if (i < end) {
      const THMask32 lanes = (THMask32)((1u << (end - i)) - 1);
      const THFloats e = THWide_expUpTo89(THFloats_loadMasked(lanes, x + i) - top);
      if (y)
        THFloats_storeMasked(y + i, lanes, e);
      part = THFloats_select(lanes, part + e, part);
    }
    lower += THWide_half(part, 0);
    upper += THWide_half(part, 1);
  }
  return THDoubles_sum(lower + upper);
}

/* y[i * step + l] = e^(x[i * step + l] - most[l]), where y is not NULL; adds the sum of lane l to part[l]. */
KERNEL powers_of_vectors(ptrdiff_t rows, ptrdiff_t step, ptrdiff_t lanes, const real *x,
                         const real *most, real *y, real *part)
{
  enum { VECTORS = LANES / 16 };
  THFloats top[VECTORS], sum[VECTORS];
  THMask32 here[VECTORS];
  for (int v = 0; v < VECTORS; v++) {
    const ptrdiff_t left = lanes - 16 * v;
    here[v] = left >= 16 ? (THMask32)-1 : left > 0 ? (THMask32)((1u << left) - 1) : 0;
    top[v] = THFloats_loadMasked(here[v], most + 16 * v);
    sum[v] = THFloats_loadMasked(here[v], part + 16 * v);
  }
  for (ptrdiff_t i = 0; i < rows; i++)
    for (int v = 0; v < VECTORS && 16 * v < lanes; v++) {
      const ptrdiff_t at = i * step + 16 * v;
      const THFloats e = THWide_expUpTo89(THFloats_loadMasked(here[v], x + at) - top[v]);
      if (y)
        THFloats_storeMasked(y + at, here[v], e);
      sum[v] += e;
    }
  for (int v = 0; v < VECTORS; v++)
    THFloats_storeMasked(part + 16 * v, here[v], sum[v]);
}

/* powers_of_vectors; for whole blocks of lanes the masks are constants, which compilers leave out. */
KERNEL powers_of_lanes(ptrdiff_t rows, ptrdiff_t step, ptrdiff_t lanes, const real *x,
                       const real *most, real *y, real *part)
{
  if (lanes == LANES)
    powers_of_vectors(rows, step, LANES, x, most, y, part);
  else
    powers_of_vectors(rows, step, lanes, x, most, y, part);
}

#else

/* Counts are rounded up to WIDTH elements: compilers would compute a remainder one by one. */
enum { WIDTH = 64 / sizeof(real) };

/* z[i] becomes e^z[i]; n is a multiple of WIDTH. */
KERNEL exponentials(ptrdiff_t n, real *z)
{
  real e[BLOCK];
  int far = 0;
#pragma omp simd reduction(| : far)
  for (ptrdiff_t i = 0; i < n; i++) {
    far |= !THMath_(isModest)(z[i]);
    e[i] = THMath_(expModest)(z[i]);
  }
  if (!far) {
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
      z[i] = e[i];
    return;
  }
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    z[i] = THMath_(exp)(z[i]);
}

/* y[i] = e^(x[i] - most), where y is not NULL; returns the sum. */
static accreal powers(ptrdiff_t n, const real *x, real most, real *y)
{
  accreal sum = 0;
  for (ptrdiff_t from = 0; from < n; from += BLOCK) {
    const ptrdiff_t count = THMin(n - from, BLOCK), full = (count + WIDTH - 1) / WIDTH * WIDTH;
    real e[BLOCK], part = 0;
#pragma omp simd
    for (ptrdiff_t i = 0; i < count; i++)
      e[i] = x[from + i] - most;
    for (ptrdiff_t i = count; i < full; i++)
      e[i] = 0;
    exponentials(full, e);
#pragma omp simd reduction(+ : part)
    for (ptrdiff_t i = 0; i < count; i++)
      part += e[i];
    if (y)
      memcpy(y + from, e, (size_t)count * sizeof *y);
    sum += (accreal)part;
  }
  return sum;
}

/* y[i * step + l] = e^(x[i * step + l] - most[l]), where y is not NULL; adds the sum of lane l to part[l]. */
KERNEL powers_of_lanes(ptrdiff_t rows, ptrdiff_t step, ptrdiff_t lanes, const real *x,
                       const real *most, real *y, real *part)
{
  /* Contiguous rows are computed as one, as many as fit into e. */
  const ptrdiff_t rowsAtOnce = step == lanes ? BLOCK / lanes : 1;
  real e[BLOCK];
  for (ptrdiff_t i = 0; i < rows; i += rowsAtOnce) {
    const ptrdiff_t some = THMin(rowsAtOnce, rows - i), count = some * lanes;
    const ptrdiff_t full = (count + WIDTH - 1) / WIDTH * WIDTH;
    for (ptrdiff_t r = 0; r < some; r++)
#pragma omp simd
      for (ptrdiff_t l = 0; l < lanes; l++)
        e[r * lanes + l] = x[(i + r) * step + l] - most[l];
    for (ptrdiff_t l = count; l < full; l++)
      e[l] = 0;
    exponentials(full, e);
    for (ptrdiff_t r = 0; r < some; r++)
#pragma omp simd
      for (ptrdiff_t l = 0; l < lanes; l++)
        part[l] += e[r * lanes + l];
    if (y)
      memcpy(y + i * step, e, (size_t)count * sizeof *y);
  }
}

#endif

/* d[i] = g[i] - e^y[i] total[i]; with same, total is one element for all. */
KERNEL less_powers(ptrdiff_t n, const real *g, const real *y, const real *total, int same, real *d)
{
#ifdef TH_WIDE_LOOP
  const THFloats whole = THFloats_all(*total);
  if (same)
    TH_WIDE_LOOP(TH_WIDE(w, g) TH_WIDE(v, y), d, 0, n, THFloats_negMulAdd(THWide_exp(v), whole, w))
  else
    TH_WIDE_LOOP(TH_WIDE(w, g) TH_WIDE(v, y) TH_WIDE(t, total), d, 0, n,
                 THFloats_negMulAdd(THWide_exp(v), t, w))
#else
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    d[i] = g[i] - THMath_(expFlushed)(y[i]) * total[same ? 0 : i];
#endif
}

/* --- contiguous sequences -------------------------------------------------------------------- */

#ifdef TH_WIDE_LOOP

static inline real most_of(ptrdiff_t n, const real *x)
{
  THFloats p = THFloats_all(x[0]), q = p, r = p, s = p; /* max is the second where one is NaN */
  ptrdiff_t i = 0;
  for (; n - i >= 64; i += 64) {
    p = THFloats_max(THFloats_load(x + i), p);
    q = THFloats_max(THFloats_load(x + i + 16), q);
    r = THFloats_max(THFloats_load(x + i + 32), r);
    s = THFloats_max(THFloats_load(x + i + 48), s);
  }
  for (; n - i >= 16; i += 16)
    p = THFloats_max(THFloats_load(x + i), p);
  if (i < n) {
    const THMask32 lanes = (THMask32)((1u << (n - i)) - 1);
    q = THFloats_select(lanes, THFloats_max(THFloats_loadMasked(lanes, x + i), q), q);
  }
  return THFloats_greatest(THFloats_max(THFloats_max(p, q), THFloats_max(r, s)));
}

#else

/* Four independent chains of comparisons, so that none waits for the one before it. */
static inline real most_of(ptrdiff_t n, const real *x)
{
  const ptrdiff_t quarter = n / 4;
  const real *a = x, *b = a + quarter, *c = b + quarter, *d = c + quarter;
  real p = x[0], q = p, r = p, s = p;
#pragma omp simd reduction(max : p, q, r, s)
  for (ptrdiff_t i = 0; i < quarter; i++) {
    p = a[i] > p ? a[i] : p;
    q = b[i] > q ? b[i] : q;
    r = c[i] > r ? c[i] : r;
    s = d[i] > s ? d[i] : s;
  }
  for (ptrdiff_t i = 4 * quarter; i < n; i++)
    p = x[i] > p ? x[i] : p;
  p = p > q ? p : q;
  r = r > s ? r : s;
  return p > r ? p : r;
}

#endif

#ifdef TH_WIDE_LOOP

/* The remainder of a short row would take as long as the rest, one element at a time: here it is
 * one masked vector. */

KERNEL less_two(ptrdiff_t n, const real *x, real most, real logsum,
                real *y){TH_WIDE_LOOP(TH_WIDE(v, x), y, 0, n, v - most - logsum)}

KERNEL multiply(ptrdiff_t n, real factor, real *y){TH_WIDE_LOOP(TH_WIDE(v, y), y, 0, n, v *factor)}

KERNEL products_less(ptrdiff_t n, const real *g, const real *y, real total, real *d)
{
  TH_WIDE_LOOP(TH_WIDE(w, g) TH_WIDE(v, y), d, 0, n, v * (w - total))
}

/* Eight elements of g, or of g y where y is not NULL, as doubles.  They are loaded by halves of a
 * vector, which saves the extraction of an upper half. */
static inline __attribute__((always_inline)) THDoubles eight(THMask64 lanes, const real *g,
                                                             const real *y)
{
  return y ? THDoubles_loadProductsMasked(lanes, g, y) : THDoubles_loadFloatsMasked(lanes, g);
}

/* The sum of n elements of g, or of g y. */
static inline __attribute__((always_inline)) accreal total_of(ptrdiff_t n, const real *g,
                                                              const real *y)
{
  enum { STREAMS = 4, EIGHT = 8 };
  const THMask64 all = (THMask64)-1;
  THDoubles sum[STREAMS] = {THDoubles_all(0)};
  ptrdiff_t i = 0;
  for (; n - i >= STREAMS * EIGHT; i += STREAMS * EIGHT)
    for (int k = 0; k < STREAMS; k++)
      sum[k] = THAddViaFma(sum[k], eight(all, g + i + k * EIGHT, y ? y + i + k * EIGHT : NULL));
  for (; n - i >= EIGHT; i += EIGHT)
    sum[0] = THAddViaFma(sum[0], eight(all, g + i, y ? y + i : NULL));
  if (i < n)
    sum[1] += eight((THMask64)((1u << (n - i)) - 1), g + i, y ? y + i : NULL);
  return THDoubles_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

#else

KERNEL less_two(ptrdiff_t n, const real *x, real most, real logsum, real *y)
{
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    y[i] = x[i] - most - logsum;
}

KERNEL multiply(ptrdiff_t n, real factor, real *y)
{
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    y[i] *= factor;
}

KERNEL products_less(ptrdiff_t n, const real *g, const real *y, real total, real *d)
{
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    d[i] = y[i] * (g[i] - total);
}

/* The sum of g, or of g y, where y is not NULL. */
static inline __attribute__((always_inline)) accreal total_of(ptrdiff_t n, const real *g,
                                                              const real *y)
{
  accreal sum = 0;
#pragma omp simd reduction(+ : sum)
  for (ptrdiff_t i = 0; i < n; i++)
    sum += (accreal)(y ? g[i] * y[i] : g[i]);
  return sum;
}

#endif

/* A streamed result is computed into a buffer first.  Where each element is needed twice, the
 * buffer holds a whole row, of up to STREAMED_ROW elements. */
enum { STREAMED_ROW = 16384 / sizeof(real), SHORT = TH_STREAM_BLOCK / sizeof(real) };

/* The logarithms of LOG_ROWS short rows' sums are computed together.  The rows have no more than
 * L1_BLOCK elements in all, so that they are still in the L1 cache when they are read again. */
enum { LOG_ROWS = 16, L1_BLOCK = 2048 };

KERNEL log_rows(ptrdiff_t n, ptrdiff_t rows, const real *x, real *y, int streams)
{
  real most[LOG_ROWS], logsum[LOG_ROWS];
  for (ptrdiff_t r = 0; r < LOG_ROWS; r++)
    logsum[r] = 1;
  for (ptrdiff_t r = 0; r < rows; r++) {
    most[r] = most_of(n, x + r * n);
    logsum[r] = (real)powers(n, x + r * n, most[r], NULL);
  }
#pragma omp simd
  for (ptrdiff_t r = 0; r < LOG_ROWS; r++)
    logsum[r] = THMath_(log)(logsum[r]);
  for (ptrdiff_t r = 0; r < rows; r++, x += n, y += n) {
    if (!streams) {
      less_two(n, x, most[r], logsum[r], y);
      continue;
    }
    real buffer[SHORT];
    ptrdiff_t count = THStream_first(y, sizeof *y, n);
    for (ptrdiff_t i = 0; i < n; i += count, count = THMin(SHORT, n - i)) {
      less_two(count, x + i, most[r], logsum[r], buffer);
      THStream_copy(y + i, buffer, (size_t)count * sizeof *y);
    }
  }
}

KERNEL soft_row(ptrdiff_t n, const real *x, real *y)
{
  const real factor = (real)(1 / powers(n, x, most_of(n, x), y));
  multiply(n, factor, y);
}

static __attribute__((noinline)) void stream_soft_row(ptrdiff_t n, const real *x, real *y)
{
  TH_SCRATCH(real, buffer, STREAMED_ROW);
  soft_row(n, x, buffer);
  THStream_copy(y, buffer, (size_t)n * sizeof *y);
}

KERNEL gradient1(ptrdiff_t n, const real *g, const real *y, real *d, int logarithm)
{
  const real total = (real)total_of(n, g, logarithm ? NULL : y);
  if (logarithm)
    less_powers(n, g, y, &total, 1, d);
  else
    products_less(n, g, y, total, d);
}

/* --- side by side ---------------------------------------------------------------------------- */

/* Prefetches a later row: rows are far apart, so that the processor does not do so by itself. */
KERNEL prefetch_lanes(ptrdiff_t step, ptrdiff_t lanes, const real *row)
{
  enum { PREFETCH_ROWS = 8, LINE = TH_STREAM_LINE / sizeof(real) };
  for (ptrdiff_t l = 0; l < lanes; l += LINE)
    __builtin_prefetch((const void *)((uintptr_t)row +
                                      (uintptr_t)(PREFETCH_ROWS * step + l) * sizeof *row));
}

KERNEL forward(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *x, real *y, int streams,
               int logarithm)
{
  if (step == 1) {
    const ptrdiff_t some = logarithm ? THMax(1, THMin(LOG_ROWS, L1_BLOCK / n)) : 1;
    for (ptrdiff_t r = 0; r < lanes; r += some)
      if (logarithm)
        log_rows(n, THMin(some, lanes - r), x + r * n, y + r * n, streams);
      else if (streams && n <= STREAMED_ROW)
        stream_soft_row(n, x + r * n, y + r * n);
      else
        soft_row(n, x + r * n, y + r * n);
    return;
  }
  real most[LANES], part[LANES], factor[LANES];
  accreal sum[LANES];
  for (ptrdiff_t l = 0; l < lanes; l++) {
    most[l] = x[l];
    sum[l] = 0;
  }
  for (ptrdiff_t i = 1; i < n; i++) {
    prefetch_lanes(step, lanes, x + i * step);
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++)
      most[l] = x[i * step + l] > most[l] ? x[i * step + l] : most[l];
  }
  for (ptrdiff_t from = 0; from < n; from += ROWS) {
    memset(part, 0, sizeof part);
    powers_of_lanes(THMin(n - from, ROWS), step, lanes, x + from * step, most,
                    logarithm ? NULL : y + from * step, part);
    for (ptrdiff_t l = 0; l < lanes; l++)
      sum[l] += (accreal)part[l];
  }
  if (logarithm)
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++)
      factor[l] = (real)THMath_(log)((real)sum[l]);
  else
    for (ptrdiff_t l = 0; l < lanes; l++)
      factor[l] = (real)(1 / sum[l]);
  for (ptrdiff_t i = 0; i < n; i++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++)
      y[i * step + l] =
          logarithm ? x[i * step + l] - most[l] - factor[l] : y[i * step + l] * factor[l];
}

KERNEL gradient(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *g, const real *y, real *d,
                int logarithm)
{
  if (step == 1) {
    for (ptrdiff_t r = 0; r < lanes; r++)
      gradient1(n, g + r * n, y + r * n, d + r * n, logarithm);
    return;
  }
  accreal sum[LANES] = {0};
  real total[LANES];
  for (ptrdiff_t i = 0; i < n; i++) {
    prefetch_lanes(step, lanes, g + i * step);
    prefetch_lanes(step, lanes, y + i * step);
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++)
      sum[l] += (accreal)(logarithm ? g[i * step + l] : g[i * step + l] * y[i * step + l]);
  }
  for (ptrdiff_t l = 0; l < lanes; l++)
    total[l] = (real)sum[l];
  for (ptrdiff_t i = 0; i < n; i++) {
    if (logarithm) {
      less_powers(lanes, g + i * step, y + i * step, total, 0, d + i * step);
      continue;
    }
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++)
      d[i * step + l] = y[i * step + l] * (g[i * step + l] - total[l]);
  }
}

/* --- the table ------------------------------------------------------------------------------- */

static void soft_forward(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *x, real *y,
                         int streams)
{
  forward(n, step, lanes, x, y, streams, 0);
}

static void soft_gradient(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *g,
                          const real *y, real *d)
{
  gradient(n, step, lanes, g, y, d, 0);
}

static void log_forward(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *x, real *y,
                        int streams)
{
  forward(n, step, lanes, x, y, streams, 1);
}

static void log_gradient(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *g, const real *y,
                         real *d)
{
  gradient(n, step, lanes, g, y, d, 1);
}

const THNN_(SoftMaxKernels)
    TH_LEVEL_(THNN_(softMax))[] = {{soft_forward, soft_gradient}, {log_forward, log_gradient}};
