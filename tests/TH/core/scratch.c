/* Buffers of kernels: one behind the other, and there even where there is no memory. */
#include "TH/core/THScratch.h"

#include <pthread.h>

#include "TH.h"
#include "th_fail.h"
#include "th_test.h"

static void fill_some(int depth)
{
  TH_SCRATCH(unsigned char, buffer, 1000 + depth);
  CHECK_EQ((uintptr_t)buffer % 64, 0);
  memset(buffer, depth, (size_t)(1000 + depth));
  if (depth < 50)
    fill_some(depth + 1);
  for (int i = 0; i < 1000 + depth; i++)
    CHECK_EQ(buffer[i], depth);
}

static void nested(void **state)
{
  char *const before = THScratch_take(1);
  THScratch_give(1);
  fill_some(0);
  CHECK(THScratch_take(1) == before);
  THScratch_give(1);
}

/* --- without memory --------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 200 };

typedef struct Taker {
  pthread_t thread;
  double sum;
} Taker;

static void *take(void *taker)
{
  for (int round = 0; round < ROUNDS; round++)
    fill_some(round % 51);
  THDoubleTensor *const rows = THDoubleTensor_newWithSize2d(40, 50), *const r =
                                                                         THDoubleTensor_new();
  THDoubleTensor_fill(rows, 0.5);
  THDoubleTensor_transpose(rows, NULL, 0, 1);
  THDoubleTensor_sum(r, rows, 0, 1);
  ((Taker *)taker)->sum = THDoubleTensor_sumall(r);
  THDoubleTensor_free(r);
  THDoubleTensor_free(rows);
  return NULL;
}

/* New threads, none of which finds memory for a block. */
static void in_turns(void **state)
{
  Taker taker[THREADS] = {{0}};
  th_fail_above(100 << 10);
  for (int k = 0; k < THREADS; k++)
    CHECK(pthread_create(&taker[k].thread, NULL, take, &taker[k]) == 0);
  for (int k = 0; k < THREADS; k++)
    CHECK(pthread_join(taker[k].thread, NULL) == 0);
  th_fail_above(SIZE_MAX);
  for (int k = 0; k < THREADS; k++)
    CHECK_EQ(taker[k].sum, 1000);
}

/* What a thread had is given back when it ends. */
static void given_back(void **state)
{
  const int before = th_fail_live();
  in_turns(state);
  Taker taker = {0};
  CHECK(pthread_create(&taker.thread, NULL, take, &taker) == 0);
  CHECK(pthread_join(taker.thread, NULL) == 0);
  CHECK_EQ(taker.sum, 1000);
  CHECK_EQ(th_fail_live(), before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nested), cmocka_unit_test(in_turns),
                                     cmocka_unit_test(given_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
