/* Medians of short lines: a thread for each line ranks its elements.  (Longer lines: topk.cu.)  The
 * order of elements is that of THTensorSort.h. */
#include "THC/core/thc_template.h"

#include "thc_keys.h"
#include "thc_sort.h"

/* How many elements come before element i; equal elements are ordered by index. */
static __device__ __forceinline__ int rank_of(const Key *x, int n, ptrdiff_t step, int i)
{
  const Key key = median_key(x[i * step]);
  int rank = 0;
  for (int j = 0; j < n; j++) {
    const Key other = median_key(x[j * step]);
    rank += other < key || (other == key && j < i);
  }
  return rank;
}

static __device__ __forceinline__ int has_nan(const Key *x, int n, ptrdiff_t step)
{
  for (int i = 0; IS_FLOATING && i < n; i++)
    if (median_key(x[i * step]) == 0)
      return 1;
  return 0;
}

__global__ static void short_kernel(THCLines lines, const Key *from, real *values, int64_t *indices)
{
  const int n = (int)lines.length;
  const ptrdiff_t step = lines.step[0];
  THC_GRID_LOOP(line, lines.count)
  {
    const Key *x = from + THCLines_at(&lines, 0, line);
    const int rank = has_nan(x, n, step) ? 0 : (n - 1) / 2;
    int i = 0;
    while (rank_of(x, n, step, i) != rank)
      i++;
    values[THCLines_at(&lines, 1, line)] = *(const real *)&x[i * step];
    indices[THCLines_at(&lines, 2, line)] = i + TH_INDEX_BASE;
  }
}

extern "C" void THC_NAME(THCMedian_)(const THCSelectWork *work, const THCLines *lines,
                                     cudaStream_t stream);
void THC_NAME(THCMedian_)(const THCSelectWork *work, const THCLines *lines, cudaStream_t stream)
{
  THC_LAUNCH(short_kernel, THC_blocks(lines->count), THC_BLOCK, 0, stream, *lines,
             (const Key *)work->from, (real *)work->values, work->indices);
}
