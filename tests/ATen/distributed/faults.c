/* Calls of one rank with every allocation failing: each is an error, or succeeds, and nothing is lost. */
#include "ATenDistributed.h"
#include "th_fail.h"
#include "th_test.h"

/* Whether a failed call has left an error, and a good one none. */
static void look_at(int line, bool done)
{
  if (done != (at_error() == AT_OK))
    th_fail_at(__FILE__, line, "done is %d, and the error '%s'", done, at_error_message());
  at_error_clear();
}
#define look(DONE) look_at(__LINE__, DONE)

static void calls(void *context)
{
  AT_SCOPE
  {
    at_tensor *const t = context, *const columns = at_t(t);
    if (at_defined(columns)) {
      look(at_comm_all_reduce(columns));
      look(at_comm_reduce(columns, 0));
      look(at_comm_all_gather(columns, t));
      look(at_comm_all_to_all(t, t));
      look(at_comm_reduce_scatter(t, columns));
      at_comm_work *work;
      look(at_comm_broadcast(columns, 0, .work = &work));
      if (work)
        look(at_comm_wait(work));
    }
    at_error_clear();
    at_comm_group *const group = at_comm_split(NULL, 0, 0);
    look(group);
    at_comm_group_free(group);
  }
}

static void collectives(void **state)
{
  at_tensor *const t = at_ones(AT_SHAPE(40, 30));
  CHECK(th_fail_each(calls, t) > 20);
  at_release(t);
}

static void training(void *context)
{
  AT_SCOPE
  {
    at_module *const net = context;
    at_comm_parallel *const p = at_comm_parallel_new(net, .bucket_bytes = 64);
    if (p) {
      at_tensor *const loss = at_sum(at_forward(net, at_ones(AT_SHAPE(2, 3))));
      const bool passed = at_defined(loss) && at_backward(loss);
      look(at_comm_parallel_finish(p) && passed);
    }
    at_comm_parallel_free(p);
    at_error_clear();
    at_module_zero_grad(net);
  }
}

static void parallel(void **state)
{
  at_module *const net = at_Linear(3, 4);
  CHECK(th_fail_each(training, net) > 20);
  at_module_free(net);
}

int main(void)
{
  if (!at_comm_start(.backend = AT_COMM_ONE))
    return 1;
  if (at_comm_broadcast(NULL, 0)) /* the thread's first error makes room for messages */
    return 1;
  at_error_clear();
  const struct CMUnitTest tests[] = {cmocka_unit_test(collectives), cmocka_unit_test(parallel)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  at_comm_stop();
  return failed != 0;
}
