/* torch.vmap in a program that was not decomposed: the nodes between one that opens a region and one
 * that closes it see single slices of tensors.  They become a graph that is run for each slice. */
#include "ATenOps.h"
#include "ATen/program/nested/Subgraphs.h"

#define NAMES "torch._functorch.predispatch."

enum { MOST_DEPTH = 16 };

/* Along which dimensions a node of a region cuts its first tensors, and stacks its results. */
typedef struct Slicing {
  int32_t sliced, made;
  const int64_t *inDims, *outDims;
} Slicing;

typedef struct Grouping {
  at_reading *reading;
  at_graph *graph;
  int32_t *regions, *numbers; /* of each slot the last region that has it, and its number there */
  int32_t region, next;       /* the last region, and the next node */
} Grouping;

/* A region while it is made. */
typedef struct Region {
  int32_t nodes, sliced, made, free, slots, number; /* counts, and its own number */
  at_graph *graph;
  const at_graphNode **cuts, **joins; /* the nodes that cut tensors, and that stack results */
  at_given *inputs;                   /* of the node that it becomes */
} Region;

static bool calls(const at_graphNode *node, const char *target)
{
  return !strcmp(node->target, target);
}

static bool is_opening(const at_graphNode *node)
{
  return calls(node, NAMES "_vmap_increment_nesting");
}

static bool is_closing(const at_graphNode *node)
{
  return calls(node, NAMES "_vmap_decrement_nesting");
}

/* --- slots ------------------------------------------------------------------------------------ */

static int32_t new_number(Grouping *g, Region *r, int32_t slot)
{
  if (slot == AT_NO_SLOT)
    return slot;
  g->regions[slot] = r->number;
  r->graph->names[r->slots] = g->graph->names[slot];
  return g->numbers[slot] = r->slots++;
}

/* The number in the region of a slot that one of its nodes reads; what it does not make is an input. */
static int32_t number_of(Grouping *g, Region *r, int32_t slot)
{
  if (slot == AT_NO_SLOT || g->regions[slot] == r->number)
    return slot == AT_NO_SLOT ? slot : g->numbers[slot];
  at_part *const part = at_arena_take(g->reading->arena, 1, sizeof *part);
  *part = (at_part){.slot = slot};
  r->inputs[2 + r->sliced + r->free++] =
      (at_given){.name = "", .kind = AT_GIVEN_TENSOR, .count = 1, .parts = part};
  return new_number(g, r, slot);
}

static at_given renumbered(Grouping *g, Region *r, at_given given)
{
  at_part *const parts = at_arena_take(g->reading->arena, (uint64_t)given.count, sizeof *parts);
  for (int32_t p = 0; p < given.count; p++) {
    parts[p] = given.parts[p];
    parts[p].slot = number_of(g, r, given.parts[p].slot);
  }
  given.parts = parts;
  return given;
}

static void renumber(Grouping *g, Region *r, at_graphNode *node)
{
  at_arena *const arena = g->reading->arena;
  at_given *const inputs = at_arena_take(arena, (uint64_t)node->inputCount, sizeof *inputs);
  int32_t *const outputs = at_arena_take(arena, (uint64_t)node->outputCount, sizeof *outputs);
  for (int32_t i = 0; i < node->inputCount; i++)
    inputs[i] = renumbered(g, r, node->inputs[i]);
  for (int32_t i = 0; i < node->outputCount; i++)
    outputs[i] = new_number(g, r, node->outputs[i]);
  node->inputs = inputs;
  node->outputs = outputs;
}

/* --- regions ---------------------------------------------------------------------------------- */

static at_graphNode group(Grouping *g, const at_graphNode *opening, int depth);

/* How many nodes follow before the one that closes the region. */
static int32_t length_of(const Grouping *g)
{
  int32_t depth = 1, n = g->next;
  for (; n < g->graph->nodeCount; n++) {
    depth += is_opening(&g->graph->nodes[n]) - is_closing(&g->graph->nodes[n]);
    if (depth == 0)
      return n - g->next;
  }
  at_damaged(g->reading->file, "a region of vmap does not end");
}

