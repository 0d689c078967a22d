/* Removes nodes that nothing comes of. */
#include "Passes.h"

static void forget_read(void *context, int32_t slot)
{
  ((int32_t *)context)[slot]--;
}

void at_passDead(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  int32_t *const reads = at_countReads(rewrite);
  for (int32_t n = graph->nodeCount - 1; n >= 0; n--) {
    at_graphNode *const node = &graph->nodes[n];
    bool isRead = at_isRemoved(node) || !at_isPure(node) || node->outputCount == 0;
    for (int32_t k = 0; k < node->outputCount; k++)
      isRead |= node->outputs[k] != AT_NO_SLOT && reads[node->outputs[k]] > 0;
    if (isRead)
      continue;
    at_eachRead(rewrite, node, forget_read, reads);
    at_removeNode(rewrite, node);
  }
}
