/* Tensors of random numbers. */
#include "THTemplate.h"

#include <pthread.h>
#include <sched.h>

#include "TH/tensor/THConvert.h"
#include "THRandomDraw.h"
#include "TH/loop/THStream.h"
#include "TH/tensor/THTensorCore.h"
#include "TH/core/THScratch.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define REAL_IS_FLOATING
#endif

/* --- one distribution for all elements -------------------------------------------------------- */

/* Numbers are produced a chunk at a time: the numbers of two blocks of words, a multiple of 16. */
enum { CHUNK = 2 * _MERSENNE_STATE_N };

typedef struct Source Source;
struct Source {
  /* Draws the next n <= CHUNK numbers into out. */
  void (*produce)(Source *source, real *out, ptrdiff_t n);
  int words; /* words for each number; 0 if that is not known before */
  /* whether the last 16 numbers are drawn again if their number is no multiple of 16 */
  int again;
  double a, b;        /* parameters of the distribution, */
  int64_t base;       /* of random integers, */
  uint64_t range;     /* (0: 2^64) */
  uint64_t threshold; /* and of bernoulli */
  THGenerator *generator;
  ptrdiff_t total; /* elements of the tensor */
  ptrdiff_t rest;  /* elements not yet produced */
  real *buffer;    /* numbers that are produced and, from at on, not yet used */
  ptrdiff_t at, filled;
  const uint32_t *taken; /* words already taken from the generator, or NULL */
  uint32_t *drawn;       /* buffers of such words, for each thread, if threads produce in turns */
  ptrdiff_t turns;
};

/* The next count words, untempered: those already taken, or drawn into buffer. */
static const uint32_t *draw(Source *source, uint32_t *buffer, ptrdiff_t count)
{
  if (!source->taken) {
    THRandom_rawWords(source->generator, buffer, count);
    return buffer;
  }
  const uint32_t *words = source->taken;
  source->taken += count;
  return words;
}

/* The next count words, tempered. */
static void draw_words(Source *source, uint32_t *words, ptrdiff_t count)
{
  THRandom_kernels->temper(words, draw(source, words, count), count);
}

/* How many numbers to produce next.  The last chunk is never a short one behind others: the last 16
 * normal numbers are made together. */
static ptrdiff_t next_chunk(Source *source)
{
  ptrdiff_t n = THMin(source->rest, CHUNK);
  if (source->rest > n && source->rest - n < 16)
    n -= 16;
  source->rest -= n;
  return n;
}

/* --- in turns --- */

/* A turn is some chunks, whose words one thread takes from the generator under a lock.  It converts
 * them to numbers while the next thread takes words, which is the smaller part of the work.  Which
 * words become which numbers does not depend on the threads. */
enum { TURN = 16 * CHUNK };

typedef struct Turns {
  pthread_mutex_t lock;
  const Source *source;
  ptrdiff_t next; /* the first turn that no thread has taken */
  real *out;
  int streams;
} Turns;

/* The last turn is longer, so that none is short. */
static ptrdiff_t numbers_of_turn(const Source *source, ptrdiff_t turn)
{
  return turn + 1 < source->turns ? TURN : source->total - turn * TURN;
}

static ptrdiff_t words_of_turn(const Source *source, ptrdiff_t turn)
{
  const int again = turn + 1 == source->turns && source->again && source->total % 16;
  return source->words * (numbers_of_turn(source, turn) + (again ? 16 : 0));
}

/* How often a thread checks again before it sleeps. */
enum { TRIES = 2000 };

