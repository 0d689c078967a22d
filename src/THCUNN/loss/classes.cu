/* The kernel that finds targets outside of the classes. */
#include "THC/core/thc_cuda.h"

#include "THCUNN/layer/thcunn_kernels.h"

__global__ static void outside(const int64_t *values, int64_t count, int64_t base, int64_t limit,
                               int64_t ignore, unsigned long long *found)
{
  THC_GRID_LOOP(i, count)
  if ((uint64_t)values[i] - (uint64_t)base >= (uint64_t)limit && values[i] != ignore)
    atomicMin(found, (unsigned long long)i);
}

extern "C" void THCUNN_findOutside(const int64_t *values, int64_t count, int64_t base,
                                   int64_t limit, int64_t ignore, uint64_t *found,
                                   cudaStream_t stream)
{
  THC_LAUNCH(outside, THC_blocks(count), THC_BLOCK, 0, stream, values, count, base, limit, ignore,
             (unsigned long long *)found);
}
