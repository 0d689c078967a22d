/* Device memory that is kept for reuse.
 *
 * cudaMalloc and cudaFree wait for the device; so what is freed is kept, for each device and
 * stream, and handed out again.  Memory belongs to the stream it was allocated on: its work is in
 * order, so a block may be reused while the kernels that used it are still queued.  Work of other
 * streams on a block is announced by recordStream; then it is reused only after that work.
 *
 * Requests are served from segments (2 MB for those up to 1 MB), which are split and merged again.
 * When the device has no memory left, all that is kept is given back and the request tried again.
 * THC_CACHING_ALLOCATOR=0 in the environment, or a build with a sanitizer, keeps nothing: every
 * block then has exactly its size, and tools that check memory see its bounds.  All functions may
 * be called by any thread. */
#ifndef THC_CACHING_ALLOCATOR_H
#define THC_CACHING_ALLOCATOR_H

#include "THCGeneral.h"
#include "THCStream.h"

/* The allocator, of which there is one.  Takes no context. */
THC_API THCDeviceAllocator *THCCachingAllocator_get(void);

/* Where the segment that holds ptr begins, and its size (size may be NULL): what
 * cudaIpcGetMemHandle wants.  An error for memory that is not the allocator's. */
THC_API void *THCCachingAllocator_getBaseAllocation(void *ptr, size_t *size);

/* The stream uses the memory at ptr, which is the address of a block; what is queued on it until
 * the block is freed comes before its next use.  NULL is nothing to record.  An error for memory
 * that is not the allocator's. */
THC_API void THCCachingAllocator_recordStream(void *ptr, THCStream *stream);

/* Held while memory is returned to the driver, which must not happen in the middle of some calls of
 * NCCL. */
#ifdef __cplusplus
#include <mutex>
THC_API std::mutex *THCCachingAllocator_getCudaFreeMutex(void);
#else
THC_API pthread_mutex_t *THCCachingAllocator_getCudaFreeMutex(void);
#endif

/* Bytes in use, bytes taken from the driver, and the most that each ever was. */
THC_API uint64_t THCCachingAllocator_currentMemoryAllocated(int device);
THC_API uint64_t THCCachingAllocator_maxMemoryAllocated(int device);
THC_API uint64_t THCCachingAllocator_currentMemoryCached(int device);
THC_API uint64_t THCCachingAllocator_maxMemoryCached(int device);

/* Whether freed blocks, pinned ones included, are kept (on) or returned at once.  Returns what it
 * was before. */
THC_API int THCCachingAllocator_setCaching(int on);

#endif
