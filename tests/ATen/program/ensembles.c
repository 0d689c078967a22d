/* Files of ONNX with ensembles of trees that are damaged: they are refused when they are loaded, or when they
 * are run on an input that does not fit. */
#include <unistd.h>

#include "programs.h"

/* --- writing ----------------------------------------------------------------------------------- */

enum { MOST_BYTES = 4096 };

typedef struct Message {
  uint8_t bytes[MOST_BYTES];
  size_t size;
} Message;

static void put_varint(Message *m, uint64_t value)
{
  for (; value > 0x7f; value >>= 7)
    m->bytes[m->size++] = (uint8_t)(value | 0x80);
  m->bytes[m->size++] = (uint8_t)value;
}

static void put_number(Message *m, int field, int64_t value)
{
  put_varint(m, (uint64_t)(field << 3));
  put_varint(m, (uint64_t)value);
}

static void put_bytes(Message *m, int field, const void *bytes, size_t size)
{
  put_varint(m, (uint64_t)(field << 3 | 2));
  put_varint(m, size);
  CHECK(m->size + size <= MOST_BYTES);
  memcpy(m->bytes + m->size, bytes, size);
  m->size += size;
}

static void put_text(Message *m, int field, const char *text)
{
  put_bytes(m, field, text, strlen(text));
}

static void put_message(Message *m, int field, const Message *inner)
{
  put_bytes(m, field, inner->bytes, inner->size);
}

/* --- a model ----------------------------------------------------------------------------------- */

enum { MOST = 6, ATTRIBUTES = 16 };

typedef enum Kind { END, INT = 2, TEXT = 3, TENSOR = 4, FLOATS = 6, INTS = 7, TEXTS = 8 } Kind;

typedef struct Attribute {
  const char *name;
  Kind kind;
  int count;
  double numbers[MOST];
  const char *texts[MOST];
} Attribute;

static void put_floats(Message *m, const Attribute *a)
{
  Message tensor = {.size = 0};
  float numbers[MOST];
  for (int i = 0; i < a->count; i++)
    numbers[i] = (float)a->numbers[i];
  put_number(&tensor, 1, a->count);
  put_number(&tensor, 2, 1);
  put_bytes(&tensor, 9, numbers, (size_t)a->count * sizeof *numbers);
  if (a->kind == TENSOR)
    put_message(m, 5, &tensor);
  else
    put_bytes(m, 7, numbers, (size_t)a->count * sizeof *numbers);
}

static void put_attribute(Message *node, const Attribute *a)
{
  Message m = {.size = 0};
  put_text(&m, 1, a->name);
  put_number(&m, 20, a->kind);
  if (a->kind == TENSOR || a->kind == FLOATS)
    put_floats(&m, a);
  for (int i = 0; i < a->count; i++)
    if (a->kind == TEXT || a->kind == TEXTS)
      put_text(&m, a->kind == TEXT ? 4 : 9, a->texts[i]);
    else if (a->kind == INT || a->kind == INTS)
      put_number(&m, a->kind == INT ? 3 : 8, (int64_t)a->numbers[i]);
  put_message(node, 5, &m);
}

/* Writes a model of one node: that many outputs of x, with the attributes but for those that other
 * replaces, by its own ones or by none. */
static const char *written(const char *operator, int outputs, const Attribute *attributes,
                           const Attribute *other)
{
  static const char *const names[] = {"y", "z"};
  Message node = {.size = 0}, graph = {.size = 0}, model = {.size = 0}, named = {.size = 0},
          version = {.size = 0}, standard = {.size = 0}, type = {.size = 0}, element = {.size = 0};
  put_text(&node, 1, "x");
  for (int i = 0; i < outputs; i++)
    put_text(&node, 2, names[i]);
  put_text(&node, 4, operator);
  put_text(&node, 7, "ai.onnx.ml");
  for (int i = 0; attributes[i].kind; i++) {
    const Attribute *a = &attributes[i];
    for (int k = 0; k < 2 && other && other[k].name; k++)
      a = !strcmp(other[k].name, attributes[i].name) ? &other[k] : a;
    if (a->kind)
      put_attribute(&node, a);
  }
  put_message(&graph, 1, &node);
  put_text(&graph, 2, "graph");
  put_number(&element, 1, 1);
  put_message(&type, 1, &element);
  put_text(&named, 1, "x");
  put_message(&named, 2, &type);
  put_message(&graph, 11, &named);
  for (int i = 0; i < outputs; i++) {
    named.size = 0;
    put_text(&named, 1, names[i]);
    put_message(&graph, 12, &named);
  }
  put_number(&model, 1, 9);
  put_message(&model, 7, &graph);
  put_number(&standard, 2, 20);
  put_message(&model, 8, &standard);
  put_text(&version, 1, "ai.onnx.ml");
  put_number(&version, 2, 5);
  put_message(&model, 8, &version);
  return write_file(scratch("edited.onnx"), model.bytes, model.size);
}

