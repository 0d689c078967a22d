/* Operations that a user registers, and times of nodes. */
#include <unistd.h>

#include "programs.h"

/* --- operations ------------------------------------------------------------------------------- */

static int calls;

/* mylib::scale(x, by, offsets): x * by + the sum of offsets. */
static bool scale(const at_value *arguments, at_value *results)
{
  int64_t sum = 0;
  for (int i = 0; i < arguments[2].ints.count; i++)
    sum += arguments[2].ints.data[i];
  calls++;
  AT_SCOPE
  {
    results->tensor = at_escape(at_add(at_mul(arguments[0].tensor, arguments[1].number), sum));
  }
  return at_defined(results->tensor);
}

static const at_argument arguments[] = {{.name = "x", .kind = AT_KIND_TENSOR},
                                        {.name = "by", .kind = AT_KIND_DOUBLE},
                                        {.name = "offsets", .kind = AT_KIND_INTS}},
                         result[] = {{.name = "result", .kind = AT_KIND_TENSOR, .alias = -1}};

static const at_op scaling = {.name = "mylib::scale",
                              .overload = "",
                              .argumentCount = 3,
                              .resultCount = 1,
                              .arguments = arguments,
                              .results = result,
                              .call = scale};

static void registered(void **state)
{
  check_program_refused(program_sample("own", ".pt2"), "mylib.scale.default (1)");
  CHECK(at_op_register(&scaling));
  check_program(program_sample("own", ".pt2"), program_sample("own", ".npz"));
  CHECK_EQ(calls, 1);
}

static void check_not_registered(const at_op *op, at_error_code code)
{
  CHECK(!at_op_register(op));
  CHECK_EQ(at_error(), code);
  at_error_clear();
}

static void incomplete(void **state)
{
  at_op op = scaling;
  check_not_registered(NULL, AT_ERROR_NULL);
  op.call = NULL;
  check_not_registered(&op, AT_ERROR_NULL);
  op = scaling;
  op.name = "scale";
  check_not_registered(&op, AT_ERROR_ARGUMENT);
  op.name = "mylib::";
  check_not_registered(&op, AT_ERROR_ARGUMENT);
  op = scaling;
  op.argumentCount = 1000;
  check_not_registered(&op, AT_ERROR_ARGUMENT);
}

/* --- times ------------------------------------------------------------------------------------ */

static void timed(void **state)
{
  at_program *const program = load_program(program_sample("nested", ".pt2"));
  at_dict *const recorded = load(program_sample("nested", ".npz"));
  check_run(program, recorded, "output");
  CHECK(at_program_setTiming(program, true));
  check_run(program, recorded, "output");
  check_run(program, recorded, "output");
  char *const table = at_program_timings(program);
  CHECK(table && strstr(table, "ms      %    nodes     runs  target\n"));
  CHECK(strstr(table, "        1        2  higher_order.while_loop"));
  CHECK(strstr(table, "        1        8  aten.lt.Tensor")); /* four times in each run */
  at_string_free(table);

  const char *const path = scratch("trace.json");
  CHECK(at_program_saveTrace(program, path));
  size_t size;
  char *const trace = (char *)read_file(path, &size);
  CHECK(!strncmp(trace, "{\"traceEvents\":[\n{\"name\":\"", 25));
  CHECK(size > 5 && !memcmp(trace + size - 5, "}\n]}\n", 5));
  free(trace);
  unlink(path);
  CHECK(!at_program_saveTrace(program, "/nonexistent/trace.json") && at_error() != AT_OK);
  at_error_clear();
  at_dict_free(recorded);
  at_program_free(program);
}

int main(void)
{
  const struct CMUnitTest tests[] = {PROGRAM_TEST(registered), PROGRAM_TEST(incomplete),
                                     PROGRAM_TEST(timed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
