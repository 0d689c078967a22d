/* Kernels of margins: how far the scores of right classes exceed those of the others. */
#include "THCUNN/layer/thcunn_template.h"

THC_DEVICE real load(const void *x, int64_t i)
{
  return THC_LOAD(((const element *)x)[i]);
}

THC_DEVICE void store(void *y, int64_t i, real value)
{
  ((element *)y)[i] = THC_STORE(value);
}

/* A block for each input, or one for the sum over all. */
static unsigned blocks_of(int64_t inputs, int each)
{
  return each ? (unsigned)(inputs < INT32_MAX ? inputs : INT32_MAX) : 1;
}

/* --- one right class ------------------------------------------------------------------------- */

/* The factor of the terms of an input. */
THC_DEVICE real factor_of(const THCUNNMargin &w, int64_t i)
{
  return (real)w.factor * (w.weights ? load(w.weights, w.target[i] - w.base) : (real)1);
}

/* By how much the margin is violated by the score of a class; 0 for the right class. */
THC_DEVICE real violation(const THCUNNMargin &w, int64_t i, int64_t k)
{
  const int64_t right = w.target[i] - w.base;
  const real z = (real)w.margin - load(w.x, i * w.classes + right) + load(w.x, i * w.classes + k);
  return k != right && z > 0 ? z : 0;
}

__global__ static void margins(THCUNNMargin w)
{
  __shared__ real room[THC_BLOCK];
  const int64_t step = w.each ? gridDim.x : w.batch; /* inputs of one sum */
  for (int64_t first = w.each ? blockIdx.x : 0; first < w.batch; first += step) {
    const int64_t count = w.each ? w.classes : w.batch * w.classes;
    real sum = 0;
    for (int64_t j = threadIdx.x; j < count; j += blockDim.x) {
      const int64_t i = first + j / w.classes;
      const real h = violation(w, i, j % w.classes);
      sum += (w.p == 1 ? h : h * h) * factor_of(w, i);
    }
    sum = block_reduce(sum, room, 0);
    if (threadIdx.x == 0)
      store(w.loss, first, sum);
  }
}

__global__ static void margins_backward(THCUNNMargin w)
{
  __shared__ real room[THC_BLOCK];
  for (int64_t i = blockIdx.x; i < w.batch; i += gridDim.x) {
    const int64_t right = w.target[i] - w.base;
    const real factor = factor_of(w, i) * load(w.g, w.each ? i : 0);
    real sum = 0;
    for (int64_t k = threadIdx.x; k < w.classes; k += blockDim.x) {
      const real h = violation(w, i, k);
      const real slope = !(h > 0) ? 0 : w.p == 1 ? factor : 2 * h * factor;
      if (k != right)
        store(w.dx, i * w.classes + k, slope);
      sum += slope;
    }
    sum = block_reduce(sum, room, 0);
    if (threadIdx.x == 0)
      store(w.dx, i * w.classes + right, -sum);
  }
}

/* --- a list of right classes, up to the first element that is none --------------------------- */

__global__ static void mark_labels(THCUNNMargin w)
{
  THC_GRID_LOOP(j, w.batch * w.classes)
  {
    const int64_t *target = w.target + j / w.classes * w.classes, own = j % w.classes + w.base;
    int found = 0;
    for (int64_t l = 0; l < w.classes && target[l] >= w.base; l++)
      found |= target[l] == own;
    store(w.isTarget, j, (real)found);
  }
}

/* The margin that class k, not a right one, leaves to the right class. */
THC_DEVICE real shortfall(const THCUNNMargin &w, int64_t i, int64_t right, int64_t k)
{
  const real z = 1 - load(w.x, i * w.classes + right) + load(w.x, i * w.classes + k);
  return load(w.isTarget, i * w.classes + k) == 0 && z > 0 ? z : 0;
}

__global__ static void labels(THCUNNMargin w)
{
  __shared__ real room[THC_BLOCK];
  const int64_t step = w.each ? gridDim.x : w.batch;
  for (int64_t first = w.each ? blockIdx.x : 0; first < w.batch; first += step) {
    const int64_t count = w.each ? w.classes : w.batch * w.classes;
    real sum = 0;
    for (int64_t j = threadIdx.x; j < count; j += blockDim.x) {
      const int64_t i = first + j / w.classes, *target = w.target + i * w.classes;
      for (int64_t l = 0; l < w.classes && target[l] >= w.base; l++)
        sum += shortfall(w, i, target[l] - w.base, j % w.classes);
    }
    sum = block_reduce(sum, room, 0);
    if (threadIdx.x == 0)
      store(w.loss, first, sum * (real)w.factor);
  }
}

/* Other classes count the right ones that they come too near to; right classes, those others. */
__global__ static void labels_backward(THCUNNMargin w)
{
  THC_GRID_LOOP(j, w.batch * w.classes)
  {
    const int64_t i = j / w.classes, k = j % w.classes, *target = w.target + i * w.classes;
    real count = 0;
    for (int64_t l = 0; l < w.classes && target[l] >= w.base; l++) {
      const int64_t right = target[l] - w.base;
      count += shortfall(w, i, right, k) > 0;
      for (int64_t other = 0; right == k && other < w.classes; other++)
        count -= shortfall(w, i, right, other) > 0;
    }
    store(w.dx, j, count * (real)w.factor * load(w.g, w.each ? i : 0));
  }
}

/* --- launchers ------------------------------------------------------------------------------- */

extern "C" void THCUNN_(margin)(const THCUNNMargin *w, cudaStream_t stream)
{
  THC_LAUNCH(margins, blocks_of(w->batch, w->each), THC_BLOCK, 0, stream, *w);
}

extern "C" void THCUNN_(marginBackward)(const THCUNNMargin *w, cudaStream_t stream)
{
  THC_LAUNCH(margins_backward, blocks_of(w->batch, 1), THC_BLOCK, 0, stream, *w);
}

extern "C" void THCUNN_(labels)(const THCUNNMargin *w, cudaStream_t stream)
{
  THC_LAUNCH(mark_labels, THC_blocks(w->batch * w->classes), THC_BLOCK, 0, stream, *w);
  THC_LAUNCH(labels, blocks_of(w->batch, w->each), THC_BLOCK, 0, stream, *w);
}

extern "C" void THCUNN_(labelsBackward)(const THCUNNMargin *w, cudaStream_t stream)
{
  THC_LAUNCH(labels_backward, THC_blocks(w->batch * w->classes), THC_BLOCK, 0, stream, *w);
}
