/* Experiments: batch and layer normalization. */
#include "experiments.h"

#if defined(__AVX512F__)

enum { BATCH = 32, CHANNELS = 64, INNER = 56 * 56, PER_CHANNEL = BATCH * INNER };
enum { JUMP = CHANNELS * INNER };
enum { PREFETCH_FLOATS = 1024 };
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

/* The result before is released first, so that the next one has its memory, as the sketch's has. */
static void release_result(void)
{
  at_release(on.result);
  on.result = NULL;
}

static void take_gradients(at_grad_input_grad_weight_grad_bias made)
{
  on.result = made.grad_input;
  at_release(made.grad_weight);
  at_release(made.grad_bias);
}

static void batch_norm_backward(void *unused)
{
  (void)unused;
  release_result();
  take_gradients(at_thnn_batch_norm_backward(on.g, on.x, weight, runningMean, runningVar, true, eps,
                                             mean, std, .output_mask = AT_INTS(1, 1, 1)));
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

/* What is computed and then streamed at a time: alternating in smaller blocks, both take longer. */
enum { COLUMN_BLOCK = 256 };

/* y = (x - shift) factor + offset, by non-temporal stores. */
static inline void send_scaled(const float *x, float factor, float shift, float offset, float *y,
                               int ahead)
{
  const __m512 f = _mm512_set1_ps(factor), s = _mm512_set1_ps(shift), o = _mm512_set1_ps(offset);
  for (int from = 0; from < INNER; from += COLUMN_BLOCK) {
    const int end = from + COLUMN_BLOCK < INNER ? from + COLUMN_BLOCK : INNER;
    __m512 made[COLUMN_BLOCK / FLOATS];
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
 * are prefetched meanwhile. */
static void sums_about(const float *x, double guess, double *s, double *q)
{
  const __m512d middle = _mm512_set1_pd(guess);
  __m512d sum[4] = {_mm512_setzero_pd()}, square[4] = {_mm512_setzero_pd()};
  for (int b = 0; b < BATCH; b++) {
    const float *row = x + b * JUMP;
    for (int i = 0; i < INNER; i += 2 * FLOATS)
      for (int k = 0; k < 2; k++) {
        const __m512 v = _mm512_loadu_ps(row + i + k * FLOATS);
        const int later = i + k * FLOATS + PREFETCH_FLOATS;
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
                  2 * PREFETCH_FLOATS);
    }
  _mm_sfence();
}

/* Sums in double in one pass over both, non-temporal stores of results, last rows first. */
static void sketch_batch_norm_backward(void *unused)
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
        const int at = i + b * JUMP, later = i + PREFETCH_FLOATS;
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

/* --- layer normalization, of lines ----------------------------------------------------------- */

enum { LINES = 1024, LONG = 1000, WHOLE = LONG / FLOATS * FLOATS };
enum { GROUP = 4, PART = 64 }; /* lines together; lines whose sums are of floats */
static const __mmask16 left = (1 << LONG % FLOATS) - 1;

static void prepare_lines(void)
{
  on.x = normal(AT_SHAPE(LINES, LONG));
  on.g = normal(AT_SHAPE(LINES, LONG));
  prepare_channels(LONG);
  at_release(mean);
  at_release(std);
  give_results(AT_SHAPE(LINES, LONG), 0);
  const at_output_mean_rstd made = at_native_layer_norm(on.x, AT_SHAPE(LONG), weight, bias, eps);
  at_release(made.output);
  mean = made.mean;
  std = made.rstd;
}

static void layer_norm(void *unused)
{
  (void)unused;
  at_release(on.result);
  at_release(mean);
  at_release(std);
  const at_output_mean_rstd made = at_native_layer_norm(on.x, AT_SHAPE(LONG), weight, bias, eps);
  on.result = made.output;
  mean = made.mean;
  std = made.rstd;
}

static void layer_norm_backward(void *unused)
{
  (void)unused;
  release_result();
  take_gradients(at_native_layer_norm_backward(on.g, on.x, AT_SHAPE(LONG), mean, std, weight, bias,
                                               .output_mask = AT_INTS(1, 1, 1)));
}

static float *new_lines(void)
{
  at_release(on.sketched);
  on.sketched = at_empty(AT_SHAPE(LINES, LONG), .type = AT_CPU(AT_FLOAT));
  return floats(on.sketched);
}

static inline double all_of(__m512 v)
{
  return _mm512_reduce_add_pd(_mm512_add_pd(low_half(v), high_half(v)));
}

/* Both moments as they are defined, in double, of a line that is in registers' reach. */
static void moments_in_two_passes(const float *x, double *m, double *v)
{
  *m = *v = 0;
  for (int i = 0; i < LONG; i++)
    *m += (double)x[i] / LONG;
  for (int i = 0; i < LONG; i++)
    *v += ((double)x[i] - *m) * ((double)x[i] - *m) / LONG;
}

/* The sums about a guess, in floats, of a length that is known: four streams of 15 or 16. */
static void sketch_layer_norm(void *unused)
{
  (void)unused;
  float *y = new_lines();
  const float *const all = floats(on.x), *const w = of(weight), *const b = of(bias);
  float *const means = of(mean), *const stds = of(std);
  for (int line = 0; line < LINES; line++, y += LONG) {
    const float *x = all + line * LONG;
    float first = 0;
    for (int k = 0; k < 8; k++)
      first += x[k * (LONG / 8)] / 8;
    const __m512 guess = _mm512_set1_ps(first);
    __m512 s[4] = {_mm512_setzero_ps()}, q[4] = {_mm512_setzero_ps()};
#pragma GCC unroll 64
    for (int i = 0; i <= WHOLE; i += FLOATS) {
      const int k = i / FLOATS % 4;
      const __m512 d = i < WHOLE
                           ? _mm512_sub_ps(_mm512_loadu_ps(x + i), guess)
                           : _mm512_maskz_sub_ps(left, _mm512_maskz_loadu_ps(left, x + i), guess);
      s[k] = _mm512_add_ps(s[k], d);
      q[k] = _mm512_add_ps(q[k], _mm512_mul_ps(d, d));
    }
    const double sum = all_of(_mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3])));
    const double square =
        all_of(_mm512_add_ps(_mm512_add_ps(q[0], q[1]), _mm512_add_ps(q[2], q[3])));
    double m = first + sum / LONG, v = square / LONG - sum / LONG * (sum / LONG);
    if (!(2 * sum * (sum / LONG) <= square && square < 1e30 && square + LONG * eps > LONG * 1e-30))
      moments_in_two_passes(x, &m, &v);
    const double r = 1 / sqrt(v + eps);
    means[line] = (float)m;
    stds[line] = (float)r;
    const __m512 middle = _mm512_set1_ps((float)m), factor = _mm512_set1_ps((float)r);
    const __m512 shift = _mm512_set1_ps((float)(((double)(float)m - m) * r));
#pragma GCC unroll 4
    for (int i = 0; i <= WHOLE; i += FLOATS) {
      const __mmask16 here = i < WHOLE ? (__mmask16)-1 : left;
      _mm_prefetch((const char *)(x + i + LONG), _MM_HINT_T0);
      const __m512 d = _mm512_sub_ps(_mm512_maskz_loadu_ps(here, x + i), middle);
      const __m512 e = _mm512_add_ps(_mm512_mul_ps(d, factor), shift);
      _mm512_mask_storeu_ps(y + i, here,
                            _mm512_add_ps(_mm512_mul_ps(e, _mm512_maskz_loadu_ps(here, w + i)),
                                          _mm512_maskz_loadu_ps(here, b + i)));
    }
  }
}

