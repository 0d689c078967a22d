/* Kernels of pooling.  One thread computes each element, so that no sum depends on the order of
 * threads: backward, an element sums over the windows that cover it. */
#include "THCUNN/layer/thcunn_template.h"

#define THNNWindow_fractionHalf THNNWindow_fractionFloat
#define FRACTION                TH_CONCAT_2(THNNWindow_fraction, Real)

/* The coordinates of elements of planes, of the input's size or the output's. */
static IndexSplit plane_split(const THCUNNPool &w, int ofInput, int64_t count)
{
  int64_t size[3];
  for (int a = 0; a < 3; a++)
    size[a] = ofInput ? w.axis[2 - a].input : w.axis[2 - a].output;
  return index_split(count, 3, size);
}

/* An element's plane, and its position there. */
typedef struct Element {
  int64_t plane, at[3];
} Element;

THC_DEVICE Element element_of(const IndexSplit &split, int64_t i)
{
  Element e;
  for (int a = 2; a >= 0; a--)
    e.at[a] = next_coordinate(split, 2 - a, &i);
  e.plane = i;
  return e;
}

/* The windows [first, end) along each axis that may cover the element. */
typedef struct Covering {
  int64_t first[3], end[3];
} Covering;

THC_DEVICE Covering covering(const THCUNNPool &w, const Element &e)
{
  Covering c;
  for (int a = 0; a < 3; a++)
    THNNWindow_covering(&w.axis[a], e.at[a], &c.first[a], &c.end[a]);
  return c;
}

/* The offset of a window in the output. */
THC_DEVICE int64_t window_at(const THCUNNPool &w, int64_t plane, int64_t t, int64_t r, int64_t c)
{
  return ((plane * w.axis[0].output + t) * w.axis[1].output + r) * w.axis[2].output + c;
}

/* --- maxima ---------------------------------------------------------------------------------- */

THC_DEVICE THNNSpan span_of(const THCUNNPool &w, int axis, const Element &e)
{
  if (w.axis[axis].kind != THNN_FRACTIONAL)
    return THNNWindow_divided(&w.axis[axis], THNN_BY_ONE, e.at[axis]);
  /* Samples are stored last axis first.  Images have no sample for the depth axis. */
  const int number = 2 - axis;
  const real sample = number < w.samples ? load(w.with[0], e.plane * w.samples + number) : (real)0;
  return FRACTION(&w.axis[axis], e.at[axis], sample >= 0 && sample <= 1 ? sample : (real)0);
}

__global__ static void max_pool(THCUNNPool w, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    const Element e = element_of(split, i);
    const THNNSpan t = span_of(w, 0, e), h = span_of(w, 1, e), v = span_of(w, 2, e);
    /* Windows that adapt have a dilation of 0. */
    const int64_t dilation[3] = {w.axis[0].dilation > 1 ? w.axis[0].dilation : 1,
                                 w.axis[1].dilation > 1 ? w.axis[1].dilation : 1,
                                 w.axis[2].dilation > 1 ? w.axis[2].dilation : 1};
    const int64_t width = w.axis[2].input, base = e.plane * w.input;
    int64_t best = (t.begin * w.axis[1].input + h.begin) * width + v.begin;
    real most = -(real)INFINITY;
    for (int64_t z = t.begin; z < t.end; z += dilation[0])
      for (int64_t r = h.begin; r < h.end; r += dilation[1])
        for (int64_t c = v.begin; c < v.end; c += dilation[2]) {
          const int64_t at = (z * w.axis[1].input + r) * width + c;
          const real value = load(w.x, base + at);
          if (value > most || value != value) { /* NaN is larger than all */
            most = value;
            best = at;
          }
        }
    store(w.y, i, most);
    w.to[i] = w.ofFrames ? best / width - e.at[1] * w.axis[1].step : best + w.base;
  }
}

__global__ static void max_pool_backward(THCUNNPool w, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    const Element e = element_of(split, i);
    const Covering c = covering(w, e);
    const int64_t own = i - e.plane * w.input + w.base;
    real sum = 0;
    for (int64_t t = c.first[0]; t < c.end[0]; t++)
      for (int64_t r = c.first[1]; r < c.end[1]; r++)
        for (int64_t v = c.first[2]; v < c.end[2]; v++) {
          const int64_t at = window_at(w, e.plane, t, r, v);
          if (w.from[at] == (w.ofFrames ? e.at[1] - r * w.axis[1].step : own))
            sum += load(w.x, at);
        }
    store(w.y, i, sum);
  }
}

