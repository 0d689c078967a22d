/* Complex numbers as arguments, where operations here take real ones: a factor is multiplied with its operand
 * first, and what is filled with a value is filled by real and imaginary parts. */
#include "../Program.h"
#include "ATenOps.h"

/* The operand that a number is a factor of. */
typedef struct Factor {
  const char *operation, *number, *operand;
} Factor;

static const Factor factors[] = {{"add", "alpha", "other"},       {"sub", "alpha", "other"},
                                 {"rsub", "alpha", "self"},       {"addmm", "beta", "self"},
                                 {"addmm", "alpha", "mat1"},      {"addmv", "beta", "self"},
                                 {"addmv", "alpha", "mat"},       {"addr", "beta", "self"},
                                 {"addr", "alpha", "vec1"},       {"addbmm", "beta", "self"},
                                 {"addbmm", "alpha", "batch1"},   {"baddbmm", "beta", "self"},
                                 {"baddbmm", "alpha", "batch1"},  {"addcmul", "value", "tensor1"},
                                 {"addcdiv", "value", "tensor1"}, {"index_add", "alpha", "source"}};

/* What moves elements and adds a value to them: of complex tensors, part by part. */
static const char *const filling[] = {"constant_pad_nd", "scatter", "_unsafe_masked_index"};

enum { MOST_INPUTS = 8 };

/* What computes a node with complex numbers: the same node with real ones. */
typedef struct Inner {
  at_graphNode real,
      imaginary; /* the latter of what is filled by parts; at_calledOp reads the former */
  bool isFilled;
  int8_t operands[MOST_INPUTS]; /* of each number the input that it is multiplied with, or -1 */
} Inner;

static bool is_complex(const at_given *given)
{
  return given->kind == AT_GIVEN_NUMBER && given->number == AT_CELL_COMPLEX &&
         given->parts->slot == AT_NO_SLOT;
}

static bool calls(const at_graphNode *node, const char *operation)
{
  const char *const name = node->target + strlen("aten.");
  return strlen(operation) == strcspn(name, ".") && !memcmp(operation, name, strlen(operation));
}

/* The input that the number is a factor of, or -1. */
static int operand_of(const at_graphNode *node, const char *number)
{
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (calls(node, factors[i].operation) && !strcmp(factors[i].number, number)) {
      const at_given *const operand = at_inputOf(node, factors[i].operand, -1);
      return operand && operand->kind == AT_GIVEN_TENSOR ? (int)(operand - node->inputs) : -1;
    }
  return -1;
}

/* Computes the inner node with the inputs of the outer one, whose slots passes may have changed, but for its
 * numbers and the tensors that are not NULL. */
static void compute_inner(at_frame *frame, const at_graphNode *node, const at_graphNode *inner,
                          at_tensor *const *tensors)
{
  at_given inputs[MOST_INPUTS];
  at_part parts[MOST_INPUTS];
  at_graphNode made = *inner;
  memcpy(inputs, node->inputs, (size_t)node->inputCount * sizeof *inputs);
  made.inputs = inputs;
  made.outputs = node->outputs;
  for (int32_t i = 0; i < node->inputCount; i++) {
    parts[i] = (at_part){AT_NO_SLOT, {AT_CELL_TENSOR, {.tensor = tensors[i]}}};
    if (is_complex(&node->inputs[i]))
      inputs[i] = inner->inputs[i];
    else if (tensors[i])
      inputs[i].parts = &parts[i];
  }
  at_frame_compute(frame, &made);
}

static at_tensor *made(const at_graphNode *node, at_tensor *t)
{
  if (!at_defined(t))
    at_nodeFails(node, "it failed");
  return t;
}

