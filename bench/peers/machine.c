/* The machine's limits, in the lines of th_torch: allocation, calls, bandwidth by level of memory,
 * arithmetic.  The last field is a rate, in 1e9 bytes or operations a second, or 0. */
#define _GNU_SOURCE
#include "machine.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../limits.h"
#include "../timing.h"
#include "TH/TH.h"
#include "peaks.h"

static int threads;
static double budget;

static void put(const char *id, const char *size, double seconds, double rate)
{
  printf("machine\t%s\t%s\t%d\t0\tmachine\t%.6g\t%.4g\n", id, size, threads, seconds, rate);
  fflush(stdout);
}

/* --- allocation and calls -------------------------------------------------------------------- */

static size_t bytes;
static char *kept;

static void allocate(void *unused)
{
  void *volatile p = malloc(bytes);
  free(p);
}

static void allocate_aligned(void *unused)
{
  void *p;
  if (!posix_memalign(&p, 64, bytes)) {
    void *volatile q = p;
    free(q);
  }
}

static void allocate_and_write(void *unused)
{
  char *volatile p = malloc(bytes);
  memset(p, 1, bytes);
  free(p);
}

static void map_huge_and_write(void *unused)
{
  char *p =
      mmap(NULL, bytes + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    abort();
  madvise(p, bytes + (2 << 20), MADV_HUGEPAGE);
  memset(p, 1, bytes);
  munmap(p, bytes + (2 << 20));
}

static void write_kept(void *unused)
{
  memset(kept, 1, bytes);
  __asm__ volatile("" ::"r"(kept) : "memory");
}

static void add_locked(void *unused)
{
  static long count;
  __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
}

static void read_clock(void *unused)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
}

/* Calls that wait for each other: each takes what the last one returned. */
enum { CALLS = 4096 };

typedef long (*Step)(long);

