/* Kernels of medians.  One thread ranks the elements of a short line.  A block selects the middle
 * key of a longer line by radix, digit by digit, and then finds its index.  The order of elements
 * is that of THTensorSort.h. */
#include "THC/core/thc_template.h"

#include "THC/walk/thc_lines.h"
#include "thc_keys.h"

enum { SHORT_LINE = 32 }; /* elements: longer lines get a block */

/* Key 0 means NaN: the median of a line with NaN is NaN.  (No number has the last key, and those of
 * numbers are above 0.) */
static __device__ __forceinline__ Key median_key(Key bits)
{
  return is_nan(bits) ? 0 : key_of(bits);
}

/* --- short lines ----------------------------------------------------------------------------- */

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

/* --- longer lines ---------------------------------------------------------------------------- */

__global__ static void long_kernel(THCLines lines, const Key *from, real *values, int64_t *indices)
{
  __shared__ unsigned long long counts[DIGITS];
  __shared__ Found found;
  __shared__ unsigned char equal[THC_BLOCK];
  const ptrdiff_t line = blockIdx.x, n = lines.length, step = lines.step[0];
  const Key *x = from + THCLines_at(&lines, 0, line);
  if (threadIdx.x == 0)
    found.rank = (n - 1) / 2;

  Key median = 0;
  for (int shift = BITS - DIGIT; shift >= 0; shift -= DIGIT) {
    int nan = 0;
    for (unsigned digit = threadIdx.x; digit < DIGITS; digit += blockDim.x)
      counts[digit] = 0;
    __syncthreads();
    for (ptrdiff_t i = threadIdx.x; i < n; i += blockDim.x) {
      const Key key = median_key(x[i * step]);
      nan |= IS_FLOATING && key == 0;
      if ((unsigned long long)(key ^ median) >> shift < DIGITS)
        atomicAdd(&counts[(key >> shift) % DIGITS], 1ull);
    }
    if (__syncthreads_or(nan)) {
      median = 0;
      if (threadIdx.x == 0)
        found.rank = 0;
      break;
    }
    if (threadIdx.x == 0)
      find_digit(counts, &found);
    __syncthreads();
    median |= (Key)((Key)found.digit << shift);
  }

  __syncthreads();
  for (ptrdiff_t tile = 0, before = 0, rank = found.rank; tile < n; tile += blockDim.x) {
    const ptrdiff_t i = tile + threadIdx.x;
    const int is = i < n && median_key(x[i * step]) == median;
    equal[threadIdx.x] = (unsigned char)is;
    const int count = __syncthreads_count(is);
    if (before + count > rank) {
      if (threadIdx.x > 0)
        return;
      ptrdiff_t at = tile;
      while (before < rank || !equal[at - tile])
        before += equal[at++ - tile];
      values[THCLines_at(&lines, 1, line)] = *(const real *)&x[at * step];
      indices[THCLines_at(&lines, 2, line)] = at + TH_INDEX_BASE;
      return;
    }
    before += count;
  }
}

extern "C" void THC_NAME(THCMedian_)(const THCLines *lines, const void *from, void *values,
                                     int64_t *indices, cudaStream_t stream);
void THC_NAME(THCMedian_)(const THCLines *lines, const void *from, void *values, int64_t *indices,
                          cudaStream_t stream)
{
  if (lines->length <= SHORT_LINE)
    THC_LAUNCH(short_kernel, THC_blocks(lines->count), THC_BLOCK, 0, stream, *lines,
               (const Key *)from, (real *)values, indices);
  else
    THC_LAUNCH(long_kernel, (unsigned)lines->count, lines->length <= 256 ? 64 : THC_BLOCK, 0,
               stream, *lines, (const Key *)from, (real *)values, indices);
}
