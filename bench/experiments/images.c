/* Experiments: upsampling and grid sampling. */
#include "experiments.h"

#if defined(__AVX512F__)
/* --- upsampling ------------------------------------------------------------------------------ */

enum { PLANES = 32 * 64, FROM = 28, TO = 2 * FROM, GROUPS = 4, LATER = 8192 / sizeof(float) };

static void prepare_upsampling(void)
{
  on.x = normal(AT_SHAPE(32, 64, FROM, FROM));
  give_results(AT_SHAPE(32, 64, TO, TO), 0);
}

static void prepare_upsampling_backward(void)
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

static void bilinear_backward(void *unused)
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

/* The first of two neighbours' weights.  What weighs nothing does not count, whatever it is: the
 * other one is taken twice. */
enum { TWICE = 64 };

static float weight_before(int k)
{
  return weight_after(k) == 0 ? 1 - 1.f / TWICE : 1 - weight_after(k);
}

/* Row y of a result, of which the last group is a half, and what comes later is prefetched. */
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
  __m512 weights[2][GROUPS], row[2][GROUPS];
  for (int q = 0; q < GROUPS; q++)
    for (int l = 0; l < FLOATS; l++) {
      const int k = q * FLOATS + l < TO ? q * FLOATS + l : TO - 1, at = before(k);
      const int next = weight_after(k) == 0 ? at : at + 1;
      ((int32_t *)&lower[q])[l] = at < FLOATS ? at : at + FLOATS - (FROM - FLOATS);
      ((int32_t *)&upper[q])[l] = next < FLOATS ? next : next + FLOATS - (FROM - FLOATS);
      ((float *)&weights[0][q])[l] = weight_before(k);
      ((float *)&weights[1][q])[l] = 1 - weight_before(k);
    }
  struct {
    int at, last;
    float above, below;
  } rows[TO];
  for (int j = 0; j < TO; j++) {
    rows[j].at = before(j);
    rows[j].last = weight_after(j) == 0 ? rows[j].at : rows[j].at + 1;
    rows[j].above = weight_before(j);
    rows[j].below = 1 - weight_before(j);
  }
  const int from = unknown(FROM), to = unknown(TO);
  const float *x = floats(on.x);
  float *y = floats(on.sketched);
  for (int plane = 0; plane < PLANES; plane++, x += from * from)
    for (int j = 0, made = 0; j < to; j++, y += to) {
      for (; made <= rows[j].last; made++) {
        const __m512 a = _mm512_loadu_ps(x + made * from);
        const __m512 b = _mm512_loadu_ps(x + made * from + from - FLOATS);
        __builtin_prefetch(x + made * from + LATER);
        __builtin_prefetch(x + made * from + LATER + FLOATS);
        for (int q = 0; q < GROUPS; q++) {
          const __m512 v = _mm512_permutex2var_ps(a, lower[q], b);
          const __m512 w = _mm512_permutex2var_ps(a, upper[q], b);
          row[made % 2][q] = _mm512_fmadd_ps(weights[1][q], w, _mm512_mul_ps(weights[0][q], v));
        }
      }
      const __m512 above = _mm512_set1_ps(rows[j].above), below = _mm512_set1_ps(rows[j].below);
      const __m512 *v = row[rows[j].at % 2], *w = row[rows[j].last % 2];
      __m512 sum[GROUPS];
      for (int q = 0; q < GROUPS; q++)
        sum[q] = _mm512_fmadd_ps(below, w[q], _mm512_mul_ps(above, v[q]));
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
static void sketch_bilinear_backward(void *unused)
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
      const int position = starts[h] + l;
      int t = 0;
      for (int k = 0; k < TO; k++) {
        const float w = before(k) == position       ? 1 - weight_after(k)
                        : before(k) + 1 == position ? weight_after(k)
                                                    : 0;
        if (w == 0)
          continue;
        ((int32_t *)&pick[h][t])[l] = k - base[h];
        ((float *)&weight[h][t++])[l] = w;
      }
      for (; t < TAPS; t++) { /* the first one is taken again */
        ((int32_t *)&pick[h][t])[l] = ((int32_t *)&pick[h][0])[l];
        ((float *)&weight[h][t])[l] = ((float *)&weight[h][0])[l] / TWICE;
        ((float *)&weight[h][0])[l] -= ((float *)&weight[h][t])[l];
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
        if (before(j) < i && weight_after(j) == 0)
          continue;
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
          all =
              _mm512_fmadd_ps(weight[h][t],
                              _mm512_permutex2var_ps(sum[2 * h], pick[h][t], sum[2 * h + 1]), all);
        _mm512_mask_storeu_ps(y + starts[h], h ? 0xffff : 0x7fff, all);
        __builtin_prefetch(y + starts[h] + LATER, 1);
      }
    }
}

