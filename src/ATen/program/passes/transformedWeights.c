/* Weights of convolutions with windows of 3 x 3 are transformed when constants are computed, as Winograd's
 * algorithm reads them (THNNGroups.h).
 *
 * A convolution is replaced if its weight depends on the program's weights alone and is one of them,
 * or one of them times what batch normalization makes of it, and if its images are small.  The weight
 * itself stays an argument: where another algorithm is faster, it is what that one reads. */
#include "ATen/core/ATenOperations.h"
#include "ATen/nn/convolution.h"
#include "Passes.h"

/* Positions of all images of a batch.  With fewer, transformed weights take as long to be read as the
 * products of others; with more, images have most of the work: of 64 planes of 56 x 56 elements
 * 0.91 of the time is left, of 128 planes of 28 x 28 0.74, of 256 planes of 14 x 14 0.54. */
enum { LEAST_POSITIONS = 100, MOST_POSITIONS = 4096 };

/* --- a run ------------------------------------------------------------------------------------ */

/* A convolution, and what it is told. */
typedef struct Windows {
  int64_t padding[2];
  at_conv_options how;
} Windows;

static void compute_transform(at_frame *frame, const at_graphNode *node)
{
  const Windows *const windows = node->how;
  at_giveTensor(frame, node,
                at_transformWeights(at_inputTensor(frame, node, "weight", 0), windows->how));
}

enum { INPUT, WEIGHT, TRANSFORMED, BIAS, INPUTS };
static const char *const names[INPUTS] = {"input", "weight", "transformed", "bias"};

void at_computeTransformedConvolution(at_frame *frame, const at_graphNode *node)
{
  at_conv_options how = ((const Windows *)node->how)->how;
  at_tensor *t[INPUTS] = {NULL};
  for (int32_t i = 0; i < node->inputCount; i++)
    t[i] = at_inputTensor(frame, node, names[i], i);
  how.transformed = t[TRANSFORMED];
  at_giveTensor(frame, node, at_convolve(NULL, 2, t[INPUT], t[WEIGHT], t[BIAS], how));
}

/* --- the pattern ------------------------------------------------------------------------------ */

typedef struct Search {
  at_rewrite *rewrite;
  const bool *constant;
  const int32_t *makers, *inputs; /* inputs: of each slot the input of the graph it is, or -1 */
} Search;

typedef struct Match {
  int32_t input, weight; /* slots */
  const at_given *bias;  /* or NULL */
  Windows windows;
} Match;

/* Whether all numbers of a list are constants, one or two; they become those of both axes.  A list that is
 * not given has the number otherwise. */
static bool read_axes(const at_given *given, int64_t otherwise, int64_t *axes)
{
  axes[0] = axes[1] = otherwise;
  if (!given)
    return true;
  if (given->kind != AT_GIVEN_NUMBERS || given->count < 1 || given->count > 2)
    return false;
  for (int32_t i = 0; i < given->count; i++) {
    const at_part *const part = &given->parts[i];
    if (part->slot != AT_NO_SLOT || part->constant.kind != AT_CELL_INT)
      return false;
    axes[i] = part->constant.is.integer;
    if (given->count == 1)
      axes[1] = axes[0];
  }
  return true;
}

/* Whether the list has that number for both axes. */
static bool is_for_both(const at_given *given, int64_t otherwise, int64_t wanted)
{
  int64_t axes[2];
  return read_axes(given, otherwise, axes) && axes[0] == wanted && axes[1] == wanted;
}

static bool is_number(const at_given *given, double otherwise, double wanted)
{
  double number = otherwise;
  return (!given || at_isConstantNumber(given, &number)) && number == wanted;
}

static bool match_windows(const at_graphNode *node, Windows *windows)
{
  static const char *const convolutions[] = {"conv2d", "convolution"};
  bool isOne = false;
  if (at_isRemoved(node) || !node->op || *node->op->overload || node->outputCount != 1)
    return false;
  for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++)
    isOne |= !strcmp(node->op->name, convolutions[i]);
  *windows = (Windows){.how = {.groups = 1}};
  return isOne && is_for_both(at_argumentOf(node, "stride"), 1, 1) &&
         is_for_both(at_argumentOf(node, "dilation"), 1, 1) &&
         is_for_both(at_argumentOf(node, "output_padding"), 0, 0) &&
         read_axes(at_argumentOf(node, "padding"), 0, windows->padding) &&
         windows->padding[0] >= 0 && windows->padding[1] >= 0 &&
         is_number(at_argumentOf(node, "groups"), 1, 1) &&
         is_number(at_argumentOf(node, "transposed"), 0, 0);
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
  if (!match_windows(node, &m->windows))
    return false;
  const at_given *const input = at_argumentOf(node, "input"), *const weight =
                                                                  at_argumentOf(node, "weight");
  m->bias = at_argumentOf(node, "bias");
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

/* A node that transforms the weight; m->windows is kept in the arena. */
static at_graphNode transform_of(const Search *s, const at_graphNode *node, const Match *m,
                                 const Windows *windows)
{
  at_arena *const arena = s->rewrite->reading->arena;
  at_given *const input = at_arena_take(arena, 1, sizeof *input);
  int32_t *const slot = at_arena_take(arena, 1, sizeof *slot);
  *input = at_tensorIn(arena, names[WEIGHT], m->weight);
  *slot = at_newSlot(s->rewrite, "");
  return (at_graphNode){.name = node->name,
                        .target = "transformed weights",
                        .number = node->number,
                        .inputCount = 1,
                        .outputCount = 1,
                        .inputs = input,
                        .outputs = slot,
                        .compute = compute_transform,
                        .how = windows};
}

static void replace(const Search *s, at_graphNode *node, const Match *m, int32_t transformed,
                    const Windows *windows)
{
  at_arena *const arena = s->rewrite->reading->arena;
  at_given *const inputs = at_arena_take(arena, INPUTS, sizeof *inputs);
  inputs[INPUT] = at_tensorIn(arena, names[INPUT], m->input);
  inputs[WEIGHT] = at_tensorIn(arena, names[WEIGHT], m->weight);
  inputs[TRANSFORMED] = at_tensorIn(arena, names[TRANSFORMED], transformed);
  if (m->bias)
    inputs[BIAS] = *m->bias;
  inputs[BIAS].name = names[BIAS];
  node->target = "convolution with transformed weights";
  node->inputs = inputs;
  node->inputCount = m->bias ? INPUTS : INPUTS - 1;
  node->op = NULL;
  node->from = NULL;
  node->compute = at_computeTransformedConvolution;
  node->how = windows;
  s->rewrite->changes++;
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
      Windows *const windows = at_arena_take(arena, 1, sizeof *windows);
      *windows = m.windows;
      windows->how.padding = (at_ints){windows->padding, 2};
      nodes[count] = transform_of(&s, &node, &m, windows);
      replace(&s, &node, &m, *nodes[count++].outputs, windows);
    }
    nodes[count++] = node;
  }
  if (rewrite->changes == before)
    return;
  graph->nodes = nodes;
  graph->nodeCount = count;
}