static void pause_shortly(void)
{
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/* Taking words is faster than sleeping and waking up, so that a thread spins first. */
static void lock_awake(pthread_mutex_t *lock)
{
  for (int i = 0; i < TRIES; i++) {
    if (pthread_mutex_trylock(lock) == 0)
      return;
    pause_shortly();
  }
  pthread_mutex_lock(lock);
}

/* Returns the next turn, with its words in buffer; the number of turns if there is none. */
static ptrdiff_t take_turn(Turns *turns, uint32_t *buffer)
{
  const Source *source = turns->source;
  lock_awake(&turns->lock);
  const ptrdiff_t turn = turns->next;
  if (turn < source->turns) {
    turns->next++;
    THRandom_rawWords(source->generator, buffer, words_of_turn(source, turn));
  }
  pthread_mutex_unlock(&turns->lock);
  return turn;
}

/* A result too large for the caches is written with non-temporal stores. */
static void take_turns(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  (void)end;
  Turns *turns = context;
  Source mine = *turns->source;
  uint32_t *drawn = mine.drawn + begin * words_of_turn(&mine, mine.turns - 1);
  TH_SCRATCH(real, buffer, CHUNK);
  for (ptrdiff_t turn; (turn = take_turn(turns, drawn)) < mine.turns;) {
    real *out = turns->out + turn * TURN;
    mine.rest = numbers_of_turn(&mine, turn);
    mine.taken = drawn;
    while (mine.rest > 0) {
      const ptrdiff_t n = next_chunk(&mine);
      mine.produce(&mine, turns->streams ? buffer : out, n);
      if (turns->streams)
        THStream_copy(out, buffer, (size_t)n * sizeof *out);
      out += n;
    }
  }
  if (turns->streams)
    THStream_finish();
}

/* Reserves memory for the words of each thread, if there are elements for several turns and they are
 * contiguous; enters the guard, which frees it. */
static void reserve_turns(Source *source, THTensor *self, THGuard *guard)
{
  THGuard_enter(guard, THFree);
  source->turns = source->total / TURN;
  if (source->words == 0 || source->turns < 2 || !THTensor_(isContiguous)(self)) {
    source->turns = 0;
    return;
  }
  const ptrdiff_t threads = THParallel_threads(source->turns, 1);
  const ptrdiff_t words = threads * words_of_turn(source, source->turns - 1);
  source->drawn = guard->what = THAlloc(words * (ptrdiff_t)sizeof(uint32_t));
}

/* --- in order --- */

/* Long contiguous rows are produced in place; others are filled from the buffer. */
static void emit(const THRun *run, const void *context)
{
  Source *source = *(Source *const *)context;
  const ptrdiff_t step = run->stride[0];
  if (source->turns > 0) { /* there is only one row */
    Turns turns = {.source = source, .out = (real *)run->at[0], .streams = run->streams};
    pthread_mutex_init(&turns.lock, NULL);
    THParallel_for(THParallel_threads(source->turns, 1), 1, take_turns, &turns);
    pthread_mutex_destroy(&turns.lock);
    return;
  }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    for (ptrdiff_t i = 0; i < run->n;) {
      if (source->at == source->filled) {
        const ptrdiff_t chunk = next_chunk(source);
        if (step == 1 && run->n - i >= chunk) {
          source->produce(source, r + i, chunk);
          i += chunk;
          continue;
        }
        source->produce(source, source->buffer, chunk);
        source->at = 0;
        source->filled = chunk;
      }
      const ptrdiff_t some = THMin(run->n - i, source->filled - source->at);
      const real *from = source->buffer + source->at;
      for (ptrdiff_t k = 0; k < some; k++)
        r[(i + k) * step] = from[k];
      source->at += some;
      i += some;
    }
  }
}

static void fill(THTensor *self, THGenerator *generator, const Source *distribution)
{
  real buffer[CHUNK];
  Source source = *distribution, *context = &source;
  source.generator = generator;
  source.total = source.rest = THTensor_(nElement)(self);
  source.buffer = buffer;
  source.at = source.filled = 0;

  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  loop.inOrder = 1; /* so that elements that share memory get the last number */
  THGuard scratch, lock;
  reserve_turns(&source, self, &scratch);
  THRandom_lock(&lock, generator, 2);
  THLoop_run(&loop, emit, &context);
  THGuard_leave(&lock);
  THGuard_leave(&scratch);
}

/* Pairs of words for n numbers, and as many doubles to compute in. */
typedef struct Work {
  uint32_t pairs[2 * CHUNK];
  double x[CHUNK];
} Work;

/* --- integers ------------------------------------------------------------------------------- */

/* The base plus the remainder of the next word by the range; of two words, where one is too small.
 * A range of 2^64 takes all bits. */
