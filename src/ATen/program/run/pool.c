/* The memory of a run: a storage pool for what nodes compute (TH/tensor/THStoragePool.h).
 *
 * The first run of a plan has a pool without a block.  It finds out how large the block must be, and which
 * nodes make memory that the results have in the end.  Later runs compute those nodes outside the
 * pool: otherwise a result would keep the whole block for as long as the caller has it. */
#include "ATen/program/Program.h"

enum { MOST_FAILURES = 3 };

void at_pool_begin(at_frame *frame, at_runMemory *memory)
{
  if (memory->failures == MOST_FAILURES)
    return;
  const size_t slots = (size_t)frame->graph->slotCount;
  if (!memory->isKnown) {
    frame->made = THAlloc((ptrdiff_t)((1 + slots) * sizeof *frame->made));
    memset(frame->made, 0, (1 + slots) * sizeof *frame->made);
  }
  frame->memory = memory;
  frame->pool = THStoragePool_begin(memory->isKnown ? memory->bytes : 0);
  frame->poolBefore = THStoragePool_use(frame->pool);
}

/* Writes down which storages the outputs of a node have. */
static void note_outputs(at_frame *frame, const at_graphNode *node)
{
  for (int32_t i = 0; i < node->outputCount; i++) {
    const at_cell *const cell =
        node->outputs[i] == AT_NO_SLOT ? NULL : &frame->cells[node->outputs[i]];
    if (cell && cell->kind == AT_CELL_TENSOR && at_defined(cell->is.tensor))
      frame->made[node->outputs[i]] = cell->is.tensor->th->storage;
  }
}

void at_pool_compute(at_frame *frame, int32_t n)
{
  const at_graphNode *const node = &frame->graph->nodes[n];
  const bool isOutside = frame->memory && frame->memory->isOutside[n];
  if (isOutside)
    THStoragePool_use(NULL);
  at_frame_compute(frame, node);
  if (isOutside)
    THStoragePool_use(frame->pool);
  if (frame->made)
    note_outputs(frame, node);
}

/* Finds the nodes that made the memory of a result, or changed it. */
static void find_makers(const at_frame *frame, const at_tensor *result)
{
  const at_graph *const graph = frame->graph;
  for (int32_t n = 0; n < graph->nodeCount; n++)
    for (int32_t i = 0; i < graph->nodes[n].outputCount; i++) {
      const int32_t slot = graph->nodes[n].outputs[i];
      if (slot != AT_NO_SLOT && frame->made[slot] == result->th->storage)
        frame->memory->isOutside[n] = true;
    }
}

void at_pool_noteResults(at_frame *frame, at_tensors results)
{
  for (int i = 0; frame->made && i < results.count; i++)
    if (at_defined(results.data[i]) && results.data[i]->th->storage)
      find_makers(frame, results.data[i]);
}

size_t at_pool_enough(size_t bytes, size_t peak)
{
  return THMax(bytes, peak + peak / 4); /* gaps take some; what nothing was in takes no memory */
}

static void learn(at_runMemory *memory, THStoragePoolCounts counts)
{
  const size_t before = memory->bytes;
  /* Gaps that are too small may make results miss a block that is large enough. */
  memory->bytes = at_pool_enough(before + (counts.missed > 0 ? before / 8 : 0), counts.peak);
  if (memory->bytes > before)
    THMemory_emptyCache(); /* of the blocks of this run, which later ones do not need */
  memory->failures += counts.left > 0;
  memory->isKnown = counts.left == 0;
}

void at_pool_end(at_frame *frame, bool isComplete)
{
  THFree(frame->made);
  if (!frame->memory)
    return;
  THStoragePool_use(frame->poolBefore);
  const THStoragePoolCounts counts = THStoragePool_end(frame->pool);
  if (isComplete && frame->pool)
    learn(frame->memory, counts);
}
