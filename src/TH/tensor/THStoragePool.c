/* Blocks of memory for the storages of a run. */
#include "THStoragePool.h"

#include <malloc.h>
#include <pthread.h>

#include "TH/core/THBlockCache.h"
#include "THGeneral.h"

enum {
  POOLS = 64,  /* pools at a time, at most */
  SPANS = 256, /* storages in a block, at most */
  LINE = TH_BLOCK_ALIGNMENT
};

/* Bytes of the block that a storage has. */
typedef struct {
  size_t begin, end;
} Span;

struct THStoragePool {
  pthread_mutex_t lock; /* guards what follows, but isTaken and hasLock */
  char *block;          /* NULL if there is none */
  size_t bytes;         /* of the block */
  int isOpen;           /* between begin and end */
  int count;
  Span spans[SPANS]; /* by address */
  size_t live, peak; /* bytes of storages; those outside the block are counted while isOpen */
  int64_t missed;
  int isTaken, hasLock; /* guarded by the lock of all pools */
};

/* Pools are never freed: a storage without memory may still have an ended one as its context. */
static THStoragePool pools[POOLS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local THStoragePool *current __attribute__((tls_model("initial-exec")));

THStoragePool *THStoragePool_current(void)
{
  return current;
}

THStoragePool *THStoragePool_use(THStoragePool *pool)
{
  THStoragePool *const before = current;
  current = pool;
  return before;
}

/* --- beginning and ending --------------------------------------------------------------------- */

static THStoragePool *take_pool(void)
{
  THStoragePool *taken = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < POOLS && !taken; i++) {
    if (!pools[i].hasLock)
      pools[i].hasLock = pthread_mutex_init(&pools[i].lock, NULL) == 0;
    if (pools[i].hasLock && !pools[i].isTaken) {
      taken = &pools[i];
      taken->isTaken = 1;
    }
  }
  pthread_mutex_unlock(&lock);
  return taken;
}

/* Gives back a pool without storages and frees its block. */
static void give_pool(THStoragePool *pool, char *block)
{
  pthread_mutex_lock(&lock);
  pool->isTaken = 0;
  pthread_mutex_unlock(&lock);
  THFree(block);
}

THStoragePool *THStoragePool_begin(size_t bytes)
{
  THStoragePool *const pool = THBlockCache_isOn() ? take_pool() : NULL;
  if (!pool)
    return NULL;
  const size_t limit = (size_t)THMemory_cacheLimit();
  bytes = THMin(bytes, limit); /* a larger block would not be kept from run to run */
  char *const block = bytes > 0 ? THMemory_try((ptrdiff_t)bytes) : NULL;
  pthread_mutex_lock(&pool->lock);
  pool->block = block;
  pool->bytes = block ? bytes : 0;
  pool->isOpen = 1;
  pool->count = 0;
  pool->live = pool->peak = 0;
  pool->missed = 0;
  pthread_mutex_unlock(&pool->lock);
  return pool;
}

THStoragePoolCounts THStoragePool_end(THStoragePool *pool)
{
  if (!pool)
    return (THStoragePoolCounts){0};
  pthread_mutex_lock(&pool->lock);
  const THStoragePoolCounts counts = {pool->peak, pool->missed, pool->count};
  char *const block = pool->block;
  pool->isOpen = 0;
  if (counts.left == 0)
    pool->block = NULL;
  pthread_mutex_unlock(&pool->lock);
  if (counts.left == 0)
    give_pool(pool, block);
  return counts;
}

/* --- forks ------------------------------------------------------------------------------------ */

/* A child must not inherit a lock from a thread that it does not have.  Nobody waits for one of these locks
 * while holding another. */
static void before_fork(void)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < POOLS; i++)
    if (pools[i].hasLock)
      pthread_mutex_lock(&pools[i].lock);
}

static void after_fork(void)
{
  for (int i = 0; i < POOLS; i++)
    if (pools[i].hasLock)
      pthread_mutex_unlock(&pools[i].lock);
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
  pthread_atfork(before_fork, after_fork, after_fork);
}

/* --- gaps, under the pool's lock -------------------------------------------------------------- */

