/* Attention that is written as a product, a softmax and another product becomes the operation that
 * never has the whole matrix of scores:
 *
 *     matmul(softmax(matmul(q, k) * scale + mask), v)
 *
 * where the factor and the mask may be left out, or scores be filled where a condition holds.  After
 * decompositions the products are bmm, with other sizes before and after them, q and k have the factor,
 * and rows of scores that are all -inf become 0. */
#include "attention.h"

typedef struct Search {
  at_rewrite *rewrite;
  const int32_t *makers, *reads, *writers; /* writers: how many nodes before each one write */
  at_sets sets;
} Search;

/* What is found of a match, from the last node back to the first.  Path nodes come before nodes. */
typedef struct Match {
  int32_t nodes[AT_ATTENTION_NODES], count, paths[AT_PATH_NODES], pathCount;
  const at_given *operands[AT_OPERANDS];
  struct {
    int32_t of;
    const at_given *sizes;
  } views[AT_ATTENTION_VIEWS];
  int32_t viewCount, behind; /* views of the scores behind the mask */
  double scale, pathScale;
  bool fillsFalse, isSafe;
} Match;

/* --- nodes ------------------------------------------------------------------------------------ */

static bool is_op(const at_graphNode *node, const char *name)
{
  return node && node->op && !strcmp(node->op->name, name) && node->outputCount == 1 &&
         node->outputs[0] != AT_NO_SLOT;
}

bool at_isProduct(const at_graphNode *node)
{
  return is_op(node, "matmul") || is_op(node, "bmm");
}

const at_given *at_rightOf(const at_graphNode *product)
{
  return at_argumentOf(product, is_op(product, "bmm") ? "mat2" : "other");
}

/* The node that makes the argument, which is read so many times; NULL if it is something else. */
static const at_graphNode *maker_of(const Search *s, const at_given *given, int32_t reads)
{
  const int32_t slot =
      given && given->kind == AT_GIVEN_TENSOR ? at_slotIn(s->rewrite, given) : AT_NO_SLOT;
  if (slot == AT_NO_SLOT || s->reads[slot] != reads || s->makers[slot] < 0)
    return NULL;
  const at_graphNode *const node = &s->rewrite->graph->nodes[s->makers[slot]];
  return at_isRemoved(node) || node->outputCount != 1 ? NULL : node;
}

/* Adds a node to a list of the match, once; false if the list is full. */
static bool add(const Search *s, const at_graphNode *node, int32_t *list, int32_t *count,
                int32_t most)
{
  const int32_t n = (int32_t)(node - s->rewrite->graph->nodes);
  for (int32_t i = 0; i < *count; i++)
    if (list[i] == n)
      return true;
  if (*count == most)
    return false;
  list[(*count)++] = n;
  return true;
}

static bool add_node(const Search *s, Match *m, const at_graphNode *node)
{
  return add(s, node, m->nodes, &m->count, AT_ATTENTION_NODES);
}

/* The factor of a product with a constant number, or of a quotient by one; 0 for all else. */
static double factor_of(const at_graphNode *node)
{
  double factor = 0;
  if (!(is_op(node, "mul") || is_op(node, "div")) ||
      !at_isConstantNumber(at_argumentOf(node, "other"), &factor) ||
      at_argumentOf(node, "rounding_mode") || factor == 0)
    return 0;
  return *node->op->name == 'm' ? factor : 1 / factor;
}

/* --- views ------------------------------------------------------------------------------------ */

/* Whether the node keeps the order of elements, and which argument lists the sizes, if any does. */
static bool keeps_elements(const at_graphNode *node, const at_given **sizes)
{
  *sizes = NULL;
  if (is_op(node, "clone") || is_op(node, "contiguous"))
    return true;
  if (!is_op(node, "view") && !is_op(node, "reshape") && !is_op(node, "expand"))
    return false;
  *sizes = at_argumentOf(node, "sizes");
  return *sizes && (*sizes)->kind == AT_GIVEN_NUMBERS && (*sizes)->number == AT_CELL_INT;
}

static bool add_view(Match *m, int32_t of, const at_given *sizes)
{
  if (!sizes)
    return true;
  if (m->viewCount == AT_ATTENTION_VIEWS)
    return false;
  m->views[m->viewCount].of = of;
  m->views[m->viewCount++].sizes = sizes;
  return true;
}

