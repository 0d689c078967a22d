/* Kernels that fill planes of images with a bias, and sum them up. */
#include "thcunn_template.h"

__global__ static void fill(Digits digits, int64_t count, const element *bias, element *y)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t rest = i;
    digit_of(digits, 0, &rest);
    y[i] = bias[digit_of(digits, 1, &rest)];
  }
}

/* A block for each plane. */
__global__ static void sums(int64_t batch, int64_t planes, int64_t n, const element *x, real scale,
                            element *y)
{
  __shared__ real room[THC_BLOCK];
  for (int64_t plane = blockIdx.x; plane < planes; plane += gridDim.x) {
    const int64_t share = n < THC_BLOCK ? n : THC_BLOCK; /* threads per image of the batch */
    const int64_t image = threadIdx.x / share, together = THC_BLOCK / share;
    real sum = 0;
    for (int64_t b = image; b < batch && image < together; b += together)
      for (int64_t i = threadIdx.x - image * share; i < n; i += share)
        sum += THC_LOAD(x[(b * planes + plane) * n + i]);
    sum = block_reduce(sum, room, 0);
    if (threadIdx.x == 0)
      y[plane] = THC_STORE(THC_LOAD(y[plane]) + scale * sum);
  }
}

__global__ static void parts(const real *x, int count, real scale, element *y)
{
  __shared__ real room[THC_BLOCK];
  real sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    sum += x[i];
  sum = block_reduce(sum, room, 0);
  if (threadIdx.x == 0)
    *y = THC_STORE(scale * sum);
}

extern "C" void THCUNN_(fillPlanes)(int64_t batch, int64_t planes, int64_t n, const void *bias,
                                    void *y, cudaStream_t stream)
{
  const int64_t count = batch * planes * n, size[] = {n, planes};
  THC_LAUNCH(fill, THC_blocks(count), THC_BLOCK, 0, stream, digits_of(count, 2, size), count,
             (const element *)bias, (element *)y);
}

extern "C" void THCUNN_(addPlaneSums)(int64_t batch, int64_t planes, int64_t n, const void *x,
                                      double scale, void *y, cudaStream_t stream)
{
  THC_LAUNCH(sums, (unsigned)(planes < INT32_MAX ? planes : INT32_MAX), THC_BLOCK, 0, stream, batch,
             planes, n, (const element *)x, (real)scale, (element *)y);
}

extern "C" void THCUNN_(addParts)(const void *x, int count, double scale, void *y,
                                  cudaStream_t stream)
{
  THC_LAUNCH(parts, 1, THC_BLOCK, 0, stream, (const real *)x, count, (real)scale, (element *)y);
}