static void produce_integers(Source *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(uint32_t, words, 2 * CHUNK);
  const uint64_t range = source->range, mask = range - 1;
  const uint64_t base = range == 0 ? 0 : (uint64_t)source->base;
  if (source->words == 2) {
    draw_words(source, words, 2 * n);
    for (ptrdiff_t i = 0; i < n; i++) {
      const uint64_t word = (uint64_t)words[2 * i] << 32 | words[2 * i + 1];
      out[i] = (real)(int64_t)(base + (range & mask ? word % range : word & mask));
    }
    return;
  }
  const uint64_t most = range & mask ? UINT32_MAX : mask; /* the largest remainder, or above */
  draw_words(source, words, n);
  if (range & mask)
    THRandom_kernels->remainders(words, n, (uint32_t)range);
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (real)(int64_t)(base + (words[i] & most));
}

/* How many of the numbers 0, 1, 2 ... the type represents without a gap. */
#if defined(TH_REAL_IS_BYTE)
#define COUNTABLE (UINT64_C(1) << 8)
#elif defined(TH_REAL_IS_FLOAT)
#define COUNTABLE ((UINT64_C(1) << FLT_MANT_DIG) + 1)
#elif defined(TH_REAL_IS_DOUBLE)
#define COUNTABLE ((UINT64_C(1) << DBL_MANT_DIG) + 1)
#else
#define COUNTABLE (UINT64_C(1) << (8 * sizeof(real) - 1))
#endif

void THTensor_(random)(THTensor *self, THGenerator *_generator)
{
  const int words = COUNTABLE > UINT32_MAX ? 2 : 1;
  fill(self, _generator,
       &(Source){.produce = produce_integers, .words = words, .range = COUNTABLE});
}

void THTensor_(clampedRandom)(THTensor *self, THGenerator *_generator, int64_t min, int64_t max)
{
  THArgCheck(min <= max, 4, "max is %lld, less than min, which is %lld", (long long)max,
             (long long)min);
  const uint64_t range = (uint64_t)max - (uint64_t)min + 1, many = UINT64_C(1)
                                                                   << 28; /* PyTorch's */
  fill(self, _generator,
       &(Source){.produce = produce_integers,
                 .words = range == 0 || range >= many ? 2 : 1,
                 .base = min,
                 .range = range});
}

void THTensor_(cappedRandom)(THTensor *self, THGenerator *_generator, int64_t max)
{
  THArgCheck(max >= 1, 3, "max is %lld, not >= 1", (long long)max);
  THTensor_(clampedRandom)(self, _generator, 1, max);
}

/* ceil(x) for x >= 0, which without SSE4.1 would be a call. */
static inline double round_up(double x)
{
  const double whole = (x + 0x1p52) - 0x1p52;
  return x >= 0x1p52 ? x : whole + (whole < x);
}

/* Numbers of trials, each the logarithm of a uniform number by that of 1 - p, rounded up.  In
 * Torch7, p is the probability that the trials go on: the logarithm is divided by that of p. */
#ifdef TH_COMPAT_TORCH7
enum { GEOMETRIC_WORDS = 1 }; /* words for each number */
#else
enum { GEOMETRIC_WORDS = 2 };
#endif

static void produce_geometric(Source *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(Work, work, 1);
#ifdef TH_COMPAT_TORCH7 /* of 1 - u: if the quotient is an integer, one more */
  draw_words(source, work->pairs, n);
  for (ptrdiff_t i = 0; i < n; i++)
    work->x[i] = floor(log1p((double)work->pairs[i] * -0x1p-32) * source->a) + 1;
#else
  const uint32_t *pairs = draw(source, work->pairs, 2 * n);
  THRandom_kernels->logarithms(work->x, pairs, n, source->a, 0);
#endif
  for (ptrdiff_t i = 0; i < n; i++) {
    const double trials = round_up(work->x[i]);
#ifdef REAL_IS_FLOATING
    out[i] = (real)trials;
#else
    out[i] = (real)(int64_t)THMin(trials, 0x1p62);
#endif
  }
}

void THTensor_(geometric)(THTensor *self, THGenerator *_generator, double p)
{
  THArgCheck(p > 0 && p < 1, 3, "p is %g, not between 0 and 1", p);
#ifdef TH_COMPAT_TORCH7
  const double logarithm = log(p);
#else
  const double logarithm = log1p(-p);
#endif
  fill(self, _generator,
       &(Source){.produce = produce_geometric, .words = GEOMETRIC_WORDS, .a = 1.0 / logarithm});
}

/* --- bernoulli -------------------------------------------------------------------------------- */

