/* Gradients of images at the points of a grid, of few planes, where a processor gathers quickly:
 * two planes together. */
#include "GridPairs.h"

/* A vector of points: the first of four places, and what those weigh; what both rows and both
 * columns weigh; how a place's weight changes with the grid's numbers, down and across; and which
 * places are corners. */
typedef struct {
  int32_t at[LANES];
  real weight[4][LANES], row[2][LANES], column[2][LANES], slope[2][LANES];
  __mmask16 inside[4];
} Moves;

/* A vector of points' gradient, but for the slopes, down and across. */
typedef struct {
  double sum[2][LANES];
} Moved;

/* n points, of which the grid has those numbers. */
static void find_moves(const THNN_(Sampler) * s, const real *number, ptrdiff_t n, Moves *m)
{
  for (ptrdiff_t i = 0; i < n; i += LANES, m++) {
    Along x, y;
    pairs_at(s, number + 2 * i, n - i, &y, &x);
    _mm512_storeu_si512(m->at, first_of_pairs(s, &y, &x));
    _mm512_storeu_ps(m->slope[0], y.slope);
    _mm512_storeu_ps(m->slope[1], x.slope);
    for (int k = 0; k < 2; k++) {
      _mm512_storeu_ps(m->row[k], y.weight[k]);
      _mm512_storeu_ps(m->column[k], x.weight[k]);
    }
    for (int k = 0; k < 4; k++) {
      _mm512_storeu_ps(m->weight[k], _mm512_mul_ps(y.weight[k >> 1], x.weight[k & 1]));
      m->inside[k] = y.inside[k >> 1] & x.inside[k & 1];
    }
  }
}

/* What points of a plane at x add to their gradients, times g.  Differences of neighbours are taken
 * first: they lose less than what would be left of large numbers. */
INLINE void move_pairs(const real *x, int64_t width, const Moves *m, __m512 g, __m512 moved[2],
                       int more)
{
  __m512 at[2][2], change[2];
  for (int row = 0; row < 2; row++) {
    const Vector first = (Vector)neighbours(x + row * width, m->at, 0);
    const Vector second = (Vector)neighbours(x + row * width, m->at, 1);
    at[row][0] = _mm512_maskz_mov_ps(m->inside[2 * row], (__m512)MIX(first, second, EVEN));
    at[row][1] = _mm512_maskz_mov_ps(m->inside[2 * row + 1], (__m512)MIX(first, second, ODD));
  }
  change[0] = _mm512_fmadd_ps(_mm512_loadu_ps(m->column[1]), at[1][1] - at[0][1],
                              _mm512_loadu_ps(m->column[0]) * (at[1][0] - at[0][0]));
  change[1] = _mm512_fmadd_ps(_mm512_loadu_ps(m->row[1]), at[1][1] - at[1][0],
                              _mm512_loadu_ps(m->row[0]) * (at[0][1] - at[0][0]));
  for (int k = 0; k < 2; k++)
    moved[k] = more ? _mm512_fmadd_ps(change[k], g, moved[k]) : _mm512_mul_ps(change[k], g);
}

INLINE void add_moved(const __m512 moved[2], Moved *to)
{
  for (int k = 0; k < 2; k++) {
    double *sum = to->sum[k];
    const __m512d lower = _mm512_cvtps_pd(_mm512_castps512_ps256(moved[k]));
    const __m512d upper =
        _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(moved[k]), 1)));
    _mm512_storeu_pd(sum, _mm512_loadu_pd(sum) + lower);
    _mm512_storeu_pd(sum + LANES / 2, _mm512_loadu_pd(sum + LANES / 2) + upper);
  }
}

/* The same of n points, product by product: those of what is not finite are not differences'. */
static __attribute__((noinline)) void move_some(const real *x, int64_t width, const Moves *m, int n,
                                                const real *g, Moved *to)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++)
      if (m->inside[k] >> i & 1) {
        const int row = k >> 1, column = k & 1;
        const double product = (double)x[m->at[i] + row * width + column] * (double)g[i];
        to->sum[0][i] += product * (row ? 1 : -1) * (double)m->column[column][i];
        to->sum[1][i] += product * (column ? 1 : -1) * (double)m->row[row][i];
      }
}

