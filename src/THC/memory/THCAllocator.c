/* Pinned and managed host memory; memory of other processes. */
#include "THC/core/THCPrivate.h"

static void check(cudaError_t status, const char *kind, ptrdiff_t size)
{
  if (status == cudaSuccess)
    return;
  cudaGetLastError();
  THError("there is no %s memory for %td bytes: %s", kind, size, cudaGetErrorString(status));
}

static void *allocate_pinned(void *ctx, ptrdiff_t size)
{
  void *ptr = NULL;
  if (size < 0)
    THError("pinned memory of %td bytes was asked for", size);
  if (size > 0)
    check(cudaMallocHost(&ptr, (size_t)size), "pinned", size);
  return ptr;
}

static void free_pinned(void *ctx, void *ptr)
{
  if (ptr)
    THCudaCheck(cudaFreeHost(ptr));
}

THAllocator THCudaHostAllocator = {.malloc = allocate_pinned, .free = free_pinned};

static void *allocate_managed(void *ctx, ptrdiff_t size)
{
  void *ptr = NULL;
  if (size < 0)
    THError("managed memory of %td bytes was asked for", size);
  if (size > 0)
    check(cudaMallocManaged(&ptr, (size_t)size, cudaMemAttachGlobal), "managed", size);
  return ptr;
}

static void free_managed(void *ctx, void *ptr)
{
  if (ptr)
    THCudaCheck(cudaFree(ptr));
}

THAllocator THCUVAAllocator = {.malloc = allocate_managed, .free = free_managed};

static cudaError_t allocate_foreign(void *ctx, void **ptr, size_t size, cudaStream_t stream)
{
  THError("memory of another process is opened, and cannot be allocated");
}

static cudaError_t close_foreign(void *ctx, void *ptr)
{
  THCOnDevice on;
  THCOnDevice_enter(&on, (int)(intptr_t)ctx);
  const cudaError_t status = cudaIpcCloseMemHandle(ptr);
  THCOnDevice_leave(&on);
  return status;
}

THCDeviceAllocator THCIpcAllocator = {.malloc = allocate_foreign, .free = close_foreign};
