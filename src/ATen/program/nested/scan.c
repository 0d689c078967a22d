/* Scans: a graph that is run for one slice of its inputs after the other, and hands values on. */
#include "ATen/core/ATenOperations.h"
#include "ATenOps.h"
#include "ATen/program/nested/Subgraphs.h"

/* The parts of a scan: the graph, what is handed on, what is cut into slices, and the rest. */
typedef struct Scan {
  const at_graph *graph;
  const at_given *carried, *sliced;
  int64_t steps;
  int32_t made; /* results of each step that are stacked */
} Scan;

static bool is_list(const at_given *given)
{
  return given->kind == AT_GIVEN_TENSORS || given->kind == AT_GIVEN_NUMBERS;
}

/* Counts the steps, which all tensors have to have, and the results of each that are stacked. */
static void count_steps(const at_frame *frame, const at_graphNode *node, Scan *s)
{
  for (int32_t i = 0; i < s->sliced->count; i++) {
    const at_cell cell = at_frame_get(frame, &s->sliced->parts[i]);
    if (cell.kind != AT_CELL_TENSOR || at_dim(cell.is.tensor) == 0)
      at_nodeFails(node, "what is scanned is no tensor with dimensions");
    const int64_t size = at_sizesOf(cell.is.tensor).data[0];
    if (s->steps >= 0 && s->steps != size)
      at_nodeFails(node, "tensors of %lld and %lld slices are scanned", (long long)s->steps,
                   (long long)size);
    s->steps = size;
  }
  s->made = (int32_t)at_countResults(s->graph) - s->carried->count;
  int64_t capacity;
  if (s->steps < 1 || s->made < 0 || s->graph->outputCount < s->carried->count ||
      __builtin_mul_overflow(s->steps, (int64_t)s->made, &capacity) || capacity > INT32_MAX / 2)
    at_nodeFails(node, "%lld steps have %d results each, and hand %d on", (long long)s->steps,
                 (int)s->made, (int)s->carried->count);
}

static Scan scan_of(const at_frame *frame, const at_graphNode *node)
{
  if (node->inputCount < 3 || !node->inputs[0].graph || !is_list(&node->inputs[1]) ||
      node->inputs[2].kind != AT_GIVEN_TENSORS || node->inputs[2].count == 0)
    at_nodeFails(node, "a graph, first values, and tensors to scan are wanted");
  Scan s = {node->inputs[0].graph, &node->inputs[1], &node->inputs[2], -1, 0};
  count_steps(frame, node, &s);
  return s;
}

/* The slice of a tensor at index, as a value with a reference of its own. */
static at_cell slice_of(const at_graphNode *node, at_tensor *t, int64_t index)
{
  at_tensor *const part =
      at_isTracked(t) ? at_ownOf(node, (at_select)(t, 0, index)) : at_viewSelect(t, 0, index);
  return (at_cell){AT_CELL_TENSOR, {.tensor = part}};
}

