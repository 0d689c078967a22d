/* Experiments: batch and layer normalization. */
#include "experiments.h"

#if defined(__AVX512F__)

enum { BATCH = 32, CHANNELS = 64, INNER = 56 * 56, PER_CHANNEL = BATCH * INNER };
enum { JUMP = CHANNELS * INNER };
enum { AHEAD = 1024 };
static const double eps = 1e-5;

static at_tensor *weight, *bias, *mean, *std, *runningMean, *runningVar, *grads;

static float *of(at_tensor *t)
{
  return at_data(t);
}

static void prepare_channels(int64_t count)
{
  at_tensor **const all[] = {&weight, &bias, &mean, &std, &runningMean, &runningVar};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    at_release(*all[i]);
    *all[i] = at_rand(AT_SHAPE(count));
  }
  at_release(grads);
  grads = at_zeros(AT_SHAPE(2, count));
}

static void prepare_batch(void)
{
  on.x = normal(AT_SHAPE(BATCH, CHANNELS, 56, 56));
  on.g = normal(AT_SHAPE(BATCH, CHANNELS, 56, 56));
  prepare_channels(CHANNELS);
  give_results(AT_SHAPE(BATCH, CHANNELS, 56, 56), 0);
}

/* Results are new ones. */
static void batch_norm(void *unused)
{
  (void)unused;
  at_release(on.result);
  at_release(mean);
  at_release(std);
  const at_output_save_mean_save_std made =
      at_native_batch_norm(on.x, weight, bias, runningMean, runningVar, true, 0.1, eps);
  on.result = made.output;
  mean = made.save_mean;
  std = made.save_std;
}

static void batch_norm_given(void *unused)
{
  (void)unused;
  at_release(on.result);
  on.result = at_batch_norm(on.x, weight, bias, runningMean, runningVar, false, 0.1, eps, false);
}

static void take_gradients(at_grad_input_grad_weight_grad_bias made)
{
  at_release(on.result);
  on.result = made.grad_input;
  at_release(made.grad_weight);
  at_release(made.grad_bias);
}

static void batch_norm_back(void *unused)
{
  (void)unused;
  take_gradients(at_thnn_batch_norm_backward(on.g, on.x, weight, runningMean, runningVar, true, eps,
                                             mean, std, .output_mask = {1, 1, 1}));
}

static inline __m512d low_half(__m512 v)
{
  return _mm512_cvtps_pd(_mm512_castps512_ps256(v));
}

static inline __m512d high_half(__m512 v)
{
  return _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
}

/* Results are new ones here, too. */
static float *new_result(void)
{
  at_release(on.sketched);
  on.sketched = at_empty(AT_SHAPE(BATCH, CHANNELS, 56, 56), .type = AT_CPU(AT_FLOAT));
  return floats(on.sketched);
}

/* What is computed and sent at a time: by turns, both take longer. */
enum { PIECE = 256 };

/* y = (x - shift) factor + offset, around the caches. */
static inline void send_scaled(const float *x, float factor, float shift, float offset, float *y,
                               int ahead)
{
  const __m512 f = _mm512_set1_ps(factor), s = _mm512_set1_ps(shift), o = _mm512_set1_ps(offset);
  for (int from = 0; from < INNER; from += PIECE) {
    const int end = from + PIECE < INNER ? from + PIECE : INNER;
    __m512 made[PIECE / FLOATS];
    for (int i = from; i < end; i += FLOATS) {
      _mm_prefetch((const char *)(x + i + ahead), _MM_HINT_T0);
      made[(i - from) / FLOATS] =
          _mm512_add_ps(_mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(x + i), s), f), o);
    }
    for (int i = from; i < end; i += FLOATS)
      _mm512_stream_ps(y + i, made[(i - from) / FLOATS]);
  }
}

/* The sums of a channel's distances from a guess, and of their squares, in double; the next rows
 * are fetched meanwhile. */
static void sums_about(const float *x, double guess, double *s, double *q)
{
  const __m512d middle = _mm512_set1_pd(guess);
  __m512d sum[4] = {_mm512_setzero_pd()}, square[4] = {_mm512_setzero_pd()};
  for (int b = 0; b < BATCH; b++) {
    const float *row = x + b * JUMP;
    for (int i = 0; i < INNER; i += 2 * FLOATS)
      for (int k = 0; k < 2; k++) {
        const __m512 v = _mm512_loadu_ps(row + i + k * FLOATS);
        const int later = i + k * FLOATS + AHEAD;
        _mm_prefetch((const char *)(row + (later < INNER ? later : later - INNER + JUMP)),
                     _MM_HINT_T0);
        const __m512d d = _mm512_sub_pd(low_half(v), middle);
        const __m512d e = _mm512_sub_pd(high_half(v), middle);
        sum[2 * k] = _mm512_add_pd(sum[2 * k], d);
        sum[2 * k + 1] = _mm512_add_pd(sum[2 * k + 1], e);
        square[2 * k] = _mm512_add_pd(square[2 * k], _mm512_mul_pd(d, d));
        square[2 * k + 1] = _mm512_add_pd(square[2 * k + 1], _mm512_mul_pd(e, e));
      }
  }
  *s = *q = 0;
  for (int k = 0; k < 4; k++) {
    *s += _mm512_reduce_add_pd(sum[k]);
    *q += _mm512_reduce_add_pd(square[k]);
  }
}

static double finite_or_0(double v)
{
  return v - v == 0 ? v : 0;
}

/* One pass for both sums, and another one about the mean where too much of the squares is the
 * distance of the guess. */
