/* Attention that is written as a product, a softmax and another product becomes the operation that
 * never has the whole matrix of scores:
 *
 *     matmul(softmax(matmul(q, k) * scale + mask), v)
 *
 * where the factor and the mask may be left out.  Whether the sizes are those of attention is known
 * in a run alone: where they are not, the nodes themselves are computed. */
#include "attention.h"

#include "ATen/core/ATenOperations.h"

/* --- a run ------------------------------------------------------------------------------------ */

enum { QUERY, KEY, VALUE, MASK }; /* the inputs of the node; keys are columns */

static bool same_batch(const at_tensor *a, const at_tensor *b, int dims)
{
  for (int d = 0; d < dims - 2; d++)
    if (at_sizesOf(a).data[d] != at_sizesOf(b).data[d])
      return false;
  return true;
}

static bool mask_fits(const at_tensor *mask, const at_tensor *query, int64_t keys)
{
  const at_ints sizes = at_sizesOf(mask), all = at_sizesOf(query);
  for (int d = 1; d <= sizes.count && d <= all.count; d++) {
    const int64_t size = sizes.data[sizes.count - d],
                  score = d == 1 ? keys : all.data[all.count - d];
    if (size != score && size != 1)
      return false;
  }
  return sizes.count <= all.count && mask->type == query->type;
}

static bool fits(const at_fusedAttention *how, at_tensor *const *t)
{
  const int dims = at_sizesOf(t[QUERY]).count;
  const at_scalar_type type = t[QUERY]->type->scalarType;
  if (dims < 3 || at_sizesOf(t[KEY]).count != dims || at_sizesOf(t[VALUE]).count != dims ||
      (how->dim != -1 && how->dim != dims - 1) || (type != AT_FLOAT && type != AT_DOUBLE) ||
      (how->type != AT_SCALAR_TYPES && how->type != type) || t[KEY]->type != t[QUERY]->type ||
      t[VALUE]->type != t[QUERY]->type || !same_batch(t[QUERY], t[KEY], dims) ||
      !same_batch(t[QUERY], t[VALUE], dims))
    return false;
  const int64_t depth = at_sizesOf(t[KEY]).data[dims - 2], keys = at_sizesOf(t[KEY]).data[dims - 1];
  return depth == at_sizesOf(t[QUERY]).data[dims - 1] && depth > 0 && keys > 0 &&
         keys == at_sizesOf(t[VALUE]).data[dims - 2] &&
         (!t[MASK] || mask_fits(t[MASK], t[QUERY], keys));
}

static void compute_nodes(at_frame *frame, const at_fusedAttention *how)
{
  for (int32_t i = 0; i < how->count; i++)
    at_frame_compute(frame, &how->nodes[i]);
  for (int32_t i = 0; i < how->count - 1; i++)
    at_cell_release(&frame->cells[how->nodes[i].outputs[0]]);
}

