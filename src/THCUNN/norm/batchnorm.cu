/* Kernels of batch normalization: a block for each channel. */
#include "THCUNN/layer/thcunn_template.h"

THC_DEVICE real load(const void *x, int64_t i)
{
  return THC_LOAD(((const element *)x)[i]);
}

THC_DEVICE void store(void *y, int64_t i, real value)
{
  ((element *)y)[i] = THC_STORE(value);
}

/* The offset of value j of a channel. */
THC_DEVICE int64_t offset_of(const THCUNNBatchNorm &b, int64_t channel, int64_t j)
{
  return (j / b.inner * b.channels + channel) * b.inner + j % b.inner;
}

/* 1 / the standard deviation, or 0 where that is 0 (equal values, without eps). */
THC_DEVICE real inverse(double variance, double eps)
{
  return variance == 0 && eps == 0 ? (real)0 : (real)(1 / sqrt(variance + eps));
}

THC_DEVICE void average_into(void *running, int64_t c, double momentum, real value)
{
  if (running)
    store(running, c, (real)momentum * value + (real)(1 - momentum) * load(running, c));
}

/* Sums are of double, so that neither a large mean nor a value far from the others rounds them. */
__global__ static void normalize(THCUNNBatchNorm b)
{
  __shared__ double room[THC_BLOCK];
  const int64_t n = b.batch * b.inner;
  for (int64_t c = blockIdx.x; c < b.channels; c += gridDim.x) {
    double mean;
    real std;
    if (b.train) {
      double sum = 0, square = 0;
      for (int64_t j = threadIdx.x; j < n; j += blockDim.x)
        sum += load(b.x, offset_of(b, c, j));
      mean = block_reduce(sum, room, 0) / (double)n;
      for (int64_t j = threadIdx.x; j < n; j += blockDim.x) {
        const double d = load(b.x, offset_of(b, c, j)) - mean;
        square += d * d;
      }
      square = block_reduce(square, room, 0);
      std = inverse(square / (double)n, b.eps);
      if (threadIdx.x == 0) {
        store(b.saveMean, c, (real)mean);
        store(b.saveStd, c, std);
        average_into(b.runningMean, c, b.momentum, (real)mean);
        average_into(b.runningVar, c, b.momentum, (real)(square / (double)(n - 1)));
      }
    } else {
      mean = load(b.mean, c);
      std = inverse(load(b.variance, c), b.eps);
    }
    const real slope = std * (b.weight ? load(b.weight, c) : (real)1);
    const real bias = b.bias ? load(b.bias, c) : (real)0;
    for (int64_t j = threadIdx.x; j < n; j += blockDim.x) {
      const int64_t at = offset_of(b, c, j);
      store(b.y, at, (real)(load(b.x, at) - mean) * slope + bias);
    }
  }
}

__global__ static void normalize_backward(THCUNNBatchNorm b)
{
  __shared__ real room[THC_BLOCK];
  const int64_t n = b.batch * b.inner;
  for (int64_t c = blockIdx.x; c < b.channels; c += gridDim.x) {
    const real mean = load(b.mean, c);
    const real std = b.train ? load(b.std, c) : inverse(load(b.variance, c), b.eps);
    const real slope = std * (b.weight ? load(b.weight, c) : (real)1);
    real sum = 0, dot = 0;
    for (int64_t j = threadIdx.x; j < n; j += blockDim.x) {
      const int64_t at = offset_of(b, c, j);
      const real g = load(b.g, at);
      sum += g;
      dot += g * (load(b.x, at) - mean);
    }
    sum = block_reduce(sum, room, 0);
    dot = block_reduce(dot, room, 0);
    if (threadIdx.x == 0 && b.gradWeight)
      store(b.gradWeight, c, load(b.gradWeight, c) + (real)b.scale * dot * std);
    if (threadIdx.x == 0 && b.gradBias)
      store(b.gradBias, c, load(b.gradBias, c) + (real)b.scale * sum);
    const real factor = b.train ? dot * std * std / (real)n : (real)0;
    const real offset = b.train ? sum / (real)n : (real)0;
    for (int64_t j = threadIdx.x; b.y && j < n; j += blockDim.x) {
      const int64_t at = offset_of(b, c, j);
      store(b.y, at, slope * (load(b.g, at) - offset - factor * (load(b.x, at) - mean)));
    }
  }
}

static unsigned blocks_of(int64_t channels)
{
  return (unsigned)(channels < INT32_MAX ? channels : INT32_MAX);
}

extern "C" void THCUNN_(batchNorm)(const THCUNNBatchNorm *b, cudaStream_t stream)
{
  THC_LAUNCH(normalize, blocks_of(b->channels), THC_BLOCK, 0, stream, *b);
}

extern "C" void THCUNN_(batchNormBackward)(const THCUNNBatchNorm *b, cudaStream_t stream)
{
  THC_LAUNCH(normalize_backward, blocks_of(b->channels), THC_BLOCK, 0, stream, *b);
}
