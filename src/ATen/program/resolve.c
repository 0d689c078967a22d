/* Which operation computes a node, and from which of the node's inputs its arguments come.
 *
 * A node says which operation of PyTorch it calls, and has inputs with the names that PyTorch's
 * schema gives them.  The operations here that have the same name are tried in turn: one is taken
 * if each input belongs to an argument that accepts it, and no argument that has to be given is
 * missing. */
#include "ATenOps.h"
#include "Program.h"

/* --- names of arguments ----------------------------------------------------------------------- */

/* Pairs of names that mean the same argument in PyTorch and here. */
static const char *const synonyms[][2] = {
    {"size", "sizes"},     {"shape", "sizes"}, {"dtype", "type"}, {"fill_value", "value"},
    {"stride", "strides"}, {"input", "self"},  {"dim", "dims"},   {"dims", "dim"},
};

/* What changes nothing here: hints for other devices, and promises. */
static const char *const hints[] = {"non_blocking", "pin_memory",    "sparse_grad",   "implicit",
                                    "cudnn_enable", "cudnn_enabled", "requires_grad", "layout",
                                    "device",       "memory_format"};

/* What an adaptor calls the input: a name, "" if it is left out, NULL if the adaptor does not know
 * it.  The name ends at a space or the end of the text. */
static const char *renamed(const char *renames, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = renames; at && *at; at += strspn(at, " ")) {
    if (!strncmp(at, name, length) && at[length] == '=')
      return at + length + 1;
    at += strcspn(at, " ");
  }
  return NULL;
}

static int find_argument(const at_op *op, const char *name, size_t length)
{
  for (int i = 0; i < op->argumentCount; i++)
    if (strlen(op->arguments[i].name) == length && !memcmp(op->arguments[i].name, name, length))
      return i;
  return -1;
}

/* The argument of op that the input is, or -1. */
static int argument_of(const at_op *op, const char *renames, const char *name)
{
  const char *const other = renamed(renames, name);
  if (other)
    return find_argument(op, other, strcspn(other, " "));
  int found = find_argument(op, name, strlen(name));
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms && found < 0; i++)
    if (!strcmp(synonyms[i][0], name))
      found = find_argument(op, synonyms[i][1], strlen(synonyms[i][1]));
  return found;
}

static bool is_hint(const char *name)
{
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (!strcmp(hints[i], name))
      return true;
  return false;
}

/* --- kinds ------------------------------------------------------------------------------------ */

static bool accepts(at_kind kind, const at_given *given)
{
  const bool isNumber = given->kind == AT_GIVEN_NUMBER;
  if (given->kind == AT_GIVEN_ELEMENTS)
    return kind == AT_KIND_INTS || kind == AT_KIND_LONG;
  switch (kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      return given->kind == AT_GIVEN_TENSOR;
    case AT_KIND_TENSORS:
    case AT_KIND_OPTIONAL_TENSORS:
      return given->kind == AT_GIVEN_TENSORS;
    case AT_KIND_SCALAR:
      return isNumber && given->number != AT_CELL_COMPLEX;
    case AT_KIND_LONG:
      return isNumber && given->number == AT_CELL_INT;
    case AT_KIND_DOUBLE:
      return isNumber && given->number != AT_CELL_BOOL && given->number != AT_CELL_COMPLEX;
    case AT_KIND_BOOL:
      return isNumber && given->number == AT_CELL_BOOL;
    case AT_KIND_INTS:
      return (isNumber && given->number == AT_CELL_INT) ||
             (given->kind == AT_GIVEN_NUMBERS && given->number != AT_CELL_FLOAT) ||
             (given->kind == AT_GIVEN_TENSORS && given->count == 0);
    case AT_KIND_TYPE:
      return given->kind == AT_GIVEN_TYPE && given->type != AT_SCALAR_TYPES;
    case AT_KIND_STRING:
      return given->kind == AT_GIVEN_TEXT;
    case AT_KIND_DOUBLES:
      return (isNumber || given->kind == AT_GIVEN_NUMBERS) && given->number != AT_CELL_BOOL &&
             given->number != AT_CELL_COMPLEX;
    default:
      return false;
  }
}

/* Whether the argument may be a number: an operand of an operation on two tensors or more, which has no
 * form with a number there. */
static bool accepts_wrapped(const at_op *op, int at, const at_given *given)
{
  const at_argument *const argument = &op->arguments[at];
  int tensors = 0;
  for (int i = 0; i < op->argumentCount; i++)
    tensors += op->arguments[i].kind == AT_KIND_TENSOR;
  return given->kind == AT_GIVEN_NUMBER && argument->kind == AT_KIND_TENSOR &&
         !argument->isWritten && tensors > 1;
}

/* Which numbers become tensors. */
typedef enum Wrapping { WRAP_BOOLS, WRAP_NOTHING, WRAP_ALL } Wrapping;