/* The sums of four lines, for the lines and for weight and bias, over 64 lines in a buffer that stays
 * in L1; blocks of 32 vectors of floats. */
static inline void sum_group(const float *x, const float *g, const float *weights,
                             const float *means, const float *stds, float *ofWeight, float *ofBias,
                             double *sums, double *dots)
{
  for (int from = 0; from < LONG; from += 32 * FLOATS) {
    __m512 s[GROUP] = {_mm512_setzero_ps()}, d[GROUP] = {_mm512_setzero_ps()};
    for (int i = from; i < LONG && i < from + 32 * FLOATS; i += FLOATS) {
      const __mmask16 here = i < WHOLE ? (__mmask16)-1 : left;
      const __m512 w = _mm512_maskz_loadu_ps(here, weights + i);
      __m512 v = _mm512_maskz_loadu_ps(here, ofWeight + i);
      __m512 b = _mm512_maskz_loadu_ps(here, ofBias + i);
#pragma GCC unroll 4
      for (int k = 0; k < GROUP; k++) {
        const __m512 e = _mm512_maskz_loadu_ps(here, g + k * LONG + i);
        const __m512 away = _mm512_maskz_sub_ps(here, _mm512_maskz_loadu_ps(here, x + k * LONG + i),
                                                _mm512_set1_ps(means[k]));
        const __m512 h = _mm512_mul_ps(e, w);
        s[k] = _mm512_add_ps(s[k], h);
        d[k] = _mm512_add_ps(d[k], _mm512_mul_ps(h, away));
        b = _mm512_add_ps(b, e);
        v = _mm512_add_ps(v, _mm512_mul_ps(e, _mm512_mul_ps(away, _mm512_set1_ps(stds[k]))));
      }
      _mm512_mask_storeu_ps(ofWeight + i, here, v);
      _mm512_mask_storeu_ps(ofBias + i, here, b);
    }
    for (int k = 0; k < GROUP; k++) {
      sums[k] += all_of(s[k]);
      dots[k] += all_of(d[k]);
    }
  }
}

