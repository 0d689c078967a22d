/* Kernels of the linear layer of keys and values.  What changes a row of weights is done, in the order
 * of the entries, by the thread or block of the first entry that has the key. */
#include "THCUNN/layer/thcunn_template.h"

enum { MOST, INVERSE, RATE, SHIFT }; /* THNN_INDEX_MOST ... in THNN's IndexLinear.h */

/* Whether weight has a row for the key of the entry. */
THC_DEVICE int has_row(const THCUNNKeys &k, int64_t entry)
{
  return (uint64_t)k.key[entry] + (uint64_t)k.keysOffset < (uint64_t)k.rows;
}

THC_DEVICE element *row_of(const THCUNNKeys &k, int64_t entry)
{
  return (element *)k.weight + (k.key[entry] + k.keysOffset) * k.width;
}

/* The list of the batch that the entry is in: the last one that begins up to it. */
THC_DEVICE int64_t list_of(const THCUNNKeys &k, int64_t entry)
{
  int64_t low = 0, high = k.batch - 1;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    if (k.first[middle] <= entry)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* --- lists -------------------------------------------------------------------------------------- */

THC_DEVICE int64_t at_most(int64_t n, int64_t most)
{
  return n < most ? n : most;
}

/* The sum of the values of this thread of a block and of those before it. */
static __device__ int64_t sum_up_to(int64_t value, int64_t *shared)
{
  const int t = (int)threadIdx.x;
  shared[t] = value;
  __syncthreads();
  for (int offset = 1; offset < THC_BLOCK; offset *= 2) {
    const int64_t other = t >= offset ? shared[t - offset] : 0;
    __syncthreads();
    shared[t] += other;
    __syncthreads();
  }
  return shared[t];
}

/* Computes where each list begins, in one block.  If a size is wrong, the lists from there on get the
 * entries that are left. */
__global__ static void begin_lists(const int64_t *sizes, int64_t batch, int64_t count,
                                   int64_t *first, THCReport report)
{
  __shared__ int64_t shared[THC_BLOCK];
  int64_t before = 0; /* entries in front of this round's lists */
  for (int64_t from = 0; from < batch; from += THC_BLOCK) {
    const int64_t j = from + threadIdx.x, size = j < batch ? sizes[j] : 0;
    const int64_t mine = size < 0 ? 0 : at_most(size, count);
    const int64_t sum = before + sum_up_to(mine, shared);
    const int64_t begin = at_most(sum - mine, count), left = count - begin;
    report.fault.last = left;
    if (j < batch && (size < 0 || size > left))
      THC_report(report, THC_FAULT_RANGE, j, size);
    if (j < batch)
      first[j] = begin;
    before = at_most(before + shared[THC_BLOCK - 1], count);
    __syncthreads(); /* before shared is used again */
  }
  report.fault.last = count;
  if (threadIdx.x == 0)
    first[batch] = before;
  if (threadIdx.x == 0 && before < count)
    THC_report(report, THC_FAULT_SUM, 0, before);
}

/* --- output ---------------------------------------------------------------------------------- */

THC_DEVICE void normalize(const THCUNNKeys &k, int64_t entry, int train)
{
  element *row = row_of(k, entry);
  const real x = THC_LOAD(((const element *)k.value)[entry]), size = x < 0 ? -x : x;
  if (train) {
    if (size > THC_LOAD(row[MOST])) {
      row[MOST] = THC_STORE(size);
      row[INVERSE] = THC_STORE(1 / size);
    }
    row[RATE] = THC_STORE((real)1);
  }
  const real share =
      size > THC_LOAD(row[MOST]) ? (real)((x > 0) - (x < 0)) : x * THC_LOAD(row[INVERSE]);
  ((element *)k.y)[entry] = THC_STORE(share + THC_LOAD(row[SHIFT]));
}

__global__ static void normalize_all(THCUNNKeys k, int train)
{
  THC_GRID_LOOP(i, k.count)
  {
    const int64_t key = k.key[i];
    int64_t before = 0;
    if (!has_row(k, i)) {
      ((element *)k.y)[i] = THC_STORE((real)0);
      continue;
    }
    while (train && before < i && k.key[before] != key)
      before++;
    if (!train)
      normalize(k, i, train);
    for (int64_t e = i; train && before == i && e < k.count; e++)
      if (k.key[e] == key)
        normalize(k, e, train);
  }
}

__global__ static void output(THCUNNKeys k)
{
  THC_GRID_LOOP(at, k.batch * k.outputs)
  {
    const int64_t j = at / k.outputs, o = at % k.outputs;
    real sum = THC_LOAD(((const element *)k.bias)[o]);
    for (int64_t i = k.first[j]; i < k.first[j + 1]; i++)
      if (has_row(k, i))
        sum += THC_LOAD(((const element *)k.value)[i]) * THC_LOAD(row_of(k, i)[k.extra + o]);
    ((element *)k.y)[at] = THC_STORE(sum);
  }
}

/* --- gradients ------------------------------------------------------------------------------- */

__global__ static void bias_sums(THCUNNKeys k)
{
  THC_GRID_LOOP(o, k.outputs)
  {
    real sum = 0;
    for (int64_t j = 0; j < k.batch; j++)
      sum += THC_LOAD(((const element *)k.g)[j * k.outputs + o]);
    element *y = (element *)k.y + o;
    *y = THC_STORE(THC_LOAD(*y) + (real)k.scale * sum);
  }
}

__global__ static void gradients(THCUNNKeys k)
{
  THC_GRID_LOOP(at, k.count * k.outputs)
  {
    const int64_t i = at / k.outputs, o = at % k.outputs;
    const real g = (real)k.scale * THC_LOAD(((const element *)k.g)[list_of(k, i) * k.outputs + o]);
    element *y = (element *)k.y + i * (k.extra ? 2 : 1) * k.outputs + o;
    if (k.extra) {
      *y = THC_STORE(g);
      y += k.outputs;
    }
    *y = THC_STORE(THC_LOAD(((const element *)k.value)[i]) * g);
  }
}

/* --- steps ----------------------------------------------------------------------------------- */

/* A block takes the step of one entry.  g is the gradient of the shift, which still has to be multiplied by the
 * weights; d is the gradient of the weights. */
static __device__ void step(const THCUNNKeys &k, element *row, const element *g, real gFactor,
                            const element *d, real dFactor, real *shared)
{
  const real rate = k.extra ? THC_LOAD(row[RATE]) : 1, decay = (real)k.decay * rate;
  element *weight = row + k.extra;
  if (k.extra) {
    real sum = 0;
    for (int64_t o = threadIdx.x; o < k.outputs; o += blockDim.x)
      sum += THC_LOAD(g[o]) * THC_LOAD(weight[o]);
    sum = block_reduce(sum, shared, 0);
    if (threadIdx.x == 0)
      row[SHIFT] = THC_STORE(THC_LOAD(row[SHIFT]) - gFactor * rate * sum);
  }
  for (int64_t o = threadIdx.x; o < k.outputs; o += blockDim.x) {
    const real w = THC_LOAD(weight[o]);
    weight[o] = THC_STORE(w - (dFactor * rate * THC_LOAD(d[o]) + decay * w));
  }
}

__global__ static void steps(THCUNNKeys k, int direct)
{
  __shared__ real shared[THC_BLOCK];
  const int64_t n = k.outputs, width = (k.extra ? 2 : 1) * n;
  const real scale = (real)k.scale;
  for (int64_t i = blockIdx.x; i < k.count; i += gridDim.x) {
    const int64_t key = k.key[i];
    int found = 0;
    for (int64_t e = threadIdx.x; e < i; e += blockDim.x)
      found |= k.key[e] == key;
    if (__syncthreads_or(found) || !has_row(k, i))
      continue;
    for (int64_t e = i; e < k.count; e++) {
      if (k.key[e] != key)
        continue;
      const element *d =
          direct ? (const element *)k.g + list_of(k, e) * n : (const element *)k.d + e * width;
      const real factor = direct ? scale * THC_LOAD(((const element *)k.value)[e]) : scale;
      step(k, row_of(k, e), d, scale, direct ? d : d + width - n, factor, shared);
    }
  }
}

/* --- launchers ------------------------------------------------------------------------------- */

extern "C" void THCUNN_(keysBegin)(const int64_t *sizes, int64_t batch, int64_t count,
                                   int64_t *first, const THCReport *report, cudaStream_t stream)
{
  THC_LAUNCH(begin_lists, 1, THC_BLOCK, 0, stream, sizes, batch, count, first, *report);
}

extern "C" void THCUNN_(keysNormalize)(const THCUNNKeys *k, int train, cudaStream_t stream)
{
  THC_LAUNCH(normalize_all, THC_blocks(k->count), THC_BLOCK, 0, stream, *k, train);
}

extern "C" void THCUNN_(keysOutput)(const THCUNNKeys *k, cudaStream_t stream)
{
  THC_LAUNCH(output, THC_blocks(k->batch * k->outputs), THC_BLOCK, 0, stream, *k);
}

extern "C" void THCUNN_(keysBias)(const THCUNNKeys *k, cudaStream_t stream)
{
  THC_LAUNCH(bias_sums, THC_blocks(k->outputs), THC_BLOCK, 0, stream, *k);
}

extern "C" void THCUNN_(keysGradients)(const THCUNNKeys *k, cudaStream_t stream)
{
  THC_LAUNCH(gradients, THC_blocks(k->count * k->outputs), THC_BLOCK, 0, stream, *k);
}

extern "C" void THCUNN_(keysSteps)(const THCUNNKeys *k, int direct, cudaStream_t stream)
{
  const int64_t blocks = k->count < 65535 ? k->count : 65535;
  THC_LAUNCH(steps, (unsigned)blocks, THC_BLOCK, 0, stream, *k, direct);
}
