/* Finds nodes in a row that compute each image of a batch by itself: convolutions, pooling, chains of
 * pointwise operations.  They become one node. */
#include "slices.h"

#include "chain.h"
#include "convolutions.h"

/* An operation that computes each image of one argument by itself; its other tensors are weights. */
typedef struct Rule {
  const char *name, *images;
  bool hasDims; /* dim are dimensions inside of an image */
} Rule;

static const Rule rules[] = {{"conv2d", "input", false},
                             {"convolution", "input", false},
                             {"conv_transpose2d", "input", false},
                             {"batch_norm", "input", false},
                             {"max_pool2d", "self", false},
                             {"avg_pool2d", "self", false},
                             {"adaptive_avg_pool2d", "self", false},
                             {"upsample_nearest2d", "input", false},
                             {"upsample_bilinear2d", "input", false},
                             {"cat", "tensors", true},
                             {"mean", "self", true}};

enum { IMAGE_DIMS = 4, LEAST_CONVOLUTIONS = 2 };

/* A row of nodes that grows. */
typedef struct Growing {
  at_rewrite *rewrite;
  const int32_t *reads;    /* how often each slot is read */
  uint8_t *roles;          /* of slots from before the row; 0: the row does not read it */
  int32_t *entering;       /* the slots from before the row that the row reads */
  bool *isMade;            /* of slots: whether the row makes it */
  int32_t *own;            /* of slots: how often the row reads it */
  int32_t *members, *made; /* nodes, and the slot that each makes */
  int32_t count, enteringCount, convolutionCount;
} Growing;

/* --- one node --------------------------------------------------------------------------------- */

static const Rule *rule_of(const at_graphNode *node)
{
  for (size_t i = 0; node->op && i < sizeof rules / sizeof *rules; i++)
    if (!strcmp(node->op->name, rules[i].name))
      return &rules[i];
  return NULL;
}

/* Whether dim are constants that leave the images apart: 1 to 3, or -3 to -1. */
static bool is_inside(const at_given *dim)
{
  if (!dim || (dim->kind != AT_GIVEN_NUMBER && dim->kind != AT_GIVEN_NUMBERS) || dim->count == 0)
    return false;
  for (int32_t i = 0; i < dim->count; i++) {
    const at_part *const part = &dim->parts[i];
    const int64_t d = part->constant.is.integer;
    if (part->slot != AT_NO_SLOT || part->constant.kind != AT_CELL_INT || d == 0 ||
        d >= IMAGE_DIMS || d <= -IMAGE_DIMS)
      return false;
  }
  return true;
}

/* Whether the result of the node has the dimensions of images, apart from each other. */
static bool keeps_images(const at_graphNode *node, const Rule *rule)
{
  double keeps = 0;
  if (!rule->hasDims)
    return at_isPure(node);
  if (!is_inside(at_argumentOf(node, "dim")))
    return false;
  return !strcmp(rule->name, "cat") ||
         (at_isConstantNumber(at_argumentOf(node, "keepdim"), &keeps) && keeps != 0);
}

/* Whether the row may read the slot so. */
static bool may_read(const Growing *g, int32_t slot, uint8_t role)
{
  if (g->isMade[slot])
    return role != AT_SLICE_WHOLE;
  const uint8_t both = g->roles[slot] | role;
  return !(both & AT_SLICE_WHOLE) || both == AT_SLICE_WHOLE;
}

/* What the node reads an argument as. */
static uint8_t role_of(const at_graphNode *node, const Rule *rule, const at_given *given)
{
  if (node->compute == at_computeChain)
    return given == &node->inputs[0] ? AT_SLICE_OPERAND : AT_SLICE_WHOLE;
  if (node->compute == at_computeConvolution)
    return given == &node->inputs[0] ? AT_SLICE_IMAGES : AT_SLICE_WHOLE;
  return given == at_argumentOf(node, rule->images) ? AT_SLICE_IMAGES : AT_SLICE_WHOLE;
}

/* Whether the node is one for slices, and the row may go on with it. */
static bool fits(const Growing *g, const at_graphNode *node)
{
  const Rule *const rule = rule_of(node);
  const bool isChain = node->compute == at_computeChain;
  bool hasImages = false;
  if (!isChain && node->compute != at_computeConvolution &&
      (node->compute || !rule || !keeps_images(node, rule)))
    return false;
  for (int32_t k = 1; k < node->outputCount; k++)
    if (node->outputs[k] != AT_NO_SLOT)
      return false;
  for (int32_t i = 0; i < node->inputCount; i++) {
    const uint8_t role = role_of(node, rule, &node->inputs[i]);
    if (node->inputs[i].graph)
      return false;
    for (int32_t p = 0; p < node->inputs[i].count; p++) {
      const int32_t slot = at_slotOf(g->rewrite, node->inputs[i].parts[p].slot);
      if (slot == AT_NO_SLOT) {
        if (role == AT_SLICE_IMAGES)
          return false;
        continue;
      }
      if (!may_read(g, slot, role))
        return false;
      hasImages |= role == AT_SLICE_IMAGES ||
                   (isChain && (g->isMade[slot] || g->roles[slot] & AT_SLICE_IMAGES));
    }
  }
  return hasImages && node->outputCount > 0 && node->outputs[0] != AT_NO_SLOT;
}