/* What the argument is before it got other sizes; *reads becomes 1 then. */
static const at_given *before_views(const Search *s, Match *m, const at_given *given, int32_t of,
                                    int32_t *reads)
{
  const at_given *sizes;
  const at_graphNode *node = maker_of(s, given, *reads);
  while (keeps_elements(node, &sizes) && add_view(m, of, sizes) && add_node(s, m, node)) {
    given = at_argumentOf(node, "self");
    *reads = 1;
    node = maker_of(s, given, 1);
  }
  return given;
}

/* Whether the node gives its input no other sizes. */
static bool keeps_sizes(const Search *s, const at_graphNode *node)
{
  return at_haveSameSizes(s->rewrite, at_slotIn(s->rewrite, at_argumentOf(node, "self")),
                          node->outputs[0]);
}

/* The operand of a product before it got other sizes, and a factor in the case of query and key.  A bmm
 * has one view that makes the batch one size; what is before is how the tensor is made. */
static void find_operand(const Search *s, Match *m, const at_graphNode *product, int32_t of)
{
  bool isFlat = is_op(product, "bmm");
  const at_given *given = of == AT_QUERY ? at_argumentOf(product, "self") : at_rightOf(product);
  for (const at_graphNode *node; (node = maker_of(s, given, 1));) {
    const at_given *sizes;
    const bool keeps = keeps_elements(node, &sizes);
    const double factor = keeps || of == AT_VALUE ? 0 : factor_of(node);
    const bool isOther = sizes && !keeps_sizes(s, node);
    if ((!keeps && factor == 0) || (isOther && (!isFlat || is_op(node, "expand"))) ||
        m->viewCount == AT_ATTENTION_VIEWS || !add(s, node, m->paths, &m->pathCount, AT_PATH_NODES))
      break;
    isFlat &= !isOther;
    add_view(m, of, sizes);
    m->pathScale *= keeps ? 1 : factor;
    given = at_argumentOf(node, "self");
  }
  m->operands[of] = given;
}

/* --- scores ----------------------------------------------------------------------------------- */

/* The scores, perhaps times a number. */
static bool match_scores(const Search *s, const at_given *given, int32_t reads, Match *m)
{
  const Match before = *m;
  given = before_views(s, m, given, AT_SCORES, &reads);
  const at_graphNode *node = maker_of(s, given, reads);
  const double factor = factor_of(node);
  if (factor != 0 && add_node(s, m, node)) {
    m->scale = factor;
    reads = 1;
    given = before_views(s, m, at_argumentOf(node, "self"), AT_SCORES, &reads);
    node = maker_of(s, given, reads);
  }
  if (at_isProduct(node) && add_node(s, m, node)) {
    find_operand(s, m, node, AT_QUERY);
    find_operand(s, m, node, AT_KEY);
    return true;
  }
  *m = before;
  return false;
}

/* The sum of scores and a mask, in either order. */
static bool match_sum(const Search *s, const at_graphNode *node, Match *m)
{
  const at_given *const sides[] = {at_argumentOf(node, "self"), at_argumentOf(node, "other")},
                        *const factor = at_argumentOf(node, "alpha");
  double alpha = 1;
  if (factor && (!at_isConstantNumber(factor, &alpha) || alpha != 1))
    return false;
  for (int i = 0; i < 2; i++)
    if (sides[1 - i] && sides[1 - i]->kind == AT_GIVEN_TENSOR && match_scores(s, sides[i], 1, m)) {
      m->operands[AT_MASK] = sides[1 - i];
      return true;
    }
  return false;
}

/* masked_fill(scores, condition, fill) */
static bool match_filled(const Search *s, const at_graphNode *node, Match *m)
{
  m->operands[AT_CONDITION] = at_argumentOf(node, "mask");
  m->operands[AT_FILL] = at_argumentOf(node, "value");
  return match_scores(s, at_argumentOf(node, "self"), 1, m);
}

/* where(condition, fill, scores), or where(condition, scores, fill). */
static bool match_choice(const Search *s, const at_graphNode *node, Match *m)
{
  const at_given *const sides[] = {at_argumentOf(node, "self"), at_argumentOf(node, "other")};
  for (int i = 0; i < 2; i++)
    if (sides[1 - i] && sides[1 - i]->kind == AT_GIVEN_TENSOR && match_scores(s, sides[i], 1, m)) {
      m->operands[AT_CONDITION] = at_argumentOf(node, "condition");
      m->operands[AT_FILL] = sides[1 - i];
      m->fillsFalse = i == 0;
      return true;
    }
  return false;
}