/* Two trees: x0 <= 1 ? 10 : 20, and x1 < 2 ? 1 : 2. */
static const Attribute forest[] = {
    {"n_targets", INT, 1, {1}},
    {"nodes_treeids", INTS, 6, {0, 0, 0, 1, 1, 1}},
    {"nodes_nodeids", INTS, 6, {0, 1, 2, 0, 1, 2}},
    {"nodes_featureids", INTS, 6, {0, 0, 0, 1, 0, 0}},
    {"nodes_truenodeids", INTS, 6, {1, 0, 0, 1, 0, 0}},
    {"nodes_falsenodeids", INTS, 6, {2, 0, 0, 2, 0, 0}},
    {"nodes_values", FLOATS, 6, {1, 0, 0, 2, 0, 0}},
    {"nodes_modes", TEXTS, 6, .texts = {"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT", "LEAF", "LEAF"}},
    {"target_treeids", INTS, 4, {0, 0, 1, 1}},
    {"target_nodeids", INTS, 4, {1, 2, 1, 2}},
    {"target_ids", INTS, 4, {0, 0, 0, 0}},
    {"target_weights", FLOATS, 4, {10, 20, 1, 2}},
    {.kind = END}};

/* The trees of the attributes above with numbered leaves. */
static const Attribute numbered[] = {{"n_targets", INT, 1, {1}},
                                     {"aggregate_function", INT, 1, {1}},
                                     {"tree_roots", INTS, 2, {0, 1}},
                                     {"nodes_featureids", INTS, 2, {0, 1}},
                                     {"nodes_modes", INTS, 2, {0, 1}},
                                     {"nodes_splits", TENSOR, 2, {1, 2}},
                                     {"nodes_truenodeids", INTS, 2, {0, 2}},
                                     {"nodes_trueleafs", INTS, 2, {1, 1}},
                                     {"nodes_falsenodeids", INTS, 2, {1, 3}},
                                     {"nodes_falseleafs", INTS, 2, {1, 1}},
                                     {"leaf_targetids", INTS, 4, {0, 0, 0, 0}},
                                     {"leaf_weights", TENSOR, 4, {10, 20, 1, 2}},
                                     {"membership_values", TENSOR, 1, {NAN}},
                                     {.kind = END}};

static void check_value(at_program *program, double x0, double x1, double wanted)
{
  AT_SCOPE
  {
    at_tensor *const x = at_empty(AT_SHAPE(1, 2));
    float *const row = at_data(x);
    row[0] = (float)x0;
    row[1] = (float)x1;
    const at_tensors *const y = at_program_run(program, AT_TENSORS(x));
    CHECK_MSG(y->count == 1, "%s", at_error_message());
    CHECK_EQ(at_numel(y->data[0]), 1);
    CHECK_MSG(at_item_double(y->data[0]) == wanted, "%g of %g, %g, and not %g",
              at_item_double(y->data[0]), x0, x1, wanted);
  }
}

/* Twice: what a node keeps is the same in the next run. */
static void check_trees(const char *path)
{
  at_program *const program = load_program(path);
  for (int i = 0; i < 2; i++) {
    check_value(program, 1, 1, 11);
    check_value(program, 2, 1, 21);
    check_value(program, 0, 2, 12);
    check_value(program, INFINITY, NAN, 22);
  }
  at_program_free(program);
}

static void whole(void **state)
{
  check_trees(written("TreeEnsembleRegressor", 1, forest, NULL));
  check_trees(written("TreeEnsemble", 1, numbered, NULL));
  unlink(scratch("edited.onnx"));
}

/* --- refused files ----------------------------------------------------------------------------- */

typedef struct Wrong {
  Attribute other[2];
  const char *part; /* of the message */
} Wrong;

