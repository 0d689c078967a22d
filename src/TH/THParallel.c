/* The number of threads, and forked children. */
#include "THParallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

int THParallel_threads(ptrdiff_t count, ptrdiff_t grain)
{
  if (count < 2 * grain || omp_in_parallel())
    return 1;
  const ptrdiff_t most = omp_get_max_threads(), worth = count / grain;
  return (int)(worth < most ? worth : most);
}

void THParallel_for(ptrdiff_t count, ptrdiff_t grain,
                    void (*body)(void *context, ptrdiff_t begin, ptrdiff_t end), void *context)
{
  const int threads = THParallel_threads(count, grain);
  if (threads == 1) {
    if (count > 0)
      body(context, 0, count);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    /* The runtime may give fewer threads than asked for. */
    const ptrdiff_t team = omp_get_num_threads(), me = omp_get_thread_num();
    const ptrdiff_t share = count / team, rest = count % team;
    const ptrdiff_t begin = me * share + THMin(me, rest);
    const ptrdiff_t end = begin + share + (me < rest);
    if (begin < end)
      body(context, begin, end);
  }
}

void THSetNumThreads(int num_threads)
{
  if (num_threads > 0)
    omp_set_num_threads(num_threads);
}

int THGetNumThreads(void)
{
  return omp_get_max_threads();
}

int THGetNumCores(void)
{
  return omp_get_num_procs();
}

void THInferNumThreads(void)
{
}

/* --- deterministic BLAS ---------------------------------------------------------------------- */

static int deterministic;

void THSetDeterministic(int on)
{
  __atomic_store_n(&deterministic, on != 0, __ATOMIC_RELAXED);
}

int THGetDeterministic(void)
{
  return __atomic_load_n(&deterministic, __ATOMIC_RELAXED);
}

/* --- fork ------------------------------------------------------------------------------------ */

/* OpenMP's pool does not survive a fork: a child that used it would wait for threads that are gone.
 */
static void run_serially(void)
{
  omp_set_num_threads(1);
}

__attribute__((constructor)) static void watch_forks(void)
{
  pthread_atfork(NULL, NULL, run_serially);
}
