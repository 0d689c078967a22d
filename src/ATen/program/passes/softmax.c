/* A softmax that products read, where attention was not found: weights below the least normal number
 * become 0.  Masked scores have such weights; against the others of a row, which add up to 1, they are
 * far below rounding, and processors take a hundred times as long to multiply by them. */
#include <stdint.h>

#include "Passes.h"
#include "attention.h"

/* --- a run ------------------------------------------------------------------------------------ */

static void flush(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  enum { EXPONENT = 0x7f800000 };
  int32_t *const bits = context;
  for (ptrdiff_t i = begin; i < end; i++)
    bits[i] = bits[i] & EXPONENT ? bits[i] : 0;
}

static void compute_softmax(at_frame *frame, const at_graphNode *node)
{
  at_callOperation(frame, node);
  const at_cell cell = frame->cells[node->outputs[0]];
  at_tensor *const t = cell.kind == AT_CELL_TENSOR ? cell.is.tensor : NULL;
  if (t && t->type == at_cpuType(AT_FLOAT) && at_isContiguous(t) && at_numel(t) > 0)
    THParallel_for(at_numel(t), TH_LOOP_GRAIN, flush, at_hostData(t));
}

/* --- the pattern ------------------------------------------------------------------------------ */

/* How often each slot is the left operand of a product. */
static int32_t *count_products(at_rewrite *rewrite)
{
  int32_t *const counts =
      at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, sizeof *counts);
  for (int32_t n = 0; n < rewrite->graph->nodeCount; n++) {
    const at_graphNode *const node = &rewrite->graph->nodes[n];
    if (at_isRemoved(node) || !at_isProduct(node))
      continue;
    const int32_t left = at_slotIn(rewrite, at_argumentOf(node, "self"));
    if (left != AT_NO_SLOT)
      counts[left]++;
  }
  return counts;
}

void at_flushSoftmax(at_rewrite *rewrite)
{
  const int32_t *const reads = at_countReads(rewrite), *const products = count_products(rewrite);
  for (int32_t n = 0; n < rewrite->graph->nodeCount; n++) {
    at_graphNode *const node = &rewrite->graph->nodes[n];
    if (at_isRemoved(node) || node->compute || !at_isSoftmax(node))
      continue;
    const int32_t slot = at_slotOf(rewrite, node->outputs[0]);
    if (products[slot] == 0 || products[slot] != reads[slot])
      continue;
    node->compute = compute_softmax;
    node->target = "softmax of a product";
    rewrite->changes++;
  }
}
