/* Images at the points of a grid, block by block. */
#include "THNNTemplate.h"

enum { BLOCK = THNN_GRID_BLOCK, CORNERS = 8 };

typedef struct {
  int count; /* of points */
  /* In a plane; 0 where the corner is outside, which counts as 0.  Planes of more than 2^31
   * elements have wide numbers, and slower vectors. */
  int32_t at[CORNERS][BLOCK];
  int64_t wide[CORNERS][BLOCK];
  real weight[CORNERS][BLOCK]; /* 0 there */
  real part[3][2][BLOCK];      /* of both places along an axis, which multiply to the weight, */
  real slope[3][BLOCK];        /* and of the place by the grid's number */
  int8_t inside[CORNERS][BLOCK];
} Corners;

/* --- corners --------------------------------------------------------------------------------- */

/* A place from 0 on, reflected until it is at most last; *slope changes its sign with direction. */
static real reflected(real at, int64_t last, real *slope)
{
  const double from = fabs((double)at), times = floor(from / (double)last);
  const double rest = from - times * (double)last;
  const int odd = fmod(times, 2) != 0;
  if ((at < 0) != odd)
    *slope = -*slope;
  return (real)(odd ? (double)last - rest : rest);
}

/* The place of a grid's number along an axis, 0 to last in the image, and its derivative. */
static inline real place_of(real number, int64_t last, int padding, real *slope)
{
  real at = (number + 1) / 2 * (real)last;
  *slope = (real)last / 2;
  if (padding == THNN_REFLECTION && last > 0 && isfinite(at))
    at = reflected(at, last, slope);
  if (padding != THNN_ZEROS && !(at > 0 && at < (real)last)) {
    *slope = 0;
    at = at > 0 ? (real)last : 0; /* NaN is at 0 */
  }
  return at;
}

/* Of block b of all images, whose number and first point it tells. */
static inline void find_corners(const THNN_(Sampler) * s, ptrdiff_t b, int axes, int64_t *image,
                                int64_t *point, Corners *c)
{
  const int64_t n = b / s->blocks, first = b % s->blocks * BLOCK;
  c->count = (int)THMin(BLOCK, s->points - first);
  *image = n;
  *point = first;
  for (int i = 0; i < c->count; i++) {
    const real *number = s->grid + (n * s->points + first + i) * axes;
    int64_t low[3];
    for (int a = 3 - axes; a < 3; a++) {
      const int64_t last = s->in[a] - 1;
      const real at = place_of(number[2 - a], last, s->padding, &c->slope[a][i]);
      /* Beyond these both places are outside, as -2 and -1 are. */
      const int near = at > -1 && at < (real)last + 1;
      const int64_t whole = near ? (int64_t)at : 0;
      low[a] = near ? whole - ((real)whole > at) : -2;
      c->part[a][1][i] = near ? at - (real)low[a] : 0;
      c->part[a][0][i] = 1 - c->part[a][1][i];
    }
    for (int k = 0; k < 1 << axes; k++) {
      real weight = 1;
      int64_t where = 0;
      int inside = 1;
      for (int a = 3 - axes; a < 3; a++) {
        const int second = k >> (2 - a) & 1;
        const int64_t place = low[a] + second;
        inside &= place >= 0 && place < s->in[a];
        where = where * s->in[a] + place;
        weight *= c->part[a][second][i];
      }
      c->inside[k][i] = (int8_t)inside;
      if (s->wide)
        c->wide[k][i] = inside ? where : 0;
      else
        c->at[k][i] = inside ? (int32_t)where : 0;
      c->weight[k][i] = inside ? weight : 0;
    }
  }
}

static inline int64_t corner(const Corners *c, int wide, int k, int i)
{
  return wide ? c->wide[k][i] : c->at[k][i];
}

/* F is compiled for each number of axes and each width of places. */
#define FOR_KIND(F)                \
  switch (s->axes + 2 * s->wide) { \
    case 2:                        \
      F(s, 2, 0, begin, end);      \
      break;                       \
    case 3:                        \
      F(s, 3, 0, begin, end);      \
      break;                       \
    case 4:                        \
      F(s, 2, 1, begin, end);      \
      break;                       \
    default:                       \
      F(s, 3, 1, begin, end);      \
  }