static void produce_bernoulli(Source *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(uint32_t, pairs, 2 * CHUNK);
#if defined(TH_REAL_IS_FLOAT)
  THRandom_kernels->belowFloat(out, draw(source, pairs, 2 * n), n, source->threshold);
#else
  TH_SCRATCH(uint8_t, bits, CHUNK);
  THRandom_kernels->below(bits, draw(source, pairs, 2 * n), n, source->threshold);
  const THRun run = {.rows = 1, .n = n, .at = {(char *)out, (char *)bits}, .stride = {1, 1}};
  THTensor_(convert)[THScalarByte](&run, NULL);
#endif
}

void THTensor_(bernoulli)(THTensor *self, THGenerator *_generator, double p)
{
  THArgCheck(p >= 0 && p <= 1, 3, "p is %g, not in [0, 1]", p);
  /* k * 2^-53 < p exactly when the integer k is below this one. */
  const uint64_t threshold = (uint64_t)ceil(p * 0x1p53);
  fill(self, _generator,
       &(Source){.produce = produce_bernoulli, .words = 2, .threshold = threshold});
}

/* Element i of a row of probabilities: of doubles if wide, else of floats. */
static inline double probability(const char *p, ptrdiff_t i, int wide)
{
  return wide ? ((const double *)p)[i] : ((const float *)p)[i];
}

typedef struct Probabilities {
  THGenerator *generator;
  int wide;   /* doubles, each of which takes a pair of words; a float takes one */
  double bad; /* a number that is no probability */
} Probabilities;

static void note_improbable(const THRun *run, const void *context)
{
  Probabilities *all = *(Probabilities *const *)context;
  const ptrdiff_t size = all->wide ? sizeof(double) : sizeof(float);
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const char *row = run->at[1] + j * run->rowStride[1] * size;
      const double p = probability(row, i * run->stride[1], all->wide);
      if (!(p >= 0 && p <= 1))
        all->bad = p;
    }
}

static inline void draw_row(THGenerator *generator, ptrdiff_t n, real *r, ptrdiff_t dr,
                            const char *p, ptrdiff_t dp, int wide)
{
  TH_SCRATCH(uint32_t, words, 2 * CHUNK);
  for (ptrdiff_t i = 0; i < n;) {
    const ptrdiff_t some = THMin(n - i, CHUNK);
    THRandom_words(generator, words, (1 + wide) * some);
    for (ptrdiff_t k = 0; k < some; k++, i++) {
      const uint32_t *w = words + (1 + wide) * k;
      const double u = wide ? ((double)(w[0] & 0x1fffffu) * 0x1p32 + (double)w[1]) * 0x1p-53
                            : (double)(w[0] & 0xffffffu) * 0x1p-24;
      r[i * dr] = u < probability(p, i * dp, wide);
    }
  }
}

static void draw_by_floats(const THRun *run, const void *context)
{
  THGenerator *generator = (*(Probabilities *const *)context)->generator;
  for (ptrdiff_t j = 0; j < run->rows; j++)
    draw_row(generator, run->n, (real *)run->at[0] + j * run->rowStride[0], run->stride[0],
             (const char *)((const float *)run->at[1] + j * run->rowStride[1]), run->stride[1], 0);
}

static void draw_by_doubles(const THRun *run, const void *context)
{
  THGenerator *generator = (*(Probabilities *const *)context)->generator;
  for (ptrdiff_t j = 0; j < run->rows; j++)
    draw_row(generator, run->n, (real *)run->at[0] + j * run->rowStride[0], run->stride[0],
             (const char *)((const double *)run->at[1] + j * run->rowStride[1]), run->stride[1], 1);
}

/* loop holds self and p.  Returns 0 if p must be copied first. */
static int bernoulli_loop(THLoop *loop, THGenerator *generator, int wide)
{
  Probabilities all = {generator, wide, 0}, *context = &all;
  loop->inOrder = 1;
  THLoop_run(loop, note_improbable, &context);
  THArgCheck(all.bad == 0, 3, "p has the element %g, not in [0, 1]", all.bad);
  if (THLoop_overlap(loop, 0, 1) == TH_OVERLAP_MIXED)
    return 0;
  THGuard guard;
  THRandom_lock(&guard, generator, 2);
  THLoop_run(loop, wide ? draw_by_doubles : draw_by_floats, &context);
  THGuard_leave(&guard);
  return 1;
}