/* --- grid sampling --------------------------------------------------------------------------- */

enum { IMAGES = 8, DEEP = 32, SIDE = 64, POINTS = SIDE * SIDE };

/* From 0 to 1; points lie all over an image. */
static float scattered(uint32_t i)
{
  i *= 2654435761u;
  i = (i ^ i >> 15) * 2246822519u;
  return (float)(i ^ i >> 13) / 4294967296.f;
}

static void prepare_grid(void)
{
  on.x = normal(AT_SHAPE(IMAGES, DEEP, SIDE, SIDE));
  on.y = at_empty(AT_SHAPE(IMAGES, SIDE, SIDE, 2), .type = AT_CPU(AT_FLOAT));
  for (int i = 0; i < IMAGES * POINTS * 2; i++)
    floats(on.y)[i] = scattered((uint32_t)i) * 2.2f - 1.1f;
  give_results(AT_SHAPE(IMAGES, DEEP, SIDE, SIDE), 0);
}

static void grid_sample(void *unused)
{
  (void)unused;
  at_release(on.result);
  on.result = at_grid_sampler_2d(on.x, on.y);
}

/* Vectors of points: the first of four positions, and their weights, upper and lower pairs of
 * neighbours one after the other. */
static __m512i corner[POINTS / FLOATS];
static __m512 weights[POINTS / FLOATS][4];

/* Of 16 points along one axis: the first of two positions that are inside; how far the points are
 * from the positions before and behind them; and which points lie between the two, before them or
 * behind. */
typedef struct {
  __m512i first;
  __m512 second, rest;
  __mmask16 near, before, behind;
} Axis;

static inline __attribute__((always_inline)) Axis find_axis(const float *grid, int axis)
{
  const __m512 one = _mm512_set1_ps(1), last = _mm512_set1_ps(SIDE - 1);
  const __m512i most = _mm512_set1_epi32(SIDE - 2), none = _mm512_setzero_si512();
  const __m512 number = _mm512_permutex2var_ps(_mm512_loadu_ps(grid), counting(axis, 2),
                                               _mm512_loadu_ps(grid + FLOATS));
  const __m512 at =
      _mm512_mul_ps(_mm512_mul_ps(_mm512_add_ps(number, one), _mm512_set1_ps(.5f)), last);
  const __m512 low = _mm512_roundscale_ps(at, _MM_FROUND_TO_NEG_INF);
  const __m512i whole = _mm512_cvttps_epi32(low);
  const __m512 second = _mm512_sub_ps(at, low);
  const __m512i first = _mm512_max_epi32(none, _mm512_min_epi32(whole, most));
  const __m512i moved = _mm512_sub_epi32(whole, first);
  return (Axis){.first = first,
                .second = second,
                .rest = _mm512_sub_ps(one, second),
                .near = _mm512_cmpeq_epi32_mask(moved, none),
                .before = _mm512_cmpeq_epi32_mask(moved, _mm512_set1_epi32(-1)),
                .behind = _mm512_cmpeq_epi32_mask(moved, _mm512_set1_epi32(1))};
}

/* a where the one mask says so, b where the other does, else 0. */
static inline __m512 by_place(__mmask16 one, __m512 a, __mmask16 other, __m512 b)
{
  return _mm512_mask_mov_ps(_mm512_maskz_mov_ps(one, a), other, b);
}

static void find_corners(const float *grid)
{
  for (int i = 0; i < POINTS / FLOATS; i++, grid += 2 * FLOATS) {
    __m512 part[2][2];
    __m512i first[2];
    for (int a = 0; a < 2; a++) {
      const Axis axis = find_axis(grid, a);
      first[a] = axis.first;
      part[a][0] = by_place(axis.near, axis.rest, axis.before, axis.second);
      part[a][1] = by_place(axis.near, axis.second, axis.behind, axis.rest);
    }
    corner[i] = _mm512_add_epi32(_mm512_mullo_epi32(first[1], _mm512_set1_epi32(SIDE)), first[0]);
    for (int k = 0; k < 4; k++) {
      const __m512 left = _mm512_mul_ps(part[1][k / 2], part[0][0]);
      const __m512 right = _mm512_mul_ps(part[1][k / 2], part[0][1]);
      weights[i][k] = _mm512_permutex2var_ps(left, by_turns(k % 2 * (FLOATS / 2)), right);
    }
  }
}