static void check_wrong(const char *operator, const Attribute * attributes, const Wrong *wrong,
                        size_t count)
{
  for (size_t i = 0; i < count; i++) {
    th_note("%s with another %s", operator, wrong[i].other[0].name);
    check_program_refused(written(operator, 1, attributes, wrong[i].other), wrong[i].part);
  }
  CHECK_EQ(scratch_count(), 1);
  unlink(scratch("edited.onnx"));
}

static void forests(void **state)
{
  static const Wrong wrong[] = {
      /* Circles: a root that leads to itself, a child that leads to its parent, and to itself. */
      {{{"nodes_truenodeids", INTS, 6, {0, 0, 0, 1, 0, 0}}}, "lead back to themselves"},
      {{{"nodes_falsenodeids", INTS, 6, {1, 0, 0, 2, 0, 0}}}, "nothing leads to node 2 of tree 0"},
      {{{"nodes_truenodeids", INTS, 6, {1, 0, 0, 1, 0, 0}},
        {"nodes_modes", TEXTS, 6,
         .texts = {"BRANCH_LEQ", "BRANCH_LEQ", "BRANCH_LT", "BRANCH_LT", "LEAF", "LEAF"}}},
       "lead back to themselves"},
      {{{"nodes_falsenodeids", INTS, 6, {2, 1, 0, 2, 0, 0}},
        {"nodes_modes", TEXTS, 6,
         .texts = {"BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF"}}},
       "lead back to themselves"},
      /* Indices out of range. */
      {{{"nodes_truenodeids", INTS, 6, {3, 0, 0, 1, 0, 0}}}, "tree 0 has no node 3"},
      {{{"nodes_falsenodeids", INTS, 6, {-1, 0, 0, 2, 0, 0}}}, "tree 0 has no node -1"},
      {{{"nodes_falsenodeids", INTS, 6, {0x1p62, 0, 0, 2, 0, 0}}},
       "has no node 4611686018427387904"},
      {{{"nodes_nodeids", INTS, 6, {0, 1, 1, 0, 1, 2}}}, "tree 0 has two nodes 1"},
      {{{"nodes_featureids", INTS, 6, {-1, 0, 0, 1, 0, 0}}}, "node 0 asks for feature -1"},
      {{{"nodes_featureids", INTS, 6, {0x1p40, 0, 0, 1, 0, 0}}}, "feature 1099511627776"},
      {{{"target_nodeids", INTS, 4, {1, 2, 1, 3}}}, "tree 1 has no node 3"},
      {{{"target_treeids", INTS, 4, {0, 0, 1, 2}}}, "tree 2 has no node 2"},
      {{{"target_ids", INTS, 4, {0, 0, 1, 0}}}, "weight 2 is of target 1, of 1"},
      {{{"target_ids", INTS, 4, {0, 0, -1, 0}}}, "weight 2 is of target -1, of 1"},
      {{{"nodes_modes", TEXTS, 6,
         .texts = {"BRANCH_LEQ", "LEAF", "LEAF", "LEAF_", "LEAF", "LEAF"}}},
       "mode 'LEAF_', which is none"},
      /* Counts. */
      {{{"nodes_nodeids", INTS, 5, {0, 1, 2, 0, 1}}},
       "nodes_nodeids has 5 numbers, and has to have 6"},
      {{{"nodes_values", FLOATS, 1, {1}}}, "nodes_values has 1 numbers, and has to have 6"},
      {{{"nodes_modes", TEXTS, 1, .texts = {"LEAF"}}}, "6 nodes, 1 modes and 0 ways"},
      {{{"target_weights", FLOATS, 3, {1, 2, 3}}},
       "target_weights has 3 numbers, and has to have 4"},
      {{{"target_weights", END}}, "target_weights has 0 numbers, and has to have 4"},
      {{{"n_targets", INT, 1, {0}}}, "n_targets is 0"},
      {{{"n_targets", INT, 1, {0x1p62}}}, "n_targets is 4611686018427387904"},
      /* Of another type. */
      {{{"n_targets", INTS, 1, {1}}}, "n_targets is no integer"},
      {{{"nodes_nodeids", FLOATS, 6, {0, 1, 2, 0, 1, 2}}}, "nodes_nodeids is no list of integers"},
      {{{"nodes_values", TEXT, 1, .texts = {"1"}}}, "nodes_values is no list of numbers"},
      {{{"nodes_modes", INTS, 6, {0}}}, "nodes_modes is no list of texts"},
      /* Nothing. */
      {{{"nodes_treeids", END}}, "it has 0 nodes"},
      {{{"target_treeids", END}}, "it has 0 weights"}};
  check_wrong("TreeEnsembleRegressor", forest, wrong, sizeof wrong / sizeof *wrong);
}

