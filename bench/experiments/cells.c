/* Experiments: what follows the products in recurrent cells. */
#include "THNN/THNN.h"
#include "experiments.h"

#if defined(__AVX512F__)

enum { ROWS = 64, UNITS = 512, ALL = ROWS * UNITS };

static at_tensor *work, *cell, *room;

static THFloatTensor *th(at_tensor *t)
{
  return at_unsafeGetTH(t);
}

/* x: what one product gave, g: the other, y: the cell before. */
static void prepare(int gates)
{
  at_release(work);
  at_release(cell);
  at_release(room);
  on.x = normal(AT_SHAPE(ROWS, gates * UNITS));
  on.g = normal(AT_SHAPE(ROWS, gates * UNITS));
  on.y = normal(AT_SHAPE(ROWS, UNITS));
  work = normal(AT_SHAPE(ROWS, gates * UNITS));
  cell = normal(AT_SHAPE(ROWS, UNITS));
  room = normal(AT_SHAPE(ROWS, 5 * UNITS));
  give_results(AT_SHAPE(ROWS, UNITS), 0);
}

static void prepare_lstm(void)
{
  prepare(4);
}

static void prepare_gru(void)
{
  prepare(3);
}

/* The function writes over its operand. */
static void lstm(void *unused)
{
  (void)unused;
  at_copy_(work, on.x);
  THNN_FloatLSTMFused_updateOutput(NULL, th(work), th(on.g), NULL, NULL, th(on.y), th(on.result),
                                   th(cell));
}

static void gru(void *unused)
{
  (void)unused;
  THNN_FloatGRUFused_updateOutput(NULL, th(on.x), th(on.g), NULL, NULL, th(on.y), th(on.result),
                                  th(room));
}

/* --- sigmoids and hyperbolic tangents without tables, of numbers that are not far out ----------
 */

/* e^(scale x) of |x| < 40 by a polynomial of degree 5, 11 operations. */
static inline __m512 power(__m512 x, float scale)
{
  const float terms[] = {0x1.0ee54ep-7f, 0x1.573b6p-5f, 0x1.555328p-3f, 0x1.fffdb2p-2f, 1, 1};
  const __m512 z = _mm512_mul_ps(x, _mm512_set1_ps(scale * 0x1.715476p+0f));
  const __m512 k = _mm512_roundscale_ps(z, 0);
  const __m512 r =
      _mm512_fmadd_ps(k, _mm512_set1_ps(-0x1.62e43p-1f), _mm512_mul_ps(x, _mm512_set1_ps(scale)));
  __m512 sum = _mm512_set1_ps(terms[0]);
  for (int i = 1; i < 6; i++)
    sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(terms[i]));
  return _mm512_scalef_ps(sum, k);
}

/* 1 / a, good to two units: an estimate and one step. */
static inline __m512 inverse(__m512 a)
{
  const __m512 y = _mm512_rcp14_ps(a);
  return _mm512_fmadd_ps(y, _mm512_fnmadd_ps(a, y, _mm512_set1_ps(1)), y);
}

static inline __m512 sigmoid(__m512 x)
{
  return inverse(_mm512_add_ps(power(x, -1), _mm512_set1_ps(1)));
}

/* 1 - 2 / (1 + e^2x), which is good to 1e-7 and not to units in the last place. */
static inline __m512 hyperbolic(__m512 x)
{
  const __m512 one = _mm512_set1_ps(1);
  return _mm512_fnmadd_ps(_mm512_set1_ps(2), inverse(_mm512_add_ps(power(x, 2), one)), one);
}

static inline __m512 sum_at(const float *x, const float *h)
{
  return _mm512_add_ps(_mm512_loadu_ps(x), _mm512_loadu_ps(h));
}

static void sketch_lstm(void *unused)
{
  (void)unused;
  for (int row = 0; row < ROWS; row++) {
    const float *x = floats(on.x) + row * 4 * UNITS, *h = floats(on.g) + row * 4 * UNITS;
    const float *before = floats(on.y) + row * UNITS;
    float *to = floats(work) + row * 4 * UNITS, *y = floats(on.sketched) + row * UNITS;
    float *after = floats(cell) + row * UNITS;
    memcpy(to, x, 4 * UNITS * sizeof *to);
    for (int i = 0; i < UNITS; i += FLOATS) {
      const __m512 in = sigmoid(sum_at(to + i, h + i));
      const __m512 forget = sigmoid(sum_at(to + UNITS + i, h + UNITS + i));
      const __m512 new = hyperbolic(sum_at(to + 2 * UNITS + i, h + 2 * UNITS + i));
      const __m512 out = sigmoid(sum_at(to + 3 * UNITS + i, h + 3 * UNITS + i));
      const __m512 c = _mm512_fmadd_ps(forget, _mm512_loadu_ps(before + i), _mm512_mul_ps(in, new));
      _mm512_storeu_ps(to + i, in);
      _mm512_storeu_ps(to + UNITS + i, forget);
      _mm512_storeu_ps(to + 2 * UNITS + i, new);
      _mm512_storeu_ps(to + 3 * UNITS + i, out);
      _mm512_storeu_ps(after + i, c);
      _mm512_storeu_ps(y + i, _mm512_mul_ps(out, hyperbolic(c)));
    }
  }
}

static void sketch_gru(void *unused)
{
  (void)unused;
  for (int row = 0; row < ROWS; row++) {
    const float *x = floats(on.x) + row * 3 * UNITS, *h = floats(on.g) + row * 3 * UNITS;
    const float *before = floats(on.y) + row * UNITS;
    float *y = floats(on.sketched) + row * UNITS, *kept = floats(room) + row * 5 * UNITS;
    for (int i = 0; i < UNITS; i += FLOATS) {
      const __m512 r = sigmoid(sum_at(x + i, h + i));
      const __m512 z = sigmoid(sum_at(x + UNITS + i, h + UNITS + i));
      const __m512 scaled = _mm512_loadu_ps(h + 2 * UNITS + i), old = _mm512_loadu_ps(before + i);
      const __m512 new = hyperbolic(_mm512_fmadd_ps(r, scaled, _mm512_loadu_ps(x + 2 * UNITS + i)));
      _mm512_storeu_ps(kept + i, r);
      _mm512_storeu_ps(kept + UNITS + i, z);
      _mm512_storeu_ps(kept + 2 * UNITS + i, new);
      _mm512_storeu_ps(kept + 3 * UNITS + i, old);
      _mm512_storeu_ps(kept + 4 * UNITS + i, scaled);
      _mm512_storeu_ps(y + i, _mm512_fmadd_ps(z, _mm512_sub_ps(old, new), new));
    }
  }
}

const Experiment cell_experiments[] = {
    {"nn.lstm_pointwise", "64 x 512", 9 * ALL, 6 * ALL, prepare_lstm, lstm, sketch_lstm},
    {"nn.gru_pointwise", "64 x 512", 7 * ALL, 6 * ALL, prepare_gru, gru, sketch_gru},
    {0},
};

#endif
