/* The heap: blocks, their reuse, statistics, limits, threads, forks, the collector. */
#include "th_test.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "th_fail.h"

#ifdef TH_SANITIZED
enum { KEEPS = 0 };
#else
enum { KEEPS = 1 };
#endif

enum { MB = 1 << 20 };

/* Around every size from which blocks are treated differently: classes, 32 KB, 256 KB, 2 MB. */
static const ptrdiff_t sizes[] = {
    1,      7,      8,      63,      64,     65,         100,         511,    1000,   1024,
    1025,   1281,   4096,   5000,    32768,  32769,      40960,       65536,  200000, 262143,
    262144, 262145, 300000, 1000000, 2 * MB, 2 * MB + 1, 3 * MB - 64, 5000001};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void fill(unsigned char *p, ptrdiff_t n, unsigned seed)
{
  for (ptrdiff_t i = 0; i < n; i += i < 256 || n - i < 256 ? 1 : 61)
    p[i] = (unsigned char)(seed + (unsigned)i * 31);
}

static void check_filled(const unsigned char *p, ptrdiff_t n, ptrdiff_t filled, unsigned seed)
{
  for (ptrdiff_t i = 0; i < n; i += i < 256 || filled - i < 256 ? 1 : 61)
    CHECK_EQ(p[i], (unsigned char)(seed + (unsigned)i * 31));
}

static void check_aligned(const void *p)
{
  CHECK(p != NULL);
  CHECK_EQ((uintptr_t)p % 64, 0);
}

/* --- blocks ------------------------------------------------------------------------------- */

static void blocks(void **state)
{
  for (int i = 0; i < SIZES; i++) {
    th_note("%td bytes", sizes[i]);
    unsigned char *several[3];
    for (int round = 0; round < 2; round++) { /* in the second, of kept blocks */
      for (int j = 0; j < 3; j++) {
        several[j] = THAlloc(sizes[i]);
        check_aligned(several[j]);
        fill(several[j], sizes[i], (unsigned)j);
      }
      for (int j = 0; j < 3; j++) {
        check_filled(several[j], sizes[i], sizes[i], (unsigned)j);
        THFree(several[j]);
      }
    }
  }
  CHECK(THAlloc(0) == NULL);
  THFree(NULL);
}

static void mixes_with_malloc(void **state)
{
  for (int i = 0; i < SIZES; i++) {
    th_note("%td bytes", sizes[i]);
    free(THAlloc(sizes[i]));

    unsigned char *ours = THAlloc(sizes[i]);
    fill(ours, sizes[i], 5);
    ours = realloc(ours, (size_t)sizes[i] + 10000);
    check_filled(ours, sizes[i], sizes[i], 5);
    THFree(ours);

    unsigned char *theirs = malloc((size_t)sizes[i]);
    fill(theirs, sizes[i], 9);
    THFree(theirs);
    THFree(calloc(1, (size_t)sizes[i]));
  }
}

static void realloc_keeps_contents(void **state)
{
  for (int from_malloc = 0; from_malloc < 2; from_malloc++)
    for (int i = 0; i < SIZES; i++)
      for (int j = 0; j < SIZES; j++) {
        th_note("%s's %td bytes become %td", from_malloc ? "malloc" : "TH", sizes[i], sizes[j]);
        unsigned char *p = from_malloc ? malloc((size_t)sizes[i]) : THAlloc(sizes[i]);
        fill(p, sizes[i], (unsigned)(i + j));
        p = THRealloc(p, sizes[j]);
        check_aligned(p);
        CHECK(malloc_usable_size(p) >= (size_t)sizes[j]);
        check_filled(p, THMin(sizes[i], sizes[j]), sizes[i], (unsigned)(i + j));
        fill(p, sizes[j], 77);
        THFree(p);
      }
  CHECK(THRealloc(THAlloc(100), 0) == NULL);
  void *p = THRealloc(NULL, 100);
  check_aligned(p);
  THFree(p);
}

