/* Kernels of batch normalization.
 *
 * Sums are kept in accreal.  Mean and variance take one pass over the distances from a guess of the
 * mean.  Only where too much cancels, a second pass takes the distances from the mean of the first.
 * A panel is meant to fit in a cache. */
#include "TH/loop/THStream.h"
#include "TH/simd/THAddViaFma.h"

#include "THNN/layer/Template.h"
#include "THNN/simd/Tuning.h"

#include "TH/simd/THSimdReal.h"
#include "TH/simd/THSimdSums.h"

#define LOOP static inline __attribute__((always_inline)) void

/* Elements of a cache line, and of the distance to prefetched elements. */
enum { LINE = TH_STREAM_LINE / sizeof(real), PREFETCH = THNN_PREFETCH_NEAR / sizeof(real) };

/* --- sums of long rows ----------------------------------------------------------------------- */

enum { STREAMS = 4 };

/* The sums of all rows, in four independent chains of additions, so that none waits for the one
 * before it. */
typedef struct {
  Sums sum[STREAMS], dot[STREAMS];
} Totals;

/* DISTANCES sums x - mean and its square; PRODUCTS sums g and g (x - mean). */
enum { DISTANCES, PRODUCTS };

/* V, with 0 where the bits of KEEP are 0. */
#define KEPT(V, KEEP) ((Sums)((SumBits)(V) & *(KEEP)))

LOOP add_to(Sums *sum, const Sums *more)
{
#if defined(TH_REAL_IS_FLOAT) && TH_VECTOR == 64
  *sum = THAddViaFma(*sum, *more);
#else
  *sum += *more;
#endif
}

LOOP add(Totals *t, int stream, int what, const real *x, const real *g, accreal mean,
         const SumBits *keep)
{
  Sums v, y;
  load_sums(&v, x);
  if (what == DISTANCES) {
    const Sums d = KEPT(v - mean, keep), square = d * d;
    add_to(&t->sum[stream], &d);
    add_to(&t->dot[stream], &square);
  } else {
    load_sums(&y, g);
    const Sums kept = KEPT(y, keep), product = KEPT(y * (v - mean), keep);
    add_to(&t->sum[stream], &kept);
    add_to(&t->dot[stream], &product);
  }
}

static inline accreal total(const Sums s[STREAMS])
{
  const Sums all = (s[0] + s[1]) + (s[2] + s[3]);
  accreal sum = 0;
  for (int l = 0; l < SUMS; l++)
    sum += all[l];
  return sum;
}

static inline void prefetch(const real *x, ptrdiff_t offset)
{
  __builtin_prefetch((const void *)((uintptr_t)x + (uintptr_t)offset * sizeof *x));
}

/* The last vector of a row may overlap the one before it.  Rows are far apart, so that the elements
 * PREFETCH elements later, in one of the next rows, have to be prefetched. */
LOOP add_rows(const THNNPanel *p, int what, const real *x, const real *g, accreal mean,
              accreal *sum, accreal *dot)
{
  enum { STEP = STREAMS * SUMS };
  const ptrdiff_t n = p->n, rest = n % SUMS, rows = PREFETCH / n * p->rowStride,
                  ahead = PREFETCH % n;
  const SumBits all = ~(SumBits){0};
  SumBits last = all;
  for (int l = 0; l < SUMS - rest; l++)
    last[l] = 0;
  Totals t = {0};
  accreal single = 0, singleDots = 0;
  for (ptrdiff_t r = 0; r < p->rows; r++, x += p->rowStride, g += p->rowStride) {
    ptrdiff_t i = 0;
    for (; i + STEP <= n; i += STEP) {
      for (int k = 0; k < STEP; k += LINE) {
        const ptrdiff_t column = i + k + ahead;
        const ptrdiff_t next = rows + (column < n ? column : column - n + p->rowStride);
        prefetch(x, next);
        if (what == PRODUCTS)
          prefetch(g, next);
      }
      for (int k = 0; k < STREAMS; k++)
        add(&t, k, what, x + i + k * SUMS, g + i + k * SUMS, mean, &all);
    }
    for (; i + SUMS <= n; i += SUMS)
      add(&t, 0, what, x + i, g + i, mean, &all);
    if (rest && n > SUMS)
      add(&t, 1, what, x + n - SUMS, g + n - SUMS, mean, &last);
    else
      for (; i < n; i++) {
        const accreal d = (accreal)x[i] - mean, v = what == PRODUCTS ? (accreal)g[i] : d;
        single += v;
        singleDots += v * d;
      }
  }
  *sum = total(t.sum) + single;
  *dot = total(t.dot) + singleDots;
}

