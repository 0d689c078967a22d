/* Experiments: gradients of the weights of a convolution of an image's colours. */
#include "experiments.h"

#if defined(__AVX512F__)

/* Gradients of a row of positions are transposed, outputs in the lanes, half of them at a time: 14
 * KB that stay in L1 while two rows of the windows, that are 14 elements from one position of the
 * image on, are multiplied with them.  So 28 sums are in registers, which take 14 elements and two
 * vectors for each position, and nothing is unfolded. */
enum { BATCH = 32, COLOURS = 3, SIDE = 224, OUTPUTS = 64, MADE = 112, WINDOW = 7, PAD = 3 };
enum { PIXELS = SIDE * SIDE, POSITIONS = MADE * MADE, TERMS = COLOURS * WINDOW * WINDOW };
enum { HIGH = SIDE + 2 * PAD, WIDE = 240 }; /* of a padded image */
enum { HALVES = 2, LINES = COLOURS * WINDOW };
enum { FETCHED = MADE / FLOATS }; /* lines of a row of a plane of gradients */

static __m512 sums[HALVES][LINES][WINDOW][2];
static __m512d totals[OUTPUTS];

/* An element in all lanes, from where it lies: a compiler that sees that the next position needs
 * some of the same elements would carry them over in other registers, which takes longer. */
static inline __m512 all_lanes(const float *x)
{
  __m512 v;
  __asm__("vbroadcastss %1, %0" : "=v"(v) : "m"(*x));
  return v;
}

/* The gradients at a row of positions times what lies under one or two rows of the windows, for 32
 * outputs; meanwhile some rows of gradients that come next are prefetched. */
static inline __attribute__((always_inline)) void lines_of_windows(int lines, const float *x,
                                                                   const float *y, const __m512 *g,
                                                                   __m512 *to, const float *ahead,
                                                                   int rows)
{
  __m512 sum[2 * WINDOW][2];
#pragma GCC unroll 14
  for (int k = 0; k < lines * WINDOW; k++)
    sum[k][0] = sum[k][1] = _mm512_setzero_ps();
  for (int i = 0; i < rows; i++)
    for (int k = 0; k <= FETCHED; k++)
      _mm_prefetch((const char *)(ahead + i * POSITIONS + k * FLOATS), _MM_HINT_T1);
#pragma GCC unroll 14
  for (int k = 0; k < lines * WINDOW; k++)
    for (int v = 0; v < 2; v++)
      __builtin_prefetch(to + 2 * k + v, 1);
  for (int j = 0; j < MADE; j++, g += 2) {
    const __m512 first = g[0], second = g[1];
#pragma GCC unroll 14
    for (int k = 0; k < lines * WINDOW; k++) {
      const __m512 element = all_lanes(k < WINDOW ? x + 2 * j + k : y + 2 * j + k - WINDOW);
      sum[k][0] = _mm512_fmadd_ps(element, first, sum[k][0]);
      sum[k][1] = _mm512_fmadd_ps(element, second, sum[k][1]);
    }
  }
#pragma GCC unroll 14
  for (int k = 0; k < lines * WINDOW; k++)
    for (int v = 0; v < 2; v++)
      to[2 * k + v] += sum[k][v];
}

static __attribute__((noinline)) void two_lines(const float *x, const float *y, const __m512 *g,
                                                __m512 *to, const float *ahead, int rows)
{
  lines_of_windows(2, x, y, g, to, ahead, rows);
}

static __attribute__((noinline)) void a_line(const float *x, const __m512 *g, __m512 *to,
                                             const float *ahead, int rows)
{
  lines_of_windows(1, x, x, g, to, ahead, rows);
}

/* A row of positions of all outputs, transposed; it is summed up in double precision, as ours is.
 * */
