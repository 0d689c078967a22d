/* Device memory that is kept: segments from the driver, cut into blocks, in one pool for each
 * device, stream and kind of size. */
#define _GNU_SOURCE /* secure_getenv */
#include "THC/core/THCPrivate.h"

#include "THCCachingHostAllocator.h"
#include "THC/core/THCTable.h"

enum {
  ROUND = 512,                /* sizes and addresses of blocks are multiples of it */
  SMALL = 1 << 20,            /* the largest small block */
  SMALL_SEGMENT = 2 << 20,    /* what small blocks are cut from */
  MIDDLE = 10 << 20,          /* blocks of this size or larger have segments of their own */
  MIDDLE_SEGMENT = 20 << 20,  /* what blocks between SMALL and MIDDLE are cut from */
  LARGE_ROUND = 2 << 20,      /* sizes of other segments are multiples of it */
  STEPS = 8,                  /* bins from a power of 2 to the next */
  BINS = (64 - 9) * STEPS + 8 /* 9: the logarithm of ROUND */
};

typedef struct Block {
  THCEntry entry;            /* in the table of blocks in use, by address */
  size_t size;               /* bytes of the block */
  size_t asked;              /* bytes of it that are counted as in use */
  struct Block *prev, *next; /* neighbours in the segment */
  struct Block *fore, *back; /* in its bin, while it is free */
  struct Pool *pool;         /* NULL: not kept */
  int device;
  cudaStream_t stream;
  int pending;       /* events that have to happen before its next use */
  THCStream **users; /* other streams that use it */
  int usersCount;
} Block;

typedef struct Pool {
  int small;
  cudaStream_t stream;
  Block *bins[BINS];
  uint64_t filled[BINS / 64 + 1]; /* which bins hold a block */
  ptrdiff_t segments;             /* of which it has blocks, free or in use */
  int gone;                       /* no stream takes from it: what is free is given back */
  struct Pool *next;
} Pool;

typedef struct Device {
  Pool *pools;
  uint64_t allocated, mostAllocated, cached, mostCached;
} Device;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;
static THCTable used;   /* all blocks that are handed out, or pending */
static Device *devices; /* as many as there are */
static int devicesCount;
static int emptied; /* whether a pool may have no segment left */
static THCPending pending;
static struct Held {
  cudaStream_t stream;
  struct Held *next;
} *held;                 /* streams whose memory stays theirs */
static int caching = -1; /* not asked yet; for pinned memory too */

/* --- bins: lists of blocks of nearly one size ----------------------------------------------- */

/* Sizes from a power of 2 to the next are cut into STEPS. */
static int bin_of(size_t size)
{
  const uint64_t units = size / ROUND;
  const int log = 63 - __builtin_clzll(units);
  if (log < 3)
    return (int)units; /* 1 ... 7 units have bins of their own */
  return STEPS * (log - 2) + (int)(units >> (log - 3) & (STEPS - 1));
}

static void put_in_bin(Block *block)
{
  Pool *pool = block->pool;
  const int bin = bin_of(block->size);
  block->back = NULL;
  block->fore = pool->bins[bin];
  if (block->fore)
    block->fore->back = block;
  pool->bins[bin] = block;
  pool->filled[bin / 64] |= UINT64_C(1) << bin % 64;
}

static void take_from_bin(Block *block)
{
  Pool *pool = block->pool;
  const int bin = bin_of(block->size);
  if (block->fore)
    block->fore->back = block->back;
  if (block->back)
    block->back->fore = block->fore;
  else
    pool->bins[bin] = block->fore;
  if (!pool->bins[bin])
    pool->filled[bin / 64] &= ~(UINT64_C(1) << bin % 64);
}

/* A block of the size's own bin may be smaller than the size; blocks of later bins are not. */
static Block *find(Pool *pool, size_t size)
{
  int bin = bin_of(size);
  for (Block *block = pool->bins[bin]; block; block = block->fore)
    if (block->size >= size)
      return block;
  for (bin++; bin < BINS; bin = (bin / 64 + 1) * 64) {
    const uint64_t rest = pool->filled[bin / 64] >> bin % 64;
    if (rest)
      return pool->bins[bin + __builtin_ctzll(rest)];
  }
  return NULL;
}

