/* The passes, and the plan that comes of them. */
#include "Passes.h"
#include "attention.h"
#include "chain.h"
#include "slices.h"

typedef struct Pass {
  const char *name;
  at_passFunction *function;
} Pass;

static const Pass passes[AT_PASSES] = {
    [AT_PASS_FUNCTIONAL] = {"functional", at_passFunctional},
    [AT_PASS_NO_OPS] = {"no_ops", at_passNoOps},
    [AT_PASS_BATCH_NORM] = {"batch_norm", at_passBatchNorm},
    [AT_PASS_CONSTANTS] = {"constants", at_passConstants},
    [AT_PASS_DEAD] = {"dead", at_passDead},
    [AT_PASS_ATTENTION] = {"attention", at_passAttention},
    [AT_PASS_CHAINS] = {"chains", at_passChains},
    [AT_PASS_INT8_WEIGHTS] = {"int8_weights", at_passInt8Weights},
    [AT_PASS_BFLOAT16_WEIGHTS] = {"bfloat16_weights", at_passBFloat16Weights},
    [AT_PASS_PACKED_WEIGHTS] = {"packed_weights", at_passPackedWeights},
    [AT_PASS_SLICES] = {"slices", at_passSlices},
    [AT_PASS_ACTIVATIONS] = {"activations", at_passActivations},
};

static const at_program_pass order[AT_PASSES] = {
    AT_PASS_FUNCTIONAL,       AT_PASS_NO_OPS,         AT_PASS_BATCH_NORM, AT_PASS_INT8_WEIGHTS,
    AT_PASS_BFLOAT16_WEIGHTS, AT_PASS_PACKED_WEIGHTS, AT_PASS_CONSTANTS,  AT_PASS_DEAD,
    AT_PASS_ATTENTION,        AT_PASS_ACTIVATIONS,    AT_PASS_CHAINS,     AT_PASS_SLICES};

/* --- the copy --------------------------------------------------------------------------------- */

/* Passes make no more than two new values of a node. */
static void copy_graph(at_rewrite *rewrite, const at_graph *from)
{
  at_arena *const arena = rewrite->reading->arena;
  const int64_t capacity = (int64_t)from->slotCount + 2 * (int64_t)from->nodeCount;
  if (capacity > INT32_MAX)
    at_damaged(rewrite->reading->file, "a graph has %lld values", (long long)capacity);
  at_graph *const graph = at_arena_take(arena, 1, sizeof *graph);
  *graph = *from;
  graph->nodes = at_arena_take(arena, (uint64_t)from->nodeCount, sizeof *graph->nodes);
  if (from->nodeCount > 0) /* NULL is no source, not even of nothing */
    memcpy(graph->nodes, from->nodes, (size_t)from->nodeCount * sizeof *graph->nodes);
  graph->names = at_arena_take(arena, (uint64_t)capacity, sizeof *graph->names);
  if (from->slotCount > 0)
    memcpy(graph->names, from->names, (size_t)from->slotCount * sizeof *graph->names);
  rewrite->graph = graph;
  rewrite->slotCapacity = (int32_t)capacity;
  rewrite->same = at_arena_take(&rewrite->scratch, (uint64_t)capacity, sizeof *rewrite->same);
  for (int32_t slot = 0; slot < rewrite->slotCapacity; slot++)
    rewrite->same[slot] = slot;
}

/* --- the end ---------------------------------------------------------------------------------- */

static bool is_renamed(const at_rewrite *rewrite, const at_given *given)
{
  for (int32_t i = 0; i < given->count; i++)
    if (at_slotOf(rewrite, given->parts[i].slot) != given->parts[i].slot)
      return true;
  return false;
}

/* The arguments with the slots that stand for those they have: the list itself if it is the same. */
static const at_given *rename_all(const at_rewrite *rewrite, const at_given *list, int32_t count)
{
  at_arena *const arena = rewrite->reading->arena;
  at_given *copy = NULL;
  for (int32_t i = 0; i < count; i++) {
    if (!is_renamed(rewrite, &list[i]))
      continue;
    if (!copy)
      copy = memcpy(at_arena_take(arena, (uint64_t)count, sizeof *copy), list,
                    (size_t)count * sizeof *copy);
    at_part *const parts = at_arena_take(arena, (uint64_t)list[i].count, sizeof *parts);
    for (int32_t p = 0; p < list[i].count; p++) {
      parts[p] = list[i].parts[p];
      parts[p].slot = at_slotOf(rewrite, parts[p].slot);
    }
    copy[i].parts = parts;
  }
  return copy ? copy : list;
}