/* --- sums of lanes --------------------------------------------------------------------------- */

/* The TILE rows of a tile stay in the L1 cache, while UNROLL vectors of lanes at a time are summed
 * over them in registers. */
enum { TILE = 32, UNROLL = 2 };

/* Adds rows begin to end of some vectors of lanes. */
LOOP add_vectors(const THNNPanel *p, int what, const real *x, const real *g, const accreal *mean,
                 ptrdiff_t begin, ptrdiff_t end, int vectors, accreal *sum, accreal *dot)
{
  Sums s[UNROLL], d[UNROLL], m[UNROLL];
  memcpy(s, sum, (size_t)vectors * sizeof *s);
  memcpy(d, dot, (size_t)vectors * sizeof *d);
  memcpy(m, mean, (size_t)vectors * sizeof *m);
  for (ptrdiff_t r = begin; r < end; r++) {
    const ptrdiff_t at = r * p->rowStride;
    if (r + TILE < p->rows) {
      prefetch(x, at + TILE * p->rowStride);
      if (what == PRODUCTS)
        prefetch(g, at + TILE * p->rowStride);
    }
    for (int k = 0; k < vectors; k++) {
      Sums away, v;
      load_sums(&away, x + at + k * SUMS);
      away -= m[k];
      v = away;
      if (what == PRODUCTS)
        load_sums(&v, g + at + k * SUMS);
      const Sums product = v * away;
      add_to(&s[k], &v);
      add_to(&d[k], &product);
    }
  }
  memcpy(sum, s, (size_t)vectors * sizeof *s);
  memcpy(dot, d, (size_t)vectors * sizeof *d);
}

LOOP add_lanes(const THNNPanel *p, int what, const real *x, const real *g, const accreal *mean,
               accreal *sum, accreal *dot)
{
  for (ptrdiff_t begin = 0; begin < p->rows; begin += TILE) {
    const ptrdiff_t end = THMin(p->rows, begin + TILE);
    ptrdiff_t l = 0;
    for (; l + UNROLL * SUMS <= p->n; l += UNROLL * SUMS)
      add_vectors(p, what, x + l, g + l, mean + l, begin, end, UNROLL, sum + l, dot + l);
    for (; l + SUMS <= p->n; l += SUMS)
      add_vectors(p, what, x + l, g + l, mean + l, begin, end, 1, sum + l, dot + l);
    for (; l < p->n; l++)
      for (ptrdiff_t r = begin; r < end; r++) {
        const accreal away = (accreal)x[r * p->rowStride + l] - mean[l];
        const accreal v = what == PRODUCTS ? (accreal)g[r * p->rowStride + l] : away;
        sum[l] += v;
        dot[l] += v * away;
      }
  }
}

/* --- mean and variance ----------------------------------------------------------------------- */

/* How many times the sum of squares about the mean the sum about the guess may be.  The difference
 * loses one bit where accreal has no more bits than real, else only bits that real does not
 * have. */
#ifdef TH_REAL_IS_FLOAT
static const accreal most_away = 1 + 0x1p-20;
#else
static const accreal most_away = 2;
#endif

/* There is no distance from an infinite guess. */
static inline accreal finite_or_0(accreal guess)
{
  return guess - guess == 0 ? guess : 0;
}