/* Mappings of their own, which grow by moving pages. */
static void realloc_of_mappings(void **state)
{
  static const ptrdiff_t way[] = {48 * MB, 53 * MB, 100 * MB, 101 * MB, 60 * MB + 5, 40 * MB, 1000};
  unsigned char *p = THAlloc(way[0]);
  ptrdiff_t least = way[0];
  fill(p, way[0], 3);
  for (int i = 1; i < 7; i++) {
    th_note("to %td bytes", way[i]);
    p = THRealloc(p, way[i]);
    check_aligned(p);
    least = THMin(least, way[i]);
    p[way[i] - 1] = p[way[i] - 1]; /* the last byte can be written */
    check_filled(p, least, way[0], 3);
  }
  THFree(p);
}

/* A tensor that grows by little and little moves some dozens of times, not a thousand. */
static void realloc_leaves_room(void **state)
{
  if (!KEEPS)
    skip();
  int moves = 0;
  char *p = THAlloc(100000);
  for (ptrdiff_t size = 100000; size < 500000; size += 400) {
    char *q = THRealloc(p, size);
    moves += q != p;
    p = q;
  }
  THFree(p);
  CHECK_MSG(moves < 40, "%d moves", moves);
}

static void bad_sizes(void **state)
{
  void *p = THAlloc(300);
  CHECK_RAISES(0, "cannot allocate -1 bytes", THAlloc(-1));
  CHECK_RAISES(0, "cannot allocate -5 bytes", THRealloc(p, -5));
  CHECK_RAISES(0, "cannot allocate -5 bytes", THRealloc(NULL, -5));
#ifndef TH_SANITIZED /* which would stop the program */
  CHECK_RAISES(0, "out of memory", THAlloc(PTRDIFF_MAX));
  CHECK_RAISES(0, "out of memory", THAlloc(PTRDIFF_MAX - 4096));
  fill(p, 300, 1);
  CHECK_RAISES(0, "out of memory", THRealloc(p, PTRDIFF_MAX));
  check_filled(p, 300, 300, 1);
  void *large = THAlloc(50 * MB);
  fill(large, 1000, 2);
  CHECK_RAISES(0, "out of memory", THRealloc(large, PTRDIFF_MAX));
  check_filled(large, 1000, 1000, 2);
  THFree(large);
#endif
  THFree(p);
}

/* --- what is kept ------------------------------------------------------------------------- */

static void reuses_large_blocks(void **state)
{
  if (!KEEPS)
    skip();
  THMemory_emptyCache();
  const THMemoryStats before = THMemory_stats();
  CHECK_EQ(before.cached, 0);

  void *p = THAlloc(8 * MB);
  CHECK_EQ((uintptr_t)p % (2 * MB), 0);
  THMemoryStats now = THMemory_stats();
  CHECK_EQ(now.made, before.made + 1);
  CHECK(now.inUse >= before.inUse + 8 * MB && now.inUse < before.inUse + 9 * MB);
  CHECK(now.peak >= now.inUse);
  THFree(p);
  now = THMemory_stats();
  CHECK_EQ(now.inUse, before.inUse);
  CHECK(now.cached >= 8 * MB);

  void *smaller = THAlloc(6 * MB); /* too much would be wasted */
  CHECK(smaller != p);
  void *larger = THAlloc(9 * MB);
  CHECK(larger != p);
  CHECK_EQ(THMemory_stats().reused, before.reused);
  void *again = THAlloc(8 * MB - 300000);
  CHECK(again == p);
  CHECK_EQ(THMemory_stats().reused, before.reused + 1);
  CHECK_EQ(THMemory_stats().cached, 0);
  THFree(smaller);
  THFree(larger);
  THFree(again);
  CHECK_EQ(THMemory_stats().inUse, before.inUse);
  THMemory_emptyCache();
  CHECK_EQ(THMemory_stats().cached, 0);
}

