/* The kernel of planes whose elements are weighted sums of given elements along each axis.  One
 * thread computes each element; the gradient is the same with transposed lists. */
#include "THCUNN/layer/thcunn_template.h"

THC_DEVICE real weight_of(const THCUNNGather &g, int axis, int64_t term)
{
  return g.weight[axis] ? ((const real *)g.weight[axis])[term] : (real)1;
}

/* Whether a result is one given element: that is copied, since of integers, which come as floats of their size, a
 * device's arithmetic would not keep the bits. */
THC_DEVICE bool is_one(const THCUNNGather &g, const int64_t *term, const int64_t *end)
{
  for (int a = 0; a < 3; a++)
    if (end[a] - term[a] != 1 || weight_of(g, a, term[a]) != 1)
      return false;
  return true;
}

__global__ static void gather(THCUNNGather g, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t plane = i, term[3], end[3];
    for (int a = 2; a >= 0; a--) {
      const int64_t at = next_coordinate(split, 2 - a, &plane);
      term[a] = g.first[a][at];
      end[a] = g.first[a][at + 1];
    }
    const element *x = (const element *)g.x + plane * g.from[0] * g.from[1] * g.from[2];
    if (is_one(g, term, end)) {
      const int64_t row = g.index[0][term[0]] * g.from[1] + g.index[1][term[1]];
      ((element *)g.y)[i] = x[row * g.from[2] + g.index[2][term[2]]];
      continue;
    }
    real sum = 0;
    for (int64_t s = term[0]; s < end[0]; s++)
      for (int64_t t = term[1]; t < end[1]; t++) {
        const int64_t row = (g.index[0][s] * g.from[1] + g.index[1][t]) * g.from[2];
        const real outer = weight_of(g, 0, s) * weight_of(g, 1, t);
        for (int64_t u = term[2]; u < end[2]; u++)
          sum += outer * weight_of(g, 2, u) * THC_LOAD(x[row + g.index[2][u]]);
      }
    ((element *)g.y)[i] = THC_STORE(sum);
  }
}

extern "C" void THCUNN_(gather)(const THCUNNGather *g, cudaStream_t stream)
{
  const int64_t size[] = {g->to[2], g->to[1], g->to[0]};
  const int64_t count = g->planes * size[0] * size[1] * size[2];
  THC_LAUNCH(gather, THC_blocks(count), THC_BLOCK, 0, stream, *g, index_split(count, 3, size),
             count);
}
