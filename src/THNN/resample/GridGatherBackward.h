/* Gradients of grid sampling with few planes, for processors that gather quickly: two planes at a
 * time. */
#include "GridGather.h"

/* A vector of points.  at is the index of a point's upper left corner.  weight, row and column are
 * the weights of its four corners, two rows and two columns; slope is how they change with the
 * grid's coordinates, down and across; inside says which corners lie in the image. */
typedef struct {
  int32_t at[LANES];
  real weight[4][LANES], row[2][LANES], column[2][LANES], slope[2][LANES];
  Mask inside[4];
} GatherPoints;

/* The gradients of a vector of points, down and across, before they are multiplied by slope. */
typedef struct {
  double sum[2][LANES];
} PointGradients;

/* n points, whose grid coordinates begin at coordinate. */
static void find_gather_points(const THNN_(Sampler) * s, const real *coordinate, ptrdiff_t n,
                               GatherPoints *m)
{
  for (ptrdiff_t i = 0; i < n; i += LANES, m++) {
    AxisPairs x, y;
    pairs_at(s, coordinate + 2 * i, n - i, &y, &x);
    Integers_(store)(m->at, first_of_pairs(s, &y, &x));
    store(m->slope[0], y.slope);
    store(m->slope[1], x.slope);
    for (int k = 0; k < 2; k++) {
      store(m->row[k], y.weight[k]);
      store(m->column[k], x.weight[k]);
    }
    for (int k = 0; k < 4; k++) {
      store(m->weight[k], y.weight[k >> 1] * x.weight[k & 1]);
      m->inside[k] = y.inside[k >> 1] & x.inside[k & 1];
    }
  }
}

/* Adds the contribution of the plane x, times g, to the gradients of a vector of points.
 * Neighbours are subtracted before they are multiplied by weights: a difference of large products
 * would lose more digits. */
INLINE void pair_gradients(const real *x, int64_t width, const GatherPoints *m, Vector g,
                           Vector gradient[2], int more)
{
  Vector at[2][2], change[2];
  for (int row = 0; row < 2; row++) {
    const Vector first = neighbours(x + row * width, m->at, 0);
    const Vector second = neighbours(x + row * width, m->at, 1);
    at[row][0] = Vector_(keep)(m->inside[2 * row], MIX(first, second, EVEN));
    at[row][1] = Vector_(keep)(m->inside[2 * row + 1], MIX(first, second, ODD));
  }
  change[0] = Vector_(mulAdd)(load(m->column[1]), at[1][1] - at[0][1],
                              load(m->column[0]) * (at[1][0] - at[0][0]));
  change[1] = Vector_(mulAdd)(load(m->row[1]), at[1][1] - at[1][0],
                              load(m->row[0]) * (at[0][1] - at[0][0]));
  for (int k = 0; k < 2; k++)
    gradient[k] = more ? Vector_(mulAdd)(change[k], g, gradient[k]) : (change[k] * g);
}

INLINE void add_gradients(const Vector gradient[2], PointGradients *to)
{
  for (int k = 0; k < 2; k++) {
    double *sum = to->sum[k];
    const THDoubles lower = THDoubles_ofLower(gradient[k]);
    const THDoubles upper = THDoubles_ofUpper(gradient[k]);
    THDoubles_store(sum, THDoubles_load(sum) + lower);
    THDoubles_store(sum + LANES / 2, THDoubles_load(sum + LANES / 2) + upper);
  }
}

/* Adds the gradients of n points, one product at a time, where values are not finite: differences of such
 * values would give another result. */
static __attribute__((noinline)) void add_gradients_one_by_one(const real *x, int64_t width,
                                                               const GatherPoints *m, int n,
                                                               const real *g, PointGradients *to)
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

INLINE int is_finite(Vector v)
{
  const Vector nothing = v - v;
  return Vector_(unordered)(nothing, nothing) == 0;
}

INLINE Mask points_there(ptrdiff_t n)
{
  return n < LANES ? (Mask)((1u << n) - 1) : (Mask)-1;
}

/* n points of count planes, 1 or 2. */
INLINE void gradients_of_planes(const THNN_(Sampler) * s, int count, const GatherPoints *m,
                                const real *x, const real *g, ptrdiff_t n, PointGradients *to)
{
  const ptrdiff_t width = s->in[2], plane = s->plane, points = s->points;
  for (ptrdiff_t i = 0; i < n; i += LANES, m++, to++) {
    Vector gradient[2];
    for (int p = 0; p < count; p++) {
      __builtin_prefetch(x + (count + p) * plane + i, 0, 2);
      pair_gradients(x + p * plane, width, m,
                     Vector_(loadMasked)(points_there(n - i), g + p * points + i), gradient, p);
    }
    if (is_finite(gradient[0]) && is_finite(gradient[1]))
      add_gradients(gradient, to);
    else
      for (int p = 0; p < count; p++)
        add_gradients_one_by_one(x + p * plane, width, m, (int)THMin(LANES, n - i),
                                 g + p * points + i, to);
  }
}

/* Adds g to the four corners of a point.  All four are read before the first is written, as rows
 * may be a multiple of 4 KB apart.  They are written one by one: after a store of a pair, a load of
 * another pair that shares an element with it would wait until the store has reached the cache. */
INLINE void scatter_corners(real *upper, real *lower, const real *weight, real g)
{
  const real sum[4] = {upper[0] + weight[0] * g, upper[1] + weight[LANES] * g,
                       lower[0] + weight[2 * LANES] * g, lower[1] + weight[3 * LANES] * g};
  *(volatile real *)upper = sum[0];
  *(volatile real *)(upper + 1) = sum[1];
  *(volatile real *)lower = sum[2];
  *(volatile real *)(lower + 1) = sum[3];
}