/* Sorts the nodes of the region into those that it has, that cut and that stack. */
static void collect(Grouping *g, Region *r, int32_t length, int depth)
{
  at_arena *const arena = g->reading->arena;
  const int32_t end = g->next + length;
  r->cuts = at_arena_take(arena, (uint64_t)length, sizeof *r->cuts);
  r->joins = at_arena_take(arena, (uint64_t)length, sizeof *r->joins);
  r->graph->nodes = at_arena_take(arena, (uint64_t)length, sizeof *r->graph->nodes);
  while (g->next < end) {
    const at_graphNode *const node = &g->graph->nodes[g->next++];
    const bool cuts = calls(node, NAMES "_add_batch_dim"),
               joins = calls(node, NAMES "_remove_batch_dim");
    if ((cuts && node->inputCount < 2) || (joins && node->inputCount < 4) ||
        ((cuts || joins) && (node->outputCount != 1 || node->inputs[0].count != 1)))
      at_damaged(g->reading->file, "a node of vmap lacks arguments or results");
    if (cuts)
      r->cuts[r->sliced++] = node;
    else if (joins)
      r->joins[r->made++] = node;
    else
      r->graph->nodes[r->nodes++] = is_opening(node) ? group(g, node, depth + 1) : *node;
  }
  g->next++; /* the one that closes it */
}

/* How many slots nodes name at most. */
static uint64_t count_slots(const at_graphNode *nodes, int32_t count)
{
  uint64_t slots = 0;
  for (int32_t n = 0; n < count; n++) {
    slots += (uint64_t)nodes[n].outputCount;
    for (int32_t i = 0; i < nodes[n].inputCount; i++)
      slots += (uint64_t)nodes[n].inputs[i].count;
  }
  return slots;
}

static int64_t dim_in(const Grouping *g, const at_given *given)
{
  if (given->kind != AT_GIVEN_NUMBER || given->parts->slot != AT_NO_SLOT ||
      given->parts->constant.kind != AT_CELL_INT)
    at_damaged(g->reading->file, "a dimension of vmap is no integer");
  return given->parts->constant.is.integer;
}

/* Makes the graph of the nodes that were collected, and the arguments of the node. */
static const Slicing *number_all(Grouping *g, Region *r)
{
  at_arena *const arena = g->reading->arena;
  Slicing *const s = at_arena_take(arena, 1, sizeof *s);
  int64_t *const inDims = at_arena_take(arena, (uint64_t)r->sliced, sizeof *inDims),
                 *const outDims = at_arena_take(arena, (uint64_t)r->made, sizeof *outDims);
  at_given *const results = at_arena_take(arena, (uint64_t)r->made, sizeof *results);
  for (int32_t i = 0; i < r->sliced; i++) {
    r->inputs[2 + i] = r->cuts[i]->inputs[0];
    r->inputs[2 + i].name = "";
    inDims[i] = dim_in(g, &r->cuts[i]->inputs[1]);
    new_number(g, r, r->cuts[i]->outputs[0]);
  }
  for (int32_t n = 0; n < r->nodes; n++)
    renumber(g, r, &r->graph->nodes[n]);
  for (int32_t i = 0; i < r->made; i++) {
    results[i] = renumbered(g, r, r->joins[i]->inputs[0]);
    outDims[i] = dim_in(g, &r->joins[i]->inputs[3]);
  }
  r->graph->outputs = results;
  r->graph->outputCount = r->made;
  *s = (Slicing){r->sliced, r->made, inDims, outDims};
  return s;
}