INLINE int is_finite(__m512 v)
{
  const __m512 nothing = v - v;
  return _mm512_cmp_ps_mask(nothing, nothing, _CMP_UNORD_Q) == 0;
}

INLINE __mmask16 points_there(ptrdiff_t n)
{
  return n < LANES ? (__mmask16)((1u << n) - 1) : (__mmask16)-1;
}

/* n points of count planes, 1 or 2. */
INLINE void move_planes(const THNN_(Sampler) * s, int count, const Moves *m, const real *x,
                        const real *g, ptrdiff_t n, Moved *to)
{
  const ptrdiff_t width = s->in[2], plane = s->plane, points = s->points;
  for (ptrdiff_t i = 0; i < n; i += LANES, m++, to++) {
    __m512 moved[2];
    for (int p = 0; p < count; p++) {
      __builtin_prefetch(x + (count + p) * plane + i, 0, 2);
      move_pairs(x + p * plane, width, m,
                 _mm512_maskz_loadu_ps(points_there(n - i), g + p * points + i), moved, p);
    }
    if (is_finite(moved[0]) && is_finite(moved[1]))
      add_moved(moved, to);
    else
      for (int p = 0; p < count; p++)
        move_some(x + p * plane, width, m, (int)THMin(LANES, n - i), g + p * points + i, to);
  }
}

/* Four places of a point.  All are read before any is written, as rows may be a multiple of 4 KB
 * apart, and written one by one: what is written in pairs has to be in the cache before another
 * pair that shares a number can be read. */
INLINE void spread_one(real *upper, real *lower, const real *weight, real g)
{
  const real sum[4] = {upper[0] + weight[0] * g, upper[1] + weight[LANES] * g,
                       lower[0] + weight[2 * LANES] * g, lower[1] + weight[3 * LANES] * g};
  *(volatile real *)upper = sum[0];
  *(volatile real *)(upper + 1) = sum[1];
  *(volatile real *)lower = sum[2];
  *(volatile real *)(lower + 1) = sum[3];
}

/* The same where g is not finite, and nothing times 0 would count. */
static __attribute__((noinline)) void spread_some(real *y, int64_t width, const Moves *m, int n,
                                                  const real *g)
{
  for (int k = 0; k < n; k++)
    for (int corner = 0; corner < 4; corner++)
      if (m->weight[corner][k] != 0) {
        real *to = y + m->at[k] + (corner >> 1) * width + (corner & 1);
        *to += m->weight[corner][k] * g[k];
      }
}

/* n points of count planes, 1 or 2, in order. */
INLINE void spread_planes_of(const THNN_(Sampler) * s, int count, const Moves *m, const real *g,
                             real *y, ptrdiff_t n)
{
  const ptrdiff_t width = s->in[2], plane = s->plane, points = s->points;
  for (ptrdiff_t i = 0; i < n; i += LANES, m++) {
    const int some = (int)THMin(LANES, n - i);
    int finite = 1;
    for (int p = 0; p < count; p++) {
      __builtin_prefetch(y + (count + p) * plane + i, 1, 2);
      finite &= is_finite(_mm512_maskz_loadu_ps(points_there(some), g + p * points + i));
    }
    if (!finite) {
      for (int p = 0; p < count; p++)
        spread_some(y + p * plane, width, m, some, g + p * points + i);
      continue;
    }
    for (int k = 0; k < some; k++) {
      real *upper = y + m->at[k], *lower = upper + width;
      const real *weight = &m->weight[0][k];
      spread_one(upper, lower, weight, g[i + k]);
      if (count > 1)
        spread_one(upper + plane, lower + plane, weight, g[points + i + k]);
    }
  }
}

/* Planes begin ... end of an image, at n points from point on; y is set to 0 before the first
 * ones. */
