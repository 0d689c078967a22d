/* Buffers for kernels: a block of each thread, and one for threads that find no memory. */
#include "THScratch.h"

#include <pthread.h>
#include <stdlib.h>

/* What functions that call each other take together is about half of that.  Pages that nobody
 * touches take no memory. */
enum { SCRATCH_BYTES = 512 << 10, ALIGNMENT = 64 };

typedef struct {
  char *block; /* NULL: none yet, or the common one when its turn is over */
  size_t used;
} Scratch;

/* Two words, which even a library loaded late has space for; so reading them takes one
 * instruction instead of a call. */
static _Thread_local Scratch mine __attribute__((tls_model("initial-exec")));
static pthread_key_t at_thread_exit;
static int has_key;

/* The buffer of threads that find no memory for one of their own: it belongs to the thread that holds
 * the lock, as long as that thread uses any buffer. */
static _Alignas(ALIGNMENT) char common[SCRATCH_BYTES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t rounded(size_t bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void thread_ends(void *block)
{
  mine.block = NULL; /* a later destructor of the thread may still compute */
  free(block);
}

static char *make(void)
{
  void *block;
  if (!has_key || posix_memalign(&block, ALIGNMENT, SCRATCH_BYTES))
    return NULL;
  if (pthread_setspecific(at_thread_exit, block)) {
    free(block);
    return NULL;
  }
  return block;
}

static __attribute__((noinline)) void begin(void)
{
  mine.block = make();
  if (!mine.block) {
    pthread_mutex_lock(&lock);
    mine.block = common;
  }
}

void *THScratch_take(size_t bytes)
{
  if (TH_UNLIKELY(!mine.block))
    begin();
  bytes = rounded(bytes);
  THAssert(bytes <= SCRATCH_BYTES - mine.used);
  void *buffer = mine.block + mine.used;
  mine.used += bytes;
  return buffer;
}

void THScratch_give(size_t bytes)
{
  mine.used -= rounded(bytes);
  if (TH_UNLIKELY(mine.block == common) && mine.used == 0) {
    mine.block = NULL;
    pthread_mutex_unlock(&lock);
  }
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

__attribute__((constructor)) static void start(void)
{
  has_key = pthread_key_create(&at_thread_exit, thread_ends) == 0;
  pthread_atfork(before_fork, after_fork, after_fork);
}

__attribute__((destructor)) static void end(void)
{
  if (has_key)
    pthread_key_delete(at_thread_exit);
  has_key = 0;
  if (mine.block && mine.used == 0) {
    free(mine.block);
    mine.block = NULL;
  }
}
