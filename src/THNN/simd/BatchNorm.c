/* Kernels of batch normalization.
 *
 * Sums are kept in accreal.  The variance takes a second pass, over distances from the mean, so
 * that nothing cancels; a panel is meant to fit in a cache. */
#include "src/TH/simd/THStream.h"

#include "THNNTemplate.h"

#define LOOP static inline __attribute__((always_inline)) void

/* --- sums of long rows ----------------------------------------------------------------------- */

/* Vectors of elements, as accreal. */
enum { FEW = 8, STREAMS = 4 };
typedef real Few __attribute__((vector_size(FEW * sizeof(real))));
typedef accreal Sums __attribute__((vector_size(FEW * sizeof(accreal))));
typedef int64_t Bits __attribute__((vector_size(FEW * sizeof(int64_t))));

/* Four streams, for shorter waits between the additions of one; all rows are added to the same
 * sums. */
typedef struct {
  Sums sum[STREAMS], dot[STREAMS];
} Totals;

/* What is summed up: x; the squares of x - mean; g, and g (x - mean). */
enum { ELEMENTS, SQUARES, PRODUCTS };

/* V, whose elements do not count where bits of KEEP are not set. */
#define KEPT(V, KEEP) ((Sums)((Bits)(V) & *(KEEP)))

LOOP load(Sums *to, const real *x)
{
  Few v;
  memcpy(&v, x, sizeof v);
  *to = __builtin_convertvector(v, Sums);
}

LOOP add(Totals *t, int stream, int what, const real *x, const real *g, accreal mean,
         const Bits *keep)
{
  Sums v, y;
  load(&v, x);
  if (what == ELEMENTS) {
    t->sum[stream] += KEPT(v, keep);
  } else if (what == SQUARES) {
    const Sums d = KEPT(v - mean, keep);
    t->sum[stream] += d * d;
  } else {
    load(&y, g);
    t->sum[stream] += KEPT(y, keep);
    t->dot[stream] += KEPT(y * (v - mean), keep);
  }
}

static inline accreal total(const Sums s[STREAMS])
{
  const Sums all = (s[0] + s[1]) + (s[2] + s[3]);
  accreal sum = 0;
  for (int l = 0; l < FEW; l++)
    sum += all[l];
  return sum;
}

static inline void fetch(const real *x, ptrdiff_t place)
{
  __builtin_prefetch((const void *)((uintptr_t)x + (uintptr_t)place * sizeof *x));
}

/* The last vector of a row may overlap the one before it.  Rows are far apart, so that what lies
 * LATER elements further on, in one of the next rows, has to be asked for. */
LOOP add_rows(const THNNPanel *p, int what, const real *x, const real *g, accreal mean,
              accreal *sum, accreal *dot)
{
  enum { STEP = STREAMS * FEW, LINE = TH_STREAM_LINE / sizeof(real), LATER = 4096 / sizeof(real) };
  const ptrdiff_t n = p->n, rest = n % FEW, rows = LATER / n * p->jump, ahead = LATER % n;
  const Bits all = ~(Bits){0};
  Bits last = all;
  for (int l = 0; l < FEW - rest; l++)
    last[l] = 0;
  Totals t = {0};
  accreal few = 0, fewDots = 0;
  for (ptrdiff_t r = 0; r < p->rows; r++, x += p->jump, g += p->jump) {
    ptrdiff_t i = 0;
    for (; i + STEP <= n; i += STEP) {
      for (int k = 0; k < STEP; k += LINE) {
        const ptrdiff_t place = i + k + ahead;
        const ptrdiff_t next = rows + (place < n ? place : place - n + p->jump);
        fetch(x, next);
        if (what == PRODUCTS)
          fetch(g, next);
      }
      for (int k = 0; k < STREAMS; k++)
        add(&t, k, what, x + i + k * FEW, g + i + k * FEW, mean, &all);
    }
    for (; i + FEW <= n; i += FEW)
      add(&t, 0, what, x + i, g + i, mean, &all);
    if (rest && n > FEW)
      add(&t, 1, what, x + n - FEW, g + n - FEW, mean, &last);
    else
      for (; i < n; i++) {
        const accreal v = (accreal)(what == PRODUCTS ? g[i] : x[i]), d = (accreal)x[i] - mean;
        few += what == SQUARES ? d * d : v;
        fewDots += v * d;
      }
  }
  *sum = total(t.sum) + few;
  *dot = total(t.dot) + fewDots;
}

/* --- sums ------------------------------------------------------------------------------------ */