/* Blocks between small ones and large ones are kept too, but not counted as in use. */
static void keeps_medium_blocks(void **state)
{
  if (!KEEPS)
    skip();
  THMemory_emptyCache();
  const THMemoryStats before = THMemory_stats();
  void *p = THAlloc(40000), *q = THAlloc(100000);
  CHECK_EQ(THMemory_stats().inUse, before.inUse);
  THFree(p);
  THFree(q);
  CHECK(THMemory_stats().cached >= 140000 && THMemory_stats().cached < 142000);
  CHECK(THAlloc(99000) == q);
  CHECK(THAlloc(39000) == p);
  CHECK_EQ(THMemory_stats().cached, 0);
  CHECK_EQ(THMemory_stats().reused, before.reused);
  THFree(p);
  THFree(q);
  THMemory_emptyCache();
}

static void oldest_goes_first(void **state)
{
  if (!KEEPS)
    skip();
  const ptrdiff_t limit = THMemory_cacheLimit();
  THMemory_emptyCache();
  THMemory_setCacheLimit(22 * MB);
  CHECK_EQ(THMemory_cacheLimit(), 22 * MB);
  void *first = THAlloc(10 * MB), *second = THAlloc(8 * MB), *third = THAlloc(6 * MB);
  void *huge = THAlloc(30 * MB);
  THFree(first);
  THFree(second);
  THFree(huge); /* does not fit, so nothing makes room for it */
  CHECK(THMemory_stats().cached >= 18 * MB);
  THFree(third); /* second and third remain */
  const ptrdiff_t cached = THMemory_stats().cached;
  CHECK(cached >= 14 * MB && cached < 18 * MB);
  const int64_t reused = THMemory_stats().reused;
  second = THAlloc(8 * MB);
  third = THAlloc(6 * MB);
  CHECK_EQ(THMemory_stats().reused, reused + 2);
  THFree(second);
  THFree(third);
  THMemory_setCacheLimit(7 * MB);
  CHECK(THMemory_stats().cached >= 6 * MB && THMemory_stats().cached <= 7 * MB);
  THMemory_setCacheLimit(0);
  CHECK_EQ(THMemory_stats().cached, 0);
  CHECK_RAISES(1, "-1", THMemory_setCacheLimit(-1));
  THMemory_setCacheLimit(limit);
}

static void many_sizes_stay_within_the_limit(void **state)
{
  const ptrdiff_t limit = THMemory_cacheLimit();
  const ptrdiff_t inUse = THMemory_stats().inUse;
  THMemory_setCacheLimit(64 * MB);
  for (int i = 0; i < 600; i++) {
    void *p = THAlloc(300000 + 123457 * (ptrdiff_t)(i % 300));
    THFree(p);
    CHECK(THMemory_stats().cached <= 64 * MB);
  }
  CHECK(THMemory_stats().cached <= 64 * MB);
  CHECK_EQ(THMemory_stats().inUse, inUse);

  /* Many blocks, few bytes: their number has a limit too. */
  enum { BLOCKS = 700 };
  static void *block[BLOCKS];
  THMemory_setCacheLimit(512 * MB);
  for (int i = 0; i < BLOCKS; i++)
    block[i] = THAlloc(262144);
  for (int i = 0; i < BLOCKS; i++)
    THFree(block[i]);
  CHECK(THMemory_stats().cached < 256 * (ptrdiff_t)300000);
  CHECK(!KEEPS || THMemory_stats().cached >= 256 * (ptrdiff_t)262144);
  CHECK_EQ(THMemory_stats().inUse, inUse);
  THMemory_setCacheLimit(limit);
}