/* Scatters the gradients of n points where g is not finite: corners with weight 0 are left out, since 0 * g
 * would be NaN. */
static __attribute__((noinline)) void scatter_one_by_one(real *y, int64_t width,
                                                         const GatherPoints *m, int n,
                                                         const real *g)
{
  for (int k = 0; k < n; k++)
    for (int corner = 0; corner < 4; corner++)
      if (m->weight[corner][k] != 0) {
        real *to = y + m->at[k] + (corner >> 1) * width + (corner & 1);
        *to += m->weight[corner][k] * g[k];
      }
}

/* Scatters n points of count planes, 1 or 2, in the order of the points. */
INLINE void scatter_points(const THNN_(Sampler) * s, int count, const GatherPoints *m,
                           const real *g, real *y, ptrdiff_t n)
{
  const ptrdiff_t width = s->in[2], plane = s->plane, points = s->points;
  for (ptrdiff_t i = 0; i < n; i += LANES, m++) {
    const int some = (int)THMin(LANES, n - i);
    int finite = 1;
    for (int p = 0; p < count; p++) {
      __builtin_prefetch(y + (count + p) * plane + i, 1, 2);
      finite &= is_finite(Vector_(loadMasked)(points_there(some), g + p * points + i));
    }
    if (!finite) {
      for (int p = 0; p < count; p++)
        scatter_one_by_one(y + p * plane, width, m, some, g + p * points + i);
      continue;
    }
    for (int k = 0; k < some; k++) {
      real *upper = y + m->at[k], *lower = upper + width;
      const real *weight = &m->weight[0][k];
      scatter_corners(upper, lower, weight, g[i + k]);
      if (count > 1)
        scatter_corners(upper + plane, lower + plane, weight, g[points + i + k]);
    }
  }
}

/* Scatters n points, beginning with point, to planes begin ... end of an image.  The planes are
 * cleared before the first block of points. */
static void scatter_block(const THNN_(Sampler) * s, int64_t begin, int64_t end, int64_t point,
                          ptrdiff_t n, const GatherPoints *m)
{
  for (int64_t plane = begin; plane < end; plane += 2) {
    const int count = end - plane > 1 ? 2 : 1;
    const real *g = s->g + plane * s->points + point;
    real *y = s->gradInput + plane * s->plane;
    if (point == 0)
      memset(y, 0, (size_t)(count * s->plane) * sizeof *y);
    if (count == 2)
      scatter_points(s, 2, m, g, y, n);
    else
      scatter_points(s, 1, m, g, y, n);
  }
}

static void gradients_of_block(const THNN_(Sampler) * s, int64_t begin, int64_t end, int64_t point,
                               ptrdiff_t n, const GatherPoints *m, PointGradients *to)
{
  memset(to, 0, (size_t)((n + LANES - 1) / LANES) * sizeof *to);
  for (int64_t plane = begin; plane < end; plane += 2) {
    const real *x = s->x + plane * s->plane, *g = s->g + plane * s->points + point;
    if (end - plane > 1)
      gradients_of_planes(s, 2, m, x, g, n, to);
    else
      gradients_of_planes(s, 1, m, x, g, n, to);
  }
}

/* The gradients of a vector of points along axis a, 0 (down) or 1 (across). */
INLINE Vector gradient_of(const GatherPoints *m, const PointGradients *from, int a)
{
  THDoubles half[2];
  for (int k = 0; k < 2; k++)
    half[k] = THDoubles_load(from->sum[a] + k * (LANES / 2)) *
              THDoubles_loadFloats(m->slope[a] + k * (LANES / 2));
  return THFloats_ofDoubles(half[0], half[1]);
}

/* Stores the gradients of n points, across and down interleaved. */
static void store_gradients(const GatherPoints *m, const PointGradients *from, ptrdiff_t n,
                            real *to)
{
  for (ptrdiff_t i = 0; i < n; i += LANES, m++, from++, to += 2 * LANES) {
    const uint32_t there = n - i < LANES ? (1u << 2 * (n - i)) - 1 : UINT32_MAX;
    const Vector down = gradient_of(m, from, 0), across = gradient_of(m, from, 1);
    Vector_(storeMasked)(to, (Mask)there, MIX(across, down, LOWER));
    Vector_(storeMasked)(to + LANES, (Mask)(there >> 16), MIX(across, down, UPPER));
  }
}

/* Computes gradInput for planes begin ... end. */
static void scatter_planes_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  TH_SCRATCH(GatherPoints, points, BLOCK / LANES);
  for (ptrdiff_t from = begin, to; from < end; from = to) {
    const int64_t image = from / s->planes;
    to = THMin(end, (image + 1) * s->planes);
    for (int64_t point = 0; point < s->points; point += BLOCK) {
      const ptrdiff_t n = THMin(BLOCK, s->points - point);
      find_gather_points(s, s->grid + 2 * (image * s->points + point), n, points);
      scatter_block(s, from, to, point, n, points);
    }
  }
}

/* Computes gradGrid for blocks begin ... end of all images. */
static void grid_gradients_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  TH_SCRATCH(GatherPoints, points, BLOCK / LANES);
  TH_SCRATCH(PointGradients, gradient, BLOCK / LANES);
  for (ptrdiff_t b = begin; b < end; b++) {
    const int64_t image = b / s->blocks, point = b % s->blocks * BLOCK;
    const ptrdiff_t n = THMin(BLOCK, s->points - point), all = 2 * (image * s->points + point);
    find_gather_points(s, s->grid + all, n, points);
    gradients_of_block(s, image * s->planes, (image + 1) * s->planes, point, n, points, gradient);
    store_gradients(points, gradient, n, s->gradGrid + all);
  }
}
