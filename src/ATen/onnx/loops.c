/* Runs of Loop, Scan and SequenceMap. */
#include "Loops.h"

#include "ATen/core/ATenOperations.h"

/* Results of each run that become a tensor with a dimension more: lists that grow. */
typedef struct Scans {
  at_cells *lists;
  int32_t count;
} Scans;

static void free_scans(void *what)
{
  Scans *const scans = what;
  for (int32_t k = 0; k < scans->count; k++) {
    for (int32_t i = 0; i < scans->lists[k].count; i++)
      at_cell_release(&scans->lists[k].cells[i]);
    THFree(scans->lists[k].cells);
  }
  THFree(scans->lists);
}

static void enter_scans(Scans *scans, int32_t count, THGuard *guard)
{
  *scans = (Scans){NULL, 0};
  THGuard_enter(guard, free_scans);
  guard->what = scans;
  scans->lists = THAlloc((ptrdiff_t)(count + 1) * (ptrdiff_t)sizeof *scans->lists);
  memset(scans->lists, 0, (size_t)(count + 1) * sizeof *scans->lists);
  scans->count = count;
}

/* Appends a value, and takes over its reference. */
static void append(at_cells *list, at_cell *cell)
{
  if (list->count == list->capacity) {
    const int32_t larger = THMax(2 * list->capacity, 8);
    if (list->capacity > INT32_MAX / 2)
      THError("there is no memory for %d values", (int)list->capacity);
    list->cells = THRealloc(list->cells, (ptrdiff_t)larger * (ptrdiff_t)sizeof *list->cells);
    list->capacity = larger;
  }
  list->cells[list->count++] = *cell;
  cell->kind = AT_CELL_NONE;
}

/* The parts of an output, which have to be tensors, borrowed, in memory that the guard frees. */
static at_tensor **enter_parts(const at_graphNode *node, int32_t output, const at_cells *list,
                               THGuard *guard)
{
  THGuard_enter(guard, THFree);
  at_tensor **const parts = guard->what =
      THAlloc(((ptrdiff_t)list->count + 1) * (ptrdiff_t)sizeof *parts);
  for (int32_t i = 0; i < list->count; i++) {
    if (list->cells[i].kind != AT_CELL_TENSOR)
      at_nodeFails(node, "a part of output %d is no tensor", (int)output);
    parts[i] = list->cells[i].is.tensor;
  }
  return parts;
}

/* Gives an output a stack of no tensors, whose sizes the file has to say. */
static void give_empty(at_frame *frame, const at_graphNode *node, int32_t output, int64_t axis)
{
  const at_bodyResult *const said = (const at_bodyResult *)node->how + output;
  const int dims = said->sizes.count + 1;
  at_onnxList sizes = {.count = dims};
  if (said->sizes.count < 0 || said->type == AT_SCALAR_TYPES || dims > AT_MOST_DIMS)
    at_nodeFails(node, "output %d has no parts: its size is not known", (int)output);
  axis = axis < 0 ? axis + dims : axis;
  if (axis < 0 || axis >= dims)
    at_nodeFails(node, "an axis is %lld, of %d dimensions", (long long)axis, dims);
  for (int d = 0; d < dims; d++)
    sizes.data[d] = d == axis ? 0 : said->sizes.data[d - (d > axis)];
  at_frame_put(frame, node->outputs[output],
               (at_cell){AT_CELL_TENSOR,
                         {.tensor = at_makeFilled(at_cpuType(said->type), at_listed(&sizes),
                                                  at_scalar_long(0))}});
}

