/* THAtomic: results of each operation, and that concurrent ones do not lose any. */
#include "th_test.h"

#include <pthread.h>

#define TYPES(X) \
  X(, int32_t, INT32_MAX) X(Long, int64_t, INT64_MAX) X(Ptrdiff, ptrdiff_t, PTRDIFF_MAX)

#define CHECK_SUMS(SUFFIX, TYPE, MOST)                  \
  static void check_sums##SUFFIX(TYPE volatile *a)      \
  {                                                     \
    THAtomicSet##SUFFIX(a, MOST);                       \
    assert_true(*a == MOST);                            \
    assert_true(THAtomicGet##SUFFIX(a) == MOST);        \
    assert_true(THAtomicAdd##SUFFIX(a, -5) == MOST);    \
    assert_true(*a == MOST - 5);                        \
    assert_true(THAtomicAdd##SUFFIX(a, 6) == MOST - 5); \
    assert_true(*a == -MOST - 1); /* the sum wraps */   \
  }
TYPES(CHECK_SUMS)

#define CHECK_SWAPS(SUFFIX, TYPE, MOST)                                    \
  static void check_swaps##SUFFIX(TYPE volatile *a)                        \
  {                                                                        \
    THAtomicSet##SUFFIX(a, MOST - 9);                                      \
    assert_int_equal(THAtomicCompareAndSwap##SUFFIX(a, MOST - 8, 1), 0);   \
    assert_true(*a == MOST - 9);                                           \
    assert_int_equal(THAtomicCompareAndSwap##SUFFIX(a, MOST - 9, 385), 1); \
    assert_int_equal(*a, 385);                                             \
  }
TYPES(CHECK_SWAPS)

#define CHECK_TYPE(SUFFIX, TYPE, MOST)             \
  static void type##SUFFIX(void **state)           \
  {                                                \
    (void)state;                                   \
    TYPE volatile a = -7;                          \
    assert_int_equal(THAtomicGet##SUFFIX(&a), -7); \
    check_sums##SUFFIX(&a);                        \
    check_swaps##SUFFIX(&a);                       \
  }
TYPES(CHECK_TYPE)
static void references(void **state)
{
  (void)state;
  int32_t volatile count = 1;
  THAtomicIncrementRef(&count);
  assert_int_equal(count, 2);
  assert_int_equal(THAtomicDecrementRef(&count), 0);
  assert_int_equal(THAtomicDecrementRef(&count), 1);
  assert_int_equal(count, 0);
}

enum { THREADS = 4, ROUNDS = 20000 };

static int32_t volatile added, swapped, shared_count, last_ones;
static int64_t volatile added_long;
static ptrdiff_t volatile added_ptrdiff;

static void *contend(void *unused)
{
  for (int i = 0; i < ROUNDS; i++) {
    THAtomicAdd(&added, 3);
    THAtomicAddLong(&added_long, INT64_C(1) << 33);
    THAtomicAddPtrdiff(&added_ptrdiff, -5);
    int32_t seen;
    do
      seen = THAtomicGet(&swapped);
    while (!THAtomicCompareAndSwap(&swapped, seen, seen + 2));
    THAtomicIncrementRef(&shared_count);
    if (THAtomicDecrementRef(&shared_count))
      THAtomicAdd(&last_ones, 1);
  }
  if (THAtomicDecrementRef(&shared_count))
    THAtomicAdd(&last_ones, 1);
  return unused;
}

static void concurrent(void **state)
{
  (void)state;
  pthread_t thread[THREADS];
  shared_count = THREADS;
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, contend, NULL), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  assert_int_equal(added, 3 * THREADS * ROUNDS);
  assert_true(added_long == ((int64_t)THREADS * ROUNDS << 33));
  assert_int_equal(added_ptrdiff, -5 * THREADS * ROUNDS);
  assert_int_equal(swapped, 2 * THREADS * ROUNDS);
  assert_int_equal(shared_count, 0);
  assert_int_equal(last_ones, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(type),       cmocka_unit_test(typeLong),   cmocka_unit_test(typePtrdiff),
      cmocka_unit_test(references), cmocka_unit_test(concurrent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
