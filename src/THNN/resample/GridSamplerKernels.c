/* Grid sampling, block by block of points. */
#include "THNN/layer/Template.h"
#include "GridSamplerLayers.h"

#include <float.h>

#include "TH/simd/THTranspose.h"
#include "TH/simd/THSimdReal.h"
#include "TH/core/THScratch.h"

enum { BLOCK = THNN_GRID_BLOCK, GROUP = THNN_GRID_GROUP, CORNERS = 8 };

typedef struct {
  int count; /* number of points */
  /* Indices in a plane, 0 where the corner is outside; its weight is then 0.  Planes of more than
   * 2^29 elements have wide indices, and slower vectors. */
  int32_t at[CORNERS][BLOCK];
  int64_t wide[CORNERS][BLOCK];
  real weight[CORNERS][BLOCK]; /* weights of the corners */
  real low[3][BLOCK];          /* the first of two indices along an axis */
  real part[3][2][BLOCK];      /* their weights along the axis; the product is the weight */
  int32_t within[3][2][BLOCK]; /* 1 where the index is in the image */
  real slope[3][BLOCK];        /* derivative of the position by the grid's coordinate */
  int8_t inside[CORNERS][BLOCK];
} Corners;

/* --- corners --------------------------------------------------------------------------------- */

/* Reflects positions into 0 ... last, unless they are not finite; slopes change their signs where
 * the direction does. */
static __attribute__((noinline)) void reflect(real *at, real *slope, int count, int64_t last)
{
  const double width = (double)last;
#pragma omp simd
  for (int i = 0; i < count; i++) {
    const double from = fabs((double)at[i]), times = floor(from / width);
    const double rest = from - times * width, half = times * .5;
    const int finite = from <= DBL_MAX, odd = half != floor(half);
    const double to = odd ? width - rest : rest;
    slope[i] = (finite & ((at[i] < 0) != odd)) ? -slope[i] : slope[i];
    at[i] = finite ? (real)to : at[i];
  }
}

/* Clamps x to low ... high; NaN becomes low.  (A loop of its own: the compiler makes branches of
 * comparisons that depend on each other.) */
static inline void clamp(real *x, int count, real low, real high)
{
#pragma omp simd
  for (int i = 0; i < count; i++) {
    const real above = x[i] > low ? x[i] : low;
    x[i] = above < high ? above : high;
  }
}

/* Finds indices and weights along axis a from the grid's coordinates. */
static inline __attribute__((always_inline)) void find_indices(const THNN_(Sampler) * s, int axes,
                                                               int wide, int a,
                                                               const real *coordinate, Corners *c)
{
  const int64_t last = s->in[a] - 1;
  const int count = c->count;
  const real end = (real)last + 1;
  real *at = c->low[a], *slope = c->slope[a];
#pragma omp simd
  for (int i = 0; i < count; i++) {
    at[i] = (coordinate[i * axes + 2 - a] + 1) / 2 * (real)last;
    slope[i] = (real)last / 2;
  }
  if (s->padding == THNN_REFLECTION && last > 0)
    reflect(at, slope, count, last);
  if (s->padding != THNN_ZEROS) {
#pragma omp simd
    for (int i = 0; i < count; i++)
      slope[i] = ((at[i] > 0) & (at[i] < (real)last)) ? slope[i] : 0;
    clamp(at, count, 0, (real)last);
  }
  clamp(at, count, -1, end); /* at -1 and at end both indices are outside */
#pragma omp simd
  for (int i = 0; i < count; i++) {
    const real from = at[i];
    const int near = (from > -1) & (from < end);
    const real whole = wide ? (real)(int64_t)from : (real)(int32_t)from;
    const real low = whole - (real)(whole > from);
    at[i] = low;
    c->part[a][1][i] = from - low;
    c->part[a][0][i] = 1 - (from - low);
    c->within[a][0][i] = near & (low >= 0);
    c->within[a][1][i] = near & (low < (real)last);
  }
}

