/* Experiments: convolutions whose every output position is a product with all weights. */
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

/* Six positions by all outputs in registers, over all planes; the next six are prefetched, a line
 * of each with every sixteenth plane, and sums go to memory by non-temporal stores. */
static inline void six_positions(ptrdiff_t planes, const float *x, const float *m,
                                 const float *bias, float *y)
{
  __m512 sum[ROWS][VECTORS];
  for (int k = 0; k < ROWS; k++)
    for (int v = 0; v < VECTORS; v++)
      sum[k][v] = _mm512_loadu_ps(bias + v * FLOATS);
  for (ptrdiff_t p = 0; p < planes; p += FLOATS) {
    for (int k = 0; k < ROWS; k++)
      _mm_prefetch((const char *)(x + (ROWS + k) * planes + p), _MM_HINT_T0);
    for (ptrdiff_t l = p; l < p + FLOATS; l++, m += OUTPUTS)
#pragma GCC unroll 6
      for (int k = 0; k < ROWS; k++) {
        const __m512 element = _mm512_set1_ps(x[k * planes + l]);
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
  const ptrdiff_t planes = unknown(PLANES), positions = unknown(POSITIONS);
  for (ptrdiff_t i = 0; i < positions; i += ROWS) {
    const ptrdiff_t at = i + ROWS <= positions ? i : positions - ROWS;
    six_positions(planes, floats(on.x) + at * planes, m, floats(on.y),
                  floats(on.sketched) + at * OUTPUTS);
  }
  _mm_sfence();
}

/* --- 7 x 7 by 2 of channels-last colours ----------------------------------------------------- */

enum { COLOURS = 3, WIDTH = 224, MADE = 112, WINDOW = 7, PAD = 3, UNROLL = 14 };
enum { LINE = WINDOW * COLOURS, TERMS = WINDOW * LINE, PITCH = (WIDTH + 2 * PAD) * COLOURS };

static void prepare_windows(void)
{
  on.x = normal(AT_SHAPE(BATCH, WIDTH, WIDTH, COLOURS));
  on.g = normal(AT_SHAPE(OUTPUTS, COLOURS, WINDOW, WINDOW));
  on.y = normal(AT_SHAPE(OUTPUTS));
  give_results(AT_SHAPE(BATCH, MADE, MADE, OUTPUTS), 0);
}

static void windows(void *unused)
{
  (void)unused;
  at_tensor *x = at_permute(on.x, AT_SHAPE(0, 3, 1, 2));
  at_tensor *y = at_convolution(x, on.g, on.y, AT_SHAPE(2, 2), AT_SHAPE(PAD, PAD), AT_SHAPE(1, 1),
                                false, AT_SHAPE(0, 0), 1);
  at_tensor *last = at_permute(y, AT_SHAPE(0, 2, 3, 1));
  at_release(on.result);
  on.result = at_alias(last);
  at_release(last), at_release(y), at_release(x);
}

/* An element in all lanes, from where it lies. */
static inline __m512 all_lanes(const float *x)
{
  __m512 v;
  __asm__("vbroadcastss %1, %0" : "=v"(v) : "m"(*x));
  return v;
}

/* Sizes of an image, as a library gets them: elements of a row that is padded, those between two
 * positions, and outputs. */
typedef struct {
  ptrdiff_t pitch, step, outputs;
} Sizes;

/* Fourteen positions by 32 outputs, stored non-temporally. */
static __attribute__((noinline)) void fourteen_places(Sizes s, const float *x, const __m512 *m,
                                                      const float *bias, float *y)
{
  __m512 sum[UNROLL][2];
#pragma GCC unroll 14
  for (int k = 0; k < UNROLL; k++) {
    sum[k][0] = _mm512_loadu_ps(bias), sum[k][1] = _mm512_loadu_ps(bias + FLOATS);
  }
  for (int i = 0; i < WINDOW; i++, x += s.pitch)
    for (int t = 0; t < LINE; t++, m += 2) {
      const __m512 first = m[0], second = m[1];
#pragma GCC unroll 14
      for (int k = 0; k < UNROLL; k++) {
        const __m512 element = all_lanes(x + t + k * s.step);
        sum[k][0] = _mm512_fmadd_ps(element, first, sum[k][0]);
        sum[k][1] = _mm512_fmadd_ps(element, second, sum[k][1]);
      }
    }
#pragma GCC unroll 14
  for (int k = 0; k < UNROLL; k++)
    for (int v = 0; v < 2; v++)
      _mm512_stream_ps(y + k * s.outputs + v * FLOATS, sum[k][v]);
}

static void sketch_windows(void *unused)
{
  (void)unused;
  static float padded[WIDTH + 2 * PAD][PITCH];
  static __m512 m[2][TERMS][2];
  for (int o = 0; o < OUTPUTS; o++)
    for (int t = 0; t < TERMS; t++)
      ((float *)m[o / 32][t])[o % 32] =
          floats(on.g)[o * TERMS + t % COLOURS * WINDOW * WINDOW + t / COLOURS];
  at_release(on.sketched);
  on.sketched = at_empty(AT_SHAPE(BATCH, MADE, MADE, OUTPUTS), .type = AT_CPU(AT_FLOAT));
  const Sizes sizes = {unknown(PITCH), unknown(2 * COLOURS), unknown(OUTPUTS)};
  float *y = floats(on.sketched);
  for (int image = 0; image < BATCH; image++) {
    const float *x = floats(on.x) + (ptrdiff_t)image * WIDTH * WIDTH * COLOURS;
    for (int i = 0; i < WIDTH; i++)
      memcpy(padded[i + PAD] + PAD * COLOURS, x + i * WIDTH * COLOURS,
             sizeof(float[WIDTH * COLOURS]));
    for (int i = 0; i < MADE; i++, y += MADE * OUTPUTS)
      for (int half = 0; half < 2; half++)
        for (int j = 0; j < MADE; j += UNROLL)
          fourteen_places(sizes, padded[2 * i] + 2 * j * COLOURS, m[half][0],
                          floats(on.y) + half * 32, y + j * OUTPUTS + half * 32);
  }
  _mm_sfence();
}

/* --- 1 x 1 of plain images -------------------------------------------------------------------- */

enum { PIXELS = SIDE * SIDE, POSITION_BLOCK = 2 * FLOATS };

static void prepare_planes(void)
{
  on.x = normal(AT_SHAPE(BATCH, PLANES, SIDE, SIDE));
  on.g = normal(AT_SHAPE(OUTPUTS, PLANES, 1, 1));
  on.y = normal(AT_SHAPE(OUTPUTS));
  give_results(AT_SHAPE(BATCH, OUTPUTS, SIDE, SIDE), 0);
}

static void planes(void *unused)
{
  (void)unused;
  at_release(on.result);
  on.result = at_convolution(on.x, on.g, on.y, AT_SHAPE(1, 1), AT_SHAPE(0, 0), AT_SHAPE(1, 1),
                             false, AT_SHAPE(0, 0), 1);
}

/* So many outputs of 32 positions, stored non-temporally; with each sixteen planes eight lines that
 * come next are prefetched. */
static inline __attribute__((always_inline)) void some_outputs(int n, const __m512 *x,
                                                               const float *m, const float *bias,
                                                               float *y, const float *ahead)
{
  __m512 sum[UNROLL][2];
#pragma GCC unroll 14
  for (int k = 0; k < n; k++)
    sum[k][0] = sum[k][1] = _mm512_set1_ps(bias[k]);
  for (int p = 0; p < PLANES; p += FLOATS) {
    for (int k = 0; ahead && k < 4; k++, ahead += PIXELS) {
      _mm_prefetch((const char *)ahead, _MM_HINT_T1);
      _mm_prefetch((const char *)(ahead + FLOATS), _MM_HINT_T1);
    }
    for (int l = 0; l < FLOATS; l++, x += 2, m += n) {
      const __m512 first = x[0], second = x[1];
#pragma GCC unroll 14
      for (int k = 0; k < n; k++) {
        const __m512 element = all_lanes(m + k);
        sum[k][0] = _mm512_fmadd_ps(element, first, sum[k][0]);
        sum[k][1] = _mm512_fmadd_ps(element, second, sum[k][1]);
      }
    }
  }
#pragma GCC unroll 14
  for (int k = 0; k < n; k++)
    for (int v = 0; v < 2; v++)
      _mm512_stream_ps(y + k * PIXELS + v * FLOATS, sum[k][v]);
}

static __attribute__((noinline)) void thirteen_outputs(const __m512 *x, const float *m,
                                                       const float *bias, float *y,
                                                       const float *ahead)
{
  some_outputs(13, x, m, bias, y, ahead);
}

static __attribute__((noinline)) void twelve_outputs(const __m512 *x, const float *m,
                                                     const float *bias, float *y)
{
  some_outputs(12, x, m, bias, y, NULL);
}

/* Thirty-two positions of all planes lie together in L1. */
static void sketch_planes(void *unused)
{
  (void)unused;
  static _Alignas(64) float m[PLANES * OUTPUTS];
  static __m512 piece[PLANES][2];
  for (int o = 0; o < OUTPUTS; o++) { /* those of thirteen outputs, or twelve, lie together */
    const int first = o / 13 * 13, count = first + 13 <= OUTPUTS ? 13 : 12;
    for (int p = 0; p < PLANES; p++)
      m[first * PLANES + p * count + o - first] = floats(on.g)[o * PLANES + p];
  }
  at_release(on.sketched);
  on.sketched = at_empty(AT_SHAPE(BATCH, OUTPUTS, SIDE, SIDE), .type = AT_CPU(AT_FLOAT));
  const float *bias = floats(on.y);
  for (int image = 0; image < BATCH; image++) {
    const float *x = floats(on.x) + (ptrdiff_t)image * PLANES * PIXELS;
    float *y = floats(on.sketched) + (ptrdiff_t)image * OUTPUTS * PIXELS;
    for (int j = 0; j < PIXELS; j += POSITION_BLOCK) {
      for (int p = 0; p < PLANES; p++)
        for (int v = 0; v < 2; v++)
          piece[p][v] = _mm512_loadu_ps(x + p * PIXELS + j + v * FLOATS);
      const float *ahead = x + (j + POSITION_BLOCK < PIXELS ? j + POSITION_BLOCK : PLANES * PIXELS);
      int o = 0;
      for (; o < 4 * 13; o += 13, ahead += PLANES / 4 * PIXELS)
        thirteen_outputs(piece[0], m + o * PLANES, bias + o, y + o * PIXELS + j, ahead);
      twelve_outputs(piece[0], m + o * PLANES, bias + o, y + o * PIXELS + j);
    }
  }
  _mm_sfence();
}

const Experiment convolution_experiments[] = {
    {"conv.1x1.fwd_nhwc", "32 x 256 x 56 x 56, 64 of 1 x 1", (double)POSITIONS *PLANES,
     (double)POSITIONS *OUTPUTS, prepare_flat, flat, sketch_flat},
    {"conv.7x7s2.fwd_nhwc", "32 x 3 x 224 x 224, 64 of 7 x 7 by 2",
     (double)BATCH *COLOURS *WIDTH *WIDTH, (double)BATCH *MADE *MADE *OUTPUTS, prepare_windows,
     windows, sketch_windows},
    {"conv.1x1.fwd", "32 x 256 x 56 x 56, 64 of 1 x 1", (double)POSITIONS *PLANES,
     (double)POSITIONS *OUTPUTS, prepare_planes, planes, sketch_planes},
    {0},
};

#endif
