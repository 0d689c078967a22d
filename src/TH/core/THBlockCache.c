/* Freed blocks that are kept for reuse. */
#define _GNU_SOURCE /* secure_getenv */
#include "THBlockCache.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_BLOCKS = 256, CLOSE = 64 };

typedef struct {
  void *block;
  size_t bytes;
} Kept;

/* Guards everything below.  Nothing is allocated, freed or raised while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static Kept kept[MOST_BLOCKS]; /* oldest first */
static int nkept;
static THMemoryStats stats;
ptrdiff_t THBlockCache_limit;

/* --- keeping ------------------------------------------------------------------------------ */

static void forget(int i)
{
  stats.cached -= (ptrdiff_t)kept[i].bytes;
  memmove(&kept[i], &kept[i + 1], (size_t)(--nkept - i) * sizeof kept[0]);
}

static ptrdiff_t large_part(size_t bytes)
{
  return bytes >= (size_t)TH_MEMORY_LARGE ? (ptrdiff_t)bytes : 0;
}

static void count_use(ptrdiff_t bytes)
{
  stats.inUse += bytes;
  if (stats.inUse > stats.peak)
    stats.peak = stats.inUse;
}

void *THBlockCache_take(size_t size)
{
  size_t best_bytes = size + size / 8 + 1;
  int best = -1;
  void *block = NULL;

  pthread_mutex_lock(&lock);
  /* The newest of equal blocks, whose pages are in the caches. */
  for (int i = nkept - 1; i >= 0 && best_bytes > size + CLOSE; i--)
    if (kept[i].bytes >= size && kept[i].bytes < best_bytes) {
      best = i;
      best_bytes = kept[i].bytes;
    }
  if (best >= 0) {
    block = kept[best].block;
    forget(best);
    count_use(large_part(best_bytes));
    stats.reused += large_part(best_bytes) > 0;
  }
  pthread_mutex_unlock(&lock);
  return block;
}

/* Moves the oldest blocks to out until the rest and bytes more are within limit; returns how many.
 */
static int evict(Kept out[MOST_BLOCKS], size_t bytes, ptrdiff_t limit)
{
  int n = 0;
  while (n < nkept && (stats.cached + (ptrdiff_t)bytes > limit || nkept - n == MOST_BLOCKS)) {
    stats.cached -= (ptrdiff_t)kept[n].bytes;
    out[n] = kept[n];
    n++;
  }
  nkept -= n;
  memmove(kept, kept + n, (size_t)nkept * sizeof kept[0]);
  return n;
}

static void free_all(const Kept *blocks, int n)
{
  for (int i = 0; i < n; i++)
    free(blocks[i].block);
}

void THBlockCache_give(void *block, size_t bytes)
{
  Kept evicted[MOST_BLOCKS];
  int nevicted = 0;

  pthread_mutex_lock(&lock);
  count_use(-large_part(bytes));
  const int keep =
      TH_KEEPS_BLOCKS && THBlock_isAligned(block) && bytes <= (size_t)THBlockCache_limit;
  if (keep) {
    nevicted = evict(evicted, bytes, THBlockCache_limit);
    kept[nkept++] = (Kept){block, bytes};
    stats.cached += (ptrdiff_t)bytes;
  }
  pthread_mutex_unlock(&lock);

  free_all(evicted, nevicted);
  if (!keep)
    free(block);
}

void THBlockCache_empty(void)
{
  Kept evicted[MOST_BLOCKS];
  pthread_mutex_lock(&lock);
  const int n = evict(evicted, 0, 0);
  pthread_mutex_unlock(&lock);
  free_all(evicted, n);
}

/* --- counting ----------------------------------------------------------------------------- */

void THBlockCache_countMade(size_t bytes)
{
  pthread_mutex_lock(&lock);
  count_use((ptrdiff_t)bytes);
  stats.made++;
  pthread_mutex_unlock(&lock);
}

void THBlockCache_countResized(size_t before, size_t after)
{
  pthread_mutex_lock(&lock);
  count_use(large_part(after) - large_part(before));
  pthread_mutex_unlock(&lock);
}

THMemoryStats THMemory_stats(void)
{
  pthread_mutex_lock(&lock);
  const THMemoryStats now = stats;
  pthread_mutex_unlock(&lock);
  return now;
}

/* --- the limit ---------------------------------------------------------------------------- */

void THMemory_setCacheLimit(ptrdiff_t bytes)
{
  THArgCheck(bytes >= 0, 1, "the cache cannot keep %td bytes", bytes);
  Kept evicted[MOST_BLOCKS];
  pthread_mutex_lock(&lock);
  __atomic_store_n(&THBlockCache_limit, bytes, __ATOMIC_RELAXED);
  const int n = evict(evicted, 0, bytes);
  pthread_mutex_unlock(&lock);
  free_all(evicted, n);
}

ptrdiff_t THMemory_cacheLimit(void)
{
  return __atomic_load_n(&THBlockCache_limit, __ATOMIC_RELAXED);
}

/* The number in text, or -1 if it is none. */
static ptrdiff_t parse_bytes(const char *text)
{
  char *end;
  long long number = strtoll(text, &end, 10);
  if (end == text || number < 0)
    return -1;
  int shift = 0;
  if (*end) {
    static const char units[] = "KMG";
    const char *unit = strchr(units, *end & ~0x20); /* in upper case */
    if (!unit || end[1])
      return -1;
    shift = 10 * (int)(unit - units + 1);
  }
  return number <= PTRDIFF_MAX >> shift ? (ptrdiff_t)(number << shift) : PTRDIFF_MAX;
}

static ptrdiff_t initial_limit(void)
{
  const char *text = secure_getenv("TH_CACHE_BYTES");
  const ptrdiff_t asked = text ? parse_bytes(text) : -1;
  if (asked >= 0)
    return asked;
  /* A step of training makes again what the step before has freed: 600 MB for ResNet-18. */
  const ptrdiff_t most = (ptrdiff_t)2 << 30;
  const ptrdiff_t sixteenth = sysconf(_SC_PHYS_PAGES) / 16 * sysconf(_SC_PAGESIZE);
  return sixteenth > 0 && sixteenth < most ? sixteenth : most;
}

/* --- the library's life, and forks -------------------------------------------------------- */

/* A child must not inherit the lock from a thread that it does not have. */
static void before_fork(void)
{
  pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
  THBlockCache_limit = initial_limit();
  pthread_atfork(before_fork, after_fork, after_fork);
}

/* A program may unload the library and go on. */
__attribute__((destructor)) static void end(void)
{
  THMemory_setCacheLimit(0);
}