/* Combines the indices along the axes into corners. */
static inline __attribute__((always_inline)) void join_indices(const THNN_(Sampler) * s, int axes,
                                                               int wide, Corners *c)
{
  const double height = (double)s->in[1], width = (double)s->in[2];
  const int count = c->count;
  for (int k = 0; k < 1 << axes; k++) {
    const int z = k >> 2, y = k >> 1 & 1, x = k & 1;
    const double offset = (double)((z * s->in[1] + y) * s->in[2] + x);
#pragma omp simd
    for (int i = 0; i < count; i++) {
      const double row = (axes == 3 ? (double)c->low[0][i] * height : 0) + (double)c->low[1][i];
      const double where = row * width + (double)c->low[2][i] + offset;
      const real rows = (axes == 3 ? c->part[0][z][i] : 1) * c->part[1][y][i];
      const int inside =
          c->within[1][y][i] & c->within[2][x][i] & (axes == 3 ? c->within[0][z][i] : 1);
      c->inside[k][i] = (int8_t)inside;
      c->weight[k][i] = inside ? rows * c->part[2][x][i] : 0;
      if (wide)
        c->wide[k][i] = inside ? (int64_t)where : 0;
      else
        c->at[k][i] = inside ? (int32_t)where : 0;
    }
  }
}

/* F is compiled for each number of axes and each width of indices. */
#define FOR_KIND(F, ...)       \
  if (s->axes == 2 && s->wide) \
    F(s, 2, 1, __VA_ARGS__);   \
  else if (s->axes == 2)       \
    F(s, 2, 0, __VA_ARGS__);   \
  else if (s->wide)            \
    F(s, 3, 1, __VA_ARGS__);   \
  else                         \
    F(s, 3, 0, __VA_ARGS__);

static inline __attribute__((always_inline)) void find_all(const THNN_(Sampler) * s, int axes,
                                                           int wide, const real *coordinate,
                                                           Corners *c)
{
  for (int a = 3 - axes; a < 3; a++)
    find_indices(s, axes, wide, a, coordinate, c);
  join_indices(s, axes, wide, c);
}

/* The grid's coordinates for block b of all images. */
static const real *coordinates_of(const THNN_(Sampler) * s, ptrdiff_t b, int64_t *image,
                                  int64_t *point, Corners *c)
{
  *image = b / s->blocks;
  *point = b % s->blocks * BLOCK;
  c->count = (int)THMin(BLOCK, s->points - *point);
  return s->grid + (*image * s->points + *point) * s->axes;
}

/* Finds the corners of block b of all images, and sets the image and the block's first point. */
static __attribute__((noinline)) void find_corners(const THNN_(Sampler) * s, ptrdiff_t b,
                                                   int64_t *image, int64_t *point, Corners *c)
{
  const real *coordinate = coordinates_of(s, b, image, point, c);
  FOR_KIND(find_all, coordinate, c)
}

static inline int64_t corner(const Corners *c, int wide, int k, int i)
{
  return wide ? c->wide[k][i] : c->at[k][i];
}

/* --- forward --------------------------------------------------------------------------------- */

/* The first group of planes of a split. */
static int64_t begin_of(const THNN_(Sampler) * s, ptrdiff_t split)
{
  const int64_t all = s->batch * s->groups, rest = all % s->splits;
  return all / s->splits * split + THMin(split, rest);
}

#if TH_VECTOR_MASKS && defined(TH_REAL_IS_FLOAT)
#include "GridGatherBackward.h"
#else
/* Processors that gather quickly work on pairs of neighbours; there are none at this level. */
/* clang-format off */
#define BY_PAIRS(NAME)                                                                                         \
  static void NAME(TH_UNUSED const THNN_(Sampler) * s, TH_UNUSED ptrdiff_t begin, TH_UNUSED ptrdiff_t end) { }
/* clang-format on */
BY_PAIRS(sample_blocks_by_pairs)
BY_PAIRS(sample_splits_by_pairs)
BY_PAIRS(scatter_planes_by_pairs)
BY_PAIRS(grid_gradients_by_pairs)

static int gathers_quickly(TH_UNUSED const THNN_(Sampler) * s)
{
  return 0;
}
#endif