/* --- devices and pools ---------------------------------------------------------------------- */

static cudaError_t find_devices(void)
{
  int count;
  if (devices)
    return cudaSuccess;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess)
    return status;
  devices = calloc((size_t)count, sizeof *devices);
  devicesCount = devices ? count : 0;
  return devices ? cudaSuccess : cudaErrorMemoryAllocation;
}

static Pool *pool_for(Device *device, cudaStream_t stream, int small)
{
  for (Pool *pool = device->pools; pool; pool = pool->next)
    if (pool->stream == stream && pool->small == small) {
      pool->gone = 0; /* a new stream has the address of an old one */
      return pool;
    }
  Pool *pool = calloc(1, sizeof *pool);
  if (!pool)
    return NULL;
  pool->small = small;
  pool->stream = stream;
  pool->next = device->pools;
  device->pools = pool;
  return pool;
}

static void count_bytes(uint64_t *now, uint64_t *most, int64_t bytes)
{
  *now += (uint64_t)bytes;
  *most = THMax(*most, *now);
}

static void count_use(const Block *block, int sign)
{
  Device *device = &devices[block->device];
  count_bytes(&device->allocated, &device->mostAllocated, sign * (int64_t)block->asked);
}

static void count_segment(const Block *block, int sign)
{
  Device *device = &devices[block->device];
  count_bytes(&device->cached, &device->mostCached, sign * (int64_t)block->size);
}

/* --- memory of graphs ----------------------------------------------------------------------- */

static int is_held(cudaStream_t stream)
{
  const struct Held *entry = held;
  while (entry && entry->stream != stream)
    entry = entry->next;
  return entry != NULL;
}

/* Whether the stream's memory is kept when it is not in use. */
static int keeps(cudaStream_t stream)
{
  return THC_keepsMemory() || is_held(stream);
}

/* --- freeing -------------------------------------------------------------------------------- */

static cudaError_t free_segment(Block *block)
{
  pthread_mutex_lock(&free_mutex);
  const cudaError_t status = cudaFree(block->entry.key);
  pthread_mutex_unlock(&free_mutex);
  if (status != cudaSuccess)
    return status;
  count_segment(block, -1);
  if (block->pool && --block->pool->segments == 0)
    emptied = 1;
  free(block);
  return cudaSuccess;
}

/* Frees pools without segments: those of streams that are gone would stay for ever. */
static void drop_pools(void)
{
  for (int d = 0; d < devicesCount && emptied; d++)
    for (Pool **at = &devices[d].pools, *pool = *at; pool; pool = *at)
      if (pool->segments == 0) {
        *at = pool->next;
        free(pool);
      } else {
        at = &pool->next;
      }
  emptied = 0;
}

/* Merges the free neighbour into the block. */
static void merge(Block *block, Block *neighbour)
{
  take_from_bin(neighbour);
  if (neighbour == block->prev) {
    block->entry.key = neighbour->entry.key;
    block->prev = neighbour->prev;
    if (block->prev)
      block->prev->next = block;
  } else {
    block->next = neighbour->next;
    if (block->next)
      block->next->prev = block;
  }
  block->size += neighbour->size;
  free(neighbour);
}

static int is_free(const Block *block)
{
  return block && !block->entry.listed;
}

/* No stream uses the block any longer. */
static cudaError_t release(Block *block)
{
  THCTable_remove(&used, &block->entry);
  if (!block->pool)
    return free_segment(block);
  if (is_free(block->prev))
    merge(block, block->prev);
  if (is_free(block->next))
    merge(block, block->next);
  if (!block->prev && !block->next && (block->pool->gone || !keeps(block->stream)))
    return free_segment(block);
  put_in_bin(block);
  return cudaSuccess;
}

static void event_happened(void *what)
{
  Block *block = what;
  if (--block->pending == 0)
    release(block);
}

