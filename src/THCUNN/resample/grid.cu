/* Kernels of grid sampling.  A point lies between 4 elements of an image or 8 of a volume, its corners.  THNN's
 * GridSamplerKernels.c has the formulas. */
#include "THCUNN/layer/thcunn_template.h"

enum { ZEROS, BORDER, REFLECTION }; /* THNN_ZEROS ... in THNN's GridSampler.h */

/* A point along one axis: the first of two indices, the weight of the second, and the derivative of
 * the position by the grid's coordinate. */
typedef struct Along {
  int64_t low;
  int within[2];
  real part, slope;
} Along;

/* Reflects a position into 0 ... last, unless it is not finite. */
THC_DEVICE void reflect(real *at, real *slope, int64_t last)
{
  const double width = (double)last, from = fabs((double)*at);
  if (!isfinite(from))
    return;
  const double times = floor(from / width), rest = from - times * width;
  const int odd = times / 2 != floor(times / 2);
  *slope = (*at < 0) != odd ? -*slope : *slope;
  *at = (real)(odd ? width - rest : rest);
}

/* NaN becomes low. */
THC_DEVICE real clamp(real x, real low, real high)
{
  const real above = x > low ? x : low;
  return above < high ? above : high;
}

THC_DEVICE Along along(const THCUNNGrid &s, int axis, real coordinate)
{
  const int64_t last = s.in[axis] - 1;
  Along a;
  real at = (coordinate + 1) / 2 * (real)last;
  a.slope = (real)last / 2;
  if (s.padding == REFLECTION && last > 0)
    reflect(&at, &a.slope, last);
  if (s.padding != ZEROS) {
    a.slope = at > 0 && at < (real)last ? a.slope : (real)0;
    at = clamp(at, 0, (real)last);
  }
  at = clamp(at, -1, (real)last + 1); /* at both of these, both indices are outside */
  const int near = at > -1 && at < (real)last + 1;
  const real low = THMath_(floor)(at);
  a.low = (int64_t)low;
  a.part = at - low;
  a.within[0] = near && a.low >= 0;
  a.within[1] = near && a.low < last;
  return a;
}

/* The point j of image n, along all axes; images have one index along the first. */
typedef struct Point {
  Along at[3];
} Point;

THC_DEVICE Point point_of(const THCUNNGrid &s, int64_t n, int64_t j)
{
  const element *coordinate = (const element *)s.grid + (n * s.points + j) * s.axes;
  Point p = {};
  p.at[0].within[0] = 1;
  for (int a = 3 - s.axes; a < 3; a++)
    p.at[a] = along(s, a, THC_LOAD(coordinate[2 - a]));
  return p;
}

/* The weight of corner k along an axis. */
THC_DEVICE real part_of(const Along &a, int second)
{
  return second ? a.part : 1 - a.part;
}

/* Corner k of a point: its index in a plane, or -1 where it is outside, and its weight. */
THC_DEVICE int64_t corner_of(const THCUNNGrid &s, const Point &p, int k, real *weight)
{
  const int z = k >> 2, y = k >> 1 & 1, x = k & 1;
  *weight = part_of(p.at[0], z) * part_of(p.at[1], y) * part_of(p.at[2], x);
  if (!p.at[0].within[z] || !p.at[1].within[y] || !p.at[2].within[x])
    return -1;
  return ((p.at[0].low + z) * s.in[1] + p.at[1].low + y) * s.in[2] + p.at[2].low + x;
}

__global__ static void sample(THCUNNGrid s, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    const int64_t j = i % s.points, plane = i / s.points;
    const Point p = point_of(s, plane / s.planes, j);
    const element *x = (const element *)s.x + plane * s.in[0] * s.in[1] * s.in[2];
    real sum = 0;
    for (int k = 0; k < 1 << s.axes; k++) {
      real weight;
      const int64_t at = corner_of(s, p, k, &weight);
      if (at >= 0 && weight != 0)
        sum += weight * THC_LOAD(x[at]);
    }
    ((element *)s.y)[i] = THC_STORE(sum);
  }
}

/* A block for each plane: each element belongs to one thread, which adds its points in order. */
__global__ static void gradients_of_input(THCUNNGrid s)
{
  const int64_t size = s.in[0] * s.in[1] * s.in[2];
  for (int64_t plane = blockIdx.x; plane < s.batch * s.planes; plane += gridDim.x) {
    const element *g = (const element *)s.g + plane * s.points;
    real *d = (real *)s.sums + plane * size;
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x)
      d[i] = 0;
    for (int64_t j = 0; j < s.points; j++) {
      const Point p = point_of(s, plane / s.planes, j);
      for (int k = 0; k < 1 << s.axes; k++) {
        real weight;
        const int64_t at = corner_of(s, p, k, &weight);
        if (at >= 0 && weight != 0 && at % blockDim.x == threadIdx.x)
          d[at] += weight * THC_LOAD(g[j]);
      }
    }
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x)
      ((element *)s.gradInput)[plane * size + i] = THC_STORE(d[i]);
  }
}

/* The derivative by the position along an axis: the second index's products less the first's. */
__global__ static void gradients_of_grid(THCUNNGrid s, int64_t count)
{
  const int64_t size = s.in[0] * s.in[1] * s.in[2];
  THC_GRID_LOOP(i, count)
  {
    const int64_t n = i / s.points, j = i % s.points;
    const Point p = point_of(s, n, j);
    real sum[3] = {0, 0, 0};
    for (int64_t plane = n * s.planes; plane < (n + 1) * s.planes; plane++) {
      const element *x = (const element *)s.x + plane * size;
      const real g = THC_LOAD(((const element *)s.g)[plane * s.points + j]);
      for (int k = 0; k < 1 << s.axes; k++) {
        real weight;
        const int64_t at = corner_of(s, p, k, &weight);
        const int bit[3] = {k >> 2, k >> 1 & 1, k & 1};
        const real value = at >= 0 ? g * THC_LOAD(x[at]) : (real)0;
        for (int a = 3 - s.axes; a < 3; a++) {
          real others = bit[a] ? value : -value;
          for (int b = 3 - s.axes; b < 3; b++)
            others *= b == a ? (real)1 : part_of(p.at[b], bit[b]);
          sum[a] += others;
        }
      }
    }
    for (int a = 3 - s.axes; a < 3; a++)
      ((element *)s.gradGrid)[i * s.axes + 2 - a] = THC_STORE(sum[a] * p.at[a].slope);
  }
}

extern "C" void THCUNN_(sampleGrid)(const THCUNNGrid *s, cudaStream_t stream)
{
  const int64_t count = s->batch * s->planes * s->points;
  THC_LAUNCH(sample, THC_blocks(count), THC_BLOCK, 0, stream, *s, count);
}

extern "C" void THCUNN_(sampleGridBackward)(const THCUNNGrid *s, cudaStream_t stream)
{
  const int64_t planes = s->batch * s->planes, count = s->batch * s->points;
  THC_LAUNCH(gradients_of_input, (unsigned)(planes < INT32_MAX ? planes : INT32_MAX), THC_BLOCK, 0,
             stream, *s);
  THC_LAUNCH(gradients_of_grid, THC_blocks(count), THC_BLOCK, 0, stream, *s, count);
}
