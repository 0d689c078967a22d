/* The kernel that finds targets outside of the classes. */
#include "THC/core/thc_cuda.h"

#include "THC/core/thc_fault.h"
#include "THCUNN/layer/thcunn_kernels.h"

__global__ static void outside(const int64_t *values, int64_t count, int64_t allowed,
                               THCReport report)
{
  THC_GRID_LOOP(i, count)
  if (values[i] != allowed)
    THC_isInside(report, i, values[i]);
}

extern "C" void THCUNN_findOutside(const int64_t *values, int64_t count, int64_t allowed,
                                   const THCReport *report, cudaStream_t stream)
{
  THC_LAUNCH(outside, THC_blocks(count), THC_BLOCK, 0, stream, values, count, allowed, *report);
}
