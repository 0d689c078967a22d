/* Pinned host memory that is kept: whole blocks, handed out again to requests that need most of
 * one.
 */
#include "THC/core/THCPrivate.h"

#include "THC/core/THCTable.h"

typedef struct Pinned {
  THCEntry entry; /* in the table of all blocks */
  size_t size;
  int used;            /* handed out */
  int pending;         /* events that have to happen before its next use */
  struct Pinned *next; /* among those that are kept, smallest first */
} Pinned;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static THCTable blocks;
static Pinned *kept;
static THCPending pending;

/* --- keeping -------------------------------------------------------------------------------- */

static cudaError_t unpin(Pinned *block)
{
  THCTable_remove(&blocks, &block->entry);
  const cudaError_t status = cudaFreeHost(block->entry.key);
  free(block);
  return status;
}

/* Nothing uses the block any longer. */
static void keep(Pinned *block)
{
  Pinned **at = &kept;
  while (*at && (*at)->size < block->size)
    at = &(*at)->next;
  block->next = *at;
  *at = block;
}

static void event_happened(void *what)
{
  Pinned *block = what;
  if (--block->pending == 0 && !block->used)
    keep(block);
}

/* The smallest that is large enough, unless it is much too large. */
static Pinned *find(size_t size)
{
  for (Pinned **at = &kept; *at; at = &(*at)->next)
    if ((*at)->size >= size) {
      Pinned *block = *at;
      if (block->size / 2 > size && block->size > (1 << 20))
        return NULL;
      *at = block->next;
      return block;
    }
  return NULL;
}

static cudaError_t free_kept(void)
{
  cudaError_t status = cudaSuccess;
  while (kept) {
    Pinned *block = kept;
    kept = block->next;
    const cudaError_t problem = unpin(block);
    if (problem != cudaSuccess)
      status = problem;
  }
  return status;
}

/* --- the allocator -------------------------------------------------------------------------- */

static cudaError_t pin(size_t size, Pinned **result)
{
  if (!THCTable_reserve(&blocks))
    return cudaErrorMemoryAllocation;
  Pinned *block = malloc(sizeof *block);
  if (!block)
    return cudaErrorMemoryAllocation;
  *block = (Pinned){.size = size};
  cudaError_t status = cudaMallocHost(&block->entry.key, size);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    status = THCPending_collect(&pending, 1, event_happened);
    if (status == cudaSuccess)
      status = free_kept();
    if (status == cudaSuccess)
      status = cudaMallocHost(&block->entry.key, size);
  }
  if (status != cudaSuccess) {
    free(block);
    return status;
  }
  THCTable_add(&blocks, &block->entry);
  *result = block;
  return cudaSuccess;
}

static void *host_malloc(void *ctx, ptrdiff_t size)
{
  if (size < 0)
    THError("pinned memory of %td bytes was asked for", size);
  if (size == 0)
    return NULL;
  pthread_mutex_lock(&mutex);
  cudaError_t status = THCPending_collect(&pending, 0, event_happened);
  Pinned *block = status == cudaSuccess ? find((size_t)size) : NULL;
  if (status == cudaSuccess && !block)
    status = pin((size_t)size, &block);
  if (block)
    block->used = 1;
  pthread_mutex_unlock(&mutex);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    THError("there is no pinned memory for %td bytes", size);
  }
  THCudaCheck(status);
  return block->entry.key;
}

static void host_free(void *ctx, void *ptr)
{
  if (!ptr)
    return;
  cudaError_t status = cudaSuccess;
  pthread_mutex_lock(&mutex);
  Pinned *block = (Pinned *)THCTable_find(&blocks, ptr);
  if (!block || !block->used) {
    status = cudaErrorInvalidValue;
  } else {
    if (!THC_keepsMemory())
      status = THCPending_collect(&pending, 1, event_happened);
    block->used = 0;
    if (block->pending == 0)
      keep(block);
    if (!THC_keepsMemory() && status == cudaSuccess)
      status = free_kept();
  }
  pthread_mutex_unlock(&mutex);
  THCudaCheck(status);
}

THAllocator THCCachingHostAllocator = {.malloc = host_malloc, .free = host_free};

cudaError_t THCCachingHostAllocator_recordEvent(void *ptr, THCStream *stream)
{
  pthread_mutex_lock(&mutex);
  Pinned *block = (Pinned *)THCTable_find(&blocks, ptr);
  cudaError_t status = cudaSuccess;
  if (block && block->used) {
    status = THCPending_add(&pending, stream->stream, stream->device, block);
    if (status == cudaSuccess)
      block->pending++;
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

void THCCachingHostAllocator_emptyCache(void)
{
  pthread_mutex_lock(&mutex);
  cudaError_t status = THCPending_collect(&pending, 1, event_happened);
  if (status == cudaSuccess)
    status = free_kept();
  pthread_mutex_unlock(&mutex);
  THCudaCheck(status);
}
