/* Ensembles of trees. */
#include <math.h>

#include "Ml.h"
#include "TH/core/THTeam.h"

typedef enum Mode { MODE_LEQ, MODE_LT, MODE_GTE, MODE_GT, MODE_EQ, MODE_NEQ, MODE_LEAF } Mode;

/* A node: its children are nodes of the same tree; a leaf has weights. */
typedef struct Node {
  double value;
  int64_t tree, id, feature;
  int32_t yes, no, weight; /* weight: the first one, or -1 */
  uint8_t mode, missing;   /* missing: NaN goes to yes */
  bool isChild;
} Node;

typedef struct Weight {
  double value;
  int64_t target;
  int32_t next;
} Weight;

typedef enum Aggregate { SUM, AVERAGE, MIN, MAX } Aggregate;

typedef struct Ensemble {
  const at_onnxCall *call;
  Node *nodes;
  int32_t *roots, *order; /* order: the nodes by tree and id */
  Weight *weights;
  int64_t count, rootCount, weightCount, targets;
  Aggregate aggregate;
  at_mlRows x;
  double *scores;
  bool *has; /* a score, of each row and target */
} Ensemble;

/* --- reading ----------------------------------------------------------------------------------- */

static uint8_t mode_of(const at_onnxCall *c, const char *name)
{
  static const char *const names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                      "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
  for (int i = 0; i <= MODE_LEAF; i++)
    if (!strcmp(name, names[i]))
      return (uint8_t)i;
  AT_ONNX_FAILS(c, "a node is of mode '%.40s', which is none of the standard", name);
}

static int by_id(const Node *a, int64_t tree, int64_t id)
{
  if (a->tree != tree)
    return a->tree < tree ? -1 : 1;
  return a->id < id ? -1 : a->id > id;
}

/* Sorts order by heaps: files are not trusted to be far from the worst case of a faster sort. */
static void sift(const Node *nodes, int32_t *order, int64_t from, int64_t end)
{
  for (int64_t child; (child = 2 * from + 1) < end; from = child) {
    const Node *first = &nodes[order[child]];
    if (child + 1 < end &&
        by_id(first, nodes[order[child + 1]].tree, nodes[order[child + 1]].id) < 0)
      first = &nodes[order[++child]];
    if (by_id(&nodes[order[from]], first->tree, first->id) >= 0)
      return;
    const int32_t moved = order[from];
    order[from] = order[child];
    order[child] = moved;
  }
}

static void sort_nodes(const Node *nodes, int32_t *order, int64_t count)
{
  bool isSorted = true;
  for (int64_t i = 0; i < count; i++) {
    order[i] = (int32_t)i;
    isSorted = isSorted && (i == 0 || by_id(&nodes[i - 1], nodes[i].tree, nodes[i].id) < 0);
  }
  if (isSorted)
    return;
  for (int64_t i = count / 2; i-- > 0;)
    sift(nodes, order, i, count);
  for (int64_t end = count - 1; end > 0; end--) {
    const int32_t last = order[end];
    order[end] = order[0];
    order[0] = last;
    sift(nodes, order, 0, end);
  }
}

/* The node with that id in the tree. */
static int32_t node_of(const Ensemble *e, int64_t tree, int64_t id)
{
  int64_t low = 0, high = e->count - 1;
  while (low <= high) {
    const int64_t middle = low + (high - low) / 2;
    const int order = by_id(&e->nodes[e->order[middle]], tree, id);
    if (order == 0)
      return e->order[middle];
    low = order < 0 ? middle + 1 : low;
    high = order > 0 ? middle - 1 : high;
  }
  AT_ONNX_FAILS(e->call, "tree %lld has no node %lld", (long long)tree, (long long)id);
}

static void read_nodes(Ensemble *e)
{
  const at_onnxCall *const c = e->call;
  const at_mlNumbers trees = at_mlInts(c, "nodes_treeids", -1);
  const int64_t n = e->count = trees.count;
  if (n < 1 || n > INT32_MAX)
    AT_ONNX_FAILS(c, "it has %lld nodes", (long long)n);
  const at_mlNumbers ids = at_mlInts(c, "nodes_nodeids", n),
                     features = at_mlInts(c, "nodes_featureids", n),
                     yes = at_mlInts(c, "nodes_truenodeids", n),
                     no = at_mlInts(c, "nodes_falsenodeids", n),
                     values = at_mlFloats(c, "nodes_values", n),
                     missing = at_mlInts(c, "nodes_missing_value_tracks_true", -1);
  const at_onnxTexts modes = at_onnxTextsOf(c, "nodes_modes");
  if (modes.count != n || (missing.count != 0 && missing.count != n))
    AT_ONNX_FAILS(c, "it has %lld nodes, %d modes and %lld ways of missing values", (long long)n,
                  modes.count, (long long)missing.count);
  e->nodes = at_mlAlloc(c, n, sizeof *e->nodes);
  e->order = at_mlAlloc(c, n, sizeof *e->order);
  for (int64_t i = 0; i < n; i++) {
    const uint8_t mode = mode_of(c, modes.data[i]);
    e->nodes[i] = (Node){.value = at_mlFloat(&values, i),
                         .tree = at_mlInt(&trees, i),
                         .id = at_mlInt(&ids, i),
                         .feature = at_mlInt(&features, i),
                         .weight = -1,
                         .mode = mode,
                         .missing = missing.count > 0 && at_mlInt(&missing, i) != 0};
    if (mode != MODE_LEAF && (e->nodes[i].feature < 0 || e->nodes[i].feature >= e->x.width))
      AT_ONNX_FAILS(c, "a node asks for feature %lld, of %lld", (long long)e->nodes[i].feature,
                    (long long)e->x.width);
  }
  sort_nodes(e->nodes, e->order, n);
  for (int64_t i = 0; i < n; i++) {
    Node *const node = &e->nodes[i];
    if (node->mode == MODE_LEAF)
      continue;
    node->yes = node_of(e, node->tree, at_mlInt(&yes, i));
    node->no = node_of(e, node->tree, at_mlInt(&no, i));
    e->nodes[node->yes].isChild = e->nodes[node->no].isChild = true;
  }
}

