/* Kernels of indices and masks that are the same for all element types: checks and counts. */
#include "THC/core/thc_cuda.h"

#include "THC/core/thc_fault.h"
#include "thc_index.h"

#include "TH.h"

/* --- checks ----------------------------------------------------------------------------------- */

__global__ static void check_index(THCWalk walk, THCIndexRange range)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[1];
    THCWalk_offsets(walk, i, at);
    const int64_t index = ((const int64_t *)walk.flat.data[0])[at[0]];
    if (index == range.hole)
      THC_report(range.report, THC_FAULT_RANGE, -1, index);
    else
      THC_isInside(range.report, -1, index);
  }
}

extern "C" void THCIndex_checkKernel(const THCWalk *walk, const void *range, cudaStream_t stream)
{
  THC_LAUNCH(check_index, THC_blocks(walk->flat.count), THC_BLOCK, 0, stream, *walk,
             *(const THCIndexRange *)range);
}

__global__ static void check_mask(THCWalk walk, THCIndexRange range)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[1];
    THCWalk_offsets(walk, i, at);
    THC_isInside(range.report, -1, ((const uint8_t *)walk.flat.data[0])[at[0]]);
  }
}

extern "C" void THCMask_checkKernel(const THCWalk *walk, const void *range, cudaStream_t stream)
{
  THC_LAUNCH(check_mask, THC_blocks(walk->flat.count), THC_BLOCK, 0, stream, *walk,
             *(const THCIndexRange *)range);
}

/* --- counts ----------------------------------------------------------------------------------- */

/* Launches nothing: only counts the blocks of a selection. */
extern "C" void THCSelect_blocks(const THCWalk *walk, const void *scalars, cudaStream_t)
{
  THCSelecting *selecting = *(THCSelecting *const *)scalars;
  THC_SELECT_NEXT(selecting, walk);
}

/* Launches nothing, either: counts the elements. */
extern "C" void THCAdding_count(const THCWalk *walk, const void *scalars, cudaStream_t)
{
  (*(THCAdding *const *)scalars)->done += walk->flat.count;
}

__global__ static void count_mask(THCWalk walk, THCSelecting selecting)
{
  int count = 0;
  for (int round = 0; round < THC_SELECT_CHUNK; round += THC_BLOCK) {
    const ptrdiff_t i = (ptrdiff_t)blockIdx.x * THC_SELECT_CHUNK + round + threadIdx.x;
    int selected = 0;
    if (i < walk.flat.count) {
      ptrdiff_t at[1];
      THCWalk_offsets(walk, i, at);
      selected = ((const uint8_t *)walk.flat.data[0])[at[0]];
      THC_isInside(selecting.report, -1, selected);
    }
    count += __syncthreads_count(selected != 0);
  }
  if (threadIdx.x == 0)
    selecting.counts[selecting.block + blockIdx.x] = count;
}

extern "C" void THCSelect_countMask(const THCWalk *walk, const void *scalars, cudaStream_t stream)
{
  THCSelecting *selecting = *(THCSelecting *const *)scalars;
  THC_LAUNCH(count_mask, THC_SELECT_BLOCKS(walk), THC_BLOCK, 0, stream, *walk, *selecting);
  THC_SELECT_NEXT(selecting, walk);
}

/* The exclusive prefix sum of the block's values; *all becomes the sum of all values. */
static __device__ __forceinline__ int64_t sum_before(int64_t value, int64_t *all)
{
  __shared__ int64_t warps[THC_BLOCK / 32];
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  int64_t sum = value;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int64_t other = (int64_t)__shfl_up_sync(0xFFFFFFFFu, (long long)sum, (unsigned)distance);
    if (lane >= distance)
      sum += other;
  }
  if (lane == 31)
    warps[warp] = sum;
  __syncthreads();
  int64_t before = sum - value;
  *all = 0;
  for (int w = 0; w < THC_BLOCK / 32; w++) {
    if (w < warp)
      before += warps[w];
    *all += warps[w];
  }
  __syncthreads();
  return before;
}

/* Exclusive prefix sums of counts, in place, by one block; counts[blocks] becomes the total. */
__global__ static void sum_counts(int64_t *counts, ptrdiff_t blocks)
{
  int64_t done = 0;
  for (ptrdiff_t first = 0; first < blocks; first += THC_BLOCK) {
    const ptrdiff_t i = first + threadIdx.x;
    int64_t all;
    const int64_t before = sum_before(i < blocks ? counts[i] : 0, &all);
    if (i < blocks)
      counts[i] = done + before;
    done += all;
  }
  if (threadIdx.x == 0)
    counts[blocks] = done;
}

extern "C" void THCSelect_sum(int64_t *counts, ptrdiff_t blocks, cudaStream_t stream)
{
  THC_LAUNCH(sum_counts, 1, THC_BLOCK, 0, stream, counts, blocks);
}

/* --- advanced indices ----------------------------------------------------------------------- */

__global__ static void offsets_kernel(THCOffsets o)
{
  THC_GRID_LOOP(i, o.count)
  {
    int64_t rest = i, offset = o.base;
    for (int d = o.dims - 1; d >= 0; d--) {
      if (!o.index[d]) {
        offset += rest % o.size[d] * o.stride[d];
        rest /= o.size[d];
        continue;
      }
      const int64_t given = o.index[d][rest % o.indices];
      const int64_t k = given < 0 ? given + o.size[d] : given - TH_INDEX_BASE;
      if ((uint64_t)k < (uint64_t)o.size[d]) /* one out of range counts as the first */
        offset += k * o.stride[d];
      if (d == o.first)
        rest /= o.indices;
    }
    o.output[i * o.step] = offset;
  }
}

extern "C" void THCOffsets_kernel(const THCOffsets *offsets, cudaStream_t stream)
{
  THC_LAUNCH(offsets_kernel, THC_blocks(offsets->count), THC_BLOCK, 0, stream, *offsets);
}
