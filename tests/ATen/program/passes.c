/* Passes over programs: each by itself and all together compute what the nodes of the file do, and
 * constants follow the weights. */
#include "programs.h"

#include "ATenGrad.h"

static at_program *load_with(const char *name, unsigned passes)
{
  at_program *const program = at_program_loadWith(program_sample(name, ".pt2"), passes);
  CHECK_MSG(program != NULL, "%s", at_error_message());
  return program;
}

/* --- what passes do --------------------------------------------------------------------------- */

/* Counted by hand in the graph that PyTorch prints. */
static void changes(void **state)
{
  static const int64_t wanted[AT_PASSES] = {
      [AT_PASS_FUNCTIONAL] = 2, /* relu_ and mul_, but not add_, whose argument has a view */
      [AT_PASS_NO_OPS] = 7,     /* dropout, to, expand and detach, and three assertions of types */
      [AT_PASS_BATCH_NORM] = 2, /* not the one whose convolution is read twice */
      [AT_PASS_CONSTANTS] = 9,  /* two folded weights, weight_norm, arange and what follows */
      [AT_PASS_DEAD] = 2,       /* exp and mul */
      [AT_PASS_ATTENTION] = 0,  /* see attention */
      [AT_PASS_CHAINS] = 33,    /* nodes, in 10 chains */
      [AT_PASS_SLICES] = 3,     /* conv, shared and other; what gate becomes ends the row */
      [AT_PASS_ACTIVATIONS] = 2 /* conv and relu */
  };
  at_program *const program = load_with("passes", AT_ALL_PASSES), *const plain =
                                                                      load_with("passes", 0);
  for (int i = 0; i < AT_PASSES; i++) {
    const at_program_pass pass = (at_program_pass)i;
    th_note("%s", at_program_passName(pass));
    CHECK_EQ(at_program_passChanges(program, pass), wanted[i]);
    CHECK_EQ(at_program_passChanges(plain, pass), 0);
  }
  CHECK(!strcmp(at_program_passName(AT_PASS_BATCH_NORM), "batch_norm"));
  CHECK(!at_program_passName(AT_PASSES) && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  CHECK(at_program_passChanges(NULL, AT_PASS_DEAD) == -1 && at_error() == AT_ERROR_NULL);
  at_error_clear();
  at_program_free(program);
  at_program_free(plain);
}

/* What has the sizes of attention is computed so; what has not by its nodes. */
static void attention(void **state)
{
  at_program *const program = load_with("attend", AT_ALL_PASSES);
  at_dict *const recorded = load(program_sample("attend", ".npz"));
  CHECK_EQ(at_program_passChanges(program, AT_PASS_ATTENTION), 20); /* nodes, in 5 patterns */
  CHECK(at_program_setTiming(program, true));
  check_run(program, recorded, "output");
  char *const table = at_program_timings(program);
  CHECK_MSG(strstr(table, "        5        5  attention\n"), "%s", table);
  at_string_free(table);
  at_dict_free(recorded);
  at_program_free(program);
}

/* Attention after decompositions: what has not its sizes is computed by the nodes. */
static void decomposed(void **state)
{
  static const char *const names[] = {"heads_core", "head_core"},
                           *const rows[] = {"        8        8  attention\n",
                                            "        1        1  attention\n"};
  for (int i = 0; i < 2; i++) {
    at_program *const program = load_with(names[i], AT_ALL_PASSES);
    at_dict *const recorded = load(program_sample(names[i], ".npz"));
    CHECK(at_program_setTiming(program, true));
    check_run(program, recorded, "output");
    char *const table = at_program_timings(program);
    CHECK_MSG(strstr(table, rows[i]), "%s: %s", names[i], table);
    at_string_free(table);
    at_dict_free(recorded);
    at_program_free(program);
  }
}

/* Attention that is not found: a softmax that products alone read has no weights but normal numbers. */
static void masked(void **state)
{
  at_program *const program = load_with("shifted", AT_ALL_PASSES);
  at_dict *const recorded = load(program_sample("shifted", ".npz"));
  CHECK(at_program_setTiming(program, true));
  check_run(program, recorded, "output");
  char *const table = at_program_timings(program);
  CHECK_MSG(strstr(table, "        1        1  softmax of a product\n"), "%s", table);
  CHECK_MSG(strstr(table, "        1        1  aten.softmax.int\n"), "%s", table);
  CHECK_EQ(at_program_passChanges(program, AT_PASS_ATTENTION), 1);
  at_string_free(table);
  at_dict_free(recorded);
  at_program_free(program);
}

/* Weights are constants in a program that changes its buffers. */
static void kept(void **state)
{
  static const char *const names[] = {"kept", "kept_core"};
  for (int i = 0; i < 2; i++) {
    at_program *const program = load_with(names[i], AT_ALL_PASSES | 1u << AT_PASS_INT8_WEIGHTS);
    th_note("%s", names[i]);
    CHECK(at_program_passChanges(program, AT_PASS_CONSTANTS) > 0);
    CHECK_EQ(at_program_passChanges(program, AT_PASS_INT8_WEIGHTS), 1);
    at_program_free(program);
  }
}

/* Each choice of passes that round no weights computes what PyTorch did, twice. */
static void choices(void **state)
{
  static const char *const names[] = {"passes",     "passes_core", "attend",
                                      "heads_core", "mobile",      "windows"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    at_dict *const recorded = load(program_sample(names[k], ".npz"));
    for (unsigned i = 0; i < 1u << AT_PASS_INT8_WEIGHTS; i++) {
      /* with every other choice, and every other two */
      const unsigned passes =
          i | (i & 1) << AT_PASS_PACKED_WEIGHTS | (i >> 1 & 1) << AT_PASS_SLICES;
      at_program *const program = load_with(names[k], passes);
      th_note("%s, passes %#x", names[k], passes);
      check_run(program, recorded, "output");
      check_run(program, recorded, "output");
      at_program_free(program);
    }
    at_dict_free(recorded);
  }
}

/* The nodes of chains have names that say what they are. */
static void timings(void **state)
{
  at_program *const program = load_with("passes", AT_ALL_PASSES);
  at_dict *const recorded = load(program_sample("passes", ".npz"));
  CHECK(at_program_setTiming(program, true));
  check_run(program, recorded, "output");
  char *const table = at_program_timings(program);
  CHECK_MSG(strstr(table, "chain of silu, mul, leaky_relu, add, hardswish, sub\n"), "%s", table);
  CHECK_MSG(strstr(table, "chain of mul, clamp, mul, abs, sqrt\n"), "%s", table);
  CHECK_MSG(strstr(table, "        2        2  weights of batch_norm\n"), "%s", table);
  CHECK_MSG(!strstr(table, "aten.dropout"), "%s", table);
  at_string_free(table);
  at_dict_free(recorded);
  at_program_free(program);
}

/* --- slices of a batch ------------------------------------------------------------------- */

/* Images first to first + count of all as a batch. */
static at_tensor *run_images(at_program *program, at_tensor *all, int64_t first, int64_t count)
{
  const at_tensors *const results =
      at_program_run(program, AT_TENSORS(at_narrow(all, 0, first, count)));
  CHECK_MSG(results->count == 1, "%s", at_error_message());
  return at_clone(results->data[0]);
}

/* Batches in slices have the values of single images, which no thread shares: on two threads, and on three where
 * some are left over.  Times are those of the nodes. */
static void slices(void **state)
{
  enum { IMAGES = 8 };
  const int before = at_getNumThreads();
  at_program *const sliced = load_with("mobile", AT_ALL_PASSES), *const plain =
                                                                     load_with("mobile", 0);
  CHECK_EQ(at_program_passChanges(sliced, AT_PASS_SLICES), 9);
  CHECK(at_program_setTiming(sliced, true));
  AT_SCOPE
  {
    at_tensor *const all = at_randn(AT_INTS(IMAGES, 3, 17, 17));
    for (int threads = 1; threads <= 3; threads++)
      for (int64_t count = 1; count <= IMAGES; count++) {
        at_setNumThreads(threads);
        th_note("%d threads, %d images", threads, (int)count);
        at_tensor *const batch = run_images(sliced, all, 0, count);
        for (int64_t i = 0; i < count; i++) {
          at_tensor *const wanted = run_images(plain, all, i, 1);
          CHECK(at_allclose(at_narrow(batch, 0, i, 1), wanted, .rtol = 1e-5, .atol = 1e-6));
        }
      }
  }
  char *const table = at_program_timings(sliced);
  CHECK_MSG(strstr(table, "aten.conv2d.default\n") && !strstr(table, "slices"), "%s", table);
  at_string_free(table);
  at_setNumThreads(before);
  at_program_free(sliced);
  at_program_free(plain);
}

/* The error of a run whose last convolution cannot be computed, in text; returns its code. */
static at_error_code run_wrong(unsigned passes, char *text, size_t size)
{
  at_error_code code;
  at_program *const program = load_with("mobile", passes);
  AT_SCOPE
  {
    at_tensor *const weight = at_dict_get(at_program_parameters(program), "project.weight");
    at_tensor *const images = at_randn(AT_INTS(4, 3, 17, 17));
    at_resize_(weight, AT_INTS(4, 7, 1, 1));
    CHECK_EQ(at_program_run(program, AT_TENSORS(images))->count, 0);
    snprintf(text, size, "%s", at_error_message());
    code = at_error();
    at_error_clear();
    at_resize_(weight, AT_INTS(4, 8, 1, 1));
    CHECK_EQ(at_program_run(program, AT_TENSORS(images))->count, 1);
  }
  at_program_free(program);
  return code;
}

/* An error in a slice is that of the node. */
static void failing_slices(void **state)
{
  char wanted[512], text[512];
  const int before = at_getNumThreads();
  at_setNumThreads(2);
  const at_error_code code = run_wrong(0, wanted, sizeof wanted);
  CHECK(code != AT_OK && strstr(wanted, "conv2d"));
  CHECK_EQ(run_wrong(AT_ALL_PASSES, text, sizeof text), code);
  CHECK_MSG(!strcmp(text, wanted), "%s, not %s", text, wanted);
  at_setNumThreads(before);
}

/* --- packed weights ---------------------------------------------------------------------- */

enum {
  WITH_INT8 = AT_ALL_PASSES | 1u << AT_PASS_INT8_WEIGHTS,
  WITH_BFLOAT16 = AT_ALL_PASSES | 1u << AT_PASS_BFLOAT16_WEIGHTS,
  ONLY_PACKED = 1u << AT_PASS_CONSTANTS | 1u << AT_PASS_PACKED_WEIGHTS
};

/* What PyTorch computes with packed weights, rounded ones too; with others it is something else. */
static void packed(void **state)
{
  static const char *const names[] = {"weights", "weights_core"};
  static const struct {
    unsigned passes;
    at_program_pass pass;
    const char *outputs, *other;
    int changes; /* products of few rows read weights that are not rounded as they are */
  } kinds[] = {{WITH_INT8, AT_PASS_INT8_WEIGHTS, "int8_", "bfloat16_", 9},
               {WITH_BFLOAT16, AT_PASS_BFLOAT16_WEIGHTS, "bfloat16_", "output", 9},
               {WITH_INT8 | WITH_BFLOAT16, AT_PASS_INT8_WEIGHTS, "int8_", "output", 9},
               {1u << AT_PASS_INT8_WEIGHTS, AT_PASS_INT8_WEIGHTS, "int8_", "output", 9},
               {AT_ALL_PASSES, AT_PASS_PACKED_WEIGHTS, "output", "int8_", 8},
               {ONLY_PACKED, AT_PASS_PACKED_WEIGHTS, "output", "int8_", 8}};
  for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
    const size_t k = i / 2;
    at_dict *const recorded = load(program_sample(names[i % 2], ".npz"));
    at_program *const program = load_with(names[i % 2], kinds[k].passes);
    th_note("%s, passes %#x", names[i % 2], kinds[k].passes);
    check_run(program, recorded, kinds[k].outputs);
    check_run(program, recorded, kinds[k].outputs);
    CHECK_EQ(at_program_passChanges(program, kinds[k].pass), kinds[k].changes);
    AT_SCOPE
    {
      at_tensor *const few = at_dict_get(recorded, "input0"),
                       *many = at_dict_get(recorded, "input1");
      const at_tensors *const y = at_program_run(program, AT_TENSORS(few, many));
      char name[40];
      snprintf(name, sizeof name, "%s0", kinds[k].other);
      at_tensor *const other = at_dict_get(recorded, name);
      const double far =
          at_item_double(at_norm(at_sub(y->data[0], other))) / at_item_double(at_norm(other));
      CHECK_MSG(far > 2e-4 && far < 2e-2, "%s is %g from %s", kinds[k].outputs, far, name);
    }
    at_program_free(program);
    at_dict_free(recorded);
  }
}