__attribute__((noinline)) static long step_1(long x)
{
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

__attribute__((noinline)) static long step_2(long x)
{
  __asm__ volatile("" : "+r"(x));
  return x + 2;
}

static Step steps[CALLS]; /* one of the two, by chance */
static volatile long last_step;

static void call(void *unused)
{
  long x = 0;
  for (int i = 0; i < CALLS; i++)
    x = step_1(x);
  last_step = x;
}

static void call_through_pointer(void *unused)
{
  static Step volatile step = step_1;
  long x = 0;
  for (int i = 0; i < CALLS; i++)
    x = step(x);
  last_step = x;
}

static void call_one_of_two(void *unused)
{
  long x = 0;
  for (int i = 0; i < CALLS; i++)
    x = steps[i](x);
  last_step = x;
}

static void parallel_region(void *unused)
{
#pragma omp parallel num_threads(threads)
  __asm__ volatile("" ::: "memory");
}

static void small(void)
{
  static const struct {
    const char *name;
    size_t bytes;
  } sizes[] = {{"64B", 64}, {"4KB", 4096}, {"1MB", 1 << 20}, {"40MB", 40 << 20}};
  char id[64];
  for (int i = 0; i < 4; i++) {
    bytes = sizes[i].bytes;
    snprintf(id, sizeof id, "malloc.%s", sizes[i].name);
    put(id, sizes[i].name, bench_time(allocate, NULL, budget), 0);
    snprintf(id, sizeof id, "memalign64.%s", sizes[i].name);
    put(id, sizes[i].name, bench_time(allocate_aligned, NULL, budget), 0);
  }
  bytes = 1 << 20;
  put("malloc.1MB.touch", "1MB", bench_time(allocate_and_write, NULL, budget), 0);
  bytes = 40000000;
  put("malloc.40MB.touch", "40MB", bench_time(allocate_and_write, NULL, budget), 0);
  put("mmap.40MB.thp", "40MB", bench_time(map_huge_and_write, NULL, budget), 0);
  kept = malloc(bytes);
  put("memset.40MB.reuse", "40MB", bench_time(write_kept, NULL, budget), 0);
  free(kept);
  unsigned chance = 12345;
  for (int i = 0; i < CALLS; i++) {
    chance = chance * 1664525u + 1013904223u;
    steps[i] = chance >> 31 ? step_1 : step_2;
  }
  put("call.direct", "1", bench_time(call, NULL, budget) / CALLS, 0);
  put("call.indirect", "1", bench_time(call_through_pointer, NULL, budget) / CALLS, 0);
  put("call.indirect.random", "1", bench_time(call_one_of_two, NULL, budget) / CALLS, 0);
  put("clock_gettime", "1", bench_time(read_clock, NULL, budget), 0);
  put("atomic.inc", "1", bench_time(add_locked, NULL, budget), 0);
}

/* --- bandwidth ------------------------------------------------------------------------------- */

typedef float line_t __attribute__((vector_size(64), aligned(64)));

typedef struct Loop {
  ptrdiff_t n; /* floats for each thread, a multiple of 128 */
  int repeats; /* so that starting the threads costs little */
  float *r, *x, *y;
} Loop;

/* The calling thread's part of the memory. */
typedef struct Part {
  ptrdiff_t n;
  line_t *r;
  const line_t *x, *y;
} Part;

static Part part_of_thread(const Loop *loop)
{
  const ptrdiff_t begin = loop->n * omp_get_thread_num();
  return (Part){loop->n, (line_t *)(loop->r + begin), (const line_t *)(loop->x + begin),
                (const line_t *)(loop->y + begin)};
}

/* Repeats the code on each thread, which sees its part p. */
#define EACH_THREAD(...)                                              \
  const Loop *loop = context;                                         \
  _Pragma("omp parallel num_threads(threads)")                        \
  {                                                                   \
    const Part p = part_of_thread(loop);                              \
    for (int repeat = 0; repeat < loop->repeats; repeat++) {          \
      __VA_ARGS__                                                     \
      __asm__ volatile("" ::"r"(p.r), "r"(p.x), "r"(p.y) : "memory"); \
    }                                                                 \
  }

static void read_loop(void *context)
{
  EACH_THREAD({
    line_t sum[8] = {{0}};
    for (ptrdiff_t i = 0; i < p.n / 16; i += 8)
      for (int k = 0; k < 8; k++)
        sum[k] += p.x[i + k];
    for (int k = 0; k < 8; k++)
      __asm__ volatile("" ::"m"(sum[k]));
  })
}

static void fill_loop(void *context)
{
  EACH_THREAD({
    const line_t one = (line_t){0} + 1;
    for (ptrdiff_t i = 0; i < p.n / 16; i++)
      p.r[i] = one;
  })
}

static void copy_loop(void *context)
{
  EACH_THREAD({
    for (ptrdiff_t i = 0; i < p.n / 16; i++)
      p.r[i] = p.x[i];
  })
}

static void triad_loop(void *context)
{
  EACH_THREAD({
    for (ptrdiff_t i = 0; i < p.n / 16; i++)
      p.r[i] = p.x[i] + 1.5f * p.y[i];
  })
}

static void memcpy_loop(void *context)
{
  EACH_THREAD(memcpy(p.r, p.x, (size_t)p.n * sizeof(float));)
}

static void fill_around(void *context)
{
  const Loop *loop = context;
  limit_fill(loop->r, loop->n * threads, 1);
}

static void copy_around(void *context)
{
  const Loop *loop = context;
  limit_copy(loop->r, loop->x, loop->n * threads, 1);
}

static void add_around(void *context)
{
  const Loop *loop = context;
  limit_add(loop->r, loop->x, loop->y, loop->n * threads, 1);
}

static void bandwidth(void)
{
  static const struct {
    const char *name;
    ptrdiff_t bytes; /* of an array */
    int shared;      /* among threads; else each has as many */
  } levels[] = {{"L1", 12 << 10, 0},
                {"L2", 256 << 10, 0},
                {"L3", 4 << 20, 1},
                {"1e7", 40 << 20, 1},
                {"DRAM", 512 << 20, 1}};
  static const struct {
    const char *name;
    int arrays;
    BenchBody body;
    int around;
  } loops[] = {{"read", 1, read_loop, 0},      {"fill", 1, fill_loop, 0},
               {"copy", 2, copy_loop, 0},      {"triad", 3, triad_loop, 0},
               {"memcpy", 2, memcpy_loop, 0},  {"fill_nt", 1, fill_around, 1},
               {"copy_nt", 2, copy_around, 1}, {"triad_nt", 3, add_around, 1}};
  char id[64], size[64];
  for (int l = 0; l < 5; l++) {
    const ptrdiff_t each = levels[l].bytes / (levels[l].shared ? threads : 1) / 512 * 128;
    const size_t whole = (size_t)(each * threads) * sizeof(float);
    Loop loop = {each, l == 0 ? 64 : 1, aligned_alloc(64, whole), aligned_alloc(64, whole),
                 aligned_alloc(64, whole)};
    fill_loop(&loop);
    memcpy(loop.x, loop.r, whole);
    memcpy(loop.y, loop.r, whole);
    snprintf(size, sizeof size, "%zu KiB an array", whole >> 10);
    for (int k = 0; k < 8; k++) {
      if (loops[k].around && l < 2)
        continue;
      const double moved = (double)whole * loops[k].arrays * (loops[k].around ? 1 : loop.repeats);
      const double seconds = bench_time(loops[k].body, &loop, budget);
      snprintf(id, sizeof id, "bw.%s.%s", loops[k].name, levels[l].name);
      put(id, size, seconds, moved / seconds / 1e9);
    }
    free(loop.r);
    free(loop.x);
    free(loop.y);
  }
}

static void multiply_and_add(void *unused)
{
  limit_flops();
}

static void copy_on_all(void *context)
{
  const Loop *loop = context;
  limit_copy(loop->r, loop->x, loop->n, 0);
}

/* How much faster the machine itself is on these threads than on one of them, in turn: its
 * processors need not be whole ones. */
static void scaling(const char *id, BenchBody body, void *context)
{
  enum { TURNS = 7 };
  double ratios[TURNS];
  for (int turn = 0; turn < TURNS; turn++) {
    THSetNumThreads(1);
    const double operations = body == multiply_and_add ? limit_flops() : 1;
    const double alone = bench_time(body, context, budget / 2) / operations;
    THSetNumThreads(threads);
    const double all = body == multiply_and_add ? limit_flops() : 1;
    ratios[turn] = alone / (bench_time(body, context, budget / 2) / all);
  }
  const double ratio = bench_median(ratios, TURNS);
  char size[64];
  snprintf(size, sizeof size, "%.2f times as fast as on one", ratio);
  put(id, size, 0, 0);
}

static void scalings(void)
{
  const ptrdiff_t n = 10000000;
  float *memory = aligned_alloc(64, 2 * (size_t)n * sizeof(float));
  Loop loop = {n, 1, memory, memory + n, NULL};
  limit_fill(memory, 2 * n, 0);
  scaling("scaling.fma", multiply_and_add, NULL);
  scaling("scaling.copy.1e7", copy_on_all, &loop);
  loop.n = 100000;
  scaling("scaling.copy.1e5", copy_on_all, &loop);
  free(memory);
}

void machine_limits(int threads_, double budget_)
{
  threads = threads_;
  budget = budget_;
  if (threads == 1)
    small();
  else {
    put("omp.region", "threads", bench_time(parallel_region, NULL, budget), 0);
    scalings();
  }
  bandwidth();
  arithmetic_peaks(threads, budget, put);
}
