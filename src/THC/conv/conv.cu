/* The kernel of convolutions of images: a thread computes one element of the result. */
#include "THC/core/thc_cuda.h"

#include "thc_conv.h"

#include "TH.h"

/* The input's row (d = 0) or column that tap `tap` of element y reads; -1 if there is none. */
THC_DEVICE int64_t position_of(const THCConv &conv, int d, int64_t y, int64_t tap)
{
  if (conv.form == THC_CONV_VALID)
    return y * conv.step[d] + tap;
  if (conv.form == THC_CONV_REVERSE)
    return y + tap * conv.step[d];
  const int64_t ahead = y - tap;
  if (ahead < 0 || ahead % conv.step[d] || ahead / conv.step[d] >= conv.size[d])
    return -1;
  return ahead / conv.step[d];
}

/* The convolution of one plane and one kernel at element (y, x). */
THC_DEVICE float convolve_plane(const THCConv &conv, const float *from, const float *weight,
                                int64_t y, int64_t x)
{
  const int64_t rows = conv.kernelSize[0], columns = conv.kernelSize[1];
  float sum = 0;
  for (int64_t a = 0; a < rows; a++) {
    const int64_t row = position_of(conv, 0, y, a);
    if (row < 0)
      continue;
    for (int64_t b = 0; b < columns; b++) {
      const int64_t column = position_of(conv, 1, x, b);
      const int64_t tap = a * columns + b;
      if (column >= 0)
        sum +=
            from[row * conv.size[1] + column] * weight[conv.flips ? rows * columns - 1 - tap : tap];
    }
  }
  return sum;
}

__global__ static void convolve(THCConv conv)
{
  const int64_t plane = conv.outSize[0] * conv.outSize[1];
  THC_GRID_LOOP(i, conv.count[0] * conv.count[1] * plane)
  {
    const int64_t x = i % conv.outSize[1], y = i % plane / conv.outSize[1];
    const int64_t p = i / plane / conv.count[1], q = i / plane % conv.count[1];
    float sum = 0;
    for (int64_t s = 0; s < conv.summands; s++) {
      const int64_t k = p * conv.kernel.p + q * conv.kernel.q + s * conv.kernel.summand;
      const int64_t t = conv.map ? (int64_t)conv.map[k * conv.mapWidth] - TH_INDEX_BASE
                                 : p * conv.input.p + q * conv.input.q + s * conv.input.summand;
      sum += convolve_plane(conv, conv.from + t * conv.size[0] * conv.size[1],
                            conv.weight + k * conv.kernelSize[0] * conv.kernelSize[1], y, x);
    }
    conv.to[i] = conv.alpha * sum + (conv.beta != 0 ? conv.beta * conv.to[i] : 0);
  }
}

extern "C" void THCKernel_convolve(const THCConv *conv, cudaStream_t stream)
{
  const int64_t count = conv->count[0] * conv->count[1] * conv->outSize[0] * conv->outSize[1];
  THC_LAUNCH(convolve, THC_blocks((ptrdiff_t)count), THC_BLOCK, 0, stream, *conv);
}