/* Runs one step: carried becomes what is handed on, and made gets the other results. */
static void step(at_frame *frame, const at_graphNode *node, const Scan *s, int64_t index,
                 at_cells *carried, at_cells *made)
{
  at_cells arguments, results;
  THGuard first, second;
  at_cells_enter(&arguments, frame->graph->mostParts, &first);
  at_cells_enter(&results, s->carried->count + s->made, &second);
  for (int32_t i = 0; i < carried->count; i++)
    at_cells_add(&arguments, carried->cells[i]);
  for (int32_t i = 0; i < s->sliced->count; i++) {
    at_cell slice = slice_of(node, at_frame_get(frame, &s->sliced->parts[i]).is.tensor, index);
    at_cells_add(&arguments, slice);
    at_cell_release(&slice);
  }
  for (int32_t i = 3; i < node->inputCount; i++)
    at_cells_addGiven(&arguments, frame, &node->inputs[i]);
  at_runGraph(frame, node, s->graph, &arguments, &results);
  if (results.count != s->carried->count + s->made)
    at_nodeFails(node, "a step returns %d values", (int)results.count);
  for (int32_t i = 0; i < carried->count; i++) {
    const at_cell old = carried->cells[i];
    carried->cells[i] = results.cells[i];
    results.cells[i] = old;
  }
  for (int32_t i = carried->count; i < results.count; i++)
    at_cells_add(made, results.cells[i]);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

/* scan(graph, first values, tensors, constants...): what is handed on in the end, and the stacked
 * results of all steps. */
void at_computeScanned(at_frame *frame, const at_graphNode *node)
{
  const Scan s = scan_of(frame, node);
  if (node->outputCount > s.carried->count + s.made)
    at_nodeFails(node, "a step returns %d values, and the file has names for %d",
                 (int)(s.carried->count + s.made), (int)node->outputCount);
  at_cells carried, made;
  THGuard first, second;
  at_cells_enter(&carried, s.carried->count, &first);
  at_cells_enter(&made, s.steps * s.made, &second);
  at_cells_addGiven(&carried, frame, s.carried);
  for (int64_t i = 0; i < s.steps; i++)
    step(frame, node, &s, i, &carried, &made);
  at_stackResults(frame, node, &made, s.made, s.steps, s.carried->count);
  for (int32_t i = 0; i < carried.count && i < node->outputCount; i++)
    at_frame_put(frame, node->outputs[i], at_cell_retain(carried.cells[i]));
  THGuard_leave(&second);
  THGuard_leave(&first);
}

/* --- with an associative function ------------------------------------------------------------- */

/* Combines what all slices before index are with slice index: made gets the results, and what was
 * combined last is the last of it. */
static void combine(at_frame *frame, const at_graphNode *node, const Scan *s, int64_t index,
                    at_cells *made)
{
  const int32_t each = s->sliced->count, last = made->count - each;
  at_cells arguments;
  THGuard guard;
  at_cells_enter(&arguments, frame->graph->mostParts + each, &guard);
  for (int32_t i = 0; i < each; i++)
    at_cells_add(&arguments, made->cells[last + i]);
  for (int32_t i = 0; i < each; i++) {
    at_cell slice = slice_of(node, at_frame_get(frame, &s->sliced->parts[i]).is.tensor, index);
    at_cells_add(&arguments, slice);
    at_cell_release(&slice);
  }
  for (int32_t i = 2; i < node->inputCount; i++)
    at_cells_addGiven(&arguments, frame, &node->inputs[i]);
  at_runGraph(frame, node, s->graph, &arguments, made);
  THGuard_leave(&guard);
}

/* associative_scan(graph, tensors, constants): of each number of slices what graph(..., ...) combines
 * them to, which is the same in any order. */
void at_computeAssociativeScan(at_frame *frame, const at_graphNode *node)
{
  static const at_given nothing = {.name = "", .kind = AT_GIVEN_TENSORS};
  if (node->inputCount < 2 || !node->inputs[0].graph || node->inputs[1].kind != AT_GIVEN_TENSORS ||
      node->inputs[1].count == 0)
    at_nodeFails(node, "a graph and tensors to scan are wanted");
  Scan s = {node->inputs[0].graph, &nothing, &node->inputs[1], -1, 0};
  count_steps(frame, node, &s);
  const int32_t each = s.sliced->count;
  if (s.made != each || node->outputCount > each)
    at_nodeFails(node, "%d tensors are combined to %d", (int)each, (int)s.made);
  at_cells made;
  THGuard guard;
  at_cells_enter(&made, s.steps * each, &guard);
  for (int32_t i = 0; i < each; i++) {
    at_cell slice = slice_of(node, at_frame_get(frame, &s.sliced->parts[i]).is.tensor, 0);
    at_cells_add(&made, slice);
    at_cell_release(&slice);
  }
  for (int64_t i = 1; i < s.steps; i++)
    combine(frame, node, &s, i, &made);
  at_stackResults(frame, node, &made, each, s.steps, 0);
  THGuard_leave(&guard);
}
