/* Ensembles of trees are computed. */
#include <math.h>

#include "TH/core/THTeam.h"
#include "trees.h"

/* The scores of rows, and which of them any leaf has given. */
typedef struct Run {
  const at_trees *trees;
  at_mlRows x;
  double *scores;
  bool *has;
} Run;

static bool is_member(const at_trees *t, const at_treeNode *node, double x)
{
  const double *member = t->members + node->first;
  while (!isnan(*member) && *member != x)
    member++;
  return *member == x;
}

static bool goes_on(const at_trees *t, const at_treeNode *node, double x)
{
  switch (node->mode) {
    case AT_TREE_LEQ:
      return x <= node->value;
    case AT_TREE_LT:
      return x < node->value;
    case AT_TREE_GTE:
      return x >= node->value;
    case AT_TREE_GT:
      return x > node->value;
    case AT_TREE_EQ:
      return x == node->value;
    case AT_TREE_MEMBER:
      return is_member(t, node, x);
    default:
      return x != node->value;
  }
}

static const at_treeNode *leaf_of(const at_trees *t, int32_t root, const double *row)
{
  const at_treeNode *node = &t->nodes[root];
  while (node->mode != AT_TREE_LEAF) {
    const double x = row[node->feature];
    node = &t->nodes[goes_on(t, node, x) || (node->missing && isnan(x)) ? node->yes : node->no];
  }
  return node;
}

static void add_leaf(const at_trees *t, const at_treeNode *leaf, double *scores, bool *has)
{
  for (int32_t w = leaf->first; w >= 0; w = t->weights[w].next) {
    double *const score = &scores[t->weights[w].target];
    const double value = t->weights[w].value;
    bool *const seen = &has[t->weights[w].target];
    if (t->aggregate == AT_TREE_SUM || t->aggregate == AT_TREE_AVERAGE)
      *score += value;
    else if (!*seen || (t->aggregate == AT_TREE_MIN ? value < *score : value > *score))
      *score = value;
    *seen = true;
  }
}

static void run_rows(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Run *const run = context;
  const at_trees *const t = run->trees;
  for (ptrdiff_t i = begin; i < end; i++) {
    double *const own = run->scores + i * t->targets;
    bool *const has = run->has + i * t->targets;
    for (int64_t r = 0; r < t->rootCount; r++)
      add_leaf(t, leaf_of(t, t->roots[r], run->x.data + i * run->x.width), own, has);
    for (int64_t k = 0; k < t->targets && t->aggregate == AT_TREE_AVERAGE; k++)
      own[k] /= (double)t->rootCount;
  }
}

static Run run_trees(const at_onnxCall *c)
{
  enum { TREE_STEPS = 16 }; /* elements of a loop that take as long as a tree */
  const at_trees *const t = c->state;
  Run run = {.trees = t, .x = at_mlRowsIn(c)};
  if (run.x.width < t->width)
    AT_ONNX_FAILS(c, "the trees ask for %lld features, and the rows have %lld", (long long)t->width,
                  (long long)run.x.width);
  const int64_t count = at_onnxProduct(c, AT_SHAPE(run.x.count, t->targets), 0, 2);
  run.scores = at_mlAlloc(c, count, sizeof *run.scores);
  run.has = at_mlAlloc(c, count, sizeof *run.has);
  if (count > 0)
    THParallel_for(run.x.count, THMax(1, TH_LOOP_GRAIN / (TREE_STEPS * THMax(1, t->rootCount))),
                   run_rows, &run);
  return run;
}

static at_scalar_type type_of(const at_onnxCall *c)
{
  const at_trees *const t = c->state;
  return t->type == AT_SCALAR_TYPES ? at_onnxInput(c, 0)->type->scalarType : t->type;
}

void at_runTreeRegressor(at_onnxCall *c)
{
  const at_trees *const t = c->state;
  const Run run = run_trees(c);
  for (int64_t i = 0; i < run.x.count; i++) {
    double *const own = run.scores + i * t->targets;
    for (int64_t k = 0; k < t->base.count; k++)
      own[k] += t->base.data[k];
    at_mlTransformed(t->transform, own, t->targets);
  }
  at_mlGive(c, 0, run.scores, run.x.count, t->targets, type_of(c));
}

/* The scores of both classes of a row from that of one, and which of them is chosen. */
static int64_t choose_one(const at_trees *t, double *own)
{
  double score = own[t->which];
  if (t->base.count > 0)
    score += t->base.data[t->base.count == 2];
  own[0] = score;
  const bool isSecond = score > (t->isShare && t->targets == 2 ? 0.5 : 0);
  if (t->base.count == 2) {
    own[1] = score;
    own[0] = -score;
    at_mlTransformed(t->transform, own, 2);
  } else {
    at_mlSecondClass(own, t->isShare);
    if (!t->isShare)
      at_mlTransformed(t->transform, own, t->transform == AT_ML_LOGISTIC ? 2 : 0);
  }
  return isSecond;
}

void at_runTreeClassifier(at_onnxCall *c)
{
  const at_trees *const t = c->state;
  const Run run = run_trees(c);
  int64_t *const chosen = at_mlGiveLabels(c, run.x.count);
  for (int64_t i = 0; i < run.x.count; i++) {
    double *const own = run.scores + i * t->targets;
    if (t->isOne) {
      chosen[i] = at_mlLabel(&t->labels, choose_one(t, own));
      continue;
    }
    for (int64_t k = 0; k < t->base.count; k++)
      own[k] += t->base.data[k];
    chosen[i] = at_mlLabel(&t->labels, at_mlLargest(own, t->targets));
    at_mlTransformed(t->transform, own, t->targets);
  }
  at_mlGive(c, 1, run.scores, run.x.count, t->targets, type_of(c));
}