static inline __attribute__((always_inline)) void sample(const THNN_(Sampler) * s, int axes,
                                                         int wide, ptrdiff_t begin, ptrdiff_t end)
{
  TH_SCRATCH(Corners, c, 1);
  int64_t n, first;
  for (ptrdiff_t b = begin; b < end; b++) {
    find_corners(s, b, &n, &first, c);
    for (int64_t plane = n * s->planes; plane < (n + 1) * s->planes; plane++) {
      const real *x = s->x + plane * s->plane;
      real *y = s->y + plane * s->points + first;
#pragma omp simd
      for (int i = 0; i < c->count; i++) {
        real sum = 0;
        for (int k = 0; k < 1 << axes; k++) {
          const real value = x[corner(c, wide, k, i)], weight = c->weight[k][i];
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
  if (gathers_quickly(s))
    sample_blocks_by_pairs(s, begin, end);
  else
    FOR_KIND(sample, begin, end)
}

/* --- backward -------------------------------------------------------------------------------- */

/* Each plane belongs to one thread, which adds points in order. */
static inline __attribute__((always_inline)) void scatter(const THNN_(Sampler) * s, int axes,
                                                          int wide, ptrdiff_t begin, ptrdiff_t end)
{
  TH_SCRATCH(Corners, c, 1);
  int64_t n, first;
  for (ptrdiff_t from = begin, to; from < end; from = to) {
    const int64_t image = from / s->planes;
    to = THMin(end, (image + 1) * s->planes);
    for (int64_t b = image * s->blocks; b < (image + 1) * s->blocks; b++) {
      find_corners(s, b, &n, &first, c);
      for (int64_t plane = from; plane < to; plane++) {
        real *y = s->gradInput + plane * s->plane;
        const real *g = s->g + plane * s->points + first;
        for (int i = 0; i < c->count; i++)
          for (int k = 0; k < 1 << axes; k++)
            if (c->weight[k][i] != 0)
              y[corner(c, wide, k, i)] += c->weight[k][i] * g[i];
      }
    }
  }
}

static void scatter_planes(void *sampler, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = sampler;
  if (gathers_quickly(s)) {
    scatter_planes_by_pairs(s, begin, end);
    return;
  }
  memset(s->gradInput + begin * s->plane, 0,
         (size_t)((end - begin) * s->plane) * sizeof *s->gradInput);
  FOR_KIND(scatter, begin, end)
}

typedef accreal Products[BLOCK];

/* The gradient along an axis sums, over corners, the product of image and gradient (summed over
 * planes) times the derivative of the corner's weight: 1 or -1 times its parts along the other
 * axes. */
static inline __attribute__((always_inline)) void grid_gradients(const THNN_(Sampler) * s, int axes,
                                                                 int wide, ptrdiff_t begin,
                                                                 ptrdiff_t end)
{
  TH_SCRATCH(Products, product, CORNERS);
  TH_SCRATCH(Corners, c, 1);
  int64_t n, first;
  for (ptrdiff_t b = begin; b < end; b++) {
    memset(product, 0, CORNERS * sizeof *product);
    find_corners(s, b, &n, &first, c);
    for (int64_t plane = n * s->planes; plane < (n + 1) * s->planes; plane++) {
      const real *x = s->x + plane * s->plane, *g = s->g + plane * s->points + first;
      for (int k = 0; k < 1 << axes; k++)
#pragma omp simd
        for (int i = 0; i < c->count; i++)
          product[k][i] += (accreal)x[corner(c, wide, k, i)] * (accreal)g[i];
    }
    for (int i = 0; i < c->count; i++)
      for (int a = 3 - axes; a < 3; a++) {
        accreal sum = 0;
        for (int k = 0; k < 1 << axes; k++) {
          accreal weight = k >> (2 - a) & 1 ? 1 : -1;
          for (int other = 3 - axes; other < 3; other++)
            if (other != a)
              weight *= (accreal)c->part[other][k >> (2 - other) & 1][i];
          sum += c->inside[k][i] ? product[k][i] * weight : 0;
        }
        s->gradGrid[(n * s->points + first + i) * axes + 2 - a] =
            (real)(sum * (accreal)c->slope[a][i]);
      }
  }
}

static void grid_gradient_blocks(void *sampler, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = sampler;
  if (gathers_quickly(s))
    grid_gradients_by_pairs(s, begin, end);
  else
    FOR_KIND(grid_gradients, begin, end)
}

/* --- transposed planes ----------------------------------------------------------------------- */

enum { TILE = THNN_GRID_TILE, VECTORS = GROUP / LANES };

/* A group of planes of an image, and scratch for it: the values of its planes at one position lie side
 * by side. */
typedef struct {
  int64_t image, first; /* first plane, counted over all images */
  int planes;
  real *x, *y;  /* transposed planes of input and gradInput */
  real *values; /* transposed values of some points */
  real *lines;  /* the same values before or after the transpose */
} Group;

static Group group_of(const THNN_(Sampler) * s, ptrdiff_t split, int64_t index)
{
  const int64_t image = index / s->groups, before = index % s->groups * GROUP;
  real *const scratch = s->buffers + split * s->scratch;
  const Group group = {.image = image,
                       .first = image * s->planes + before,
                       .planes = (int)THMin(GROUP, s->planes - before),
                       .values = scratch,
                       .lines = scratch + TILE * GROUP,
                       .x = scratch + 4 * TILE * GROUP,
                       .y = scratch + (s->plane + 5 * TILE) * GROUP};
  return group;
}

/* Transposes n elements of each plane, planes being planeStride apart, to rows of a group. */
static void transpose_in(const Group *group, real *to, const real *x, ptrdiff_t planeStride,
                         ptrdiff_t n)
{
  if (group->planes < GROUP)
    memset(to, 0, (size_t)(n * GROUP) * sizeof *to);
#ifdef TH_REAL_IS_FLOAT
  THTranspose32_lines(to, GROUP, x, group->planes, planeStride, n);
#else
  THTranspose64_lines(to, GROUP, x, group->planes, planeStride, n);
#endif
}

/* Transposes n rows, at most a tile, to elements of planes. */
static void transpose_out(const Group *group, const real *from, real *y, ptrdiff_t planeStride,
                          ptrdiff_t n)
{
  enum { PITCH = TILE + 64 / sizeof *y }; /* lines do not share a set of the cache */
#ifdef TH_REAL_IS_FLOAT
  THTranspose32_lines(group->lines, PITCH, from, n, GROUP, GROUP);
#else
  THTranspose64_lines(group->lines, PITCH, from, n, GROUP, GROUP);
#endif
  for (int j = 0; j < group->planes; j++)
    memcpy(y + j * planeStride, group->lines + j * PITCH, (size_t)n * sizeof *y);
}

static inline Vector vector_at(const real *x)
{
  Vector v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* v times weight, and 0 where weight is 0. */
INLINE Vector weighted(real weight, Vector v)
{
  const Vector all = weight - (Vector){0};
  typedef __typeof__(all != 0) Bits;
  return (Vector)((Bits)(all * v) & (all != 0));
}

INLINE void sample_groups(const THNN_(Sampler) * s, int axes, int wide, ptrdiff_t begin,
                          ptrdiff_t end)
{
  TH_SCRATCH(Corners, c, 1);
  int64_t image, first;
  for (ptrdiff_t split = begin; split < end; split++)
    for (int64_t index = begin_of(s, split); index < begin_of(s, split + 1); index++) {
      const Group group = group_of(s, split, index);
      transpose_in(&group, group.x, s->x + group.first * s->plane, s->plane, s->plane);
      for (int64_t b = 0; b < s->blocks; b++) {
        find_corners(s, group.image * s->blocks + b, &image, &first, c);
        for (int from = 0, n; from < c->count; from += n) {
          n = THMin(TILE, c->count - from);
          for (int i = 0; i < n; i++) {
            Vector sum[VECTORS] = {{0}};
            for (int k = 0; k < 1 << axes; k++) {
              const real *x = group.x + corner(c, wide, k, from + i) * GROUP;
              for (int v = 0; v < VECTORS; v++)
                sum[v] += weighted(c->weight[k][from + i], vector_at(x + v * LANES));
            }
            memcpy(group.values + i * GROUP, sum, sizeof sum);
          }
          transpose_out(&group, group.values, s->y + group.first * s->points + first + from,
                        s->points, n);
        }
      }
    }
}

static void sample_splits(void *sampler, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = sampler;
  if (gathers_quickly(s))
    sample_splits_by_pairs(s, begin, end);
  else
    FOR_KIND(sample_groups, begin, end)
}

enum { SUMS = VECTOR / sizeof(accreal), MORE = GROUP / SUMS };
INLINE accreal total(THDoubles sum)
{
  accreal all[SUMS];
  memcpy(all, &sum, sizeof all);
  for (int half = SUMS / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++)
      all[i] += all[i + half];
  return all[0];
}

/* Adds a point's gradient, of a group of planes, to gradInput, and computes their part of the
 * grid's gradient. */
INLINE void scatter_point(const Group *group, const Corners *c, int axes, int wide, int i,
                          const real *g, accreal *part)
{
  THDoubles gradient[3] = {{0}}, gradOutput[MORE];
  for (int v = 0; v < MORE; v++)
    gradOutput[v] = load_doubles(g + v * SUMS);
  for (int k = 0; k < 1 << axes; k++) {
    const int64_t at = corner(c, wide, k, i) * GROUP;
    for (int v = 0; v < VECTORS; v++) {
      real *y = group->y + at + v * LANES;
      const Vector sum = vector_at(y) + weighted(c->weight[k][i], vector_at(g + v * LANES));
      memcpy(y, &sum, sizeof sum);
    }
    THDoubles product = {0};
    for (int v = 0; v < MORE; v++)
      product += load_doubles(group->x + at + v * SUMS) * gradOutput[v];
    product = (THDoubles)((THLongs)product & -(int64_t)c->inside[k][i]);
    for (int a = 3 - axes; a < 3; a++) {
      accreal weight = k >> (2 - a) & 1 ? 1 : -1;
      for (int other = 3 - axes; other < 3; other++)
        if (other != a)
          weight *= (accreal)c->part[other][k >> (2 - other) & 1][i];
      gradient[a] += product * weight;
    }
  }
  for (int a = 3 - axes; a < 3; a++)
    part[2 - a] = total(gradient[a]) * (accreal)c->slope[a][i];
}

#if TH_VECTOR_MASKS && defined(TH_REAL_IS_FLOAT)
#include "GridScatterBackward.h"
#else
typedef int ScatterPoints;

static int can_scatter_pairs(TH_UNUSED const THNN_(Sampler) * s)
{
  return 0;
}

static int find_scatter_points(TH_UNUSED const THNN_(Sampler) * s, TH_UNUSED ptrdiff_t b,
                               TH_UNUSED ScatterPoints *to)
{
  return 0;
}

static int scatter_pairs(TH_UNUSED const THNN_(Sampler) * s, TH_UNUSED const Group *group,
                         TH_UNUSED const ScatterPoints *c, TH_UNUSED int from, TH_UNUSED int n,
                         TH_UNUSED accreal *part)
{
  return 0;
}
#endif

/* Computes the gradients of a group of planes, in pairs or corner by corner.  Returns whether the
 * result is right: in pairs it is not where a value is not finite. */
INLINE int scatter_group(const THNN_(Sampler) * s, int axes, int wide, int pairs, int64_t index,
                         const Group *group)
{
  TH_SCRATCH(Corners, c, 1);
  TH_SCRATCH(ScatterPoints, points, 1);
  int64_t image, first;
  int right = 1;
  memset(group->y, 0, (size_t)(s->plane * GROUP) * sizeof *group->y);
  for (int64_t b = 0; b < s->blocks && right; b++) {
    const ptrdiff_t block = group->image * s->blocks + b;
    int count;
    if (pairs) {
      first = b * BLOCK;
      count = find_scatter_points(s, block, points);
    } else {
      find_corners(s, block, &image, &first, c);
      count = c->count;
    }
    for (int from = 0, n; from < count; from += n) {
      n = THMin(TILE, count - from);
      transpose_in(group, group->values, s->g + group->first * s->points + first + from, s->points,
                   n);
      accreal *part = s->parts + (index * s->points + first + from) * axes;
      if (pairs)
        right &= scatter_pairs(s, group, points, from, n, part);
      for (int i = 0; !pairs && i < n; i++)
        scatter_point(group, c, axes, wide, from + i, group->values + i * GROUP, part + i * axes);
    }
  }
  return right;
}

INLINE void scatter_groups(const THNN_(Sampler) * s, int axes, int wide, ptrdiff_t begin,
                           ptrdiff_t end)
{
  const int pairs = axes == 2 && !wide && can_scatter_pairs(s);
  for (ptrdiff_t split = begin; split < end; split++)
    for (int64_t index = begin_of(s, split); index < begin_of(s, split + 1); index++) {
      const Group group = group_of(s, split, index);
      transpose_in(&group, group.x, s->x + group.first * s->plane, s->plane, s->plane);
      if (!pairs || !scatter_group(s, axes, wide, 1, index, &group))
        scatter_group(s, axes, wide, 0, index, &group);
      for (int64_t from = 0; from < s->plane; from += TILE)
        transpose_out(&group, group.y + from * GROUP, s->gradInput + group.first * s->plane + from,
                      s->plane, THMin(TILE, s->plane - from));
    }
}

static void scatter_splits(void *sampler, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sampler) *s = sampler;
  FOR_KIND(scatter_groups, begin, end)
}

const THNN_(GridKernel) TH_LEVEL_(THNN_(gridSampler))[] = {
    [THNN_GRID_SAMPLE] = sample_blocks,           [THNN_GRID_INPUT] = scatter_planes,
    [THNN_GRID_POINTS] = grid_gradient_blocks,    [THNN_GRID_GROUPS] = sample_splits,
    [THNN_GRID_GROUPS_BACKWARD] = scatter_splits,
};
