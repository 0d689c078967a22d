/* The kernels of interpolation: a thread computes an element. */
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

__global__ static void interpolate_bytes(at_byte_taps_work w)
{
  THC_GRID_LOOP(k, w.lines * w.inner)
  {
    const ptrdiff_t line = k / w.inner, j = k - line * w.inner;
    const ptrdiff_t outer = line / w.size, i = line - outer * w.size;
    const int64_t *index = w.index + i * w.taps;
    const int16_t *weight = w.weight + i * w.taps;
    const uint8_t *x = w.x + outer * w.from * w.inner + j;
    int32_t sum = w.precision > 0 ? 1 << (w.precision - 1) : 0;
    for (int64_t t = 0; t < w.taps; t++)
      if (weight[t] != 0)
        sum += weight[t] * x[index[t] * w.inner];
    sum >>= w.precision;
    w.y[k] = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
  }
}

AT_LAUNCHER(interpolateBytes, at_byte_taps_work)
{
  THC_LAUNCH(interpolate_bytes, THC_blocks(work->lines * work->inner), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(interpolate, at_interpolate_work)
{
  THC_LAUNCH(interpolate, THC_blocks(work->lines * work->inner), THC_BLOCK, 0, stream, *work);
}