static void transpose_gradients(const float *g, __m512 transposed[HALVES][2 * MADE])
{
  for (int v = 0; v < OUTPUTS / FLOATS; v++)
    for (int j = 0; j < MADE; j += FLOATS)
      transpose_square(g + v * FLOATS * POSITIONS + j, POSITIONS,
                       (float *)(transposed[v / 2] + 2 * j + v % 2), 2 * FLOATS);
  for (int o = 0; o < OUTPUTS; o++) {
    const float *row = g + o * POSITIONS;
    __m512d a = _mm512_setzero_pd(), b = a;
#pragma GCC unroll 7
    for (int j = 0; j < MADE; j += FLOATS) {
      a += _mm512_cvtps_pd(_mm256_loadu_ps(row + j));
      b += _mm512_cvtps_pd(_mm256_loadu_ps(row + j + FLOATS / 2));
    }
    totals[o] += a + b;
  }
}

static void pad_image(const float *x, float padded[COLOURS][HIGH][WIDE])
{
  for (int c = 0; c < COLOURS; c++)
    for (int i = 0; i < SIDE; i++)
      memcpy(padded[c][i + PAD] + PAD, x + c * PIXELS + i * SIDE, SIDE * sizeof *x);
}

static void prepare(void)
{
  on.x = normal(AT_SHAPE(BATCH, COLOURS, SIDE, SIDE));
  on.g = normal(AT_SHAPE(BATCH, OUTPUTS, MADE, MADE));
  on.y = normal(AT_SHAPE(OUTPUTS, COLOURS, WINDOW, WINDOW));
  give_results(AT_SHAPE(OUTPUTS * (TERMS + 1)), 0); /* gradients of the bias are last */
}

static void ours(void *unused)
{
  (void)unused;
  const at_grad_input_grad_weight_grad_bias made =
      at_convolution_backward(on.g, on.x, on.y, AT_SHAPE(OUTPUTS), AT_SHAPE(2, 2),
                              AT_SHAPE(PAD, PAD), AT_SHAPE(1, 1), false, AT_SHAPE(0, 0), 1,
                              .output_mask = AT_INTS(0, 1, 1));
  memcpy(floats(on.result), at_data(made.grad_weight), sizeof(float[OUTPUTS * TERMS]));
  memcpy(floats(on.result) + OUTPUTS * TERMS, at_data(made.grad_bias), sizeof(float[OUTPUTS]));
  at_release(made.grad_weight), at_release(made.grad_bias);
}

static void sketch(void *unused)
{
  (void)unused;
  static __m512 transposed[HALVES][2 * MADE];
  static float padded[COLOURS][HIGH][WIDE];
  memset(sums, 0, sizeof sums);
  memset(totals, 0, sizeof totals);
  for (int image = 0; image < BATCH; image++) {
    pad_image(floats(on.x) + (ptrdiff_t)image * COLOURS * PIXELS, padded);
    const float *g = floats(on.g) + (ptrdiff_t)image * OUTPUTS * POSITIONS;
    for (int i = 0; i < MADE; i++, g += MADE) {
      const float *line[LINES], *ahead = g + MADE;
      for (int l = 0; l < LINES; l++)
        line[l] = padded[l / WINDOW][2 * i + l % WINDOW];
      transpose_gradients(g, transposed);
      for (int half = 0; half < HALVES; half++) {
        for (int l = 0; l + 1 < LINES; l += 2, ahead += 3 * POSITIONS)
          two_lines(line[l], line[l + 1], transposed[half], &sums[half][l][0][0], ahead, 3);
        a_line(line[LINES - 1], transposed[half], &sums[half][LINES - 1][0][0], ahead, 2);
        ahead += 2 * POSITIONS;
      }
    }
  }
  float *to = floats(on.sketched);
  for (int o = 0; o < OUTPUTS; o++) {
    for (int t = 0; t < TERMS; t++)
      to[o * TERMS + t] = ((float *)&sums[o / 32][t / WINDOW][t % WINDOW][0])[o % 32];
    to[OUTPUTS * TERMS + o] = (float)_mm512_reduce_add_pd(totals[o]);
  }
}

const Experiment weights_experiments[] = {
    {"conv.7x7s2.bwd_w", "32 x 3 x 224 x 224, 64 of 7 x 7 by 2",
     (double)BATCH *(COLOURS *PIXELS + OUTPUTS * POSITIONS), (double)OUTPUTS *TERMS, prepare, ours,
     sketch},
    {0},
};

#endif