static void spread_some_planes(const THNN_(Sampler) * s, int64_t begin, int64_t end, int64_t point,
                               ptrdiff_t n, const Moves *m)
{
  for (int64_t plane = begin; plane < end; plane += 2) {
    const int count = end - plane > 1 ? 2 : 1;
    const real *g = s->g + plane * s->points + point;
    real *y = s->gradInput + plane * s->plane;
    if (point == 0)
      memset(y, 0, (size_t)(count * s->plane) * sizeof *y);
    if (count == 2)
      spread_planes_of(s, 2, m, g, y, n);
    else
      spread_planes_of(s, 1, m, g, y, n);
  }
}

static void move_some_planes(const THNN_(Sampler) * s, int64_t begin, int64_t end, int64_t point,
                             ptrdiff_t n, const Moves *m, Moved *to)
{
  memset(to, 0, (size_t)((n + LANES - 1) / LANES) * sizeof *to);
  for (int64_t plane = begin; plane < end; plane += 2) {
    const real *x = s->x + plane * s->plane, *g = s->g + plane * s->points + point;
    if (end - plane > 1)
      move_planes(s, 2, m, x, g, n, to);
    else
      move_planes(s, 1, m, x, g, n, to);
  }
}

/* A vector of points' gradients, down or across. */
INLINE __m512 gradient_of(const Moves *m, const Moved *from, int a)
{
  __m512 all = _mm512_setzero_ps();
  for (int half = 0; half < 2; half++) {
    const __m512d slope = _mm512_cvtps_pd(_mm256_loadu_ps(m->slope[a] + half * (LANES / 2)));
    const __m512d sum = _mm512_loadu_pd(from->sum[a] + half * (LANES / 2));
    const __m256d part = _mm256_castps_pd(_mm512_cvtpd_ps(_mm512_mul_pd(sum, slope)));
    all = _mm512_castpd_ps(half ? _mm512_insertf64x4(_mm512_castps_pd(all), part, 1)
                                : _mm512_castpd256_pd512(part));
  }
  return all;
}

/* The gradients of n points, across and down by turns. */
static void take_moved(const Moves *m, const Moved *from, ptrdiff_t n, real *to)
{
  for (ptrdiff_t i = 0; i < n; i += LANES, m++, from++, to += 2 * LANES) {
    const uint32_t there = n - i < LANES ? (1u << 2 * (n - i)) - 1 : UINT32_MAX;
    const Vector down = (Vector)gradient_of(m, from, 0), across = (Vector)gradient_of(m, from, 1);
    _mm512_mask_storeu_ps(to, (__mmask16)there, (__m512)MIX(across, down, LOWER));
    _mm512_mask_storeu_ps(to + LANES, (__mmask16)(there >> 16), (__m512)MIX(across, down, UPPER));
  }
}

/* Planes begin ... end: gradInput. */
static void spread_planes_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  Moves moves[BLOCK / LANES];
  for (ptrdiff_t from = begin, to; from < end; from = to) {
    const int64_t image = from / s->planes;
    to = THMin(end, (image + 1) * s->planes);
    for (int64_t point = 0; point < s->points; point += BLOCK) {
      const ptrdiff_t n = THMin(BLOCK, s->points - point);
      find_moves(s, s->grid + 2 * (image * s->points + point), n, moves);
      spread_some_planes(s, from, to, point, n, moves);
    }
  }
}

/* Blocks of all images: gradGrid. */
static void move_blocks_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  Moves moves[BLOCK / LANES];
  Moved moved[BLOCK / LANES];
  for (ptrdiff_t b = begin; b < end; b++) {
    const int64_t image = b / s->blocks, point = b % s->blocks * BLOCK;
    const ptrdiff_t n = THMin(BLOCK, s->points - point), all = 2 * (image * s->points + point);
    find_moves(s, s->grid + all, n, moves);
    move_some_planes(s, image * s->planes, (image + 1) * s->planes, point, n, moves, moved);
    take_moved(moves, moved, n, s->gradGrid + all);
  }
}