static void count_bytes(THStoragePool *pool, ptrdiff_t bytes)
{
  pool->live = bytes < 0 && (size_t)-bytes > pool->live ? 0 : pool->live + (size_t)bytes;
  pool->peak = THMax(pool->peak, pool->live);
}

/* Memory in the lowest gap of at least size bytes, or NULL. */
static char *take_gap(THStoragePool *pool, size_t size)
{
  const size_t bytes = (size + LINE - 1) / LINE * LINE;
  size_t begin = 0;
  int i = 0;
  while (i < pool->count && pool->spans[i].begin - begin < bytes)
    begin = pool->spans[i++].end;
  if (pool->count == SPANS || pool->bytes < begin || pool->bytes - begin < bytes)
    return NULL;
  memmove(&pool->spans[i + 1], &pool->spans[i], (size_t)(pool->count - i) * sizeof(Span));
  pool->spans[i] = (Span){begin, begin + bytes};
  pool->count++;
  count_bytes(pool, (ptrdiff_t)bytes);
  return pool->block + begin;
}

/* The index of the span at ptr, or -1 if it is not in the block. */
static int span_of(const THStoragePool *pool, const char *ptr)
{
  for (int i = 0; pool->block && i < pool->count; i++)
    if (pool->block + pool->spans[i].begin == ptr)
      return i;
  return -1;
}

/* --- the allocator ---------------------------------------------------------------------------- */

static void *pool_malloc(void *context, ptrdiff_t size)
{
  THStoragePool *const pool = context;
  const int isLarge = pool == current && size >= TH_BLOCK_KEPT;
  char *taken = NULL;
  if (isLarge) {
    pthread_mutex_lock(&pool->lock);
    taken = take_gap(pool, (size_t)size);
    pthread_mutex_unlock(&pool->lock);
  }
  if (taken)
    return taken;
  void *const block = THAlloc(size);
  if (isLarge) {
    pthread_mutex_lock(&pool->lock);
    count_bytes(pool, (ptrdiff_t)malloc_usable_size(block));
    pool->missed++;
    pthread_mutex_unlock(&pool->lock);
  }
  return block;
}

static void pool_free(void *context, void *ptr)
{
  THStoragePool *const pool = context;
  char *block = NULL;
  pthread_mutex_lock(&pool->lock);
  const int i = span_of(pool, ptr);
  if (i >= 0) {
    count_bytes(pool, (ptrdiff_t)(pool->spans[i].begin - pool->spans[i].end));
    pool->count--;
    memmove(&pool->spans[i], &pool->spans[i + 1], (size_t)(pool->count - i) * sizeof(Span));
  } else if (pool->isOpen && malloc_usable_size(ptr) >= TH_BLOCK_KEPT) {
    count_bytes(pool, -(ptrdiff_t)malloc_usable_size(ptr));
  }
  const int isLast = i >= 0 && !pool->isOpen && pool->count == 0;
  if (isLast) {
    block = pool->block;
    pool->block = NULL;
  }
  pthread_mutex_unlock(&pool->lock);
  if (isLast)
    give_pool(pool, block);
  else if (i < 0)
    THFree(ptr);
}

/* The bytes that the memory at ptr has in the block, or 0 if it is not there. */
static size_t bytes_in_block(THStoragePool *pool, const char *ptr)
{
  pthread_mutex_lock(&pool->lock);
  const int i = span_of(pool, ptr);
  const size_t bytes = i < 0 ? 0 : pool->spans[i].end - pool->spans[i].begin;
  pthread_mutex_unlock(&pool->lock);
  return bytes;
}

static void *pool_realloc(void *context, void *ptr, ptrdiff_t size)
{
  THStoragePool *const pool = context;
  if (!ptr)
    return size == 0 ? NULL : pool_malloc(context, size);
  const size_t before = bytes_in_block(pool, ptr);
  if (before == 0)
    return THRealloc(ptr, size);
  if (size > 0 && (size_t)size <= before && (size_t)size >= before / 2)
    return ptr;
  void *const moved = size == 0 ? NULL : pool_malloc(context, size);
  if (moved)
    memcpy(moved, ptr, THMin(before, (size_t)size));
  pool_free(context, ptr);
  return moved;
}

THAllocator THStoragePoolAllocator = {pool_malloc, pool_realloc, pool_free};
