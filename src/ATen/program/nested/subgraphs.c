/* Graphs inside of graphs: the branches of a condition, the body of a loop. */
#include "ATen/program/nested/Subgraphs.h"

static void free_values(void *what)
{
  at_cells *const values = what;
  for (int32_t i = 0; i < values->count; i++)
    at_cell_release(&values->cells[i]);
  THFree(values->cells);
}

void at_cells_enter(at_cells *values, int64_t capacity, THGuard *guard)
{
  *values = (at_cells){.capacity = (int32_t)capacity};
  THGuard_enter(guard, free_values);
  guard->what = values;
  values->cells = THAlloc((ptrdiff_t)(capacity + 1) * (ptrdiff_t)sizeof *values->cells);
}

void at_cells_add(at_cells *values, at_cell cell)
{
  THAssert(values->count < values->capacity);
  values->cells[values->count++] = at_cell_retain(cell);
}

void at_cells_addGiven(at_cells *values, const at_frame *frame, const at_given *given)
{
  for (int32_t i = 0; i < given->count; i++)
    at_cells_add(values, at_frame_get(frame, &given->parts[i]));
}

/* The values of all arguments from that index on, but for those with names, which say how. */
static void enter_arguments(at_cells *values, const at_frame *frame, const at_graphNode *node,
                            int32_t first, THGuard *guard)
{
  at_cells_enter(values, frame->graph->mostParts, guard);
  for (int32_t i = first; i < node->inputCount; i++)
    if (!*node->inputs[i].name)
      at_cells_addGiven(values, frame, &node->inputs[i]);
}

static const at_graph *graph_of(const at_graphNode *node, int32_t index)
{
  if (index >= node->inputCount || !node->inputs[index].graph)
    at_nodeFails(node, "argument %d is no graph", (int)index);
  return node->inputs[index].graph;
}

void at_runGraph(const at_frame *frame, const at_graphNode *node, const at_graph *graph,
                 const at_cells *arguments, at_cells *results)
{
  at_frame inner;
  THGuard guard;
  if (arguments->count != graph->inputCount)
    at_nodeFails(node, "a graph of %d inputs is given %d values", (int)graph->inputCount,
                 (int)arguments->count);
  at_frame_enter(&inner, frame->program, graph, &guard);
  memcpy(inner.autocast, frame->autocast, sizeof inner.autocast);
  for (int32_t i = 0; i < graph->inputCount; i++)
    at_frame_put(&inner, graph->inputs[i], at_cell_retain(arguments->cells[i]));
  at_frame_run(&inner);
  for (int32_t i = 0; i < graph->outputCount; i++)
    if (graph->outputs[i].kind == AT_GIVEN_NONE)
      at_cells_add(results, (at_cell){AT_CELL_NONE, {0}});
    else
      at_cells_addGiven(results, &inner, &graph->outputs[i]);
  THGuard_leave(&guard);
}

int64_t at_countResults(const at_graph *graph)
{
  int64_t count = 0;
  for (int32_t i = 0; i < graph->outputCount; i++)
    count += THMax(graph->outputs[i].count, 1);
  return count;
}

void at_giveResults(at_frame *frame, const at_graphNode *node, at_cells *results)
{
  if (results->count < node->outputCount)
    at_nodeFails(node, "a graph returns %d values, and the file has names for %d",
                 (int)results->count, (int)node->outputCount);
  for (int32_t i = 0; i < node->outputCount; i++) {
    at_frame_put(frame, node->outputs[i], results->cells[i]);
    results->cells[i].kind = AT_CELL_NONE;
  }
}