/* A thread keeps less than 1 MB of small blocks. */
static void few_small_blocks_are_kept(void **state)
{
  if (!KEEPS)
    skip();
  enum { BLOCKS = 1000 };
  static void *block[BLOCKS];
  THMemory_emptyCache();
  const struct mallinfo2 before = mallinfo2();
  for (ptrdiff_t size = 64; size <= 32768; size += size < 1024 ? 64 : size / 4) {
    for (int i = 0; i < BLOCKS; i++)
      block[i] = THAlloc(size);
    for (int i = 0; i < BLOCKS; i++)
      THFree(block[i]);
  }
  const struct mallinfo2 after = mallinfo2();
  const size_t kept = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
  CHECK_MSG(kept > 100000 && kept < MB, "%zu bytes are kept", kept);
}

/* Where nothing is kept, a block ends where what was asked for ends, so that checkers of memory see
 * what is written behind it. */
static void blocks_are_exact_where_none_are_kept(void **state)
{
  if (!KEEPS)
    skip();
  const ptrdiff_t limit = THMemory_cacheLimit();
  THMemory_emptyCache();
  THMemory_setCacheLimit(0);
  for (ptrdiff_t size = 1032; size < 32000; size = 2 * size - 8) { /* just above a class */
    void *block = THAlloc(size);
    CHECK_EQ((uintptr_t)block % 64, 0);
    CHECK_MSG(malloc_usable_size(block) < (size_t)size + 64, "%zu bytes for %td",
              malloc_usable_size(block), size);
    THFree(block);
  }
  THMemory_setCacheLimit(limit);
}

/* --- the environment: this program runs itself ---------------------------------------------- */

static long long limit_with(const char *setting)
{
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv("TH_CACHE_BYTES", setting, 1);
    dup2(ends[1], 1);
    execl("/proc/self/exe", "memory", "--print-limit", (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  char text[64] = "";
  ssize_t got = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  int status;
  waitpid(child, &status, 0);
  CHECK(got > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return atoll(text);
}

static void environment(void **state)
{
  CHECK_EQ(limit_with("12345678"), 12345678);
  CHECK_EQ(limit_with("0"), 0);
  CHECK_EQ(limit_with("3k"), 3072);
  CHECK_EQ(limit_with("70M"), 73400320);
  CHECK_EQ(limit_with("2G"), 2147483648);
  CHECK_EQ(limit_with("99999999999999999G"), PTRDIFF_MAX);
  const int64_t usual = limit_with("nonsense");
  CHECK(usual > 0 && usual <= (ptrdiff_t)2048 * MB);
  CHECK_EQ(limit_with("-4"), usual);
  CHECK_EQ(limit_with("4X"), usual);
  CHECK_EQ(limit_with("4MB"), usual);
  CHECK_EQ(limit_with(""), usual);
}

/* --- threads and forks -------------------------------------------------------------------- */

enum { THREADS = 4, SLOTS = 16, ROUNDS = 3000 };
static unsigned char *slot[SLOTS]; /* blocks wander from thread to thread */

static void *wander(void *seed)
{
  th_random random = {(uintptr_t)seed};
  for (int i = 0; i < ROUNDS; i++) {
    const ptrdiff_t size = th_random_below(&random, 20) == 0 ? 262144 + th_random_below(&random, MB)
                                                             : 16 + th_random_below(&random, 5000);
    unsigned char *p = THAlloc(size);
    memset(p, (int)(size & 0xff), 16);
    p[0] = (unsigned char)i;
    memset(p + 1, p[0], 15);
    p = __atomic_exchange_n(&slot[th_random_below(&random, SLOTS)], p, __ATOMIC_ACQ_REL);
    if (p)
      for (int j = 1; j < 16; j++)
        if (p[j] != p[0])
          abort();
    THFree(p);
  }
  return NULL;
}

static void start(pthread_t *threads)
{
  for (uintptr_t i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, wander, (void *)(i + 1)) == 0);
}

static void finish(pthread_t *threads)
{
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < SLOTS; i++) {
    THFree(slot[i]);
    slot[i] = NULL;
  }
}

static void threads(void **state)
{
  pthread_t thread[THREADS];
  start(thread); /* the first time something may be made that stays */
  finish(thread);
  THMemory_emptyCache();
  const int live = th_fail_live();
  const ptrdiff_t inUse = THMemory_stats().inUse;
  start(thread);
  finish(thread);
  THMemory_emptyCache();
  CHECK_EQ(THMemory_stats().inUse, inUse);
  CHECK_EQ(th_fail_live(), live); /* threads gave back what they kept */
}

static int stopping;

/* Holds the cache's lock most of the time. */
static void *hammer(void *unused)
{
  while (!__atomic_load_n(&stopping, __ATOMIC_RELAXED))
    THFree(THAlloc(262144));
  return unused;
}

static void forks(void **state)
{
  if (!KEEPS) /* the sanitizer's own malloc may leave a lock behind */
    skip();
  pthread_t thread[THREADS], hammering;
  start(thread);
  stopping = 0;
  CHECK(pthread_create(&hammering, NULL, hammer, NULL) == 0);
  for (int i = 0; i < 20; i++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20); /* instead of hanging */
      for (int j = 0; j < 10; j++)
        for (int k = 0; k < SIZES; k++)
          THFree(THAlloc(sizes[k]));
      THMemory_emptyCache();
      raise(SIGUSR1); /* not by exit: checkers would miss the threads that only the parent has */
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1, "the child ended with status %#x",
              status);
  }
  __atomic_store_n(&stopping, 1, __ATOMIC_RELAXED);
  pthread_join(hammering, NULL);
  finish(thread);
}

