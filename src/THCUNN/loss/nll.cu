/* Kernels of the negative log-likelihood. */
#include "THCUNN/layer/thcunn_template.h"

/* The offset in the input of target i's class, and the class's weight; -1 for a target that is ignored, or
 * no class. */
THC_DEVICE int64_t offset_of(const THCUNNNll &w, int64_t i, real *weight)
{
  *weight = 0;
  const int64_t chosen = w.target[i] - w.base;
  if (w.target[i] == w.ignore || (uint64_t)chosen >= (uint64_t)w.classes)
    return -1;
  *weight = w.weights ? THC_LOAD(((const element *)w.weights)[chosen]) : (real)1;
  return (i / w.inner * w.classes + chosen) * w.inner + i % w.inner;
}

__global__ static void losses(THCUNNNll w)
{
  THC_GRID_LOOP(i, w.batch * w.inner)
  {
    real weight;
    const int64_t at = offset_of(w, i, &weight);
    ((element *)w.loss)[i] = THC_STORE(at < 0 ? 0 : -THC_LOAD(((const element *)w.x)[at]) * weight);
  }
}

THC_DEVICE void put_total(const THCUNNNll &w, real sum, real weights)
{
  *(element *)w.loss = THC_STORE(w.average && weights != 0 ? sum / weights : sum);
  *(element *)w.totalOut = THC_STORE(weights);
}

/* A block for each part of the sum. */
__global__ static void total(THCUNNNll w)
{
  __shared__ real shared[THC_BLOCK];
  const Part part = part_of(blockIdx.x, gridDim.x, w.batch * w.inner);
  real sum = 0, weights = 0;
  for (int64_t i = part.begin + threadIdx.x; i < part.end; i += THC_BLOCK) {
    real weight;
    const int64_t at = offset_of(w, i, &weight);
    sum += at < 0 ? 0 : -THC_LOAD(((const element *)w.x)[at]) * weight;
    weights += weight;
  }
  sum = block_reduce(sum, shared, 0);
  weights = block_reduce(weights, shared, 0);
  if (threadIdx.x == 0 && w.sums) {
    ((double *)w.sums)[2 * blockIdx.x] = sum;
    ((double *)w.sums)[2 * blockIdx.x + 1] = weights;
  } else if (threadIdx.x == 0) {
    put_total(w, sum, weights);
  }
}

__global__ static void total_of_parts(THCUNNNll w, int64_t parts)
{
  __shared__ double shared[THC_BLOCK];
  const double sum = join_parts((const double *)w.sums, parts, shared);
  const double weights = join_parts((const double *)w.sums + 1, parts, shared);
  if (threadIdx.x == 0)
    put_total(w, (real)sum, (real)weights);
}

__global__ static void gradients(THCUNNNll w)
{
  const real all = w.each ? (real)1 : THC_LOAD(*(const element *)w.totalIn);
  const real divisor = w.average ? all : (real)1;
  if (!(all > 0))
    return;
  THC_GRID_LOOP(i, w.batch * w.inner)
  {
    real weight;
    const int64_t at = offset_of(w, i, &weight);
    if (at >= 0)
      ((element *)w.dx)[at] =
          THC_STORE(-weight * THC_LOAD(((const element *)w.g)[w.each ? i : 0]) / divisor);
  }
}

extern "C" void THCUNN_(nll)(const THCUNNNll *nll, cudaStream_t stream)
{
  const int64_t count = nll->batch * nll->inner, parts = nll->sums ? THCUNN_parts(1, count) : 1;
  if (nll->each)
    THC_LAUNCH(losses, THC_blocks(count), THC_BLOCK, 0, stream, *nll);
  else
    THC_LAUNCH(total, (unsigned)parts, THC_BLOCK, 0, stream, *nll);
  if (nll->sums)
    THC_LAUNCH(total_of_parts, 1, THC_BLOCK, 0, stream, *nll, parts);
}

extern "C" void THCUNN_(nllBackward)(const THCUNNNll *nll, cudaStream_t stream)
{
  THC_LAUNCH(gradients, THC_blocks(nll->batch * nll->inner), THC_BLOCK, 0, stream, *nll);
}
