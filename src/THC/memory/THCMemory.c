/* Memory of the state's allocators, and when the collector of a host language is called. */
#include "THC/core/THCPrivate.h"

static const ptrdiff_t least_softmax = (ptrdiff_t)300 << 20;

/* --- the collector -------------------------------------------------------------------------- */

static _Thread_local int collecting;

static void end_collecting(void *what)
{
  THCState *state = what;
  collecting = 0;
  THC_using = state;
  const ptrdiff_t left = __atomic_load_n(&state->heapDelta, __ATOMIC_RELAXED);
  const ptrdiff_t next = left < PTRDIFF_MAX / 2 ? left + left / 2 : PTRDIFF_MAX;
  __atomic_store_n(&state->heapSoftmax, THMax(least_softmax, next), __ATOMIC_RELAXED);
}

/* The handler may free and allocate; these calls do not call the handler again. */
static void collect(THCState *state)
{
  if (!state->cutorchGCFunction || collecting)
    return;
  THGuard guard;
  THGuard_enter(&guard, end_collecting);
  guard.what = state;
  collecting = 1;
  state->cutorchGCFunction(state->cutorchGCData);
  THGuard_leave(&guard);
}

void THCSetGCHandler(THCState *state, void (*torchGCHandlerFunction)(void *data), void *data)
{
  THC_enter(state);
  state->cutorchGCFunction = torchGCHandlerFunction;
  state->cutorchGCData = data;
}

void THCHeapUpdate(THCState *state, ptrdiff_t size)
{
  THC_enter(state);
  const ptrdiff_t heap = __atomic_add_fetch(&state->heapDelta, size, __ATOMIC_RELAXED);
  if (size > 0 && heap > __atomic_load_n(&state->heapSoftmax, __ATOMIC_RELAXED))
    collect(state);
}

/* --- device memory -------------------------------------------------------------------------- */

static cudaError_t allocate(THCState *state, THCDeviceAllocator *allocator, void *context,
                            void **ptr, size_t size)
{
  const cudaStream_t stream = THCState_getCurrentStream(state);
  *ptr = NULL;
  cudaError_t status = allocator->malloc(context, ptr, size, stream);
  if (status != cudaErrorMemoryAllocation)
    return status;
  cudaGetLastError();
  collect(state);
  if (allocator->emptyCache)
    allocator->emptyCache(context);
  status = allocator->malloc(context, ptr, size, stream);
  if (status != cudaSuccess)
    cudaGetLastError();
  return status;
}

void *THC_allocate(THCState *state, THCDeviceAllocator *allocator, void *context, size_t size)
{
  void *ptr;
  if (size == 0)
    return NULL;
  const cudaError_t status = allocate(state, allocator, context, &ptr, size);
  if (status == cudaErrorMemoryAllocation)
    THError("there is no device memory for %zu bytes on device %d", size, THC_currentDevice());
  THCudaCheck(status);
  return ptr;
}

static THCDeviceAllocator *allocator_of(THCState *state)
{
  THC_enter(state);
  if (!state->cudaDeviceAllocator)
    THError("the state has no allocator of device memory: THCudaInit gives it one");
  return state->cudaDeviceAllocator;
}

cudaError_t THCudaMalloc(THCState *state, void **ptr, size_t size)
{
  THCDeviceAllocator *allocator = allocator_of(state);
  if (size)
    return allocate(state, allocator, allocator->state, ptr, size);
  *ptr = NULL;
  return cudaSuccess;
}

cudaError_t THCudaFree(THCState *state, void *ptr)
{
  THCDeviceAllocator *allocator = allocator_of(state);
  return ptr ? allocator->free(allocator->state, ptr) : cudaSuccess;
}

cudaError_t THCudaMemGetInfoCached(THCState *state, size_t *freeBytes, size_t *totalBytes,
                                   size_t *largestBlock)
{
  THCDeviceAllocator *allocator = allocator_of(state);
  cudaError_t status = cudaMemGetInfo(freeBytes, totalBytes);
  if (status != cudaSuccess)
    return status;
  int device;
  status = cudaGetDevice(&device);
  size_t cached = 0, largest = 0;
  if (status == cudaSuccess && allocator->cacheInfo)
    status = allocator->cacheInfo(allocator->state, device, &cached, &largest);
  *largestBlock = THMax(*freeBytes, largest);
  *freeBytes += cached;
  return status;
}

cudaError_t THCudaMemGetInfo(THCState *state, size_t *freeBytes, size_t *totalBytes)
{
  size_t largest;
  return THCudaMemGetInfoCached(state, freeBytes, totalBytes, &largest);
}

/* --- pinned memory -------------------------------------------------------------------------- */

void *THCudaHostAlloc(THCState *state, size_t size)
{
  THC_enter(state);
  THArgCheck(size <= PTRDIFF_MAX, 1, "size is %zu", size);
  if (!state->cudaHostAllocator)
    THError("the state has no allocator of pinned memory: THCudaInit gives it one");
  return size ? state->cudaHostAllocator->malloc(NULL, (ptrdiff_t)size) : NULL;
}

void THCudaHostFree(THCState *state, void *ptr)
{
  THC_enter(state);
  if (ptr)
    state->cudaHostAllocator->free(NULL, ptr);
}

void THCudaHostRecord(THCState *state, void *ptr)
{
  THC_enter(state);
  if (state->cudaHostAllocator == &THCCachingHostAllocator)
    THCudaCheck(THCCachingHostAllocator_recordEvent(ptr, THCState_getStream(state)));
}

/* --- which allocators ----------------------------------------------------------------------- */

THAllocator *THCState_getCudaHostAllocator(THCState *state)
{
  THC_enter(state);
  return state->cudaHostAllocator;
}

THAllocator *THCState_getCudaUVAAllocator(THCState *state)
{
  THC_enter(state);
  return state->cudaUVAAllocator;
}

THCDeviceAllocator *THCState_getDeviceAllocator(THCState *state)
{
  THC_enter(state);
  return state->cudaDeviceAllocator;
}

void THCState_setDeviceAllocator(THCState *state, THCDeviceAllocator *allocator)
{
  THC_enter(state);
  THArgCheck(allocator && allocator->malloc && allocator->free, 1,
             "an allocator has to have malloc and free");
  state->cudaDeviceAllocator = allocator;
}

int THCState_isCachingAllocatorEnabled(THCState *state)
{
  THC_enter(state);
  return state->cudaDeviceAllocator == THCCachingAllocator_get();
}
