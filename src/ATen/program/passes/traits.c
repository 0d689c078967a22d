/* What nodes do besides computing their outputs, and which values may share memory. */
#include "Passes.h"

/* --- single nodes ----------------------------------------------------------------------------- */

/* Batch normalization changes its statistics in training alone. */
static bool is_trained(const at_graphNode *node)
{
  double training;
  return !at_isConstantNumber(at_argumentOf(node, "training"), &training) || training != 0;
}

static bool is_ours(const at_op *op)
{
  return op >= at_ops && op < at_ops + at_opCount;
}

static bool writes_argument(const at_graphNode *node, int argument)
{
  return node->op->arguments[argument].isWritten &&
         (node->op->form != AT_FORM_FUNCTION || is_trained(node));
}

static bool writes_inside(const at_graph *graph)
{
  for (int32_t n = 0; n < graph->nodeCount; n++)
    if (at_writes(&graph->nodes[n]))
      return true;
  return false;
}

/* Whether a graph in the node's arguments changes what it is given. */
static bool has_writers(const at_graphNode *node)
{
  for (int32_t i = 0; i < node->inputCount; i++)
    if (node->inputs[i].graph && writes_inside(node->inputs[i].graph))
      return true;
  return false;
}

/* Whether a node without op changes that input. */
static bool changes(const at_graphNode *node, int32_t input)
{
  if (node->compute == at_computeWritten)
    return at_writesOperand(node, input);
  return (node->compute == at_computeFilterLoop && input == 2) ||
         (node->compute == at_computeOverdrive && input >= 2);
}

bool at_writes(const at_graphNode *node)
{
  if (node->compute == at_computeWritten || node->compute == at_computeFilterLoop ||
      node->compute == at_computeOverdrive)
    return true;
  for (int i = 0; node->op && i < node->op->argumentCount; i++)
    if (writes_argument(node, i))
      return true;
  return has_writers(node);
}

static bool is_written(const at_graphNode *node, int32_t input)
{
  if (changes(node, input))
    return true;
  for (int i = 0; node->op && i < node->op->argumentCount; i++)
    if (node->from[i] == input && writes_argument(node, i))
      return true;
  return false;
}

static bool has_effects(at_compute compute)
{
  return compute == at_computeAssert || compute == at_computeMetadata ||
         compute == at_computeFilterLoop || compute == at_computeOverdrive ||
         compute == at_computeWritten || compute == at_computeLinalgCheck ||
         compute == at_computeWrapped || compute == at_computeCond || compute == at_computeWhile ||
         compute == at_computeMap || compute == at_computeScanned ||
         compute == at_computeAssociativeScan || compute == at_computeFunctionalized ||
         compute == at_computeVmap || compute == at_computeDualLevel ||
         compute == at_computeMakeDual || compute == at_computeUnpackDual ||
         compute == at_computeUnwrap || compute == at_computeLoop || compute == at_computeScan ||
         compute == at_computeSequenceMap;
}

/* Whether the node may draw random numbers: its operation takes a generator, or leaves out elements
 * in training. */
static bool draws(const at_graphNode *node)
{
  static const char *const switches[] = {"train", "dropout_p"};
  double number;
  if (node->compute && node->compute != at_computeDropout)
    return at_onnxDraws(node) || node->compute == at_computeRandint ||
           node->compute == at_computeNormal || node->compute == at_computeDropoutAttention ||
           node->compute == at_computeDrawn || node->compute == at_computeRandomRelu;
  for (int i = 0; node->op && i < node->op->argumentCount; i++)
    if (node->op->arguments[i].kind == AT_KIND_GENERATOR)
      return true;
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
    const at_given *const given =
        node->op ? at_argumentOf(node, switches[i]) : at_inputOf(node, switches[i], -1);
    if (given && (!at_isConstantNumber(given, &number) || number != 0))
      return true;
  }
  return false;
}

bool at_isPure(const at_graphNode *node)
{
  if (draws(node))
    return false;
  return node->compute ? !has_effects(node->compute) : is_ours(node->op) && !at_writes(node);
}

/* --- sets of slots ---------------------------------------------------------------------------- */

int32_t at_sets_root(const at_sets *sets, int32_t slot)
{
  while (sets->root[slot] != slot)
    slot = sets->root[slot] = sets->root[sets->root[slot]];
  return slot;
}

static void join(at_sets *sets, int32_t a, int32_t b)
{
  a = at_sets_root(sets, a);
  b = at_sets_root(sets, b);
  if (a == b)
    return;
  if (sets->size[a] < sets->size[b]) {
    const int32_t smaller = a;
    a = b;
    b = smaller;
  }
  sets->root[b] = a;
  sets->size[a] += sets->size[b];
  sets->isOutside[a] |= sets->isOutside[b];
  sets->isWritten[a] |= sets->isWritten[b];
  const int32_t next = sets->next[a];
  sets->next[a] = sets->next[b];
  sets->next[b] = next;
}