static void numberedLeaves(void **state)
{
  static const Wrong wrong[] = {
      {{{"nodes_trueleafs", INTS, 2, {0, 1}}}, "lead back to themselves"},
      {{{"nodes_trueleafs", INTS, 2, {1, 0}}, {"nodes_truenodeids", INTS, 2, {0, 1}}},
       "lead back to themselves"},
      {{{"nodes_truenodeids", INTS, 2, {4, 2}}}, "node 0 leads to leaf 4, of 4"},
      {{{"nodes_truenodeids", INTS, 2, {-1, 2}}}, "node 0 leads to leaf -1, of 4"},
      {{{"nodes_falsenodeids", INTS, 2, {1, 2}}, {"nodes_falseleafs", INTS, 2, {1, 0}}},
       "node 1 leads to node 2, of 2"},
      {{{"tree_roots", INTS, 2, {0, 2}}}, "tree 1 begins at node 2, of 2"},
      {{{"tree_roots", END}}, "it has 0 trees"},
      {{{"nodes_featureids", END}}, "it has 0 nodes"},
      {{{"leaf_targetids", END}}, "it has 0 leaves"},
      {{{"leaf_targetids", INTS, 4, {0, 0, 0, 7}}}, "weight 3 is of target 7, of 1"},
      {{{"leaf_weights", TENSOR, 3, {1, 2, 3}}}, "leaf_weights has 3 numbers, and has to have 4"},
      {{{"nodes_modes", INTS, 2, {0, 7}}}, "node 1 is of mode 7"},
      {{{"nodes_modes", INTS, 2, {6, 6}}}, "the set of node 1 has no end"},
      {{{"nodes_modes", INTS, 2, {0, 6}}, {"membership_values", TENSOR, 2, {1, 2}}},
       "the set of node 1 has no end"},
      {{{"aggregate_function", INT, 1, {4}}}, "aggregate_function is 4 and post_transform 0"}};
  check_wrong("TreeEnsemble", numbered, wrong, sizeof wrong / sizeof *wrong);
}

/* --- numbers that are not ---------------------------------------------------------------------- */

/* Nothing is less than NaN, or as large; one x that is NaN goes where no comparison leads. */
static void nanThresholds(void **state)
{
  static const Attribute other[2] = {{"nodes_values", FLOATS, 6, {NAN, 0, 0, INFINITY, 0, 0}}};
  at_program *const program = load_program(written("TreeEnsembleRegressor", 1, forest, other));
  check_value(program, 1, 1, 21);
  check_value(program, NAN, 1, 21);
  check_value(program, -INFINITY, INFINITY, 22);
  at_program_free(program);
  unlink(scratch("edited.onnx"));
}

static void narrowRows(void **state)
{
  at_program *const program = load_program(written("TreeEnsembleRegressor", 1, forest, NULL));
  AT_SCOPE
  {
    CHECK_EQ(at_program_run(program, AT_TENSORS(at_ones(AT_SHAPE(3, 1))))->count, 0);
    CHECK_MSG(strstr(at_error_message(), "ask for 2 features, and the rows have 1"), "%s",
              at_error_message());
    at_error_clear();
    CHECK_EQ(at_program_run(program, AT_TENSORS(at_ones(AT_SHAPE(3, 1, 2))))->count, 0);
    CHECK_MSG(strstr(at_error_message(), "has to be rows of numbers"), "%s", at_error_message());
    at_error_clear();
    const at_tensors *const y = at_program_run(program, AT_TENSORS(at_ones(AT_SHAPE(0, 2))));
    CHECK_MSG(y->count == 1, "%s", at_error_message());
    CHECK_EQ(at_numel(y->data[0]), 0);
  }
  at_program_free(program);
  unlink(scratch("edited.onnx"));
}

/* --- other models ------------------------------------------------------------------------------ */

