/* Sequences and optional values that are inputs and outputs of programs (tests/oracle/onnx_programs.py). */
#include <unistd.h>

#include "programs.h"

enum { INPUTS = 4, OUTPUTS = 6, MOST_PARTS = 3 };

static const at_tensors nothing = {NULL, 0};

/* What each input is given. */
typedef struct Lists {
  at_tensor *parts[INPUTS][MOST_PARTS];
  at_tensors list[INPUTS];
} Lists;

static const char *entry(const char *what, int i, int k)
{
  static char name[40];
  snprintf(name, sizeof name, "%s%d.%d", what, i, k);
  return name;
}

static void recorded_lists(const at_dict *recorded, Lists *lists)
{
  for (int i = 0; i < INPUTS; i++) {
    int k = 0;
    for (; at_dict_has(recorded, entry("input", i, k)); k++) {
      CHECK(k < MOST_PARTS);
      lists->parts[i][k] = at_dict_get(recorded, entry("input", i, k));
    }
    lists->list[i] = (at_tensors){lists->parts[i], k};
  }
}

/* Inputs that no file records: two that are lists, and two that are missing. */
static void made_lists(Lists *lists)
{
  for (int k = 0; k < 2; k++) {
    lists->parts[0][k] = at_ones(AT_SHAPE(k + 1));
    lists->parts[1][k] = at_full(AT_SHAPE(1), k);
  }
  lists->parts[2][0] = lists->parts[3][0] = NULL;
  for (int i = 0; i < INPUTS; i++)
    lists->list[i] = (at_tensors){lists->parts[i], i < 2 ? 2 : 1};
}

/* --- values ----------------------------------------------------------------------------------- */

static void check_recorded(at_program *program, const at_dict *recorded, const at_tensors *y)
{
  int count = 0;
  CHECK_MSG(at_error() == AT_OK, "%s", at_error_message());
  for (int i = 0; i < OUTPUTS; i++) {
    const at_tensors list = at_program_result(program, i);
    CHECK(!at_dict_has(recorded, entry("output", i, list.count)));
    for (int k = 0; k < list.count; k++) {
      at_tensor *const wanted = at_dict_get(recorded, entry("output", i, k));
      th_note("output %d.%d", i, k);
      CHECK(list.data[k] == y->data[count++]);
      CHECK(at_typeOf(list.data[k]) == at_typeOf(wanted));
      CHECK(at_equal(list.data[k], wanted));
    }
  }
  CHECK_EQ(count, y->count);
}

static void listed(void **state)
{
  at_program *const program = load_program(program_sample("onnx/listed", ".onnx"));
  at_dict *const recorded = at_load(program_sample("onnx/listed", ".npz"));
  Lists lists;
  CHECK_EQ(at_program_result(program, 0).count, 0);
  CHECK_MSG(strstr(at_error_message(), "no results"), "%s", at_error_message());
  at_error_clear();
  AT_SCOPE
  {
    recorded_lists(recorded, &lists);
    for (int again = 0; again < 2; again++)
      check_recorded(program, recorded, at_program_runLists(program, lists.list, INPUTS));
    CHECK_EQ(at_program_result(program, OUTPUTS).count, 0);
    CHECK_MSG(strstr(at_error_message(), "index is 6, of 6"), "%s", at_error_message());
    at_error_clear();
  }
  at_dict_free(recorded);
  at_program_free(program);
}

/* Optional values that are missing, and sequences of nothing; results become inputs. */
static void missing(void **state)
{
  at_program *const program = load_program(program_sample("onnx/listed", ".onnx"));
  AT_SCOPE
  {
    Lists lists;
    made_lists(&lists);
    const at_tensors *y = at_program_runLists(program, lists.list, INPUTS);
    CHECK_MSG(y->count == 8, "%s", at_error_message());
    CHECK(!at_program_result(program, 3).data[0]);
    CHECK_EQ(at_program_result(program, 4).count, 0);
    CHECK_EQ(at_item_long(at_program_result(program, 5).data[0]), 0);
    const at_tensors again[INPUTS] = {at_program_result(program, 0), at_program_result(program, 2),
                                      lists.list[2], nothing};
    y = at_program_runLists(program, again, INPUTS);
    CHECK_MSG(y->count == 8, "%s", at_error_message());
    /* (1.5 (1 + 1) + 1) 1.5 */
    CHECK_EQ(at_item_double(at_select(y->data[1], 0, 1)), 6);
    const at_tensors empty[INPUTS] = {nothing, nothing, lists.list[2], nothing};
    y = at_program_runLists(program, empty, INPUTS);
    CHECK_MSG(y->count == 2, "%s", at_error_message());
  }
  CHECK_EQ(at_error(), AT_OK);
  at_program_free(program);
}

static void described(void **state)
{
  at_program *const program = load_program(program_sample("onnx/listed", ".onnx"));
  char *const text = at_program_toString(program);
  CHECK(at_program_input(program, 0).isList && !at_program_input(program, 0).mayMiss);
  CHECK(!at_program_input(program, 2).isList && at_program_input(program, 2).mayMiss);
  CHECK(at_program_input(program, 3).isList && at_program_input(program, 3).mayMiss);
  CHECK(at_program_output(program, 0).isList && !at_program_output(program, 5).isList);
  CHECK_MSG(strstr(text, "parts  list of Float [?]\n"), "%s", text);
  CHECK_MSG(strstr(text, "x  Float [n x 3] or None\n"), "%s", text);
  CHECK_MSG(strstr(text, "rest  list of Float [...] or None\n"), "%s", text);
  at_string_free(text);
  at_program_free(program);
}

