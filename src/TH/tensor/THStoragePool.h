/* A storage pool: one block of memory for the storages that a thread makes during a run of a program.
 *
 *     THStoragePool *pool = THStoragePool_begin(bytes);      the block; may be NULL
 *     THStoragePool *before = THStoragePool_use(pool);
 *     ...                                                    storages are made, and freed in part
 *     THStoragePool_use(before);
 *     THStoragePoolCounts counts = THStoragePool_end(pool);  how many bytes the next run needs
 *
 * A storage takes the lowest gap of the block that it fits in.  The memory of a storage that was just
 * freed, which the caches hold, thus serves the next one whatever their sizes are; freed blocks
 * that THAlloc keeps serve only requests of about their size.  Storages that do not fit, or are
 * small, take memory from THAlloc.  A storage may outlive the run and be freed by any thread: the
 * block is freed with the last storage in it. */
#ifndef TH_STORAGE_POOL_H
#define TH_STORAGE_POOL_H

#include "THAllocator.h"

typedef struct THStoragePool THStoragePool;

typedef struct THStoragePoolCounts {
  size_t peak;    /* the most bytes that storages had at a time, in the block and elsewhere */
  int64_t missed; /* storages for which the block had no gap */
  int left;       /* storages that are still in the block */
} THStoragePoolCounts;

/* A pool with a block of so many bytes, which may be 0.  NULL, which the other functions take too, if TH
 * is to keep no freed memory (THMemory_setCacheLimit), or no pool is left. */
TH_API THStoragePool *THStoragePool_begin(size_t bytes);

/* Lets the storages that this thread makes from now on take memory from a pool, or from THAlloc if pool
 * is NULL.  Returns the pool before. */
TH_API THStoragePool *THStoragePool_use(THStoragePool *pool);

/* Ends a pool that no thread uses any more. */
TH_API THStoragePoolCounts THStoragePool_end(THStoragePool *pool);

/* The pool that this thread uses, or NULL. */
THStoragePool *THStoragePool_current(void);

/* The allocator of such storages; the context is a pool.  Where that is not the thread's current one, new
 * memory is THAlloc's. */
extern THAllocator THStoragePoolAllocator;

#endif
