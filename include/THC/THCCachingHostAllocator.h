/* Pinned host memory that is kept for reuse: pinning takes long.
 *
 * A block that copies still read or write is reused only after them: copyAsyncCPU and its like
 * record an event for it.  What keeps nothing is said in THCCachingAllocator.h. */
#ifndef THC_CACHING_HOST_ALLOCATOR_H
#define THC_CACHING_HOST_ALLOCATOR_H

#include "THCGeneral.h"
#include "THCStream.h"

THC_API THAllocator THCCachingHostAllocator;

/* The block at ptr is not reused before what is queued on the stream now is done.  Memory that is
 * not the allocator's is left alone. */
THC_API cudaError_t THCCachingHostAllocator_recordEvent(void *ptr, THCStream *stream);

/* Returns to the driver all that is kept. */
THC_API void THCCachingHostAllocator_emptyCache(void);

#endif
