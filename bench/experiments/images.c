/* Experiments: images made larger, and images at the points of a grid. */
#include "experiments.h"

#if defined(__AVX512F__)
/* --- images made larger ---------------------------------------------------------------------- */

enum { PLANES = 32 * 64, FROM = 28, TO = 2 * FROM, GROUPS = 4, LATER = 8192 / sizeof(float) };

static void prepare_upsampling(void)
{
  on.x = normal(AT_SHAPE(32, 64, FROM, FROM));
  give_results(AT_SHAPE(32, 64, TO, TO), 0);
}

static void prepare_upsampling_back(void)
{
  on.g = normal(AT_SHAPE(32, 64, TO, TO));
  give_results(AT_SHAPE(32, 64, FROM, FROM), 0);
}

static void bilinear(void *unused)
{
  (void)unused;
  at_upsample_bilinear2d_out(on.result, on.x, AT_SHAPE(TO, TO));
}

static void nearest(void *unused)
{
  (void)unused;
  at_upsample_nearest2d_out(on.result, on.x, 2);
}

static void bilinear_back(void *unused)
{
  (void)unused;
  at_upsample_bilinear2d_backward_out(on.result, on.g, AT_SHAPE(TO, TO),
                                      AT_SHAPE(32, 64, FROM, FROM));
}

static int before(int k)
{
  return k * (FROM - 1) / (TO - 1);
}

static float weight_after(int k)
{
  return (float)(k * (FROM - 1) % (TO - 1)) / (TO - 1);
}

/* Row y of a result, of which the last group is a half, and what comes later is fetched. */
static inline void put_row(float *y, const __m512 *v)
{
  for (int q = 0; q < GROUPS; q++)
    __builtin_prefetch(y + q * FLOATS + LATER, 1);
  for (int q = 0; q < GROUPS - 1; q++)
    _mm512_storeu_ps(y + q * FLOATS, v[q]);
  _mm256_storeu_ps(y + (GROUPS - 1) * FLOATS, _mm512_castps512_ps256(v[GROUPS - 1]));
}

/* Rows are made longer in registers: all of a row is two vectors, of which one instruction picks.
 */
static void sketch_bilinear(void *unused)
{
  (void)unused;
  __m512i lower[GROUPS], upper[GROUPS];
  __m512 weight[GROUPS], row[2][GROUPS];
  for (int q = 0; q < GROUPS; q++)
    for (int l = 0; l < FLOATS; l++) {
      const int k = q * FLOATS + l < TO ? q * FLOATS + l : TO - 1, at = before(k);
      const int next = at + 1 < FROM ? at + 1 : at;
      ((int32_t *)&lower[q])[l] = at < FLOATS ? at : at + FLOATS - (FROM - FLOATS);
      ((int32_t *)&upper[q])[l] = next < FLOATS ? next : next + FLOATS - (FROM - FLOATS);
      ((float *)&weight[q])[l] = weight_after(k);
    }
  const float *x = floats(on.x);
  float *y = floats(on.sketched);
  for (int plane = 0; plane < PLANES; plane++, x += FROM * FROM)
    for (int j = 0, made = 0; j < TO; j++, y += TO) {
      const int at = before(j), last = at + 1 < FROM ? at + 1 : at;
      for (; made <= last; made++) {
        const __m512 a = _mm512_loadu_ps(x + made * FROM);
        const __m512 b = _mm512_loadu_ps(x + made * FROM + FROM - FLOATS);
        __builtin_prefetch(x + made * FROM + LATER);
        __builtin_prefetch(x + made * FROM + LATER + FLOATS);
        for (int q = 0; q < GROUPS; q++) {
          const __m512 v = _mm512_permutex2var_ps(a, lower[q], b);
          const __m512 w = _mm512_permutex2var_ps(a, upper[q], b);
          row[made % 2][q] = _mm512_fmadd_ps(weight[q], _mm512_sub_ps(w, v), v);
        }
      }
      const __m512 below = _mm512_set1_ps(weight_after(j));
      const __m512 *v = row[at % 2], *w = row[last % 2];
      __m512 sum[GROUPS];
      for (int q = 0; q < GROUPS; q++)
        sum[q] = _mm512_fmadd_ps(below, _mm512_sub_ps(w[q], v[q]), v[q]);
      put_row(y, sum);
    }
}