/* --- when there is no memory ---------------------------------------------------------------- */

static void alloc_body(void *context)
{
  THFree(THAlloc(*(ptrdiff_t *)context));
}

static void failing_alloc(void **state)
{
  for (int i = 0; i < SIZES; i++) {
    ptrdiff_t size = sizes[i];
    th_note("%td bytes", size);
    CHECK(th_fail_each(alloc_body, &size) >= 1);
  }
}

typedef struct {
  ptrdiff_t before, after;
  unsigned char *block;
} Change;

static void change_setup(void *context)
{
  Change *change = context;
  change->block = THAlloc(change->before);
  fill(change->block, change->before, 11);
}

static void change_body(void *context)
{
  Change *change = context;
  change->block = THRealloc(change->block, change->after);
}

static void change_check(void *context, int raised)
{
  Change *change = context;
  CHECK(!raised || change->after > change->before);
  check_filled(change->block, raised ? change->before : THMin(change->before, change->after),
               change->before, 11);
}

static void change_teardown(void *context)
{
  THFree(((Change *)context)->block);
}

static void failing_realloc(void **state)
{
  const THFailCase stages = {change_setup, change_body, change_check, change_teardown};
  static const ptrdiff_t way[] = {100, 1000, 50000, 300000, 5 * MB, 48 * MB};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      Change change = {way[i], way[j], NULL};
      th_note("%td bytes become %td", way[i], way[j]);
      th_fail(&stages, &change);
    }
}

/* The cache is given up before an allocation fails. */
static void cache_makes_room(void *context)
{
  THFree(THAlloc(9 * MB));
  const ptrdiff_t kept = THMemory_stats().cached;
  THTry attempt;
  TH_TRY(attempt)
  {
    THFree(THAlloc(PTRDIFF_MAX - 4096));
  }
  CHECK(attempt.failed);
  CHECK(!KEEPS || kept >= 9 * MB);
  CHECK_EQ(THMemory_stats().cached, 0);
}

static void out_of_memory(void **state)
{
#ifdef TH_SANITIZED
  (void)cache_makes_room;
  skip();
#else
  cache_makes_room(NULL);
#endif
}

/* --- the collector -------------------------------------------------------------------------- */

enum { HELD = 64 };

typedef struct {
  int calls;
  int depth;
  int raise;
  pthread_t thread;
  void *held[HELD];
} Host;

