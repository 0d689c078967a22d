/* Kernels of batch normalization.
 *
 * Sums are kept in accreal.  The variance takes a second pass, over distances from the mean, so
 * that nothing cancels; a panel is meant to fit in a cache. */
#include "THNNTemplate.h"

/* Four streams, for shorter waits between the additions of one. */
enum { STREAMS = 4 };

static void moments(const THNNPanel *p, const real *x, accreal *mean, accreal *square)
{
  const ptrdiff_t n = p->n, quarter = n / STREAMS;
  if (p->lanes) {
    for (ptrdiff_t l = 0; l < n; l++)
      mean[l] = square[l] = 0;
    for (ptrdiff_t r = 0; r < p->rows; r++)
#pragma omp simd
      for (ptrdiff_t l = 0; l < n; l++)
        mean[l] += (accreal)x[r * p->jump + l];
    for (ptrdiff_t l = 0; l < n; l++)
      mean[l] /= (accreal)p->rows;
    for (ptrdiff_t r = 0; r < p->rows; r++)
#pragma omp simd
      for (ptrdiff_t l = 0; l < n; l++) {
        const accreal d = (accreal)x[r * p->jump + l] - mean[l];
        square[l] += d * d;
      }
    return;
  }
  accreal sum = 0, squares = 0;
  for (ptrdiff_t r = 0; r < p->rows; r++) {
    const real *a = x + r * p->jump, *b = a + quarter, *c = b + quarter, *d = c + quarter;
    accreal s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (ptrdiff_t i = 0; i < quarter; i++) {
      s0 += (accreal)a[i];
      s1 += (accreal)b[i];
      s2 += (accreal)c[i];
      s3 += (accreal)d[i];
    }
    for (ptrdiff_t i = STREAMS * quarter; i < n; i++)
      s0 += (accreal)a[i];
    sum += (s0 + s1) + (s2 + s3);
  }
  const accreal m = sum / ((accreal)p->rows * (accreal)n);
  for (ptrdiff_t r = 0; r < p->rows; r++) {
    const real *a = x + r * p->jump, *b = a + quarter, *c = b + quarter, *d = c + quarter;
    accreal s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (ptrdiff_t i = 0; i < quarter; i++) {
      const accreal v0 = (accreal)a[i] - m, v1 = (accreal)b[i] - m;
      const accreal v2 = (accreal)c[i] - m, v3 = (accreal)d[i] - m;
      s0 += v0 * v0;
      s1 += v1 * v1;
      s2 += v2 * v2;
      s3 += v3 * v3;
    }
    for (ptrdiff_t i = STREAMS * quarter; i < n; i++) {
      const accreal v = (accreal)a[i] - m;
      s0 += v * v;
    }
    squares += (s0 + s1) + (s2 + s3);
  }
  *mean = m;
  *square = squares;
}

static void products(const THNNPanel *p, const real *x, const real *g, const accreal *mean,
                     accreal *sum, accreal *dot)
{
  const ptrdiff_t n = p->n, half = n / 2;
  if (p->lanes) {
    for (ptrdiff_t l = 0; l < n; l++)
      sum[l] = dot[l] = 0;
    for (ptrdiff_t r = 0; r < p->rows; r++)
#pragma omp simd
      for (ptrdiff_t l = 0; l < n; l++) {
        const accreal v = (accreal)g[r * p->jump + l];
        sum[l] += v;
        dot[l] += v * ((accreal)x[r * p->jump + l] - mean[l]);
      }
    return;
  }
  const accreal m = *mean;
  *sum = *dot = 0;
  for (ptrdiff_t r = 0; r < p->rows; r++) {
    const real *x0 = x + r * p->jump, *x1 = x0 + half, *g0 = g + r * p->jump, *g1 = g0 + half;
    accreal s0 = 0, s1 = 0, d0 = 0, d1 = 0;
#pragma omp simd reduction(+ : s0, s1, d0, d1)
    for (ptrdiff_t i = 0; i < half; i++) {
      const accreal v0 = (accreal)g0[i], v1 = (accreal)g1[i];
      s0 += v0;
      s1 += v1;
      d0 += v0 * ((accreal)x0[i] - m);
      d1 += v1 * ((accreal)x1[i] - m);
    }
    if (n % 2) {
      s0 += (accreal)g0[n - 1];
      d0 += (accreal)g0[n - 1] * ((accreal)x0[n - 1] - m);
    }
    *sum += s0 + s1;
    *dot += d0 + d1;
  }
}

static void scale(const THNNPanel *p, const real *x, const real *shift, const real *factor,
                  const real *offset, real *y)
{
  for (ptrdiff_t r = 0; r < p->rows; r++, x += p->jump, y += p->jump) {
    if (p->lanes) {
#pragma omp simd
      for (ptrdiff_t l = 0; l < p->n; l++)
        y[l] = (x[l] - shift[l]) * factor[l] + offset[l];
    } else {
      const real m = *shift, f = *factor, b = *offset;
#pragma omp simd
      for (ptrdiff_t i = 0; i < p->n; i++)
        y[i] = (x[i] - m) * f + b;
    }
  }
}

static void gradient(const THNNPanel *p, const real *x, const real *g, const real *slope,
                     const real *shift, const real *factor, const real *offset, real *y)
{
  for (ptrdiff_t r = 0; r < p->rows; r++, x += p->jump, g += p->jump, y += p->jump) {
    if (p->lanes) {
#pragma omp simd
      for (ptrdiff_t l = 0; l < p->n; l++)
        y[l] = g[l] * slope[l] + ((x[l] - shift[l]) * factor[l] + offset[l]);
    } else {
      const real k = *slope, m = *shift, f = *factor, b = *offset;
#pragma omp simd
      for (ptrdiff_t i = 0; i < p->n; i++)
        y[i] = g[i] * k + ((x[i] - m) * f + b);
    }
  }
}

const THNN_(BatchNormKernels)
    TH_LEVEL_(THNN_(batchNorm))[] = {{moments, products, scale, gradient}};