/* Gives back the segments of the pool of which no block is in use. */
static cudaError_t free_pool(Pool *pool)
{
  for (int bin = 0; bin < BINS; bin++)
    for (Block *block = pool->bins[bin], *after; block; block = after) {
      after = block->fore;
      if (block->prev || block->next || is_held(pool->stream))
        continue;
      take_from_bin(block);
      const cudaError_t status = free_segment(block);
      if (status != cudaSuccess) {
        put_in_bin(block);
        return status;
      }
    }
  return cudaSuccess;
}

/* Gives back what is free of the stream's memory now, and the rest when it is free. */
static void give_back(const THCStream *stream)
{
  const int known = stream->device < devicesCount;
  for (Pool *pool = known ? devices[stream->device].pools : NULL; pool; pool = pool->next) {
    if (pool->stream != stream->stream)
      continue;
    pool->gone = 1;
    if (free_pool(pool) != cudaSuccess)
      cudaGetLastError();
  }
}

/* The segments of a device (-1: of all). */
static cudaError_t free_cached(int device)
{
  cudaError_t status = cudaSuccess;
  for (int d = 0; d < devicesCount; d++)
    for (Pool *pool = devices[d].pools; pool && (device < 0 || device == d); pool = pool->next)
      if (status == cudaSuccess)
        status = free_pool(pool);
  return status;
}

/* --- allocating ----------------------------------------------------------------------------- */

/* If the driver has no memory left, the kept segments are returned to it before a second try. */
static cudaError_t new_segment(int device, size_t size, void **ptr)
{
  cudaError_t status = cudaMalloc(ptr, size);
  if (status != cudaErrorMemoryAllocation)
    return status;
  cudaGetLastError();
  status = THCPending_collect(&pending, 1, event_happened);
  if (status == cudaSuccess)
    status = free_cached(device);
  if (status == cudaSuccess)
    status = cudaMalloc(ptr, size);
  if (status == cudaErrorMemoryAllocation)
    cudaGetLastError();
  return status;
}

static size_t segment_size(size_t size)
{
  if (size <= SMALL)
    return SMALL_SEGMENT;
  if (size < MIDDLE)
    return MIDDLE_SEGMENT;
  return (size + LARGE_ROUND - 1) / LARGE_ROUND * LARGE_ROUND;
}

/* Takes a block of at least this size out of its bin, or makes a segment. */
static cudaError_t obtain(int device, cudaStream_t stream, size_t size, int keep, Block **result)
{
  Pool *pool = keep ? pool_for(&devices[device], stream, size <= SMALL) : NULL;
  if (keep && !pool)
    return cudaErrorMemoryAllocation;
  Block *block = keep ? find(pool, size) : NULL;
  if (block) {
    take_from_bin(block);
  } else {
    block = malloc(sizeof *block);
    if (!block) {
      emptied = 1;
      return cudaErrorMemoryAllocation;
    }
    *block = (Block){
        .size = keep ? segment_size(size) : size, .pool = pool, .device = device, .stream = stream};
    const cudaError_t status = new_segment(device, block->size, &block->entry.key);
    if (status != cudaSuccess) {
      free(block);
      emptied = 1;
      return status;
    }
    count_segment(block, 1);
    if (pool)
      pool->segments++;
  }
  *result = block;
  return cudaSuccess;
}

/* Splits the block: memory behind the first `size` bytes becomes a free block. */
static void split(Block *block, size_t size)
{
  const size_t rest = block->size - size;
  if (rest < (size_t)ROUND || (!block->pool->small && rest <= SMALL))
    return;
  Block *behind = malloc(sizeof *behind);
  if (!behind)
    return; /* then it stays whole */
  *behind = (Block){.size = rest,
                    .prev = block,
                    .next = block->next,
                    .pool = block->pool,
                    .device = block->device,
                    .stream = block->stream};
  behind->entry.key = (char *)block->entry.key + size;
  if (behind->next)
    behind->next->prev = behind;
  block->next = behind;
  block->size = size;
  put_in_bin(behind);
}

