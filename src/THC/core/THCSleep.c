/* Keeps a stream busy. */
#include "THCPrivate.h"

#include "thc_kernels.h"

void THC_sleep(THCState *state, int64_t cycles)
{
  const cudaStream_t stream = THCState_getCurrentStream(state);
  if (cycles <= 0)
    return;
  THCKernel_sleep(cycles, stream);
  THCudaCheck(cudaGetLastError());
}