static void sketch_nearest(void *unused)
{
  (void)unused;
  const __m512i first = _mm512_srli_epi32(counting(0, 1), 1);
  const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(FLOATS / 2));
  const __m512i third = _mm512_add_epi32(first, _mm512_set1_epi32(FLOATS - (FROM - FLOATS)));
  const float *x = floats(on.x);
  float *y = floats(on.sketched);
  for (int row = 0; row < PLANES * FROM; row++, x += FROM, y += 2 * TO) {
    const __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + FROM - FLOATS);
    const __m512 all[] = {
        _mm512_permutexvar_ps(first, a), _mm512_permutexvar_ps(second, a),
        _mm512_permutexvar_ps(third, b),
        _mm512_permutexvar_ps(_mm512_add_epi32(third, _mm512_set1_epi32(FLOATS / 2)), b)};
    __builtin_prefetch(x + LATER);
    __builtin_prefetch(x + LATER + FLOATS);
    put_row(y, all);
    put_row(y + TO, all);
  }
}

/* The rows that come from an input row are added up in registers, of which each element of the
 * result picks a few. */
static void sketch_bilinear_back(void *unused)
{
  (void)unused;
  enum { TAPS = 5, HALF = FROM - FLOATS };
  static const int starts[] = {0, HALF};
  __m512i pick[2][TAPS];
  __m512 weight[2][TAPS];
  int base[2];
  for (int h = 0; h < 2; h++) {
    base[h] = h ? TO - 2 * FLOATS : 0;
    for (int l = 0; l < FLOATS; l++) {
      const int place = starts[h] + l;
      int t = 0;
      for (int k = 0; k < TO; k++) {
        const float w = before(k) == place       ? 1 - weight_after(k)
                        : before(k) + 1 == place ? weight_after(k)
                                                 : 0;
        if (w == 0)
          continue;
        ((int32_t *)&pick[h][t])[l] = k - base[h];
        ((float *)&weight[h][t++])[l] = w;
      }
      for (; t < TAPS; t++) {
        ((int32_t *)&pick[h][t])[l] = 0;
        ((float *)&weight[h][t])[l] = 0;
      }
    }
  }
  const float *g = floats(on.g);
  float *y = floats(on.sketched);
  for (int plane = 0; plane < PLANES; plane++, g += TO * TO)
    for (int i = 0, begin = 0; i < FROM; i++, y += FROM) {
      __m512 sum[GROUPS] = {_mm512_setzero_ps()};
      while (before(begin) + 1 < i)
        begin++;
      for (int j = begin; j < TO && before(j) <= i; j++) {
        const __m512 w = _mm512_set1_ps(before(j) == i ? 1 - weight_after(j) : weight_after(j));
        for (int q = 0; q < 2; q++) {
          const float *from = g + j * TO + q * FLOATS;
          sum[q] = _mm512_fmadd_ps(w, _mm512_loadu_ps(from), sum[q]);
          from += TO - 2 * FLOATS;
          sum[2 + q] = _mm512_fmadd_ps(w, _mm512_loadu_ps(from), sum[2 + q]);
          __builtin_prefetch(from + LATER);
          __builtin_prefetch(from - (TO - 2 * FLOATS) + LATER);
        }
      }
      for (int h = 1; h >= 0; h--) { /* the last of the first half would need a third vector */
        __m512 all = _mm512_setzero_ps();
        for (int t = 0; t < TAPS; t++)
          all = _mm512_fmadd_ps(
              weight[h][t], _mm512_permutex2var_ps(sum[2 * h], pick[h][t], sum[2 * h + 1]), all);
        _mm512_mask_storeu_ps(y + starts[h], h ? 0xffff : 0x7fff, all);
        __builtin_prefetch(y + starts[h] + LATER, 1);
      }
    }
}

/* --- images at the points of a grid ---------------------------------------------------------- */

enum { IMAGES = 8, DEEP = 32, SIDE = 64, POINTS = SIDE * SIDE };

static void prepare_grid(void)
{
  on.x = normal(AT_SHAPE(IMAGES, DEEP, SIDE, SIDE));
  on.y = at_empty(AT_SHAPE(IMAGES, SIDE, SIDE, 2), .type = AT_CPU(AT_FLOAT));
  for (int i = 0; i < IMAGES * POINTS * 2; i++)
    floats(on.y)[i] = (float)((uint32_t)i * 2654435761u) / 4294967296.f * 2.2f - 1.1f;
  give_results(AT_SHAPE(IMAGES, DEEP, SIDE, SIDE), 0);
}

static void grid_sample(void *unused)
{
  (void)unused;
  at_release(on.result);
  on.result = at_grid_sampler_2d(on.x, on.y);
}

