/* Programs that are damaged, or made to harm, are errors. */
#define _GNU_SOURCE /* memmem, wait4 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs.h"

static at_tensors inputs(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(2, 3));
  return (at_tensors){buffer, 1};
}

static void truncated(void **state)
{
  size_t size;
  uint8_t *const bytes = read_file(program_sample("regions", ".pt2"), &size);
  for (size_t length = 1; length < size; length += 13)
    check_program_refused(write_file(scratch("edited.pt2"), bytes, length), "edited.pt2");
  free(bytes);
  unlink(scratch("edited.pt2"));
}

/* Each byte in turn becomes others that mean something in JSON and archives. */
static void changed(void **state)
{
  static const uint8_t others[] = {'0', '"', '}', '[', 0xff};
  size_t size;
  const char *const copy = edited("regions", "torch.ops", "torch.ops"); /* without checksums */
  uint8_t *const bytes = read_file(copy, &size);
  for (size_t i = 0; i < size; i++) {
    const uint8_t kept = bytes[i];
    bytes[i] = others[i % sizeof others];
    write_file(scratch("edited.pt2"), bytes, size);
    try_program(scratch("edited.pt2"), inputs);
    bytes[i] = kept;
  }
  free(bytes);
  unlink(scratch("edited.pt2"));
}

#define REFUSED(NAME, FROM, TO, PART) check_program_refused(edited(NAME, FROM, TO), PART)

static void refused(void **state)
{
  REFUSED("regions", "aten.exp.default", "aten.eyp.default",
          "1 of its 5 nodes call operations that are not here, or in a way that is not: "
          "aten.eyp.default (1)");
  REFUSED("regions", "\"major\": 8", "\"major\": 9", "its schema is version 9.");
  REFUSED("regions", "{\"name\": \"mul\"}}, \"kind\"", "{\"name\": \"nul\"}}, \"kind\"",
          "nothing makes the value 'nul'");
  REFUSED("regions", "{\"name\": \"exp\"}}], \"meta", "{\"name\": \"mul\"}}], \"meta",
          "two values are called 'mul'");
  REFUSED("regions", "\"as_int\": 2}", "\"as_int\": x}", "line 1");
  REFUSED("regions", "\"as_int\": 2}", "\"as_imt\": 2}", "aten.mul.Tensor (1)");
  REFUSED("regions", "\"as_int\": 2}", "\"as_int\":\"\"}", "not of the type that its name says");
  REFUSED("regions", "\"nodes\": [", "\"nodes\": {", "line 1");
  REFUSED("regions", "\"user_input\"", "\"custom_obj\"", "custom_obj");
  REFUSED("state", "\"path_name\": \"weight_0\"", "\"path_name\": \"weight_9\"", "weight_9");
  REFUSED("state", "\"buffer_name\": \"steps\"", "\"buffer_name\": \"step_\"", "no tensor 'step_'");
  REFUSED("state", "\"dtype\": 5", "\"dtype\": 9", "element type 9, which is not here");
  REFUSED("residual", "\"sizes\": [{\"as_int\": 4}", "\"sizes\": [{\"as_int\": 5}", "does not fit");
  REFUSED("residual", "\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": 1}",
          "does not fit");
  REFUSED("packed", "\"as_string\": \"qdata\"", "\"as_string\": \"qdatb\"",
          "no tensor 'first.weight.qdatb'");
  REFUSED("packed", "\"as_string\": \"qdata\"", "\"as_strinx\": \"qdata\"",
          "nothing makes the value 'p_first_weight'");
  REFUSED("packed", "\"name\": \"p_first_weight\"", "\"name\": \"p_first_weighs\"",
          "no tensor 'first.weight'");
  REFUSED("packed", "\"input_specs\"", "\"input_spics\"", "input_specs");
  unlink(scratch("edited.pt2"));
  check_program_refused("/nonexistent/x.pt2", "cannot read it");
  check_program_refused(program_sample("regions", ".npz"), "no program");
}

