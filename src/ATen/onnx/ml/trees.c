/* Ensembles of trees are read: their nodes lead to leaves, and never back. */
#include <math.h>

#include "trees.h"

enum { MOST_TARGETS = 1 << 20 };

/* What is needed only while an ensemble is read. */
typedef struct Reading {
  const at_mlSource *source;
  at_trees *trees;
  at_mlKey *keys;   /* of nodes, by tree and number */
  int32_t *parents; /* how many nodes lead to each */
  int32_t *queue;
} Reading;

/* Memory that the guard frees. */
static void *scratch(Reading *r, THGuard *guard, int64_t count, size_t size)
{
  int64_t bytes;
  if (__builtin_mul_overflow(count, (int64_t)size, &bytes))
    at_mlFails(r->source, "there is no memory for %lld nodes", (long long)count);
  at_guard(guard);
  at_tensor *const t = guard->what =
      at_newElements(r->source->names->building->onnx->file, at_cpuType(AT_BYTE), AT_SHAPE(bytes));
  memset(at_hostData(t), 0, (size_t)bytes);
  return at_hostData(t);
}

/* --- what holds for all ensembles -------------------------------------------------------------- */

/* Raises if a way through the trees is a circle: takes nodes away to which nothing leads until none is
 * left. */
static void check_circles(Reading *r)
{
  const at_trees *const t = r->trees;
  int64_t seen = 0, waiting = 0;
  for (int64_t i = 0; i < t->count; i++)
    if (r->parents[i] == 0)
      r->queue[waiting++] = (int32_t)i;
  while (seen < waiting) {
    const at_treeNode *const node = &t->nodes[r->queue[seen++]];
    for (int k = 0; k < 2 && node->mode != AT_TREE_LEAF; k++) {
      const int32_t child = k ? node->yes : node->no;
      if (--r->parents[child] == 0)
        r->queue[waiting++] = child;
    }
  }
  if (seen < t->count)
    at_mlFails(r->source, "nodes of a tree lead back to themselves");
}

static void set_feature(Reading *r, int64_t i, int64_t feature)
{
  if (feature < 0 || feature >= INT32_MAX)
    at_mlFails(r->source, "node %lld asks for feature %lld", (long long)i, (long long)feature);
  r->trees->nodes[i].feature = (int32_t)feature;
  r->trees->width = THMax(r->trees->width, feature + 1);
}

static void lead_to(Reading *r, int32_t *child, int64_t index)
{
  *child = (int32_t)index;
  r->parents[index]++;
}

static void put_weight(Reading *r, int64_t i, int64_t target, double value, at_treeNode *leaf)
{
  if (target < 0 || target >= r->trees->targets)
    at_mlFails(r->source, "weight %lld is of target %lld, of %lld", (long long)i, (long long)target,
               (long long)r->trees->targets);
  r->trees->weights[i] = (at_treeWeight){value, target, leaf->first};
  leaf->first = (int32_t)i;
}

static int64_t targets_of(const at_mlSource *s)
{
  const int64_t targets = at_mlInt(s, "n_targets", 1);
  if (targets < 1 || targets > MOST_TARGETS)
    at_mlFails(s, "n_targets is %lld, and has to be from 1 to %d", (long long)targets,
               MOST_TARGETS);
  return targets;
}

static int64_t checked(const at_mlSource *s, int64_t count, const char *what)
{
  enum { MOST_NODES = INT32_MAX / 4 };
  if (count < 1 || count > MOST_NODES)
    at_mlFails(s, "it has %lld %s", (long long)count, what);
  return count;
}

/* --- nodes with the number of their tree and their own ----------------------------------------- */

/* The node with that number in the tree. */
static int64_t node_of(const Reading *r, int64_t tree, int64_t id)
{
  const int64_t at = at_mlFind(r->keys, r->trees->count, tree, id);
  if (at == r->trees->count || r->keys[at].first != tree || r->keys[at].second != id)
    at_mlFails(r->source, "tree %lld has no node %lld", (long long)tree, (long long)id);
  return r->keys[at].index;
}

static void sort_nodes(Reading *r, const at_mlInts *trees, const at_mlInts *ids)
{
  for (int64_t i = 0; i < trees->count; i++)
    r->keys[i] = (at_mlKey){trees->data[i], ids->data[i], i};
  at_mlSort(r->keys, trees->count);
  for (int64_t i = 1; i < trees->count; i++)
    if (r->keys[i - 1].first == r->keys[i].first && r->keys[i - 1].second == r->keys[i].second)
      at_mlFails(r->source, "tree %lld has two nodes %lld", (long long)r->keys[i].first,
                 (long long)r->keys[i].second);
}