/* The mean of some elements, copied to all rows, or over lane l. */
static inline accreal guess_of(const THNNPanel *p, const real *x, ptrdiff_t l)
{
  enum { SOME = 8 };
  accreal some[SOME];
  for (ptrdiff_t k = 0; k < SOME; k++)
    some[k] = (accreal)x[p->rows * k / SOME * p->rowStride + (p->lanes ? l : p->n * k / SOME)];
  return finite_or_0((((some[0] + some[1]) + (some[2] + some[3])) +
                      ((some[4] + some[5]) + (some[6] + some[7]))) /
                     SOME);
}

/* Each lane takes the sums about its guess if that is good enough, else those of a second pass
 * about the mean of the first, whatever the other lanes need. */
static void moments(const THNNPanel *p, const real *x, accreal *mean, accreal *square)
{
  const accreal count = (accreal)p->rows * (accreal)(p->lanes ? 1 : p->n);
  accreal about[THNN_BATCH_NORM_LANES], s[THNN_BATCH_NORM_LANES], d[THNN_BATCH_NORM_LANES];
  int good[THNN_BATCH_NORM_LANES] = {0};
  const ptrdiff_t lanes = p->lanes ? p->n : 1;
  for (ptrdiff_t l = 0; l < lanes; l++)
    about[l] = guess_of(p, x, l);
  for (int pass = 0, more = 1; pass < 2 && more; pass++) {
    if (p->lanes) {
      memset(s, 0, sizeof s);
      memset(d, 0, sizeof d);
      add_lanes(p, DISTANCES, x, x, about, s, d);
    } else {
      add_rows(p, DISTANCES, x, x, *about, s, d);
    }
    more = 0;
    for (ptrdiff_t l = 0; l < lanes; l++) {
      if (good[l])
        continue;
      const accreal away = s[l] / count;
      mean[l] = about[l] + away;
      square[l] = d[l] - s[l] * away;
      good[l] = most_away * (s[l] * away) <= d[l];
      more |= !good[l];
      about[l] = finite_or_0(mean[l]);
    }
  }
}

static void products(const THNNPanel *p, const real *x, const real *g, const accreal *mean,
                     accreal *sum, accreal *dot)
{
  if (!p->lanes) {
    add_rows(p, PRODUCTS, x, g, *mean, sum, dot);
    return;
  }
  memset(sum, 0, (size_t)p->n * sizeof *sum);
  memset(dot, 0, (size_t)p->n * sizeof *dot);
  add_lanes(p, PRODUCTS, x, g, mean, sum, dot);
}

/* --- results ---------------------------------------------------------------------------------
 *
 * The last rows come first: the sums over the rows have left these in the caches. */

LOOP scale_row(ptrdiff_t n, const real *x, real shift, real factor, real offset, real *y)
{
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    y[i] = (x[i] - shift) * factor + offset;
}

LOOP gradient_row(ptrdiff_t n, const real *x, const real *g, real slope, real shift, real factor,
                  real offset, real *y)
{
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    y[i] = g[i] * slope + ((x[i] - shift) * factor + offset);
}

/* A line of a streamed result is computed in registers: its inputs come from the L2 cache, and a
 * buffer between would take longer. */
enum { PER_LINE = LINE / LANES };

/* How many of n elements come before the first line. */
static inline ptrdiff_t before_lines(ptrdiff_t n, const real *y)
{
  return THMin(n, (ptrdiff_t)((0 - (uintptr_t)y) % TH_STREAM_LINE / sizeof *y));
}

/* Streams some lines, LINES at most; with far, prefetches the inputs FAR elements later. */
enum { LINES = 4, FAR = THNN_PREFETCH_FAR / sizeof(real) };

LOOP stream_lines(int lines, const real *x, int far, real shift, real factor, real offset, real *y)
{
  Vector made[LINES * PER_LINE];
  TH_PRAGMA(GCC unroll 16)
  for (int k = 0; k < lines * PER_LINE; k++) {
    memcpy(&made[k], x + k * LANES, sizeof made[k]);
    if (far && k % PER_LINE == 0)
      prefetch(x, k * LANES + FAR);
    made[k] = (made[k] - shift) * factor + offset;
  }
  THStream_lines(y, made, (size_t)lines);
}

/* Where inputs come from memory (far), LINES lines are streamed together, so that memory switches
 * less often between reads and writes. */
