/* Functions that THCUNN's templates share. */
#include "THCUNNDevice.h"

#include "thcunn_kernels.h"

_Thread_local THCState *THCUNN_using;

void THCUNN_enter(THCState *state)
{
  THCState_getNumDevices(state); /* an error where it is NULL */
  THCUNN_using = state;
}

static void free_memory(void *memory)
{
  THCudaFree(THCUNN_using, memory);
}

void *THCUNN_allocate(THGuard *guard, ptrdiff_t bytes)
{
  THGuard_enter(guard, free_memory);
  void *memory = NULL;
  THCudaCheck(THCudaMalloc(THCUNN_using, &memory, (size_t)bytes));
  return guard->what = memory;
}

void THCUNN_checkClasses(const int64_t *values, int64_t count, int64_t limit, int64_t ignore,
                         const char *text)
{
  THGuard guard;
  uint64_t first;
  const cudaStream_t stream = THCUNN_STREAM;
  uint64_t *found = THCUNN_allocate(&guard, sizeof first);
  THCudaCheck(cudaMemsetAsync(found, 0xFF, sizeof first, stream));
  THCUNN_findOutside(values, count, TH_INDEX_BASE, limit, ignore, found, stream);
  THCudaCheck(cudaGetLastError());
  THCudaCheck(cudaMemcpyAsync(&first, found, sizeof first, cudaMemcpyDeviceToHost, stream));
  THCudaCheck(cudaStreamSynchronize(stream));
  if (first != UINT64_MAX) {
    int64_t value;
    THCudaCheck(cudaMemcpyAsync(&value, values + first, sizeof value, cudaMemcpyDeviceToHost,
                                stream));
    THCudaCheck(cudaStreamSynchronize(stream));
    THArgError(3, "target %lld is %lld, out of range of the %lld classes of input %s",
               (long long)first + TH_INDEX_BASE, (long long)value, (long long)limit, text);
  }
  THGuard_leave(&guard);
}
