/* What depends on weights alone is computed once, before the first run and again after a weight was
 * changed. */
#include "Passes.h"

/* Marks the slots that a node reads. */
static void mark_read(void *context, int32_t slot)
{
  ((bool *)context)[slot] = true;
}

/* Moves the nodes whose outputs are constant to a graph of their own. */
static at_graph *take_nodes(at_rewrite *rewrite, const bool *constant)
{
  at_arena *const arena = rewrite->reading->arena;
  at_graph *const graph = rewrite->graph, *const made = at_arena_take(arena, 1, sizeof *made);
  *made = *graph;
  made->outputs = NULL;
  made->outputCount = made->nodeCount = 0;
  made->nodes = at_arena_take(arena, (uint64_t)graph->nodeCount, sizeof *made->nodes);
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    at_graphNode *const node = &graph->nodes[n];
    bool isConstant = !at_isRemoved(node) && node->outputCount > 0 && at_isPure(node);
    for (int32_t k = 0; k < node->outputCount; k++)
      isConstant &= node->outputs[k] == AT_NO_SLOT || constant[node->outputs[k]];
    if (!isConstant)
      continue;
    made->nodes[made->nodeCount++] = *node;
    at_removeNode(rewrite, node);
  }
  return made;
}

/* The constants that other nodes, or the outputs of the graph, read. */
static void find_kept(at_rewrite *rewrite, const at_graph *prepared)
{
  const at_graph *const graph = rewrite->graph;
  at_plan *const plan = rewrite->plan;
  bool *const isRead = at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, 1);
  int32_t *const kept =
      at_arena_take(rewrite->reading->arena, (uint64_t)graph->slotCount, sizeof *kept);
  for (int32_t n = 0; n < graph->nodeCount; n++)
    if (!at_isRemoved(&graph->nodes[n]))
      at_eachRead(rewrite, &graph->nodes[n], mark_read, isRead);
  at_eachOutput(rewrite, mark_read, isRead);
  for (int32_t n = 0; n < prepared->nodeCount; n++)
    for (int32_t k = 0; k < prepared->nodes[n].outputCount; k++) {
      const int32_t slot = prepared->nodes[n].outputs[k];
      if (slot != AT_NO_SLOT && isRead[slot])
        kept[plan->keptCount++] = slot;
    }
  plan->kept = kept;
}

/* The weights that constants are made of. */
static void find_sources(at_rewrite *rewrite, const at_graph *prepared)
{
  const at_graph *const graph = rewrite->graph;
  at_plan *const plan = rewrite->plan;
  bool *const isRead = at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, 1);
  at_source *const sources =
      at_arena_take(rewrite->reading->arena, (uint64_t)graph->inputCount, sizeof *sources);
  for (int32_t n = 0; n < prepared->nodeCount; n++)
    at_eachRead(rewrite, &prepared->nodes[n], mark_read, isRead);
  for (int32_t i = 0; i < graph->inputCount; i++)
    if (graph->inputs[i] != AT_NO_SLOT && isRead[graph->inputs[i]])
      sources[plan->sourceCount++].weight = rewrite->program->graphInputs[i].index;
  plan->sources = sources;
}

void at_passConstants(at_rewrite *rewrite)
{
  const bool *const constant = at_findConstants(rewrite);
  at_graph *const prepared = take_nodes(rewrite, constant);
  if (prepared->nodeCount == 0)
    return;
  find_kept(rewrite, prepared);
  find_sources(rewrite, prepared);
  rewrite->plan->prepared = prepared;
}
