/* Weights of convolutions with windows of 3 x 3 are transformed when constants are computed, as Winograd's
 * algorithm reads them (THNNGroups.h).
 *
 * A convolution is replaced if its weight depends on the program's weights alone and is one of them,
 * or one of them times what batch normalization makes of it, and if its images are small.  The weight
 * itself stays an argument: where another algorithm is faster, it is what that one reads. */
#include "ATen/core/ATenOperations.h"
#include "convolutions.h"

/* Positions of all images of a batch.  With fewer, transformed weights take as long to be read as the
 * products of others; with more, images have most of the work: of 64 planes of 56 x 56 elements
 * 0.91 of the time is left, of 128 planes of 28 x 28 0.74, of 256 planes of 14 x 14 0.54. */
enum { LEAST_POSITIONS = 100, MOST_POSITIONS = 4096 };

/* --- a run ------------------------------------------------------------------------------------ */

static void compute_transform(at_frame *frame, const at_graphNode *node)
{
  const at_convolving *const convolving = node->how;
  at_giveTensor(frame, node,
                at_transformWeights(at_inputTensor(frame, node, "weight", 0), convolving->how));
}

/* --- the pattern ------------------------------------------------------------------------------ */

typedef struct Search {
  at_rewrite *rewrite;
  const bool *constant;
  const int32_t *makers, *inputs; /* inputs: of each slot the input of the graph it is, or -1 */
} Search;

typedef struct Match {
  int32_t input, weight; /* slots */
  const at_convolving *how;
} Match;

/* Whether neighbouring windows are one element apart, in one group. */
static bool are_dense(const at_convolving *how)
{
  bool areDense = how->how.groups == 1;
  for (int a = 0; a < 2; a++)
    areDense &= how->stride[a] == 1 && how->dilation[a] == 1 && how->padding[a] >= 0;
  return areDense;
}

/* The weight of the program that is in the slot, or that batch normalization has changed; or NULL. */
static const at_tensor *weight_in(const Search *s, int32_t slot)
{
  if (slot == AT_NO_SLOT || !s->constant[slot])
    return NULL;
  const int32_t maker = s->makers[slot];
  const at_graphNode *const node = maker < 0 ? NULL : &s->rewrite->graph->nodes[maker];
  if (node && !at_isRemoved(node) && node->compute == at_computeNormalizedWeights)
    slot = at_slotIn(s->rewrite, &node->inputs[0]);
  return at_weightIn(s->rewrite, s->inputs, slot);
}

static bool match(const Search *s, const at_graphNode *node, Match *m)
{
  m->how = at_convolvingOf(s->rewrite->reading->arena, node);
  if (!m->how || !are_dense(m->how))
    return false;
  const at_given *const input = at_argumentOf(node, "input"), *const weight =
                                                                  at_argumentOf(node, "weight");
  if (!input || input->kind != AT_GIVEN_TENSOR || !weight)
    return false;
  m->input = at_slotIn(s->rewrite, input);
  m->weight = at_slotIn(s->rewrite, weight);
  const at_tensor *const t = weight_in(s, m->weight);
  if (!t || t->type != at_cpuType(AT_FLOAT) || at_dim(t) != 4 || at_size(t, 2) != 3 ||
      at_size(t, 3) != 3)
    return false;
  const int64_t planes = at_size(t, 1);
  return at_numel(t) > 0 && planes <= INT64_MAX / MOST_POSITIONS &&
         at_hasAtMost(s->rewrite, m->input, MOST_POSITIONS * planes) &&
         !at_hasAtMost(s->rewrite, m->input, LEAST_POSITIONS * planes - 1);
}

/* --- the change ------------------------------------------------------------------------------- */

/* A node that transforms the weight. */
static at_graphNode transform_of(const Search *s, const at_graphNode *node, const Match *m)
{
  at_arena *const arena = s->rewrite->reading->arena;
  at_given *const input = at_arena_take(arena, 1, sizeof *input);
  int32_t *const slot = at_arena_take(arena, 1, sizeof *slot);
  *input = at_tensorIn(arena, "weight", m->weight);
  *slot = at_newSlot(s->rewrite, "");
  return (at_graphNode){.name = node->name,
                        .target = "transformed weights",
                        .number = node->number,
                        .inputCount = 1,
                        .outputCount = 1,
                        .inputs = input,
                        .outputs = slot,
                        .compute = compute_transform,
                        .how = m->how};
}

void at_transformWindows(at_rewrite *rewrite)
{
  at_graph *const graph = rewrite->graph;
  at_arena *const arena = rewrite->reading->arena;
  const Search s = {rewrite, at_findConstants(rewrite), at_findMakers(rewrite),
                    at_findWeights(rewrite)};
  at_graphNode *const nodes = at_arena_take(arena, 2 * (uint64_t)graph->nodeCount, sizeof *nodes);
  int32_t count = 0;
  const int64_t before = rewrite->changes;
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    Match m;
    at_graphNode node = graph->nodes[n];
    if (match(&s, &node, &m)) {
      nodes[count] = transform_of(&s, &node, &m);
      at_replaceConvolution(rewrite, &node, "convolution with transformed weights", m.how,
                            *nodes[count++].outputs);
    }
    nodes[count++] = node;
  }
  if (rewrite->changes == before)
    return;
  graph->nodes = nodes;
  graph->nodeCount = count;
}
