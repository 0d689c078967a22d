/* Weights of products are packed when constants are computed (ATen/linear/packedWeights.h): as they
 * are, so that products need not pack them, or with fewer bytes to read, as int8 with a scale for each
 * output or as bfloat16.
 *
 * A product is replaced if its weights, and its bias if it has one, are those of the program, which
 * may be transposed in between. */
#include "ATen/core/ATenOperations.h"
#include "ATen/linear/packedWeights.h"
#include "Passes.h"

/* With fewer outputs a block, which is filled up, has no fewer bytes. */
enum { LEAST_OUTPUTS = AT_MOST_PACKED_OUTPUTS, MAX_ROWS = 4 };

/* --- a run ------------------------------------------------------------------------------------ */

/* What nodes that pack weights, and products with them, are called. */
static const struct {
  const char *weights, *product;
} kinds[AT_PACKED_KINDS] = {
    [AT_PACKED_INT8] = {"int8 weights", "product with int8 weights"},
    [AT_PACKED_BFLOAT16] = {"bfloat16 weights", "product with bfloat16 weights"},
    [AT_PACKED_FLOAT] = {"packed weights", "product with packed weights"},
};

/* How weights are packed. */
typedef struct Packed {
  at_packedKind kind;
  bool isTransposed;
} Packed;

static void compute_pack(at_frame *frame, const at_graphNode *node)
{
  const Packed *const how = node->how;
  const at_packedWeights made =
      at_packWeights(how->kind, at_inputTensor(frame, node, "weight", 0), how->isTransposed);
  at_frame_put(frame, node->outputs[0], (at_cell){AT_CELL_TENSOR, {.tensor = made.words}});
  at_frame_put(frame, node->outputs[1], (at_cell){AT_CELL_TENSOR, {.tensor = made.scales}});
}

enum { INPUT, WORDS, SCALES, BIAS, INPUTS };
static const char *const names[INPUTS] = {"input", "words", "scales", "bias"};

static void compute_product(at_frame *frame, const at_graphNode *node)
{
  at_tensor *t[INPUTS] = {NULL};
  for (int32_t i = 0; i < node->inputCount; i++)
    t[i] = at_inputTensor(frame, node, names[i], i);
  const at_packedWeights weights = {t[WORDS], t[SCALES]};
  at_giveTensor(frame, node, at_multiplyPacked(t[INPUT], &weights, t[BIAS]));
}

/* --- the pattern ------------------------------------------------------------------------------ */

/* Products, and what their arguments are called. */
static const struct Rule {
  const char *name, *input, *weight, *bias;
  bool isTransposed; /* the weight: terms x outputs */
} rules[] = {
    {"linear", "input", "weight", "bias", false},
    {"addmm", "mat1", "mat2", "self", true},
    {"mm", "self", "mat2", NULL, true},
    {"matmul", "self", "other", NULL, true},
};

typedef struct Search {
  at_rewrite *rewrite;
  const bool *constant;
  const int32_t *makers, *inputs; /* inputs: of each slot the input of the graph it is, or -1 */
  const int32_t **packed[2]; /* of each slot, which isTransposed, what it was packed to, or NULL */
  at_packedKind kind;
} Search;

typedef struct Match {
  const struct Rule *rule;
  int32_t weight; /* its slot */
  bool isTransposed;
} Match;

/* The weight of the program in that slot, or NULL. */
static const at_tensor *weight_in(const Search *s, int32_t slot)
{
  return slot == AT_NO_SLOT || !s->constant[slot] ? NULL : at_weightIn(s->rewrite, s->inputs, slot);
}

static bool is_number(const at_given *given, double wanted)
{
  double number;
  return at_isConstantNumber(given, &number) && number == wanted;
}

/* Whether the node exchanges both dimensions of a matrix. */
static bool is_transpose(const at_graphNode *node)
{
  if (!node->op)
    return false;
  const at_given *const a = at_argumentOf(node, "dim0"), *const b = at_argumentOf(node, "dim1"),
                        *const dims = at_argumentOf(node, "dims");
  if (!strcmp(node->op->name, "transpose"))
    return (is_number(a, 0) || is_number(a, -2)) && (is_number(b, 1) || is_number(b, -1));
  if (!strcmp(node->op->name, "permute"))
    return dims && dims->count == 2 && dims->parts[0].slot == AT_NO_SLOT &&
           dims->parts[0].constant.is.integer == 1 && dims->parts[1].slot == AT_NO_SLOT &&
           dims->parts[1].constant.is.integer == 0;
  return !strcmp(node->op->name, "t");
}

/* Whether the argument is a matrix of Float that is a weight, perhaps transposed. */
static bool match_weight(const Search *s, const at_given *given, Match *m)
{
  m->weight = given ? at_slotIn(s->rewrite, given) : AT_NO_SLOT;
  m->isTransposed = m->rule->isTransposed;
  const int32_t maker = m->weight == AT_NO_SLOT ? -1 : s->makers[m->weight];
  const at_graphNode *const node = maker < 0 ? NULL : &s->rewrite->graph->nodes[maker];
  if (node && !at_isRemoved(node) && is_transpose(node)) {
    m->weight = at_slotIn(s->rewrite, at_argumentOf(node, "self"));
    m->isTransposed = !m->isTransposed;
  }
  const at_tensor *const t = weight_in(s, m->weight);
  return t && t->type == at_cpuType(AT_FLOAT) && at_dim(t) == 2 && at_numel(t) > 0 &&
         at_size(t, m->isTransposed) >= LEAST_OUTPUTS;
}

