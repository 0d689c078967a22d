/* The most frequent value of each line, from the sorted line: a thread that finds the first element
 * of a run of equal ones finds the end by bisection.  A block searches a chunk of a line. */
#include "THC/core/thc_template.h"

#include "thc_keys.h"
#include "thc_sort.h"

/* The longer run, of runs of the same length the first. */
THC_DEVICE bool is_better(const THCModeRun &a, const THCModeRun &b)
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

/* The best run of all threads of the block, for thread 0; the others get their own. */
THC_DEVICE THCModeRun best_of_block(const THCModeRun &own, THCModeRun *runs)
{
  runs[threadIdx.x] = own;
  for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
    __syncthreads();
    if (threadIdx.x < offset && is_better(runs[threadIdx.x + offset], runs[threadIdx.x]))
      runs[threadIdx.x] = runs[threadIdx.x + offset];
  }
  return threadIdx.x == 0 ? runs[0] : own;
}

/* The mode is the last element of the run. */
THC_DEVICE void put_mode(const THCModeWork &work, const THCLines &lines, ptrdiff_t line,
                         const THCModeRun &run)
{
  const ptrdiff_t at = line * lines.length + (run.count > 0 ? run.first + run.count - 1 : 0);
  ((Key *)work.values)[THCLines_at(&lines, 1, line)] = ((const Key *)work.sorted)[at];
  work.indices[THCLines_at(&lines, 2, line)] = work.numbers[at];
}

/* NaN equals nothing: such runs do not count, but where there is nothing else. */
__global__ static void mode_kernel(THCModeWork work, THCLines lines)
{
  __shared__ THCModeRun runs[THC_BLOCK];
  const ptrdiff_t line = blockIdx.x / work.chunks, begin = blockIdx.x % work.chunks * work.chunk;
  const ptrdiff_t n = lines.length, end = begin + work.chunk < n ? begin + work.chunk : n;
  const Key *x = (const Key *)work.sorted + line * n;
  THCModeRun best = {0, n};
  for (ptrdiff_t i = begin + threadIdx.x; i < end; i += blockDim.x)
    if (!is_nan(x[i]) && (i == 0 || key_of(x[i - 1]) != key_of(x[i]))) {
      const THCModeRun run = {end_of_run(x, i, n) - i, i};
      if (is_better(run, best))
        best = run;
    }
  best = best_of_block(best, runs);
  if (threadIdx.x == 0 && work.runs)
    work.runs[blockIdx.x] = best;
  else if (threadIdx.x == 0)
    put_mode(work, lines, line, best);
}

__global__ static void mode_of_chunks(THCModeWork work, THCLines lines)
{
  __shared__ THCModeRun runs[THC_BLOCK];
  const ptrdiff_t line = blockIdx.x;
  THCModeRun best = {0, lines.length};
  for (ptrdiff_t p = threadIdx.x; p < work.chunks; p += blockDim.x)
    if (is_better(work.runs[line * work.chunks + p], best))
      best = work.runs[line * work.chunks + p];
  best = best_of_block(best, runs);
  if (threadIdx.x == 0)
    put_mode(work, lines, line, best);
}

extern "C" void THC_NAME(THCMode_)(const THCModeWork *work, const THCLines *lines,
                                   cudaStream_t stream);
void THC_NAME(THCMode_)(const THCModeWork *work, const THCLines *lines, cudaStream_t stream)
{
  const int threads = lines->length <= 64 ? 32 : THC_BLOCK;
  THC_LAUNCH(mode_kernel, (unsigned)(lines->count * work->chunks), threads, 0, stream, *work,
             *lines);
  if (work->runs)
    THC_LAUNCH(mode_of_chunks, (unsigned)lines->count, THC_BLOCK, 0, stream, *work, *lines);
}