/* Gives an output the tensors of a list, stacked along an axis, from the last one if it is reversed. */
static void give_stacked(at_frame *frame, const at_graphNode *node, int32_t output,
                         const at_cells *list, int64_t axis, bool reversed)
{
  THGuard guard;
  if (output >= node->outputCount || node->outputs[output] == AT_NO_SLOT)
    return;
  if (list->count == 0) {
    give_empty(frame, node, output, axis);
    return;
  }
  at_tensor **const parts = enter_parts(node, output, list, &guard);
  for (int32_t i = 0, j = list->count - 1; reversed && i < j; i++, j--) {
    at_tensor *const part = parts[i];
    parts[i] = parts[j];
    parts[j] = part;
  }
  AT_SCOPE
  {
    at_tensor *const made = at_stack(((at_tensors){parts, list->count}), .dim = axis);
    if (!at_defined(made))
      at_nodeFails(node, "it failed");
    at_frame_put(frame, node->outputs[output],
                 (at_cell){AT_CELL_TENSOR, {.tensor = at_retain(made)}});
  }
  THGuard_leave(&guard);
}

/* A tensor of one element as a value, whose reference the list takes. */
static void add_number(at_cells *values, at_scalar_type type, int64_t number)
{
  at_cell cell = {
      AT_CELL_TENSOR,
      {.tensor = at_makeFilled(at_cpuType(type), AT_SCALAR_SHAPE, at_scalar_long(number))}};
  at_cells_add(values, cell);
  at_cell_release(&cell);
}

/* Hands the results of a run on: what is behind the first of them becomes state, and the rest is
 * appended to scans. */
static void take_results(at_cells *results, int32_t first, at_cells *state, Scans *scans)
{
  for (int32_t k = 0; k < state->count; k++) {
    const at_cell old = state->cells[k];
    state->cells[k] = results->cells[first + k];
    results->cells[first + k] = old;
  }
  for (int32_t k = 0; k < scans->count; k++)
    append(&scans->lists[k], &results->cells[first + state->count + k]);
}

static void give_states(at_frame *frame, const at_graphNode *node, at_cells *state)
{
  for (int32_t k = 0; k < state->count && k < node->outputCount; k++) {
    at_frame_put(frame, node->outputs[k], state->cells[k]);
    state->cells[k].kind = AT_CELL_NONE;
  }
}

/* --- Loop ------------------------------------------------------------------------------------- */

/* One run of the body: state becomes what it returns, scans grow.  Returns whether to go on. */
static bool run_body(at_frame *frame, const at_graphNode *node, int64_t i, at_cells *state,
                     Scans *scans)
{
  const at_graph *const body = node->inputs[LOOP_BODY].graph;
  at_cells arguments, results;
  THGuard first, second;
  at_cells_enter(&arguments, body->inputCount + 1, &first);
  at_cells_enter(&results, at_countResults(body), &second);
  add_number(&arguments, AT_LONG, i);
  add_number(&arguments, AT_BOOL, 1);
  for (int32_t k = 0; k < state->count; k++)
    at_cells_add(&arguments, state->cells[k]);
  at_cells_addGiven(&arguments, frame, &node->inputs[LOOP_TAKEN]);
  at_runGraph(frame, node, body, &arguments, &results);
  const bool goesOn = at_isTrueCell(results.cells[0]);
  take_results(&results, 1, state, scans);
  THGuard_leave(&second);
  THGuard_leave(&first);
  return goesOn;
}

static bool is_given(const at_frame *frame, const at_given *given, at_cell *cell)
{
  *cell = given->kind == AT_GIVEN_NONE ? (at_cell){AT_CELL_NONE, {0}}
                                       : at_frame_get(frame, given->parts);
  return cell->kind != AT_CELL_NONE;
}