static void sketch_batch_norm(void *unused)
{
  (void)unused;
  float *y = new_result();
  for (int c = 0; c < CHANNELS; c++) {
    const float *x = floats(on.x) + c * INNER;
    double guess = 0, s, q;
    for (int k = 0; k < 8; k++)
      guess += (double)x[BATCH * k / 8 * JUMP + INNER * k / 8] / 8;
    guess = finite_or_0(guess);
    sums_about(x, guess, &s, &q);
    if (!((1 + 0x1p-20) * (s * s / PER_CHANNEL) <= q)) {
      guess = finite_or_0(guess + s / PER_CHANNEL);
      sums_about(x, guess, &s, &q);
    }
    const double away = s / PER_CHANNEL, m = guess + away, square = q - s * away;
    const double r = 1 / sqrt(square / PER_CHANNEL + eps), factor = of(weight)[c] * r;
    of(mean)[c] = (float)m;
    of(std)[c] = (float)r;
    of(runningMean)[c] = (float)(0.1 * m + 0.9 * of(runningMean)[c]);
    of(runningVar)[c] = (float)(0.1 * (square / (PER_CHANNEL - 1)) + 0.9 * of(runningVar)[c]);
    const float offset = (float)(of(bias)[c] + ((double)(float)m - m) * factor);
    for (int b = BATCH - 1; b >= 0; b--)
      send_scaled(x + b * JUMP, (float)factor, (float)m, offset, y + c * INNER + b * JUMP, 0);
  }
  _mm_sfence();
}

static void sketch_batch_norm_given(void *unused)
{
  (void)unused;
  float *y = new_result();
  for (int b = 0; b < BATCH; b++)
    for (int c = 0; c < CHANNELS; c++) {
      const int at = (b * CHANNELS + c) * INNER;
      const double factor = of(weight)[c] / sqrt(of(runningVar)[c] + eps);
      send_scaled(floats(on.x) + at, (float)factor, of(runningMean)[c], of(bias)[c], y + at,
                  2 * AHEAD);
    }
  _mm_sfence();
}

/* Sums in double in one pass over both, results around the caches, last rows first. */
static void sketch_batch_norm_back(void *unused)
{
  (void)unused;
  float *y = new_result();
  for (int c = 0; c < CHANNELS; c++) {
    const float *x = floats(on.x) + c * INNER, *g = floats(on.g) + c * INNER;
    const double m = of(mean)[c], r = of(std)[c], w = of(weight)[c] * r;
    const __m512d middle = _mm512_set1_pd(m);
    __m512d sum[2] = {_mm512_setzero_pd()}, dot[2] = {_mm512_setzero_pd()};
    for (int b = 0; b < BATCH; b++)
      for (int i = 0; i < INNER; i += FLOATS) {
        const int at = i + b * JUMP, later = i + AHEAD;
        const int next = b * JUMP + (later < INNER ? later : later - INNER + JUMP);
        const __m512 v = _mm512_loadu_ps(x + at), h = _mm512_loadu_ps(g + at);
        _mm_prefetch((const char *)(x + next), _MM_HINT_T0);
        _mm_prefetch((const char *)(g + next), _MM_HINT_T0);
        sum[0] = _mm512_add_pd(sum[0], low_half(h));
        sum[1] = _mm512_add_pd(sum[1], high_half(h));
        dot[0] =
            _mm512_add_pd(dot[0], _mm512_mul_pd(low_half(h), _mm512_sub_pd(low_half(v), middle)));
        dot[1] =
            _mm512_add_pd(dot[1], _mm512_mul_pd(high_half(h), _mm512_sub_pd(high_half(v), middle)));
      }
    const double s = _mm512_reduce_add_pd(_mm512_add_pd(sum[0], sum[1]));
    const double d = _mm512_reduce_add_pd(_mm512_add_pd(dot[0], dot[1]));
    of(grads)[c] = (float)(d * r);
    of(grads)[CHANNELS + c] = (float)s;
    const __m512 slope = _mm512_set1_ps((float)w), shift = _mm512_set1_ps((float)m);
    const __m512 factor = _mm512_set1_ps((float)(-w * r * r * d / PER_CHANNEL));
    const __m512 offset = _mm512_set1_ps((float)(-w * s / PER_CHANNEL));
    for (int b = BATCH - 1; b >= 0; b--)
      for (int i = 0; i < INNER; i += FLOATS) {
        const int at = i + b * JUMP;
        const __m512 away = _mm512_sub_ps(_mm512_loadu_ps(x + at), shift);
        const __m512 rest = _mm512_add_ps(_mm512_mul_ps(away, factor), offset);
        _mm512_stream_ps(y + c * INNER + at,
                         _mm512_add_ps(_mm512_mul_ps(_mm512_loadu_ps(g + at), slope), rest));
      }
  }
  _mm_sfence();
}

const Experiment norms_experiments[] = {
    {"nn.batchnorm.fwd", "32 x 64 x 56 x 56", 2.0 * BATCH *JUMP, BATCH *JUMP, prepare_batch,
     batch_norm, sketch_batch_norm},
    {"nn.batchnorm.eval", "32 x 64 x 56 x 56", BATCH *JUMP, BATCH *JUMP, prepare_batch,
     batch_norm_given, sketch_batch_norm_given},
    {"nn.batchnorm.bwd", "32 x 64 x 56 x 56", 4.0 * BATCH *JUMP, BATCH *JUMP, prepare_batch,
     batch_norm_back, sketch_batch_norm_back},
    {0},
};

#endif