static cudaError_t allocate_locked(void **ptr, size_t size, cudaStream_t stream)
{
  int device;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = find_devices();
  if (status == cudaSuccess)
    status = THCPending_collect(&pending, 0, event_happened);
  if (status != cudaSuccess)
    return status;
  if (size > PTRDIFF_MAX - LARGE_ROUND || !THCTable_reserve(&used))
    return cudaErrorMemoryAllocation;

  Block *block;
  const int keep = keeps(stream);
  const size_t rounded = keep ? (size + ROUND - 1) / ROUND * ROUND : size;
  status = obtain(device, stream, rounded, keep, &block);
  if (status != cudaSuccess)
    return status;
  if (block->pool)
    split(block, rounded);
  block->asked = block->size;
  THCTable_add(&used, &block->entry);
  count_use(block, 1);
  *ptr = block->entry.key;
  return cudaSuccess;
}

static cudaError_t cache_malloc(void *ctx, void **ptr, size_t size, cudaStream_t stream)
{
  *ptr = NULL;
  if (size == 0)
    return cudaSuccess;
  pthread_mutex_lock(&mutex);
  const cudaError_t status = allocate_locked(ptr, size, stream);
  drop_pools();
  pthread_mutex_unlock(&mutex);
  return status;
}

/* --- the end of a block's use --------------------------------------------------------------- */

/* A block that is not kept waits for its users here: the driver only knows its own queues. */
static cudaError_t free_locked(Block *block)
{
  cudaError_t status = cudaSuccess;
  for (int i = 0; i < block->usersCount; i++) {
    THCStream *stream = block->users[i];
    cudaError_t problem = block->pool
                              ? THCPending_add(&pending, stream->stream, stream->device, block)
                              : cudaErrorNotSupported;
    if (problem == cudaSuccess)
      block->pending++;
    else
      problem = cudaStreamSynchronize(stream->stream);
    if (problem != cudaSuccess)
      status = problem;
    THCStream_free(stream);
  }
  free(block->users);
  block->users = NULL;
  block->usersCount = 0;
  count_use(block, -1);
  if (block->pending == 0) {
    const cudaError_t problem = release(block);
    if (status == cudaSuccess)
      status = problem;
  }
  return status;
}

static Block *block_at(void *ptr)
{
  return (Block *)THCTable_find(&used, ptr);
}

static cudaError_t cache_free(void *ctx, void *ptr)
{
  if (!ptr)
    return cudaSuccess;
  pthread_mutex_lock(&mutex);
  Block *block = block_at(ptr);
  const cudaError_t status =
      block && !block->pending ? free_locked(block) : cudaErrorInvalidDevicePointer;
  drop_pools();
  pthread_mutex_unlock(&mutex);
  return status;
}

static cudaError_t cache_emptyCache(void *ctx)
{
  pthread_mutex_lock(&mutex);
  cudaError_t status = THCPending_collect(&pending, 1, event_happened);
  if (status == cudaSuccess)
    status = free_cached(-1);
  drop_pools();
  pthread_mutex_unlock(&mutex);
  return status;
}

static cudaError_t cache_cacheInfo(void *ctx, int dev, size_t *cachedBytes, size_t *largestBlock)
{
  *cachedBytes = *largestBlock = 0;
  pthread_mutex_lock(&mutex);
  const cudaError_t status = find_devices();
  const int known = status == cudaSuccess && dev >= 0 && dev < devicesCount;
  for (Pool *pool = known ? devices[dev].pools : NULL; pool; pool = pool->next)
    for (int bin = 0; bin < BINS; bin++)
      for (Block *block = pool->bins[bin]; block; block = block->fore) {
        *cachedBytes += block->size;
        *largestBlock = THMax(*largestBlock, block->size);
      }
  pthread_mutex_unlock(&mutex);
  return status == cudaSuccess && !known ? cudaErrorInvalidDevice : status;
}

static THCDeviceAllocator allocator = {
    .malloc = cache_malloc,
    .free = cache_free,
    .emptyCache = cache_emptyCache,
    .cacheInfo = cache_cacheInfo,
};

THCDeviceAllocator *THCCachingAllocator_get(void)
{
  return &allocator;
}

/* --- what else is asked of it --------------------------------------------------------------- */

