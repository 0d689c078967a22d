/* Kernels of margins: how far the scores of right classes exceed those of the others. */
#include "THCUNN/layer/thcunn_template.h"

/* A block for each input, or for each part of the sum over all. */
static unsigned blocks_of(const THCUNNMargin *w, int each)
{
  if (!each)
    return (unsigned)(w->sums ? THCUNN_parts(1, w->batch * w->classes) : 1);
  return (unsigned)(w->batch < INT32_MAX ? w->batch : INT32_MAX);
}

/* Writes the sum of a block, one of an input or a part of all. */
THC_DEVICE void put_sum(const THCUNNMargin &w, int64_t input, real sum)
{
  if (w.sums)
    ((double *)w.sums)[2 * blockIdx.x] = sum;
  else
    store(w.loss, input, sum);
}

__global__ static void total_of_parts(THCUNNMargin w, int64_t parts)
{
  __shared__ double shared[THC_BLOCK];
  const double sum = join_parts((const double *)w.sums, parts, shared);
  if (threadIdx.x == 0)
    store(w.loss, 0, (real)sum);
}

static void add_parts(const THCUNNMargin *w, cudaStream_t stream)
{
  if (w->sums)
    THC_LAUNCH(total_of_parts, 1, THC_BLOCK, 0, stream, *w, (int64_t)blocks_of(w, 0));
}

/* The terms that a block sums up: the terms of one input if each has a loss of its own, or else a part of all
 * terms. */
THC_DEVICE Part terms_of(const THCUNNMargin &w, int64_t input)
{
  const Part own = {0, 0, input * w.classes, (input + 1) * w.classes};
  return w.each ? own : part_of(blockIdx.x, gridDim.x, w.batch * w.classes);
}

/* --- one right class ------------------------------------------------------------------------- */

/* The target of an input, -1 if it is no class. */
THC_DEVICE int64_t target_of(const THCUNNMargin &w, int64_t i)
{
  const int64_t target = w.target[i] - w.base;
  return (uint64_t)target < (uint64_t)w.classes ? target : -1;
}

/* The factor of the terms of an input. */
THC_DEVICE real factor_of(const THCUNNMargin &w, int64_t i)
{
  if (target_of(w, i) < 0)
    return 0;
  return (real)w.factor * (w.weights ? load(w.weights, w.target[i] - w.base) : (real)1);
}

/* By how much the margin is violated by the score of a class; 0 for the right class. */
THC_DEVICE real violation(const THCUNNMargin &w, int64_t i, int64_t k)
{
  const int64_t right = target_of(w, i);
  if (right < 0)
    return 0;
  const real z = (real)w.margin - load(w.x, i * w.classes + right) + load(w.x, i * w.classes + k);
  return k != right && z > 0 ? z : 0;
}

__global__ static void margins(THCUNNMargin w)
{
  __shared__ real shared[THC_BLOCK];
  const int64_t end = w.each ? w.batch : (int64_t)blockIdx.x + 1;
  for (int64_t input = blockIdx.x; input < end; input += gridDim.x) {
    const Part part = terms_of(w, input);
    real sum = 0;
    for (int64_t j = part.begin + threadIdx.x; j < part.end; j += THC_BLOCK) {
      const int64_t i = j / w.classes;
      const real h = violation(w, i, j % w.classes);
      sum += (w.p == 1 ? h : h * h) * factor_of(w, i);
    }
    sum = block_reduce(sum, shared, 0);
    if (threadIdx.x == 0)
      put_sum(w, input, sum);
  }
}

__global__ static void margins_backward(THCUNNMargin w)
{
  __shared__ real shared[THC_BLOCK];
  for (int64_t i = blockIdx.x; i < w.batch; i += gridDim.x) {
    const int64_t right = target_of(w, i);
    const real factor = factor_of(w, i) * load(w.g, w.each ? i : 0);
    real sum = 0;
    for (int64_t k = threadIdx.x; k < w.classes; k += blockDim.x) {
      const real h = violation(w, i, k);
      const real slope = !(h > 0) ? 0 : w.p == 1 ? factor : 2 * h * factor;
      if (k != right)
        store(w.dx, i * w.classes + k, slope);
      sum += slope;
    }
    sum = block_reduce(sum, shared, 0);
    if (threadIdx.x == 0 && right >= 0)
      store(w.dx, i * w.classes + right, -sum);
  }
}

/* --- a list of right classes, up to the first element that is none --------------------------- */

THC_DEVICE int is_class(const THCUNNMargin &w, int64_t target)
{
  return (uint64_t)(target - w.base) < (uint64_t)w.classes;
}

__global__ static void mark_labels(THCUNNMargin w)
{
  THC_GRID_LOOP(j, w.batch * w.classes)
  {
    const int64_t *target = w.target + j / w.classes * w.classes, own = j % w.classes + w.base;
    int found = 0;
    for (int64_t l = 0; l < w.classes && is_class(w, target[l]); l++)
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
  __shared__ real shared[THC_BLOCK];
  const int64_t end = w.each ? w.batch : (int64_t)blockIdx.x + 1;
  for (int64_t input = blockIdx.x; input < end; input += gridDim.x) {
    const Part part = terms_of(w, input);
    real sum = 0;
    for (int64_t j = part.begin + threadIdx.x; j < part.end; j += THC_BLOCK) {
      const int64_t i = j / w.classes, *target = w.target + i * w.classes;
      for (int64_t l = 0; l < w.classes && is_class(w, target[l]); l++)
        sum += shortfall(w, i, target[l] - w.base, j % w.classes);
    }
    sum = block_reduce(sum, shared, 0);
    if (threadIdx.x == 0)
      put_sum(w, input, sum * (real)w.factor);
  }
}

/* The gradient of a wrong class counts the right classes whose margin it violates; the gradient of a right
 * class counts the wrong classes that violate its margin. */
__global__ static void labels_backward(THCUNNMargin w)
{
  THC_GRID_LOOP(j, w.batch * w.classes)
  {
    const int64_t i = j / w.classes, k = j % w.classes, *target = w.target + i * w.classes;
    real count = 0;
    for (int64_t l = 0; l < w.classes && is_class(w, target[l]); l++) {
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
  THC_LAUNCH(margins, blocks_of(w, w->each), THC_BLOCK, 0, stream, *w);
  add_parts(w, stream);
}

extern "C" void THCUNN_(marginBackward)(const THCUNNMargin *w, cudaStream_t stream)
{
  THC_LAUNCH(margins_backward, blocks_of(w, 1), THC_BLOCK, 0, stream, *w);
}

extern "C" void THCUNN_(labels)(const THCUNNMargin *w, cudaStream_t stream)
{
  THC_LAUNCH(mark_labels, THC_blocks(w->batch * w->classes), THC_BLOCK, 0, stream, *w);
  THC_LAUNCH(labels, blocks_of(w, w->each), THC_BLOCK, 0, stream, *w);
  add_parts(w, stream);
}

extern "C" void THCUNN_(labelsBackward)(const THCUNNMargin *w, cudaStream_t stream)
{
  THC_LAUNCH(labels_backward, THC_blocks(w->batch * w->classes), THC_BLOCK, 0, stream, *w);
}
