/* A run of a graph: a cell for each slot, and the nodes in turn.  A value is released after the
 * last node that reads it. */
#include "ATenOps.h"
#include "Program.h"

void at_nodeFails_from(const char *source, int line, const at_graphNode *node, const char *format,
                       ...)
{
  char text[TH_MESSAGE_LENGTH / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  at_raise_from(AT_ERROR_ARGUMENT, source, line, "node %d, %.100s = %.100s: %s", (int)node->number,
                node->name, node->target, text);
}

/* --- cells ------------------------------------------------------------------------------------ */

at_cell at_frame_get(const at_frame *frame, const at_part *part)
{
  return part->slot == AT_NO_SLOT ? part->constant : frame->cells[part->slot];
}

void at_frame_put(at_frame *frame, int32_t slot, at_cell value)
{
  if (slot == AT_NO_SLOT) {
    at_cell_release(&value);
    return;
  }
  at_cell_release(&frame->cells[slot]);
  frame->cells[slot] = value;
}

/* --- arguments -------------------------------------------------------------------------------- */

const at_given *at_inputOf(const at_graphNode *node, const char *name, int index)
{
  for (int32_t i = 0; i < node->inputCount; i++) {
    const at_given *const given = &node->inputs[i];
    if (name && *given->name ? !strcmp(given->name, name) : i == index)
      return given->kind == AT_GIVEN_NONE ? NULL : given;
  }
  return NULL;
}

static at_cell cell_of(const at_frame *frame, const at_graphNode *node, const char *name, int index)
{
  const at_given *const given = at_inputOf(node, name, index);
  if (!given || given->count != 1)
    at_nodeFails(node, "%s is missing", name);
  return at_frame_get(frame, given->parts);
}

at_tensor *at_inputTensor(const at_frame *frame, const at_graphNode *node, const char *name,
                          int index)
{
  const at_cell cell = cell_of(frame, node, name, index);
  if (cell.kind != AT_CELL_TENSOR)
    at_nodeFails(node, "%s is no tensor", name);
  return at_region_cast(frame, node, cell.is.tensor);
}

int64_t at_inputInt(const at_frame *frame, const at_graphNode *node, const char *name, int index)
{
  const at_cell cell = cell_of(frame, node, name, index);
  if (cell.kind != AT_CELL_INT)
    at_nodeFails(node, "%s is no integer", name);
  return cell.is.integer;
}

bool at_inputBool(const at_frame *frame, const at_graphNode *node, const char *name, int index,
                  bool otherwise)
{
  return at_inputOf(node, name, index) ? at_isTrueCell(cell_of(frame, node, name, index))
                                       : otherwise;
}

double at_inputNumber(const at_frame *frame, const at_graphNode *node, const char *name, int index,
                      double otherwise)
{
  const at_given *const given = at_inputOf(node, name, index);
  if (!given)
    return otherwise;
  const at_cell cell =
      given->kind == AT_GIVEN_NUMBER ? at_frame_get(frame, given->parts) : (at_cell){0};
  if (!at_isNumber(cell))
    at_nodeFails(node, "%s is no number", name);
  return cell.kind == AT_CELL_FLOAT ? cell.is.number : (double)cell.is.integer;
}

const at_type *at_inputType(const at_graphNode *node, const char *name, at_scalar_type otherwise)
{
  const at_given *const given = at_inputOf(node, name, -1);
  if (given && (given->kind != AT_GIVEN_TYPE || given->type == AT_SCALAR_TYPES))
    at_nodeFails(node, "%s is of a type that is not here", name);
  return at_cpuType(given ? given->type : otherwise);
}

void at_giveTensor(at_frame *frame, const at_graphNode *node, at_tensor *t)
{
  at_frame_put(frame, node->outputCount > 0 ? node->outputs[0] : AT_NO_SLOT,
               (at_cell){AT_CELL_TENSOR, {.tensor = t}});
}

at_tensor *at_ownOf(const at_graphNode *node, at_tensor *t)
{
  if (!at_defined(t))
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  return at_keep(t);
}

void at_giveOutput(at_frame *frame, const at_graphNode *node, int32_t output, at_tensor *t)
{
  at_tensor *const own = at_ownOf(node, t);
  at_frame_put(frame, output < node->outputCount ? node->outputs[output] : AT_NO_SLOT,
               (at_cell){AT_CELL_TENSOR, {.tensor = own}});
}

void at_giveInt(at_frame *frame, const at_graphNode *node, int64_t value)
{
  at_frame_put(frame, node->outputCount > 0 ? node->outputs[0] : AT_NO_SLOT,
               (at_cell){AT_CELL_INT, {.integer = value}});
}

/* --- calls of operations ---------------------------------------------------------------------- */

/* The lists of the arguments of a call. */
typedef struct Lists {
  int64_t *ints;
  double *doubles;
  at_tensor **tensors;
} Lists;

static at_scalar scalar_of(at_cell cell)
{
  return cell.kind == AT_CELL_FLOAT ? at_scalar_double(cell.is.number)
                                    : at_scalar_long(cell.is.integer);
}

/* The integers that are the elements of a tensor; raises if there are more than most. */
static int elements_in(const at_frame *frame, const at_graphNode *node, const at_part *part,
                       int64_t *to, int64_t most)
{
  const at_cell cell = at_frame_get(frame, part);
  const at_tensor *const t = cell.kind == AT_CELL_TENSOR ? cell.is.tensor : NULL;
  if (!t || at_isFloating(t->type->scalarType) || at_isComplex(t->type->scalarType) ||
      at_numel(t) > most || at_dim(t) > 1)
    at_nodeFails(node, "an argument is no tensor of at most %lld integers", (long long)most);
  const int64_t count = at_numel(t), step = t->isScalar ? 0 : t->th->stride[0];
  for (int64_t i = 0; i < count; i++)
    to[i] = at_scalar_toLong(at_elementAt(t, t->th->storageOffset + (ptrdiff_t)(i * step)));
  return (int)count;
}

/* A number of a node. */
static at_cell number_in(const at_frame *frame, const at_graphNode *node, const at_part *part,
                         const char *name)
{
  const at_cell cell = at_frame_get(frame, part);
  if (!at_isNumber(cell))
    at_nodeFails(node, "%s is no number", name);
  return cell;
}

static at_tensor *tensor_in(const at_frame *frame, const at_graphNode *node, const at_part *part,
                            const char *name, bool optional)
{
  const at_cell cell = at_frame_get(frame, part);
  if (cell.kind != AT_CELL_TENSOR && !(optional && cell.kind == AT_CELL_NONE))
    at_nodeFails(node, "%s is no tensor", name);
  return cell.kind == AT_CELL_TENSOR ? at_region_cast(frame, node, cell.is.tensor) : NULL;
}

static int64_t element_in(const at_frame *frame, const at_graphNode *node, const at_given *given)
{
  int64_t value;
  if (elements_in(frame, node, given->parts, &value, 1) != 1)
    at_nodeFails(node, "an argument is no single integer");
  return value;
}

static int64_t int_in(const at_frame *frame, const at_graphNode *node, const at_part *part,
                      const char *name)
{
  const at_cell cell = number_in(frame, node, part, name);
  if (cell.kind == AT_CELL_FLOAT)
    at_nodeFails(node, "%s is no integer", name);
  return cell.is.integer;
}

static double double_in(const at_frame *frame, const at_graphNode *node, const at_part *part,
                        const char *name)
{
  return at_scalar_toDouble(scalar_of(number_in(frame, node, part, name)));
}

static void fill_ints(const at_frame *frame, const at_graphNode *node, const at_given *given,
                      Lists *lists, at_value *value)
{
  if (given->kind == AT_GIVEN_ELEMENTS) {
    const int count = elements_in(frame, node, given->parts, lists->ints, AT_MOST_DIMS);
    value->ints = (at_ints){lists->ints, count};
    lists->ints += count;
    return;
  }
  value->ints = (at_ints){lists->ints, given->count};
  for (int32_t i = 0; i < given->count; i++)
    *lists->ints++ = int_in(frame, node, &given->parts[i], given->name);
}

static void fill_doubles(const at_frame *frame, const at_graphNode *node, const at_given *given,
                         Lists *lists, at_value *value)
{
  value->doubles = (at_doubles){lists->doubles, given->count};
  for (int32_t i = 0; i < given->count; i++)
    *lists->doubles++ = double_in(frame, node, &given->parts[i], given->name);
}

static void fill_tensors(const at_frame *frame, const at_graphNode *node, const at_given *given,
                         bool optional, Lists *lists, at_value *value)
{
  value->tensors = (at_tensors){lists->tensors, given->count};
  for (int32_t i = 0; i < given->count; i++)
    *lists->tensors++ = tensor_in(frame, node, &given->parts[i], given->name, optional);
}

at_tensor *at_wrappedNumber(const at_frame *frame, const at_graphNode *node, const at_given *given)
{
  const at_cell cell = at_frame_get(frame, given->parts);
  bool isDouble = false;
  for (int32_t i = 0; i < node->inputCount; i++) {
    const at_cell other = node->inputs[i].kind == AT_GIVEN_TENSOR
                              ? at_frame_get(frame, node->inputs[i].parts)
                              : (at_cell){AT_CELL_NONE, {0}};
    isDouble |=
        other.kind == AT_CELL_TENSOR && (other.is.tensor->type->scalarType == AT_DOUBLE ||
                                         other.is.tensor->type->scalarType == AT_COMPLEX_DOUBLE);
  }
  const at_type *const floating = at_cpuType(isDouble ? AT_DOUBLE : AT_FLOAT),
                       *const type = cell.kind == AT_CELL_INT    ? at_cpuType(AT_LONG)
                                     : cell.kind == AT_CELL_BOOL ? at_cpuType(AT_BOOL)
                                                                 : floating;
  at_tensor *t;
  if (cell.kind == AT_CELL_COMPLEX)
    t = at_complex(at_full(AT_SCALAR_SHAPE, cell.is.parts[0], .type = floating),
                   at_full(AT_SCALAR_SHAPE, cell.is.parts[1], .type = floating));
  else if (cell.kind == AT_CELL_FLOAT)
    t = at_full(AT_SCALAR_SHAPE, cell.is.number, .type = type);
  else if (at_isNumber(cell))
    t = at_full(AT_SCALAR_SHAPE, cell.is.integer, .type = type);
  else
    at_nodeFails(node, "%s is no number", given->name);
  if (!at_defined(t))
    at_nodeFails(node, "it failed");
  return t;
}

static void fill(const at_frame *frame, const at_graphNode *node, const at_argument *argument,
                 const at_given *given, Lists *lists, at_value *value)
{
  value->given = true;
  switch (argument->kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      value->tensor = given->kind == AT_GIVEN_NUMBER
                          ? at_wrappedNumber(frame, node, given)
                          : tensor_in(frame, node, given->parts, given->name, false);
      break;
    case AT_KIND_SCALAR:
      value->scalar = scalar_of(number_in(frame, node, given->parts, given->name));
      break;
    case AT_KIND_LONG:
      value->integer = given->kind == AT_GIVEN_ELEMENTS
                           ? element_in(frame, node, given)
                           : int_in(frame, node, given->parts, given->name);
      break;
    case AT_KIND_DOUBLE:
      value->number = double_in(frame, node, given->parts, given->name);
      break;
    case AT_KIND_BOOL:
      value->truth = at_isTrueCell(number_in(frame, node, given->parts, given->name));
      break;
    case AT_KIND_TYPE:
      value->type = at_cpuType(given->type);
      break;
    case AT_KIND_STRING:
      value->string = given->text;
      break;
    case AT_KIND_INTS:
      fill_ints(frame, node, given, lists, value);
      break;
    case AT_KIND_DOUBLES:
      fill_doubles(frame, node, given, lists, value);
      break;
    default:
      fill_tensors(frame, node, given, argument->kind == AT_KIND_OPTIONAL_TENSORS, lists, value);
  }
}

static at_cell cell_from(const at_op *op, const at_argument *result, const at_value *value)
{
  switch (result->kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      if (!at_defined(value->tensor))
        return (at_cell){AT_CELL_NONE, {0}};
      return (at_cell){AT_CELL_TENSOR,
                       {.tensor = op->form == AT_FORM_FUNCTION ? at_keep(value->tensor)
                                                               : at_retain(value->tensor)}};
    case AT_KIND_LONG:
      return (at_cell){AT_CELL_INT, {.integer = value->integer}};
    case AT_KIND_DOUBLE:
      return (at_cell){AT_CELL_FLOAT, {.number = value->number}};
    case AT_KIND_BOOL:
      return (at_cell){AT_CELL_BOOL, {.integer = value->truth}};
    default:
      return (at_cell){AT_CELL_NONE, {0}};
  }
}

/* Gives the outputs of the node the tensors of a list. */
static void take_list(at_frame *frame, const at_graphNode *node, const at_tensors *list)
{
  const int count = list->count;
  for (int i = 0; i < count && i < node->outputCount; i++)
    at_frame_put(frame, node->outputs[i],
                 (at_cell){AT_CELL_TENSOR, {.tensor = at_retain(list->data[i])}});
  at_list_release(list);
  if (count != node->outputCount)
    at_nodeFails(node, "there are %d results, and the file has names for %d", count,
                 (int)node->outputCount);
}

static void call_plainly(at_frame *frame, const at_graphNode *node)
{
  const at_op *const op = node->op;
  at_value results[AT_RESULTS];
  Lists lists = {frame->ints, frame->doubles, frame->tensors};
  memset(frame->arguments, 0, (size_t)op->argumentCount * sizeof *frame->arguments);
  memset(results, 0, sizeof results);
  for (int i = 0; i < op->argumentCount; i++) {
    const at_given *const given = node->from[i] < 0 ? NULL : &node->inputs[node->from[i]];
    if (given && given->kind != AT_GIVEN_NONE)
      fill(frame, node, &op->arguments[i], given, &lists, &frame->arguments[i]);
  }
  if (!op->call(frame->arguments, results))
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  if (op->resultCount == 1 && op->results->kind == AT_KIND_TENSORS) {
    take_list(frame, node, results->list);
    return;
  }
  for (int i = 0; i < op->resultCount; i++)
    at_frame_put(frame, i < node->outputCount ? node->outputs[i] : AT_NO_SLOT,
                 cell_from(op, &op->results[i], &results[i]));
}

static bool wraps_numbers(const at_graphNode *node)
{
  for (int i = 0; i < node->op->argumentCount; i++)
    if (node->from[i] >= 0 && node->op->arguments[i].kind == AT_KIND_TENSOR &&
        node->inputs[node->from[i]].kind == AT_GIVEN_NUMBER)
      return true;
  return false;
}

/* A scope frees the tensors that numbers become. */
void at_callOperation(at_frame *frame, const at_graphNode *node)
{
  if (!wraps_numbers(node)) {
    call_plainly(frame, node);
    return;
  }
  AT_SCOPE
  {
    call_plainly(frame, node);
  }
}

/* --- frames ----------------------------------------------------------------------------------- */

static void free_frame(void *what)
{
  at_frame *const frame = what;
  if (frame->running && !frame->hadError)
    at_error_locateNode(frame->program->path, frame->running->number);
  at_dropDuals(frame);
  if (frame->cells)
    for (int32_t i = 0; i < frame->graph->slotCount; i++)
      at_cell_release(&frame->cells[i]);
  at_pool_end(frame, frame->isComplete);
  THFree(frame->cells);
  THFree(frame->arguments);
  THFree(frame->ints);
  THFree(frame->doubles);
  THFree(frame->tensors);
}

void at_frame_enter(at_frame *frame, at_program *program, const at_graph *graph, THGuard *guard)
{
  *frame = (at_frame){.program = program, .graph = graph, .hadError = at_error() != AT_OK};
  THGuard_enter(guard, free_frame);
  guard->what = frame;
  const size_t cells = (size_t)graph->slotCount * sizeof *frame->cells;
  frame->arguments =
      THAlloc((ptrdiff_t)(1 + graph->mostArguments) * (ptrdiff_t)sizeof *frame->arguments);
  frame->ints = THAlloc((ptrdiff_t)(1 + graph->mostParts) * (ptrdiff_t)sizeof *frame->ints);
  frame->doubles = THAlloc((ptrdiff_t)(1 + graph->mostParts) * (ptrdiff_t)sizeof *frame->doubles);
  frame->tensors = THAlloc((ptrdiff_t)(1 + graph->mostParts) * (ptrdiff_t)sizeof *frame->tensors);
  at_cell *const made = THAlloc((ptrdiff_t)cells + 1);
  memset(made, 0, cells);
  frame->cells = made;
}

static void compute(at_frame *frame, const at_graphNode *node)
{
  if (node->compute)
    node->compute(frame, node);
  else
    at_callOperation(frame, node);
}

/* A scope frees the tensors that arguments are cast to. */
void at_frame_compute(at_frame *frame, const at_graphNode *node)
{
  frame->castTo = at_region_castTo(frame, node);
  if (!frame->castTo) {
    compute(frame, node);
    return;
  }
  AT_SCOPE
  {
    compute(frame, node);
  }
}

void at_frame_run(at_frame *frame)
{
  const bool isTimed = frame->program->timing.isOn && !frame->isUntimed;
  at_timing *const timing = isTimed ? &frame->program->timing : NULL;
  for (int32_t n = 0; n < frame->graph->nodeCount; n++) {
    at_graphNode *const node = &frame->graph->nodes[n];
    const int64_t start = timing ? at_nanoseconds() : 0;
    frame->running = node;
    at_pool_compute(frame, n);
    if (timing && node->compute != at_computeSlices) /* their nodes have the time */
      at_timing_add(timing, node, start);
    for (int32_t i = 0; i < node->deadCount; i++)
      at_cell_release(&frame->cells[node->dead[i]]);
  }
  frame->running = NULL;
}
