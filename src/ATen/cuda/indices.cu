/* The kernel of indices that become offsets. */
#include "at_kernel.h"

/* One out of range becomes a negative number, which stays negative when the offsets of other dimensions are
 * added, so that no kernel follows it. */
__global__ static void wrap_indices(at_wrap_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    const int64_t k = w.index[i] < 0 ? w.index[i] + w.size : w.index[i];
    w.index[i] =
        (uint64_t)k < (uint64_t)w.size ? k * w.step : INT64_MIN / 64; /* dimensions at most */
  }
}

AT_LAUNCHER(wrapIndices, at_wrap_work)
{
  THC_LAUNCH(wrap_indices, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}
