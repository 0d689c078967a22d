/* Programs that PyTorch exported agree with PyTorch; and what their inputs may be.
 *
 * usage: test_ATen_programs [FILE.pt2 | FILE.onnx ...]     compares these, each with FILE.npz */
#include "programs.h"

#define AGREES(NAME)                                                             \
  static void NAME(void **state)                                                 \
  {                                                                              \
    check_program(program_sample(#NAME, ".pt2"), program_sample(#NAME, ".npz")); \
    CHECK_EQ(scratch_count(), 0);                                                \
  }
#define FOR_EACH_PROGRAM(X) \
  X(tiny)                   \
  X(residual)               \
  X(residual_core)          \
  X(mobile)                 \
  X(encoder)                \
  X(encoder_plain)          \
  X(encoder_core)           \
  X(sizes)                  \
  X(pairs)                  \
  X(state)                  \
  X(state_core)             \
  X(flat)                   \
  X(saved)                  \
  X(nested)                 \
  X(regions)                \
  X(values)                 \
  X(passes)                 \
  X(passes_core)            \
  X(swaps)                  \
  X(attend)                 \
  X(heads)                  \
  X(heads_core)             \
  X(head_core)              \
  X(single)                 \
  X(composed)               \
  X(composed_core)          \
  X(lists)                  \
  X(stepped)                \
  X(step)                   \
  X(trained_core)           \
  X(kept)                   \
  X(kept_core)              \
  X(bool_operands)          \
  X(written)                \
  X(complex_numbers)        \
  X(grouped)                \
  X(histograms)             \
  X(affine)                 \
  X(packed)                 \
  X(sparse)                 \
  X(sparse_core)            \
  X(scaled)                 \
  X(packed_narrow)          \
  X(narrow)                 \
  X(narrow_core)            \
  X(along)                  \
  X(layouts)                \
  X(layouts_core)           \
  X(wrapped)                \
  X(wrapped_core)           \
  X(scanned)                \
  X(detected)               \
  X(quantized)              \
  X(quantized_core)         \
  X(forms)                  \
  X(frozen)                 \
  X(seldom)                 \
  X(overloads)              \
  X(filtered)               \
  X(overloads_core)         \
  X(factored)               \
  X(factored_core)          \
  X(windows)                \
  X(windows_core)           \
  X(activations)            \
  X(activations_core)
FOR_EACH_PROGRAM(AGREES)

/* Random numbers are PyTorch's, after the same seed (tests/oracle/programs.py). */
static void drawn(void **state)
{
  at_manualSeed(3);
  check_program(program_sample("drawn", ".pt2"), program_sample("drawn", ".npz"));
  at_manualSeed(3);
  check_program(program_sample("anew", ".pt2"), program_sample("anew", ".npz"));
}

/* Random numbers that depend on nothing are not taken for constants. */
static void anew(void **state)
{
  enum { OUTPUTS = 5 };
  at_program *const program = load_program(program_sample("anew", ".pt2"));
  AT_SCOPE
  {
    at_tensor *const x = at_zeros(AT_SHAPE(2)), *first[OUTPUTS];
    const at_tensors *y = at_program_run(program, AT_TENSORS(x));
    CHECK_MSG(y->count == OUTPUTS, "%s", at_error_message());
    for (int i = 0; i < OUTPUTS; i++)
      first[i] = at_clone(y->data[i]);
    y = at_program_run(program, AT_TENSORS(x));
    for (int i = 0; i < OUTPUTS; i++) {
      th_note("output %d", i);
      CHECK(!at_equal(first[i], y->data[i]));
    }
  }
  CHECK_EQ(at_error(), AT_OK);
  at_program_free(program);
}

/* A program with derivatives records, whatever its caller does, and leaves no record. */
static void recorded(void **state)
{
  at_program *const program = load_program(program_sample("along", ".pt2"));
  AT_SCOPE
  {
    const bool wasOn = at_grad_setOn(false);
    const at_tensors *const y =
        at_program_run(program, AT_TENSORS(at_ones(AT_SHAPE(3, 4)), at_ones(AT_SHAPE(3, 4)),
                                           at_ones(AT_SHAPE(4, 4))));
    CHECK_MSG(y->count > 0, "%s", at_error_message());
    CHECK(!at_grad_isOn());
    at_grad_setOn(wasOn);
    for (int i = 0; i < y->count; i++)
      CHECK(!at_requiresGrad(y->data[i]));
  }
  CHECK_EQ(at_error(), AT_OK);
  at_program_free(program);
}

/* --- other sizes ------------------------------------------------------------------------------ */

/* The rows of a batch are computed as each alone. */
static void batches(void **state)
{
  at_program *const program = load_program(program_sample("residual", ".pt2"));
  AT_SCOPE
  {
    at_tensor *const images = at_randn(AT_SHAPE(3, 3, 17, 17));
    at_tensor *const all = at_keep(at_clone(at_program_run(program, AT_TENSORS(images))->data[0]));
    for (int i = 0; i < 3; i++) {
      at_tensor *const one = at_slice(images, .start = i, .end = i + 1);
      at_tensor *const row = at_slice(all, .start = i, .end = i + 1);
      const at_tensors *const y = at_program_run(program, AT_TENSORS(one));
      CHECK(at_allclose(y->data[0], row, .rtol = 1e-4, .atol = 1e-6));
    }
    at_release(all);
  }
  CHECK_EQ(at_error(), AT_OK);
  at_program_free(program);
}

static void check_run_refused(at_program *program, at_tensors inputs, const char *part)
{
  CHECK_EQ(at_program_run(program, inputs)->count, 0);
  CHECK_EQ(at_error(), AT_ERROR_ARGUMENT);
  CHECK_MSG(strstr(at_error_message(), part), "'%s' is not about '%s'", at_error_message(), part);
  at_error_clear();
}

static void inputs(void **state)
{
  at_program *const one = load_program(program_sample("residual", ".pt2")),
                    *const two = load_program(program_sample("pairs", ".pt2")),
                    *const numbers = load_program(program_sample("sizes", ".pt2"));
  AT_SCOPE
  {
    at_tensor *const image = at_zeros(AT_SHAPE(1, 3, 17, 17));
    check_run_refused(one, (at_tensors){NULL, 0}, "0 inputs are given, and the program has 1");
    check_run_refused(one, AT_TENSORS(at_to(image, AT_CPU(AT_DOUBLE))),
                      "x, is CPUDoubleType [1 x 3 x 17 x 17], and has to be Float [s77 x 3 x 17 x");
    check_run_refused(one, AT_TENSORS(at_select(image, 0, 0)), "[3 x 17 x 17], and has to be");
    check_run_refused(one, AT_TENSORS(at_zeros(AT_SHAPE(1, 3, 17, 16))), "[1 x 3 x 17 x 16]");
    check_run_refused(one, AT_TENSORS(at_zeros(AT_SHAPE(65, 3, 17, 17))), "[65 x 3 x 17 x 17]");
    at_tensor *const tokens = at_zeros(AT_SHAPE(2, 5), .type = AT_CPU(AT_LONG));
    at_tensor *const keep = at_ones(AT_SHAPE(2, 4), .type = AT_CPU(AT_BOOL));
    check_run_refused(two, AT_TENSORS(tokens, keep), "input 1, keep");
    at_tensor *const x = at_zeros(AT_SHAPE(7, 2)), *const y = at_zeros(AT_SHAPE(3, 4));
    check_run_refused(numbers, AT_TENSORS(x, y, x), "has to be one integer");
    CHECK_EQ(at_program_run(one, AT_TENSORS(NULL))->count, 0);
    CHECK_EQ(at_error(), AT_ERROR_NULL);
    at_error_clear();
    CHECK_EQ(at_program_run(one, AT_TENSORS(image))->count, 1);
  }
  at_program_free(one);
  at_program_free(two);
  at_program_free(numbers);
}

/* A result is an input of the next run, and outlives the scope of the run. */
static void results(void **state)
{
  at_program *const program = load_program(program_sample("state", ".pt2"));
  at_tensor *const x = at_ones(AT_SHAPE(4, 3)), *const total = at_zeros(AT_SHAPE(2));
  const at_tensors *y = NULL;
  AT_SCOPE
  {
    y = at_program_run(program, AT_TENSORS(x, total));
  }
  CHECK_EQ(y->count, 2);
  CHECK_EQ(at_item_long(y->data[1]), 2);
  at_tensor *const sum = at_sum(total);
  CHECK_EQ(at_item_double(sum), 24);
  y = at_program_run(program, AT_TENSORS(y->data[0], total));
  CHECK_EQ(at_item_long(y->data[1]), 4);
  at_release(sum);
  at_release(x);
  at_release(total);
  at_program_free(program);
  CHECK_EQ(at_error(), AT_OK);
}

/* --- what nodes call -------------------------------------------------------------------------- */

static int64_t count_nodes(const at_program *program, const char *name)
{
  for (int i = 0; i < at_program_targetCount(program); i++) {
    const at_program_target target = at_program_targetAt(program, i);
    if (!strcmp(target.name, name))
      return target.missing ? -target.nodes : target.nodes;
  }
  return 0;
}

/* The numbers are those of the nodes in the files' JSON. */
static void targets(void **state)
{
  at_program *program = load_program(program_sample("residual", ".pt2"));
  CHECK_EQ(count_nodes(program, "aten.conv2d.default"), 5);
  CHECK_EQ(count_nodes(program, "aten.batch_norm.default"), 3);
  CHECK_EQ(count_nodes(program, "aten.relu_.default"), 2);
  CHECK(!strcmp(at_program_targetAt(program, 0).name, "aten.conv2d.default"));
  CHECK(!at_program_targetAt(program, at_program_targetCount(program)).name);
  CHECK_EQ(at_error(), AT_ERROR_ARGUMENT);
  at_error_clear();
  at_program_free(program);

  program = load_program(program_sample("nested", ".pt2"));
  int64_t all = 0;
  for (int i = 0; i < at_program_targetCount(program); i++) {
    all += at_program_targetAt(program, i).nodes;
    CHECK(i == 0 ||
          at_program_targetAt(program, i).nodes <= at_program_targetAt(program, i - 1).nodes);
  }
  CHECK_EQ(all, 21);
  at_program_free(program);
}

/* A program with an operation that is not here can be looked at. */
static void listed(void **state)
{
  CHECK(!at_program_load(program_sample("own", ".pt2")));
  at_error_clear();
  at_program *const program = at_program_list(program_sample("own", ".pt2"));
  CHECK_MSG(program != NULL, "%s", at_error_message());
  CHECK_EQ(count_nodes(program, "mylib.scale.default"), -1);
  CHECK_EQ(count_nodes(program, "aten.sub.Tensor"), 1);
  CHECK_EQ(at_program_inputCount(program), 1);
  char *const text = at_program_toString(program);
  CHECK(text && strstr(text, "mylib.scale.default("));
  at_string_free(text);
  at_tensor *const x = at_ones(AT_SHAPE(2, 3));
  check_run_refused(program, AT_TENSORS(x), "own.pt2: the program is only listed");
  at_release(x);
  at_program_free(program);
  CHECK(!at_program_list("/nonexistent/x.pt2"));
  CHECK_EQ(at_error(), AT_ERROR_RUNTIME);
  at_error_clear();
}

/* --- what is in a program --------------------------------------------------------------------- */

static void described(void **state)
{
  at_program *const program = load_program(program_sample("residual", ".pt2"));
  CHECK_EQ(at_program_inputCount(program), 1);
  CHECK_EQ(at_program_outputCount(program), 1);
  const at_program_info x = at_program_input(program, 0), y = at_program_output(program, 0);
  CHECK(!strcmp(x.name, "x"));
  CHECK_EQ(at_type_scalarType(x.type), AT_FLOAT);
  CHECK_EQ(x.least.count, 4);
  CHECK_EQ(x.least.data[0], 1);
  CHECK_EQ(x.most.data[0], 64);
  CHECK_EQ(x.least.data[3], 17);
  CHECK_EQ(x.most.data[3], 17);
  CHECK_EQ(y.least.count, 2);
  CHECK(!at_program_input(program, 1).name && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  const at_dict *const weights = at_program_parameters(program);
  at_tensor *const bias = at_dict_get(weights, "head.bias");
  CHECK_EQ(at_numel(bias), 5);
  char *const text = at_program_toString(program);
  CHECK(strstr(text, "x  Float [s77 x 3 x 17 x 17]\n  s77 from 1 to 64\n"));
  CHECK(strstr(text, "flatten = aten.flatten.using_ints("));
  at_string_free(text);

  /* A weight that is changed. */
  at_tensor *const image = at_zeros(AT_SHAPE(1, 3, 17, 17));
  at_tensor *const before = at_clone(at_program_run(program, AT_TENSORS(image))->data[0]);
  at_add_(bias, 1);
  at_tensor *const after = at_program_run(program, AT_TENSORS(image))->data[0];
  at_tensor *const difference = at_sub(after, before), *const mean = at_mean(difference);
  CHECK(fabs(at_item_double(mean) - 1) < 1e-5);
  at_release(mean);
  at_release(difference);
  at_release(before);
  at_release(image);
  at_program_free(program);
  CHECK_EQ(at_error(), AT_OK);
}

#define TEST_OF(NAME) PROGRAM_TEST(NAME),

int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    char arrays[600];
    snprintf(arrays, sizeof arrays, "%.*s.npz", (int)(strrchr(argv[i], '.') - argv[i]), argv[i]);
    check_program(argv[i], arrays);
    printf("%s agrees\n", argv[i]);
  }
  const struct CMUnitTest tests[] = {FOR_EACH_PROGRAM(TEST_OF) PROGRAM_TEST(drawn),
                                     PROGRAM_TEST(anew),
                                     PROGRAM_TEST(recorded),
                                     PROGRAM_TEST(batches),
                                     PROGRAM_TEST(inputs),
                                     PROGRAM_TEST(results),
                                     PROGRAM_TEST(targets),
                                     PROGRAM_TEST(listed),
                                     PROGRAM_TEST(described)};
  return argc > 1 ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
