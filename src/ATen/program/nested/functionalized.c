/* Operations of users that change their arguments, in programs after run_decompositions(): the node is
 * given bases, and returns what those become.
 *
 *     auto_functionalized_v2(operation, x=..., _y_base_index=0, _all_bases=[...])
 *
 * An argument that is changed is a base, a slice of it, or another view of its memory. */
#include "ATenOps.h"
#include "ATen/program/nested/Subgraphs.h"

/* Where an argument of the operation comes from: a part of an input of the node, or a base. */
typedef struct Source {
  at_part part;
  const at_given *base;                                       /* its index, or NULL */
  const at_given *dim, *start, *end, *size, *stride, *offset; /* of a view, or NULL */
} Source;

typedef struct Functionalized {
  at_graph *graph; /* with the operation as its only node */
  Source *sources; /* of the inputs of the graph */
  const at_given *bases;
} Functionalized;

/* --- when it is read -------------------------------------------------------------------------- */

/* The input "_NAME_WHAT", or NULL. */
static const at_given *described(const at_graphNode *node, const char *name, const char *what)
{
  char whole[128];
  const int length = snprintf(whole, sizeof whole, "_%s_%s", name, what);
  return length < (int)sizeof whole ? at_inputOf(node, whole, -1) : NULL;
}

/* NAME of "_NAME_base_index"; NULL for other names. */
static const char *changed_name(at_arena *arena, const char *name)
{
  static const char ending[] = "_base_index";
  const size_t length = strlen(name), end = strlen(ending);
  if (*name != '_' || length <= end + 1 || strcmp(name + length - end, ending) != 0)
    return NULL;
  char *const copy = at_arena_text(arena, name + 1);
  copy[length - end - 1] = '\0';
  return copy;
}

/* Makes each slot in the parts an input of the graph. */
static at_given taken_in(at_arena *arena, Functionalized *f, at_given given)
{
  at_part *const parts = at_arena_take(arena, (uint64_t)given.count, sizeof *parts);
  for (int32_t p = 0; p < given.count; p++) {
    parts[p] = given.parts[p];
    if (parts[p].slot == AT_NO_SLOT)
      continue;
    f->sources[f->graph->inputCount].part = parts[p];
    parts[p].slot = f->graph->inputCount++;
  }
  given.parts = parts;
  return given;
}

/* The argument that is changed. */
static at_given changed_argument(at_arena *arena, Functionalized *f, const at_graphNode *node,
                                 const at_given *index, const char *name)
{
  at_part *const part = at_arena_take(arena, 1, sizeof *part);
  if (index->kind == AT_GIVEN_NONE)
    return (at_given){.name = name, .kind = AT_GIVEN_NONE};
  f->sources[f->graph->inputCount] = (Source){.part.slot = AT_NO_SLOT,
                                              .base = index,
                                              .dim = described(node, name, "slice_dim"),
                                              .start = described(node, name, "slice_start"),
                                              .end = described(node, name, "slice_end"),
                                              .size = described(node, name, "size"),
                                              .stride = described(node, name, "stride"),
                                              .offset = described(node, name, "storage_offset")};
  part->slot = f->graph->inputCount++;
  return (at_given){
      .name = name, .kind = AT_GIVEN_TENSOR, .number = AT_CELL_TENSOR, .count = 1, .parts = part};
}

/* The node that calls the operation in the graph. */
static at_graphNode inner_node(at_arena *arena, Functionalized *f, const at_graphNode *node,
                               const char *target)
{
  at_given *const inputs = at_arena_take(arena, (uint64_t)node->inputCount, sizeof *inputs);
  at_graphNode inner = {
      .name = node->name, .target = target, .number = node->number, .inputs = inputs};
  for (int32_t i = 1; i < node->inputCount; i++) {
    const at_given *const given = &node->inputs[i];
    const char *const name = changed_name(arena, given->name);
    if (name)
      inputs[inner.inputCount++] = changed_argument(arena, f, node, given, name);
    else if (*given->name != '_')
      inputs[inner.inputCount++] = taken_in(arena, f, *given);
  }
  return inner;
}

static int32_t count_parts(const at_graphNode *node)
{
  int32_t count = node->inputCount;
  for (int32_t i = 0; i < node->inputCount; i++)
    count += node->inputs[i].count;
  return count;
}

/* Makes the graph of its node: slots of the inputs come first, then those of results. */
static void finish_graph(at_arena *arena, at_graph *graph, at_graphNode *inner)
{
  const int32_t inputs = graph->inputCount, results = inner->op->resultCount;
  at_given *const outputs = at_arena_take(arena, (uint64_t)results, sizeof *outputs);
  at_part *const made = at_arena_take(arena, (uint64_t)results, sizeof *made);
  int32_t *const slots = at_arena_take(arena, (uint64_t)(inputs + results), sizeof *slots);
  for (int32_t i = 0; i < inputs + results; i++)
    slots[i] = i;
  for (int32_t k = 0; k < results; k++) {
    made[k].slot = inputs + k;
    outputs[k] = (at_given){.name = "", .kind = AT_GIVEN_TENSOR, .count = 1, .parts = &made[k]};
  }
  inner->outputs = slots + inputs;
  inner->outputCount = results;
  graph->inputs = slots;
  graph->slotCount = inputs + results;
  graph->outputs = outputs;
  graph->outputCount = results;
  graph->nodes = inner;
  graph->nodeCount = 1;
  graph->mostArguments = inner->op->argumentCount;
}