static void add(Growing *g, int32_t n)
{
  const at_graphNode *const node = &g->rewrite->graph->nodes[n];
  const Rule *const rule = rule_of(node);
  for (int32_t i = 0; i < node->inputCount; i++)
    for (int32_t p = 0; p < node->inputs[i].count; p++) {
      const int32_t slot = at_slotOf(g->rewrite, node->inputs[i].parts[p].slot);
      if (slot == AT_NO_SLOT)
        continue;
      if (g->isMade[slot]) {
        g->own[slot]++;
        continue;
      }
      if (!g->roles[slot])
        g->entering[g->enteringCount++] = slot;
      g->roles[slot] |= role_of(node, rule, &node->inputs[i]);
    }
  g->isMade[node->outputs[0]] = true;
  g->convolutionCount +=
      node->compute == at_computeConvolution || (rule && !strncmp(rule->name, "conv", 4));
  g->made[g->count] = node->outputs[0];
  g->members[g->count++] = n;
}

/* --- the row ---------------------------------------------------------------------------------- */

/* The nodes of the row, whose outputs are what is read elsewhere too. */
static at_batchSlices *slices_of(const Growing *g)
{
  at_arena *const arena = g->rewrite->reading->arena;
  at_batchSlices *const made = at_arena_take(arena, 1, sizeof *made);
  made->poolBytes = at_arena_take(arena, 1, sizeof *made->poolBytes);
  made->graph = *g->rewrite->graph;
  made->graph.nodes = at_arena_take(arena, (uint64_t)g->count, sizeof *made->graph.nodes);
  made->graph.nodeCount = g->count;
  at_part *const outputs = at_arena_take(arena, (uint64_t)g->count, sizeof *outputs);
  for (int32_t i = 0; i < g->count; i++) {
    made->graph.nodes[i] = g->rewrite->graph->nodes[g->members[i]];
    const int32_t slot = made->graph.nodes[i].outputs[0];
    if (g->reads[slot] > g->own[slot])
      outputs[made->outputCount++].slot = slot;
  }
  at_given *const all = at_arena_take(arena, 1, sizeof *all);
  *all = (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, made->outputCount, outputs};
  made->graph.outputs = all;
  made->graph.outputCount = 1;
  return made;
}

/* The slots that the row reads from before it, as an argument. */
static const at_given *inputs_of(const Growing *g, at_batchSlices *slices)
{
  at_arena *const arena = g->rewrite->reading->arena;
  at_part *const parts = at_arena_take(arena, (uint64_t)g->enteringCount, sizeof *parts);
  uint8_t *const roles = at_arena_take(arena, (uint64_t)g->enteringCount, 1);
  for (int32_t i = 0; i < g->enteringCount; i++) {
    parts[i].slot = g->entering[i];
    roles[i] = g->roles[g->entering[i]];
  }
  slices->inputCount = g->enteringCount;
  slices->roles = roles;
  at_given *const given = at_arena_take(arena, 1, sizeof *given);
  *given = (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, slices->inputCount, parts};
  return given;
}

static void make_slices(Growing *g)
{
  at_arena *const arena = g->rewrite->reading->arena;
  at_graph *const graph = g->rewrite->graph;
  at_batchSlices *const slices = slices_of(g);
  if (slices->outputCount == 0)
    return;
  for (int32_t i = 1; i < g->count; i++)
    at_removeNode(g->rewrite, &graph->nodes[g->members[i]]);
  at_graphNode *const node = &graph->nodes[g->members[0]];
  int32_t *const outputs = at_arena_take(arena, (uint64_t)slices->outputCount, sizeof *outputs);
  for (int32_t i = 0; i < slices->outputCount; i++)
    outputs[i] = slices->graph.outputs->parts[i].slot;
  node->inputs = inputs_of(g, slices);
  node->inputCount = 1;
  node->outputs = outputs;
  node->outputCount = slices->outputCount;
  node->op = NULL;
  node->compute = at_computeSlices;
  node->how = slices;
  node->target = "slices of a batch";
  g->rewrite->changes++;
}

/* Ends the row, and makes one node of it if that is worth it. */
static void end(Growing *g)
{
  if (g->convolutionCount >= LEAST_CONVOLUTIONS)
    make_slices(g);
  for (int32_t i = 0; i < g->enteringCount; i++)
    g->roles[g->entering[i]] = 0;
  for (int32_t i = 0; i < g->count; i++) {
    g->isMade[g->made[i]] = false;
    g->own[g->made[i]] = 0;
  }
  g->count = g->enteringCount = g->convolutionCount = 0;
}

void at_passSlices(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  at_arena *const scratch = &rewrite->scratch;
  const uint64_t slots = (uint64_t)rewrite->slotCapacity, nodes = (uint64_t)graph->nodeCount;
  Growing g = {.rewrite = rewrite,
               .reads = at_countReads(rewrite),
               .roles = at_arena_take(scratch, slots, 1),
               .entering = at_arena_take(scratch, slots, sizeof *g.entering),
               .isMade = at_arena_take(scratch, slots, 1),
               .own = at_arena_take(scratch, slots, sizeof *g.own),
               .members = at_arena_take(scratch, nodes, sizeof *g.members),
               .made = at_arena_take(scratch, nodes, sizeof *g.made)};
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    if (at_isRemoved(node))
      continue;
    if (g.count > 0 && !fits(&g, node))
      end(&g);
    if (fits(&g, node))
      add(&g, n);
  }
  end(&g);
}