/* Whether it is a bool that is an operand: with Bool tensors it gives Bool, which an integer does not. */
static bool is_boolOperand(const at_given *given)
{
  static const char *const operands[] = {"self", "other", "exponent"};
  bool isOperand = false;
  for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
    isOperand |= !strcmp(given->name, operands[i]);
  return isOperand && given->kind == AT_GIVEN_NUMBER && given->number == AT_CELL_BOOL;
}

static bool accepts_as(const at_op *op, int at, const at_given *given, Wrapping wrapping)
{
  const bool isTensor = wrapping == WRAP_BOOLS && is_boolOperand(given);
  return (!isTensor && accepts(op->arguments[at].kind, given)) ||
         ((isTensor || wrapping == WRAP_ALL) && accepts_wrapped(op, at, given));
}

/* Whether an argument may be left out when it is None. */
static bool accepts_none(const at_argument *argument)
{
  return argument->defaults || argument->kind == AT_KIND_OPTIONAL_TENSOR ||
         argument->kind == AT_KIND_INTS;
}

static bool needs(const at_argument *argument)
{
  return !argument->defaults && argument->kind != AT_KIND_OPTIONAL_TENSOR;
}

/* --- operations ------------------------------------------------------------------------------- */

static bool fits(const at_op *op, const char *renames, const at_graphNode *node, Wrapping wrapping,
                 int8_t *from)
{
  memset(from, -1, (size_t)op->argumentCount);
  for (int32_t i = 0; i < node->inputCount; i++) {
    const at_given *const given = &node->inputs[i];
    const int at = *given->name            ? argument_of(op, renames, given->name)
                   : i < op->argumentCount ? i
                                           : -1;
    const char *const other = renamed(renames, given->name);
    if (at < 0 && ((other && (*other == ' ' || !*other)) || is_hint(given->name) ||
                   given->kind == AT_GIVEN_NONE || given->kind == AT_GIVEN_PLACE))
      continue;
    if (at < 0 || from[at] >= 0)
      return false;
    if (given->kind == AT_GIVEN_NONE ? !accepts_none(&op->arguments[at])
                                     : !accepts_as(op, at, given, wrapping))
      return false;
    from[at] = (int8_t)i;
  }
  for (int i = 0; i < op->argumentCount; i++)
    if (from[i] < 0 && needs(&op->arguments[i]))
      return false;
  return (op->resultCount == 1 && op->results->kind == AT_KIND_TENSORS) ||
         node->outputCount <= op->resultCount;
}

/* Makes op what computes the node, if it can. */
static bool try_operation(at_arena *arena, at_graphNode *node, const at_op *op, const char *renames,
                          Wrapping wrapping)
{
  int8_t from[AT_MOST_ARGUMENTS];
  if (node->inputCount > INT8_MAX || op->argumentCount > AT_MOST_ARGUMENTS ||
      !fits(op, renames, node, wrapping, from))
    return false;
  int8_t *const kept = at_arena_take(arena, (uint64_t)op->argumentCount, 1);
  memcpy(kept, from, (size_t)op->argumentCount);
  node->from = kept;
  node->op = op;
  return true;
}

/* Tries all overloads, or the one that is named; first those that take numbers as numbers, but for bools
 * that are operands. */
static bool try_operations(at_arena *arena, at_graphNode *node, const char *name,
                           const char *overload, const char *renames)
{
  const at_op *const first = at_op_find(name);
  bool hasBool = false;
  for (int32_t i = 0; i < node->inputCount; i++)
    hasBool |= is_boolOperand(&node->inputs[i]);
  for (Wrapping wrapping = hasBool ? WRAP_BOOLS : WRAP_NOTHING; wrapping <= WRAP_ALL; wrapping++)
    for (const at_op *op = first; op && op < at_ops + at_opCount && !strcmp(op->name, name); op++)
      if ((!overload || !strcmp(op->overload, overload)) &&
          try_operation(arena, node, op, renames, wrapping))
        return true;
  return false;
}

/* Random numbers in a new tensor of the sizes of another: PyTorch's "exponential" is "exponential_" of a
 * copy, which is the output of the node while that is computed. */