void at_computeAttention(at_frame *frame, const at_graphNode *node)
{
  const at_fusedAttention *const how = node->how;
  at_tensor *t[4] = {NULL};
  for (int32_t i = 0; i < node->inputCount; i++)
    t[i] = at_inputTensor(frame, node, NULL, i);
  if (!fits(how, t)) {
    compute_nodes(frame, how);
    return;
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const keys = at_hold(&pool, at_viewTranspose(t[KEY], -2, -1));
  at_tensor *const made = at_hold(&pool, at_attend(t[QUERY], keys, t[VALUE], t[MASK], 0, false,
                                                   at_scalar_double(how->scale), false));
  at_giveTensor(frame, node, at_pool_keep(&pool, made));
}

/* --- the pattern ------------------------------------------------------------------------------ */

typedef struct Search {
  at_rewrite *rewrite;
  const int32_t *makers, *reads;
} Search;

/* The nodes of a match, from the last one back to the first. */
typedef struct Match {
  int32_t nodes[AT_ATTENTION_NODES], count;
  const at_given *inputs[4];
  double scale;
} Match;

static bool is_op(const at_graphNode *node, const char *name)
{
  return node->op && !strcmp(node->op->name, name) && node->outputCount == 1 &&
         node->outputs[0] != AT_NO_SLOT;
}

static bool is_product(const at_graphNode *node)
{
  return is_op(node, "matmul") || is_op(node, "bmm");
}

/* The node that makes the argument for that alone; NULL if it is something else. */
static const at_graphNode *maker_of(const Search *s, const at_given *given, Match *m)
{
  const int32_t slot =
      given && given->kind == AT_GIVEN_TENSOR ? at_slotIn(s->rewrite, given) : AT_NO_SLOT;
  if (slot == AT_NO_SLOT || s->reads[slot] != 1 || s->makers[slot] < 0 ||
      m->count == AT_ATTENTION_NODES)
    return NULL;
  m->nodes[m->count] = s->makers[slot];
  const at_graphNode *const node = &s->rewrite->graph->nodes[s->makers[slot]];
  return at_isRemoved(node) ? NULL : node;
}

/* The scores, perhaps times a number. */
static bool match_scores(const Search *s, const at_given *given, Match *m)
{
  const Match before = *m;
  const at_graphNode *node = maker_of(s, given, m);
  double factor;
  if (node && (is_op(node, "mul") || is_op(node, "div")) &&
      at_isConstantNumber(at_argumentOf(node, "other"), &factor) && factor != 0 &&
      !at_argumentOf(node, "rounding_mode")) {
    m->scale = *node->op->name == 'm' ? factor : 1 / factor;
    m->count++;
    node = maker_of(s, at_argumentOf(node, "self"), m);
  }
  if (node && is_product(node)) {
    m->count++;
    m->inputs[QUERY] = at_argumentOf(node, "self");
    m->inputs[KEY] = at_argumentOf(node, is_op(node, "bmm") ? "mat2" : "other");
    return true;
  }
  *m = before;
  return false;
}

/* Scores and a mask in either order, or scores alone. */
static bool match_masked(const Search *s, const at_given *given, Match *m)
{
  const Match before = *m;
  const at_graphNode *const node = maker_of(s, given, m);
  const at_given *sides[2];
  double alpha = 1;
  if (!node || !is_op(node, "add"))
    return match_scores(s, given, m);
  sides[0] = at_argumentOf(node, "self");
  sides[1] = at_argumentOf(node, "other");
  const at_given *const factor = at_argumentOf(node, "alpha");
  if (factor && (!at_isConstantNumber(factor, &alpha) || alpha != 1))
    return false;
  m->count++;
  for (int i = 0; i < 2; i++)
    if (sides[1 - i] && sides[1 - i]->kind == AT_GIVEN_TENSOR && match_scores(s, sides[i], m)) {
      m->inputs[MASK] = sides[1 - i];
      return true;
    }
  *m = before;
  return false;
}

static const at_graphNode *match(const Search *s, int32_t n, Match *m)
{
  const at_graphNode *const product = &s->rewrite->graph->nodes[n];
  double dim;
  *m = (Match){.nodes = {n}, .count = 1, .scale = 1};
  if (at_isRemoved(product) || !is_product(product))
    return NULL;
  const at_graphNode *const softmax = maker_of(s, at_argumentOf(product, "self"), m);
  if (!softmax || !(is_op(softmax, "softmax") || is_op(softmax, "_softmax")) ||
      !at_isConstantNumber(at_argumentOf(softmax, "dim"), &dim))
    return NULL;
  m->count++;
  m->inputs[VALUE] = at_argumentOf(product, is_op(product, "bmm") ? "mat2" : "other");
  return match_masked(s, at_argumentOf(softmax, "self"), m) ? softmax : NULL;
}

/* --- the change ------------------------------------------------------------------------------- */

static void fuse(const Search *s, const Match *m, const at_graphNode *softmax)
{
  at_rewrite *const rewrite = s->rewrite;
  at_arena *const arena = rewrite->reading->arena;
  const at_given *const type = at_argumentOf(softmax, "type");
  at_fusedAttention *const how = at_arena_take(arena, 1, sizeof *how);
  at_graphNode *const nodes = at_arena_take(arena, (uint64_t)m->count, sizeof *nodes),
                      *const last = &rewrite->graph->nodes[m->nodes[0]];
  at_given *const inputs = at_arena_take(arena, 4, sizeof *inputs);
  double dim = -1;
  at_isConstantNumber(at_argumentOf(softmax, "dim"), &dim);
  *how = (at_fusedAttention){.count = m->count,
                             .nodes = nodes,
                             .scale = m->scale,
                             .dim = dim,
                             .type = type ? type->type : AT_SCALAR_TYPES};
  for (int32_t i = 0; i < m->count; i++)
    nodes[i] = rewrite->graph->nodes[m->nodes[m->count - 1 - i]];
  for (int32_t i = 1; i < m->count; i++)
    at_removeNode(rewrite, &rewrite->graph->nodes[m->nodes[i]]);
  for (int i = 0; i < 4 && m->inputs[i]; i++) {
    inputs[i] = *m->inputs[i];
    inputs[i].name = "";
  }
  last->inputs = inputs;
  last->inputCount = m->inputs[MASK] ? 4 : 3;
  last->op = NULL;
  last->compute = at_computeAttention;
  last->how = how;
  last->target = "attention";
  rewrite->changes++;
}

void at_passAttention(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  const Search s = {rewrite, at_findMakers(rewrite), at_countReads(rewrite)};
  for (int32_t n = 0; n < graph->nodeCount; n++)
    if (!at_isRemoved(&graph->nodes[n]) && at_writes(&graph->nodes[n]))
      return; /* the result has other strides, of which some writer may want a view */
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    Match m;
    const at_graphNode *const softmax = match(&s, n, &m);
    if (softmax)
      fuse(&s, &m, softmax);
  }
}