/* More terms than a tile adds up at a time, and no rows; and what is not packed: all where it would be
 * packed in each run. */
static void terms(void **state)
{
  at_dict *const recorded = load(program_sample("long", ".npz"));
  const unsigned without = AT_ALL_PASSES & ~(1u << AT_PASS_CONSTANTS);
  for (int i = 0; i < 2; i++) {
    at_program *const program = load_with("long", i ? AT_ALL_PASSES : without);
    CHECK_EQ(at_program_passChanges(program, AT_PASS_PACKED_WEIGHTS), 2 * i);
    check_run(program, recorded, "output");
    at_program_free(program);
  }
  at_dict_free(recorded);
}

/* Weights of windows are transformed where images are small: also such as batch normalization has
 * changed, and again after a weight has changed, of which results are linear. */
static void windows(void **state)
{
  static const char *const names[] = {"windows", "windows_core"};
  for (int i = 0; i < 2; i++) {
    at_dict *const recorded = load(program_sample(names[i], ".npz"));
    at_program *const program = load_with(names[i], AT_ALL_PASSES);
    th_note("%s", names[i]);
    CHECK_EQ(at_program_passChanges(program, AT_PASS_PACKED_WEIGHTS), 3);
    check_run(program, recorded, "output");
    check_run(program, recorded, "output");
    AT_SCOPE
    {
      at_tensor *const x = at_dict_get(recorded, "input0"),
                       *expected = at_dict_get(recorded, "output1"),
                       *const weight = at_dict_get(at_program_parameters(program), "first.weight");
      at_mul_(weight, at_full(AT_SHAPE(1), 2));
      const at_tensors *const y = at_program_run(program, AT_TENSORS(x));
      CHECK(y);
      const double far =
          at_item_double(at_norm(at_sub(y->data[1], at_mul(expected, at_full(AT_SHAPE(1), 2)))));
      CHECK_MSG(far <= 1e-5 * at_item_double(at_norm(expected)), "off by %g", far);
    }
    at_program_free(program);
    at_dict_free(recorded);
  }
}