void THTensor_(bernoulli_FloatTensor)(THTensor *self, THGenerator *_generator, THFloatTensor *p)
{
  const ptrdiff_t n = THTensor_(nElement)(self), np = THFloatTensor_nElement(p);
  THArgCheck(np == n, 3, "p has %td elements, self has %td", np, n);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  THLoop_tensor(&loop, p);
  if (bernoulli_loop(&loop, _generator, 0))
    return;
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THFloatTensor_free);
  THFloatTensor *aside = guard.what = THFloatTensor_newClone(p);
  THTensor_(bernoulli_FloatTensor)(self, _generator, aside);
  THGuard_leave(&guard);
}

void THTensor_(bernoulli_DoubleTensor)(THTensor *self, THGenerator *_generator, THDoubleTensor *p)
{
  const ptrdiff_t n = THTensor_(nElement)(self), np = THDoubleTensor_nElement(p);
  THArgCheck(np == n, 3, "p has %td elements, self has %td", np, n);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  THLoop_tensor(&loop, p);
  if (bernoulli_loop(&loop, _generator, 1))
    return;
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THDoubleTensor_free);
  THDoubleTensor *aside = guard.what = THDoubleTensor_newClone(p);
  THTensor_(bernoulli_DoubleTensor)(self, _generator, aside);
  THGuard_leave(&guard);
}

/* --- permutations ----------------------------------------------------------------------------- */

/* Each number is exchanged with one of those from it on, which the next word picks. */
typedef struct Permutation {
  THGenerator *generator;
  real *r;
  int64_t step, n;
  /* the numbers, with 32 bits, of which caches hold more; NULL: they are exchanged in r */
  uint32_t *order;

  /* A second thread finds partners for later numbers, up to CHUNK_BUFFERS chunks ahead, and writes
   * finished chunks to r; without a second thread, the first does so. */
  uint32_t (*partners)[CHUNK]; /* NULL: there is one thread */
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
  return THMin(p->n - 1, (chunk + 1) * CHUNK);
}

/* The distance from each number of a chunk to its partner. */
static void find_partners(const Permutation *p, ptrdiff_t chunk, uint32_t *partners)
{
  const ptrdiff_t count = (ptrdiff_t)(end_of_chunk(p, chunk) - chunk * CHUNK);
  const uint64_t rest = (uint64_t)(p->n - chunk * CHUNK);
  THRandom_rawWords(p->generator, partners, count);
  if (rest <= UINT32_MAX) {
    THRandom_kernels->shrinkingRemainders(partners, count, (uint32_t)rest);
    return;
  }
  /* 32 bits are enough for tensors of fewer than 2^32 elements. */
  THRandom_kernels->temper(partners, partners, count);
  for (ptrdiff_t k = 0; k < count; k++)
    partners[k] = (uint32_t)(partners[k] % (rest - (uint64_t)k));
}

static void number_all(const Permutation *p)
{
  const int64_t n = p->n, step = p->step;
  real *const r = p->r;
  if (p->order)
    THRandom_kernels->numbers(p->order, (uint32_t)n);
  else
    for (int64_t i = 0; i < n; i++)
      r[i * step] = (real)i;
}

/* Swaps numbers with their partners and writes them to `to`, which may be the same array. */
#define EXCHANGE(TYPE, numbers, to, step)               \
  {                                                     \
    TYPE *at = (numbers) + begin * (step);              \
    TH_PRAGMA(GCC unroll 4)                             \
    for (int64_t k = 0; k < count; k++, at += (step)) { \
      TYPE *const other = at + partner[k] * (step);     \
      const TYPE kept = *at;                            \
      (to) = *other;                                    \
      *other = kept;                                    \
    }                                                   \
  }

/* A number that has been exchanged is final: a single thread writes it to r at once. */
static void exchange(const Permutation *p, ptrdiff_t chunk, const uint32_t *partner)
{
  const int64_t step = p->step, begin = chunk * CHUNK, count = end_of_chunk(p, chunk) - begin;
  real *const r = p->r + begin * step;
  uint32_t *const order = p->order;
  if (!order)
    EXCHANGE(real, p->r, *at, step)
  else if (p->partners)
    EXCHANGE(uint32_t, order, *at, 1)
  else
    EXCHANGE(uint32_t, order, r[k * step], 1)
}
#undef EXCHANGE

