/* The kernel of histograms: a block counts in its shared memory, if the bins fit there. */
#include "at_kernel.h"

enum { SHARED_BINS = 4096, MOST_BLOCKS = 1024 };

/* The range from the smallest to the largest element, or of width 2 around equal ones. */
struct Range {
  real low, high;
};

THC_DEVICE Range range_of(const at_histogram_work &w)
{
  if (!w.least)
    return {(real)w.low, (real)w.high};
  const real low = *(const real *)w.least, high = *(const real *)w.most;
  const real around = low == high ? 1 : 0;
  return {low - around, high + around};
}

/* The bin of an element, or -1. */
THC_DEVICE int64_t bin_of(const at_histogram_work &w, Range range, real x)
{
  const real low = range.low, high = range.high, width = high - low, bins = (real)w.bins;
  if (!(x >= low && x <= high))
    return -1;
  const real bin = isfinite(width * bins) ? (x - low) * bins / width : (x - low) / width * bins;
  return bin < bins ? (int64_t)bin : w.bins - 1;
}

__global__ static void histogram(at_histogram_work w)
{
  const Range range = range_of(w);
  THC_GRID_LOOP(i, w.count)
  {
    const int64_t bin = bin_of(w, range, ((const real *)w.x)[i]);
    if (bin >= 0)
      atomicAdd((unsigned long long *)w.counts + bin, 1ull);
  }
}

__global__ static void histogram_shared(at_histogram_work w)
{
  THC_DYNAMIC_SHARED(unsigned, own);
  const Range range = range_of(w);
  for (int64_t b = threadIdx.x; b < w.bins; b += THC_BLOCK)
    own[b] = 0;
  __syncthreads();
  THC_GRID_LOOP(i, w.count)
  {
    const int64_t bin = bin_of(w, range, ((const real *)w.x)[i]);
    if (bin >= 0)
      atomicAdd(own + bin, 1u);
  }
  __syncthreads();
  for (int64_t b = threadIdx.x; b < w.bins; b += THC_BLOCK)
    if (own[b])
      atomicAdd((unsigned long long *)w.counts + b, (unsigned long long)own[b]);
}

AT_LAUNCHER(histogram, at_histogram_work)
{
  unsigned blocks = THC_blocks(work->count);
  blocks = blocks > MOST_BLOCKS ? (unsigned)MOST_BLOCKS : blocks;
  if (work->bins <= SHARED_BINS)
    THC_LAUNCH(histogram_shared, blocks, THC_BLOCK, (size_t)work->bins * sizeof(unsigned), stream,
               *work);
  else
    THC_LAUNCH(histogram, blocks, THC_BLOCK, 0, stream, *work);
}
