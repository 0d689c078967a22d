/* Kernels of batch normalization: a block for each channel, which computes all of it, or of few large
 * channels for each part, in a launch for each sum and one for the results. */
#include "THCUNN/layer/thcunn_template.h"

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
THC_DEVICE double sum_of(const THCUNNBatchNorm &b, const Part &part, double *shared)
{
  double sum = 0;
  for (int64_t j = part.begin + threadIdx.x; j < part.end; j += THC_BLOCK)
    sum += load(b.x, offset_of(b, part.line, j));
  return block_reduce(sum, shared, 0);
}

THC_DEVICE double squares_of(const THCUNNBatchNorm &b, const Part &part, double mean,
                             double *shared)
{
  double square = 0;
  for (int64_t j = part.begin + threadIdx.x; j < part.end; j += THC_BLOCK) {
    const double d = load(b.x, offset_of(b, part.line, j)) - mean;
    square += d * d;
  }
  return block_reduce(square, shared, 0);
}

/* One thread writes what training keeps of a channel of n values. */
THC_DEVICE void keep(const THCUNNBatchNorm &b, int64_t c, double mean, double square)
{
  const double n = (double)(b.batch * b.inner);
  store(b.saveMean, c, (real)mean);
  store(b.saveStd, c, inverse(square / n, b.eps));
  average_into(b.runningMean, c, b.momentum, (real)mean);
  average_into(b.runningVar, c, b.momentum, (real)(square / (n - 1)));
}

THC_DEVICE void put_values(const THCUNNBatchNorm &b, const Part &part, double mean, real std)
{
  const int64_t c = part.line;
  const real slope = std * (b.weight ? load(b.weight, c) : (real)1);
  const real bias = b.bias ? load(b.bias, c) : (real)0;
  for (int64_t j = part.begin + threadIdx.x; j < part.end; j += THC_BLOCK) {
    const int64_t at = offset_of(b, c, j);
    store(b.y, at, (real)(load(b.x, at) - mean) * slope + bias);
  }
}

__global__ static void normalize(THCUNNBatchNorm b)
{
  __shared__ double shared[THC_BLOCK];
  const int64_t n = b.batch * b.inner;
  for (int64_t c = blockIdx.x; c < b.channels; c += gridDim.x) {
    const Part all = {c, 0, 0, n};
    if (!b.train) {
      put_values(b, all, load(b.mean, c), inverse(load(b.variance, c), b.eps));
      continue;
    }
    const double mean = sum_of(b, all, shared) / (double)n,
                 square = squares_of(b, all, mean, shared);
    if (threadIdx.x == 0)
      keep(b, c, mean, square);
    put_values(b, all, mean, inverse(square / (double)n, b.eps));
  }
}

/* The gradient's sum, and its product with the deviations from the mean. */
THC_DEVICE void sum_gradients(const THCUNNBatchNorm &b, const Part &part, real *shared, real *sum,
                              real *dot)
{
  const real mean = load(b.mean, part.line);
  *sum = *dot = 0;
  for (int64_t j = part.begin + threadIdx.x; j < part.end; j += THC_BLOCK) {
    const int64_t at = offset_of(b, part.line, j);
    const real g = load(b.g, at);
    *sum += g;
    *dot += g * (load(b.x, at) - mean);
  }
  *sum = block_reduce(*sum, shared, 0);
  *dot = block_reduce(*dot, shared, 0);
}

/* Writes the gradients of a part of a channel.  The first part of a channel also adds the gradients of its weight
 * and bias. */
THC_DEVICE void put_gradients(const THCUNNBatchNorm &b, const Part &part, real sum, real dot)
{
  const int64_t n = b.batch * b.inner, c = part.line;
  const real mean = load(b.mean, c);
  const real std = b.train ? load(b.std, c) : inverse(load(b.variance, c), b.eps);
  const real slope = std * (b.weight ? load(b.weight, c) : (real)1);
  if (threadIdx.x == 0 && part.number == 0 && b.gradWeight)
    store(b.gradWeight, c, load(b.gradWeight, c) + (real)b.scale * dot * std);
  if (threadIdx.x == 0 && part.number == 0 && b.gradBias)
    store(b.gradBias, c, load(b.gradBias, c) + (real)b.scale * sum);
  const real factor = dot * std * std / (real)n, offset = sum / (real)n;
  for (int64_t j = part.begin + threadIdx.x; b.y && j < part.end; j += THC_BLOCK) {
    const int64_t at = offset_of(b, c, j);
    const real shift = b.train ? offset + factor * (load(b.x, at) - mean) : (real)0;
    store(b.y, at, slope * (load(b.g, at) - shift));
  }
}

