/* Kernels of the linear layer of sparse inputs.  A block does all the work of an output; each of its
 * threads owns some columns, whose entries it takes in order. */
#include "THCUNN/layer/thcunn_template.h"

/* An entry; rows and columns count from 0.  An entry is ignored if its value is 0, or its row or column out of
 * range. */
typedef struct Entry {
  int64_t row, column;
  real value;
} Entry;

/* Entry i; *outside: whether its row or column is out of range. */
THC_DEVICE Entry entry_of(const THCUNNSparse &s, int64_t i, int *outside)
{
  Entry e = {s.legacy ? i / s.each : 0, 0, 0};
  const int64_t at = i * (s.legacy ? 2 : 3) + !s.legacy;
  const real value = load(s.entries, at + 1);
  const double column = (double)load(s.entries, at);
  const double row = s.legacy ? 1 : (double)load(s.entries, at - 1);
  const int inside =
      column >= 1 && column < (double)s.inputs + 1 && row >= 1 && row < (double)s.batch + 1;
  *outside = value != 0 && !inside;
  if (value == 0 || !inside)
    return e;
  e.value = value;
  e.column = (int64_t)column - 1;
  if (!s.legacy)
    e.row = (int64_t)row - 1;
  return e;
}

THC_DEVICE Entry entry_of(const THCUNNSparse &s, int64_t i)
{
  int outside;
  return entry_of(s, i, &outside);
}

__global__ static void check(THCUNNSparse s, THCReport report)
{
  THC_GRID_LOOP(i, s.count)
  {
    int outside;
    entry_of(s, i, &outside);
    if (outside)
      THC_report(report, THC_FAULT_RANGE, i,
                 (int64_t)load(s.entries, i * (s.legacy ? 2 : 3) + !s.legacy));
  }
}

__global__ static void output(THCUNNSparse s)
{
  THC_GRID_LOOP(j, s.batch * s.outputs)
  {
    const int64_t row = j / s.outputs, o = j % s.outputs;
    real sum = load(s.bias, o);
    const int64_t begin = s.legacy ? row * s.each : 0, end = s.legacy ? begin + s.each : s.count;
    for (int64_t i = begin; i < end; i++) {
      const Entry e = entry_of(s, i);
      if (e.row == row && e.value != 0)
        sum += e.value * load(s.weight, o * s.inputs + e.column);
    }
    store(s.y, j, sum);
  }
}

__global__ static void gradients(THCUNNSparse s)
{
  __shared__ real shared[THC_BLOCK];
  for (int64_t o = blockIdx.x; o < s.outputs; o += gridDim.x) {
    real sum = 0;
    for (int64_t r = threadIdx.x; r < s.batch; r += blockDim.x)
      sum += load(s.g, r * s.outputs + o);
    sum = block_reduce(sum, shared, 0);
    if (threadIdx.x == 0)
      store(s.dBias, o, load(s.dBias, o) + (real)s.scale * sum);
    for (int64_t i = 0; i < s.count; i++) {
      const Entry e = entry_of(s, i);
      const int64_t at = o * s.inputs + e.column;
      if (e.value != 0 && e.column % blockDim.x == threadIdx.x)
        store(s.dWeight, at,
              load(s.dWeight, at) + (real)s.scale * e.value * load(s.g, e.row * s.outputs + o));
    }
    for (int64_t c = threadIdx.x; s.decay != 0 && c < s.inputs; c += blockDim.x) {
      const int64_t at = o * s.inputs + c;
      store(s.dWeight, at, load(s.dWeight, at) + (real)s.decay * load(s.weight, at));
    }
  }
}

/* Whether no entry before i is in its column. */
THC_DEVICE int is_first(const THCUNNSparse &s, int64_t i, int64_t column)
{
  for (int64_t k = 0; k < i; k++) {
    const Entry e = entry_of(s, k);
    if (e.value != 0 && e.column == column)
      return 0;
  }
  return 1;
}

/* Sets dWeight and dBias to 0 in the columns of the entries, or takes a step along the gradients, which are
 * then weight and bias. */
__global__ static void change(THCUNNSparse s)
{
  for (int64_t o = blockIdx.x; o < s.outputs; o += gridDim.x) {
    for (int64_t i = 0; i < s.count; i++) {
      const Entry e = entry_of(s, i);
      const int64_t at = o * s.inputs + e.column;
      if (e.value == 0 || e.column % blockDim.x != threadIdx.x)
        continue;
      if (!s.weight)
        store(s.dWeight, at, 0);
      else if (is_first(s, i, e.column))
        store(s.dWeight, at, load(s.dWeight, at) - (real)s.scale * load(s.weight, at));
    }
    if (threadIdx.x == 0)
      store(s.dBias, o, s.bias ? load(s.dBias, o) - (real)s.scale * load(s.bias, o) : (real)0);
  }
}

static unsigned blocks_of(int64_t outputs)
{
  return (unsigned)(outputs < INT32_MAX ? outputs : INT32_MAX);
}

extern "C" void THCUNN_(sparseCheck)(const THCUNNSparse *s, const THCReport *report,
                                     cudaStream_t stream)
{
  THC_LAUNCH(check, THC_blocks(s->count), THC_BLOCK, 0, stream, *s, *report);
}

extern "C" void THCUNN_(sparseOutput)(const THCUNNSparse *s, cudaStream_t stream)
{
  THC_LAUNCH(output, THC_blocks(s->batch * s->outputs), THC_BLOCK, 0, stream, *s);
}

extern "C" void THCUNN_(sparseGradients)(const THCUNNSparse *s, cudaStream_t stream)
{
  THC_LAUNCH(gradients, blocks_of(s->outputs), THC_BLOCK, 0, stream, *s);
}

extern "C" void THCUNN_(sparseChange)(const THCUNNSparse *s, cudaStream_t stream)
{
  THC_LAUNCH(change, blocks_of(s->outputs), THC_BLOCK, 0, stream, *s);
}
