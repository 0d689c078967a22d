/* What passes share: slots, reads and arguments. */
#include "Passes.h"

void at_removeNode(at_rewrite *rewrite, at_graphNode *node)
{
  node->op = NULL;
  node->compute = NULL;
  rewrite->changes++;
}

int32_t at_slotOf(const at_rewrite *rewrite, int32_t slot)
{
  while (slot != AT_NO_SLOT && rewrite->same[slot] != slot)
    slot = rewrite->same[slot];
  return slot;
}

int32_t at_slotIn(const at_rewrite *rewrite, const at_given *given)
{
  const bool isOne = given && given->count == 1;
  return isOne ? at_slotOf(rewrite, given->parts->slot) : AT_NO_SLOT;
}

int32_t at_newSlot(at_rewrite *rewrite, const char *name)
{
  at_graph *const graph = rewrite->graph;
  THAssert(graph->slotCount < rewrite->slotCapacity);
  graph->names[graph->slotCount] = name;
  rewrite->same[graph->slotCount] = graph->slotCount;
  return graph->slotCount++;
}

at_given at_tensorIn(at_arena *arena, const char *name, int32_t slot)
{
  at_part *const part = at_arena_take(arena, 1, sizeof *part);
  part->slot = slot;
  return (at_given){
      .name = name, .kind = AT_GIVEN_TENSOR, .number = AT_CELL_TENSOR, .count = 1, .parts = part};
}

static void each_in(const at_rewrite *rewrite, const at_given *given, at_slotVisit *visit,
                    void *context)
{
  for (int32_t i = 0; i < given->count; i++)
    if (given->parts[i].slot != AT_NO_SLOT)
      visit(context, at_slotOf(rewrite, given->parts[i].slot));
}

void at_eachRead(const at_rewrite *rewrite, const at_graphNode *node, at_slotVisit *visit,
                 void *context)
{
  for (int32_t i = 0; i < node->inputCount; i++)
    each_in(rewrite, &node->inputs[i], visit, context);
}

void at_eachOutput(const at_rewrite *rewrite, at_slotVisit *visit, void *context)
{
  for (int32_t i = 0; i < rewrite->graph->outputCount; i++)
    each_in(rewrite, &rewrite->graph->outputs[i], visit, context);
}

static void count_read(void *context, int32_t slot)
{
  ((int32_t *)context)[slot]++;
}

int32_t *at_countReads(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  int32_t *const reads =
      at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, sizeof *reads);
  for (int32_t n = 0; n < graph->nodeCount; n++)
    if (!at_isRemoved(&graph->nodes[n]))
      at_eachRead(rewrite, &graph->nodes[n], count_read, reads);
  at_eachOutput(rewrite, count_read, reads);
  return reads;
}

int32_t *at_findMakers(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  int32_t *const makers =
      at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, sizeof *makers);
  memset(makers, -1, (size_t)rewrite->slotCapacity * sizeof *makers);
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    for (int32_t k = 0; k < node->outputCount && !at_isRemoved(node); k++)
      if (node->outputs[k] != AT_NO_SLOT)
        makers[node->outputs[k]] = n;
  }
  return makers;
}

const at_given *at_argumentOf(const at_graphNode *node, const char *name)
{
  for (int i = 0; node->op && i < node->op->argumentCount; i++)
    if (!strcmp(node->op->arguments[i].name, name)) {
      const at_given *const given = node->from[i] < 0 ? NULL : &node->inputs[node->from[i]];
      return given && given->kind != AT_GIVEN_NONE ? given : NULL;
    }
  return NULL;
}

bool at_isConstantNumber(const at_given *given, double *number)
{
  if (!given || given->kind != AT_GIVEN_NUMBER || given->parts->slot != AT_NO_SLOT)
    return false;
  const at_cell cell = given->parts->constant;
  *number = cell.kind == AT_CELL_FLOAT ? cell.is.number : (double)cell.is.integer;
  return at_isNumber(cell);
}

int32_t *at_findWeights(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  int32_t *const inputs =
      at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, sizeof *inputs);
  memset(inputs, -1, (size_t)rewrite->slotCapacity * sizeof *inputs);
  for (int32_t i = 0; i < graph->inputCount; i++)
    if (graph->inputs[i] != AT_NO_SLOT && rewrite->program->graphInputs[i].kind == AT_BIND_WEIGHT)
      inputs[graph->inputs[i]] = i;
  return inputs;
}

const at_tensor *at_weightIn(const at_rewrite *rewrite, const int32_t *inputs, int32_t slot)
{
  const at_program *const program = rewrite->program;
  const int32_t input = slot == AT_NO_SLOT ? -1 : inputs[slot];
  return input < 0 ? NULL : at_dict_at(program->weights, program->graphInputs[input].index);
}

/* --- what the file says of values ------------------------------------------------------------- */

/* What the file says of the tensor in the slot. */
static at_meta meta_of(const at_rewrite *rewrite, int32_t slot)
{
  const at_graph *const graph = rewrite->graph;
  return slot == AT_NO_SLOT || slot >= graph->metaCount ? (at_meta){AT_SCALAR_TYPES, -1, -1}
                                                        : graph->metas[slot];
}

at_scalar_type at_typeIn(const at_rewrite *rewrite, int32_t slot)
{
  return meta_of(rewrite, slot).type;
}

bool at_haveSameSizes(const at_rewrite *rewrite, int32_t a, int32_t b)
{
  const int32_t shape = meta_of(rewrite, a).shape;
  return shape >= 0 && shape == meta_of(rewrite, b).shape;
}

bool at_hasAtMost(const at_rewrite *rewrite, int32_t slot, int64_t most)
{
  const int64_t elements = meta_of(rewrite, slot).elements;
  return elements >= 0 && elements <= most;
}