__global__ static void normalize_backward(THCUNNBatchNorm b)
{
  __shared__ real shared[THC_BLOCK];
  for (int64_t c = blockIdx.x; c < b.channels; c += gridDim.x) {
    const Part all = {c, 0, 0, b.batch * b.inner};
    real sum, dot;
    sum_gradients(b, all, shared, &sum, &dot);
    put_gradients(b, all, sum, dot);
  }
}

/* --- by parts --------------------------------------------------------------------------------- */

/* The sums of a channel's parts; `which` is 0 or 1. */
THC_DEVICE double joined(const THCUNNBatchNorm &b, const Part &part, int64_t parts, int which,
                         double *shared)
{
  return join_parts((const double *)b.sums + 2 * part.line * parts + which, parts, shared);
}

THC_DEVICE void put_sum(const THCUNNBatchNorm &b, int which, double sum)
{
  if (threadIdx.x == 0)
    ((double *)b.sums)[2 * blockIdx.x + which] = sum;
}

__global__ static void sums_of_parts(THCUNNBatchNorm b, int64_t parts)
{
  __shared__ double shared[THC_BLOCK];
  put_sum(b, 0, sum_of(b, part_of(blockIdx.x, parts, b.batch * b.inner), shared));
}

__global__ static void squares_of_parts(THCUNNBatchNorm b, int64_t parts)
{
  __shared__ double shared[THC_BLOCK];
  const int64_t n = b.batch * b.inner;
  const Part part = part_of(blockIdx.x, parts, n);
  const double mean = joined(b, part, parts, 0, shared) / (double)n;
  put_sum(b, 1, squares_of(b, part, mean, shared));
}

__global__ static void normalize_parts(THCUNNBatchNorm b, int64_t parts)
{
  __shared__ double shared[THC_BLOCK];
  const int64_t n = b.batch * b.inner;
  const Part part = part_of(blockIdx.x, parts, n);
  if (!b.train) {
    put_values(b, part, load(b.mean, part.line), inverse(load(b.variance, part.line), b.eps));
    return;
  }
  const double mean = joined(b, part, parts, 0, shared) / (double)n;
  const double square = joined(b, part, parts, 1, shared);
  if (threadIdx.x == 0 && part.number == 0)
    keep(b, part.line, mean, square);
  put_values(b, part, mean, inverse(square / (double)n, b.eps));
}

__global__ static void sum_gradients_of_parts(THCUNNBatchNorm b, int64_t parts)
{
  __shared__ real shared[THC_BLOCK];
  real sum, dot;
  sum_gradients(b, part_of(blockIdx.x, parts, b.batch * b.inner), shared, &sum, &dot);
  put_sum(b, 0, sum);
  put_sum(b, 1, dot);
}

__global__ static void put_gradients_of_parts(THCUNNBatchNorm b, int64_t parts)
{
  __shared__ double shared[THC_BLOCK];
  const Part part = part_of(blockIdx.x, parts, b.batch * b.inner);
  const double sum = joined(b, part, parts, 0, shared), dot = joined(b, part, parts, 1, shared);
  put_gradients(b, part, (real)sum, (real)dot);
}

/* --- launchers -------------------------------------------------------------------------------- */

static int64_t parts_of(const THCUNNBatchNorm *b)
{
  return b->sums ? THCUNN_parts(b->channels, b->batch * b->inner) : 1;
}

static unsigned blocks_of(const THCUNNBatchNorm *b)
{
  const int64_t blocks = b->channels * parts_of(b);
  return (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX);
}

#define LAUNCH_PARTS(KERNEL) THC_LAUNCH(KERNEL, blocks_of(b), THC_BLOCK, 0, stream, *b, parts_of(b))

extern "C" void THCUNN_(batchNorm)(const THCUNNBatchNorm *b, cudaStream_t stream)
{
  if (!b->sums) {
    THC_LAUNCH(normalize, blocks_of(b), THC_BLOCK, 0, stream, *b);
    return;
  }
  if (b->train) {
    LAUNCH_PARTS(sums_of_parts);
    LAUNCH_PARTS(squares_of_parts);
  }
  LAUNCH_PARTS(normalize_parts);
}

extern "C" void THCUNN_(batchNormBackward)(const THCUNNBatchNorm *b, cudaStream_t stream)
{
  if (!b->sums) {
    THC_LAUNCH(normalize_backward, blocks_of(b), THC_BLOCK, 0, stream, *b);
    return;
  }
  LAUNCH_PARTS(sum_gradients_of_parts);
  LAUNCH_PARTS(put_gradients_of_parts);
}
