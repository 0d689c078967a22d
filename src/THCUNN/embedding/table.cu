/* Kernels of lookup tables.  A block does all the work of a row that indices select, so that repeated
 * indices are added in order: a block for each row of the table or, where that is less, for each
 * index, of which only the first of equal ones works. */
#include "THCUNN/layer/thcunn_template.h"

/* How many of the indices below end are value; all threads of the block get it. */
static __device__ inline int64_t count_of(const int64_t *index, int64_t end, int64_t value,
                                          unsigned long long *total)
{
  if (threadIdx.x == 0)
    *total = 0;
  __syncthreads();
  unsigned long long found = 0;
  for (int64_t i = threadIdx.x; i < end; i += blockDim.x)
    found += index[i] == value;
  if (found)
    atomicAdd(total, found);
  __syncthreads();
  const int64_t count = (int64_t)*total;
  __syncthreads();
  return count;
}

/* Whether an index is outside of base ... base + count - 1. */
THC_DEVICE int is_outside(const THCUNNTable &t, int64_t index, int64_t count)
{
  return (uint64_t)(index - t.base) >= (uint64_t)count;
}

/* Sets *value to the index that unit `unit` works on.  Returns false if another unit works on it, or no unit
 * has to. */
static __device__ inline int selected(const THCUNNTable &t, int64_t unit, int byRow,
                                      unsigned long long *total, int64_t *value)
{
  *value = byRow ? unit + t.base : t.index[unit];
  return byRow || (!is_outside(t, *value, t.rows) && count_of(t.index, unit, *value, total) == 0);
}

/* The factor of the gradient of entry j. */
THC_DEVICE real factor_of(const THCUNNTable &t, int64_t j)
{
  return t.givenLengths ? 1 / (real)t.givenLengths[t.givenBag[j] - t.base] : (real)1;
}

__global__ static void add_rows(THCUNNTable t, int byRow)
{
  __shared__ unsigned long long total;
  const int64_t units = byRow ? t.rows : t.count;
  for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    int64_t value;
    if (!selected(t, unit, byRow, &total, &value) || value == t.padding)
      continue;
    const int64_t times = count_of(t.index, t.count, value, &total);
    const real scale = (real)t.scale / (real)(t.byFrequency && times ? times : 1);
    for (int64_t c = threadIdx.x; times > 0 && c < t.columns; c += blockDim.x) {
      const int64_t at = (value - t.base) * t.columns + c;
      real sum = 0;
      for (int64_t j = 0; j < t.count; j++)
        if (t.index[j] == value && !(t.givenBag && is_outside(t, t.givenBag[j], t.bags)))
          sum += factor_of(t, j) *
                 load(t.g, (t.givenBag ? t.givenBag[j] - t.base : j) * t.columns + c);
      store(t.table, at, load(t.table, at) + scale * sum);
    }
  }
}

__global__ static void renorm_rows(THCUNNTable t, int byRow)
{
  __shared__ unsigned long long total;
  __shared__ real shared[THC_BLOCK];
  const int64_t units = byRow ? t.rows : t.count;
  const real p = (real)t.normType;
  for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    int64_t value;
    if (!selected(t, unit, byRow, &total, &value) ||
        (byRow && count_of(t.index, t.count, value, &total) == 0))
      continue;
    const int64_t row = (value - t.base) * t.columns;
    const int largest = isinf(t.normType);
    real sum = 0;
    for (int64_t c = threadIdx.x; c < t.columns; c += blockDim.x) {
      const real x = THMath_(abs)(load(t.table, row + c));
      if (largest)
        sum = x <= sum ? sum : x;
      else
        sum += p == 1 ? x : THMath_(pow)(x, p);
    }
    sum = block_reduce(sum, shared, largest);
    const real norm = largest || p == 1 ? sum
                      : p == 2          ? THMath_(sqrt)(sum)
                                        : THMath_(pow)(sum, 1 / p);
    if (norm > (real)t.maxNorm)
      for (int64_t c = threadIdx.x; c < t.columns; c += blockDim.x)
        store(t.table, row + c, load(t.table, row + c) * ((real)t.maxNorm / (norm + (real)1e-7)));
  }
}

/* The first entry of a bag.  A bag whose offset is out of range begins after the last entry, so it is
 * empty. */
THC_DEVICE int64_t begin_of(const THCUNNTable &t, int64_t bag)
{
  return is_outside(t, t.offsets[bag], t.count) ? t.count : t.offsets[bag] - t.base;
}

/* A block for each bag. */
__global__ static void sum_bags(THCUNNTable t)
{
  for (int64_t bag = blockIdx.x; bag < t.bags; bag += gridDim.x) {
    const int64_t begin = begin_of(t, bag);
    const int64_t end = bag + 1 < t.bags ? begin_of(t, bag + 1) : t.count;
    const int64_t length = end > begin ? end - begin : 0;
    for (int64_t c = threadIdx.x; c < t.columns; c += blockDim.x) {
      real sum = 0;
      for (int64_t j = begin; j < end; j++)
        if (!is_outside(t, t.index[j], t.rows))
          sum += load(t.table, (t.index[j] - t.base) * t.columns + c);
      if (t.mode == THCUNN_BAG_MEAN && length)
        sum /= (real)length;
      store(t.y, bag * t.columns + c, sum);
    }
    for (int64_t j = begin + threadIdx.x; j < end; j += blockDim.x)
      t.bag[j] = bag + t.base;
    if (threadIdx.x == 0 && t.lengths)
      t.lengths[bag] = length;
  }
}

static unsigned blocks_of(int64_t units)
{
  return (unsigned)(units < INT32_MAX ? units : INT32_MAX);
}

extern "C" void THCUNN_(addRows)(const THCUNNTable *t, cudaStream_t stream)
{
  const int byRow = t->rows <= t->count;
  THC_LAUNCH(add_rows, blocks_of(byRow ? t->rows : t->count), THC_BLOCK, 0, stream, *t, byRow);
}

extern "C" void THCUNN_(renormRows)(const THCUNNTable *t, cudaStream_t stream)
{
  const int byRow = t->rows <= t->count;
  THC_LAUNCH(renorm_rows, blocks_of(byRow ? t->rows : t->count), THC_BLOCK, 0, stream, *t, byRow);
}

extern "C" void THCUNN_(sumBags)(const THCUNNTable *t, cudaStream_t stream)
{
  THC_LAUNCH(sum_bags, blocks_of(t->bags), THC_BLOCK, 0, stream, *t);
}