at_sets at_sets_new(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  const uint64_t capacity = (uint64_t)rewrite->slotCapacity;
  at_arena *const arena = &rewrite->scratch;
  at_sets sets = {.root = at_arena_take(arena, capacity, sizeof *sets.root),
                  .next = at_arena_take(arena, capacity, sizeof *sets.next),
                  .size = at_arena_take(arena, capacity, sizeof *sets.size),
                  .isOutside = at_arena_take(arena, capacity, sizeof *sets.isOutside),
                  .isWritten = at_arena_take(arena, capacity, sizeof *sets.isWritten)};
  for (int32_t slot = 0; slot < rewrite->slotCapacity; slot++) {
    sets.root[slot] = sets.next[slot] = slot;
    sets.size[slot] = 1;
  }
  for (int32_t i = 0; i < graph->inputCount; i++)
    if (graph->inputs[i] != AT_NO_SLOT)
      sets.isOutside[graph->inputs[i]] = true;
  return sets;
}

/* The argument of op that output k may share memory with, or -1. */
static int alias_of(const at_graphNode *node, int32_t k)
{
  const at_op *const op = node->op;
  const bool isList = op->resultCount == 1 && op->results->kind == AT_KIND_TENSORS;
  return op->results[isList ? 0 : k].alias;
}

/* What a node without op may return of its inputs: numbers and new tensors share no memory. */
static bool returns_inputs(at_compute compute)
{
  return compute == at_computeDropout || compute == at_computeTo || compute == at_computeOnnx ||
         compute == at_computePassed || compute == at_computeForm ||
         (has_effects(compute) && compute != at_computeAssert && compute != at_computeMetadata);
}

/* What joins an output of a node with what it reads. */
typedef struct Joining {
  at_sets *sets;
  int32_t output;
} Joining;

static void join_read(void *context, int32_t slot)
{
  const Joining *const joining = context;
  join(joining->sets, joining->output, slot);
}

static void mark_written(void *context, int32_t slot)
{
  at_sets *const sets = context;
  sets->isWritten[at_sets_root(sets, slot)] = true;
}

/* A node that reads just that input of the node. */
static at_graphNode with_input(const at_graphNode *node, int32_t input)
{
  at_graphNode one = *node;
  one.inputs = &node->inputs[input];
  one.inputCount = 1;
  return one;
}

void at_sets_add(at_rewrite *rewrite, at_sets *sets, const at_graphNode *node)
{
  /* Looked for once: a node may have many inputs, and a large graph inside. */
  const bool hasWriters = has_writers(node);
  for (int32_t i = 0; i < node->inputCount; i++)
    if (hasWriters || is_written(node, i)) {
      const at_graphNode one = with_input(node, i);
      at_eachRead(rewrite, &one, mark_written, sets);
    }
  for (int32_t k = 0; k < node->outputCount; k++) {
    Joining joining = {sets, node->outputs[k]};
    if (joining.output == AT_NO_SLOT)
      continue;
    if (node->compute ? returns_inputs(node->compute) : !is_ours(node->op)) {
      at_eachRead(rewrite, node, join_read, &joining);
    } else if (node->op && alias_of(node, k) >= 0 && node->from[alias_of(node, k)] >= 0) {
      const at_graphNode one = with_input(node, node->from[alias_of(node, k)]);
      at_eachRead(rewrite, &one, join_read, &joining);
    }
  }
}

/* --- views ------------------------------------------------------------------------------------ */

static bool is_view(const at_graphNode *node)
{
  return node->op && is_ours(node->op) && !strcmp(node->op->name, "view") && !*node->op->overload;
}

/* Gives all views another operation, whose arguments are the same. */
static void relax_views(const at_graph *graph, const at_op *reshape)
{
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    at_graphNode *const node = &graph->nodes[n];
    if (is_view(node))
      node->op = reshape;
    for (int32_t i = 0; i < node->inputCount; i++)
      if (node->inputs[i].graph)
        relax_views(node->inputs[i].graph, reshape);
  }
}

static void free_scratch(void *what)
{
  at_arena_free(what);
}

/* The views of what no node changes alone. */
static void relax_unwritten(at_program *program, at_reading *reading, const at_op *reshape)
{
  THGuard guard;
  const at_graph *const graph = program->graph;
  at_rewrite r = {.program = program,
                  .reading = reading,
                  .scratch.file = reading->file,
                  .graph = program->graph,
                  .slotCapacity = graph->slotCount};
  THGuard_enter(&guard, free_scratch);
  guard.what = &r.scratch;
  r.same = at_arena_take(&r.scratch, (uint64_t)r.slotCapacity, sizeof *r.same);
  for (int32_t slot = 0; slot < r.slotCapacity; slot++)
    r.same[slot] = slot;
  at_sets sets = at_sets_new(&r);
  for (int32_t n = 0; n < graph->nodeCount; n++)
    at_sets_add(&r, &sets, &graph->nodes[n]);
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    at_graphNode *const node = &graph->nodes[n];
    if (is_view(node) && node->outputCount == 1 && node->outputs[0] != AT_NO_SLOT &&
        !sets.isWritten[at_sets_root(&sets, node->outputs[0])])
      node->op = reshape;
  }
  THGuard_leave(&guard);
}