static void permute_alone(const Permutation *p)
{
  uint32_t partners[CHUNK];
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
  const int64_t begin = chunk * CHUNK, end = end_of_chunk(p, chunk), step = p->step;
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
    else if (tries < TRIES)
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
  Permutation p = {.generator = _generator, .n = n, .chunks = (n - 1 + CHUNK - 1) / CHUNK};
  const int ordered = sizeof(real) > sizeof *p.order && n <= UINT32_MAX;
  const int isParallel = THParallel_threads((ptrdiff_t)n, TURN) > 1;
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

#ifdef REAL_IS_FLOATING

#if defined(TH_REAL_IS_FLOAT)
enum { UNIFORM_WORDS = 1 }; /* words for a uniform number of the type */
#define uniformReal uniformFloat
#define normalReal  normalFloat
#else
enum { UNIFORM_WORDS = 2 };
#define uniformReal uniformDouble
#define normalReal  normalDouble
#endif

void THTensor_(bernoulli_Tensor)(THTensor *self, THGenerator *_generator, THTensor *p)
{
#if defined(TH_REAL_IS_FLOAT)
  THTensor_(bernoulli_FloatTensor)(self, _generator, p);
#else
  THTensor_(bernoulli_DoubleTensor)(self, _generator, p);
#endif
}

/* --- uniform and normal ----------------------------------------------------------------------- */

static void draw_uniform(Source *source, real *out, ptrdiff_t n, double a, double b)
{
  TH_SCRATCH(uint32_t, words, UNIFORM_WORDS *CHUNK);
  THRandom_kernels->uniformReal(out, draw(source, words, UNIFORM_WORDS * n), n, (real)a, (real)b);
}

#ifdef TH_COMPAT_TORCH7

/* One word for each number, all of whose bits count. */
static void produce_uniform(Source *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(uint32_t, words, CHUNK);
  draw_words(source, words, n);
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (real)THRandom_between((double)words[i] * 0x1p-32, source->a, source->b);
}

void THTensor_(uniform)(THTensor *self, THGenerator *_generator, double a, double b)
{
  fill(self, _generator, &(Source){.produce = produce_uniform, .words = 1, .a = a, .b = b});
}

#else

static void produce_uniform(Source *source, real *out, ptrdiff_t n)
{
  draw_uniform(source, out, n, source->a, source->b);
}

void THTensor_(uniform)(THTensor *self, THGenerator *_generator, double a, double b)
{
  fill(self, _generator,
       &(Source){.produce = produce_uniform, .words = UNIFORM_WORDS, .a = a, .b = b});
}

#endif

/* Fewer than 16 numbers come in the pairs that THRandom_normal draws.  More come in blocks of 16;
 * where the last block is not full, the last 16 numbers are drawn once more. */
static void produce_normal(Source *source, real *out, ptrdiff_t n)
{
  if (source->total < 16) {
    for (ptrdiff_t i = 0; i < n; i++)
      out[i] = (real)(THRandom_standardNormal(source->generator) * source->b + source->a);
    return;
  }
  const real mean = (real)source->a, stdv = (real)source->b;
  draw_uniform(source, out, n, 0, 1);
  THRandom_kernels->normalReal(out, n & -16, mean, stdv);
  if (n % 16) {
    draw_uniform(source, out + n - 16, 16, 0, 1);
    THRandom_kernels->normalReal(out + n - 16, 16, mean, stdv);
  }
}

static void fill_normal(THTensor *self, THGenerator *generator, double mean, double stdv)
{
  fill(self, generator,
       &(Source){
           .produce = produce_normal, .words = UNIFORM_WORDS, .again = 1, .a = mean, .b = stdv});
}

void THTensor_(normal)(THTensor *self, THGenerator *_generator, double mean, double stdv)
{
  THArgCheck(stdv > 0, 4, "stdv is %g, not > 0", stdv);
  fill_normal(self, _generator, mean, stdv);
}

void THTensor_(rand)(THTensor *r_, THGenerator *_generator, THLongStorage *size)
{
  THRandom_check(_generator, 2);
  THArgCheck(size, 3, "size is NULL");
  THTensor_(resize)(r_, size, NULL);
  THTensor_(uniform)(r_, _generator, 0, 1);
}

void THTensor_(randn)(THTensor *r_, THGenerator *_generator, THLongStorage *size)
{
  THRandom_check(_generator, 2);
  THArgCheck(size, 3, "size is NULL");
  THTensor_(resize)(r_, size, NULL);
  fill_normal(r_, _generator, 0, 1);
}

/* --- normal with a mean or a deviation for each element --------------------------------------- */

/* Operand 0 holds numbers of mean 0; then come the tensor of means or deviations, or both. */
typedef struct Affine {
  real mean;
  int hasMeans, hasStddevs;
} Affine;

static void apply_affine(const THRun *run, const void *context)
{
  const Affine *affine = context;
  const real one = 1;
  const int means = 1, stddevs = 1 + affine->hasMeans;
  const ptrdiff_t dz = run->stride[0], dm = affine->hasMeans ? run->stride[means] : 0,
                  ds = affine->hasStddevs ? run->stride[stddevs] : 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *z = (real *)run->at[0] + j * run->rowStride[0];
    const real *m = &affine->mean, *s = &one;
    if (affine->hasMeans)
      m = (const real *)run->at[means] + j * run->rowStride[means];
    if (affine->hasStddevs)
      s = (const real *)run->at[stddevs] + j * run->rowStride[stddevs];
    for (ptrdiff_t i = 0; i < run->n; i++)
      z[i * dz] = z[i * dz] * s[i * ds] + m[i * dm];
  }
}

