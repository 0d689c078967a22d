/* Random permutations, by one thread or two. */
#include "THTemplate.h"
#include "THKernel.h"

#include <sched.h>

#include "THRandomSource.h"
#include "TH/tensor/THTensorCore.h"

/* Each number is exchanged with one of those from it on, which the next word picks. */
typedef struct Permutation {
  THGenerator *generator;
  real *r;
  int64_t step, n;
  /* the numbers, with 32 bits, of which caches hold more; NULL: they are exchanged in r */
  uint32_t *order;

  /* A second thread finds partners for later numbers, up to CHUNK_BUFFERS chunks ahead, and writes
   * finished chunks to r; without a second thread, the first does so. */
  uint32_t (*partners)[RANDOM_CHUNK]; /* NULL: there is one thread */
  ptrdiff_t chunks;

  /* Counts of chunks, each in a cache line of its own, which mostly one thread writes. */
  _Alignas(TH_STREAM_LINE) pthread_mutex_t finding;
  ptrdiff_t found;
  _Alignas(TH_STREAM_LINE) ptrdiff_t exchanged;
  _Alignas(TH_STREAM_LINE) ptrdiff_t written;
} Permutation;

enum { CHUNK_BUFFERS = 256 }; /* chunks that there are buffers for */

static int64_t end_of_chunk(const Permutation *p, ptrdiff_t chunk)
{
  return THMin(p->n - 1, (chunk + 1) * RANDOM_CHUNK);
}

/* The distance from each number of a chunk to its partner. */
static void find_partners(const Permutation *p, ptrdiff_t chunk, uint32_t *partners)
{
  const ptrdiff_t count = (ptrdiff_t)(end_of_chunk(p, chunk) - chunk * RANDOM_CHUNK);
  const uint64_t rest = (uint64_t)(p->n - chunk * RANDOM_CHUNK);
  THRandom_rawWords(p->generator, partners, count);
  if (rest <= UINT32_MAX) {
    TH_DISPATCHED(THRandom_kernels)->shrinkingRemainders(partners, count, (uint32_t)rest);
    return;
  }
  /* 32 bits are enough for tensors of fewer than 2^32 elements. */
  TH_DISPATCHED(THRandom_kernels)->temper(partners, partners, count);
  for (ptrdiff_t k = 0; k < count; k++)
    partners[k] = (uint32_t)(partners[k] % (rest - (uint64_t)k));
}

static void number_all(const Permutation *p)
{
  const int64_t n = p->n, step = p->step;
  real *const r = p->r;
  if (p->order)
    TH_DISPATCHED(THRandom_kernels)->numbers(p->order, (uint32_t)n);
  else
    for (int64_t i = 0; i < n; i++)
      r[i * step] = (real)i;
}

/* Swaps count numbers, step apart from at on, with their partners. */
static void exchange_in_place(real *at, int64_t step, int64_t count, const uint32_t *partner)
{
#pragma GCC unroll 4
  for (int64_t k = 0; k < count; k++, at += step) {
    real *const other = at + partner[k] * step, kept = *at;
    *at = *other;
    *other = kept;
  }
}

/* Swaps count numbers of 32 bits, from at on, with their partners.  r: where the numbers at at, which are then final,
 * are written, step apart; NULL: they stay in the array. */
static inline __attribute__((always_inline)) void exchange_order(uint32_t *at, int64_t count,
                                                                 const uint32_t *partner, real *r,
                                                                 int64_t step)
{
#pragma GCC unroll 4
  for (int64_t k = 0; k < count; k++, at++) {
    uint32_t *const other = at + partner[k], kept = *at;
    if (r)
      r[k * step] = (real)*other;
    else
      *at = *other;
    *other = kept;
  }
}

/* A single thread writes exchanged numbers to r at once. */
static void exchange(const Permutation *p, ptrdiff_t chunk, const uint32_t *partner)
{
  const int64_t step = p->step, begin = chunk * RANDOM_CHUNK;
  const int64_t count = end_of_chunk(p, chunk) - begin;
  if (!p->order)
    exchange_in_place(p->r + begin * step, step, count, partner);
  else if (p->partners)
    exchange_order(p->order + begin, count, partner, NULL, 0);
  else
    exchange_order(p->order + begin, count, partner, p->r + begin * step, step);
}

static void permute_alone(const Permutation *p)
{
  uint32_t partners[RANDOM_CHUNK];
  number_all(p);
  for (ptrdiff_t chunk = 0; chunk < p->chunks; chunk++) {
    find_partners(p, chunk, partners);
    exchange(p, chunk, partners);
  }
}

/* Whether a count of chunks is more than chunk.  Reading the count takes its cache line from the
 * thread that writes it, so the count seen last is used while it suffices. */
static int is_past(const ptrdiff_t *count, ptrdiff_t *seen, ptrdiff_t chunk)
{
  if (*seen <= chunk)
    *seen = __atomic_load_n(count, __ATOMIC_ACQUIRE);
  return *seen > chunk;
}