static void rename_nodes(const at_rewrite *rewrite, at_graphNode *nodes, int32_t count)
{
  for (int32_t n = 0; n < count; n++) {
    nodes[n].inputs = rename_all(rewrite, nodes[n].inputs, nodes[n].inputCount);
    if (nodes[n].compute == at_computeChain) {
      const at_chain *const chain = nodes[n].how;
      rename_nodes(rewrite, chain->nodes, chain->stepCount);
    } else if (nodes[n].compute == at_computeAttention) {
      const at_fusedAttention *const fused = nodes[n].how;
      rename_nodes(rewrite, fused->paths, fused->pathCount);
      rename_nodes(rewrite, fused->nodes, fused->count);
    } else if (nodes[n].compute == at_computeSlices) {
      const at_batchSlices *const slices = nodes[n].how;
      rename_nodes(rewrite, slices->graph.nodes, slices->graph.nodeCount);
    }
  }
}

static void finish_graph(at_rewrite *rewrite, at_graph *graph)
{
  int32_t kept = 0;
  for (int32_t n = 0; n < graph->nodeCount; n++)
    if (!at_isRemoved(&graph->nodes[n]))
      graph->nodes[kept++] = graph->nodes[n];
  graph->nodeCount = kept;
  graph->slotCount = rewrite->graph->slotCount;
  rename_nodes(rewrite, graph->nodes, kept);
  graph->outputs = rename_all(rewrite, graph->outputs, graph->outputCount);
}

/* Values that runs read stay; the others are released with their last use. */
static void find_dead(at_rewrite *rewrite, at_plan *plan)
{
  at_arena *const arena = rewrite->reading->arena;
  at_graph *const prepared = plan->prepared;
  at_findDead(arena, plan->graph);
  for (int32_t n = 0; n < plan->graph->nodeCount; n++)
    if (plan->graph->nodes[n].compute == at_computeSlices)
      at_findDead(arena, &((at_batchSlices *)plan->graph->nodes[n].how)->graph);
  if (!prepared)
    return;
  at_part *const parts = at_arena_take(arena, (uint64_t)plan->keptCount, sizeof *parts);
  for (int32_t i = 0; i < plan->keptCount; i++)
    parts[i].slot = plan->kept[i];
  at_given *const kept = at_arena_take(arena, 1, sizeof *kept);
  *kept = (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, plan->keptCount, parts};
  prepared->outputs = kept;
  prepared->outputCount = 1;
  at_findDead(arena, prepared);
}

static void free_scratch(void *what)
{
  at_arena_free(what);
}

void at_makePlan(at_program *program, at_reading *reading, unsigned which)
{
  THGuard guard;
  at_rewrite rewrite = {.program = program, .reading = reading, .scratch.file = reading->file};
  THGuard_enter(&guard, free_scratch);
  guard.what = &rewrite.scratch;
  at_plan *const plan = at_arena_take(reading->arena, 1, sizeof *plan);
  rewrite.plan = plan;
  copy_graph(&rewrite, program->graph);
  if (!(which & 1u << AT_PASS_CONSTANTS)) /* weights would be packed in each run */
    which &= ~(1u << AT_PASS_PACKED_WEIGHTS);
  for (int i = 0; i < AT_PASSES; i++) {
    rewrite.changes = 0;
    if (which & 1u << order[i])
      passes[order[i]].function(&rewrite);
    plan->changes[order[i]] = rewrite.changes;
  }
  plan->graph = rewrite.graph;
  if (plan->prepared)
    finish_graph(&rewrite, plan->prepared);
  finish_graph(&rewrite, plan->graph);
  find_dead(&rewrite, plan);
  plan->cells = at_arena_take(reading->arena, (uint64_t)plan->keptCount, sizeof *plan->cells);
  plan->memory.isOutside = at_arena_take(reading->arena, (uint64_t)plan->graph->nodeCount, 1);
  program->plan = plan;
  THGuard_leave(&guard);
}

/* --- what passes did -------------------------------------------------------------------------- */

static bool is_pass(const char *operation, at_program_pass pass)
{
  if ((unsigned)pass < AT_PASSES)
    return true;
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: pass is %d, of %d", operation, (int)pass, AT_PASSES);
  return false;
}

const char *at_program_passName(at_program_pass pass)
{
  return is_pass("program_passName", pass) ? passes[pass].name : NULL;
}

int64_t at_program_passChanges(const at_program *program, at_program_pass pass)
{
  if (!program)
    at_fail(AT_ERROR_NULL, "program_passChanges", "program_passChanges: program is NULL");
  else if (is_pass("program_passChanges", pass))
    return program->plan ? program->plan->changes[pass] : 0;
  return -1;
}