void at_relaxViews(at_program *program, at_reading *reading)
{
  const at_op *const reshape = at_op_find("reshape");
  if (!reshape || *reshape->overload)
    return;
  if (writes_inside(program->graph))
    relax_unwritten(program, reading, reshape);
  else
    relax_views(program->graph, reshape);
}

/* --- constants -------------------------------------------------------------------------------- */

/* The storage of the weight in a slot. */
typedef struct Stored {
  const void *storage;
  int32_t slot;
} Stored;

static int by_storage(const void *a, const void *b)
{
  const uintptr_t x = (uintptr_t)((const Stored *)a)->storage,
                  y = (uintptr_t)((const Stored *)b)->storage;
  return (x > y) - (x < y);
}

/* Puts weights that share a storage in one set, and finds those that the program changes at its end. */
static void add_weights(at_rewrite *rewrite, at_sets *sets)
{
  const at_program *const program = rewrite->program;
  const at_graph *const graph = rewrite->graph;
  const uint64_t weights = (uint64_t)at_dict_count(program->weights);
  bool *const changes = at_arena_take(&rewrite->scratch, weights, sizeof *changes);
  Stored *const stored =
      at_arena_take(&rewrite->scratch, (uint64_t)graph->inputCount, sizeof *stored);
  int32_t count = 0;
  for (int32_t i = 0; i < graph->outputCount; i++)
    if (program->graphOutputs[i].kind == AT_BIND_WEIGHT)
      changes[program->graphOutputs[i].index] = true;
  for (int32_t i = 0; i < graph->inputCount; i++) {
    const at_binding *const binding = &program->graphInputs[i];
    if (binding->kind != AT_BIND_WEIGHT || graph->inputs[i] == AT_NO_SLOT)
      continue;
    stored[count++] =
        (Stored){at_dict_at(program->weights, binding->index)->th->storage, graph->inputs[i]};
    if (changes[binding->index])
      mark_written(sets, graph->inputs[i]);
  }
  qsort(stored, (size_t)count, sizeof *stored, by_storage);
  for (int32_t i = 1; i < count; i++)
    if (stored[i].storage && stored[i].storage == stored[i - 1].storage)
      join(sets, stored[i].slot, stored[i - 1].slot);
}

/* Weights that the program does not change. */
static void mark_weights(at_rewrite *rewrite, const at_sets *sets, bool *constant)
{
  const at_graph *const graph = rewrite->graph;
  for (int32_t i = 0; i < graph->inputCount; i++)
    if (rewrite->program->graphInputs[i].kind == AT_BIND_WEIGHT && graph->inputs[i] != AT_NO_SLOT)
      constant[graph->inputs[i]] = !sets->isWritten[at_sets_root(sets, graph->inputs[i])];
}

/* Whether all that a node reads is constant. */
typedef struct Inputs {
  const bool *constant;
  bool areConstant;
  int32_t count;
} Inputs;

static void look_at(void *context, int32_t slot)
{
  Inputs *const inputs = context;
  inputs->areConstant &= inputs->constant[slot];
  inputs->count++;
}

/* Whether the outputs of the node are constant.  What it makes of nothing is kept if it is small. */
static bool makes_constants(const at_rewrite *rewrite, const at_sets *sets, const bool *constant,
                            const at_graphNode *node)
{
  enum { MOST_ELEMENTS = 1 << 16 };
  Inputs inputs = {constant, true, 0};
  if (at_isRemoved(node) || !at_isPure(node))
    return false;
  at_eachRead(rewrite, node, look_at, &inputs);
  for (int32_t k = 0; k < node->outputCount; k++)
    if (node->outputs[k] != AT_NO_SLOT &&
        (sets->isWritten[at_sets_root(sets, node->outputs[k])] ||
         (inputs.count == 0 && !at_hasAtMost(rewrite, node->outputs[k], MOST_ELEMENTS))))
      return false;
  return inputs.areConstant;
}

bool *at_findConstants(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  bool *const constant =
      at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, sizeof *constant);
  at_sets sets = at_sets_new(rewrite);
  for (int32_t n = 0; n < graph->nodeCount; n++)
    if (!at_isRemoved(&graph->nodes[n]))
      at_sets_add(rewrite, &sets, &graph->nodes[n]);
  add_weights(rewrite, &sets);
  mark_weights(rewrite, &sets, constant);
  at_eachOutput(rewrite, mark_written, &sets); /* whoever called the program may change those */
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    const bool makes = makes_constants(rewrite, &sets, constant, node);
    for (int32_t k = 0; k < node->outputCount && makes; k++)
      if (node->outputs[k] != AT_NO_SLOT)
        constant[node->outputs[k]] = true;
  }
  return constant;
}
