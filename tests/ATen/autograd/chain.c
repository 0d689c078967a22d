/* A chain of 100,000 operations, made, walked and freed in a small stack. */
#include <pthread.h>

#include "ATen.h"
#include "th_test.h"

static void *long_chain(void *unused)
{
  AT_SCOPE
  {
    at_tensor *x = at_requires_grad_(at_ones(AT_SHAPE(2)));
    at_tensor *y = at_keep(at_mul(x, 1));
    for (int i = 0; i < 100000; i++)
      AT_SCOPE
      {
        at_tensor *next = at_keep(at_add(y, 1));
        at_release(y);
        y = next;
      }
    CHECK(at_backward(at_sum(y)));
    at_release(y);
    CHECK(at_item_double(at_sum(at_grad(x))) == 2);
  }
  return NULL;
}

static void stack(void **state)
{
  pthread_attr_t attributes;
  pthread_t thread;
  CHECK(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, 64 << 10));
  CHECK(!pthread_create(&thread, &attributes, long_chain, NULL));
  CHECK(!pthread_join(thread, NULL) && !pthread_attr_destroy(&attributes));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stack)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
