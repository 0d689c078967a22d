/* Kernels of the convolutions that do not unfold: sums of shifted planes in registers. */
#include "THNNTemplate.h"

#if defined(__AVX512F__)
enum { VECTOR = 64, WIDTH = 4 };
#elif defined(__AVX__)
enum { VECTOR = 32, WIDTH = 2 };
#else
enum { VECTOR = 16, WIDTH = 2 };
#endif
enum {
  LANES = VECTOR / sizeof(real),
  STRETCH = WIDTH * LANES,
  OUTPUTS = THNN_DIRECT_OUTPUTS,
  TAPS = THNN_DIRECT_TAPS
};

typedef real Vector __attribute__((vector_size(VECTOR)));
#if defined(TH_REAL_IS_FLOAT)
typedef int32_t Bits __attribute__((vector_size(VECTOR)));
#else
typedef int64_t Bits __attribute__((vector_size(VECTOR)));
#endif

#if defined(__AVX512F__) && defined(TH_REAL_IS_FLOAT)
#include <immintrin.h>
#define MULTIPLY_ADD(A, B, C) ((Vector)_mm512_fmadd_ps((__m512)(A), (__m512)(B), (__m512)(C)))
#elif defined(__AVX512F__)
#include <immintrin.h>
#define MULTIPLY_ADD(A, B, C) ((Vector)_mm512_fmadd_pd((__m512d)(A), (__m512d)(B), (__m512d)(C)))
#elif defined(__FMA__) && defined(TH_REAL_IS_FLOAT)
#include <immintrin.h>
#define MULTIPLY_ADD(A, B, C) ((Vector)_mm256_fmadd_ps((__m256)(A), (__m256)(B), (__m256)(C)))
#elif defined(__FMA__)
#include <immintrin.h>
#define MULTIPLY_ADD(A, B, C) ((Vector)_mm256_fmadd_pd((__m256d)(A), (__m256d)(B), (__m256d)(C)))
#else
#define MULTIPLY_ADD(A, B, C) ((A) * (B) + (C))
#endif

static inline Vector load(const real *x)
{
  Vector v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* --- forward --------------------------------------------------------------------------------- */

/* tile[o][i] = the sums for output o at position i of a stretch of the flat plane. */
static inline void stretch(const THNNDirect *d, const real *x, const real *w, real *tile)
{
  Vector sum[OUTPUTS][WIDTH];
  memset(sum, 0, sizeof sum);
  for (ptrdiff_t p = 0; p < d->planes; p++, x += d->plane)
    for (ptrdiff_t a = 0; a < d->height; a++)
      for (ptrdiff_t b = 0; b < d->width; b++, w += OUTPUTS) {
        const real *at = x + a * d->pitch + b;
        Vector v[WIDTH];
        for (int k = 0; k < WIDTH; k++)
          v[k] = load(at + k * LANES);
        for (int o = 0; o < OUTPUTS; o++) {
          const Vector factor = w[o] - (Vector){0};
          for (int k = 0; k < WIDTH; k++)
            sum[o][k] = MULTIPLY_ADD(v[k], factor, sum[o][k]);
        }
      }
  memcpy(tile, sum, sizeof sum);
}

/* Copies what lies in the columns of the output. */
static inline void deliver(const THNNDirect *d, const real *tile, ptrdiff_t first, real bias,
                           real *y)
{
  const ptrdiff_t end = THMin(first + STRETCH, d->length);
  for (ptrdiff_t row = first / d->pitch; row * d->pitch < end; row++) {
    const ptrdiff_t from = THMax(first, row * d->pitch);
    const ptrdiff_t to = THMin(end, row * d->pitch + d->columns);
    real *at = y + row * (d->columns - d->pitch);
    for (ptrdiff_t i = from; i < to; i++)
      at[i] = bias + tile[i - first];
  }
}

static void convolve(const THNNDirect *d, const real *x, const real *weights, const real *bias,
                     real *y)
{
  const ptrdiff_t block = d->planes * d->height * d->width * OUTPUTS;
  for (ptrdiff_t first = 0; first < d->length; first += STRETCH)
    for (ptrdiff_t o = 0; o < d->outputs; o += OUTPUTS) {
      real tile[OUTPUTS * STRETCH];
      stretch(d, x + first, weights + o / OUTPUTS * block, tile);
      for (ptrdiff_t k = o; k < THMin(o + OUTPUTS, d->outputs); k++)
        deliver(d, tile + (k - o) * STRETCH, first, bias ? bias[k] : 0,
                y + k * d->rows * d->columns);
    }
}

/* --- sums over an image ---------------------------------------------------------------------- */

/* The lanes in a fixed order: halves are added until one is left. */
static inline real sum_of_lanes(Vector v)
{
  real x[LANES];
  memcpy(x, &v, sizeof x);
  for (int n = LANES / 2; n > 0; n /= 2)
    for (int l = 0; l < n; l++)
      x[l] += x[l + n];
  return x[0];
}

static inline void products(const THNNDirect *d, ptrdiff_t images, const real *const *x,
                            ptrdiff_t nextX, const real *const *g, ptrdiff_t nextG,
                            const real *mask, real *result)
{
  Vector sum[OUTPUTS][TAPS];
  memset(sum, 0, sizeof sum);
  for (ptrdiff_t image = 0; image < images; image++)
    for (ptrdiff_t i = 0; i < d->length; i += LANES) {
      const Bits inside = (Bits)load(mask + i);
      Vector v[TAPS];
      for (int t = 0; t < TAPS; t++)
        v[t] = (Vector)((Bits)load(x[t] + image * nextX + i) & inside);
      for (int o = 0; o < OUTPUTS; o++) {
        const Vector factor = load(g[o] + image * nextG + i);
        for (int t = 0; t < TAPS; t++)
          sum[o][t] = MULTIPLY_ADD(v[t], factor, sum[o][t]);
      }
    }
  for (int o = 0; o < OUTPUTS; o++)
    for (int t = 0; t < TAPS; t++)
      result[o * TAPS + t] = sum_of_lanes(sum[o][t]);
}

static void correlate(const THNNDirect *d, ptrdiff_t images, const real *x, const real *g,
                      const real *mask, real *sums)
{
  const ptrdiff_t window = d->height * d->width, depth = d->planes * window;
  for (ptrdiff_t first = 0; first < depth; first += TAPS) {
    const real *taps[TAPS], *outputs[OUTPUTS];
    for (ptrdiff_t t = 0; t < TAPS; t++) { /* the last ones again where there are no more */
      const ptrdiff_t l = THMin(first + t, depth - 1), in = l % window;
      taps[t] = x + l / window * d->plane + in / d->width * d->pitch + in % d->width;
    }
    for (ptrdiff_t o = 0; o < d->outputs; o += OUTPUTS) {
      real result[OUTPUTS * TAPS];
      for (ptrdiff_t k = 0; k < OUTPUTS; k++)
        outputs[k] = g + THMin(o + k, d->outputs - 1) * d->sumPlane;
      products(d, images, taps, d->planes * d->plane, outputs, d->outputs * d->sumPlane, mask,
               result);
      for (ptrdiff_t k = 0; k < THMin(OUTPUTS, d->outputs - o); k++)
        for (ptrdiff_t t = 0; t < THMin(TAPS, depth - first); t++)
          sums[(o + k) * depth + first + t] += result[k * TAPS + t];
    }
  }
}

const THNN_(Direct) TH_LEVEL_(THNN_(direct))[] = {{convolve, correlate}};
