/* Kernels of SpatialCrossMapLRN.  An element's neighbours are size planes, (size - 1) / 2 of them
 * before its own. */
#include "THCUNN/layer/thcunn_template.h"

__global__ static void cross_map(THCUNNCrossMap c, int64_t count)
{
  const int64_t before = (c.size - 1) / 2;
  THC_GRID_LOOP(i, count)
  {
    const int64_t plane = i / c.inner % c.planes, from = i - plane * c.inner;
    const int64_t first = plane < before ? 0 : plane - before, last = plane - before + c.size;
    real sum = 0;
    for (int64_t p = first; p < last && p < c.planes; p++) {
      const real v = load(c.x, from + p * c.inner);
      sum += v * v;
    }
    const real scale = (real)c.k + sum * (real)c.alpha / (real)c.size;
    ((element *)c.scale)[i] = THC_STORE(scale);
    ((element *)c.y)[i] = THC_STORE(load(c.x, i) * THMath_(pow)(scale, -(real)c.beta));
  }
}

/* An element counts in the scales of the planes that it is a neighbour of. */
__global__ static void cross_map_backward(THCUNNCrossMap c, int64_t count)
{
  const int64_t behind = c.size - 1 - (c.size - 1) / 2;
  THC_GRID_LOOP(i, count)
  {
    const int64_t plane = i / c.inner % c.planes, from = i - plane * c.inner;
    const int64_t first = plane < behind ? 0 : plane - behind, last = plane - behind + c.size;
    real sum = 0;
    for (int64_t p = first; p < last && p < c.planes; p++) {
      const int64_t at = from + p * c.inner;
      sum += load(c.g, at) * load(c.y, at) / load(c.scale, at);
    }
    const real own = load(c.g, i) * THMath_(pow)(load(c.scale, i), -(real)c.beta);
    ((element *)c.dx)[i] =
        THC_STORE(own - 2 * (real)c.alpha * (real)c.beta / (real)c.size * load(c.x, i) * sum);
  }
}

extern "C" void THCUNN_(crossMap)(const THCUNNCrossMap *c, cudaStream_t stream)
{
  const int64_t count = c->batch * c->planes * c->inner;
  THC_LAUNCH(cross_map, THC_blocks(count), THC_BLOCK, 0, stream, *c, count);
}

extern "C" void THCUNN_(crossMapBackward)(const THCUNNCrossMap *c, cudaStream_t stream)
{
  const int64_t count = c->batch * c->planes * c->inner;
  THC_LAUNCH(cross_map_backward, THC_blocks(count), THC_BLOCK, 0, stream, *c, count);
}
