/* Tensors shared by several threads, and the number of threads. */
#include <pthread.h>

#include "ATen.h"
#include "ATenDLPackTypes.h"
#include "TH.h"
#include "th_test.h"

/* --- what an open scope of another thread owns ---------------------------------------------- */

enum { ROUNDS = 300, AT_ONCE = 8, TAKERS = 2 };

typedef struct Taker {
  pthread_t thread;
  at_tensor *given[AT_ONCE], *kept[AT_ONCE];
  const at_tensors *list;
  bool has; /* what is given waits for it; atomic */
} Taker;

/* Releases the scope's references to some tensors, and retains others. */
static void *take(void *taker)
{
  Taker *const t = taker;
  for (int round = 0; round < ROUNDS; round++) {
    while (!__atomic_load_n(&t->has, __ATOMIC_ACQUIRE))
      sched_yield();
    AT_SCOPE
    {
      for (int i = 0; i < AT_ONCE; i++) {
        at_tensor *more = at_add(t->given[i], 1);
        CHECK_EQ(at_item_long(more), round + i + 1);
        CHECK(at_escape(t->given[i]) == t->given[i]);
        t->kept[i] = i % 2 ? at_keep(t->given[i]) : NULL;
        if (i % 2 == 0)
          at_release(t->given[i]);
      }
      at_list_release(t->list);
    }
    for (int i = 1; i < AT_ONCE; i += 2) {
      CHECK_EQ(at_item_long(t->kept[i]), round + i);
      at_release(t->kept[i]);
    }
    __atomic_store_n(&t->has, false, __ATOMIC_RELEASE);
  }
  return NULL;
}

static bool any_has(const Taker *takers)
{
  bool any = false;
  for (int k = 0; k < TAKERS; k++)
    any |= __atomic_load_n(&takers[k].has, __ATOMIC_ACQUIRE);
  return any;
}

/* While other threads release tensors, this one releases their neighbours in the scope's list. */
static void releasing_elsewhere(void **state)
{
  Taker takers[TAKERS] = {{0}};
  for (int k = 0; k < TAKERS; k++)
    CHECK(pthread_create(&takers[k].thread, NULL, take, &takers[k]) == 0);
  for (int round = 0; round < ROUNDS; round++)
    AT_SCOPE
    {
      at_tensor *x = at_ones(AT_SHAPE(6)), *own[TAKERS][AT_ONCE];
      for (int k = 0; k < TAKERS; k++) {
        takers[k].list = at_split(x, 2);
        for (int i = 0; i < AT_ONCE; i++) {
          takers[k].given[i] = at_full(AT_SHAPE(1), at_scalar(round + i));
          own[k][i] = at_neg(x);
        }
      }
      for (int k = 0; k < TAKERS; k++)
        __atomic_store_n(&takers[k].has, true, __ATOMIC_RELEASE);
      for (int i = 0; i < AT_ONCE; i++)
        for (int k = 0; k < TAKERS; k++)
          at_release(own[k][i]);
      do {
        at_tensor *y = at_add(x, 1), *z = at_mul(y, y);
        at_release(y);
        CHECK_EQ(((float *)at_data(z))[5], 4);
      } while (any_has(takers));
    }
  for (int k = 0; k < TAKERS; k++)
    pthread_join(takers[k].thread, NULL);
  CHECK_EQ(at_error(), AT_OK);
}

/* --- DLPack --------------------------------------------------------------------------------- */

static pthread_barrier_t both;

static void *hand_out(void *t)
{
  pthread_barrier_wait(&both);
  DLManagedTensorVersioned *one = at_toDLPackVersioned(t);
  at_tensor *view = at_select(t, 0, 1); /* as any other reader */
  CHECK(one && one->dl_tensor.data == at_data(t) && at_numel(view) == 3);
  at_release(view);
  one->deleter(one);
  return NULL;
}

static void handing_out_together(void **state)
{
  pthread_barrier_init(&both, NULL, 2);
  for (int round = 0; round < 50; round++) {
    at_tensor *t = at_ones(AT_SHAPE(2, 3));
    pthread_t other;
    CHECK(pthread_create(&other, NULL, hand_out, t) == 0);
    hand_out(t);
    pthread_join(other, NULL);
    CHECK(!at_defined(at_resize_(
        t, AT_SHAPE(100)))); /* a storage that was handed out does not grow from now on */
    CHECK(at_error() != AT_OK);
    at_error_clear();
    at_release(t);
  }
  pthread_barrier_destroy(&both);
}

/* --- the number of threads ------------------------------------------------------------------ */

static void *number_of_another_thread(void *first)
{
  *(int *)first = at_getNumThreads();
  return NULL;
}

static void number_of_threads(void **state)
{
  const int before = at_getNumThreads();
  CHECK(before >= 1 && before == THGetNumThreads());
  CHECK(at_setNumThreads(3));
  CHECK(at_getNumThreads() == 3 && THGetNumThreads() == 3);
  int elsewhere = 0;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, number_of_another_thread, &elsewhere) == 0);
  pthread_join(thread, NULL);
  CHECK_EQ(elsewhere, before); /* each thread has its own */
  for (int wrong = -1; wrong <= 0; wrong++) {
    CHECK(!at_setNumThreads(wrong) && at_error() == AT_ERROR_ARGUMENT);
    CHECK_MSG(strstr(at_error_message(), wrong ? "-1" : "0"), "%s", at_error_message());
    at_error_clear();
    CHECK_EQ(at_getNumThreads(), 3);
  }
  CHECK(at_setNumThreads(before));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(releasing_elsewhere),
                                     cmocka_unit_test(handing_out_together),
                                     cmocka_unit_test(number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
