/* Functions in parallel regions of the program's. */
#include <omp.h>

#include "TH.h"
#include "th_test.h"

/* Functions that give each thread of a loop its own memory run on one thread there. */
static void inside(void **state)
{
  enum { THREADS = 4, LINE = 3000 };
  int right[THREADS] = {0};
#pragma omp parallel num_threads(THREADS)
  {
    THFloatTensor *x = THFloatTensor_newWithSize1d(LINE), *y = THFloatTensor_new();
    THLongTensor *at = THLongTensor_new();
    for (int i = 0; i < LINE; i++)
      THFloatTensor_set1d(x, i, (float)(i * 7 % LINE));
    THFloatTensor_sort(y, at, x, 0, 0);
    int good = 1;
    for (int i = 0; i < LINE; i++)
      good &= THFloatTensor_get1d(y, i) == (float)i;
    THFloatTensor_histc(y, x, 10, 0, LINE);
    for (int i = 0; i < 10; i++)
      good &= THFloatTensor_get1d(y, i) == LINE / 10;
    right[omp_get_thread_num()] = good;
    THLongTensor_free(at);
    THFloatTensor_free(y);
    THFloatTensor_free(x);
  }
  for (int i = 0; i < THREADS; i++)
    assert_true(right[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(inside)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