/* What only a run finds out. */
static void failing(void **state)
{
  at_program *program = load_program(edited("regions", "\"as_ints\": [0]", "\"as_ints\": [7]"));
  at_tensor *const x = at_ones(AT_SHAPE(2, 3));
  CHECK_EQ(at_program_run(program, AT_TENSORS(x))->count, 0);
  CHECK_MSG(strstr(at_error_message(), "edited.pt2:5: sum: "), "%s", at_error_message());
  at_error_clear();
  at_program_free(program);
  at_release(x);

  /* The program asserts that fewer than 100 are kept. */
  program = load_program(program_sample("pairs", ".pt2"));
  AT_SCOPE
  {
    at_tensor *const tokens = at_ones(AT_SHAPE(20, 20), .type = AT_CPU(AT_LONG)),
                     *const keep = at_ones(AT_SHAPE(20, 20), .type = AT_CPU(AT_BOOL));
    CHECK_EQ(at_program_run(program, AT_TENSORS(tokens, keep))->count, 0);
  }
  CHECK_EQ(at_error(), AT_ERROR_ARGUMENT);
  CHECK_MSG(strstr(at_error_message(), "aten._assert_scalar.default: "), "%s", at_error_message());
  at_error_clear();
  at_program_free(program);
  unlink(scratch("edited.pt2"));
}

/* A run that ends with that part of a message. */
static void fails(const char *path, at_tensors inputs, const char *part)
{
  at_program *const program = load_program(path);
  CHECK_EQ(at_program_run(program, inputs)->count, 0);
  CHECK_MSG(strstr(at_error_message(), part), "%s", at_error_message());
  at_error_clear();
  at_program_free(program);
}

/* Sparse tensors with an index out of range, or of another number of dimensions; scaled products of types and scales
 * that do not fit. */
static void products(void **state)
{
  AT_SCOPE
  {
    fails(program_sample("sparse", ".pt2"),
          AT_TENSORS(at_full(AT_SHAPE(2, 5), 4, .type = AT_CPU(AT_LONG)), at_ones(AT_SHAPE(5)),
                     at_ones(AT_SHAPE(4, 2))),
          "sparse.pt2:8: index_put: index 4 is out of range");
    fails(edited("sparse", "\"as_ints\": [5, 4]", "\"as_ints\": [20]  "),
          AT_TENSORS(at_zeros(AT_SHAPE(2, 5), .type = AT_CPU(AT_LONG)), at_ones(AT_SHAPE(5)),
                     at_ones(AT_SHAPE(4, 2))),
          "make no sparse tensor of size [20]");
    at_tensor *const x = at_ones(AT_SHAPE(16, 32));
    fails(edited("scaled", "{\"as_scalar_type\": 7}, \"kind\": 1}]",
                 "{\"as_scalar_type\": 29}, \"kind\":1}]"),
          AT_TENSORS(x, x, at_ones(AT_SHAPE(16))), "out_dtype is not given, or of 8 bits");
    fails(edited("scaled", "\"scale_b\", \"arg\": {\"as_tensor\": {\"name\": \"detach__1\"}}",
                 "\"scale_b\", \"arg\": {\"as_tensor\": {\"name\": \"to_1\"}}     "),
          AT_TENSORS(x, x, at_ones(AT_SHAPE(16))),
          "scale_b is of Float and of size [16 x 32], which is no scale");
  }
  unlink(scratch("edited.pt2"));
}

/* Lists of lists are refused before jansson reads them. */
static void deep(void **state)
{
  size_t size;
  uint8_t *const bytes = read_file(edited("regions", "torch.ops", "torch.ops"), &size);
  uint8_t *const at = memmem(bytes, size, "{\"graph_module\"", 15);
  memset(at, '[', 1000);
  write_file(scratch("edited.pt2"), bytes, size);
  check_program_refused(scratch("edited.pt2"), "deeper than 100");
  free(bytes);
  unlink(scratch("edited.pt2"));
}

