/* Measures how much the heap has grown, and calls the host language's collector when it has grown
 * much.
 *
 * A tensor looks small to a host language that only sees its handle; so the host lends TH its
 * collector.  Each thread sums up what it allocates and frees, and tells the others when that is
 * worth an atomic operation.  When all of it exceeds soft_max, the next allocation of a thread that
 * has set a handler calls it, and soft_max moves to half as much again as is then left. */
#include "THCollector.h"

#include <pthread.h>

#include "THGeneral.h"

static const ptrdiff_t least_soft_max = (ptrdiff_t)256 << 20;
static const ptrdiff_t worth_telling = (ptrdiff_t)1 << 20;

int THCollector_handlers;
static ptrdiff_t heap;
static ptrdiff_t soft_max;

typedef struct {
  void (*handler)(void *data);
  void *data;
  int running;
  int registered; /* with at_thread_exit */
  ptrdiff_t untold;
} Mine;

static _Thread_local Mine mine;

/* --- counting ----------------------------------------------------------------------------- */

static pthread_key_t at_thread_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_key;

static void tell(void)
{
  __atomic_add_fetch(&heap, mine.untold, __ATOMIC_RELAXED);
  mine.untold = 0;
}

static void thread_ends(void *unused)
{
  tell();
  THSetGCHandler(NULL, NULL);
  mine.registered = 0; /* a later destructor of the thread may still free tensors */
}

static void make_key(void)
{
  has_key = pthread_key_create(&at_thread_exit, thread_ends) == 0;
}

static void watch_thread(void)
{
  if (mine.registered)
    return;
  pthread_once(&once, make_key);
  mine.registered = 1;
  if (has_key)
    pthread_setspecific(at_thread_exit, &mine);
}

void THCollector_count(ptrdiff_t bytes)
{
  watch_thread();
  mine.untold += bytes;
  if (mine.untold >= worth_telling || mine.untold <= -worth_telling)
    tell();
}

void THHeapUpdate(ptrdiff_t size)
{
  if (!THCollector_isOn())
    return;
  THCollector_count(size);
  if (size > 0)
    THCollector_runIfDue();
}

/* --- collecting --------------------------------------------------------------------------- */

/* Also runs when the handler leaves by an error. */
static void finish(void *unused)
{
  tell();
  mine.running = 0;
  const ptrdiff_t left = __atomic_load_n(&heap, __ATOMIC_RELAXED);
  ptrdiff_t next = THMax(left, 0);
  next = THMax(least_soft_max, next <= PTRDIFF_MAX / 2 ? next + next / 2 : PTRDIFF_MAX);
  __atomic_store_n(&soft_max, next, __ATOMIC_RELAXED);
}

void THCollector_run(void)
{
  if (!THCollector_isOn() || !mine.handler || mine.running)
    return;
  THGuard guard;
  THGuard_enter(&guard, finish);
  guard.what = &mine;
  mine.running = 1;
  mine.handler(mine.data);
  THGuard_leave(&guard);
}

void THCollector_runIfDue(void)
{
  if (__atomic_load_n(&heap, __ATOMIC_RELAXED) > __atomic_load_n(&soft_max, __ATOMIC_RELAXED))
    THCollector_run();
}

void THSetGCHandler(void (*torchGCHandlerFunction)(void *data), void *data)
{
  const int had = mine.handler != NULL, has = torchGCHandlerFunction != NULL;
  if (has)
    watch_thread();
  mine.handler = torchGCHandlerFunction;
  mine.data = data;
  if (has && !had && __atomic_fetch_add(&THCollector_handlers, 1, __ATOMIC_RELAXED) == 0) {
    mine.untold = 0;
    __atomic_store_n(&heap, 0, __ATOMIC_RELAXED); /* counting begins */
    __atomic_store_n(&soft_max, least_soft_max, __ATOMIC_RELAXED);
  }
  if (had && !has)
    __atomic_sub_fetch(&THCollector_handlers, 1, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void end(void)
{
  if (has_key)
    pthread_key_delete(at_thread_exit);
}