/* Activations become part of the convolutions before them, unless their operand is read by others, too: the
 * first relu, whose convolution is folded and transformed, hardswish, relu6, clamp and clamp_min. */
static void activations(void **state)
{
  static const struct {
    const char *name, *row;
    int64_t
        changes; /* two for each activation; run_decompositions() makes hardswish five operations */
  } samples[] = {{"activations", "        4        4  convolution with activation\n", 10},
                 {"activations_core", "        3        3  convolution with activation\n", 8}};
  for (int i = 0; i < 2; i++) {
    at_dict *const recorded = load(program_sample(samples[i].name, ".npz"));
    at_program *const program = load_with(samples[i].name, AT_ALL_PASSES);
    th_note("%s", samples[i].name);
    CHECK_EQ(at_program_passChanges(program, AT_PASS_ACTIVATIONS), samples[i].changes);
    CHECK(at_program_setTiming(program, true));
    check_run(program, recorded, "output");
    char *const table = at_program_timings(program);
    CHECK_MSG(strstr(table, samples[i].row), "%s", table);
    CHECK_MSG(strstr(table, "  convolution with transformed weights and activation\n"), "%s",
              table);
    at_string_free(table);
    at_program_free(program);
    at_dict_free(recorded);
  }
}

/* Rounded weights follow those of the program, whose products by 2 are exact; one that is not finite
 * makes its output NaN; what does not fit is an error. */
