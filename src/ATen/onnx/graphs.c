/* If and Loop: graphs inside of the graph, which use values of the graphs around them. */
#include "ATen/program/Subgraphs.h"
#include "Lower.h"
#include "Runs.h"

/* --- building --------------------------------------------------------------------------------- */

static const at_attribute *graph_of(at_names *names, const at_onnxItem *item, const char *name)
{
  const at_attribute *const a = at_attributeOf(item, name);
  if (!a || a->type != AT_ATTRIBUTE_GRAPH)
    at_damaged(names->building->onnx->file, "'%.100s', a node of %.100s, has no graph %s",
               item->name, item->type, name);
  return a;
}

static at_given given_graph(const at_building *b)
{
  return (at_given){.name = "", .kind = AT_GIVEN_GRAPH, .graph = b->graph};
}

/* The values around it that a graph takes. */
static at_given given_taken(at_building *outer, const at_building *inner)
{
  const int32_t first = inner->formalCount, count = inner->inputCount - first;
  at_part *const parts = at_arena_take(outer->onnx->arena, (uint64_t)count, sizeof *parts);
  for (int32_t i = 0; i < count; i++)
    parts[i].slot = inner->taken[first + i];
  return (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, count, parts};
}

/* Lets b take all that the other takes, in the order of the other, and then what b takes besides. */
static void take_alike(at_building *b, const at_building *other)
{
  at_arena *const arena = b->onnx->arena;
  for (int32_t i = 0; i < other->inputCount; i++)
    at_slotFrom(b, b->outer, other->taken[i], other->graph->names[other->inputs[i]]);
  int32_t *const inputs = at_arena_take(arena, (uint64_t)b->inputCount, sizeof *inputs),
                 *const taken = at_arena_take(arena, (uint64_t)b->inputCount, sizeof *taken);
  int32_t count = other->inputCount;
  for (int32_t i = 0; i < b->inputCount; i++) {
    int32_t at = 0;
    while (at < other->inputCount && other->taken[at] != b->taken[i])
      at++;
    at = at < other->inputCount ? at : count++;
    inputs[at] = b->inputs[i];
    taken[at] = b->taken[i];
  }
  b->inputs = inputs;
  b->taken = taken;
  b->inputRoom = b->inputCount;
}

static void add_node(at_names *names, const at_onnxItem *item, at_compute compute,
                     const at_given *inputs, int32_t count)
{
  at_building *const b = names->building;
  const size_t length = strlen(item->type) + 8;
  char *const target = at_arena_take(b->onnx->arena, length, 1);
  at_given *const kept = at_arena_take(b->onnx->arena, (uint64_t)count, sizeof *kept);
  snprintf(target, length, "onnx.%s", item->type);
  memcpy(kept, inputs, (size_t)count * sizeof *kept);
  at_graphNode *const node = at_addNode(b, target, kept, count);
  node->compute = compute;
  at_nameOutputs(names, node, item);
}

static at_given given_input(at_names *names, const at_onnxItem *item, int32_t index)
{
  const char *const name = index < item->inputCount ? item->inputs[index] : "";
  return at_givenSlot(names->building, *name ? at_slotNamed(names, name) : AT_NO_SLOT);
}

bool at_lowerIf(at_names *names, const at_onnxItem *item)
{
  at_building *const yes = at_lowerInner(names, graph_of(names, item, "then_branch")->message),
                     *const no =
                         at_lowerInner(names, graph_of(names, item, "else_branch")->message);
  take_alike(no, yes);
  take_alike(yes, no);
  at_finishGraph(yes);
  at_finishGraph(no);
  const at_given inputs[] = {given_input(names, item, 0), given_graph(yes), given_graph(no),
                             given_taken(names->building, no)};
  add_node(names, item, at_computeCond, inputs, 4);
  return true;
}

static at_given given_rest(at_names *names, const at_onnxItem *item, int32_t first)
{
  at_building *const b = names->building;
  const int32_t count = THMax(item->inputCount - first, 0);
  at_part *const parts = at_arena_take(b->onnx->arena, (uint64_t)count, sizeof *parts);
  for (int32_t i = 0; i < count; i++)
    parts[i].slot = at_slotNamed(names, item->inputs[first + i]);
  return (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, count, parts};
}

/* Inputs: the most runs, whether to begin, the body, what goes from run to run, and what it takes. */
enum { LOOP_MOST, LOOP_BEGINS, LOOP_BODY, LOOP_STATE, LOOP_TAKEN, LOOP_INPUTS };

bool at_lowerLoop(at_names *names, const at_onnxItem *item)
{
  at_building *const body = at_lowerInner(names, graph_of(names, item, "body")->message);
  const at_given inputs[LOOP_INPUTS] = {given_input(names, item, 0), given_input(names, item, 1),
                                        given_graph(body), given_rest(names, item, 2),
                                        given_taken(names->building, body)};
  at_finishGraph(body);
  if (body->formalCount != inputs[LOOP_STATE].count + 2 ||
      body->graph->outputCount < inputs[LOOP_STATE].count + 1 ||
      body->graph->outputCount - 1 < item->outputCount)
    at_damaged(names->building->onnx->file,
               "a loop has %d values, and its body %d inputs and %d outputs",
               (int)inputs[LOOP_STATE].count, (int)body->formalCount,
               (int)body->graph->outputCount);
  add_node(names, item, at_computeLoop, inputs, LOOP_INPUTS);
  return true;
}

/* --- loops ------------------------------------------------------------------------------------ */

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
  if (list->count == list->room) {
    const int32_t room = THMax(2 * list->room, 8);
    if (list->room > INT32_MAX / 2)
      THError("there is no memory for %d values", (int)list->room);
    list->cells = THRealloc(list->cells, (ptrdiff_t)room * (ptrdiff_t)sizeof *list->cells);
    list->room = room;
  }
  list->cells[list->count++] = *cell;
  cell->kind = AT_CELL_NONE;
}

/* Gives an output the tensors of a list, stacked. */
static void give_stacked(at_frame *frame, const at_graphNode *node, int32_t output,
                         const at_cells *list)
{
  THGuard guard;
  if (output >= node->outputCount || node->outputs[output] == AT_NO_SLOT)
    return;
  if (list->count == 0)
    at_nodeFails(node, "output %d has no parts: its size is not known", (int)output);
  THGuard_enter(&guard, THFree);
  at_tensor **const parts = guard.what = THAlloc((ptrdiff_t)list->count * (ptrdiff_t)sizeof *parts);
  for (int32_t i = 0; i < list->count; i++) {
    const at_cell cell = list->cells[i];
    if (cell.kind != AT_CELL_TENSOR)
      at_nodeFails(node, "a part of output %d is no tensor", (int)output);
    parts[i] = cell.is.tensor;
  }
  AT_SCOPE
  {
    at_tensor *const made = at_stack(((at_tensors){parts, list->count}));
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
  for (int32_t k = 0; k < state->count; k++) {
    const at_cell old = state->cells[k];
    state->cells[k] = results.cells[1 + k];
    results.cells[1 + k] = old;
  }
  for (int32_t k = 0; k < scans->count; k++)
    append(&scans->lists[k], &results.cells[1 + state->count + k]);
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
    give_stacked(frame, node, state.count + k, &scans.lists[k]);
  for (int32_t k = 0; k < state.count && k < node->outputCount; k++) {
    at_frame_put(frame, node->outputs[k], state.cells[k]);
    state.cells[k].kind = AT_CELL_NONE;
  }
  THGuard_leave(&second);
  THGuard_leave(&first);
}
