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
        __builtin_prefetch(at + (ptrdiff_t)2 * DEEP * SIDE);
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
      const double here = sum[j] / BLOCK, apart = shift[j] + here - mean[j] * (i > 0);
      const double share = (double)BLOCK / (i + BLOCK);
      all[j] = (i > 0 ? all[j] + apart * apart * i * share : 0) + squares[j] - sum[j] * here;
      mean[j] = (i > 0 ? mean[j] : 0) + (i > 0 ? apart * share : apart);
    }
  }
  for (int j = 0; j < SIDE; j++)
    floats(on.sketched)[j] = (float)(all[j] / (SIDE - 1));
}

const Experiment reductions_experiments[] = {
    {"red.var.first", "4096 x 4096", (double)SIDE *SIDE, SIDE, prepare_columns, variances,
     sketch_variances},
    {0},
};

#endif