static void moments(const THNNPanel *p, const real *x, accreal *mean, accreal *square)
{
  const ptrdiff_t n = p->n;
  if (!p->lanes) {
    accreal sum, unused;
    add_rows(p, ELEMENTS, x, x, 0, &sum, &unused);
    *mean = sum / ((accreal)p->rows * (accreal)n);
    add_rows(p, SQUARES, x, x, *mean, square, &unused);
    return;
  }
  accreal m[THNN_BATCH_NORM_LANES] = {0}, s[THNN_BATCH_NORM_LANES] = {0};
  for (ptrdiff_t r = 0; r < p->rows; r++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < n; l++)
      m[l] += (accreal)x[r * p->jump + l];
  for (ptrdiff_t l = 0; l < n; l++)
    m[l] /= (accreal)p->rows;
  for (ptrdiff_t r = 0; r < p->rows; r++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < n; l++) {
      const accreal d = (accreal)x[r * p->jump + l] - m[l];
      s[l] += d * d;
    }
  memcpy(mean, m, (size_t)n * sizeof *m);
  memcpy(square, s, (size_t)n * sizeof *s);
}

static void products(const THNNPanel *p, const real *x, const real *g, const accreal *mean,
                     accreal *sum, accreal *dot)
{
  const ptrdiff_t n = p->n;
  if (!p->lanes) {
    add_rows(p, PRODUCTS, x, g, *mean, sum, dot);
    return;
  }
  accreal s[THNN_BATCH_NORM_LANES] = {0}, d[THNN_BATCH_NORM_LANES] = {0};
  for (ptrdiff_t r = 0; r < p->rows; r++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < n; l++) {
      const accreal v = (accreal)g[r * p->jump + l];
      s[l] += v;
      d[l] += v * ((accreal)x[r * p->jump + l] - mean[l]);
    }
  memcpy(sum, s, (size_t)n * sizeof *s);
  memcpy(dot, d, (size_t)n * sizeof *d);
}

/* --- results --------------------------------------------------------------------------------- */

/* Elements of a result that is sent past the caches: made in a buffer. */
enum { PIECE = TH_STREAM_PIECE / sizeof(real) };

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

static void scale(const THNNPanel *p, const real *x, const real *shift, const real *factor,
                  const real *offset, real *y)
{
  for (ptrdiff_t r = 0; r < p->rows; r++, x += p->jump, y += p->jump) {
    if (p->lanes) {
#pragma omp simd
      for (ptrdiff_t l = 0; l < p->n; l++)
        y[l] = (x[l] - shift[l]) * factor[l] + offset[l];
    } else if (p->sends) {
      real buffer[PIECE];
      ptrdiff_t count = THStream_first(y, sizeof *y, p->n);
      for (ptrdiff_t i = 0; i < p->n; i += count, count = THMin(PIECE, p->n - i)) {
        if (p->rows == 1) /* what follows is the next plane; else it comes from a cache */
          THStream_fetch(x + i, (size_t)count * sizeof *x);
        scale_row(count, x + i, *shift, *factor, *offset, buffer);
        THStream_copy(y + i, buffer, (size_t)count * sizeof *y);
      }
    } else {
      scale_row(p->n, x, *shift, *factor, *offset, y);
    }
  }
}

/* The last rows first: sums over the rows have left them in the caches. */
static void gradient(const THNNPanel *p, const real *x, const real *g, const real *slope,
                     const real *shift, const real *factor, const real *offset, real *y)
{
  for (ptrdiff_t r = p->rows - 1; r >= 0; r--) {
    const ptrdiff_t at = r * p->jump;
    if (p->lanes) {
#pragma omp simd
      for (ptrdiff_t l = 0; l < p->n; l++)
        y[at + l] = g[at + l] * slope[l] + ((x[at + l] - shift[l]) * factor[l] + offset[l]);
    } else if (p->sends) {
      real buffer[PIECE];
      ptrdiff_t count = THStream_first(y + at, sizeof *y, p->n);
      for (ptrdiff_t i = at; i < at + p->n; i += count, count = THMin(PIECE, at + p->n - i)) {
        gradient_row(count, x + i, g + i, *slope, *shift, *factor, *offset, buffer);
        THStream_copy(y + i, buffer, (size_t)count * sizeof *y);
      }
    } else {
      gradient_row(p->n, x + at, g + at, *slope, *shift, *factor, *offset, y + at);
    }
  }
}

const THNN_(BatchNormKernels)
    TH_LEVEL_(THNN_(batchNorm))[] = {{moments, products, scale, gradient}};