static void roundedFollow(void **state)
{
  at_program *const program = load_with("weights", WITH_INT8);
  AT_SCOPE
  {
    at_tensor *const few = at_randn(AT_SHAPE(2, 3, 20)), *const many = at_randn(AT_SHAPE(9, 3, 20));
    at_tensor *const mirror = at_dict_get(at_program_parameters(program), "mirror");
    const at_tensors *y = at_program_run(program, AT_TENSORS(few, many));
    at_tensor *const first[] = {at_clone(y->data[1]), at_clone(y->data[3])};
    at_mul_(mirror, 2);
    y = at_program_run(program, AT_TENSORS(few, many));
    for (int k = 0; k < 2; k++)
      CHECK(at_equal(y->data[1 + 2 * k], at_mul(first[k], 2)));
    at_fill_(at_select(at_select(mirror, 0, 7), 0, 3), INFINITY);
    y = at_program_run(program, AT_TENSORS(few, many));
    for (int k = 0; k < 2; k++) {
      at_tensor *const got = y->data[1 + 2 * k];
      CHECK(at_item_long(at_all(at_isnan(at_select(got, 1, 7)))) == 1);
      CHECK(at_equal(at_narrow(got, 1, 8, 57), at_mul(at_narrow(first[k], 1, 8, 57), 2)));
    }
    at_resize_(mirror, AT_SHAPE(65, 63));
    y = at_program_run(program, AT_TENSORS(few, many));
    CHECK_MSG(y->count == 0 && strstr(at_error_message(), "[6 x 64]"), "%s", at_error_message());
    at_error_clear();
  }
  at_program_free(program);
}

/* --- weights that change ---------------------------------------------------------------------- */

static void check_same_results(const at_tensors *got, const at_tensors *wanted)
{
  CHECK_MSG(got->count > 0, "%s", at_error_message());
  CHECK_EQ(got->count, wanted->count);
  for (int i = 0; i < got->count; i++) {
    th_note("output %d", i);
    CHECK(at_allclose(got->data[i], wanted->data[i], .rtol = 1e-4, .atol = 1e-5));
  }
}

