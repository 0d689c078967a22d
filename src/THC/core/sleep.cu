/* A kernel that runs for a given number of clock cycles. */
#include "thc_cuda.h"

#include "thc_kernels.h"

__global__ static void sleep_cycles(int64_t cycles)
{
  const int64_t begin = (int64_t)clock64();
  while ((int64_t)clock64() - begin < cycles)
    ;
}

extern "C" void THCKernel_sleep(int64_t cycles, cudaStream_t stream)
{
  THC_LAUNCH(sleep_cycles, 1, 1, 0, stream, cycles);
}