/* The allowed elements, and one that is not allowed. */
typedef struct Bounds {
  int zero; /* 0 is allowed */
  int found;
  real bad;
} Bounds;

static void note_out_of_bounds(const THRun *run, const void *context)
{
  Bounds *bounds = *(Bounds *const *)context;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *x = (const real *)run->at[0] + j * run->rowStride[0];
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const real value = x[i * run->stride[0]];
      if (!(value > 0 || (bounds->zero && value == 0)) || isinf(value)) {
        bounds->found = 1;
        bounds->bad = value;
      }
    }
  }
}

/* Elements of tensor, called name, are finite and above 0 (or equal to it where zero is set). */
static void check_bounds(THTensor *tensor, int zero, int argument, const char *name)
{
  Bounds bounds = {.zero = zero}, *context = &bounds;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  loop.inOrder = 1;
  THLoop_run(&loop, note_out_of_bounds, &context);
  THArgCheck(!bounds.found, argument, "%s has the element %g, not %s 0 and finite", name,
             (double)bounds.bad, zero ? ">=" : ">");
}

/* The tensor that is computed instead of self, which takes the shape of like. */
typedef struct Target {
  THShape shape;
  THStandIn standIn;
} Target;

static THTensor *open_target(Target *target, THTensor *self, THTensor *like)
{
  THShape_openAs(&target->shape, like->nDimension, like->size, like->stride);
  return THTensor_(openStandIn)(&target->standIn, self, &target->shape, -1, 1);
}

static void close_target(Target *target)
{
  THTensor_(closeStandIn)(&target->standIn);
  THShape_close(&target->shape);
}

/* An operand that is read after self was written in the shape of like; a copy, which guard holds,
 * if self may change it. */
static THTensor *set_aside(THGuard *guard, THTensor *self, THTensor *like, THTensor *operand)
{
  THTensor_(guard)(guard);
  if (operand &&
      (operand == self || THResult_overlapSized(TH_VIEW(self), like->nDimension, like->size,
                                                TH_VIEW(operand)) != TH_OVERLAP_NONE))
    operand = guard->what = THTensor_(newClone)(operand);
  return operand;
}

static void fill_affine(THTensor *self, THGenerator *generator, THTensor *means, double mean,
                        THTensor *stddevs, double stddev)
{
  THGuard first, second;
  THRandom_check(generator, 2);
  Target target;
  THTensor *const like = means ? means : stddevs;
  self = open_target(&target, self, like);
  means = set_aside(&first, self, like, means);
  stddevs = set_aside(&second, self, like, stddevs);
  THTensor_(resizeAs)(self, means ? means : stddevs);
  fill_normal(self, generator, 0, stddev);

  const Affine affine = {(real)mean, means != NULL, stddevs != NULL};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  if (means)
    THLoop_tensor(&loop, means);
  if (stddevs)
    THLoop_tensor(&loop, stddevs);
  THLoop_run(&loop, apply_affine, &affine);
  THGuard_leave(&second);
  THGuard_leave(&first);
  close_target(&target);
}

