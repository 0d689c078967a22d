/* The most frequent value of each line, from the sorted line: a thread that finds the first element
 * of a run of equal ones finds the end by bisection. */
#include "THC/core/thc_template.h"

#include "thc_keys.h"
#include "thc_sort.h"

/* A run of equal elements: how many there are, and the first. */
typedef struct Run {
  ptrdiff_t count, first;
} Run;

/* The longer run, of runs of the same length the first. */
THC_DEVICE bool is_better(const Run &a, const Run &b)
{
  return a.count > b.count || (a.count == b.count && a.first < b.first);
}

/* The first index from `low` on whose key is not that of low. */
THC_DEVICE ptrdiff_t end_of_run(const Key *x, ptrdiff_t low, ptrdiff_t n)
{
  const Key key = key_of(x[low]);
  ptrdiff_t high = n;
  low++;
  while (low < high) {
    const ptrdiff_t middle = low + (high - low) / 2;
    if (key_of(x[middle]) == key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* NaN equals nothing: such runs do not count, but where there is nothing else. */
__global__ static void mode_kernel(THCModeWork work, THCLines lines)
{
  __shared__ Run runs[THC_BLOCK];
  const ptrdiff_t line = blockIdx.x, n = lines.length;
  const Key *x = (const Key *)work.sorted + line * n;
  const int64_t *number = work.numbers + line * n;
  Run best = {0, n};
  for (ptrdiff_t i = threadIdx.x; i < n; i += blockDim.x)
    if (!is_nan(x[i]) && (i == 0 || key_of(x[i - 1]) != key_of(x[i]))) {
      const Run run = {end_of_run(x, i, n) - i, i};
      if (is_better(run, best))
        best = run;
    }
  runs[threadIdx.x] = best;
  for (unsigned apart = blockDim.x / 2; apart > 0; apart /= 2) {
    __syncthreads();
    if (threadIdx.x < apart && is_better(runs[threadIdx.x + apart], runs[threadIdx.x]))
      runs[threadIdx.x] = runs[threadIdx.x + apart];
  }
  if (threadIdx.x == 0) {
    const Run run = runs[0];
    const ptrdiff_t at = run.count > 0 ? run.first + run.count - 1 : 0;
    ((Key *)work.values)[THCLines_at(&lines, 1, line)] = x[at];
    work.indices[THCLines_at(&lines, 2, line)] = number[at];
  }
}

extern "C" void THC_NAME(THCMode_)(const THCModeWork *work, const THCLines *lines,
                                   cudaStream_t stream);
void THC_NAME(THCMode_)(const THCModeWork *work, const THCLines *lines, cudaStream_t stream)
{
  const int threads = lines->length <= 64 ? 32 : THC_BLOCK;
  THC_LAUNCH(mode_kernel, (unsigned)lines->count, threads, 0, stream, *work, *lines);
}