/* As ours, but all planes of an image are turned over at once, and corners are found once. */
static void sketch_grid_sample(void *unused)
{
  (void)unused;
  static float turned[POINTS * DEEP] __attribute__((aligned(64)));
  const __m512 one = _mm512_set1_ps(1), last = _mm512_set1_ps(SIDE - 1);
  for (int image = 0; image < IMAGES; image++) {
    const float *x = floats(on.x) + (ptrdiff_t)image * DEEP * POINTS;
    float *y = floats(on.sketched) + (ptrdiff_t)image * DEEP * POINTS;
    for (int i = 0; i < POINTS; i += FLOATS)
      for (int p = 0; p < DEEP; p += FLOATS)
        turn_square(x + p * POINTS + i, POINTS, turned + i * DEEP + p, DEEP);
    for (int i = 0; i < POINTS; i += FLOATS) {
      const float *grid = floats(on.y) + (image * POINTS + i) * 2;
      __m512 part[2][2];
      __m512i low[2];
      __mmask16 inside[2][2];
      for (int a = 0; a < 2; a++) {
        const __m512 at = _mm512_mul_ps(
            _mm512_mul_ps(
                _mm512_add_ps(_mm512_permutex2var_ps(_mm512_loadu_ps(grid), counting(a, 2),
                                                     _mm512_loadu_ps(grid + FLOATS)),
                              one),
                _mm512_set1_ps(.5f)),
            last);
        const __m512 whole = _mm512_roundscale_ps(at, _MM_FROUND_TO_NEG_INF);
        low[a] = _mm512_cvttps_epi32(whole);
        part[a][1] = _mm512_sub_ps(at, whole);
        part[a][0] = _mm512_sub_ps(one, part[a][1]);
        for (int k = 0; k < 2; k++)
          inside[a][k] = _mm512_cmplt_epu32_mask(_mm512_add_epi32(low[a], _mm512_set1_epi32(k)),
                                                 _mm512_set1_epi32(SIDE));
      }
      int32_t where[4][FLOATS] __attribute__((aligned(64)));
      float weight[4][FLOATS] __attribute__((aligned(64)));
      float found[FLOATS * DEEP] __attribute__((aligned(64)));
      for (int k = 0; k < 4; k++) {
        const __mmask16 there = inside[1][k / 2] & inside[0][k % 2];
        const __m512i row = _mm512_add_epi32(low[1], _mm512_set1_epi32(k / 2));
        const __m512i place = _mm512_add_epi32(_mm512_mullo_epi32(row, _mm512_set1_epi32(SIDE)),
                                               _mm512_add_epi32(low[0], _mm512_set1_epi32(k % 2)));
        _mm512_store_si512(where[k], _mm512_maskz_mov_epi32(there, place));
        _mm512_store_ps(weight[k], _mm512_maskz_mul_ps(there, part[1][k / 2], part[0][k % 2]));
      }
      for (int l = 0; l < FLOATS; l++)
        for (int p = 0; p < DEEP; p += FLOATS) {
          __m512 sum = _mm512_setzero_ps();
          for (int k = 0; k < 4; k++)
            sum = _mm512_fmadd_ps(_mm512_set1_ps(weight[k][l]),
                                  _mm512_load_ps(turned + where[k][l] * DEEP + p), sum);
          _mm512_store_ps(found + l * DEEP + p, sum);
        }
      for (int p = 0; p < DEEP; p += FLOATS)
        turn_square(found + p, DEEP, y + p * POINTS + i, POINTS);
    }
  }
}

const Experiment images_experiments[] = {
    {"nn.upsample.nearest.fwd", "32 x 64 x 28 x 28 by 2", PLANES *FROM *FROM, PLANES *TO *TO,
     prepare_upsampling, nearest, sketch_nearest},
    {"nn.upsample.bilinear.fwd", "32 x 64 x 28 x 28 by 2", PLANES *FROM *FROM, PLANES *TO *TO,
     prepare_upsampling, bilinear, sketch_bilinear},
    {"nn.upsample.bilinear.bwd", "32 x 64 x 28 x 28 by 2", PLANES *TO *TO, PLANES *FROM *FROM,
     prepare_upsampling_back, bilinear_back, sketch_bilinear_back},
    {"nn.gridsample.fwd", "8 x 32 x 64 x 64", IMAGES *(DEEP + 2) * POINTS, IMAGES *DEEP *POINTS,
     prepare_grid, grid_sample, sketch_grid_sample},
    {0},
};

#endif