static int has_buffer(const Permutation *p, ptrdiff_t chunk, ptrdiff_t *exchanged)
{
  return chunk < p->chunks &&
         (chunk < CHUNK_BUFFERS || is_past(&p->exchanged, exchanged, chunk - CHUNK_BUFFERS));
}

/* Finds the partners of the next chunk, if there is one and a free buffer. */
static int find_next(Permutation *p, ptrdiff_t *exchanged)
{
  if (!has_buffer(p, __atomic_load_n(&p->found, __ATOMIC_RELAXED), exchanged))
    return 0;
  lock_awake(&p->finding);
  const ptrdiff_t chunk = p->found;
  const int finds = has_buffer(p, chunk, exchanged);
  if (finds) {
    find_partners(p, chunk, p->partners[chunk % CHUNK_BUFFERS]);
    __atomic_store_n(&p->found, chunk + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&p->finding);
  return finds;
}

/* Writes the next exchanged chunk, if there is one that the other thread does not write. */
static int write_next(Permutation *p, ptrdiff_t *exchanged)
{
  ptrdiff_t chunk = __atomic_load_n(&p->written, __ATOMIC_RELAXED);
  if (!p->order || chunk >= p->chunks || !is_past(&p->exchanged, exchanged, chunk) ||
      !__atomic_compare_exchange_n(&p->written, &chunk, chunk + 1, 0, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return 0;
  const int64_t begin = chunk * RANDOM_CHUNK, end = end_of_chunk(p, chunk), step = p->step;
  const uint32_t *const order = p->order;
  real *const r = p->r;
  for (int64_t i = begin; i < end; i++)
    r[i * step] = (real)order[i];
  return 1;
}

static void permute_first(Permutation *p)
{
  number_all(p);
  ptrdiff_t found = 0, exchanged = 0;
  for (ptrdiff_t chunk = 0; chunk < p->chunks; chunk++) {
    while (!is_past(&p->found, &found, chunk))
      find_next(p, &exchanged);
    exchange(p, chunk, p->partners[chunk % CHUNK_BUFFERS]);
    __atomic_store_n(&p->exchanged, chunk + 1, __ATOMIC_RELEASE);
  }
  while (p->order && __atomic_load_n(&p->written, __ATOMIC_RELAXED) < p->chunks)
    write_next(p, &exchanged); /* unless the other thread was faster */
}

static void help_to_permute(Permutation *p)
{
  ptrdiff_t exchanged = 0;
  for (int tries = 0;; tries++)
    if (find_next(p, &exchanged) || write_next(p, &exchanged))
      tries = 0;
    else if (is_past(&p->exchanged, &exchanged, p->chunks - 1))
      return;
    else if (tries < LOCK_TRIES)
      pause_shortly();
    else
      sched_yield();
}

static void permute_parallel(void *permutation, ptrdiff_t begin, ptrdiff_t end)
{
  (void)end;
  if (begin == 0)
    permute_first(permutation);
  else
    help_to_permute(permutation);
}

void THTensor_(randperm)(THTensor *r_, THGenerator *_generator, int64_t n)
{
  THArgCheck(n >= 1 && (uint64_t)n <= COUNTABLE, 3, "n is %lld, not in 1 ... %llu", (long long)n,
             (unsigned long long)COUNTABLE);
  THRandom_check(_generator, 2);
  THGuard scratch, lock;
  THGuard_enter(&scratch, THFree);
  Permutation p = {
      .generator = _generator, .n = n, .chunks = (n - 1 + RANDOM_CHUNK - 1) / RANDOM_CHUNK};
  const int ordered = sizeof(real) > sizeof *p.order && n <= UINT32_MAX;
  const int isParallel = THParallel_threads((ptrdiff_t)n, RANDOM_TURN) > 1;
  const ptrdiff_t ahead =
      isParallel ? THMin(CHUNK_BUFFERS, p.chunks) * (ptrdiff_t)sizeof *p.partners : 0;
  if (ordered || isParallel)
    scratch.what = THAlloc(ahead + (ordered ? (ptrdiff_t)n * (ptrdiff_t)sizeof *p.order : 0));
  if (ordered)
    p.order = (uint32_t *)((char *)scratch.what + ahead);
  if (isParallel)
    p.partners = scratch.what;
  THShape shape;
  THStandIn standIn;
  THShape_openAs(&shape, 1, &n, (int64_t[]){1});
  r_ = THTensor_(openStandIn)(&standIn, r_, &shape, -1, 1);
  THTensor_(resize1d)(r_, n);
  p.r = THTensor_(data)(r_);
  p.step = r_->stride[0];
  THRandom_lock(&lock, _generator, 2);
  if (isParallel) {
    pthread_mutex_init(&p.finding, NULL);
    THParallel_for(2, 1, permute_parallel, &p);
    pthread_mutex_destroy(&p.finding);
  } else {
    permute_alone(&p);
  }
  if (ordered)
    p.r[(n - 1) * p.step] = (real)p.order[n - 1];
  THGuard_leave(&lock);
  THTensor_(closeStandIn)(&standIn);
  THShape_close(&shape);
  THGuard_leave(&scratch);
}