static uint8_t mode_of(const Reading *r, const char *name)
{
  static const char *const names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                      "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
    if (!strcmp(name, names[i]))
      return (uint8_t)(i == AT_TREE_MEMBER ? AT_TREE_LEAF : i);
  at_mlFails(r->source, "a node is of mode '%.40s', which is none of the standard", name);
}

static void read_nodes(Reading *r, const at_mlInts *trees)
{
  const at_mlSource *const s = r->source;
  const int64_t n = trees->count;
  const at_mlInts ids = at_mlIntsOf(s, "nodes_nodeids", n),
                  features = at_mlIntsOf(s, "nodes_featureids", n),
                  yes = at_mlIntsOf(s, "nodes_truenodeids", n),
                  no = at_mlIntsOf(s, "nodes_falsenodeids", n),
                  missing = at_mlIntsOf(s, "nodes_missing_value_tracks_true", -1);
  const at_mlFloats values = at_mlFloatsOf(s, "nodes_values", n);
  const at_onnxTexts modes = at_mlTextsOf(s, "nodes_modes");
  if (modes.count != n || (missing.count != 0 && missing.count != n))
    at_mlFails(s, "it has %lld nodes, %d modes and %lld ways of missing values", (long long)n,
               modes.count, (long long)missing.count);
  sort_nodes(r, trees, &ids);
  for (int64_t i = 0; i < n; i++) {
    at_treeNode *const node = &r->trees->nodes[i];
    *node = (at_treeNode){.value = values.data[i],
                          .first = -1,
                          .mode = mode_of(r, modes.data[i]),
                          .missing = missing.count > 0 && missing.data[i] != 0};
    if (node->mode == AT_TREE_LEAF)
      continue;
    set_feature(r, i, features.data[i]);
    lead_to(r, &node->yes, node_of(r, trees->data[i], yes.data[i]));
    lead_to(r, &node->no, node_of(r, trees->data[i], no.data[i]));
  }
}

/* The roots are the nodes to which nothing leads: one in each tree. */
static void find_roots(Reading *r)
{
  at_trees *const t = r->trees;
  bool hasRoot = false;
  for (int64_t i = 0; i < t->count; i++) {
    hasRoot = hasRoot && i > 0 && r->keys[i].first == r->keys[i - 1].first;
    if (r->parents[r->keys[i].index] > 0)
      continue;
    if (hasRoot)
      at_mlFails(r->source, "nothing leads to node %lld of tree %lld", (long long)r->keys[i].second,
                 (long long)r->keys[i].first);
    hasRoot = true;
    t->rootCount++;
  }
  t->roots = at_mlTake(r->source, t->rootCount, sizeof *t->roots);
  t->rootCount = 0;
  for (int64_t i = 0; i < t->count; i++)
    if (r->parents[i] == 0)
      t->roots[t->rootCount++] = (int32_t)i;
}

/* Weights of leaves; what they are called begins with a word. */
static void read_weights(Reading *r, const char *word)
{
  enum { MOST_NAME = 32, NAMES = 4 };
  char names[NAMES][MOST_NAME];
  static const char *const parts[] = {"treeids", "nodeids", "ids", "weights"};
  for (int i = 0; i < NAMES; i++)
    snprintf(names[i], MOST_NAME, "%s_%s", word, parts[i]);
  const at_mlSource *const s = r->source;
  const at_mlInts trees = at_mlIntsOf(s, names[0], -1);
  const int64_t n = r->trees->weightCount = checked(s, trees.count, "weights");
  const at_mlInts ids = at_mlIntsOf(s, names[1], n), targets = at_mlIntsOf(s, names[2], n);
  const at_mlFloats values = at_mlFloatsOf(s, names[3], n);
  r->trees->weights = at_mlTake(s, n, sizeof *r->trees->weights);
  for (int64_t i = n; i-- > 0;)
    put_weight(r, i, targets.data[i], values.data[i],
               &r->trees->nodes[node_of(r, trees.data[i], ids.data[i])]);
}