/* Archives without a graph: of AOTInductor, which has the same layout, and of nobody. */
static void graphless(void **state)
{
  static const char graph[] = "models/model.json", *const others[] = {"data/aotinductor/",
                                                                      "models/other.json"};
  static const char *const parts[] = {"AOTInductor",
                                      "'models/model.json' of the archive is missing"};
  for (int i = 0; i < 2; i++) {
    size_t size;
    uint8_t *const bytes = read_file(program_sample("tiny", ".pt2"), &size);
    for (uint8_t *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), graph, strlen(graph)));)
      memcpy(at, others[i], strlen(graph));
    check_program_refused(write_file(scratch("edited.pt2"), bytes, size), parts[i]);
    free(bytes);
  }
  unlink(scratch("edited.pt2"));
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Operations on lists of tensors whose lists have other lengths. */
static void lists(void **state)
{
  static const char whole[] =
      "{\"schema_version\": {\"major\": 8, \"minor\": 1}, \"graph_module\": {\"graph\": {"
      "\"inputs\": [{\"as_tensor\": {\"name\": \"x\"}}], \"outputs\": [], \"nodes\": [{"
      "\"target\": \"torch.ops.aten._foreach_add.List\", \"inputs\": ["
      "{\"name\": \"self\", \"arg\": {\"as_tensors\": [{\"name\": \"x\"}, {\"name\": \"x\"}]}}, "
      "{\"name\": \"other\", \"arg\": {\"as_tensors\": [%s]}}], "
      "\"outputs\": [{\"as_tensors\": [%s]}]}]}}}";
  static const struct {
    const char *other, *outputs, *part;
  } cases[] = {
      {"{\"name\": \"x\"}", "", "1 values in 'other', and tensor 1"},
      {"{\"name\": \"x\"}, {\"name\": \"x\"}", "{\"name\": \"y\"}", "1 results, and tensor 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[sizeof whole + 200];
    const int length = snprintf(text, sizeof text, whole, cases[i].other, cases[i].outputs);
    check_program_refused(with_graph(text, (size_t)length), cases[i].part);
  }
  unlink(scratch("edited.pt2"));
}

/* --- arguments -------------------------------------------------------------------------------- */

/* Nodes with values of another kind than their arguments have: n is an integer. */
static void kinds(void **state)
{
  static const char whole[] =
      "{\"schema_version\": {\"major\": 8, \"minor\": 1}, \"range_constraints\": {}, "
      "\"graph_module\": {\"graph\": {\"inputs\": [{\"as_tensor\": {\"name\": \"x\"}}], "
      "\"outputs\": [{\"as_tensor\": {\"name\": \"y\"}}], \"nodes\": [{"
      "\"target\": \"torch.ops.aten.sym_size.int\", \"inputs\": ["
      "{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}}, "
      "{\"name\": \"dim\", \"arg\": {\"as_int\": 0}}], "
      "\"outputs\": [{\"as_sym_int\": {\"as_name\": \"n\"}}]}, "
      "{\"target\": \"torch.ops.aten.%s\", \"inputs\": [%s], "
      "\"outputs\": [{\"as_tensor\": {\"name\": \"y\"}}]}], \"tensor_values\": {"
      "\"x\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 3}]}, "
      "\"y\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 3}]}}}, "
      "\"signature\": {\"input_specs\": [{\"user_input\": {\"arg\": {\"as_tensor\": "
      "{\"name\": \"x\"}}}}], \"output_specs\": [{\"user_output\": {\"arg\": {\"as_tensor\": "
      "{\"name\": \"y\"}}}}]}}}";
#define ARGUMENT(NAME, KIND, VALUE) "{\"name\": \"" NAME "\", \"arg\": {\"" KIND "\": " VALUE "}}"
#define TENSOR(NAME)                ARGUMENT(NAME, "as_tensor", "{\"name\": \"x\"}")
  static const struct {
    const char *target, *inputs, *part;
  } cases[] = {
      {"pad_sequence.default",
       ARGUMENT("sequences", "as_tensors", "[{\"name\": \"x\"}, {\"name\": \"n\"}]"),
       "sequences[1] is no tensor"},
      {"linspace.Tensor_Tensor",
       ARGUMENT("start", "as_string", "\"x\"") ", " TENSOR("end") ", " ARGUMENT("steps", "as_int",
                                                                                "2"),
       "start is no number"},
      {"_fake_quantize_learnable_per_channel_affine.default",
       TENSOR("self") ", " TENSOR("scale") ", " TENSOR("zero_point") ", " ARGUMENT(
           "axis", "as_int",
           "-9000000000000000000") ", " ARGUMENT("quant_min", "as_int",
                                                 "0") ", " ARGUMENT("quant_max", "as_int", "9"),
       "axis is -9000000000000000000"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[sizeof whole + 600];
    const int length = snprintf(text, sizeof text, whole, cases[i].target, cases[i].inputs);
    at_program *const program = load_program(with_graph(text, (size_t)length));
    AT_SCOPE
    {
      CHECK_EQ(at_program_run(program, AT_TENSORS(at_ones(AT_SHAPE(3))))->count, 0);
    }
    CHECK_MSG(strstr(at_error_message(), cases[i].part), "%s", at_error_message());
    at_error_clear();
    at_program_free(program);
  }
  unlink(scratch("edited.pt2"));
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The peak memory of a process that loads the file, minus that of one that loads nothing. */
static int64_t memory_of(const char *path)
{
  int64_t most[2];
  for (int i = 0; i < 2; i++) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      at_program_free(at_program_load(i == 0 ? "/no such file" : path));
      _exit(0);
    }
    int status;
    struct rusage usage;
    CHECK(wait4(child, &status, 0, &usage) == child && WIFEXITED(status));
    most[i] = (int64_t)usage.ru_maxrss << 10;
  }
  return most[1] - most[0];
}

/* JSON whose values take many times its length takes no more than ATenProgram.h says. */
static void memory(void **state)
{
  static const char *const pieces[] = {
      "{},", "[],", "0,", "\"\",", "{\"a\":1},", "[[[[]]]],", "{\"a\":{\"b\":{\"c\":{}}}},"};
  enum { BYTES = 1 << 20 };
  char *const text = malloc(BYTES + 100);
  for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
    size_t length = (size_t)sprintf(text, "{\"graph_module\": [");
    while (length < BYTES)
      length += (size_t)sprintf(text + length, "%s", pieces[k]);
    length += (size_t)sprintf(text + length, "0]}");
    const char *const path = with_graph(text, length);
    const int64_t taken = memory_of(path);
    printf("%s: %zu bytes take %lld\n", pieces[k], length, (long long)taken);
#ifndef TH_SANITIZED /* sanitizers need memory of their own */
    CHECK_MSG(taken <= 64 * (int64_t)length + (4 << 20), "%s take %lld", pieces[k],
              (long long)taken);
#endif
  }
  free(text);
  unlink(scratch("edited.pt2"));
}