static void release_held(Host *host)
{
  for (int i = 0; i < HELD; i++) {
    THFree(host->held[i]);
    host->held[i] = NULL;
  }
}

static void collect(void *data)
{
  Host *host = data;
  CHECK_EQ(host->depth, 0); /* its own allocations do not call it again */
  CHECK(pthread_equal(pthread_self(), host->thread));
  host->depth++;
  host->calls++;
  void *p = THAlloc(600 * (ptrdiff_t)MB);
  release_held(host);
  THFree(p);
  host->depth--;
  if (host->raise)
    THError("the host is unwell");
}

static void collector_runs_when_the_heap_grows(void **state)
{
  THMemory_emptyCache();
  Host host = {.thread = pthread_self()};
  THSetGCHandler(collect, &host);
  for (int i = 0; i < 1000; i++) { /* no growth */
    THFree(THAlloc(4 * MB));
    THFree(THAlloc(1000));
  }
  CHECK_EQ(host.calls, 0);
  for (int i = 0; i < 20; i++) /* 200 MB */
    host.held[i] = THAlloc(10 * MB);
  CHECK_EQ(host.calls, 0);
  for (int i = 20; i < 40; i++)
    host.held[i] = THAlloc(10 * MB);
  CHECK_EQ(host.calls, 1);
  release_held(&host);

  /* What cannot be collected moves the mark at which it is tried again. */
  void *rooted[40];
  for (int i = 0; i < 40; i++)
    rooted[i] = THAlloc(10 * MB);
  CHECK_EQ(host.calls, 2); /* at 260 MB; the mark is 390 MB now */
  void *more = THAlloc(MB);
  CHECK_EQ(host.calls, 3); /* at 400 MB; now 600 */
  for (int i = 0; i < 15; i++)
    host.held[i] = THAlloc(10 * MB);
  CHECK_EQ(host.calls, 3);
  for (int i = 0; i < 40; i++)
    THFree(rooted[i]);
  THFree(more);
  release_held(&host);
  THSetGCHandler(NULL, NULL);
  host.calls = 0;
  for (int i = 0; i < 40; i++)
    host.held[i] = THAlloc(10 * MB);
  CHECK_EQ(host.calls, 0);
  release_held(&host);
}

static void heap_update(void **state)
{
  Host host = {.thread = pthread_self()};
  THHeapUpdate(PTRDIFF_MAX / 2); /* nobody counts */
  THSetGCHandler(collect, &host);
  for (int i = 0; i < 1000; i++) {
    THHeapUpdate(100 * MB);
    THHeapUpdate(-100 * MB);
  }
  CHECK_EQ(host.calls, 0);
  THHeapUpdate(200 * MB);
  CHECK_EQ(host.calls, 0);
  THHeapUpdate(100 * MB);
  CHECK_EQ(host.calls, 1); /* at 300 MB; now 450 */
  THHeapUpdate(100 * MB);
  CHECK_EQ(host.calls, 1);
  THHeapUpdate(-400 * MB);
  THSetGCHandler(NULL, NULL);
}

static void collector_may_raise(void **state)
{
  Host host = {.thread = pthread_self(), .raise = 1};
  THSetGCHandler(collect, &host);
  CHECK_RAISES(0, "the host is unwell", THHeapUpdate(300 * MB));
  host.depth = 0;
  CHECK_EQ(host.calls, 1);
  host.raise = 0;
  THHeapUpdate(300 * MB);
  CHECK_EQ(host.calls, 2); /* the handler that raised is not taken to be running still */
  THHeapUpdate(-600 * MB);
  THSetGCHandler(NULL, NULL);
}

static void collector_runs_when_memory_is_out(void **state)
{
#ifdef TH_SANITIZED
  skip();
#endif
  Host host = {.thread = pthread_self()};
  THSetGCHandler(collect, &host);
  CHECK_RAISES(0, "out of memory", THAlloc(PTRDIFF_MAX - 4096));
  CHECK_EQ(host.calls, 1);
  THSetGCHandler(NULL, NULL);
}

