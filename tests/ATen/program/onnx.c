/* Files of ONNX are programs: they agree with PyTorch and ONNX Runtime (tests/oracle/onnx_programs.py),
 * and damaged ones are errors. */
#include <limits.h>
#include <unistd.h>

#include "programs.h"

#define AGREES(NAME)                                                                              \
  static void NAME(void **state)                                                                  \
  {                                                                                               \
    check_program(program_sample("onnx/" #NAME, ".onnx"), program_sample("onnx/" #NAME, ".npz")); \
    CHECK_EQ(scratch_count(), 0);                                                                 \
  }
#define FOR_EACH_PROGRAM(X) \
  X(residual)               \
  X(mobile)                 \
  X(encoder)                \
  X(recurrent)              \
  X(sizes)                  \
  X(graphs)                 \
  X(windows)                \
  X(external)               \
  X(rois)                   \
  X(lists)                  \
  X(waves)                  \
  X(greatest)               \
  X(quantized)              \
  X(deformed)               \
  X(optional)               \
  X(sparse)                 \
  X(wraps)                  \
  X(ngrams)                 \
  X(recent)                 \
  X(older)                  \
  X(oldest)                 \
  X(runtime)                \
  X(runtime_codes)          \
  X(learned)                \
  X(blocks)                 \
  X(packed)                 \
  X(ensembles)
FOR_EACH_PROGRAM(AGREES)

/* The nodes of the file become operations that passes know. */
static void lowered(void **state)
{
  at_program *const program = load_program(program_sample("onnx/residual", ".onnx"));
  char *const text = at_program_toString(program);
  CHECK_MSG(strstr(text, "ONNX 20, format 10, pytorch "), "%.200s", text);
  CHECK_MSG(strstr(text, "= aten.conv2d("), "%s", text);
  CHECK_MSG(strstr(text, "= aten.relu("), "%s", text);
  CHECK(at_program_passChanges(program, AT_PASS_CHAINS) > 0);
  at_string_free(text);
  at_program_free(program);
}

/* Casts and quantization to types of few bits: nothing is near, every number is the one that is expected. */
static void narrow(void **state)
{
  enum { INPUTS = 6 };
  char name[40];
  at_program *const program = load_program(program_sample("onnx/narrow", ".onnx"));
  at_dict *const recorded = at_load(program_sample("onnx/narrow", ".npz"));
  AT_SCOPE
  {
    at_tensor *x[INPUTS];
    for (int i = 0; i < INPUTS; i++) {
      snprintf(name, sizeof name, "input%d", i);
      x[i] = at_dict_get(recorded, name);
    }
    const at_tensors *const y = at_program_run(program, (at_tensors){x, INPUTS});
    CHECK_MSG(y->count == at_dict_count(recorded) - INPUTS, "%s", at_error_message());
    for (int i = 0; i < y->count; i++) {
      snprintf(name, sizeof name, "output%d", i);
      CHECK_MSG(at_allclose(y->data[i], at_dict_get(recorded, name), .rtol = 0, .atol = 0,
                            .equal_nan = true),
                "%s", name);
    }
  }
  CHECK_EQ(at_error(), AT_OK);
  at_dict_free(recorded);
  at_program_free(program);
}

/* A loop that does not run: the file says of what sizes the parts of its stack would be. */
static void noRuns(void **state)
{
  at_program *const program = load_program(program_sample("onnx/graphs", ".onnx"));
  AT_SCOPE
  {
    at_tensor *const x = at_ones(AT_SHAPE(3)), *const times = at_zeros(AT_SCALAR_SHAPE,
                                                                       .type = AT_CPU(AT_LONG));
    const at_tensors *const y = at_program_run(program, AT_TENSORS(x, times));
    CHECK_MSG(y->count == 2, "%s", at_error_message());
    CHECK_EQ(at_size(y->data[0], 0), 3);
    CHECK_EQ(at_dim(y->data[1]), 2);
    CHECK_EQ(at_size(y->data[1], 0), 0);
    CHECK_EQ(at_size(y->data[1], 1), 3);
  }
  at_program_free(program);
}

/* A graph that passes no input on: there is nothing to copy, and nothing to do. */
static void empty(void **state)
{
  static const uint8_t model[] = {0x08, 9, 0x3a, 3, 0x12, 1, 'g', 0x42, 4, 0x0a, 0, 0x10, 20};
  at_program *const program = load_program(write_file(scratch("edited.onnx"), model, sizeof model));
  CHECK_EQ(at_program_outputCount(program), 0);
  CHECK_EQ(at_program_run(program, (at_tensors){NULL, 0})->count, 0);
  CHECK_MSG(at_error() == AT_OK, "%s", at_error_message());
  at_program_free(program);
  unlink(scratch("edited.onnx"));
}

/* Random numbers of constants are new ones in each run, and where they have to be. */
static void draws(void **state)
{
  static const double least[] = {0, 95, 2, 0, 0}, most[] = {1, 105, 3, 1, 3};
  enum { OUTPUTS = 5, COUNT = 64 };
  at_program *const program = load_program(program_sample("onnx/draws", ".onnx"));
  CHECK_EQ(at_program_passChanges(program, AT_PASS_CONSTANTS), 0);
  AT_SCOPE
  {
    at_tensor *first[OUTPUTS];
    const at_tensors *y = at_program_run(program, (at_tensors){NULL, 0});
    CHECK_MSG(y->count == OUTPUTS, "%s", at_error_message());
    for (int i = 0; i < OUTPUTS; i++) {
      first[i] = at_clone(y->data[i]);
      CHECK_EQ(at_numel(first[i]), COUNT);
      CHECK(at_item_double(at_min(first[i])) >= least[i]);
      CHECK(at_item_double(at_max(first[i])) <= most[i]);
    }
    y = at_program_run(program, (at_tensors){NULL, 0});
    for (int i = 0; i < OUTPUTS; i++) {
      th_note("output %d", i);
      CHECK(!at_equal(first[i], y->data[i]));
    }
  }
  CHECK_EQ(at_error(), AT_OK);
  at_program_free(program);
}

/* --- hostile files ---------------------------------------------------------------------------- */

/* A copy of a sample whose first bytes that are from are replaced by to. */
static const char *edited_bytes(const char *name, const char *from, const char *to, size_t count)
{
  size_t size, at = 0;
  char path[80];
  snprintf(path, sizeof path, "onnx/%s", name);
  uint8_t *const bytes = read_file(program_sample(path, ".onnx"), &size);
  while (at + count <= size && memcmp(bytes + at, from, count))
    at++;
  CHECK_MSG(at + count <= size, "%s has no %s", name, from);
  memcpy(bytes + at, to, count);
  write_file(scratch("edited.onnx"), bytes, size);
  free(bytes);
  return scratch("edited.onnx");
}

/* The model with one text replaced by another one that is as long. */
static const char *edited_model(const char *name, const char *from, const char *to)
{
  CHECK_EQ(strlen(from), strlen(to));
  return edited_bytes(name, from, to, strlen(from));
}

#define REFUSED(NAME, FROM, TO, PART) check_program_refused(edited_model(NAME, FROM, TO), PART)

/* A Relu of x with outputs y and z. */
static const uint8_t two_outputs[] = {
    0x08, 9,    0x3a, 54,   0x0a, 15,   0x0a, 1,    'x',  0x12, 1,    'y',  0x12, 1,    'z',  0x22,
    4,    'R',  'e',  'l',  'u',  0x12, 1,    'g',  0x5a, 15,   0x0a, 1,    'x',  0x12, 10,   0x0a,
    8,    0x08, 1,    0x12, 4,    0x0a, 2,    0x08, 2,    0x62, 15,   0x0a, 1,    'y',  0x12, 10,
    0x0a, 8,    0x08, 1,    0x12, 4,    0x0a, 2,    0x08, 2,    0x42, 4,    0x0a, 0,    0x10, 20};

static void refused(void **state)
{
  check_program_refused(write_file(scratch("edited.onnx"), two_outputs, sizeof two_outputs),
                        "a node of Relu, has 2 outputs, and at most 1 are computed");
  REFUSED("graphs", "half", "less", "nothing makes the value 'less'"); /* of itself */
  REFUSED("windows", "AveragePool", "AveragePoor",
          "1 of its 7 nodes call operations that are not here, or in a way that is not: "
          "AveragePoor (1)");
  /* Lists of integers, of which the first has become a text. */
  REFUSED("mobile", "\x40\x01\x40\x01\x40\x01\x40\x01", "\x4a\x02\x40\x01\x40\x01\x40\x01",
          "lists of two types");
  REFUSED("mobile", "\x40\x03\x40\x03\xa0", "\x4a\x02\x40\x03\xa0", "list of another type");
  REFUSED("ngrams", "TFIDF", "TFIDE", "mode is 'TFIDE', which is none of the standard");
  REFUSED("ngrams", "\x40\x03\x40\x09\xa0", "\x40\x03\x40\x08\xa0",
          "its n-grams of 2 tokens are from 3 to 8 of 15 tokens");
  REFUSED("ngrams", "pool_int64s\x40\x02\x40\x03", "pool_int64s\x40\x02\x40\x02",
          "an n-gram is twice in its pool");
  REFUSED("ngrams", "max_gram_length\x18\x03", "max_gram_length\x18\x04",
          "there are 8 n-grams of up to 3 tokens");
  REFUSED("graphs", "times\x12\x06\x0a\x04\x08\x07", "times\x12\x06\x0a\x04\x08\x08",
          "input 'times' is of texts, which are not here");
  REFUSED("sparse", "\x01\x03\x02\x02", "\x01\x04\x02\x02", "'w' of size [3 x 4] has the index 4");
  REFUSED("sparse", "\x01\x03\x02\x02", "\x01\x03\x01\x02",
          "the indices of sparse tensor 'w' do not ascend");
  REFUSED("sparse", "\x08\x04\x08\x02", "\x08\x08\x08\x01",
          "has values of size [4] and indices of size [8 x 1]");
  REFUSED("external", "external.bin", "/xternal.bin", "no path below its folder");
  REFUSED("external", "external.bin", "../ernal.bin", "no path below its folder");
  REFUSED("external", "external.bin", "a/../nal.bin", "no path below its folder");
  REFUSED("external", "external.bin", "missing_.bin", "cannot find its weights");
  unlink(scratch("edited.onnx"));
}

/* Factors of steps, of which there are none. */
static void emptySteps(void **state)
{
  /* the input beta of size 2 x 5 x 2 */
  static const char from[] =
      "beta\x12\x12\x0a\x10\x08\x01\x12\x0c\x0a\x02\x08\x02\x0a\x02\x08\x05\x0a\x02\x08\x02";
  static const int64_t sizes[][3] = {{2, 4, 5}, {4, 1, 3}, {4, 1, 1}, {2, 5, 12},
                                     {2, 5, 6}, {2, 5, 6}, {2, 5, 2}, {2, 5, 0}};
  enum { INPUTS = sizeof sizes / sizeof *sizes, BIAS = 2 };
  char to[sizeof from];
  memcpy(to, from, sizeof to);
  to[sizeof to - 2] = 0;
  at_program *const program = load_program(edited_bytes("recent", from, to, sizeof to - 1));
  AT_SCOPE
  {
    at_tensor *x[INPUTS];
    for (int i = 0; i < INPUTS; i++)
      x[i] = at_ones(((at_ints){sizes[i], i == BIAS ? 1 : 3}));
    CHECK_EQ(at_program_run(program, (at_tensors){x, INPUTS})->count, 0);
    CHECK_MSG(strstr(at_error_message(), "beta has size [2 x 5 x 0]"), "%s", at_error_message());
    at_error_clear();
  }
  at_program_free(program);
  unlink(scratch("edited.onnx"));
}

/* A link beside the model that leads elsewhere. */
static void linked(void **state)
{
  char target[PATH_MAX];
  const char *const path = edited_model("external", "external.bin", "leads_to.bin");
  CHECK(realpath(program_sample("onnx/external", ".bin"), target));
  CHECK_EQ(symlink(target, scratch("leads_to.bin")), 0);
  check_program_refused(path, "not below its folder");
  unlink(scratch("leads_to.bin"));
  unlink(scratch("edited.onnx"));
}

/* The inputs of the sample graphs. */
static at_tensors inputs(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(3));
  buffer[1] = at_full(AT_SCALAR_SHAPE, 2, .type = AT_CPU(AT_LONG));
  return (at_tensors){buffer, 2};
}

static void damage(const char *name)
{
  size_t size;
  uint8_t *const bytes = read_file(program_sample(name, ".onnx"), &size);
  for (size_t length = 1; length < size; length += 3)
    try_program(write_file(scratch("edited.onnx"), bytes, length), inputs);
  for (size_t i = 0; i < size; i++) {
    const uint8_t kept = bytes[i];
    bytes[i] ^= (uint8_t)(1 << i % 8);
    try_program(write_file(scratch("edited.onnx"), bytes, size), inputs);
    bytes[i] = kept;
  }
  free(bytes);
  unlink(scratch("edited.onnx"));
}

static void damaged(void **state)
{
  damage("onnx/graphs");
  damage("onnx/sparse");
}

/* --- failing allocations ---------------------------------------------------------------------- */

static at_tensors sparseInputs(at_tensor *buffer[3])
{
  buffer[0] = at_ones(AT_SHAPE(2, 3));
  return (at_tensors){buffer, 1};
}

static void faults(void **state)
{
  check_program_faults(program_sample("onnx/graphs", ".onnx"), AT_ALL_PASSES, inputs);
  check_program_faults(program_sample("onnx/sparse", ".onnx"), AT_ALL_PASSES, sparseInputs);
}

#define TEST_OF(NAME) PROGRAM_TEST(NAME),

int main(void)
{
  const struct CMUnitTest tests[] = {FOR_EACH_PROGRAM(TEST_OF) PROGRAM_TEST(lowered),
                                     PROGRAM_TEST(narrow),
                                     PROGRAM_TEST(empty),
                                     PROGRAM_TEST(noRuns),
                                     PROGRAM_TEST(draws),
                                     PROGRAM_TEST(refused),
                                     PROGRAM_TEST(emptySteps),
                                     PROGRAM_TEST(linked),
                                     PROGRAM_TEST(damaged),
                                     PROGRAM_TEST(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
