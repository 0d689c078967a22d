/* Kernels of direct convolutions, for which products of matrices would be small: in groups, depthwise, and
 * with weights that differ from position to position.  One thread or block computes each element. */
#include "THCUNN/layer/thcunn_template.h"

/* An element of x or y: image, plane, and the position along each axis. */
typedef struct Element {
  int64_t image, plane, at[3];
} Element;

THC_DEVICE Element element_of(const IndexSplit &split, int64_t i)
{
  Element e;
  for (int a = 2; a >= 0; a--)
    e.at[a] = next_coordinate(split, 2 - a, &i);
  e.plane = next_coordinate(split, 3, &i);
  e.image = i;
  return e;
}

THC_DEVICE int64_t offset_of(const int64_t step[3], int64_t image, int64_t plane, int64_t position)
{
  return image * step[0] + plane * step[1] + position * step[2];
}

/* The index in y of the position at each axis; `window` below is such an index. */
THC_DEVICE int64_t window_of(const THCUNNDirect &d, const int64_t at[3])
{
  return (at[0] * d.axis[1].output + at[1]) * d.axis[2].output + at[2];
}

/* The index in x of the position at each axis. */
THC_DEVICE int64_t position_of(const THCUNNDirect &d, const int64_t at[3])
{
  return (at[0] * d.axis[1].input + at[1]) * d.axis[2].input + at[2];
}

/* The offset of a weight; plane counts from the group's first. */
THC_DEVICE int64_t weight_at(const THCUNNDirect &d, int64_t output, int64_t plane, int64_t tap,
                             int64_t window)
{
  return output * d.weightStep[0] + plane * d.weightStep[1] + tap * d.weightStep[2] +
         window * d.weightStep[3];
}

/* The position in x of tap k of a window along an axis.  It is negative if the tap is in the padding. */
THC_DEVICE int64_t tap_at(const THNNWindow &w, int64_t window, int64_t k)
{
  const int64_t at = window * w.step - w.pad + k * w.dilation;
  return at < w.input ? at : -1;
}

__global__ static void forward(THCUNNDirect d, IndexSplit split, int64_t count)
{
  const int64_t planes = d.planes / d.groups, outputs = d.outputs / d.groups;
  THC_GRID_LOOP(i, count)
  {
    const Element e = element_of(split, i);
    const int64_t window = window_of(d, e.at), group = e.plane / outputs;
    real sum = d.bias ? load(d.bias, e.plane * d.biasStep[0] + window * d.biasStep[1]) : (real)0;
    int64_t at[3], tap = 0;
    for (int64_t z = 0; z < d.axis[0].size; z++)
      for (int64_t y = 0; y < d.axis[1].size; y++)
        for (int64_t x = 0; x < d.axis[2].size; x++, tap++) {
          at[0] = tap_at(d.axis[0], e.at[0], z);
          at[1] = tap_at(d.axis[1], e.at[1], y);
          at[2] = tap_at(d.axis[2], e.at[2], x);
          if (at[0] < 0 || at[1] < 0 || at[2] < 0)
            continue;
          const int64_t position = position_of(d, at);
          for (int64_t p = 0; p < planes; p++)
            sum += load(d.x, offset_of(d.xStep, e.image, group * planes + p, position)) *
                   load(d.weight, weight_at(d, e.plane, p, tap, window));
        }
    store(d.y, offset_of(d.yStep, e.image, e.plane, window), sum);
  }
}

__global__ static void backward_data(THCUNNDirect d, IndexSplit split, int64_t count)
{
  const int64_t planes = d.planes / d.groups, outputs = d.outputs / d.groups;
  THC_GRID_LOOP(i, count)
  {
    const Element e = element_of(split, i);
    const int64_t group = e.plane / planes;
    int64_t first[3], end[3], at[3];
    for (int a = 0; a < 3; a++)
      THNNWindow_covering(&d.axis[a], e.at[a], &first[a], &end[a]);
    real sum = d.bias ? load(d.bias, e.plane) : (real)0;
    for (at[0] = first[0]; at[0] < end[0]; at[0]++)
      for (at[1] = first[1]; at[1] < end[1]; at[1]++)
        for (at[2] = first[2]; at[2] < end[2]; at[2]++) {
          const int64_t z = tap_of(d.axis[0], at[0], e.at[0]);
          const int64_t y = tap_of(d.axis[1], at[1], e.at[1]);
          const int64_t x = tap_of(d.axis[2], at[2], e.at[2]);
          if (z < 0 || y < 0 || x < 0)
            continue;
          const int64_t tap = (z * d.axis[1].size + y) * d.axis[2].size + x;
          const int64_t window = window_of(d, at);
          for (int64_t o = group * outputs; o < (group + 1) * outputs; o++)
            sum += load(d.y, offset_of(d.yStep, e.image, o, window)) *
                   load(d.weight, weight_at(d, o, e.plane - group * planes, tap, window));
        }
    store(d.x, offset_of(d.xStep, e.image, e.plane, position_of(d, e.at)), sum);
  }
}