static bool match_bias(const Search *s, const at_graphNode *node, const Match *m)
{
  const at_given *const bias = m->rule->bias ? at_argumentOf(node, m->rule->bias) : NULL;
  const at_tensor *const weight = weight_in(s, m->weight),
                         *const t = bias ? weight_in(s, at_slotIn(s->rewrite, bias)) : NULL;
  const at_given *const beta = at_argumentOf(node, "beta"), *const alpha =
                                                                at_argumentOf(node, "alpha");
  if ((beta && !is_number(beta, 1)) || (alpha && !is_number(alpha, 1)))
    return false;
  return !bias || (t && t->type == weight->type && at_dim(t) == 1 &&
                   at_numel(t) == at_size(weight, m->isTransposed));
}

/* Whether packing pays: floats are read as they are by products of few rows. */
static bool is_worth(const Search *s, const at_graphNode *node, const Match *m)
{
  const at_tensor *const weight = weight_in(s, m->weight);
  const int32_t input = at_slotIn(s->rewrite, at_argumentOf(node, m->rule->input));
  return s->kind != AT_PACKED_FLOAT ||
         !at_hasAtMost(s->rewrite, input, MAX_ROWS * at_size(weight, !m->isTransposed));
}

static bool match(const Search *s, const at_graphNode *node, Match *m)
{
  if (at_isRemoved(node) || !node->op || *node->op->overload || node->outputCount != 1)
    return false;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    m->rule = &rules[i];
    if (!strcmp(node->op->name, m->rule->name) && at_argumentOf(node, m->rule->input) &&
        at_argumentOf(node, m->rule->input)->kind == AT_GIVEN_TENSOR)
      return match_weight(s, at_argumentOf(node, m->rule->weight), m) && match_bias(s, node, m) &&
             is_worth(s, node, m);
  }
  return false;
}

/* --- the change ------------------------------------------------------------------------------- */

/* A node that packs the weights. */
static at_graphNode packing_of(const Search *s, const at_graphNode *node, const Match *m)
{
  at_arena *const arena = s->rewrite->reading->arena;
  at_given *const input = at_arena_take(arena, 1, sizeof *input);
  int32_t *const slots = at_arena_take(arena, 2, sizeof *slots);
  Packed *const how = at_arena_take(arena, 1, sizeof *how);
  *input = at_tensorIn(arena, "weight", m->weight);
  *how = (Packed){s->kind, m->isTransposed};
  for (int i = 0; i < 2; i++)
    slots[i] = at_newSlot(s->rewrite, "");
  s->packed[m->isTransposed][m->weight] = slots;
  return (at_graphNode){.name = node->name,
                        .target = kinds[s->kind].weights,
                        .number = node->number,
                        .inputCount = 1,
                        .outputCount = 2,
                        .inputs = input,
                        .outputs = slots,
                        .compute = compute_pack,
                        .how = how};
}

static void replace(const Search *s, at_graphNode *node, const Match *m, const int32_t *packed)
{
  at_arena *const arena = s->rewrite->reading->arena;
  at_given *const inputs = at_arena_take(arena, INPUTS, sizeof *inputs);
  const at_given *const bias = m->rule->bias ? at_argumentOf(node, m->rule->bias) : NULL;
  inputs[INPUT] = *at_argumentOf(node, m->rule->input);
  inputs[WORDS] = at_tensorIn(arena, names[WORDS], packed[0]);
  inputs[SCALES] = at_tensorIn(arena, names[SCALES], packed[1]);
  inputs[BIAS] = bias ? *bias : (at_given){.kind = AT_GIVEN_NONE};
  inputs[INPUT].name = names[INPUT];
  inputs[BIAS].name = names[BIAS];
  node->target = kinds[s->kind].product;
  node->inputs = inputs;
  node->inputCount = bias ? INPUTS : INPUTS - 1;
  node->op = NULL;
  node->from = NULL;
  node->compute = compute_product;
  s->rewrite->changes++;
}

/* The graph with a node that packs before the first product with those weights. */
static void pack(at_rewrite *rewrite, at_packedKind kind)
{
  at_graph *const graph = rewrite->graph;
  Search s = {rewrite, at_findConstants(rewrite), at_findMakers(rewrite), at_findWeights(rewrite)};
  s.kind = kind;
  for (int i = 0; i < 2; i++)
    s.packed[i] =
        at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, sizeof *s.packed[i]);
  at_graphNode *const nodes =
      at_arena_take(rewrite->reading->arena, 2 * (uint64_t)graph->nodeCount, sizeof *nodes);
  int32_t count = 0;
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    Match m;
    at_graphNode node = graph->nodes[n];
    if (match(&s, &node, &m)) {
      const int32_t **const packed = &s.packed[m.isTransposed][m.weight];
      if (!*packed)
        nodes[count++] = packing_of(&s, &node, &m);
      replace(&s, &node, &m, *packed);
    }
    nodes[count++] = node;
  }
  if (rewrite->changes == 0)
    return;
  graph->nodes = nodes;
  graph->nodeCount = count;
}

void at_passInt8Weights(at_rewrite *rewrite)
{
  pack(rewrite, AT_PACKED_INT8);
}

void at_passBFloat16Weights(at_rewrite *rewrite)
{
  pack(rewrite, AT_PACKED_BFLOAT16);
}

void at_passPackedWeights(at_rewrite *rewrite)
{
  pack(rewrite, AT_PACKED_FLOAT);
  at_transformWindows(rewrite);
}