/* Weights of leaves; what they are called begins with a word. */
static void read_weights(Ensemble *e, const char *word, const char *which)
{
  enum { MOST_NAME = 32 };
  char names[4][MOST_NAME];
  static const char *const parts[] = {"treeids", "nodeids", "ids", "weights"};
  for (int i = 0; i < 4; i++)
    snprintf(names[i], MOST_NAME, "%s_%s", word, parts[i]);
  const at_onnxCall *const c = e->call;
  const at_mlNumbers trees = at_mlInts(c, names[0], -1);
  const int64_t n = e->weightCount = trees.count;
  const at_mlNumbers ids = at_mlInts(c, names[1], n), targets = at_mlInts(c, names[2], n),
                     values = at_mlFloats(c, names[3], n);
  if (n > INT32_MAX)
    AT_ONNX_FAILS(c, "it has %lld weights", (long long)n);
  e->weights = at_mlAlloc(c, n, sizeof *e->weights);
  for (int64_t i = n; i-- > 0;) {
    Node *const node = &e->nodes[node_of(e, at_mlInt(&trees, i), at_mlInt(&ids, i))];
    e->weights[i] = (Weight){at_mlFloat(&values, i), at_mlInt(&targets, i), node->weight};
    if (e->weights[i].target < 0 || e->weights[i].target >= e->targets)
      AT_ONNX_FAILS(c, "a weight is of %s %lld, of %lld", which, (long long)e->weights[i].target,
                    (long long)e->targets);
    node->weight = (int32_t)i;
  }
}

static void find_roots(Ensemble *e)
{
  e->roots = at_mlAlloc(e->call, e->count, sizeof *e->roots);
  for (int64_t i = 0; i < e->count; i++)
    if (!e->nodes[i].isChild)
      e->roots[e->rootCount++] = (int32_t)i;
}

/* --- running ----------------------------------------------------------------------------------- */

static bool goes_on(const Node *node, double x)
{
  switch (node->mode) {
    case MODE_LEQ:
      return x <= node->value;
    case MODE_LT:
      return x < node->value;
    case MODE_GTE:
      return x >= node->value;
    case MODE_GT:
      return x > node->value;
    case MODE_EQ:
      return x == node->value;
    default:
      return x != node->value;
  }
}

/* The leaf of a row; a tree in a circle ends somewhere. */
static const Node *leaf_of(const Ensemble *e, int32_t root, const double *row)
{
  const Node *node = &e->nodes[root];
  for (int64_t step = 0; node->mode != MODE_LEAF && step < e->count; step++) {
    const double x = row[node->feature];
    node = &e->nodes[goes_on(node, x) || (node->missing && isnan(x)) ? node->yes : node->no];
  }
  return node;
}

static void add_leaf(const Ensemble *e, const Node *leaf, double *scores, bool *has)
{
  for (int32_t w = leaf->weight; w >= 0; w = e->weights[w].next) {
    double *const score = &scores[e->weights[w].target];
    const double value = e->weights[w].value;
    bool *const seen = &has[e->weights[w].target];
    if (e->aggregate == SUM || e->aggregate == AVERAGE)
      *score += value;
    else if (!*seen || (e->aggregate == MIN ? value < *score : value > *score))
      *score = value;
    *seen = true;
  }
}

static void run_rows(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Ensemble *const e = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    double *const own = e->scores + i * e->targets;
    bool *const has = e->has + i * e->targets;
    for (int64_t r = 0; r < e->rootCount; r++)
      add_leaf(e, leaf_of(e, e->roots[r], e->x.data + i * e->x.width), own, has);
    for (int64_t k = 0; k < e->targets && e->aggregate == AVERAGE; k++)
      own[k] /= (double)e->rootCount;
  }
}