/* The slots of the graph that the node's arguments become. */
static void name_inputs(Grouping *g, Region *r)
{
  const int32_t count = r->sliced + r->free;
  int32_t *const slots = at_arena_take(g->reading->arena, (uint64_t)count, sizeof *slots);
  for (int32_t i = 0; i < count; i++)
    slots[i] = i < r->sliced ? i : g->numbers[r->inputs[2 + i].parts->slot];
  r->graph->inputs = slots;
  r->graph->inputCount = count;
}

/* The node that the region becomes. */
static at_graphNode group(Grouping *g, const at_graphNode *opening, int depth)
{
  at_arena *const arena = g->reading->arena;
  Region r = {.graph = at_arena_take(arena, 1, sizeof *r.graph)};
  at_graphNode node = *opening;
  if (depth > MOST_DEPTH || opening->inputCount < 1)
    at_damaged(g->reading->file, "regions of vmap are more than %d deep, or of no size",
               MOST_DEPTH);
  if (opening->inputCount > 1 && opening->inputs[1].text &&
      !strcmp(opening->inputs[1].text, "same"))
    at_countMissing(g->reading, opening->target); /* one random number for all slices */
  collect(g, &r, length_of(g), depth);
  const uint64_t capacity =
      count_slots(r.graph->nodes, r.nodes) + (uint64_t)r.sliced + (uint64_t)r.made;
  r.number = ++g->region;
  r.graph->names = at_arena_take(arena, capacity, sizeof *r.graph->names);
  r.inputs = at_arena_take(arena, capacity + 2, sizeof *r.inputs);
  node.how = number_all(g, &r);
  name_inputs(g, &r);
  r.graph->nodeCount = r.nodes;
  r.graph->slotCount = r.slots;
  r.graph->mostArguments = g->graph->mostArguments;
  r.graph->mostParts = g->graph->mostParts;
  at_findDead(arena, r.graph);
  r.inputs[0] = (at_given){.name = "", .kind = AT_GIVEN_GRAPH, .graph = r.graph};
  r.inputs[1] = opening->inputs[0];
  r.inputs[1].name = "";
  int32_t *const outputs = at_arena_take(arena, (uint64_t)r.made, sizeof *outputs);
  for (int32_t i = 0; i < r.made; i++)
    outputs[i] = r.joins[i]->outputs[0];
  node.inputs = r.inputs;
  node.inputCount = 2 + r.sliced + r.free;
  node.outputs = outputs;
  node.outputCount = r.made;
  return node;
}

