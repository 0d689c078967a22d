/* Experiments: softmax of rows. */
#include "experiments.h"

#if defined(__AVX512F__)

enum { ROWS = 1024, COLUMNS = 1000 };

static void prepare_rows(void)
{
  on.x = normal(AT_SHAPE(ROWS, COLUMNS));
  give_results(AT_SHAPE(ROWS, COLUMNS), 0);
}

static void prepare_rows_backward(void)
{
  prepare_rows();
  on.g = normal(AT_SHAPE(ROWS, COLUMNS));
  on.y = at_log_softmax(on.x, 1);
}

static void softmax(void *unused)
{
  (void)unused;
  at_softmax_out(on.result, on.x, 1);
}

static void log_softmax(void *unused)
{
  (void)unused;
  at_log_softmax_out(on.result, on.x, 1);
}

static void log_softmax_backward(void *unused)
{
  (void)unused;
  at_log_softmax_backward_out(on.result, on.g, on.x, 1, on.y);
}

/* e^x of x up to 89 by a polynomial of degree 6, without a table: errs by 0.98 units where 0.76 are
 * promised.  One of degree 5 errs by 2.  What is far below 0, or infinite, becomes 0, and NaN
 * remains. */
static inline __m512 power(__m512 x)
{
  x = _mm512_max_ps(_mm512_set1_ps(-104), x);
  const float terms[] = {
      0x1.6d110ap-10f, 0x1.120b6ep-7f, 0x1.55551ap-5f, 0x1.5554dcp-3f, 0.5f, 1, 1};
  const __m512 k = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(0x1.715476p+0f)), 0);
  __m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(-0x1.62e43p-1f), x);
  r = _mm512_fmadd_ps(k, _mm512_set1_ps(0x1.05c61p-29f), r);
  __m512 sum = _mm512_set1_ps(terms[0]);
  for (int i = 1; i < 7; i++)
    sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(terms[i]));
  return _mm512_scalef_ps(sum, k);
}

/* A row is whole vectors, and one of which REST elements are there. */
enum { WHOLE = COLUMNS / FLOATS * FLOATS, REST = (1 << (COLUMNS - WHOLE)) - 1 };

static inline float most_of(const float *x)
{
  __m512 a = _mm512_loadu_ps(x + COLUMNS - FLOATS), b = a, c = a, d = a;
  for (int i = 0; i + 4 * FLOATS <= COLUMNS; i += 4 * FLOATS) {
    a = _mm512_max_ps(a, _mm512_loadu_ps(x + i));
    b = _mm512_max_ps(b, _mm512_loadu_ps(x + i + FLOATS));
    c = _mm512_max_ps(c, _mm512_loadu_ps(x + i + 2 * FLOATS));
    d = _mm512_max_ps(d, _mm512_loadu_ps(x + i + 3 * FLOATS));
  }
  for (int i = WHOLE - 2 * FLOATS; i < WHOLE; i += FLOATS)
    a = _mm512_max_ps(a, _mm512_loadu_ps(x + i));
  return _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d)));
}

/* Numbers are summed up in floats for this many at a time, and those sums in doubles, as ours. */
enum { COLUMN_BLOCK = 256 };

static inline double all_of(__m512 v)
{
  return _mm512_reduce_add_pd(_mm512_add_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(v)),
                                            _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1))));
}

/* The sum of e^(x - most), which become y if they are kept; prefetches the next row. */
static inline float sum_of_powers(const float *x, float most, float *y, int kept)
{
  const __m512 top = _mm512_set1_ps(most);
  __m512 sum;
  double all = 0;
  for (int from = 0; from < WHOLE; from += COLUMN_BLOCK) {
    sum = _mm512_setzero_ps();
    for (int i = from; i < WHOLE && i < from + COLUMN_BLOCK; i += FLOATS) {
      const __m512 e = power(_mm512_sub_ps(_mm512_loadu_ps(x + i), top));
      _mm_prefetch((const char *)(x + COLUMNS + i), _MM_HINT_T0);
      if (kept)
        _mm512_storeu_ps(y + i, e);
      sum = _mm512_add_ps(sum, e);
    }
    if (from < WHOLE - COLUMN_BLOCK)
      all += all_of(sum);
  }
  const __m512 e = power(_mm512_sub_ps(_mm512_maskz_loadu_ps(REST, x + WHOLE), top));
  if (kept)
    _mm512_mask_storeu_ps(y + WHOLE, REST, e);
  return (float)(all + all_of(_mm512_mask_add_ps(sum, REST, sum, e)));
}