/* A vector of points, of which neighbours are gathered as one number. */
static inline __m512 points_of(const float *x, int i)
{
  __m512 half[2];
  for (int h = 0; h < 2; h++) {
    const __m256i at =
        h ? _mm512_extracti64x4_epi64(corner[i], 1) : _mm512_castsi512_si256(corner[i]);
    const __m512 upper = _mm512_castpd_ps(_mm512_i32gather_pd(at, x, 4));
    const __m512 lower = _mm512_castpd_ps(_mm512_i32gather_pd(at, x + SIDE, 4));
    half[h] = _mm512_fmadd_ps(lower, weights[i][2 + h], _mm512_mul_ps(upper, weights[i][h]));
  }
  return _mm512_add_ps(_mm512_permutex2var_ps(half[0], counting(0, 2), half[1]),
                       _mm512_permutex2var_ps(half[0], counting(1, 2), half[1]));
}

/* Where a result is not a number, what weighs nothing may have made it so: it is computed again. */
static void sketch_grid_sample(void *unused)
{
  (void)unused;
  __mmask16 wrong = 0;
  for (int image = 0; image < IMAGES; image++) {
    find_corners(floats(on.y) + (ptrdiff_t)image * POINTS * 2);
    for (int p = 0; p < DEEP; p += 2) {
      const float *x = floats(on.x) + (ptrdiff_t)(image * DEEP + p) * POINTS;
      float *y = floats(on.sketched) + (ptrdiff_t)(image * DEEP + p) * POINTS;
      for (int i = 0; i < POINTS / FLOATS; i++)
        for (int k = 0; k < 2; k++) {
          __builtin_prefetch(x + (2 + k) * POINTS + i * FLOATS, 0, 2);
          __builtin_prefetch(y + k * POINTS + i * FLOATS + 512, 1);
          const __m512 points = points_of(x + k * POINTS, i);
          wrong |= _mm512_cmp_ps_mask(points, points, _CMP_UNORD_Q);
          _mm512_storeu_ps(y + k * POINTS + i * FLOATS, points);
        }
    }
  }
  if (wrong)
    grid_sample(NULL);
}

/* --- and their gradients --------------------------------------------------------------------- */

enum {
  ALL = IMAGES * DEEP * POINTS,
  POINT_BLOCK = 64,
  CORNERS = 4,
  DOUBLES = 8,
  PREFETCH_POINTS = 64
};

/* Results are the image's gradient and the grid's behind it. */
static void prepare_grid_backward(void)
{
  prepare_grid();
  at_release(on.result);
  at_release(on.sketched);
  on.g = normal(AT_SHAPE(IMAGES, DEEP, SIDE, SIDE));
  give_results(AT_SHAPE(ALL + 2 * IMAGES * POINTS), 0);
}

static void grid_sample_backward(void *unused)
{
  (void)unused;
  at_release(on.result);
  at_release(on.more);
  const at_grad_input_grad_grid made =
      at_grid_sampler_2d_backward(on.g, on.x, on.y, .output_mask = AT_INTS(1, 1));
  on.result = made.grad_input;
  on.more = made.grad_grid;
}

/* Points' numbers: the offset of the first of four elements, the weights, and how they change with
 * the point, upper ones first. */
static int32_t offset[POINTS];
static float weigh[POINTS][CORNERS], change[2][CORNERS][POINTS];
static double sums[POINTS][CORNERS];