/* A file of ONNX that names a column with a weight, 2^31 columns from the others, takes no memory for those. */
static void far_column(void **state)
{
  const int64_t taken = memory_of(program_sample("onnx/ngrams_far", ".onnx"));
  at_program *const program = at_program_load(program_sample("onnx/ngrams_far", ".onnx"));
  CHECK_MSG(program != NULL, "%s", at_error_message());
  at_program_free(program);
  CHECK_MSG(taken <= 64 << 20, "it takes %lld", (long long)taken);
}

/* --- allocations that fail -------------------------------------------------------------------- */

static at_tensors rows(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(2, 3, 20));
  buffer[1] = at_ones(AT_SHAPE(9, 3, 20));
  return (at_tensors){buffer, 2};
}

static at_tensors steps(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(4, 2, 3));
  buffer[1] = at_ones(AT_SHAPE(2, 3));
  return (at_tensors){buffer, 2};
}

static at_tensors images(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(2, 3, 6, 6));
  return (at_tensors){buffer, 1};
}

static at_tensors mapped(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(4, 5));
  buffer[1] = at_ones(AT_SHAPE(3, 5));
  buffer[2] = at_ones(AT_SHAPE(2, 5));
  return (at_tensors){buffer, 3};
}

static at_tensors matrices(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(4, 3));
  buffer[1] = at_ones(AT_SHAPE(2, 3));
  return (at_tensors){buffer, 2};
}