/* A program that was loaded with all passes, and one with none, whose weights change in the same
 * way. */
static void follow(void **state)
{
  static const char *const names[] = {"conv.weight", "norm.running_var", "line_norm.bias",
                                      "line.parametrizations.weight.original0"};
  at_program *const programs[] = {load_with("passes", AT_ALL_PASSES), load_with("passes", 0)};
  AT_SCOPE
  {
    at_tensor *const x = at_randn(AT_SHAPE(2, 4, 5, 7)), *const gate = at_randn(AT_SHAPE(6));
    at_tensor *const flag = at_ones(AT_SHAPE(3), .type = AT_CPU(AT_BOOL));
    const at_tensors given = AT_TENSORS(x, gate, flag);
    const at_tensors *results[2];
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < 2; k++)
        results[k] = at_program_run(programs[k], given);
      check_same_results(results[0], results[1]);
      th_note("%s", names[i]);
      for (int k = 0; k < 2; k++) {
        at_tensor *const weight = at_dict_get(at_program_parameters(programs[k]), names[i]);
        at_copy_(weight, at_add(at_mul(weight, 1.5), 0.25));
      }
    }
    for (int k = 0; k < 2; k++)
      results[k] = at_program_run(programs[k], given);
    check_same_results(results[0], results[1]);
  }
  CHECK_EQ(at_error(), AT_OK);
  for (int k = 0; k < 2; k++)
    at_program_free(programs[k]);
}

/* Neither inputs, nor weights, nor results that were kept are written over. */
static void untouched(void **state)
{
  at_program *const program = load_with("passes", AT_ALL_PASSES);
  AT_SCOPE
  {
    at_tensor *const x = at_randn(AT_SHAPE(2, 4, 5, 7)), *const gate = at_randn(AT_SHAPE(6));
    at_tensor *const flag = at_ones(AT_SHAPE(3), .type = AT_CPU(AT_BOOL));
    at_tensor *const before = at_clone(x), *const gateBefore = at_clone(gate);
    const at_tensors *y = at_program_run(program, AT_TENSORS(x, gate, flag));
    CHECK_MSG(y->count > 0, "%s", at_error_message());
    at_tensor *const kept = at_retain(y->data[7]), *const copy = at_clone(kept);
    y = at_program_run(program, AT_TENSORS(x, gate, flag));
    CHECK(at_equal(x, before));
    CHECK(at_equal(gate, gateBefore));
    CHECK(at_equal(kept, copy));
    CHECK(at_equal(kept, y->data[7]));
    at_release(kept);
  }
  CHECK_EQ(at_error(), AT_OK);
  at_program_free(program);
}

/* A run under gradients is recorded, node by node. */
static void gradients(void **state)
{
  at_program *const programs[] = {load_with("residual", AT_ALL_PASSES), load_with("residual", 0)};
  at_tensor *gradient[2];
  AT_SCOPE
  {
    at_tensor *const x = at_randn(AT_SHAPE(2, 3, 17, 17));
    for (int k = 0; k < 2; k++) {
      at_tensor *const bias = at_dict_get(at_program_parameters(programs[k]), "blocks.b.bias");
      at_requires_grad_(bias);
      const at_tensors *const y = at_program_run(programs[k], AT_TENSORS(x));
      CHECK_MSG(y->count == 1, "%s", at_error_message());
      CHECK_MSG(at_backward(at_sum(y->data[0])), "%s", at_error_message());
      gradient[k] = at_grad(bias);
      CHECK(at_defined(gradient[k]));
    }
    CHECK(at_allclose(gradient[0], gradient[1]));
    CHECK(at_item_double(at_norm(gradient[0])) > 0);
  }
  CHECK_EQ(at_error(), AT_OK);
  for (int k = 0; k < 2; k++)
    at_program_free(programs[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      PROGRAM_TEST(changes),        PROGRAM_TEST(attention),     PROGRAM_TEST(decomposed),
      PROGRAM_TEST(kept),           PROGRAM_TEST(choices),       PROGRAM_TEST(timings),
      PROGRAM_TEST(masked),         PROGRAM_TEST(packed),        PROGRAM_TEST(terms),
      PROGRAM_TEST(windows),        PROGRAM_TEST(roundedFollow), PROGRAM_TEST(follow),
      PROGRAM_TEST(untouched),      PROGRAM_TEST(gradients),     PROGRAM_TEST(slices),
      PROGRAM_TEST(failing_slices), PROGRAM_TEST(activations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