static bool try_drawn(at_arena *arena, at_graphNode *node, const char *name)
{
  char changing[80];
  at_graphNode *const inner = at_arena_take(arena, 1, sizeof *inner);
  *inner = *node;
  snprintf(changing, sizeof changing, "%s_", strcmp(name, "normal_functional") ? name : "normal");
  if (node->outputCount != 1 || node->outputs[0] == AT_NO_SLOT || node->inputCount < 1 ||
      node->inputs[0].kind != AT_GIVEN_TENSOR ||
      !try_operations(arena, inner, changing, NULL, NULL) || inner->from[0] != 0)
    return false;
  bool draws = false;
  for (int i = 0; i < inner->op->argumentCount; i++)
    draws |= inner->op->arguments[i].kind == AT_KIND_GENERATOR;
  for (int32_t i = 1; i < node->inputCount; i++)
    for (int32_t p = 0; p < node->inputs[i].count; p++)
      draws &= node->inputs[i].parts[p].slot == AT_NO_SLOT; /* passes do not see the inner node */
  at_given *const inputs = at_arena_take(arena, (uint64_t)node->inputCount, sizeof *inputs);
  at_part *const part = at_arena_take(arena, 1, sizeof *part);
  memcpy(inputs, node->inputs, (size_t)node->inputCount * sizeof *inputs);
  part->slot = node->outputs[0];
  inputs[0].parts = part;
  inner->inputs = inputs;
  if (draws) {
    node->compute = at_computeDrawn;
    node->how = inner;
  }
  return draws;
}

/* full_like of a complex number. */
static bool try_complex(at_graphNode *node)
{
  const at_given *const fill = at_inputOf(node, "fill_value", -1);
  if (!fill || fill->number != AT_CELL_COMPLEX || strcmp(node->target, "aten.full_like.default"))
    return false;
  node->compute = at_computeNew;
  return true;
}

/* What computes a node that writes to operands: the function of that name. */
typedef struct Written {
  at_graphNode function; /* at_calledOp reads it */
  int32_t first, count;  /* the inputs that its results are copied to */
  bool resizes;          /* whether they take the sizes of the results */
} Written;

/* Overloads that write to "out" operands, and the functions of these; others end in "out". */
static const char *const outs[][2] = {
    {"dim_max", "dim"},
    {"dim_min", "dim"},
    {"dim_values", "dim"},
    {"values", "default"},
    {"values_stable", "stable"},
    {"grad_input", "default"},
    {"output", "default"},
    {"result", "default"},
    {"sign", "default"},
    {"inverse", "default"},
    {"eigvals", "default"},
    {"eigenvalues", "default"},
    {"L", "default"},
    {"U", "default"},
    {"X", "default"},
    {"a", "default"},
    {"out_", "default"},
    {"out_mode", "Tensor_mode"},
    {"out_tol_tensor", "tol_tensor"},
    {"out_rcond_tensor", "rcond_tensor"},
    {"OutTensor", "Tensor"},
    {"OutScalar_Self", "Scalar_Self"},
    {"OutScalar_Other", "Scalar_Other"},
};

/* The overload of the function: "default" of "out", "dim" of "dim_out" and "dim_max"; NULL if the overload does not
 * write to operands. */
static const char *overload_of(at_arena *arena, const char *overload)
{
  static const char ending[] = "_out";
  const size_t length = strlen(overload), end = strlen(ending);
  for (size_t i = 0; i < sizeof outs / sizeof *outs; i++)
    if (!strcmp(outs[i][0], overload))
      return outs[i][1];
  if (!strcmp(overload, ending + 1))
    return "default";
  if (length <= end || strcmp(overload + length - end, ending) != 0)
    return NULL;
  char *const kept = at_arena_text(arena, overload);
  kept[length - end] = '\0';
  return kept;
}

/* Whether it is an overload that writes to "out" operands, which forms do not. */
static bool writes_out(at_arena *arena, const at_graphNode *node)
{
  const char *const name = strchr(node->target, '.'), *const end =
                                                          name ? strchr(name + 1, '.') : NULL;
  return end && !strncmp(node->target, "aten.", 5) && overload_of(arena, end + 1) != NULL;
}

/* The function of an operation that changes its first operand, or writes to its last ones: "aten.gcd.default" of
 * "aten.gcd_.default" and of "aten.gcd.out".  False if the operation does neither. */
static bool function_of(at_arena *arena, const at_graphNode *node, bool *isInPlace, char *target,
                        size_t size)
{
  const char *const name = node->target + strlen("aten."), *const end = strchr(name, '.');
  const size_t length = end ? (size_t)(end - name) : 0;
  if (length == 0 || strlen(node->target) + strlen(".default") >= size)
    return false;
  *isInPlace = name[length - 1] == '_';
  const char *const overload = *isInPlace ? end + 1 : overload_of(arena, end + 1);
  if (!overload)
    return false;
  snprintf(target, size, "aten.%.*s.%s", (int)length - *isInPlace, name, overload);
  return true;
}

