/* The kernel of interpolation: a thread computes an element. */
#include "ATen/cuda/at_kernel.h"

__global__ static void interpolate(at_interpolate_work w)
{
  THC_GRID_LOOP(k, w.lines * w.inner)
  {
    const ptrdiff_t line = k / w.inner, j = k - line * w.inner;
    const ptrdiff_t outer = line / w.axis.size, i = line - outer * w.axis.size;
    const int64_t *index = w.axis.index + i * w.axis.taps;
    const double *weight = w.axis.weight + i * w.axis.taps;
    const real *x = (const real *)w.x + outer * w.from * w.inner + j;
    real sum = 0;
    for (int64_t t = 0; t < w.axis.taps; t++)
      sum += (real)weight[t] * x[index[t] * w.inner];
    ((real *)w.y)[k] = sum;
  }
}

AT_LAUNCHER(interpolate, at_interpolate_work)
{
  THC_LAUNCH(interpolate, THC_blocks(work->lines * work->inner), THC_BLOCK, 0, stream, *work);
}