LOOP stream_scaled(ptrdiff_t n, const real *x, int far, real shift, real factor, real offset,
                   real *y)
{
  ptrdiff_t i = before_lines(n, y);
  scale_row(i, x, shift, factor, offset, y);
  for (; far && i + LINES * LINE <= n; i += LINES * LINE)
    stream_lines(LINES, x + i, 1, shift, factor, offset, y + i);
  for (; i + LINE <= n; i += LINE)
    stream_lines(1, x + i, far, shift, factor, offset, y + i);
  scale_row(n - i, x + i, shift, factor, offset, y + i);
}

LOOP stream_gradient(ptrdiff_t n, const real *x, const real *g, real slope, real shift, real factor,
                     real offset, real *y)
{
  ptrdiff_t i = before_lines(n, y);
  gradient_row(i, x, g, slope, shift, factor, offset, y);
  for (; i + LINE <= n; i += LINE) {
    Vector v, made[PER_LINE];
    for (int k = 0; k < PER_LINE; k++) {
      memcpy(&v, x + i + k * LANES, sizeof v);
      memcpy(&made[k], g + i + k * LANES, sizeof v);
      made[k] = made[k] * slope + ((v - shift) * factor + offset);
    }
    THStream_lines(y + i, made, 1);
  }
  gradient_row(n - i, x + i, g + i, slope, shift, factor, offset, y + i);
}

LOOP scale_lanes(ptrdiff_t n, const real *x, const real *shift, const real *factor,
                 const real *offset, real *y)
{
#pragma omp simd
  for (ptrdiff_t l = 0; l < n; l++)
    y[l] = (x[l] - shift[l]) * factor[l] + offset[l];
}

LOOP gradient_lanes(ptrdiff_t n, const real *x, const real *g, const real *slope, const real *shift,
                    const real *factor, const real *offset, real *y)
{
#pragma omp simd
  for (ptrdiff_t l = 0; l < n; l++)
    y[l] = g[l] * slope[l] + ((x[l] - shift[l]) * factor[l] + offset[l]);
}

static void scale(const THNNPanel *p, const real *x, const real *shift, const real *factor,
                  const real *offset, real *y)
{
  for (ptrdiff_t r = p->rows - 1; r >= 0; r--) {
    const ptrdiff_t at = r * p->rowStride;
    if (p->lanes && p->streams) {
      real buffer[THNN_BATCH_NORM_LANES];
      scale_lanes(p->n, x + at, shift, factor, offset, buffer);
      THStream_copy(y + at, buffer, (size_t)p->n * sizeof *y);
    } else if (p->lanes) {
      scale_lanes(p->n, x + at, shift, factor, offset, y + at);
    } else if (p->streams) {
      /* A single row is followed by the next plane. */
      stream_scaled(p->n, x + at, p->rows == 1, *shift, *factor, *offset, y + at);
    } else {
      scale_row(p->n, x + at, *shift, *factor, *offset, y + at);
    }
  }
}

static void gradient(const THNNPanel *p, const real *x, const real *g, const real *slope,
                     const real *shift, const real *factor, const real *offset, real *y)
{
  for (ptrdiff_t r = p->rows - 1; r >= 0; r--) {
    const ptrdiff_t at = r * p->rowStride;
    if (p->lanes && p->streams) {
      real buffer[THNN_BATCH_NORM_LANES];
      gradient_lanes(p->n, x + at, g + at, slope, shift, factor, offset, buffer);
      THStream_copy(y + at, buffer, (size_t)p->n * sizeof *y);
    } else if (p->lanes) {
      gradient_lanes(p->n, x + at, g + at, slope, shift, factor, offset, y + at);
    } else if (p->streams) {
      stream_gradient(p->n, x + at, g + at, *slope, *shift, *factor, *offset, y + at);
    } else {
      gradient_row(p->n, x + at, g + at, *slope, *shift, *factor, *offset, y + at);
    }
  }
}

const THNN_(BatchNormKernels)
    TH_LEVEL_(THNN_(batchNorm))[] = {{moments, products, scale, gradient}};