/* An operation that has no form here that writes to its operands: its function's results are copied there. */
static bool try_written(at_arena *arena, at_graphNode *node)
{
  char target[80];
  bool isInPlace, fits = true;
  if (node->outputCount < 1 || node->inputCount < node->outputCount ||
      !function_of(arena, node, &isInPlace, target, sizeof target))
    return false;
  const int32_t count = node->outputCount, first = isInPlace ? 0 : node->inputCount - count;
  for (int32_t k = 0; k < count; k++)
    fits &= node->outputs[k] != AT_NO_SLOT && node->inputs[first + k].kind == AT_GIVEN_TENSOR;
  if (!fits || (isInPlace && count != 1))
    return false;
  Written *const how = at_arena_take(arena, 1, sizeof *how);
  *how = (Written){*node, first, count, !isInPlace};
  how->function.target = at_arena_text(arena, target);
  how->function.inputCount -= isInPlace ? 0 : count;
  if (!at_resolve(arena, &how->function))
    return false;
  node->compute = at_computeWritten;
  node->how = how;
  return true;
}

bool at_writesOperand(const at_graphNode *node, int32_t input)
{
  const Written *const how = node->how;
  return input >= how->first && input < how->first + how->count;
}

/* Copies a result of the function to its operand, which becomes the output. */
static void give_written(at_frame *frame, const at_graphNode *node, const Written *how, int32_t k)
{
  const int32_t input = how->first + k;
  at_tensor *const operand = at_inputTensor(frame, node, node->inputs[input].name, input);
  const at_part result = {node->outputs[k], {AT_CELL_NONE, {0}}};
  const at_cell cell = at_frame_get(frame, &result);
  if (cell.kind != AT_CELL_TENSOR)
    at_nodeFails(node, "its result is no tensor");
  const at_ints sizes = at_sizesOf(cell.is.tensor);
  if (how->resizes && !at_sameSizes(at_sizesOf(operand), sizes))
    at_ownOf(node, at_resize_(operand, sizes));
  at_giveOutput(frame, node, k, at_alias(at_copy_(operand, cell.is.tensor)));
}

void at_computeWritten(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const Written *const how = node->how;
  at_graphNode function = how->function;
  function.inputs =
      node->inputs; /* passes may have changed their slots, and see the outer node alone */
  function.outputs = node->outputs;
  at_frame_compute(frame, &function);
  for (int32_t k = 0; k < how->count; k++)
    give_written(frame, node, how, k);
}

const at_op *at_calledOp(const at_graphNode *node)
{
  const bool hasInner = node->compute == at_computeDrawn || node->compute == at_computeComplex ||
                        node->compute == at_computeWritten;
  return hasInner ? at_calledOp(node->how) : node->op;
}

void at_computeDrawn(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const self = at_inputTensor(frame, node, NULL, 0);
  at_frame_put(frame, node->outputs[0],
               (at_cell){AT_CELL_TENSOR, {.tensor = at_ownOf(node, (at_clone)(self))}});
  at_frame_compute(frame, node->how);
}

/* Whether the adaptor's function computes the node, and not an operation. */
static bool is_computed(const at_adaptor *adaptor, const at_graphNode *node)
{
  if (!adaptor || !adaptor->compute || !adaptor->unless)
    return adaptor && adaptor->compute;
  const at_given *const given = at_inputOf(node, adaptor->unless, -1);
  const at_cell none = {AT_CELL_NONE, {0}};
  const bool isConstant =
      !given || (given->kind == AT_GIVEN_NUMBER && given->parts->slot == AT_NO_SLOT);
  const at_cell cell = given && isConstant ? given->parts->constant : none;
  return !isConstant || (cell.kind == AT_CELL_FLOAT ? cell.is.number != 0
                                                    : cell.kind != AT_CELL_NONE && cell.is.integer);
}

bool at_resolve(at_arena *arena, at_graphNode *node)
{
  static const char prefix[] = "aten.";
  char name[64];
  const at_op *const own = at_registeredOp(node->target);
  const at_adaptor *const adaptor = at_adaptorOf(node->target);
  if (own)
    return try_operation(arena, node, own, NULL, false);
  if (!strcmp(node->target, "higher_order.auto_functionalized_v2"))
    return at_resolveFunctionalized(arena, node);
  if (is_computed(adaptor, node)) {
    node->compute = adaptor->compute;
    if (node->compute != at_computeClone) /* passes look for the operation, too */
      return true;
  }
  if (at_resolveNumber(node) || (!writes_out(arena, node) && at_resolveForm(node)))
    return true;
  if (adaptor)
    return try_operations(arena, node, adaptor->name, adaptor->overload, adaptor->renames);
  if (strncmp(node->target, prefix, strlen(prefix)))
    return false;
  const char *const start =
      node->target + strlen(at_isEach(node->target) ? "aten._foreach_" : prefix);
  const size_t length = strcspn(start, ".");
  if (length >= sizeof name)
    return false;
  memcpy(name, start, length);
  name[length] = '\0';
  return try_operations(arena, node, name, NULL, NULL) || try_drawn(arena, node, name) ||
         try_complex(node) || at_resolveComplex(arena, node) || try_written(arena, node);
}