/* Finds the last element of each index, which is the one that counts: its number, counted from the end, is
 * the smallest. */
__global__ static void unpool_last(THCUNNPool w, int64_t count)
{
  unsigned long long *last = (unsigned long long *)w.scratch;
  THC_GRID_LOOP(i, count)
  {
    const int64_t to = w.from[i] - w.base;
    if ((uint64_t)to < (uint64_t)w.input)
      atomicMin(&last[i / w.output * w.input + to], (unsigned long long)(count - i));
  }
}

__global__ static void unpool(THCUNNPool w, int64_t count, int64_t elements)
{
  const uint64_t *last = (const uint64_t *)w.scratch;
  THC_GRID_LOOP(i, elements)
  {
    const int found = last[i] != UINT64_MAX;
    store(w.y, i, found ? load(w.x, count - (int64_t)last[i]) : (real)0);
  }
}

__global__ static void unpool_backward(THCUNNPool w, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    const int64_t from = w.from[i] - w.base;
    const int inside = (uint64_t)from < (uint64_t)w.input;
    store(w.y, i, inside ? load(w.x, i / w.output * w.input + from) : (real)0);
  }
}

/* --- means and sums -------------------------------------------------------------------------- */

/* The weight of an element's channel; 1 where there are none. */
THC_DEVICE real weight_of(const THCUNNPool &w, int k, const Element &e)
{
  const int64_t channel = w.ofFeatures ? e.at[2] : w.channels ? e.plane % w.channels : 0;
  return w.with[k] ? load(w.with[k], channel) : (real)(k == 0);
}

__global__ static void average(THCUNNPool w, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    const Element e = element_of(split, i);
    THNNSpan span[3];
    for (int a = 0; a < 3; a++)
      span[a] = THNNWindow_divided(&w.axis[a], w.divide, e.at[a]);
    real sum = 0;
    for (int64_t z = span[0].begin; z < span[0].end; z++)
      for (int64_t r = span[1].begin; r < span[1].end; r++) {
        const int64_t row = e.plane * w.input + (z * w.axis[1].input + r) * w.axis[2].input;
        for (int64_t c = span[2].begin; c < span[2].end; c++)
          sum += load(w.x, row + c);
      }
    sum /= (real)(span[0].count * span[1].count * span[2].count);
    store(w.y, i, sum * weight_of(w, 0, e) + weight_of(w, 1, e));
  }
}

__global__ static void average_backward(THCUNNPool w, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    const Element e = element_of(split, i);
    const Covering c = covering(w, e);
    real sum = 0;
    for (int64_t t = c.first[0]; t < c.end[0]; t++)
      for (int64_t r = c.first[1]; r < c.end[1]; r++) {
        const int64_t part = THNNWindow_divided(&w.axis[0], w.divide, t).count *
                             THNNWindow_divided(&w.axis[1], w.divide, r).count;
        for (int64_t v = c.first[2]; v < c.end[2]; v++)
          sum += load(w.x, window_at(w, e.plane, t, r, v)) /
                 (real)(part * THNNWindow_divided(&w.axis[2], w.divide, v).count);
      }
    store(w.y, i, sum * weight_of(w, 0, e));
  }
}

/* Sums up parts of the channels of outer x channels x inner, one block each.  With memory it writes both sums
 * of each part; without memory a channel has one part, whose sums are added to dots and sums. */
__global__ static void channel_dots(int64_t outer, int64_t channels, int64_t inner, int64_t parts,
                                    const void *x, const void *g, real scale, void *dots,
                                    void *sums, double *memory)
{
  __shared__ real shared[THC_BLOCK];
  for (int64_t block = blockIdx.x; block < channels * parts; block += gridDim.x) {
    const Part part = part_of(block, parts, outer * inner);
    const int64_t c = part.line;
    real dot = 0, sum = 0;
    for (int64_t j = part.begin + threadIdx.x; j < part.end; j += THC_BLOCK) {
      const int64_t at = (j / inner * channels + c) * inner + j % inner;
      dot += load(x, at) * load(g, at);
      sum += load(g, at);
    }
    dot = block_reduce(dot, shared, 0);
    sum = block_reduce(sum, shared, 0);
    if (threadIdx.x == 0 && memory) {
      memory[2 * block] = dot;
      memory[2 * block + 1] = sum;
    } else if (threadIdx.x == 0) {
      store(dots, c, load(dots, c) + scale * dot);
      store(sums, c, load(sums, c) + scale * sum);
    }
  }
}