/* One sequence among the inputs takes what the others leave. */
static void dealt(void **state)
{
  at_program *const program = load_program(program_sample("onnx/dealt", ".onnx"));
  AT_SCOPE
  {
    at_tensor *const x = at_ones(AT_SHAPE(2)), *const y = at_full(AT_SHAPE(3), 2);
    const at_tensors *r = at_program_run(program, AT_TENSORS(x, x, y, y, x));
    CHECK_MSG(r->count == 4, "%s", at_error_message());
    CHECK(at_equal(r->data[0], x) && at_equal(r->data[1], y) && at_equal(r->data[2], y));
    CHECK(at_equal(r->data[3], x));
    r = at_program_run(program, AT_TENSORS(x, y));
    CHECK_MSG(r->count == 1 && at_equal(r->data[0], x), "%s", at_error_message());
    CHECK_EQ(at_program_run(program, AT_TENSORS(x))->count, 0);
    CHECK_MSG(strstr(at_error_message(), "1 inputs are given, and the program has 3"), "%s",
              at_error_message());
    at_error_clear();
  }
  at_program_free(program);
}

/* --- errors ----------------------------------------------------------------------------------- */

static void check_fails(at_program *program, const at_tensors *lists, int count, const char *part)
{
  CHECK_EQ(at_program_runLists(program, lists, count)->count, 0);
  CHECK_MSG(strstr(at_error_message(), part), "'%s' is not about '%s'", at_error_message(), part);
  at_error_clear();
}

static void refused(void **state)
{
  at_program *const program = load_program(program_sample("onnx/listed", ".onnx"));
  AT_SCOPE
  {
    Lists lists;
    made_lists(&lists);
    check_fails(NULL, lists.list, INPUTS, "program is NULL");
    check_fails(program, NULL, INPUTS, "inputs has 4 lists and is NULL");
    check_fails(program, lists.list, -1, "inputs has -1 lists");
    check_fails(program, lists.list, 3, "3 lists are given, and the program has 4 inputs");
    CHECK_EQ(at_program_run(program, lists.list[0])->count, 0);
    CHECK_MSG(strstr(at_error_message(), "3 inputs of the program are lists"), "%s",
              at_error_message());
    at_error_clear();
    lists.list[0].count = 1;
    check_fails(program, lists.list, INPUTS, "sequences of 1 and 2 tensors are mapped");
    lists.list[0].count = -1;
    check_fails(program, lists.list, INPUTS, "inputs[0] has -1 entries");
    lists.list[0] = lists.list[2];
    check_fails(program, lists.list, INPUTS, "input 0, parts[0], is NULL");
    lists.list[0] = lists.list[1];
    lists.list[2] = lists.list[1];
    check_fails(program, lists.list, INPUTS, "input 2, x, is a list of 2 tensors");
    lists.list[2].count = 1;
    check_fails(program, lists.list, INPUTS, "input 2, x, is CPUFloatType [1], and has to be");
    made_lists(&lists);
    lists.parts[0][1] = at_ones(AT_SHAPE(1, 1));
    check_fails(program, lists.list, INPUTS, "input 0, parts[1], is CPUFloatType [1 x 1]");
    lists.parts[0][1] = at_ones(AT_SHAPE(1), .type = AT_CPU(AT_LONG));
    check_fails(program, lists.list, INPUTS, "input 0, parts[1], is CPULongType [1]");
  }
  at_program_free(program);
}

/* --- hostile files, failing allocations --------------------------------------------------------- */

static at_program *tried;

static void run_lists(void *context)
{
  tried = at_program_load(context);
  if (tried)
    AT_SCOPE
    {
      Lists lists;
      made_lists(&lists);
      for (int i = 0; i < INPUTS; i++)
        for (int k = 0; k < lists.list[i].count; k++)
          if (lists.parts[i][k] && !at_defined(lists.parts[i][k]))
            lists.list[i].count = 0;
      if (at_error() == AT_OK)
        (void)at_program_runLists(tried, lists.list, INPUTS);
    }
}

static void run_or_raise(void *context)
{
  run_lists(context);
  if (at_error() != AT_OK) {
    at_error_clear();
    THError("it failed");
  }
}

static void done(void *context)
{
  at_program_free(tried);
  tried = NULL;
}

static void damaged(void **state)
{
  size_t size;
  uint8_t *const bytes = read_file(program_sample("onnx/listed", ".onnx"), &size);
  for (size_t i = 0; i < 2 * size; i++) {
    const uint8_t kept = bytes[i % size];
    bytes[i % size] ^= (uint8_t)(1 << (i < size ? i : 3 * i + 1) % 8);
    run_lists((char *)write_file(scratch("edited.onnx"), bytes, size));
    done(NULL);
    at_error_clear();
    bytes[i % size] = kept;
  }
  free(bytes);
  unlink(scratch("edited.onnx"));
}

static void faults(void **state)
{
  char path[600];
  snprintf(path, sizeof path, "%s", program_sample("onnx/listed", ".onnx"));
  const THFailCase stages = {.body = run_or_raise, .teardown = done};
  CHECK(th_fail(&stages, path) > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      PROGRAM_TEST(listed),  PROGRAM_TEST(missing), PROGRAM_TEST(described), PROGRAM_TEST(dealt),
      PROGRAM_TEST(refused), PROGRAM_TEST(damaged), PROGRAM_TEST(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