static void *allocate_elsewhere(void *data)
{
  Host *host = data;
  for (int i = 0; i < HELD; i++)
    host->held[i] = THAlloc(10 * MB);
  return NULL;
}

static void collector_belongs_to_its_thread(void **state)
{
  Host host = {.thread = pthread_self()};
  THSetGCHandler(collect, &host);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, allocate_elsewhere, &host) == 0);
  pthread_join(thread, NULL);
  CHECK_EQ(host.calls, 0);
  THFree(THAlloc(10)); /* but the other thread's memory counts */
  CHECK_EQ(host.calls, 1);
  THSetGCHandler(NULL, NULL);
}

static void collector_counts_realloc(void **state)
{
  Host host = {.thread = pthread_self()};
  THSetGCHandler(collect, &host);
  void *p = THRealloc(THAlloc(48 * MB), 400 * MB); /* its pages move */
  CHECK_EQ(host.calls, 0);
  THFree(THAlloc(10));
  CHECK_EQ(host.calls, 1); /* at 400 MB; now 600 */
  p = THRealloc(p, 40 * MB);
  void *more = THAlloc(500 * (ptrdiff_t)MB);
  THFree(THAlloc(10));
  CHECK_EQ(host.calls, 1);
  THFree(p);
  THFree(more);

  p = THRealloc(THAlloc(20 * MB), 25 * MB);
  for (int i = 0; i < 30; i++) { /* these are moved */
    p = THRealloc(p, 1000);
    p = THRealloc(p, 25 * MB);
  }
  THFree(p);
  CHECK_EQ(host.calls, 1);
  THSetGCHandler(NULL, NULL);
}

static void *allocate_a_little(void *unused)
{
  return THAlloc(900000);
}

/* What a thread had not told the others counts when it has ended. */
static void collector_counts_threads_that_ended(void **state)
{
  enum { BLOCKS = 400 };
  static void *block[BLOCKS];
  Host host = {.thread = pthread_self()};
  THSetGCHandler(collect, &host);
  for (int i = 0; i < BLOCKS; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, allocate_a_little, NULL) == 0);
    pthread_join(thread, &block[i]);
  }
  THFree(THAlloc(10));
  CHECK_EQ(host.calls, 1);
  for (int i = 0; i < BLOCKS; i++)
    THFree(block[i]);
  THSetGCHandler(NULL, NULL);
}

int main(int argc, char **argv)
{
  if (argc > 1 && !strcmp(argv[1], "--print-limit")) {
    printf("%td\n", THMemory_cacheLimit());
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks),
      cmocka_unit_test(mixes_with_malloc),
      cmocka_unit_test(realloc_keeps_contents),
      cmocka_unit_test(realloc_of_mappings),
      cmocka_unit_test(realloc_leaves_room),
      cmocka_unit_test(bad_sizes),
      cmocka_unit_test(reuses_large_blocks),
      cmocka_unit_test(keeps_medium_blocks),
      cmocka_unit_test(oldest_goes_first),
      cmocka_unit_test(many_sizes_stay_within_the_limit),
      cmocka_unit_test(few_small_blocks_are_kept),
      cmocka_unit_test(blocks_are_exact_where_none_are_kept),
      cmocka_unit_test(environment),
      cmocka_unit_test(threads),
      cmocka_unit_test(forks),
      cmocka_unit_test(failing_alloc),
      cmocka_unit_test(failing_realloc),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(collector_runs_when_the_heap_grows),
      cmocka_unit_test(heap_update),
      cmocka_unit_test(collector_may_raise),
      cmocka_unit_test(collector_runs_when_memory_is_out),
      cmocka_unit_test(collector_belongs_to_its_thread),
      cmocka_unit_test(collector_counts_realloc),
      cmocka_unit_test(collector_counts_threads_that_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
