/* The number of threads, and forked children. */
#define _GNU_SOURCE /* syscall */
#include "THParallel.h"

#include <ctype.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "TH/linear/THBlasLibrary.h"
#include "THLoop.h"
#include "THTeam.h"
#include "THTuning.h"

/* --- teams ----------------------------------------------------------------------------------- */

/* OpenMP's runtime ends the process where a thread cannot be started.  Therefore, before its first
 * loop of a given number of threads, a thread starts as many idle threads itself; if some cannot be
 * started, its loops use fewer. */
enum { MOST_TRIED = 512 };

static __thread int tried = 1, limit = INT_MAX;
static int forked; /* OpenMP's pool does not survive a fork */

typedef struct {
  pthread_mutex_t gate; /* closed until all threads are there */
  pthread_t thread[MOST_TRIED];
  pid_t id[MOST_TRIED];
  int next; /* atomic */
} Trial;

static void *wait_at_gate(void *trial)
{
  Trial *const t = trial;
  t->id[__atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED)] = (pid_t)syscall(SYS_gettid);
  pthread_mutex_lock(&t->gate);
  pthread_mutex_unlock(&t->gate);
  return NULL;
}

/* The stack that OMP_STACKSIZE asks for, in KB without a letter; 0: the usual one.  The runtime
 * asks the same variables in the same way. */
static size_t stack_size(void)
{
  const char *text = getenv("GOMP_STACKSIZE");
  if (!text)
    text = getenv("OMP_STACKSIZE");
  if (!text)
    return 0;
  char *end;
  const unsigned long long number = strtoull(text, &end, 10);
  while (isspace((unsigned char)*end))
    end++;
  static const char units[] = "BKMG";
  const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : units + 1;
  const int shift = unit ? 10 * (int)(unit - units) : 0;
  return number <= SIZE_MAX >> shift ? (size_t)number << shift : SIZE_MAX;
}

/* A thread that has been joined counts against limits until the kernel has forgotten it. */
static void wait_until_gone(pid_t id)
{
  enum { PATIENCE = 1000 };
  for (int i = 0; i < PATIENCE && syscall(SYS_tgkill, getpid(), id, 0) == 0; i++)
    sched_yield();
}

/* How many threads a team can have now, the calling one among them: at most size. */
static __attribute__((noinline)) int try_team(int size)
{
  Trial trial = {.gate = PTHREAD_MUTEX_INITIALIZER};
  sigset_t all, before;
  pthread_attr_t attributes;
  int count = 0;
  if (pthread_attr_init(&attributes))
    return 1;
  if (stack_size()) /* an impossible size counts as the default, as in the runtime */
    pthread_attr_setstacksize(&attributes, stack_size());
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_mutex_lock(&trial.gate);
  while (count < THMin(size - 1, MOST_TRIED) &&
         pthread_create(&trial.thread[count], &attributes, wait_at_gate, &trial) == 0)
    count++;
  pthread_mutex_unlock(&trial.gate);
  for (int i = 0; i < count; i++)
    pthread_join(trial.thread[i], NULL);
  for (int i = 0; i < count; i++)
    wait_until_gone(trial.id[i]);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return count < THMin(size - 1, MOST_TRIED) ? count + 1 : size;
}

int THTeam_size(int wanted)
{
  if (__atomic_load_n(&forked, __ATOMIC_RELAXED))
    return 1;
  wanted = THMin(wanted, limit);
  if (wanted > tried) {
    const int size = try_team(wanted);
    if (size < wanted)
      limit = size;
    tried = wanted = size;
  }
  return wanted;
}

/* The grain, times what a thread costs here to what grains were chosen for; an item that alone is worth
 * a thread stays so.  Unless that was measured it is half: a team that has just computed is still awake, and
 * what it wrote is in the caches of its processors. */
static ptrdiff_t tuned_grain(ptrdiff_t grain)
{
  enum { USUAL = TH_LOOP_GRAIN / 2 };
  const int64_t measured = THTuning_get(TH_TUNE_THREAD_WORK),
                work = measured < 0 ? USUAL : measured;
  if (grain <= 1)
    return grain;
  const double tuned = (double)grain * (double)work / TH_LOOP_GRAIN;
  return (ptrdiff_t)THMin(0x1p60, THMax(1, tuned));
}

int THParallel_threads(ptrdiff_t count, ptrdiff_t grain)
{
  if (count <= grain && count > 0) /* what is not to be divided has all as its grain */
    return 1;
  grain = tuned_grain(grain);
  if (count < 2 * grain || omp_in_parallel())
    return 1;
  const ptrdiff_t most = omp_get_max_threads(), worth = count / grain;
  return THTeam_size((int)(worth < most ? worth : most));
}

int THTeam_most(void)
{
  return omp_in_parallel() ? 1 : THGetNumThreads();
}

int THTeam_index(int threads)
{
  return threads > 1 ? omp_get_thread_num() : 0;
}

void THParallel_for(ptrdiff_t count, ptrdiff_t grain,
                    void (*body)(void *context, ptrdiff_t begin, ptrdiff_t end), void *context)
{
  THParallel_forIn(THParallel_threads(count, grain), count, body, context);
}

void THParallel_forIn(int threads, ptrdiff_t count,
                      void (*body)(void *context, ptrdiff_t begin, ptrdiff_t end), void *context)
{
  threads = threads > 1 ? THMin(threads, THParallel_threads(count, 1)) : 1;
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
  if (num_threads <= 0)
    return;
  limit = INT_MAX; /* more threads may be possible now */
  omp_set_num_threads(__atomic_load_n(&forked, __ATOMIC_RELAXED) ? 1 : num_threads);
}

int THGetNumThreads(void)
{
  if (__atomic_load_n(&forked, __ATOMIC_RELAXED))
    return 1;
  return THMin(omp_get_max_threads(), limit);
}

int THGetNumCores(void)
{
  return omp_get_num_procs();
}

void THInferNumThreads(void)
{
  if (!omp_in_parallel())
    THTeam_size(omp_get_max_threads());
  THBlasLibrary_find();
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

/* A child that used OpenMP's pool would wait for threads that do not exist. */
static void run_serially(void)
{
  __atomic_store_n(&forked, 1, __ATOMIC_RELAXED);
  omp_set_num_threads(1);
}

__attribute__((constructor)) static void watch_forks(void)
{
  pthread_atfork(NULL, NULL, run_serially);
}