bool at_resolveFunctionalized(at_arena *arena, at_graphNode *node)
{
  static const char prefix[] = "torch.ops.";
  if (node->inputCount < 1 || node->inputCount > INT8_MAX || node->inputs[0].kind != AT_GIVEN_TEXT)
    return false;
  const char *target = node->inputs[0].text;
  target += strncmp(target, prefix, strlen(prefix)) ? 0 : strlen(prefix);
  if (!strncmp(target, "higher_order.", 13))
    return false;
  const int32_t most = count_parts(node);
  Functionalized *const f = at_arena_take(arena, 1, sizeof *f);
  f->graph = at_arena_take(arena, 1, sizeof *f->graph);
  f->sources = at_arena_take(arena, (uint64_t)most, sizeof *f->sources);
  f->bases = at_inputOf(node, "_all_bases", -1);
  at_graphNode *const inner = at_arena_take(arena, 1, sizeof *inner);
  *inner = inner_node(arena, f, node, target);
  node->target = target; /* what is named if it is not here */
  if (!at_resolve(arena, inner) || !inner->op)
    return false;
  finish_graph(arena, f->graph, inner);
  f->graph->mostParts = most;
  node->compute = at_computeFunctionalized;
  node->how = f;
  return true;
}

/* --- the run ---------------------------------------------------------------------------------- */

static int64_t int_of(const at_frame *frame, const at_graphNode *node, const at_given *given)
{
  const at_cell cell =
      given && given->count == 1 ? at_frame_get(frame, given->parts) : (at_cell){AT_CELL_NONE, {0}};
  if (cell.kind != AT_CELL_INT)
    at_nodeFails(node, "an index or size of a view is no integer");
  return cell.is.integer;
}

static at_ints ints_of(const at_frame *frame, const at_graphNode *node, const at_given *given,
                       int64_t *to)
{
  if (!given || given->kind != AT_GIVEN_NUMBERS || given->count > AT_MOST_DIMS)
    at_nodeFails(node, "the sizes of a view are no list");
  for (int32_t i = 0; i < given->count; i++) {
    const at_given one = {.count = 1, .parts = &given->parts[i]};
    to[i] = int_of(frame, node, &one);
  }
  return (at_ints){to, given->count};
}

/* The part of a base that is an argument, in the scope. */
static at_tensor *view_of(const at_frame *frame, const at_graphNode *node, const Source *source,
                          const at_cells *bases)
{
  int64_t sizes[AT_MOST_DIMS], strides[AT_MOST_DIMS];
  const int64_t index = int_of(frame, node, source->base);
  if (index < 0 || index >= bases->count)
    at_nodeFails(node, "there is no base %lld", (long long)index);
  at_tensor *const base = bases->cells[index].is.tensor;
  if (source->dim)
    return at_slice(base, .dim = int_of(frame, node, source->dim),
                    .start = int_of(frame, node, source->start),
                    .end = int_of(frame, node, source->end));
  if (source->size) {
    const at_ints size = ints_of(frame, node, source->size, sizes),
                  stride = ints_of(frame, node, source->stride, strides);
    return at_as_strided(base, size, stride, .storage_offset = int_of(frame, node, source->offset));
  }
  return base;
}

static void add_bases(at_frame *frame, const at_graphNode *node, at_cells *bases)
{
  const Functionalized *const f = node->how;
  for (int32_t i = 0; f->bases && i < f->bases->count; i++) {
    const at_cell cell = at_frame_get(frame, &f->bases->parts[i]);
    at_tensor *const copy = cell.kind == AT_CELL_TENSOR ? at_clone(cell.is.tensor) : NULL;
    if (!copy || !at_defined(copy))
      at_nodeFails(node, "base %d is no tensor", (int)i);
    at_cells_add(bases, (at_cell){AT_CELL_TENSOR, {.tensor = copy}});
  }
}

static void add_arguments(at_frame *frame, const at_graphNode *node, const at_cells *bases,
                          at_cells *arguments)
{
  const Functionalized *const f = node->how;
  for (int32_t i = 0; i < f->graph->inputCount; i++) {
    const Source *const source = &f->sources[i];
    at_cell cell;
    if (source->base) {
      at_tensor *const view = view_of(frame, node, source, bases);
      if (!at_defined(view))
        at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
      cell = (at_cell){AT_CELL_TENSOR, {.tensor = view}};
    } else {
      cell = at_frame_get(frame, &source->part);
    }
    at_cells_add(arguments, cell);
  }
}

/* The results of the operation, or None, and then the bases. */
void at_computeFunctionalized(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const Functionalized *const f = node->how;
  at_cells bases, arguments, results;
  THGuard first, second, third;
  at_cells_enter(&bases, f->bases ? f->bases->count : 0, &first);
  at_cells_enter(&arguments, f->graph->inputCount, &second);
  at_cells_enter(&results, at_countResults(f->graph), &third);
  add_bases(frame, node, &bases);
  add_arguments(frame, node, &bases, &arguments);
  at_runGraph(frame, node, f->graph, &arguments, &results);
  const int32_t before = THMax(results.count, 1);
  for (int32_t k = 0; k < node->outputCount; k++) {
    const at_cells *const from = k < before ? &results : &bases;
    const int32_t at = k < before ? k : k - before;
    if (at < from->count)
      at_frame_put(frame, node->outputs[k], at_cell_retain(from->cells[at]));
  }
  THGuard_leave(&third);
  THGuard_leave(&second);
  THGuard_leave(&first);
}