static void run_with(at_frame *frame, const at_graphNode *node, const at_graph *graph,
                     int32_t firstArgument)
{
  at_cells arguments, results;
  THGuard first, second;
  enter_arguments(&arguments, frame, node, firstArgument, &first);
  at_cells_enter(&results, at_countResults(graph), &second);
  at_runGraph(frame, node, graph, &arguments, &results);
  at_giveResults(frame, node, &results);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

/* --- the nodes -------------------------------------------------------------------------------- */

/* A graph with its arguments behind it; what is before it says how gradients or types are kept. */
void at_computeWrapped(at_frame *frame, const at_graphNode *node)
{
  const at_type *before[AT_AUTOCAST_DEVICES];
  int32_t at = 0;
  while (at < node->inputCount && !node->inputs[at].graph)
    at++;
  memcpy(before, frame->autocast, sizeof before);
  if (!strcmp(node->target, "higher_order.wrap_with_autocast"))
    at_region_setAutocast(frame, node);
  run_with(frame, node, graph_of(node, at), at + 1);
  memcpy(frame->autocast, before, sizeof before);
}

void at_computeCond(at_frame *frame, const at_graphNode *node)
{
  const bool truth = at_inputBool(frame, node, "pred", 0, false);
  run_with(frame, node, graph_of(node, truth ? 1 : 2), 3);
}

/* while_loop(condition, body, values, constants): values become what body(values, constants)
 * returns, as long as condition(values, constants) is true. */
void at_computeWhile(at_frame *frame, const at_graphNode *node)
{
  const at_graph *const condition = graph_of(node, 0), *const body = graph_of(node, 1);
  at_cells arguments;
  THGuard guard;
  enter_arguments(&arguments, frame, node, 2, &guard);
  const int32_t count = body->outputCount;
  if (count > arguments.count || at_countResults(body) != count || condition->outputCount != 1)
    at_nodeFails(node, "the body returns %d values, of %d", (int)count, (int)arguments.count);
  for (bool again = true; again;) {
    at_cells truth, next;
    THGuard first, second;
    at_cells_enter(&truth, at_countResults(condition), &first);
    at_cells_enter(&next, count, &second);
    at_runGraph(frame, node, condition, &arguments, &truth);
    again = truth.count == 1 && at_isTrueCell(truth.cells[0]);
    if (again)
      at_runGraph(frame, node, body, &arguments, &next);
    for (int32_t i = 0; i < next.count; i++) {
      const at_cell old = arguments.cells[i];
      arguments.cells[i] = next.cells[i];
      next.cells[i] = old;
    }
    THGuard_leave(&second);
    THGuard_leave(&first);
  }
  at_giveResults(frame, node, &arguments);
  THGuard_leave(&guard);
}

/* --- map -------------------------------------------------------------------------------------- */

/* Makes arguments the slice of each mapped tensor at index, and all constants. */
static void add_slices(at_cells *arguments, const at_frame *frame, const at_graphNode *node,
                       int64_t index)
{
  const at_given *const mapped = &node->inputs[1];
  for (int32_t i = 0; i < mapped->count; i++) {
    at_tensor *const t = at_frame_get(frame, &mapped->parts[i]).is.tensor;
    at_tensor *const part =
        at_isTracked(t) ? at_ownOf(node, (at_select)(t, 0, index)) : at_viewSelect(t, 0, index);
    at_cell slice = {AT_CELL_TENSOR, {.tensor = part}};
    at_cells_add(arguments, slice);
    at_cell_release(&slice);
  }
  for (int32_t i = 2; i < node->inputCount; i++)
    at_cells_addGiven(arguments, frame, &node->inputs[i]);
}

/* The number of slices of the mapped tensors, which have to be equally many. */
static int64_t count_slices(const at_frame *frame, const at_graphNode *node)
{
  const at_given *const mapped = node->inputCount > 1 ? &node->inputs[1] : NULL;
  int64_t count = -1;
  for (int32_t i = 0; mapped && i < mapped->count; i++) {
    const at_cell cell = at_frame_get(frame, &mapped->parts[i]);
    if (cell.kind != AT_CELL_TENSOR || at_dim(cell.is.tensor) == 0)
      at_nodeFails(node, "what is mapped is no tensor with dimensions");
    const int64_t own = cell.is.tensor->th->size[0];
    if (count >= 0 && own != count)
      at_nodeFails(node, "tensors of %lld and %lld slices are mapped", (long long)count,
                   (long long)own);
    count = own;
  }
  if (count < 1)
    at_nodeFails(node, "there is nothing to map");
  return count;
}

void at_stackResults(at_frame *frame, const at_graphNode *node, const at_cells *made, int32_t each,
                     int64_t slices, int32_t first)
{
  THGuard guard;
  if (made->count != slices * each)
    at_nodeFails(node, "the function returns nothing");
  THGuard_enter(&guard, THFree);
  at_tensor **const list = guard.what = THAlloc((ptrdiff_t)slices * (ptrdiff_t)sizeof *list);
  for (int32_t k = 0; k < each && first + k < node->outputCount; k++) {
    for (int64_t i = 0; i < slices; i++) {
      const at_cell cell = made->cells[i * each + k];
      if (cell.kind != AT_CELL_TENSOR)
        at_nodeFails(node, "a result is no tensor");
      list[i] = cell.is.tensor;
    }
    at_tensor *const stacked = at_stacked(NULL, (at_tensors){list, (int)slices}, 0);
    at_frame_put(frame, node->outputs[first + k], (at_cell){AT_CELL_TENSOR, {.tensor = stacked}});
  }
  THGuard_leave(&guard);
}

/* map(function, tensors, constants): function of each slice of the tensors, and of the constants.
 */
void at_computeMap(at_frame *frame, const at_graphNode *node)
{
  const at_graph *const graph = graph_of(node, 0);
  const int64_t slices = count_slices(frame, node), each = at_countResults(graph);
  int64_t capacity;
  if (__builtin_mul_overflow(slices, each, &capacity) || capacity > INT32_MAX ||
      each < node->outputCount)
    at_nodeFails(node, "%lld slices have %lld results each", (long long)slices, (long long)each);
  at_cells made;
  THGuard all;
  at_cells_enter(&made, capacity, &all);
  for (int64_t i = 0; i < slices; i++) {
    at_cells arguments;
    THGuard guard;
    at_cells_enter(&arguments, frame->graph->mostParts, &guard);
    add_slices(&arguments, frame, node, i);
    at_runGraph(frame, node, graph, &arguments, &made);
    THGuard_leave(&guard);
  }
  at_stackResults(frame, node, &made, (int32_t)each, slices, 0);
  THGuard_leave(&all);
}