/* Scores and a mask, or scores alone. */
static bool match_masked(const Search *s, const at_given *given, int32_t reads, Match *m)
{
  static const struct {
    const char *name;
    bool (*match)(const Search *s, const at_graphNode *node, Match *m);
  } masks[] = {{"add", match_sum}, {"where", match_choice}, {"masked_fill", match_filled}};
  const Match before = *m;
  const at_given *const start = given;
  int32_t left = reads;
  given = before_views(s, m, given, AT_SCORES, &left);
  const at_graphNode *const node = maker_of(s, given, left);
  m->behind = m->viewCount - before.viewCount;
  for (int i = 0; i < 3; i++)
    if (is_op(node, masks[i].name) && add_node(s, m, node) && masks[i].match(s, node, m))
      return true;
  *m = before;
  return match_scores(s, start, reads, m);
}

/* --- the softmax ------------------------------------------------------------------------------ */

bool at_isSoftmax(const at_graphNode *node)
{
  double dim;
  return (is_op(node, "softmax") || is_op(node, "_softmax")) &&
         at_isConstantNumber(at_argumentOf(node, "dim"), &dim);
}

/* Whether the node makes zeros. */
static bool is_zeros(const at_graphNode *node)
{
  double value = 1;
  if (!node)
    return false;
  if (!strncmp(node->target, "aten.zeros", 10))
    return true;
  return !strncmp(node->target, "aten.full", 9) &&
         at_isConstantNumber(at_inputOf(node, "fill_value", -1), &value) && value == 0;
}

/* The node among those that are computed once that makes the argument. */
static const at_graphNode *prepared_maker(const Search *s, const at_given *given)
{
  const at_graph *const prepared = s->rewrite->plan->prepared;
  const int32_t slot = at_slotIn(s->rewrite, given);
  for (int32_t n = 0; prepared && slot != AT_NO_SLOT && n < prepared->nodeCount; n++)
    if (prepared->nodes[n].outputCount == 1 && prepared->nodes[n].outputs[0] == slot)
      return &prepared->nodes[n];
  return NULL;
}

/* One of the nodes between scores and the condition that all of a row are -inf. */
static const at_graphNode *step_of(const Search *s, Match *m, const at_given *given,
                                   const char *name)
{
  const at_graphNode *const node = maker_of(s, given, 1);
  return is_op(node, name) && add_node(s, m, node) ? node : NULL;
}

/* step_of for a reduction over the dimension. */
static const at_graphNode *reduction_of(const Search *s, Match *m, const at_given *given,
                                        const char *name, double dim)
{
  const at_graphNode *const node = step_of(s, m, given, name);
  const at_given *dims = node ? at_argumentOf(node, "dim") : NULL;
  if (!dims || dims->count != 1 || dims->parts->slot != AT_NO_SLOT ||
      dims->parts->constant.kind != AT_CELL_INT || dims->parts->constant.is.integer != dim)
    return NULL;
  return node;
}

/* The scores that the condition is about: not any of a row is not -inf; or all of it are. */
static const at_given *match_rows(const Search *s, Match *m, const at_given *condition, double dim)
{
  double limit = 0;
  const Match before = *m;
  const at_graphNode *node = step_of(s, m, condition, "logical_not");
  if (node && (node = reduction_of(s, m, at_argumentOf(node, "self"), "any", dim)))
    node = step_of(s, m, at_argumentOf(node, "self"), "logical_not");
  if (!node) {
    *m = before;
    node = reduction_of(s, m, condition, "all", dim);
  }
  if (!node || !(node = step_of(s, m, at_argumentOf(node, "self"), "eq")) ||
      !at_isConstantNumber(at_argumentOf(node, "other"), &limit) || limit != -INFINITY)
    return NULL;
  return at_argumentOf(node, "self");
}

