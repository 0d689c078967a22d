/* Functions that THCUNN's templates share. */
#include "THCUNNDevice.h"

#include "thcunn_kernels.h"

_Thread_local THCState *THCUNN_using;

void THCUNN_enter(THCState *state)
{
  THCState_getNumDevices(state); /* an error where it is NULL */
  THCUNN_using = state;
}

void THCUNN_release(void *memory)
{
  THCudaFree(THCUNN_using, memory);
}

void *THCUNN_take(ptrdiff_t bytes)
{
  void *memory = NULL;
  THCudaCheck(THCudaMalloc(THCUNN_using, &memory, (size_t)bytes));
  return memory;
}

void *THCUNN_allocate(THGuard *guard, ptrdiff_t bytes)
{
  THGuard_enter(guard, THCUNN_release);
  return guard->what = THCUNN_take(bytes);
}

int THCUNN_findOther(const int64_t *values, int64_t count, int64_t base, int64_t limit,
                     int64_t allowed, int64_t *at, int64_t *value)
{
  THGuard guard;
  uint64_t first;
  const cudaStream_t stream = THCUNN_STREAM;
  if (count == 0)
    return 0;
  uint64_t *found = THCUNN_allocate(&guard, sizeof first);
  THCudaCheck(cudaMemsetAsync(found, 0xFF, sizeof first, stream));
  THCUNN_findOutside(values, count, base, limit, allowed, found, stream);
  THCudaCheck(cudaGetLastError());
  THCudaCheck(cudaMemcpyAsync(&first, found, sizeof first, cudaMemcpyDeviceToHost, stream));
  THCudaCheck(cudaStreamSynchronize(stream));
  *at = (int64_t)first;
  if (first != UINT64_MAX) {
    THCudaCheck(cudaMemcpyAsync(value, values + first, sizeof *value, cudaMemcpyDeviceToHost,
                                stream));
    THCudaCheck(cudaStreamSynchronize(stream));
  }
  THGuard_leave(&guard);
  return first != UINT64_MAX;
}
