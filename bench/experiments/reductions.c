/* Experiments: reductions. */
#include <math.h>

#include "experiments.h"

#if defined(__AVX512F__)

/* --- variances of columns ------------------------------------------------------------------- */

enum { SIDE = 4096, BLOCK = 256, DEEP = 8, DOUBLES = 8 };

static void prepare_columns(void)
{
  on.x = normal(AT_SHAPE(SIDE, SIDE));
  give_results(AT_SHAPE(SIDE), 0);
}

static void variances(void *unused)
{
  static const int64_t first = 0;
  (void)unused;
  at_var_dim_out(on.result, on.x, ((at_ints){&first, 1}));
}

/* Sums of a block of rows, shifted by the first of them, eight rows at a time. */
static void sum_block(const float *x, const double *shift, double *sum, double *squares)
{
  memset(sum, 0, SIDE * sizeof *sum);
  memset(squares, 0, SIDE * sizeof *squares);
  for (int i = 0; i < BLOCK; i += DEEP, x += DEEP * SIDE)
    for (int j = 0; j < SIDE; j += DOUBLES) {
      const __m512d from = _mm512_loadu_pd(shift + j);
      __m512d one = _mm512_loadu_pd(sum + j), two = _mm512_loadu_pd(squares + j);
      for (int k = 0; k < DEEP; k++) {
        const float *at = x + k * SIDE + j;
        __builtin_prefetch(at + (ptrdiff_t)DEEP * SIDE);
        const __m512d apart = _mm512_sub_pd(_mm512_cvtps_pd(_mm256_loadu_ps(at)), from);
        one = _mm512_add_pd(one, apart);
        two = _mm512_fmadd_pd(apart, apart, two);
      }
      _mm512_storeu_pd(sum + j, one);
      _mm512_storeu_pd(squares + j, two);
    }
}

static void sketch_variances(void *unused)
{
  (void)unused;
  static double shift[SIDE], sum[SIDE], squares[SIDE], mean[SIDE], all[SIDE];
  for (int i = 0; i < SIDE; i += BLOCK) {
    const float *x = floats(on.x) + (ptrdiff_t)i * SIDE;
    for (int j = 0; j < SIDE; j++)
      shift[j] = (double)x[j];
    sum_block(x, shift, sum, squares);
    for (int j = 0; j < SIDE; j++) {
      const double here = sum[j] / BLOCK, lost = sum[j] * here, middle = shift[j] + here;
      const double apart = middle - mean[j], share = (double)BLOCK / (i + BLOCK);
      const double own = squares[j] < lost ? 0 : squares[j] - lost;
      all[j] = i > 0 ? all[j] + own + apart * apart * i * share : own;
      mean[j] = i > 0 ? mean[j] + apart * share : middle;
    }
  }
  for (int j = 0; j < SIDE; j++)
    floats(on.sketched)[j] = (float)(all[j] / (SIDE - 1));
}

/* --- the largest of each row, with its index ------------------------------------------------ */

static void prepare_rows(void)
{
  on.x = normal(AT_SHAPE(SIDE, SIDE));
  give_results(AT_SHAPE(SIDE), 1);
}

static void largest(void *unused)
{
  (void)unused;
  at_max_dim_out(on.result, on.indices, on.x, 1);
}