/* where(all of a row are -inf, 0, softmax(scores)): the softmax. */
static const at_graphNode *match_safe(const Search *s, const at_graphNode *where, Match *m)
{
  const at_given *const zeros = at_argumentOf(where, "self"), *const weights =
                                                                  at_argumentOf(where, "other");
  const at_graphNode *filled = maker_of(s, zeros, 1);
  const int32_t slot = weights ? at_slotIn(s->rewrite, weights) : AT_NO_SLOT;
  bool isLike = false; /* the zeros take their sizes from the softmax */
  if (filled && filled->inputCount > 0 && is_zeros(filled))
    isLike = slot != AT_NO_SLOT && at_slotIn(s->rewrite, &filled->inputs[0]) == slot;
  else if (zeros && !filled)
    filled = prepared_maker(s, zeros);
  if (!is_zeros(filled) || (isLike && !add_node(s, m, filled)))
    return NULL;
  const at_graphNode *const softmax = maker_of(s, weights, isLike ? 2 : 1);
  double dim;
  if (!at_isSoftmax(softmax) || !add_node(s, m, softmax))
    return NULL;
  at_isConstantNumber(at_argumentOf(softmax, "dim"), &dim);
  const at_given *const scores = match_rows(s, m, at_argumentOf(where, "condition"), dim);
  if (!scores ||
      at_slotIn(s->rewrite, scores) != at_slotIn(s->rewrite, at_argumentOf(softmax, "self")))
    return NULL;
  m->isSafe = true;
  return softmax;
}

static const at_graphNode *match(const Search *s, int32_t n, Match *m)
{
  const at_graphNode *const product = &s->rewrite->graph->nodes[n];
  int32_t reads = 1;
  *m = (Match){.nodes = {n}, .count = 1, .scale = 1, .pathScale = 1};
  if (at_isRemoved(product) || !at_isProduct(product))
    return NULL;
  const at_given *const weights =
      before_views(s, m, at_argumentOf(product, "self"), AT_WEIGHTS, &reads);
  const at_graphNode *softmax = maker_of(s, weights, reads);
  if (!softmax || !add_node(s, m, softmax))
    return NULL;
  if (is_op(softmax, "where"))
    softmax = match_safe(s, softmax, m);
  if (!softmax || !at_isSoftmax(softmax))
    return NULL;
  if (!match_masked(s, at_argumentOf(softmax, "self"), m->isSafe ? 2 : 1, m))
    return NULL;
  find_operand(s, m, product, AT_VALUE);
  return softmax;
}

/* --- the change ------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
  return *(const int32_t *)a < *(const int32_t *)b ? -1 : 1;
}

/* Copies of the nodes in their order. */
static at_graphNode *copy_nodes(const Search *s, int32_t *list, int32_t count)
{
  at_graphNode *const nodes =
      at_arena_take(s->rewrite->reading->arena, (uint64_t)count, sizeof *nodes);
  qsort(list, (size_t)count, sizeof *list, ascending);
  for (int32_t i = 0; i < count; i++)
    nodes[i] = s->rewrite->graph->nodes[list[i]];
  return nodes;
}

/* Appends what nodes read, which has to be there for them. */
static void add_inputs(at_given *inputs, int32_t *count, const at_graphNode *nodes,
                       int32_t nodeCount)
{
  for (int32_t n = 0; n < nodeCount; n++)
    for (int32_t i = 0; i < nodes[n].inputCount; i++) {
      inputs[*count] = nodes[n].inputs[i];
      inputs[(*count)++].name = "";
    }
}

static int32_t count_inputs(const at_graphNode *nodes, int32_t count)
{
  int32_t inputs = 0;
  for (int32_t n = 0; n < count; n++)
    inputs += nodes[n].inputCount;
  return inputs;
}

/* The operands, what the nodes read of values from elsewhere, and the sizes of views. */
static const at_given *inputs_of(const Search *s, const Match *m, const at_fusedAttention *how,
                                 int32_t *count)
{
  const int32_t most = AT_OPERANDS + m->viewCount + count_inputs(how->nodes, how->count) +
                       count_inputs(how->paths, how->pathCount);
  at_given *const inputs =
      at_arena_take(s->rewrite->reading->arena, (uint64_t)most, sizeof *inputs);
  for (*count = 0; *count < AT_OPERANDS; (*count)++) {
    const at_given *const given = m->operands[*count];
    inputs[*count] = given ? *given : (at_given){.kind = AT_GIVEN_NONE};
    inputs[*count].name = "";
  }
  for (int32_t v = 0; v < m->viewCount; v++) { /* the first view that was found is the last one */
    inputs[*count] = *m->views[m->viewCount - 1 - v].sizes;
    inputs[(*count)++].name = "";
  }
  add_inputs(inputs, count, how->paths, how->pathCount);
  add_inputs(inputs, count, how->nodes, how->count);
  return inputs;
}