static void find_changes(const float *grid)
{
  const __m512 half = _mm512_set1_ps(.5f * (SIDE - 1)), away = _mm512_set1_ps(-.5f * (SIDE - 1));
  for (int i = 0; i < POINTS; i += FLOATS, grid += 2 * FLOATS) {
    __m512 part[2][2], slope[2][2];
    __m512i first[2];
    for (int a = 0; a < 2; a++) {
      const Axis axis = find_axis(grid, a);
      first[a] = axis.first;
      part[a][0] = by_place(axis.near, axis.rest, axis.before, axis.second);
      part[a][1] = by_place(axis.near, axis.second, axis.behind, axis.rest);
      slope[a][0] = by_place(axis.near, away, axis.before, half);
      slope[a][1] = by_place(axis.near, half, axis.behind, away);
    }
    _mm512_storeu_si512(offset + i,
                        _mm512_add_epi32(_mm512_mullo_epi32(first[1], _mm512_set1_epi32(SIDE)),
                                         first[0]));
    float all[CORNERS][FLOATS];
    for (int k = 0; k < CORNERS; k++) {
      _mm512_storeu_ps(all[k], _mm512_mul_ps(part[1][k / 2], part[0][k % 2]));
      _mm512_storeu_ps(change[0][k] + i, _mm512_mul_ps(part[1][k / 2], slope[0][k % 2]));
      _mm512_storeu_ps(change[1][k] + i, _mm512_mul_ps(slope[1][k / 2], part[0][k % 2]));
    }
    for (int l = 0; l < FLOATS; l++)
      for (int k = 0; k < CORNERS; k++)
        weigh[i + l][k] = all[k][l];
  }
}

/* Eight vectors become one of their sums. */
static inline __m512d total_of_each(const __m512d *v)
{
  __m512d pair[4], four[2];
  for (int i = 0; i < 4; i++)
    pair[i] = _mm512_add_pd(_mm512_unpacklo_pd(v[2 * i], v[2 * i + 1]),
                            _mm512_unpackhi_pd(v[2 * i], v[2 * i + 1]));
  const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  for (int i = 0; i < 2; i++)
    four[i] = _mm512_add_pd(_mm512_permutex2var_pd(pair[2 * i], even, pair[2 * i + 1]),
                            _mm512_permutex2var_pd(pair[2 * i], odd, pair[2 * i + 1]));
  return _mm512_add_pd(_mm512_shuffle_f64x2(four[0], four[1], 0x44),
                       _mm512_shuffle_f64x2(four[0], four[1], 0xee));
}

/* A point, of which g has all planes: its weights' gradients, and what it adds to the image's. */
static inline __attribute__((always_inline)) void spread(const float *x, float *y, const float *g,
                                                         const float *weight, __m512d *product)
{
  static const int step[] = {0, DEEP, SIDE * DEEP, SIDE * DEEP + DEEP};
  for (int k = 0; k < CORNERS; k++)
    product[k] = _mm512_setzero_pd();
  for (int v = 0; v < DEEP; v += DOUBLES) {
    const __m512d number = _mm512_cvtps_pd(_mm256_loadu_ps(g + v));
    for (int k = 0; k < CORNERS; k++)
      product[k] =
          _mm512_fmadd_pd(_mm512_cvtps_pd(_mm256_loadu_ps(x + step[k] + v)), number, product[k]);
  }
  enum { VECTORS = DEEP / FLOATS };
  __m512 sum[CORNERS][VECTORS]; /* all are loaded first, as rows are a multiple of 4 KB apart */
  for (int k = 0; k < CORNERS; k++)
    for (int v = 0; v < VECTORS; v++)
      sum[k][v] =
          _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(weight[k]), _mm512_loadu_ps(g + v * FLOATS)),
                        _mm512_loadu_ps(y + step[k] + v * FLOATS));
  for (int k = 0; k < CORNERS; k++)
    for (int v = 0; v < VECTORS; v++)
      _mm512_storeu_ps(y + step[k] + v * FLOATS, sum[k][v]);
}

/* Eight points' gradients, of the sums at corners. */
static inline __m512d slopes_of(int i, int a)
{
  __m512d sum = _mm512_setzero_pd();
  for (int k = 0; k < CORNERS; k++)
    sum = _mm512_fmadd_pd(_mm512_i32gather_pd(_mm512_castsi512_si256(counting(k, CORNERS)), sums[i],
                                              8),
                          _mm512_cvtps_pd(_mm256_loadu_ps(change[a][k] + i)), sum);
  return sum;
}

/* All planes of an image are transposed, so that the elements of one position lie side by side.
 * What is not finite is computed again. */
