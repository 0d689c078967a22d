/* The table of kernels.h. */
#include "state.h"

#include "ATen/core/device.h"

typedef void (*Launcher)(const void *work, cudaStream_t stream);

#define DECLARE(NAME, WORK)                                           \
  void at_cuda_##NAME##_Float(const void *work, cudaStream_t stream); \
  void at_cuda_##NAME##_Double(const void *work, cudaStream_t stream);
AT_KERNELS(DECLARE)

#define ENTRY(NAME, WORK) [AT_KERNEL_##NAME] = {at_cuda_##NAME##_Float, at_cuda_##NAME##_Double},
static const Launcher launchers[AT_KERNEL_COUNT][2] = {AT_KERNELS(ENTRY)};

void at_cudaLaunch(at_kernel kernel, THScalarType type, const void *work)
{
  launchers[kernel][type == THScalarDouble](work, THCState_getCurrentStream(at_cudaState));
  THCudaCheck(cudaGetLastError());
}