static void others(void **state)
{
  static const Attribute classes[] = {{"classlabels_ints", INTS, 3, {5, 2, 9}},
                                      {"vectors_per_class", INTS, 3, {1, 1, 1}},
                                      {"support_vectors", FLOATS, 6, {1, 2, 3, 4, 5, 6}},
                                      {"coefficients", FLOATS, 6, {1, 2, 3, 4, 5, 6}},
                                      {"rho", FLOATS, 3, {1, 2, 3}},
                                      {.kind = END}};
  static const Wrong wrongClasses[] = {
      {{{"vectors_per_class", INTS, 3, {1, -1, 3}}}, "a class has -1 support vectors"},
      {{{"vectors_per_class", INTS, 3, {0x1p62, 0x1p62, 1}}}, "support vectors"},
      {{{"vectors_per_class", INTS, 3, {0, 0, 0}}}, "0 support vectors of 3 classes"},
      {{{"support_vectors", FLOATS, 5, {0}}}, "3 support vectors of 5 numbers"},
      {{{"coefficients", FLOATS, 5, {0}}}, "5 coefficients"},
      {{{"rho", END}}, "0 of rho"},
      {{{"rho", FLOATS, 2, {0}}}, "2 of rho"},
      {{{"classlabels_ints", INTS, 2, {0, 1}}}, "3 classes and 2 labels"},
      {{{"classlabels_ints", END}}, "it has no labels"}};
  static const Attribute vectors[] = {{"n_supports", INT, 1, {2}},
                                      {"support_vectors", FLOATS, 4, {1, 2, 3, 4}},
                                      {"coefficients", FLOATS, 2, {1, 2}},
                                      {"rho", FLOATS, 1, {1}},
                                      {"kernel_params", FLOATS, 3, {1, 2, 3}},
                                      {.kind = END}};
  static const Wrong wrongVectors[] = {
      {{{"n_supports", INT, 1, {-1}}}, "-1 support vectors"},
      {{{"n_supports", INT, 1, {3}}}, "3 support vectors of 4 numbers"},
      {{{"n_supports", INT, 1, {0x1p62}}}, "support vectors of 4 numbers"},
      {{{"coefficients", END}}, "2 support vectors and 0 coefficients"},
      {{{"kernel_params", FLOATS, 2, {1, 2}}}, "kernel_params has 2 numbers, and has to have 3"}};
  static const Attribute labels[] = {
      {"keys_int64s", INTS, 2, {1, 2}}, {"values_int64s", INTS, 2, {3, 4}}, {.kind = END}};
  static const Wrong wrongLabels[] = {
      {{{"values_int64s", INTS, 1, {3}}}, "values_int64s has 1 numbers, and has to have 2"},
      {{{"keys_int64s", END}}, "its keys or values are texts"}};
  check_wrong("SVMClassifier", classes, wrongClasses, sizeof wrongClasses / sizeof *wrongClasses);
  check_wrong("SVMRegressor", vectors, wrongVectors, sizeof wrongVectors / sizeof *wrongVectors);
  check_wrong("LabelEncoder", labels, wrongLabels, sizeof wrongLabels / sizeof *wrongLabels);
}

static at_tensors rows(at_tensor *memory[3])
{
  memory[0] = at_ones(AT_SHAPE(4, 2));
  return (at_tensors){memory, 1};
}

static void damaged(void **state)
{
  size_t size;
  uint8_t *const bytes = read_file(written("TreeEnsembleRegressor", 1, forest, NULL), &size);
  for (size_t i = 0; i < size; i++)
    for (int k = 0; k < 8; k++) {
      bytes[i] ^= (uint8_t)(1 << k);
      try_program(write_file(scratch("edited.onnx"), bytes, size), rows);
      bytes[i] ^= (uint8_t)(1 << k);
    }
  free(bytes);
  unlink(scratch("edited.onnx"));
}

static void faults(void **state)
{
  check_program_faults(written("TreeEnsembleRegressor", 1, forest, NULL), AT_ALL_PASSES, rows);
  check_program_faults(written("TreeEnsemble", 1, numbered, NULL), AT_ALL_PASSES, rows);
  unlink(scratch("edited.onnx"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {PROGRAM_TEST(whole),          PROGRAM_TEST(forests),
                                     PROGRAM_TEST(numberedLeaves), PROGRAM_TEST(nanThresholds),
                                     PROGRAM_TEST(narrowRows),     PROGRAM_TEST(others),
                                     PROGRAM_TEST(damaged),        PROGRAM_TEST(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
