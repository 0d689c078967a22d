/* Kernels of SoftMax and LogSoftMax: sequences that lie in one piece, or side by side in lanes.
 *
 * The largest element is taken off first, so that nothing overflows.  A NaN, or only infinities,
 * make a whole sequence NaN. */
#include "THVectorMath.h"

#include "THNNTemplate.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* the largest element is found one by one */
#endif

/* Numbers are summed up in their own type for this many at a time, and those sums in accreal. */
enum { LANES = THNN_SOFT_MAX_LANES, PIECE = 256 };

/* Whether the result is a logarithm is a constant in each of them. */
#define KERNEL static inline __attribute__((always_inline)) void

/* --- in one piece ---------------------------------------------------------------------------- */

KERNEL forward1(ptrdiff_t n, const real *x, real *y, int logarithm)
{
  real most = x[0];
#pragma omp simd reduction(max : most)
  for (ptrdiff_t i = 0; i < n; i++)
    most = x[i] > most ? x[i] : most;
  accreal sum = 0;
  for (ptrdiff_t from = 0; from < n; from += PIECE) {
    const ptrdiff_t end = n - from < PIECE ? n : from + PIECE;
    real part = 0;
#pragma omp simd reduction(+ : part)
    for (ptrdiff_t i = from; i < end; i++) {
      const real e = THMath_(exp)(x[i] - most);
      if (!logarithm)
        y[i] = e;
      part += e;
    }
    sum += (accreal)part;
  }
  if (logarithm) {
    const real logsum = (real)THMath_(log)((real)sum);
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] = x[i] - most - logsum;
  } else {
    const real factor = (real)(1 / sum);
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] *= factor;
  }
}

KERNEL gradient1(ptrdiff_t n, const real *g, const real *y, real *d, int logarithm)
{
  accreal sum = 0;
  if (logarithm) {
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t i = 0; i < n; i++)
      sum += (accreal)g[i];
    const real total = (real)sum;
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
      d[i] = g[i] - THMath_(expFlushed)(y[i]) * total;
  } else {
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t i = 0; i < n; i++)
      sum += (accreal)(g[i] * y[i]);
    const real total = (real)sum;
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
      d[i] = y[i] * (g[i] - total);
  }
}

/* --- side by side ---------------------------------------------------------------------------- */

KERNEL forward(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *x, real *y, int logarithm)
{
  if (step == 1) {
    forward1(n, x, y, logarithm);
    return;
  }
  real most[LANES];
  accreal sum[LANES];
  for (ptrdiff_t l = 0; l < lanes; l++) {
    most[l] = x[l];
    sum[l] = 0;
  }
  for (ptrdiff_t i = 1; i < n; i++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++)
      most[l] = x[i * step + l] > most[l] ? x[i * step + l] : most[l];
  for (ptrdiff_t i = 0; i < n; i++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++) {
      const real e = THMath_(exp)(x[i * step + l] - most[l]);
      if (!logarithm)
        y[i * step + l] = e;
      sum[l] += (accreal)e;
    }
  for (ptrdiff_t l = 0; l < lanes; l++)
    sum[l] = logarithm ? (accreal)THMath_(log)((real)sum[l]) : 1 / sum[l];
  for (ptrdiff_t i = 0; i < n; i++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++)
      y[i * step + l] =
          logarithm ? x[i * step + l] - most[l] - (real)sum[l] : y[i * step + l] * (real)sum[l];
}

KERNEL gradient(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *g, const real *y, real *d,
                int logarithm)
{
  if (step == 1) {
    gradient1(n, g, y, d, logarithm);
    return;
  }
  accreal sum[LANES] = {0};
  for (ptrdiff_t i = 0; i < n; i++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++)
      sum[l] += (accreal)(logarithm ? g[i * step + l] : g[i * step + l] * y[i * step + l]);
  for (ptrdiff_t i = 0; i < n; i++)
#pragma omp simd
    for (ptrdiff_t l = 0; l < lanes; l++) {
      const real v = y[i * step + l], w = g[i * step + l];
      d[i * step + l] =
          logarithm ? w - THMath_(expFlushed)(v) * (real)sum[l] : v * (w - (real)sum[l]);
    }
}

/* --- the table ------------------------------------------------------------------------------- */

#define KERNELS(NAME, LOG)                                                                         \
  static void NAME##_forward(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *x, real *y) \
  {                                                                                                \
    forward(n, step, lanes, x, y, LOG);                                                            \
  }                                                                                                \
  static void NAME##_gradient(ptrdiff_t n, ptrdiff_t step, ptrdiff_t lanes, const real *g,         \
                              const real *y, real *d)                                              \
  {                                                                                                \
    gradient(n, step, lanes, g, y, d, LOG);                                                        \
  }
KERNELS(soft, 0)
KERNELS(log, 1)

const THNN_(SoftMaxKernels)
    TH_LEVEL_(THNN_(softMax))[] = {{soft_forward, soft_gradient}, {log_forward, log_gradient}};