/* One pass, in which each lane keeps its largest number, or its first NaN, and where that was. */
static void sketch_largest(void *unused)
{
  enum { ABREAST = 4 };
  (void)unused;
  const __m512i step = _mm512_set1_epi32(ABREAST * FLOATS);
  for (int i = 0; i < SIDE; i++) {
    const float *x = floats(on.x) + (ptrdiff_t)i * SIDE;
    __m512 best[ABREAST];
    __m512i index[ABREAST], here[ABREAST];
    for (int k = 0; k < ABREAST; k++) {
      best[k] = _mm512_loadu_ps(x + k * FLOATS);
      index[k] = here[k] = counting(k * FLOATS, 1);
    }
    for (int j = ABREAST * FLOATS; j < SIDE; j += ABREAST * FLOATS)
#pragma GCC unroll 4
      for (int k = 0; k < ABREAST; k++) {
        const float *const at = x + j + k * FLOATS;
        __builtin_prefetch(at + 4096);
        const __m512 v = _mm512_loadu_ps(at);
        const __mmask16 known = _mm512_cmp_ps_mask(best[k], best[k], _CMP_ORD_Q);
        const __mmask16 better = _mm512_mask_cmp_ps_mask(known, v, best[k], _CMP_NLE_UQ);
        here[k] = _mm512_add_epi32(here[k], step);
        best[k] = _mm512_mask_mov_ps(best[k], better, v);
        index[k] = _mm512_mask_mov_epi32(index[k], better, here[k]);
      }
    float value[ABREAST * FLOATS];
    int32_t at[ABREAST * FLOATS];
    memcpy(value, best, sizeof value);
    memcpy(at, index, sizeof at);
    int first = 0;
    for (int k = 1; k < ABREAST * FLOATS; k++) {
      const int is = value[k] != value[k], was = value[first] != value[first];
      const int tie = is == was && (is || value[k] == value[first]);
      if (tie ? at[k] < at[first] : is || (!was && value[k] > value[first]))
        first = k;
    }
    floats(on.sketched)[i] = value[first];
    longs(on.sketchedIndices)[i] = at[first];
  }
}

/* The index of the largest element alone. */
static void prepare_places(void)
{
  static const int64_t last = 1;
  prepare_rows();
  at_amax_out(on.result, on.x, .dim = ((at_ints){&last, 1}));
}

static void place_of_largest(void *unused)
{
  (void)unused;
  at_argmax_out(on.indices, on.x, .dim = 1);
}

/* --- logarithms of sums of exponentials ----------------------------------------------------- */

static const int64_t first = 0, last = 1;

static void log_of_rows(void *unused)
{
  (void)unused;
  at_logsumexp_out(on.result, on.x, ((at_ints){&last, 1}));
}

static void log_of_columns(void *unused)
{
  (void)unused;
  at_logsumexp_out(on.result, on.x, ((at_ints){&first, 1}));
}

/* e^x by a polynomial of degree 7, without a table; it errs by 1 unit where TH's errs by 0.51. */
static inline __m512 power(__m512 x)
{
  const __m512 log2e = _mm512_set1_ps(0x1.715476p+0f);
  const __m512 k = _mm512_roundscale_ps(_mm512_mul_ps(x, log2e), 0);
  __m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(-0x1.62e43p-1f), x);
  r = _mm512_fmadd_ps(k, _mm512_set1_ps(0x1.05c61p-29f), r);
  const float terms[] = {
      0x1.6c16c2p-10f, 0x1.111112p-7f, 0x1.555556p-5f, 0x1.555556p-3f, 0.5f, 1, 1};
  __m512 sum = _mm512_set1_ps(0x1.a01a02p-13f);
  for (int i = 0; i < 7; i++)
    sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(terms[i]));
  return _mm512_scalef_ps(sum, k);
}

static inline __m512d add_floats(__m512d sum, __m512 x)
{
  const __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(x));
  const __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
  return _mm512_add_pd(sum, _mm512_add_pd(low, high));
}

/* What is taken off: the greatest, or 0 where that is infinite; NaN stays. */
static inline __m512 finite_or_zero(__m512 most)
{
  return _mm512_mask_mov_ps(most, _mm512_fpclass_ps_mask(most, 0x18), _mm512_setzero_ps());
}

/* A row from memory, then twice from L1: its largest number, NaN if there is one; the
 * exponentials of the differences, which are added up in double. */