void THTensor_(normal_means)(THTensor *self, THGenerator *gen, THTensor *means, double stddev)
{
  THArgCheck(stddev > 0, 4, "stddev is %g, not > 0", stddev);
  fill_affine(self, gen, means, 0, NULL, stddev);
}

void THTensor_(normal_stddevs)(THTensor *self, THGenerator *gen, double mean, THTensor *stddevs)
{
  check_bounds(stddevs, 1, 4, "stddevs");
  fill_affine(self, gen, NULL, mean, stddevs, 1);
}

void THTensor_(normal_means_stddevs)(THTensor *self, THGenerator *gen, THTensor *means,
                                     THTensor *stddevs)
{
  const ptrdiff_t n = THTensor_(nElement)(means), ns = THTensor_(nElement)(stddevs);
  THArgCheck(ns == n, 4, "stddevs has %td elements, means has %td", ns, n);
  check_bounds(stddevs, 1, 4, "stddevs");
  fill_affine(self, gen, means, 0, stddevs, 1);
}

/* --- other distributions ---------------------------------------------------------------------- */

/* These are computed in double for either type. */
static void convert_doubles(real *out, const double *x, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (real)x[i];
}

static void produce_exponential(Source *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(Work, work, 1);
  const uint32_t *pairs = draw(source, work->pairs, 2 * n);
  THRandom_kernels->logarithms(work->x, pairs, n, source->a, 1);
  convert_doubles(out, work->x, n);
}

void THTensor_(exponential)(THTensor *self, THGenerator *_generator, double lambda)
{
  THArgCheck(lambda > 0, 3, "lambda is %g, not > 0", lambda);
  fill(self, _generator, &(Source){.produce = produce_exponential, .words = 2, .a = -1.0 / lambda});
}

static void produce_cauchy(Source *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(Work, work, 1);
  const uint32_t *pairs = draw(source, work->pairs, 2 * n);
  THRandom_kernels->tangents(work->x, pairs, n, source->b, source->a);
  convert_doubles(out, work->x, n);
}

void THTensor_(cauchy)(THTensor *self, THGenerator *_generator, double median, double sigma)
{
  THArgCheck(sigma > 0, 4, "sigma is %g, not > 0", sigma);
  fill(self, _generator, &(Source){.produce = produce_cauchy, .words = 2, .a = median, .b = sigma});
}

static void produce_log_normal(Source *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(double, x, CHUNK);
  THRandom_standardNormals(source->generator, x, n);
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (real)exp(x[i] * source->b + source->a);
}

void THTensor_(logNormal)(THTensor *self, THGenerator *_generator, double mean, double stdv)
{
  THArgCheck(stdv > 0, 4, "stdv is %g, not > 0", stdv);
  fill(self, _generator, &(Source){.produce = produce_log_normal, .a = mean, .b = stdv});
}

/* Numbers below the least normal one of the type become that one: none is 0. */
static void draw_gamma(const THRun *run, const void *context)
{
#if defined(TH_REAL_IS_FLOAT)
  const double least = FLT_MIN;
#else
  const double least = DBL_MIN;
#endif
  THGenerator *generator = *(THGenerator *const *)context;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const real *alpha = (const real *)run->at[1] + j * run->rowStride[1];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->stride[0]] =
          (real)fmax(least, THRandom_standardGamma(generator, alpha[i * run->stride[1]]));
  }
}

void THTensor_(standard_gamma)(THTensor *self, THGenerator *_generator, THTensor *alpha)
{
  check_bounds(alpha, 0, 3, "alpha");
  THRandom_check(_generator, 2);
  Target target;
  self = open_target(&target, self, alpha);
  THGuard copied, locked;
  alpha = set_aside(&copied, self, alpha, alpha);
  THTensor_(resizeAs)(self, alpha);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  THLoop_tensor(&loop, alpha);
  loop.inOrder = 1;
  THRandom_lock(&locked, _generator, 2);
  THLoop_run(&loop, draw_gamma, &_generator);
  THGuard_leave(&locked);
  THGuard_leave(&copied);
  close_target(&target);
}

#endif