void at_computeLoop(at_frame *frame, const at_graphNode *node)
{
  const at_graph *const body = node->inputs[LOOP_BODY].graph;
  at_cells state;
  Scans scans;
  THGuard first, second;
  at_cell most, begins;
  int64_t count = INT64_MAX;
  if (is_given(frame, &node->inputs[LOOP_MOST], &most)) {
    const at_tensor *const t = most.kind == AT_CELL_TENSOR ? most.is.tensor : NULL;
    if (!t || at_numel(t) != 1)
      at_nodeFails(node, "how often to run is no single number");
    count = at_scalar_toLong(at_elementAt(t, t->th->storageOffset));
  }
  at_cells_enter(&state, node->inputs[LOOP_STATE].count, &first);
  at_cells_addGiven(&state, frame, &node->inputs[LOOP_STATE]);
  enter_scans(&scans, body->outputCount - 1 - state.count, &second);
  bool goesOn = !is_given(frame, &node->inputs[LOOP_BEGINS], &begins) || at_isTrueCell(begins);
  for (int64_t i = 0; i < count && goesOn; i++)
    goesOn = run_body(frame, node, i, &state, &scans);
  for (int32_t k = 0; k < scans.count; k++)
    give_stacked(frame, node, state.count + k, &scans.lists[k], 0, false);
  give_states(frame, node, &state);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

/* --- Scan ------------------------------------------------------------------------------------- */

/* Number k of a list of integers; otherwise if it is left out. */
static int64_t entry_of(const at_given *list, int32_t k, int64_t otherwise)
{
  return list->kind == AT_GIVEN_NONE ? otherwise : list->parts[k].constant.is.integer;
}

static at_tensor *scanned_tensor(const at_frame *frame, const at_graphNode *node, int32_t k)
{
  const at_cell cell = at_frame_get(frame, &node->inputs[SCAN_SCANNED].parts[k]);
  if (cell.kind != AT_CELL_TENSOR || at_dim(cell.is.tensor) == 0)
    at_nodeFails(node, "what is scanned is no tensor with dimensions");
  return cell.is.tensor;
}

/* The axis from 0 to dims - 1. */
static int64_t axis_in(const at_graphNode *node, const at_given *axes, int32_t k, int dims)
{
  const int64_t axis = entry_of(axes, k, 0);
  if (axis < -dims || axis >= dims)
    at_nodeFails(node, "an axis is %lld, of %d dimensions", (long long)axis, dims);
  return axis < 0 ? axis + dims : axis;
}

/* The number of runs: the size of all that is scanned along its axes. */
static int64_t count_runs(const at_frame *frame, const at_graphNode *node)
{
  int64_t count = -1;
  for (int32_t k = 0; k < node->inputs[SCAN_SCANNED].count; k++) {
    const at_tensor *const t = scanned_tensor(frame, node, k);
    const int64_t size = at_size(t, (int)axis_in(node, &node->inputs[SCAN_AXES], k, at_dim(t)));
    if (count >= 0 && size != count)
      at_nodeFails(node, "tensors of %lld and %lld parts are scanned", (long long)count,
                   (long long)size);
    count = size;
  }
  return count;
}

/* Run i of count. */
static void run_scan(at_frame *frame, const at_graphNode *node, int64_t i, int64_t count,
                     at_cells *state, Scans *scans)
{
  const at_graph *const body = node->inputs[SCAN_BODY].graph;
  at_cells arguments, results;
  THGuard first, second;
  at_cells_enter(&arguments, body->inputCount + 1, &first);
  at_cells_enter(&results, at_countResults(body), &second);
  for (int32_t k = 0; k < state->count; k++)
    at_cells_add(&arguments, state->cells[k]);
  for (int32_t k = 0; k < node->inputs[SCAN_SCANNED].count; k++) {
    at_tensor *const t = scanned_tensor(frame, node, k);
    const int64_t axis = axis_in(node, &node->inputs[SCAN_AXES], k, at_dim(t));
    const bool reversed = entry_of(&node->inputs[SCAN_DIRECTIONS], k, 0) != 0;
    at_cell part = {AT_CELL_TENSOR,
                    {.tensor = at_viewSelect(t, axis, reversed ? count - 1 - i : i)}};
    at_cells_add(&arguments, part);
    at_cell_release(&part);
  }
  at_cells_addGiven(&arguments, frame, &node->inputs[SCAN_TAKEN]);
  at_runGraph(frame, node, body, &arguments, &results);
  take_results(&results, 0, state, scans);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

void at_computeScan(at_frame *frame, const at_graphNode *node)
{
  const at_graph *const body = node->inputs[SCAN_BODY].graph;
  const int64_t count = count_runs(frame, node);
  at_cells state;
  Scans scans;
  THGuard first, second;
  at_cells_enter(&state, node->inputs[SCAN_STATE].count, &first);
  at_cells_addGiven(&state, frame, &node->inputs[SCAN_STATE]);
  enter_scans(&scans, body->outputCount - state.count, &second);
  for (int64_t i = 0; i < count; i++)
    run_scan(frame, node, i, count, &state, &scans);
  for (int32_t k = 0; k < scans.count; k++)
    give_stacked(frame, node, state.count + k, &scans.lists[k],
                 entry_of(&node->inputs[SCAN_RESULT_AXES], k, 0),
                 entry_of(&node->inputs[SCAN_RESULT_DIRECTIONS], k, 0) != 0);
  give_states(frame, node, &state);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

/* --- SequenceMap ------------------------------------------------------------------------------ */

/* The number of runs: the length of the first input, and of all others that are sequences. */
static int32_t count_mapped(const at_frame *frame, const at_graphNode *node)
{
  const at_given *const mapped = &node->inputs[MAP_MAPPED];
  int32_t count = -1;
  for (int32_t k = 0; k < mapped->count; k++) {
    const at_cell cell = at_frame_get(frame, &mapped->parts[k]);
    if (cell.kind != AT_CELL_SEQUENCE && (k == 0 || cell.kind != AT_CELL_TENSOR))
      at_nodeFails(node, "input %d is no sequence%s", (int)k, k > 0 ? " and no tensor" : "");
    if (cell.kind != AT_CELL_SEQUENCE)
      continue;
    if (count >= 0 && cell.is.sequence->count != count)
      at_nodeFails(node, "sequences of %d and %d tensors are mapped", (int)count,
                   (int)cell.is.sequence->count);
    count = cell.is.sequence->count;
  }
  return count;
}

static void run_mapped(at_frame *frame, const at_graphNode *node, int32_t i, Scans *scans)
{
  const at_graph *const body = node->inputs[MAP_BODY].graph;
  const at_given *const mapped = &node->inputs[MAP_MAPPED];
  at_cells arguments, results, state = {0};
  THGuard first, second;
  at_cells_enter(&arguments, body->inputCount + 1, &first);
  at_cells_enter(&results, at_countResults(body), &second);
  for (int32_t k = 0; k < mapped->count; k++) {
    const at_cell cell = at_frame_get(frame, &mapped->parts[k]);
    at_cells_add(&arguments,
                 cell.kind == AT_CELL_SEQUENCE
                     ? (at_cell){AT_CELL_TENSOR, {.tensor = cell.is.sequence->tensors[i]}}
                     : cell);
  }
  at_cells_addGiven(&arguments, frame, &node->inputs[MAP_TAKEN]);
  at_runGraph(frame, node, body, &arguments, &results);
  take_results(&results, 0, &state, scans);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

void at_computeSequenceMap(at_frame *frame, const at_graphNode *node)
{
  const int32_t count = count_mapped(frame, node);
  Scans scans;
  THGuard guard, list;
  enter_scans(&scans, node->outputCount, &guard);
  for (int32_t i = 0; i < count; i++)
    run_mapped(frame, node, i, &scans);
  for (int32_t k = 0; k < scans.count; k++) {
    at_tensor **const parts = enter_parts(node, k, &scans.lists[k], &list);
    at_frame_put(frame, node->outputs[k],
                 at_newSequence((at_tensors){parts, scans.lists[k].count}));
    THGuard_leave(&list);
  }
  THGuard_leave(&guard);
}
