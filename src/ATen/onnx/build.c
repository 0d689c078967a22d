/* Graphs that are built node by node, and the names that nodes can see. */
#include "Onnx.h"

/* --- slots and nodes -------------------------------------------------------------------------- */

int32_t at_addSlot(at_building *b, const char *name, at_known known)
{
  at_graph *const graph = b->graph;
  at_arena *const arena = b->onnx->arena;
  int32_t capacity = b->slotCapacity;
  graph->names =
      at_arena_grown(arena, graph->names, graph->slotCount, &capacity, sizeof *graph->names);
  b->known = at_arena_grown(arena, b->known, graph->slotCount, &b->slotCapacity, sizeof *b->known);
  graph->names[graph->slotCount] = name;
  b->known[graph->slotCount] = known;
  return graph->slotCount++;
}

int32_t at_addInput(at_building *b, const char *name, at_known known, int32_t taken)
{
  at_arena *const arena = b->onnx->arena;
  int32_t capacity = b->inputCapacity;
  b->inputs = at_arena_grown(arena, b->inputs, b->inputCount, &capacity, sizeof *b->inputs);
  b->taken = at_arena_grown(arena, b->taken, b->inputCount, &b->inputCapacity, sizeof *b->taken);
  const int32_t slot = at_addSlot(b, name, known);
  b->inputs[b->inputCount] = slot;
  b->taken[b->inputCount++] = taken;
  return slot;
}

int32_t at_addBound(at_onnx *onnx, const char *name, at_known known, at_binding binding)
{
  at_program *const program = onnx->program;
  const int32_t slot = at_addInput(onnx->top, name, known, AT_NO_SLOT),
                index = onnx->top->inputCount - 1;
  program->graphInputs = at_arena_grown(onnx->arena, program->graphInputs, index,
                                        &onnx->bindCapacity, sizeof *program->graphInputs);
  program->graphInputs[index] = binding;
  return slot;
}

at_graphNode *at_addNode(at_building *b, const char *target, const at_given *inputs, int32_t count)
{
  at_graph *const graph = b->graph;
  int32_t parts = 0;
  graph->nodes = at_arena_grown(b->onnx->arena, graph->nodes, graph->nodeCount, &b->nodeCapacity,
                                sizeof *graph->nodes);
  at_graphNode *const node = &graph->nodes[graph->nodeCount++];
  *node = (at_graphNode){.name = "",
                         .target = target,
                         .number = ++b->onnx->reading->nodeCount,
                         .inputCount = count,
                         .inputs = inputs};
  for (int32_t i = 0; i < count; i++)
    parts += inputs[i].kind == AT_GIVEN_ELEMENTS ? AT_MOST_DIMS : inputs[i].count;
  graph->mostParts = THMax(graph->mostParts, parts);
  return node;
}

at_given at_givenSlot(at_building *b, int32_t slot)
{
  if (slot == AT_NO_SLOT)
    return (at_given){.name = "", .kind = AT_GIVEN_NONE};
  at_part *const part = at_arena_take(b->onnx->arena, 1, sizeof *part);
  part->slot = slot;
  return (at_given){"", AT_GIVEN_TENSOR, AT_CELL_TENSOR, 1, part};
}

at_known at_knownOf(const at_building *b, int32_t slot)
{
  return slot == AT_NO_SLOT ? (at_known){{AT_SCALAR_TYPES, -1, -1}, -1} : b->known[slot];
}

void at_finishGraph(at_building *b)
{
  at_graph *const graph = b->graph;
  at_meta *const metas = at_arena_take(b->onnx->arena, (uint64_t)graph->slotCount, sizeof *metas);
  for (int32_t i = 0; i < graph->slotCount; i++)
    metas[i] = b->known[i].meta;
  graph->metas = metas;
  graph->metaCount = graph->slotCount;
  graph->inputs = b->inputs;
  graph->inputCount = b->inputCount;
  at_findDead(b->onnx->arena, graph);
}

/* --- names ------------------------------------------------------------------------------------ */

static void free_names(void *what)
{
  at_names *const names = what;
  json_decref(names->slots);
  json_decref(names->constants);
  json_decref(names->said);
  json_decref(names->makers);
}

void at_names_enter(at_names *names, at_building *building, at_names *outer, THGuard *guard)
{
  *names = (at_names){.building = building, .outer = outer};
  THGuard_enter(guard, free_names);
  guard->what = names;
  names->slots = json_object();
  names->constants = json_object();
  names->said = json_object();
  if (!names->slots || !names->constants || !names->said)
    THError("there is no memory for the names of values");
}

void at_names_put(at_names *names, const char *name, int32_t slot)
{
  at_file *const file = names->building->onnx->file;
  if (json_object_get(names->slots, name) || json_object_get(names->constants, name))
    at_damaged(file, "two values are called '%.100s'", name);
  at_file_charge(file, AT_NAME_BYTES + strlen(name));
  if (json_object_set_new(names->slots, name, json_integer(slot)))
    THError("there is no memory for the names of values");
}

int32_t at_slotFrom(at_building *b, at_building *of, int32_t slot, const char *name)
{
  if (b == of || slot == AT_NO_SLOT)
    return slot;
  const int32_t outside = at_slotFrom(b->outer, of, slot, name);
  for (int32_t i = 0; i < b->inputCount; i++)
    if (b->taken[i] == outside)
      return b->inputs[i];
  return at_addInput(b, name, at_knownOf(b->outer, outside), outside);
}

at_constant *at_constantNamed(at_names *names, const char *name)
{
  for (at_names *n = names; n; n = n->outer) {
    const json_t *const index = json_object_get(n->constants, name);
    if (index)
      return &n->constant[json_integer_value(index)];
    if (json_object_get(n->slots, name))
      return NULL;
  }
  return NULL;
}

int32_t at_slotNamed(at_names *names, const char *name)
{
  at_onnx *const onnx = names->building->onnx;
  at_constant *const constant = at_constantNamed(names, name);
  if (constant)
    return at_slotFrom(names->building, onnx->top, at_slotOfConstant(onnx, constant), name);
  for (at_names *n = names; n; n = n->outer) {
    const json_t *const slot = json_object_get(n->slots, name);
    if (slot)
      return at_slotFrom(names->building, n->building, (int32_t)json_integer_value(slot), name);
  }
  at_damaged(onnx->file, "nothing makes the value '%.100s' before it is used", name);
}

void at_nameOutputs(at_names *names, at_graphNode *node, const at_onnxItem *item)
{
  at_building *const b = names->building;
  int32_t *const outputs =
      at_arena_take(b->onnx->arena, (uint64_t)item->outputCount, sizeof *outputs);
  for (int32_t i = 0; i < item->outputCount; i++) {
    const char *const name = item->outputs[i];
    outputs[i] = AT_NO_SLOT;
    if (!*name)
      continue;
    const json_t *const said = json_object_get(names->said, name);
    const at_known known =
        said ? names->saying[json_integer_value(said)] : at_knownOf(b, AT_NO_SLOT);
    outputs[i] = at_addSlot(b, name, known);
    at_names_put(names, name, outputs[i]);
  }
  node->outputs = outputs;
  node->outputCount = item->outputCount;
  node->name = item->outputCount > 0 && *item->outputs[0] ? item->outputs[0] : item->name;
}