/* The gradient of four lines. */
static inline void group_gradient(const float *x, const float *g, float *y, const float *weights,
                                  const float *means, const float *stds, const double *sums,
                                  const double *dots)
{
  for (int k = 0; k < GROUP; k++, x += LONG, g += LONG, y += LONG) {
    const double r = stds[k], each = r / LONG;
    const __m512 factor = _mm512_set1_ps((float)r), middle = _mm512_set1_ps(means[k]);
    const __m512 slope = _mm512_set1_ps((float)(-each * (r * dots[k])));
    const __m512 shift = _mm512_set1_ps((float)(-each * sums[k]));
#pragma GCC unroll 2
    for (int i = 0; i <= WHOLE; i += FLOATS) {
      const __mmask16 here = i < WHOLE ? (__mmask16)-1 : left;
      _mm_prefetch((const char *)(x + i + GROUP * LONG), _MM_HINT_T0);
      _mm_prefetch((const char *)(g + i + GROUP * LONG), _MM_HINT_T0);
      const __m512 away = _mm512_sub_ps(_mm512_maskz_loadu_ps(here, x + i), middle);
      const __m512 rest = _mm512_add_ps(_mm512_mul_ps(_mm512_mul_ps(away, factor), slope), shift);
      const __m512 h = _mm512_mul_ps(_mm512_maskz_loadu_ps(here, g + i),
                                     _mm512_maskz_loadu_ps(here, weights + i));
      _mm512_mask_storeu_ps(y + i, here, _mm512_add_ps(_mm512_mul_ps(h, factor), rest));
    }
  }
}

/* All sums of four lines in one pass. */
static void sketch_layer_norm_backward(void *unused)
{
  (void)unused;
  float *y = new_lines(), *const ofWeight = of(grads), *const ofBias = of(grads) + LONG;
  const float *const allX = floats(on.x), *const allG = floats(on.g), *const weights = of(weight);
  const float *const means = of(mean), *const stds = of(std);
  double totals[2 * LONG] = {0};
  for (int line = 0; line < LINES; line += GROUP) {
    const float *x = allX + line * LONG, *g = allG + line * LONG;
    double sums[GROUP] = {0}, dots[GROUP] = {0};
    if (line % PART == 0)
      memset(ofWeight, 0, 2 * LONG * sizeof *ofWeight);
    sum_group(x, g, weights, means + line, stds + line, ofWeight, ofBias, sums, dots);
    group_gradient(x, g, y, weights, means + line, stds + line, sums, dots);
    y += GROUP * LONG;
    if (line % PART == PART - GROUP)
      for (int i = 0; i < 2 * LONG; i++)
        totals[i] += (double)ofWeight[i];
  }
  for (int i = 0; i < 2 * LONG; i++)
    ofWeight[i] = (float)totals[i];
}

const Experiment norms_experiments[] = {
    {"nn.batchnorm.fwd", "32 x 64 x 56 x 56", 2.0 * BATCH *JUMP, BATCH *JUMP, prepare_batch,
     batch_norm, sketch_batch_norm},
    {"nn.batchnorm.eval", "32 x 64 x 56 x 56", BATCH *JUMP, BATCH *JUMP, prepare_batch,
     batch_norm_given, sketch_batch_norm_given},
    {"nn.batchnorm.bwd", "32 x 64 x 56 x 56", 4.0 * BATCH *JUMP, BATCH *JUMP, prepare_batch,
     batch_norm_backward, sketch_batch_norm_backward},
    {"nn.layernorm.fwd", "1024 x 1000", LINES *LONG, LINES *LONG, prepare_lines, layer_norm,
     sketch_layer_norm},
    {"nn.layernorm.bwd", "1024 x 1000", 2.0 * LINES *LONG, LINES *LONG, prepare_lines,
     layer_norm_backward, sketch_layer_norm_backward},
    {0},
};

#endif