/* Leaves out of inputs what the nodes make themselves. */
static void drop_made(const Search *s, const at_graphNode *nodes, int32_t nodeCount,
                      at_given *inputs, int32_t count)
{
  for (int32_t i = AT_OPERANDS; i < count; i++)
    for (int32_t n = 0; n < nodeCount; n++)
      if (inputs[i].count == 1 && at_slotIn(s->rewrite, &inputs[i]) == nodes[n].outputs[0])
        inputs[i] = (at_given){.name = "", .kind = AT_GIVEN_NONE};
}

static at_attentionView *views_of(at_arena *arena, const Match *m, int32_t *masked)
{
  at_attentionView *const views = at_arena_take(arena, (uint64_t)m->viewCount, sizeof *views);
  int32_t scores = 0;
  for (int32_t v = 0; v < m->viewCount; v++) {
    views[v] = (at_attentionView){m->views[m->viewCount - 1 - v].of, AT_OPERANDS + v};
    scores += views[v].of == AT_SCORES;
  }
  *masked = scores - m->behind;
  return views;
}

static void fuse(const Search *s, Match *m, const at_graphNode *softmax)
{
  at_rewrite *const rewrite = s->rewrite;
  at_arena *const arena = rewrite->reading->arena;
  const at_given *const type = at_argumentOf(softmax, "type");
  at_fusedAttention *const how = at_arena_take(arena, 1, sizeof *how);
  at_graphNode *const last = &rewrite->graph->nodes[m->nodes[0]];
  *how = (at_fusedAttention){.count = m->count,
                             .pathCount = m->pathCount,
                             .viewCount = m->viewCount,
                             .nodes = copy_nodes(s, m->nodes, m->count),
                             .paths = copy_nodes(s, m->paths, m->pathCount),
                             .scale = m->scale,
                             .pathScale = m->pathScale,
                             .fillsFalse = m->fillsFalse,
                             .isSafe = m->isSafe,
                             .type = type ? type->type : AT_SCALAR_TYPES};
  at_isConstantNumber(at_argumentOf(softmax, "dim"), &how->dim);
  how->views = views_of(arena, m, &how->masked);
  int32_t count;
  at_given *const inputs = (at_given *)inputs_of(s, m, how, &count);
  drop_made(s, how->paths, how->pathCount, inputs, count);
  drop_made(s, how->nodes, how->count, inputs, count);
  for (int32_t i = 0; i < m->count; i++)
    if (&rewrite->graph->nodes[m->nodes[i]] != last)
      at_removeNode(rewrite, &rewrite->graph->nodes[m->nodes[i]]);
  for (int32_t i = 0; i < m->pathCount; i++)
    at_removeNode(rewrite, &rewrite->graph->nodes[m->paths[i]]);
  last->inputs = inputs;
  last->inputCount = count;
  last->op = NULL;
  last->compute = at_computeAttention;
  last->how = how;
  last->target = "attention";
  rewrite->changes++;
}

/* Whether nothing changes between the first node and the last, and the result, which has other strides
 * than theirs, is not changed: then the operands are what they were, and there may be no view of it. */
static bool is_left_alone(const Search *s, const Match *m)
{
  const int32_t last = m->nodes[0];
  int32_t first = last;
  for (int32_t i = 0; i < m->count; i++)
    first = THMin(first, m->nodes[i]);
  for (int32_t i = 0; i < m->pathCount; i++)
    first = THMin(first, m->paths[i]);
  const int32_t result = s->rewrite->graph->nodes[last].outputs[0];
  return s->writers[first] == s->writers[last] &&
         !s->sets.isWritten[at_sets_root(&s->sets, result)];
}

void at_passAttention(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  int32_t *const writers =
      at_arena_take(&rewrite->scratch, (uint64_t)graph->nodeCount + 1, sizeof *writers);
  Search s = {rewrite, at_findMakers(rewrite), at_countReads(rewrite), writers,
              at_sets_new(rewrite)};
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    writers[n + 1] = writers[n] + (!at_isRemoved(node) && at_writes(node));
    if (!at_isRemoved(node))
      at_sets_add(rewrite, &s.sets, node);
  }
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    Match m;
    const at_graphNode *const softmax = match(&s, n, &m);
    if (softmax && is_left_alone(&s, &m))
      fuse(&s, &m, softmax);
  }
  at_flushSoftmax(rewrite);
}