static void sketch_log_of_rows(void *unused)
{
  enum { ABREAST = 4 };
  (void)unused;
  for (int i = 0; i < SIDE; i++) {
    const float *x = floats(on.x) + (ptrdiff_t)i * SIDE;
    __m512 best[ABREAST];
    __mmask16 unknown = 0;
    for (int k = 0; k < ABREAST; k++)
      best[k] = _mm512_set1_ps(-INFINITY);
    for (int j = 0; j < SIDE; j += ABREAST * FLOATS)
#pragma GCC unroll 4
      for (int k = 0; k < ABREAST; k++) {
        const __m512 v = _mm512_loadu_ps(x + j + k * FLOATS);
        unknown |= _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
        best[k] = _mm512_max_ps(best[k], v);
      }
    const __m512 both =
        _mm512_max_ps(_mm512_max_ps(best[0], best[1]), _mm512_max_ps(best[2], best[3]));
    const __m512 top = finite_or_zero(_mm512_set1_ps(unknown ? NAN : _mm512_reduce_max_ps(both)));
    __m512d sum[ABREAST] = {_mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd(),
                            _mm512_setzero_pd()};
    for (int j = 0; j < SIDE; j += ABREAST * FLOATS)
#pragma GCC unroll 4
      for (int k = 0; k < ABREAST; k++) {
        const float *const at = x + j + k * FLOATS;
        __builtin_prefetch(at + SIDE);
        sum[k] = add_floats(sum[k], power(_mm512_sub_ps(_mm512_loadu_ps(at), top)));
      }
    const double all = _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(sum[0], sum[1]),
                                                          _mm512_add_pd(sum[2], sum[3])));
    floats(on.sketched)[i] = logf((float)all) + _mm512_cvtss_f32(top);
  }
}

/* Columns in two passes over memory; 8 rows at a time, of whose exponentials pairs are added up as
 * floats first. */
static void sketch_log_of_columns(void *unused)
{
  enum { DEEP_ROWS = 8 };
  (void)unused;
  static float most[SIDE];
  static double sum[SIDE];
  for (int j = 0; j < SIDE; j++) {
    most[j] = -INFINITY;
    sum[j] = 0;
  }
  for (int i = 0; i < SIDE; i += DEEP_ROWS)
    for (int j = 0; j < SIDE; j += FLOATS) {
      __m512 a = _mm512_loadu_ps(most + j);
#pragma GCC unroll 8
      for (int d = 0; d < DEEP_ROWS; d++) {
        const float *const at = floats(on.x) + (ptrdiff_t)(i + d) * SIDE + j;
        __builtin_prefetch(at + (ptrdiff_t)DEEP_ROWS * SIDE);
        const __m512 v = _mm512_loadu_ps(at);
        const __mmask16 better = _mm512_cmp_ps_mask(v, a, _CMP_NLE_UQ); /* or NaN */
        a = _mm512_mask_mov_ps(a, better & _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), v);
      }
      _mm512_storeu_ps(most + j, a);
    }
  for (int j = 0; j < SIDE; j += FLOATS)
    _mm512_storeu_ps(most + j, finite_or_zero(_mm512_loadu_ps(most + j)));
  for (int i = 0; i < SIDE; i += DEEP_ROWS)
    for (int j = 0; j < SIDE; j += FLOATS) {
      const __m512 top = _mm512_loadu_ps(most + j);
      __m512d low = _mm512_loadu_pd(sum + j), high = _mm512_loadu_pd(sum + j + DOUBLES);
#pragma GCC unroll 8
      for (int d = 0; d < DEEP_ROWS; d++) {
        const float *const at = floats(on.x) + (ptrdiff_t)(i + d) * SIDE + j;
        __builtin_prefetch(at + (ptrdiff_t)DEEP_ROWS * SIDE);
        const __m512 e = power(_mm512_sub_ps(_mm512_loadu_ps(at), top));
        low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm512_castps512_ps256(e)));
        high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(e, 1)));
      }
      _mm512_storeu_pd(sum + j, low);
      _mm512_storeu_pd(sum + j + DOUBLES, high);
    }
  for (int j = 0; j < SIDE; j++)
    floats(on.sketched)[j] = logf((float)sum[j]) + most[j];
}

const Experiment reductions_experiments[] = {
    {"red.argmax.last", "4096 x 4096", (double)SIDE *SIDE, 2 * SIDE, prepare_places,
     place_of_largest, sketch_largest},
    {"red.logsumexp.last", "4096 x 4096", (double)SIDE *SIDE, SIDE, prepare_columns, log_of_rows,
     sketch_log_of_rows},
    {"red.logsumexp.first", "4096 x 4096", (double)SIDE *SIDE, SIDE, prepare_columns,
     log_of_columns, sketch_log_of_columns},
    {"red.max.last", "4096 x 4096", (double)SIDE *SIDE, 3 * SIDE, prepare_rows, largest,
     sketch_largest},
    {"red.var.first", "4096 x 4096", (double)SIDE *SIDE, SIDE, prepare_columns, variances,
     sketch_variances},
    {0},
};

#endif