static void run_trees(Ensemble *e)
{
  enum { TREE_STEPS = 16 }; /* elements of a loop that take as long as a tree */
  const int64_t count = at_onnxProduct(e->call, AT_SHAPE(e->x.count, e->targets), 0, 2);
  find_roots(e);
  e->scores = at_mlAlloc(e->call, count, sizeof *e->scores);
  e->has = at_mlAlloc(e->call, count, sizeof *e->has);
  if (count > 0)
    THParallel_for(e->x.count, THMax(1, TH_LOOP_GRAIN / (TREE_STEPS * THMax(1, e->rootCount))),
                   run_rows, e);
}

void at_runTreeRegressor(at_onnxCall *c)
{
  static const char *const names[] = {"SUM", "AVERAGE", "MIN", "MAX"};
  const char *const how = at_onnxText(c, "aggregate_function", "SUM");
  Ensemble e = {.call = c, .aggregate = 4, .x = at_mlRowsIn(c)};
  for (int i = 0; i < 4; i++)
    if (!strcmp(how, names[i]))
      e.aggregate = (Aggregate)i;
  e.targets = at_onnxInt(c, "n_targets", 1);
  if (e.aggregate == 4 || e.targets < 1)
    AT_ONNX_FAILS(c, "aggregate_function is '%.40s', of %lld targets", how, (long long)e.targets);
  const at_mlNumbers base = at_mlFloats(c, "base_values", -1);
  if (base.count != 0 && base.count != e.targets)
    AT_ONNX_FAILS(c, "it has %lld base values for %lld targets", (long long)base.count,
                  (long long)e.targets);
  read_nodes(&e);
  read_weights(&e, "target", "target");
  run_trees(&e);
  const at_mlTransform transform = at_mlTransformOf(c);
  for (int64_t i = 0; i < e.x.count; i++) {
    double *const own = e.scores + i * e.targets;
    for (int64_t k = 0; k < base.count; k++)
      own[k] += at_mlFloat(&base, k);
    at_mlTransformed(transform, own, e.targets);
  }
  at_mlGive(c, 0, e.scores, e.x.count, e.targets);
}

/* --- two classes ------------------------------------------------------------------------------- */

typedef struct Binary {
  bool isOne;    /* only one of two classes has weights, */
  bool isShare;  /* which are all positive: shares of 1 */
  int64_t which; /* the class that has weights */
} Binary;

static Binary binary_of(const Ensemble *e)
{
  Binary two = {e->targets == 2 && e->weightCount > 0, true,
                e->weightCount > 0 ? e->weights[0].target : 0};
  for (int64_t i = 0; i < e->weightCount; i++) {
    two.isOne = two.isOne && e->weights[i].target == two.which;
    two.isShare = two.isShare && e->weights[i].value >= 0;
  }
  return two;
}

/* The scores of both classes of a row from that of one, and which of them is chosen. */
static int64_t choose_one(const Ensemble *e, const Binary *two, const at_mlNumbers *base,
                          at_mlTransform transform, double *own)
{
  double score = own[two->which];
  if (base->count > 0)
    score += at_mlFloat(base, base->count == 2 ? 1 : 0);
  own[0] = score;
  const bool isSecond = score > (two->isShare && e->targets == 2 ? 0.5 : 0);
  if (base->count == 2) {
    own[1] = score;
    own[0] = -score;
    at_mlTransformed(transform, own, 2);
  } else {
    if (two->isShare || transform != AT_ML_LOGISTIC)
      at_mlSecondClass(own, two->isShare);
    else
      at_mlSecondClass(own, false);
    if (!two->isShare)
      at_mlTransformed(transform, own, transform == AT_ML_LOGISTIC ? 2 : 0);
  }
  return isSecond;
}

void at_runTreeClassifier(at_onnxCall *c)
{
  Ensemble e = {.call = c, .x = at_mlRowsIn(c)};
  const at_mlLabels labels = at_mlLabelsOf(c);
  const at_mlNumbers base = at_mlFloats(c, "base_values", -1);
  const at_mlTransform transform = at_mlTransformOf(c);
  e.targets = labels.count;
  read_nodes(&e);
  read_weights(&e, "class", "class");
  const Binary two = binary_of(&e);
  if (base.count != 0 && base.count != e.targets && !(two.isOne && base.count == 1))
    AT_ONNX_FAILS(c, "it has %lld base values for %lld classes", (long long)base.count,
                  (long long)e.targets);
  run_trees(&e);
  int64_t *const chosen = at_mlGiveLabels(c, e.x.count);
  for (int64_t i = 0; i < e.x.count; i++) {
    double *const own = e.scores + i * e.targets;
    if (two.isOne) {
      chosen[i] = at_mlLabel(&labels, choose_one(&e, &two, &base, transform, own));
      continue;
    }
    for (int64_t k = 0; k < base.count; k++)
      own[k] += at_mlFloat(&base, k);
    chosen[i] = at_mlLabel(&labels, at_mlLargest(own, e.targets));
    at_mlTransformed(transform, own, e.targets);
  }
  at_mlGive(c, 1, e.scores, e.x.count, e.targets);
}