static void compute_scaled(at_frame *frame, const at_graphNode *node, const Inner *how)
{
  at_tensor *tensors[MOST_INPUTS] = {NULL};
  for (int32_t i = 0; i < node->inputCount; i++) {
    const int operand = how->operands[i];
    if (operand >= 0)
      tensors[operand] =
          made(node, at_mul(at_inputTensor(frame, node, node->inputs[operand].name, operand),
                            at_wrappedNumber(frame, node, &node->inputs[i])));
  }
  compute_inner(frame, node, &how->real, tensors);
}

/* The output of the inner node for one of the parts of self, which the scope owns. */
static at_tensor *part_of(at_frame *frame, const at_graphNode *node, const at_graphNode *inner,
                          at_tensor *self)
{
  at_tensor *tensors[MOST_INPUTS] = {made(node, self)};
  compute_inner(frame, node, inner, tensors);
  const at_part result = {node->outputs[0], {AT_CELL_NONE, {0}}};
  return made(node, at_clone(at_frame_get(frame, &result).is.tensor));
}

static void compute_parts(at_frame *frame, const at_graphNode *node, const Inner *how)
{
  at_tensor *const self = at_inputTensor(frame, node, "self", 0);
  if (!at_isComplex(self->type->scalarType))
    at_nodeFails(node, "self is of %s, and its value is complex",
                 at_scalarTypeName(self->type->scalarType));
  at_tensor *const real = part_of(frame, node, &how->real, at_real(self)),
                   *const imaginary = part_of(frame, node, &how->imaginary, at_imag(self));
  at_giveOutput(frame, node, 0, at_complex(real, imaginary));
}

void at_computeComplex(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const Inner *const how = node->how;
  (how->isFilled ? compute_parts : compute_scaled)(frame, node, how);
}

/* The node with a part of each of its complex numbers, or with 1 for those that are factors of operands. */
static bool resolve_part(at_arena *arena, const at_graphNode *node, const int8_t *operands,
                         int part, at_graphNode *inner)
{
  at_given *const inputs = at_arena_take(arena, (uint64_t)node->inputCount, sizeof *inputs);
  memcpy(inputs, node->inputs, (size_t)node->inputCount * sizeof *inputs);
  for (int32_t i = 0; i < node->inputCount; i++)
    if (is_complex(&inputs[i])) {
      at_part *const number = at_arena_take(arena, 1, sizeof *number);
      const double value = operands[i] < 0 ? inputs[i].parts->constant.is.parts[part] : 1;
      *number = (at_part){AT_NO_SLOT, {AT_CELL_FLOAT, {.number = value}}};
      inputs[i].number = AT_CELL_FLOAT;
      inputs[i].parts = number;
    }
  *inner = *node;
  inner->inputs = inputs;
  return at_resolve(arena, inner);
}

bool at_resolveComplex(at_arena *arena, at_graphNode *node)
{
  bool any = false, isFilled = false;
  if (node->inputCount > MOST_INPUTS || node->outputCount != 1 || node->outputs[0] == AT_NO_SLOT)
    return false;
  for (size_t i = 0; i < sizeof filling / sizeof *filling; i++)
    isFilled |= calls(node, filling[i]) && at_inputOf(node, "self", -1) == node->inputs;
  Inner *const how = at_arena_take(arena, 1, sizeof *how);
  memset(how->operands, -1, sizeof how->operands);
  for (int32_t i = 0; i < node->inputCount; i++)
    if (is_complex(&node->inputs[i])) {
      const bool isReal = node->inputs[i].parts->constant.is.parts[1] == 0;
      how->operands[i] = isReal ? -1 : (int8_t)operand_of(node, node->inputs[i].name);
      any = true;
      if (!isReal && how->operands[i] < 0 && !isFilled)
        return false;
    }
  if (!any || !resolve_part(arena, node, how->operands, 0, &how->real) ||
      (isFilled && !resolve_part(arena, node, how->operands, 1, &how->imaginary)))
    return false;
  how->isFilled = isFilled;
  node->how = how;
  node->compute = at_computeComplex;
  return true;
}