/* --- forward --------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void sample(const THNN_(Sampler) * s, int axes,
                                                         int wide, ptrdiff_t begin, ptrdiff_t end)
{
  Corners c;
  int64_t n, first;
  for (ptrdiff_t b = begin; b < end; b++) {
    find_corners(s, b, axes, &n, &first, &c);
    for (int64_t plane = n * s->planes; plane < (n + 1) * s->planes; plane++) {
      const real *x = s->x + plane * s->plane;
      real *y = s->y + plane * s->points + first;
#pragma omp simd
      for (int i = 0; i < c.count; i++) {
        real sum = 0;
        for (int k = 0; k < 1 << axes; k++) {
          const real value = x[corner(&c, wide, k, i)], weight = c.weight[k][i];
          sum += weight != 0 ? weight * value : 0;
        }
        y[i] = sum;
      }
    }
  }
}

static void sample_blocks(void *sampler, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = sampler;
  FOR_KIND(sample)
}

/* --- backward -------------------------------------------------------------------------------- */

/* Each plane is one thread's, and takes points in order. */
static inline __attribute__((always_inline)) void spread(const THNN_(Sampler) * s, int axes,
                                                         int wide, ptrdiff_t begin, ptrdiff_t end)
{
  Corners c;
  int64_t n, first;
  for (ptrdiff_t from = begin, to; from < end; from = to) {
    const int64_t image = from / s->planes;
    to = THMin(end, (image + 1) * s->planes);
    for (int64_t b = image * s->blocks; b < (image + 1) * s->blocks; b++) {
      find_corners(s, b, axes, &n, &first, &c);
      for (int64_t plane = from; plane < to; plane++) {
        real *y = s->gradInput + plane * s->plane;
        const real *g = s->g + plane * s->points + first;
        for (int i = 0; i < c.count; i++)
          for (int k = 0; k < 1 << axes; k++)
            if (c.weight[k][i] != 0)
              y[corner(&c, wide, k, i)] += c.weight[k][i] * g[i];
      }
    }
  }
}

static void spread_planes(void *sampler, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = sampler;
  memset(s->gradInput + begin * s->plane, 0,
         (size_t)((end - begin) * s->plane) * sizeof *s->gradInput);
  FOR_KIND(spread)
}

/* A corner's product of image and gradient, summed over planes, counts by how its weight changes
 * with the point: by 1 or -1 along an axis, times its parts along the others. */
static inline __attribute__((always_inline)) void move_points(const THNN_(Sampler) * s, int axes,
                                                              int wide, ptrdiff_t begin,
                                                              ptrdiff_t end)
{
  Corners c;
  int64_t n, first;
  for (ptrdiff_t b = begin; b < end; b++) {
    accreal product[CORNERS][BLOCK] = {{0}};
    find_corners(s, b, axes, &n, &first, &c);
    for (int64_t plane = n * s->planes; plane < (n + 1) * s->planes; plane++) {
      const real *x = s->x + plane * s->plane, *g = s->g + plane * s->points + first;
      for (int k = 0; k < 1 << axes; k++)
#pragma omp simd
        for (int i = 0; i < c.count; i++)
          product[k][i] += (accreal)x[corner(&c, wide, k, i)] * (accreal)g[i];
    }
    for (int i = 0; i < c.count; i++)
      for (int a = 3 - axes; a < 3; a++) {
        accreal sum = 0;
        for (int k = 0; k < 1 << axes; k++) {
          accreal weight = k >> (2 - a) & 1 ? 1 : -1;
          for (int other = 3 - axes; other < 3; other++)
            if (other != a)
              weight *= (accreal)c.part[other][k >> (2 - other) & 1][i];
          sum += c.inside[k][i] ? product[k][i] * weight : 0;
        }
        s->gradGrid[(n * s->points + first + i) * axes + 2 - a] =
            (real)(sum * (accreal)c.slope[a][i]);
      }
  }
}

static void move_blocks(void *sampler, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = sampler;
  FOR_KIND(move_points)
}

const THNN_(GridKernel) TH_LEVEL_(THNN_(gridSampler))[] = {
    [THNN_GRID_SAMPLE] = sample_blocks,
    [THNN_GRID_INPUT] = spread_planes,
    [THNN_GRID_POINTS] = move_blocks,
};
