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

/* mylib::accumulate(total, x, by): adds x * by to total, and returns x + by. */
static bool accumulate(const at_value *arguments, at_value *results)
{
  bool good = false;
  AT_SCOPE
  {
    at_tensor *const x = arguments[1].tensor;
    good = at_defined(at_add_(arguments[0].tensor, at_mul(x, arguments[2].number)));
    results->tensor = at_escape(at_add(x, arguments[2].number));
  }
  return good && at_defined(results->tensor);
}

/* In a program that changes tensors, and in one whose nodes return what they become. */
static void changing(void **state)
{
  static const at_argument own[] = {{.name = "total", .kind = AT_KIND_TENSOR, .isWritten = true},
                                    {.name = "x", .kind = AT_KIND_TENSOR},
                                    {.name = "by", .kind = AT_KIND_DOUBLE}};
  static const at_op op = {.name = "mylib::accumulate",
                           .overload = "",
                           .argumentCount = 3,
                           .resultCount = 1,
                           .arguments = own,
                           .results = result,
                           .call = accumulate};
  static const char *const names[] = {"accumulated", "accumulated_core"};
  for (int i = 0; i < 2; i++)
    check_program_refused(program_sample(names[i], ".pt2"), "mylib.accumulate.default (4)");
  CHECK(at_op_register(&op));
  for (int i = 0; i < 2; i++)
    check_program(program_sample(names[i], ".pt2"), program_sample(names[i], ".npz"));
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

/* --- programs that are written back ----------------------------------------------------------- */

static void check_not_saved(const at_program *program, const char *path, const char *part)
{
  CHECK(!at_program_save(program, path));
  CHECK_MSG(strstr(at_error_message(), part), "'%s' is not about '%s'", at_error_message(), part);
  at_error_clear();
}

/* The program in the file computes what program does. */
static void check_saved(at_program *program, const char *path)
{
  at_dict *const recorded = load(program_sample("passes", ".npz"));
  at_program *const again = load_program(path);
  const at_tensors inputs =
      AT_TENSORS(at_dict_get(recorded, "input0"), at_dict_get(recorded, "input1"),
                 at_dict_get(recorded, "input2"));
  const at_tensors *const x = at_program_run(program, inputs), *const y =
                                                                   at_program_run(again, inputs);
  CHECK_MSG(x->count > 0 && y->count == x->count, "%s", at_error_message());
  for (int i = 0; i < x->count; i++)
    CHECK(at_equal(x->data[i], y->data[i]));
  CHECK_EQ(at_dict_count(at_program_parameters(again)),
           at_dict_count(at_program_parameters(program)));
  at_program_free(again);
  at_dict_free(recorded);
}

static void written(void **state)
{
  at_program *const program = load_program(program_sample("passes", ".pt2"));
  const char *const path = scratch("written.pt2");
  AT_SCOPE
  {
    at_tensor *const weight = at_dict_get(at_program_parameters(program), "shared.weight");
    CHECK(at_program_save(program, path));
    check_saved(program, path);
    at_add_(weight, 0.5);
    at_fill_(at_dict_get(at_program_parameters(program), "norm.running_mean"), 2);
    CHECK_MSG(at_program_save(program, path), "%s", at_error_message());
    check_saved(program, path);

    /* Over the file that it was read from. */
    at_program *const second = load_program(path);
    at_mul_(at_dict_get(at_program_parameters(second), "shared.weight"), 2);
    CHECK(at_program_save(second, path));
    check_saved(second, path);
    at_mul_(weight, 2);
    check_saved(program, path);
    at_program_free(second);

    check_not_saved(program, "/nonexistent/x.pt2", "/nonexistent/x.pt2");
    check_not_saved(NULL, path, "program is NULL");
    check_not_saved(program, NULL, "path is NULL");
    at_set_tensor_(weight, at_zeros(AT_SHAPE(100)));
    CHECK_EQ(at_error(), AT_OK);
    check_not_saved(program, path, "'shared.weight' has memory for 100 elements");
  }
  at_program_free(program);

  /* A file that has become another one. */
  at_program *const lost = load_program(path);
  size_t size;
  uint8_t *const other = read_file(program_sample("residual", ".pt2"), &size);
  write_file(path, other, size);
  free(other);
  check_not_saved(lost, path, "written.pt2");
  at_program_free(lost);
  unlink(path);

  at_program *const old = load_program(program_sample("flat", ".pt2"));
  check_not_saved(old, scratch("x.pt2"), "PyTorch 2.9 and later");
  at_program_free(old);
  at_program *const packed = load_program(program_sample("packed", ".pt2"));
  check_not_saved(packed, scratch("x.pt2"), "weights of several tensors");
  at_program_free(packed);
  CHECK_EQ(scratch_count(), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {PROGRAM_TEST(registered), PROGRAM_TEST(changing),
                                     PROGRAM_TEST(incomplete), PROGRAM_TEST(timed),
                                     PROGRAM_TEST(written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
