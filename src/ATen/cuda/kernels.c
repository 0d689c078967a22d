/* The table of kernels.h. */
#include "state.h"

#include "ATen/core/device.h"

typedef void (*Launcher)(const void *work, cudaStream_t stream);

#define KERNEL(NAME, WORK)                                            \
  void at_cuda_##NAME##_Float(const void *work, cudaStream_t stream); \
  void at_cuda_##NAME##_Double(const void *work, cudaStream_t stream);
#include "kernelRows.h"

#define KERNEL(NAME, WORK) [AT_KERNEL_##NAME] = {at_cuda_##NAME##_Float, at_cuda_##NAME##_Double},
static const Launcher launchers[AT_KERNEL_COUNT][2] = {
#include "kernelRows.h"
};

void at_cudaLaunch(at_kernel kernel, THScalarType type, const void *work)
{
  launchers[kernel][type == THScalarDouble](work, THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
}
