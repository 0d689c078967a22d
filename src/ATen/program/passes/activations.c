/* An activation that alone reads the result of a convolution of images becomes part of the convolution,
 * whose algorithms compute it before they store their results (THNNGroups.h). */
#include "convolutions.h"

#include <math.h>

/* Reads the activation that the node computes; false if it computes none. */
static bool read_activation(const at_graphNode *node, THNNActivation *activation)
{
  static const struct {
    const char *name, *low, *high; /* the arguments, or NULL */
    double lowOtherwise, highOtherwise;
  } clamps[] = {{"relu", NULL, NULL, 0, INFINITY},
                {"relu6", NULL, NULL, 0, 6},
                {"hardtanh", "min_val", "max_val", -1, 1},
                {"clamp", "min", "max", -INFINITY, INFINITY},
                {"clamp_min", "min", NULL, -INFINITY, INFINITY}};
  if (at_isRemoved(node) || !node->op || *node->op->overload ||
      node->op->form != AT_FORM_FUNCTION || node->outputCount != 1)
    return false;
  *activation = (THNNActivation){.kind = THNN_HARDSWISH};
  if (!strcmp(node->op->name, "hardswish"))
    return true;
  for (size_t i = 0; i < sizeof clamps / sizeof *clamps; i++)
    if (!strcmp(node->op->name, clamps[i].name)) {
      const at_given *const low = clamps[i].low ? at_argumentOf(node, clamps[i].low) : NULL,
                            *high = clamps[i].high ? at_argumentOf(node, clamps[i].high) : NULL;
      *activation =
          (THNNActivation){THNN_CLAMP, clamps[i].lowOtherwise, clamps[i].highOtherwise, false};
      /* NaN as a limit makes all results NaN, as no clamp of results does. */
      return (!low || at_isConstantNumber(low, &activation->low)) &&
             (!high || at_isConstantNumber(high, &activation->high)) && !isnan(activation->low) &&
             !isnan(activation->high);
    }
  return false;
}

/* What the convolution is told, which may be one that a pass has replaced; NULL if it is none. */
static at_convolving *convolving_of(at_arena *arena, const at_graphNode *node)
{
  if (at_isRemoved(node) || node->compute != at_computeConvolution)
    return at_convolvingOf(arena, node);
  at_convolving *const copy = at_arena_take(arena, 1, sizeof *copy);
  *copy = *(const at_convolving *)node->how;
  return copy;
}

/* Joins the activation with the convolution, which then makes the value of the activation. */
static void join(at_rewrite *rewrite, at_graphNode *convolution, at_graphNode *node,
                 const THNNActivation *activation)
{
  at_convolving *const how = convolving_of(rewrite->reading->arena, convolution);
  if (!how || how->isActivated)
    return;
  how->isActivated = true;
  how->activation = *activation;
  if (convolution->compute == at_computeConvolution) {
    convolution->how = how;
    convolution->target = "convolution with transformed weights and activation";
    rewrite->changes++;
  } else {
    at_replaceConvolution(rewrite, convolution, "convolution with activation", how, AT_NO_SLOT);
  }
  convolution->outputs = node->outputs;
  at_removeNode(rewrite, node);
}

void at_passActivations(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  const int32_t *const makers = at_findMakers(rewrite), *const reads = at_countReads(rewrite);
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    at_graphNode *const node = &graph->nodes[n];
    THNNActivation activation;
    if (!read_activation(node, &activation))
      continue;
    const at_given *const self = at_argumentOf(node, "self");
    const int32_t slot = self ? at_slotIn(rewrite, self) : AT_NO_SLOT;
    if (slot == AT_NO_SLOT || reads[slot] != 1 || makers[slot] < 0 ||
        at_typeIn(rewrite, slot) != AT_FLOAT)
      continue;
    join(rewrite, &graph->nodes[makers[slot]], node, &activation);
  }
}
