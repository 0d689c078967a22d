/* Experiments: convolutions of images whose planes lie last. */
#include "experiments.h"

#if defined(__AVX512F__)

enum { BATCH = 32, PLANES = 256, SIDE = 56, OUTPUTS = 64, POSITIONS = BATCH * SIDE * SIDE };
enum { ROWS = 6, VECTORS = OUTPUTS / FLOATS };

/* x is read as rows of planes, which are the last dimension of its memory. */
static void prepare_flat(void)
{
  on.x = normal(AT_SHAPE(BATCH, SIDE, SIDE, PLANES));
  on.g = normal(AT_SHAPE(OUTPUTS, PLANES, 1, 1));
  on.y = normal(AT_SHAPE(OUTPUTS));
  give_results(AT_SHAPE(BATCH, SIDE, SIDE, OUTPUTS), 0);
}

static void flat(void *unused)
{
  (void)unused;
  at_tensor *x = at_permute(on.x, AT_SHAPE(0, 3, 1, 2));
  at_tensor *y = at_convolution(x, on.g, on.y, AT_SHAPE(1, 1), AT_SHAPE(0, 0), AT_SHAPE(1, 1),
                                false, AT_SHAPE(0, 0), 1);
  at_tensor *last = at_permute(y, AT_SHAPE(0, 2, 3, 1));
  if (floats(on.result)[0] == 0) /* the first call's are compared */
    at_copy_(on.result, last);
  at_release(last), at_release(y), at_release(x);
}

/* Six positions by all outputs in registers, over all planes; the next six are fetched, a line of
 * each with every sixteenth plane, and sums are sent around the caches. */
static inline void six_positions(const float *x, const float *m, const float *bias, float *y)
{
  __m512 sum[ROWS][VECTORS];
  for (int k = 0; k < ROWS; k++)
    for (int v = 0; v < VECTORS; v++)
      sum[k][v] = _mm512_loadu_ps(bias + v * FLOATS);
  for (int p = 0; p < PLANES; p += FLOATS) {
    for (int k = 0; k < ROWS; k++)
      _mm_prefetch((const char *)(x + (ROWS + k) * PLANES + p), _MM_HINT_T0);
    for (int l = p; l < p + FLOATS; l++, m += OUTPUTS)
#pragma GCC unroll 6
      for (int k = 0; k < ROWS; k++) {
        const __m512 element = _mm512_set1_ps(x[k * PLANES + l]);
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++)
          sum[k][v] = _mm512_fmadd_ps(element, _mm512_loadu_ps(m + v * FLOATS), sum[k][v]);
      }
  }
  for (int k = 0; k < ROWS; k++)
    for (int v = 0; v < VECTORS; v++)
      _mm512_stream_ps(y + k * OUTPUTS + v * FLOATS, sum[k][v]);
}

static void sketch_flat(void *unused)
{
  (void)unused;
  static _Alignas(64) float m[PLANES * OUTPUTS];
  for (int o = 0; o < OUTPUTS; o++)
    for (int p = 0; p < PLANES; p++)
      m[p * OUTPUTS + o] = floats(on.g)[o * PLANES + p];
  for (ptrdiff_t i = 0; i < POSITIONS; i += ROWS) {
    const ptrdiff_t at = i + ROWS <= POSITIONS ? i : POSITIONS - ROWS;
    six_positions(floats(on.x) + at * PLANES, m, floats(on.y), floats(on.sketched) + at * OUTPUTS);
  }
  _mm_sfence();
}

const Experiment convolution_experiments[] = {
    {"conv.1x1.fwd_nhwc", "32 x 256 x 56 x 56, 64 of 1 x 1", (double)POSITIONS *PLANES,
     (double)POSITIONS *OUTPUTS, prepare_flat, flat, sketch_flat},
    {0},
};

#endif