static void enter(Reading *r, THGuard guards[3], int64_t count)
{
  r->trees->count = count;
  r->trees->nodes = at_mlTake(r->source, count, sizeof *r->trees->nodes);
  r->keys = scratch(r, &guards[0], count, sizeof *r->keys);
  r->parents = scratch(r, &guards[1], count, sizeof *r->parents);
  r->queue = scratch(r, &guards[2], count, sizeof *r->queue);
}

static void leave(THGuard guards[3])
{
  for (int i = 3; i-- > 0;)
    THGuard_leave(&guards[i]);
}

static void read_forest(const at_mlSource *s, at_trees *t, const char *word)
{
  THGuard guards[3];
  Reading r = {.source = s, .trees = t};
  const at_mlInts trees = at_mlIntsOf(s, "nodes_treeids", -1);
  enter(&r, guards, checked(s, trees.count, "nodes"));
  read_nodes(&r, &trees);
  read_weights(&r, word);
  find_roots(&r);
  check_circles(&r);
  leave(guards);
}

const void *at_prepareTreeRegressor(at_names *names, const at_onnxItem *item)
{
  static const char *const how[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const at_mlSource s = {names, item};
  at_trees *const t = at_mlTake(&s, 1, sizeof *t);
  t->type = AT_FLOAT;
  t->aggregate = (at_treeAggregate)at_mlChoice(&s, "aggregate_function", "SUM", how, 4);
  t->transform = at_mlTransformOf(&s);
  t->targets = targets_of(&s);
  t->base = at_mlFloatsOf(&s, "base_values", -1);
  if (t->base.count != 0 && t->base.count != t->targets)
    at_mlFails(&s, "it has %lld base values for %lld targets", (long long)t->base.count,
               (long long)t->targets);
  read_forest(&s, t, "target");
  return t;
}

/* Whether only one of two classes has weights. */
static void find_one(at_trees *t)
{
  t->isOne = t->targets == 2;
  t->isShare = true;
  t->which = t->weights[0].target;
  for (int64_t i = 0; i < t->weightCount; i++) {
    t->isOne = t->isOne && t->weights[i].target == t->which;
    t->isShare = t->isShare && t->weights[i].value >= 0;
  }
}

const void *at_prepareTreeClassifier(at_names *names, const at_onnxItem *item)
{
  const at_mlSource s = {names, item};
  at_trees *const t = at_mlTake(&s, 1, sizeof *t);
  t->type = AT_FLOAT;
  t->aggregate = AT_TREE_SUM;
  t->transform = at_mlTransformOf(&s);
  t->labels = at_mlLabelsOf(&s);
  t->targets = t->labels.count;
  t->base = at_mlFloatsOf(&s, "base_values", -1);
  read_forest(&s, t, "class");
  find_one(t);
  if (t->base.count != 0 && t->base.count != t->targets && !(t->isOne && t->base.count == 1))
    at_mlFails(&s, "it has %lld base values for %lld classes", (long long)t->base.count,
               (long long)t->targets);
  return t;
}

/* --- nodes that are numbered through all trees, and leaves apart ------------------------------- */

/* Where the members of each set begin: behind the NaN of the set before. */
static void read_sets(Reading *r, int64_t count)
{
  const at_mlFloats members = at_mlFloatsOf(r->source, "membership_values", -1);
  int64_t at = 0;
  r->trees->members = members.data;
  for (int64_t i = 0; i < count; i++) {
    if (r->trees->nodes[i].mode != AT_TREE_MEMBER)
      continue;
    r->trees->nodes[i].first = (int32_t)THMin(at, INT32_MAX);
    while (at < members.count && !isnan(members.data[at]))
      at++;
    if (at++ >= members.count || at > INT32_MAX)
      at_mlFails(r->source, "the set of node %lld has no end", (long long)i);
  }
}

/* Branches come first among the nodes, and the leaves behind them. */
static void read_branches(Reading *r, int64_t n, int64_t leaves)
{
  const at_mlSource *const s = r->source;
  const at_mlInts features = at_mlIntsOf(s, "nodes_featureids", n),
                  modes = at_mlIntsOf(s, "nodes_modes", n),
                  missing = at_mlIntsOf(s, "nodes_missing_value_tracks_true", -1),
                  ids[2] = {at_mlIntsOf(s, "nodes_truenodeids", n),
                            at_mlIntsOf(s, "nodes_falsenodeids", n)},
                  areLeaves[2] = {at_mlIntsOf(s, "nodes_trueleafs", n),
                                  at_mlIntsOf(s, "nodes_falseleafs", n)};
  const at_mlFloats values = at_mlFloatsOf(s, "nodes_splits", n);
  if (missing.count != 0 && missing.count != n)
    at_mlFails(s, "it has %lld nodes and %lld ways of missing values", (long long)n,
               (long long)missing.count);
  for (int64_t i = 0; i < n; i++) {
    at_treeNode *const node = &r->trees->nodes[i];
    if (modes.data[i] < 0 || modes.data[i] > AT_TREE_MEMBER)
      at_mlFails(s, "node %lld is of mode %lld", (long long)i, (long long)modes.data[i]);
    *node = (at_treeNode){.value = values.data[i],
                          .mode = (uint8_t)modes.data[i],
                          .missing = missing.count > 0 && missing.data[i] != 0};
    set_feature(r, i, features.data[i]);
    for (int k = 0; k < 2; k++) {
      const bool isLeaf = areLeaves[k].data[i] != 0;
      const int64_t id = ids[k].data[i], most = isLeaf ? leaves : n;
      if (id < 0 || id >= most)
        at_mlFails(s, "node %lld leads to %s %lld, of %lld", (long long)i, isLeaf ? "leaf" : "node",
                   (long long)id, (long long)most);
      lead_to(r, k == 0 ? &node->yes : &node->no, isLeaf ? n + id : id);
    }
  }
  read_sets(r, n);
}

static void read_leaves(Reading *r, int64_t n, const at_mlInts *targets)
{
  const at_mlFloats weights = at_mlFloatsOf(r->source, "leaf_weights", targets->count);
  r->trees->weightCount = targets->count;
  r->trees->weights = at_mlTake(r->source, targets->count, sizeof *r->trees->weights);
  for (int64_t i = 0; i < targets->count; i++) {
    at_treeNode *const leaf = &r->trees->nodes[n + i];
    *leaf = (at_treeNode){.first = -1, .mode = AT_TREE_LEAF};
    put_weight(r, i, targets->data[i], weights.data[i], leaf);
  }
}

static void read_roots(Reading *r, int64_t n)
{
  at_trees *const t = r->trees;
  const at_mlInts roots = at_mlIntsOf(r->source, "tree_roots", -1);
  t->rootCount = checked(r->source, roots.count, "trees");
  t->roots = at_mlTake(r->source, roots.count, sizeof *t->roots);
  for (int64_t i = 0; i < roots.count; i++) {
    if (roots.data[i] < 0 || roots.data[i] >= n)
      at_mlFails(r->source, "tree %lld begins at node %lld, of %lld", (long long)i,
                 (long long)roots.data[i], (long long)n);
    t->roots[i] = (int32_t)roots.data[i];
  }
}

const void *at_prepareTreeEnsemble(at_names *names, const at_onnxItem *item)
{
  static const at_mlTransform transforms[] = {AT_ML_NONE, AT_ML_SOFTMAX, AT_ML_LOGISTIC,
                                              AT_ML_SOFTMAX_ZERO, AT_ML_PROBIT};
  const at_mlSource s = {names, item};
  at_trees *const t = at_mlTake(&s, 1, sizeof *t);
  THGuard guards[3];
  Reading r = {.source = &s, .trees = t};
  const at_mlInts features = at_mlIntsOf(&s, "nodes_featureids", -1),
                  targets = at_mlIntsOf(&s, "leaf_targetids", -1);
  const int64_t how = at_mlInt(&s, "aggregate_function", AT_TREE_SUM),
                transform = at_mlInt(&s, "post_transform", 0),
                n = checked(&s, features.count, "nodes"),
                leaves = checked(&s, targets.count, "leaves");
  if (how < 0 || how > AT_TREE_MAX || transform < 0 || transform > 4)
    at_mlFails(&s, "aggregate_function is %lld and post_transform %lld", (long long)how,
               (long long)transform);
  t->type = AT_SCALAR_TYPES;
  t->aggregate = (at_treeAggregate)how;
  t->transform = transforms[transform];
  t->targets = targets_of(&s);
  enter(&r, guards, n + leaves);
  read_branches(&r, n, leaves);
  read_leaves(&r, n, &targets);
  read_roots(&r, n);
  check_circles(&r);
  leave(guards);
  return t;
}
