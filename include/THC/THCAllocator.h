/* Allocators of storages, other than the allocator of device memory. */
#ifndef THC_ALLOCATOR_H
#define THC_ALLOCATOR_H

#include "THCGeneral.h"

/* Pinned host memory, which the GPU copies from and to while the host goes on. */
THC_API THAllocator THCudaHostAllocator;

/* Managed memory, which host and devices share under one address. */
THC_API THAllocator THCUVAAllocator;

/* Memory of another process, opened by cudaIpcOpenMemHandle: a storage made from it with
 * newWithDataAndAllocator closes it when it is freed.  The context is the number of the device, as
 * a pointer.  It cannot allocate: that is an error. */
THC_API THCDeviceAllocator THCIpcAllocator;

#endif