static void sketch_grid_sample_backward(void *unused)
{
  (void)unused;
  __mmask8 wrong = 0;
  static float x[POINTS * DEEP] __attribute__((aligned(64)));
  static float y[POINTS * DEEP] __attribute__((aligned(64)));
  static float g[POINT_BLOCK * DEEP] __attribute__((aligned(64)));
  for (int image = 0; image < IMAGES; image++) {
    const ptrdiff_t before = (ptrdiff_t)image * POINTS;
    find_changes(floats(on.y) + 2 * before);
    memset(y, 0, sizeof y);
    for (int i = 0; i < POINTS; i += FLOATS)
      for (int p = 0; p < DEEP; p += FLOATS) {
        const float *from = floats(on.x) + before * DEEP + p * POINTS + i;
        for (int l = 0; l < FLOATS; l++)
          __builtin_prefetch(from + l * POINTS + PREFETCH_POINTS, 0, 2);
        transpose_square(from, POINTS, x + i * DEEP + p, DEEP);
      }
    for (int i = 0; i < POINTS; i += POINT_BLOCK) {
      for (int j = 0; j < POINT_BLOCK; j += FLOATS)
        for (int p = 0; p < DEEP; p += FLOATS) {
          const float *from = floats(on.g) + before * DEEP + p * POINTS + i + j;
          for (int l = 0; l < FLOATS; l++)
            __builtin_prefetch(from + l * POINTS + POINT_BLOCK, 0, 2);
          transpose_square(from, POINTS, g + j * DEEP + p, DEEP);
        }
      for (int j = 0; j < POINT_BLOCK; j += 2) {
        __m512d product[2 * CORNERS];
        for (int k = 0; k < 2; k++) {
          const ptrdiff_t at = (ptrdiff_t)offset[i + j + k] * DEEP;
          spread(x + at, y + at, g + (j + k) * DEEP, weigh[i + j + k], product + k * CORNERS);
        }
        const __m512d total = total_of_each(product), nothing = _mm512_sub_pd(total, total);
        wrong |= _mm512_cmp_pd_mask(nothing, nothing, _CMP_UNORD_Q);
        _mm512_storeu_pd(sums[i + j], total);
      }
    }
    for (int i = 0; i < POINTS; i += FLOATS)
      for (int p = 0; p < DEEP; p += FLOATS) {
        float *to = floats(on.sketched) + before * DEEP + p * POINTS + i;
        for (int l = 0; l < FLOATS; l++)
          __builtin_prefetch(to + l * POINTS + PREFETCH_POINTS, 1);
        transpose_square(y + i * DEEP + p, DEEP, to, POINTS);
      }
    for (int i = 0; i < POINTS; i += DOUBLES) {
      float *to = floats(on.sketched) + ALL + 2 * (before + i);
      const __m512 across = _mm512_castps256_ps512(_mm512_cvtpd_ps(slopes_of(i, 0)));
      const __m512 down = _mm512_castps256_ps512(_mm512_cvtpd_ps(slopes_of(i, 1)));
      _mm512_storeu_ps(to, _mm512_permutex2var_ps(across, by_turns(0), down));
    }
  }
  if (wrong)
    grid_sample_backward(NULL);
}

const Experiment images_experiments[] = {
    {"nn.upsample.nearest.fwd", "32 x 64 x 28 x 28 by 2", PLANES *FROM *FROM, PLANES *TO *TO,
     prepare_upsampling, nearest, sketch_nearest},
    {"nn.upsample.bilinear.fwd", "32 x 64 x 28 x 28 by 2", PLANES *FROM *FROM, PLANES *TO *TO,
     prepare_upsampling, bilinear, sketch_bilinear},
    {"nn.upsample.bilinear.bwd", "32 x 64 x 28 x 28 by 2", PLANES *TO *TO, PLANES *FROM *FROM,
     prepare_upsampling_backward, bilinear_backward, sketch_bilinear_backward},
    {"nn.gridsample.fwd", "8 x 32 x 64 x 64", IMAGES *(DEEP + 2) * POINTS, IMAGES *DEEP *POINTS,
     prepare_grid, grid_sample, sketch_grid_sample},
    {"nn.gridsample.bwd", "8 x 32 x 64 x 64", 2 * IMAGES *(DEEP + 1) * POINTS,
     IMAGES *(DEEP + 2) * POINTS, prepare_grid_backward, grid_sample_backward,
     sketch_grid_sample_backward},
    {0},
};

#endif
