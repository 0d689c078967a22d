/* What the files of random tensors share, per type: a source of numbers of one distribution, which fills a
 * tensor.  THRandomSource.c has the functions. */
#include <pthread.h>

#include "THRandomDraw.h"
#include "TH/loop/THStream.h"
#include "TH/core/THScratch.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define REAL_IS_FLOATING
#endif

/* Numbers are produced a chunk at a time: the numbers of two blocks of words, a multiple of 16. */
enum { RANDOM_CHUNK = 2 * _MERSENNE_STATE_N };

typedef struct THRandomSource THRandomSource;
struct THRandomSource {
  /* Draws the next n <= RANDOM_CHUNK numbers into out. */
  void (*produce)(THRandomSource *source, real *out, ptrdiff_t n);
  int words; /* words for each number; 0 if that is not known before */
  /* whether the last 16 numbers are drawn again if their number is no multiple of 16 */
  int again;
  double a, b;        /* parameters of a distribution of floating numbers */
  int64_t base;       /* random integers: the smallest one */
  uint64_t range;     /* random integers: how many there are; 0: 2^64 */
  uint64_t threshold; /* bernoulli: random bits below it give 1 */
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
const uint32_t *THTensor_(drawRaw)(THRandomSource *source, uint32_t *buffer, ptrdiff_t count);

/* The next count words, tempered. */
void THTensor_(drawWords)(THRandomSource *source, uint32_t *words, ptrdiff_t count);

/* Fills self with numbers of the distribution. */
void THTensor_(fillBy)(THTensor *self, THGenerator *generator, const THRandomSource *distribution);

/* A turn is some chunks, whose words one thread takes from the generator under a lock.  It converts
 * them to numbers while the next thread takes words, which is the smaller part of the work.  Which
 * words become which numbers does not depend on the threads. */
enum { RANDOM_TURN = 16 * RANDOM_CHUNK };

/* Pairs of words for n numbers, and as many doubles to compute in. */
typedef struct THRandomWork {
  uint32_t pairs[2 * RANDOM_CHUNK];
  double x[RANDOM_CHUNK];
} THRandomWork;

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

/* --- threads that wait for each other shortly ------------------------------------------------- */

/* How often a thread checks again before it sleeps. */
enum { LOCK_TRIES = 2000 };

static inline void pause_shortly(void)
{
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/* Taking words is faster than sleeping and waking up, so that a thread spins first. */
static inline void lock_awake(pthread_mutex_t *lock)
{
  for (int i = 0; i < LOCK_TRIES; i++) {
    if (pthread_mutex_trylock(lock) == 0)
      return;
    pause_shortly();
  }
  pthread_mutex_lock(lock);
}