static void sketch_softmax(void *unused)
{
  (void)unused;
  for (int row = 0; row < ROWS; row++) {
    const float *x = floats(on.x) + row * COLUMNS;
    float *y = floats(on.sketched) + row * COLUMNS;
    const float factor = 1 / sum_of_powers(x, most_of(x), y, 1);
    for (int i = 0; i < COLUMNS; i++)
      y[i] *= factor;
  }
}

static void sketch_log_softmax(void *unused)
{
  (void)unused;
  for (int row = 0; row < ROWS; row++) {
    const float *x = floats(on.x) + row * COLUMNS, most = most_of(x);
    float *y = floats(on.sketched) + row * COLUMNS;
    const float log = logf(sum_of_powers(x, most, NULL, 0));
    for (int i = 0; i < COLUMNS; i++)
      y[i] = x[i] - most - log; /* the sum of both would lose digits of the logarithm */
  }
}

/* The sum of a row of gradients in doubles, as numbers of both signs cancel; eight are widened as they are loaded. */
static inline float sum_of(const float *g)
{
  enum { DOUBLES = 8, STREAMS = 4 };
  __m512d sum[STREAMS] = {_mm512_cvtps_pd(_mm256_loadu_ps(g + COLUMNS - DOUBLES))};
  for (int i = 0; i < COLUMNS - DOUBLES; i += STREAMS * DOUBLES)
#pragma GCC unroll 4
    for (int k = 0; k < STREAMS; k++)
      sum[k] = _mm512_add_pd(sum[k], _mm512_cvtps_pd(_mm256_loadu_ps(g + i + k * DOUBLES)));
  return (float)_mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(sum[0], sum[1]),
                                                   _mm512_add_pd(sum[2], sum[3])));
}

static void sketch_log_softmax_backward(void *unused)
{
  (void)unused;
  for (int row = 0; row < ROWS; row++) {
    const float *g = floats(on.g) + row * COLUMNS, *y = floats(on.y) + row * COLUMNS;
    float *d = floats(on.sketched) + row * COLUMNS;
    const __m512 total = _mm512_set1_ps(sum_of(g));
    for (int i = 0; i < WHOLE; i += FLOATS) {
      _mm_prefetch((const char *)(g + COLUMNS + i), _MM_HINT_T0);
      _mm512_storeu_ps(d + i, _mm512_fnmadd_ps(power(_mm512_loadu_ps(y + i)), total,
                                               _mm512_loadu_ps(g + i)));
    }
    const __m512 last = _mm512_fnmadd_ps(power(_mm512_maskz_loadu_ps(REST, y + WHOLE)), total,
                                         _mm512_maskz_loadu_ps(REST, g + WHOLE));
    _mm512_mask_storeu_ps(d + WHOLE, REST, last);
  }
}

const Experiment softmax_experiments[] = {
    {"sm.softmax", "1024 x 1000", ROWS *COLUMNS, ROWS *COLUMNS, prepare_rows, softmax,
     sketch_softmax},
    {"sm.log_softmax", "1024 x 1000", ROWS *COLUMNS, ROWS *COLUMNS, prepare_rows, log_softmax,
     sketch_log_softmax},
    {"sm.log_softmax_bwd", "1024 x 1000", 2 * ROWS *COLUMNS, ROWS *COLUMNS, prepare_rows_backward,
     log_softmax_backward, sketch_log_softmax_backward},
    {0},
};

#endif
