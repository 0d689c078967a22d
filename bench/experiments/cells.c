/* Experiments: what follows the products in recurrent cells. */
#include "THNN/THNN.h"
#include "../../src/TH/pointwise/THMathTables.h"
#include "experiments.h"

#if defined(__AVX512F__)

enum { ROWS = 64, UNITS = 512, ALL = ROWS * UNITS };

static at_tensor *work, *cell, *workspace;

static THFloatTensor *th(at_tensor *t)
{
  return at_unsafeGetTH(t);
}

/* x: what one product gave, g: the other, y: the cell before. */
static void prepare(int gates)
{
  at_release(work);
  at_release(cell);
  at_release(workspace);
  on.x = normal(AT_SHAPE(ROWS, gates * UNITS));
  on.g = normal(AT_SHAPE(ROWS, gates * UNITS));
  on.y = normal(AT_SHAPE(ROWS, UNITS));
  work = normal(AT_SHAPE(ROWS, gates * UNITS));
  cell = normal(AT_SHAPE(ROWS, UNITS));
  workspace = normal(AT_SHAPE(ROWS, 5 * UNITS));
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
                                  th(workspace));
}

/* --- sigmoids and hyperbolic tangents, as good and as far out as the library's ---------------- */

static inline __m512 pick(const float *table, __m512i i)
{
  return _mm512_permutex2var_ps(_mm512_loadu_ps(table), i, _mm512_loadu_ps(table + 16));
}

/* 1 / (1 + e^-x): a root of two from the table, two terms of e^r - 1. */
static inline __m512 sigmoid(__m512 x)
{
  const __m512 most = _mm512_set1_ps(87), one = _mm512_set1_ps(1);
  const __m512 near = _mm512_max_ps(-most, _mm512_min_ps(most, x));
  const __m512 rounder = _mm512_set1_ps(0x3p17f);
  const __m512 biased = _mm512_fmadd_ps(near, _mm512_set1_ps(-0x1.715476p+0f), rounder);
  const __m512 k = biased - rounder;
  const __m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(0x1.62e43p-1f), near);
  const __m512 root = pick(THWide_expTable[0], _mm512_castps_si512(biased));
  const __m512 slope = _mm512_fmadd_ps(r, _mm512_set1_ps(0.5f), _mm512_set1_ps(-0x1.0000f6p+0f));
  return one / (one + _mm512_scalef_ps(_mm512_fmadd_ps(root * r, slope, root), k));
}

/* By intervals, 1.2 units. */
static inline __m512 hyperbolic(__m512 x)
{
  const __m512 a = _mm512_min_ps(_mm512_set1_ps(9.25f), _mm512_abs_ps(x));
  const __m512i i = _mm512_srli_epi32(_mm512_castps_si512(a + _mm512_set1_ps(0.625f)), 20);
  const __m512 d = a - pick(THWide_tanhTable[0], i);
  __m512 y = pick(THWide_tanhTable[6], i);
  for (int k = 5; k > 0; k--)
    y = _mm512_fmadd_ps(y, d, pick(THWide_tanhTable[k], i));
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(x),
                                                       _mm512_castps_si512(y),
                                                       _mm512_set1_epi32(INT32_MIN), 0xec));
}

/* The line that is 512 bytes further on, which the processor does not fetch in time by itself. */
static inline void ahead(const float *x)
{
  _mm_prefetch((const char *)(x + 128), _MM_HINT_T0);
}

static inline __m512 sum_at(const float *x, const float *h)
{
  return _mm512_add_ps(_mm512_loadu_ps(x), _mm512_loadu_ps(h));
}

static void sketch_lstm(void *unused)
{
  (void)unused;
  at_copy_(work, on.x);
  for (int row = 0; row < ROWS; row++) {
    const float *h = floats(on.g) + row * 4 * UNITS;
    const float *before = floats(on.y) + row * UNITS;
    float *to = floats(work) + row * 4 * UNITS, *y = floats(on.sketched) + row * UNITS;
    float *after = floats(cell) + row * UNITS;
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
    float *y = floats(on.sketched) + row * UNITS, *kept = floats(workspace) + row * 5 * UNITS;
    for (int i = 0; i < UNITS; i += FLOATS) {
      for (int gate = 0; gate < 3; gate++) {
        ahead(x + gate * UNITS + i);
        ahead(h + gate * UNITS + i);
      }
      ahead(before + i);
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