static int kept_by_default(void)
{
  const char *wish = secure_getenv("THC_CACHING_ALLOCATOR");
  if (wish && *wish)
    return strcmp(wish, "0") != 0;
#ifdef TH_SANITIZED
  return 0;
#else
  return 1;
#endif
}

int THC_keepsMemory(void)
{
  int known = __atomic_load_n(&caching, __ATOMIC_RELAXED);
  if (known < 0) {
    known = kept_by_default();
    __atomic_store_n(&caching, known, __ATOMIC_RELAXED);
  }
  return known;
}

int THCCachingAllocator_setCaching(int on)
{
  const int before = THC_keepsMemory();
  __atomic_store_n(&caching, on != 0, __ATOMIC_RELAXED);
  if (!on) {
    THCudaCheck(cache_emptyCache(NULL));
    THCCachingHostAllocator_emptyCache();
  }
  return before;
}

/* Locks until the guard is left, or an error is raised. */
static Block *lock_block_at(THGuard *guard, void *ptr)
{
  THC_lock(guard, &mutex);
  Block *block = block_at(ptr);
  THArgCheck(block, 1, "%p is not the address of a block of the caching allocator", ptr);
  return block;
}

void *THCCachingAllocator_getBaseAllocation(void *ptr, size_t *size)
{
  THGuard guard;
  Block *block = lock_block_at(&guard, ptr);
  while (block->prev)
    block = block->prev;
  void *base = block->entry.key;
  size_t bytes = 0;
  for (; block; block = block->next)
    bytes += block->size;
  THGuard_leave(&guard);
  if (size)
    *size = bytes;
  return base;
}

void THCCachingAllocator_recordStream(void *ptr, THCStream *stream)
{
  if (!ptr)
    return;
  THArgCheck(stream, 2, "stream is NULL");
  THGuard guard;
  Block *block = lock_block_at(&guard, ptr);
  int known = block->stream == stream->stream && block->device == stream->device;
  for (int i = 0; i < block->usersCount && !known; i++)
    known = block->users[i]->stream == stream->stream && block->users[i]->device == stream->device;
  if (!known) {
    const size_t bytes = sizeof *block->users * (size_t)(block->usersCount + 1);
    THCStream **users = realloc(block->users, bytes);
    if (!users)
      THError("there is no memory for %zu bytes", bytes);
    block->users = users;
    users[block->usersCount++] = stream;
    THCStream_retain(stream);
  }
  THGuard_leave(&guard);
}

pthread_mutex_t *THCCachingAllocator_getCudaFreeMutex(void)
{
  return &free_mutex;
}

static uint64_t statistic(int device, size_t field)
{
  THGuard guard;
  THC_lock(&guard, &mutex);
  THCudaCheck(find_devices());
  THArgCheck(device >= 0 && device < devicesCount, 1, "there is no device %d: there are %d", device,
             devicesCount);
  const uint64_t value = *(uint64_t *)((char *)&devices[device] + field);
  THGuard_leave(&guard);
  return value;
}

uint64_t THCCachingAllocator_currentMemoryAllocated(int device)
{
  return statistic(device, offsetof(Device, allocated));
}

uint64_t THCCachingAllocator_maxMemoryAllocated(int device)
{
  return statistic(device, offsetof(Device, mostAllocated));
}

uint64_t THCCachingAllocator_currentMemoryCached(int device)
{
  return statistic(device, offsetof(Device, cached));
}

uint64_t THCCachingAllocator_maxMemoryCached(int device)
{
  return statistic(device, offsetof(Device, mostCached));
}

void THC_holdMemory(THCStream *stream, int holds)
{
  struct Held *made = holds ? THAlloc(sizeof *made) : NULL;
  pthread_mutex_lock(&mutex);
  if (made) {
    *made = (struct Held){stream->stream, held};
    held = made;
  } else {
    struct Held **at = &held;
    while (*at && (*at)->stream != stream->stream)
      at = &(*at)->next;
    if ((made = *at))
      *at = made->next;
    THFree(made);
    give_back(stream);
    drop_pools();
  }
  pthread_mutex_unlock(&mutex);
}