__global__ static void join_dots(const double *memory, int64_t parts, real scale, void *dots,
                                 void *sums)
{
  __shared__ double shared[THC_BLOCK];
  const int64_t c = blockIdx.x;
  const double dot = join_parts(memory + 2 * c * parts, parts, shared);
  const double sum = join_parts(memory + 2 * c * parts + 1, parts, shared);
  if (threadIdx.x == 0) {
    store(dots, c, load(dots, c) + scale * (real)dot);
    store(sums, c, load(sums, c) + scale * (real)sum);
  }
}

/* --- norms of features ----------------------------------------------------------------------- */

__global__ static void norm(THCUNNPool w, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    const Element e = element_of(split, i);
    const THNNSpan span = THNNWindow_span(&w.axis[1], e.at[1]);
    real sum = 0;
    for (int64_t f = span.begin; f < span.end; f++)
      sum +=
          THMath_(pow)(load(w.x, e.plane * w.input + f * w.axis[2].input + e.at[2]), (real)w.power);
    store(w.y, i, w.power == 2 ? THMath_(sqrt)(sum) : THMath_(pow)(sum, 1 / (real)w.power));
  }
}

/* The derivative by x is (x / output) ^ (power - 1). */
__global__ static void norm_backward(THCUNNPool w, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    const Element e = element_of(split, i);
    const Covering c = covering(w, e);
    real sum = 0;
    for (int64_t f = c.first[1]; f < c.end[1]; f++) {
      const int64_t at = window_at(w, e.plane, 0, f, e.at[2]);
      const real y = load(w.with[1], at);
      const real slope = w.power == 1 ? (real)1
                         : y == 0     ? (real)0
                                      : THMath_(pow)(load(w.with[0], i) / y, (real)w.power - 1);
      sum += load(w.x, at) * slope;
    }
    store(w.y, i, sum);
  }
}

/* --- launchers ------------------------------------------------------------------------------- */

/* NAME launches KERNEL with a thread for each element of the result. */
#define LAUNCHER(NAME, KERNEL, OF_INPUT)                                  \
  extern "C" void THCUNN_(NAME)(const THCUNNPool *w, cudaStream_t stream) \
  {                                                                       \
    const int64_t count = w->planes * (OF_INPUT ? w->input : w->output);  \
    THC_LAUNCH(KERNEL, THC_blocks(count), THC_BLOCK, 0, stream, *w,       \
               plane_split(*w, OF_INPUT, count), count);                  \
  }
LAUNCHER(maxPool, max_pool, 0)
LAUNCHER(maxPoolBackward, max_pool_backward, 1)
LAUNCHER(average, average, 0)
LAUNCHER(averageBackward, average_backward, 1)
LAUNCHER(norm, norm, 0)
LAUNCHER(normBackward, norm_backward, 1)

extern "C" void THCUNN_(unpool)(const THCUNNPool *w, cudaStream_t stream)
{
  const int64_t count = w->planes * w->output, elements = w->planes * w->input;
  cudaMemsetAsync(w->scratch, 0xFF, (size_t)elements * sizeof(uint64_t), stream);
  THC_LAUNCH(unpool_last, THC_blocks(count), THC_BLOCK, 0, stream, *w, count);
  THC_LAUNCH(unpool, THC_blocks(elements), THC_BLOCK, 0, stream, *w, count, elements);
}

extern "C" void THCUNN_(unpoolBackward)(const THCUNNPool *w, cudaStream_t stream)
{
  const int64_t count = w->planes * w->output;
  THC_LAUNCH(unpool_backward, THC_blocks(count), THC_BLOCK, 0, stream, *w, count);
}

extern "C" void THCUNN_(channelDots)(int64_t outer, int64_t channels, int64_t inner, const void *x,
                                     const void *g, double scale, void *dots, void *sums,
                                     void *memory, cudaStream_t stream)
{
  const int64_t parts = memory ? THCUNN_parts(channels, outer * inner) : 1;
  const int64_t blocks = channels * parts;
  THC_LAUNCH(channel_dots, (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX), THC_BLOCK, 0,
             stream, outer, channels, inner, parts, x, g, (real)scale, dots, sums,
             (double *)memory);
  if (memory)
    THC_LAUNCH(join_dots, (unsigned)channels, THC_BLOCK, 0, stream, (const double *)memory, parts,
               (real)scale, dots, sums);
}
