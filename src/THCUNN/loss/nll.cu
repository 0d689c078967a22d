/* Kernels of the negative log-likelihood. */
#include "THCUNN/layer/thcunn_template.h"

/* The offset in the input of target i's class, and the class's weight; -1 for an ignored target. */
THC_DEVICE int64_t offset_of(const THCUNNNll &w, int64_t i, real *weight)
{
  *weight = 0;
  if (w.target[i] == w.ignore)
    return -1;
  const int64_t chosen = w.target[i] - w.base;
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

/* One block, so that the sum does not depend on the order of blocks. */
__global__ static void total(THCUNNNll w)
{
  __shared__ real room[THC_BLOCK];
  real sum = 0, weights = 0;
  for (int64_t i = threadIdx.x; i < w.batch * w.inner; i += blockDim.x) {
    real weight;
    const int64_t at = offset_of(w, i, &weight);
    sum += at < 0 ? 0 : -THC_LOAD(((const element *)w.x)[at]) * weight;
    weights += weight;
  }
  sum = block_reduce(sum, room, 0);
  weights = block_reduce(weights, room, 0);
  if (threadIdx.x == 0) {
    *(element *)w.loss = THC_STORE(w.average && weights != 0 ? sum / weights : sum);
    *(element *)w.totalOut = THC_STORE(weights);
  }
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
  if (nll->each)
    THC_LAUNCH(losses, THC_blocks(nll->batch * nll->inner), THC_BLOCK, 0, stream, *nll);
  else
    THC_LAUNCH(total, 1, THC_BLOCK, 0, stream, *nll);
}

extern "C" void THCUNN_(nllBackward)(const THCUNNNll *nll, cudaStream_t stream)
{
  THC_LAUNCH(gradients, THC_blocks(nll->batch * nll->inner), THC_BLOCK, 0, stream, *nll);
}
