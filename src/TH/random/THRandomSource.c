/* A source of random numbers fills a tensor: threads take turns at the generator, or numbers come in order. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THRandomSource.h"
#include "TH/tensor/THTensorCore.h"

const uint32_t *THTensor_(drawRaw)(THRandomSource *source, uint32_t *buffer, ptrdiff_t count)
{
  if (!source->taken) {
    THRandom_rawWords(source->generator, buffer, count);
    return buffer;
  }
  const uint32_t *words = source->taken;
  source->taken += count;
  return words;
}

void THTensor_(drawWords)(THRandomSource *source, uint32_t *words, ptrdiff_t count)
{
  TH_DISPATCHED(THRandom_kernels)->temper(words, THTensor_(drawRaw)(source, words, count), count);
}

/* How many numbers to produce next.  The last chunk is never a short one behind others: the last 16
 * normal numbers are made together. */
static ptrdiff_t next_chunk(THRandomSource *source)
{
  ptrdiff_t n = THMin(source->rest, RANDOM_CHUNK);
  if (source->rest > n && source->rest - n < 16)
    n -= 16;
  source->rest -= n;
  return n;
}

/* --- in turns --------------------------------------------------------------------------------- */

/* The turns of a source (RANDOM_TURN), which threads take one by one. */
typedef struct Turns {
  pthread_mutex_t lock;
  const THRandomSource *source;
  ptrdiff_t next; /* the first turn that no thread has taken */
  real *out;
  int streams;
} Turns;

/* The last turn is longer, so that none is short. */
static ptrdiff_t numbers_of_turn(const THRandomSource *source, ptrdiff_t turn)
{
  return turn + 1 < source->turns ? RANDOM_TURN : source->total - turn * RANDOM_TURN;
}

static ptrdiff_t words_of_turn(const THRandomSource *source, ptrdiff_t turn)
{
  const int again = turn + 1 == source->turns && source->again && source->total % 16;
  return source->words * (numbers_of_turn(source, turn) + (again ? 16 : 0));
}

/* Returns the next turn, with its words in buffer; the number of turns if there is none. */
static ptrdiff_t take_turn(Turns *turns, uint32_t *buffer)
{
  const THRandomSource *source = turns->source;
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
  THRandomSource mine = *turns->source;
  uint32_t *drawn = mine.drawn + begin * words_of_turn(&mine, mine.turns - 1);
  TH_SCRATCH(real, buffer, RANDOM_CHUNK);
  for (ptrdiff_t turn; (turn = take_turn(turns, drawn)) < mine.turns;) {
    real *out = turns->out + turn * RANDOM_TURN;
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
static void reserve_turns(THRandomSource *source, THTensor *self, THGuard *guard)
{
  THGuard_enter(guard, THFree);
  source->turns = source->total / RANDOM_TURN;
  if (source->words == 0 || source->turns < 2 || !THTensor_(isContiguous)(self)) {
    source->turns = 0;
    return;
  }
  const ptrdiff_t threads = THParallel_threads(source->turns, 1);
  const ptrdiff_t words = threads * words_of_turn(source, source->turns - 1);
  source->drawn = guard->what = THAlloc(words * (ptrdiff_t)sizeof(uint32_t));
}

/* --- in order --------------------------------------------------------------------------------- */

/* Long contiguous rows are produced in place; others are filled from the buffer. */
static void emit(const THRun *run, const void *context)
{
  THRandomSource *source = *(THRandomSource *const *)context;
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

void THTensor_(fillBy)(THTensor *self, THGenerator *generator, const THRandomSource *distribution)
{
  real buffer[RANDOM_CHUNK];
  THRandomSource source = *distribution, *context = &source;
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
