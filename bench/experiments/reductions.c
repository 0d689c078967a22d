/* Experiments: many numbers become few. */
#include "experiments.h"

#if defined(__AVX512F__)

/* --- variances of columns ----------------------------------------------------------------------
 */

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

/* --- the largest of each row, with its place -----------------------------------------------------
 */

static void prepare_rows(void)
{
  on.x = normal(AT_SHAPE(SIDE, SIDE));
  give_results(AT_SHAPE(SIDE), 1);
}

static void largest(void *unused)
{
  (void)unused;
  at_max_dim_out(on.result, on.places, on.x, 1);
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
    __m512i place[ABREAST], here[ABREAST];
    for (int k = 0; k < ABREAST; k++) {
      best[k] = _mm512_loadu_ps(x + k * FLOATS);
      place[k] = here[k] = counting(k * FLOATS, 1);
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
        place[k] = _mm512_mask_mov_epi32(place[k], better, here[k]);
      }
    float value[ABREAST * FLOATS];
    int32_t at[ABREAST * FLOATS];
    memcpy(value, best, sizeof value);
    memcpy(at, place, sizeof at);
    int first = 0;
    for (int k = 1; k < ABREAST * FLOATS; k++) {
      const int is = value[k] != value[k], was = value[first] != value[first];
      const int tie = is == was && (is || value[k] == value[first]);
      if (tie ? at[k] < at[first] : is || (!was && value[k] > value[first]))
        first = k;
    }
    floats(on.sketched)[i] = value[first];
    longs(on.sketchedPlaces)[i] = at[first];
  }
}

const Experiment reductions_experiments[] = {
    {"red.max.last", "4096 x 4096", (double)SIDE *SIDE, 3 * SIDE, prepare_rows, largest,
     sketch_largest},
    {"red.var.first", "4096 x 4096", (double)SIDE *SIDE, SIDE, prepare_columns, variances,
     sketch_variances},
    {0},
};

#endif