/* A weight: its output, its plane in the group, its tap along each axis. */
typedef struct Weight {
  int64_t output, plane, tap[3];
} Weight;

THC_DEVICE Weight weight_of(const IndexSplit &split, int64_t *i)
{
  Weight w;
  for (int a = 2; a >= 0; a--)
    w.tap[a] = next_coordinate(split, 2 - a, i);
  w.plane = next_coordinate(split, 3, i);
  w.output = next_coordinate(split, 4, i);
  return w;
}

/* The product that one window of one image adds to the gradient of a weight. */
THC_DEVICE real product(const THCUNNDirect &d, const Weight &w, int64_t image, int64_t window)
{
  const int64_t planes = d.planes / d.groups, outputs = d.outputs / d.groups;
  int64_t at[3], rest = window;
  for (int a = 2; a >= 0; a--) {
    at[a] = tap_at(d.axis[a], rest % d.axis[a].output, w.tap[a]);
    rest /= d.axis[a].output;
  }
  if (at[0] < 0 || at[1] < 0 || at[2] < 0)
    return 0;
  const int64_t plane = w.output / outputs * planes + w.plane;
  return load(d.x, offset_of(d.xStep, image, plane, position_of(d, at))) *
         load(d.y, offset_of(d.yStep, image, w.output, window));
}

THC_DEVICE void add_weight(const THCUNNDirect &d, const Weight &w, int64_t window, real sum)
{
  const int64_t tap = (w.tap[0] * d.axis[1].size + w.tap[1]) * d.axis[2].size + w.tap[2];
  const int64_t at = weight_at(d, w.output, w.plane, tap, window);
  store(d.weight, at, load(d.weight, at) + (real)d.scale * sum);
}

/* A block for each weight, of all windows. */
__global__ static void backward_weights(THCUNNDirect d, IndexSplit split, int64_t count)
{
  __shared__ real shared[THC_BLOCK];
  const int64_t windows = d.axis[0].output * d.axis[1].output * d.axis[2].output;
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    int64_t rest = i;
    const Weight w = weight_of(split, &rest);
    real sum = 0;
    for (int64_t j = threadIdx.x; j < d.batch * windows; j += blockDim.x)
      sum += product(d, w, j / windows, j % windows);
    sum = block_reduce(sum, shared, 0);
    if (threadIdx.x == 0)
      add_weight(d, w, 0, sum);
  }
}

/* A thread for each weight of a window. */
__global__ static void backward_own_weights(THCUNNDirect d, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t window = i;
    const Weight w = weight_of(split, &window);
    real sum = 0;
    for (int64_t n = 0; n < d.batch; n++)
      sum += product(d, w, n, window);
    add_weight(d, w, window, sum);
  }
}

extern "C" void THCUNN_(direct)(const THCUNNDirect *d, cudaStream_t stream)
{
  const THNNWindow *a = d->axis;
  const int64_t size[] = {a[2].output, a[1].output, a[0].output, d->outputs};
  const int64_t count = d->batch * size[0] * size[1] * size[2] * size[3];
  THC_LAUNCH(forward, THC_blocks(count), THC_BLOCK, 0, stream, *d, index_split(count, 4, size),
             count);
}

extern "C" void THCUNN_(directBackwardData)(const THCUNNDirect *d, cudaStream_t stream)
{
  const THNNWindow *a = d->axis;
  const int64_t size[] = {a[2].input, a[1].input, a[0].input, d->planes};
  const int64_t count = d->batch * size[0] * size[1] * size[2] * size[3];
  THC_LAUNCH(backward_data, THC_blocks(count), THC_BLOCK, 0, stream, *d,
             index_split(count, 4, size), count);
}

extern "C" void THCUNN_(directBackwardWeights)(const THCUNNDirect *d, cudaStream_t stream)
{
  const THNNWindow *a = d->axis;
  const int64_t size[] = {a[2].size, a[1].size, a[0].size, d->planes / d->groups, d->outputs};
  const int64_t weights = size[0] * size[1] * size[2] * size[3] * size[4];
  const int64_t windows = a[0].output * a[1].output * a[2].output;
  if (d->weightStep[3])
    THC_LAUNCH(backward_own_weights, THC_blocks(weights * windows), THC_BLOCK, 0, stream, *d,
               index_split(weights * windows, 5, size), weights * windows);
  else
    THC_LAUNCH(backward_weights, (unsigned)(weights < INT32_MAX ? weights : INT32_MAX), THC_BLOCK,
               0, stream, *d, index_split(weights, 5, size), weights);
}