void at_groupVmaps(at_reading *reading, at_graph *graph)
{
  int32_t count = 0, opened = 0;
  for (int32_t n = 0; n < graph->nodeCount; n++)
    opened += is_opening(&graph->nodes[n]);
  if (opened == 0)
    return;
  at_arena *const arena = reading->arena;
  Grouping g = {.reading = reading,
                .graph = graph,
                .regions = at_arena_take(arena, (uint64_t)graph->slotCount, sizeof *g.regions),
                .numbers = at_arena_take(arena, (uint64_t)graph->slotCount, sizeof *g.numbers)};
  while (g.next < graph->nodeCount) {
    const at_graphNode *const node = &graph->nodes[g.next++];
    graph->nodes[count++] = is_opening(node) ? group(&g, node, 1) : *node;
  }
  graph->nodeCount = count;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Raises unless the dimension of the tensor has as many slices as all others. */
static int64_t dim_of(const at_graphNode *node, at_tensor *t, int64_t dim, int64_t slices)
{
  const int64_t wrapped = dim < 0 ? dim + at_dim(t) : dim;
  if (wrapped < 0 || wrapped >= at_dim(t) || at_size(t, wrapped) != slices)
    at_nodeFails(node, "a tensor of size %s has no %lld slices along dimension %lld",
                 at_sizeDesc(at_sizes(t)).str, (long long)slices, (long long)dim);
  return wrapped;
}

/* A slice of a tensor along the dimension; of one that has none, zeros. */
static at_tensor *slice_of(const at_graphNode *node, at_tensor *t, int64_t dim, int64_t index,
                           int64_t slices)
{
  const int64_t d = dim_of(node, t, dim, slices);
  int64_t sizes[AT_MOST_DIMS];
  int count = 0;
  if (slices > 0)
    return at_ownOf(node, (at_select)(t, d, index));
  for (int k = 0; k < at_dim(t); k++)
    if (k != d)
      sizes[count++] = at_size(t, k);
  return at_ownOf(node, at_zeros(((at_ints){sizes, count}), .type = t->type));
}

static void run_slice(at_frame *frame, const at_graphNode *node, int64_t index, int64_t slices,
                      at_cells *made)
{
  const Slicing *const s = node->how;
  at_cells arguments;
  THGuard guard;
  at_cells_enter(&arguments, node->inputCount, &guard);
  AT_SCOPE
  {
    for (int32_t i = 0; i < s->sliced; i++) {
      const at_cell cell = at_frame_get(frame, node->inputs[2 + i].parts);
      if (cell.kind != AT_CELL_TENSOR)
        at_nodeFails(node, "what is mapped is no tensor");
      at_tensor *const t = cell.is.tensor;
      at_cell slice = {AT_CELL_TENSOR, {.tensor = slice_of(node, t, s->inDims[i], index, slices)}};
      at_cells_add(&arguments, slice);
      at_cell_release(&slice);
    }
  }
  for (int32_t i = 2 + s->sliced; i < node->inputCount; i++)
    at_cells_addGiven(&arguments, frame, &node->inputs[i]);
  at_runGraph(frame, node, node->inputs[0].graph, &arguments, made);
  THGuard_leave(&guard);
}

/* Moves the first dimension of an output to where it is wanted. */
static void move_slices(at_frame *frame, const at_graphNode *node, int32_t k)
{
  const int64_t zero = 0, *const to = &((const Slicing *)node->how)->outDims[k];
  if (*to == 0 || node->outputs[k] == AT_NO_SLOT)
    return;
  AT_SCOPE
  {
    at_tensor *const t = frame->cells[node->outputs[k]].is.tensor,
                     *const moved = (at_movedim)(t, (at_ints){&zero, 1}, (at_ints){to, 1});
    at_frame_put(frame, node->outputs[k],
                 (at_cell){AT_CELL_TENSOR, {.tensor = at_ownOf(node, moved)}});
  }
}

/* Leaves nothing of an output along its first dimension. */
static void drop_slices(at_frame *frame, const at_graphNode *node, int32_t k)
{
  if (node->outputs[k] == AT_NO_SLOT)
    return;
  AT_SCOPE
  {
    at_tensor *const t = frame->cells[node->outputs[k]].is.tensor;
    at_giveOutput(frame, node, k, at_narrow(t, 0, 0, 0));
  }
}

/* Of no slices the function is run on zeros, for the sizes of what it makes. */
void at_computeVmap(at_frame *frame, const at_graphNode *node)
{
  const Slicing *const s = node->how;
  if (!s)
    at_nodeFails(node, "it is outside of a region of vmap");
  const int64_t slices = at_inputInt(frame, node, "batch_size", 1), runs = THMax(slices, 1);
  int64_t capacity;
  if (slices < 0 || __builtin_mul_overflow(runs, (int64_t)s->made, &capacity) ||
      capacity > INT32_MAX / 2)
    at_nodeFails(node, "%lld slices have %d results each", (long long)slices, (int)s->made);
  at_cells made;
  THGuard guard;
  at_cells_enter(&made, capacity, &guard);
  for (int64_t i = 0; i < runs; i++)
    run_slice(frame, node, i, slices, &made);
  at_stackResults(frame, node, &made, s->made, runs, 0);
  for (int32_t k = 0; k < s->made; k++) {
    if (slices == 0)
      drop_slices(frame, node, k);
    move_slices(frame, node, k);
  }
  THGuard_leave(&guard);
}