static at_tensors along(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(3, 4));
  buffer[1] = at_ones(AT_SHAPE(3, 4));
  buffer[2] = at_ones(AT_SHAPE(4, 4));
  return (at_tensors){buffer, 3};
}

static at_tensors row(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(3, 32));
  return (at_tensors){buffer, 1};
}

static at_tensors entries(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(2, 5), .type = AT_CPU(AT_LONG));
  buffer[1] = at_ones(AT_SHAPE(5));
  buffer[2] = at_ones(AT_SHAPE(4, 2));
  return (at_tensors){buffer, 3};
}

static at_tensors factors(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(16, 32));
  buffer[1] = at_ones(AT_SHAPE(16, 32));
  buffer[2] = at_ones(AT_SHAPE(16));
  return (at_tensors){buffer, 3};
}

static at_tensors narrow(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(5, 4));
  return (at_tensors){buffer, 1};
}

static at_tensors pairs(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(4, 3));
  buffer[1] = at_ones(AT_SHAPE(4, 3));
  return (at_tensors){buffer, 2};
}

static void faults(void **state)
{
  check_program_faults(program_sample("scanned", ".pt2"), AT_ALL_PASSES, steps);
  check_program_faults(program_sample("quantized", ".pt2"), AT_ALL_PASSES, matrices);
  check_program_faults(program_sample("weights", ".pt2"),
                       AT_ALL_PASSES | 1u << AT_PASS_INT8_WEIGHTS, rows);
  check_program_faults(program_sample("mapped", ".pt2"), AT_ALL_PASSES, mapped);
  check_program_faults(program_sample("mixed", ".pt2"), AT_ALL_PASSES, images);
  check_program_faults(program_sample("regions", ".pt2"), AT_ALL_PASSES, inputs);
  check_program_faults(program_sample("lists", ".pt2"), AT_ALL_PASSES, pairs);
  check_program_faults(program_sample("packed", ".pt2"), AT_ALL_PASSES, row);
  check_program_faults(program_sample("sparse", ".pt2"), AT_ALL_PASSES, entries);
  check_program_faults(program_sample("scaled", ".pt2"), AT_ALL_PASSES, factors);
  check_program_faults(program_sample("packed_narrow", ".pt2"), AT_ALL_PASSES, row);
  check_program_faults(program_sample("narrow", ".pt2"), AT_ALL_PASSES, narrow);
  const bool wasOn = at_grad_setOn(false);
  check_program_faults(program_sample("along", ".pt2"), AT_ALL_PASSES, along);
  CHECK(!at_grad_isOn());
  at_grad_setOn(wasOn);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      PROGRAM_TEST(truncated), PROGRAM_TEST(changed),    PROGRAM_TEST(refused),
      PROGRAM_TEST(failing),   PROGRAM_TEST(products),   PROGRAM_TEST(deep),
      PROGRAM_TEST(lists),     PROGRAM_TEST(kinds),      PROGRAM_TEST(graphless),
      PROGRAM_TEST(memory),    PROGRAM_TEST(far_column), PROGRAM_TEST(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
