/* Arithmetic of unsigned integers of 16, 32 and 64 bits, which no operation of ATen has: modulo 2^bits. */
#include "../Runs.h"

typedef enum {
  ADD,
  SUB,
  MUL,
  DIV,
  MOD,
  MAX,
  MIN,
  GREATER,
  GREATER_EQUAL,
  LESS,
  LESS_EQUAL,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  NOT,
  KINDS
} Kind;

static const char *const names[KINDS] = {
    [ADD] = "Add",
    [SUB] = "Sub",
    [MUL] = "Mul",
    [DIV] = "Div",
    [MOD] = "Mod",
    [MAX] = "Max",
    [MIN] = "Min",
    [GREATER] = "Greater",
    [GREATER_EQUAL] = "GreaterOrEqual",
    [LESS] = "Less",
    [LESS_EQUAL] = "LessOrEqual",
    [SHIFT_LEFT] = "BitShift",
    [SHIFT_RIGHT] = "",
    [NOT] = "BitwiseNot",
};

bool at_onnxIsUnsigned(const at_onnxCall *c)
{
  const at_tensor *const x = at_onnxMaybe(c, 0);
  return x && at_isUnsigned(x->type->scalarType);
}

static Kind kind_of(const at_onnxCall *c)
{
  const char *const name = strchr(c->node->target, '.') + 1;
  Kind kind = ADD;
  if (!strcmp(name, "Sum"))
    return ADD;
  while (kind < KINDS && strcmp(names[kind], name))
    kind++;
  if (kind == KINDS)
    AT_ONNX_FAILS(c, "it has no result of unsigned integers");
  if (kind == SHIFT_LEFT && strcmp(at_onnxText(c, "direction", "LEFT"), "LEFT"))
    kind = SHIFT_RIGHT;
  return kind;
}

static uint64_t computed(Kind kind, uint64_t a, uint64_t b)
{
  switch (kind) {
    case ADD:
      return a + b;
    case SUB:
      return a - b;
    case MUL:
      return a * b;
    case DIV:
      return a / b;
    case MOD:
      return a % b;
    case MAX:
      return THMax(a, b);
    case MIN:
      return THMin(a, b);
    case GREATER:
      return a > b;
    case GREATER_EQUAL:
      return a >= b;
    case LESS:
      return a < b;
    case LESS_EQUAL:
      return a <= b;
    case SHIFT_LEFT:
      return b < 64 ? a << b : 0;
    case SHIFT_RIGHT:
      return b < 64 ? a >> b : 0;
    default:
      return ~a;
  }
}

/* The bits of t's elements as integers of 64 bits, broadcast to the sizes. */
static at_tensor *widened(const at_onnxCall *c, at_tensor *t, at_ints sizes)
{
  at_tensor *const wide = t->type->scalarType == AT_UINT64
                              ? at_bitsAs(c->node, t, at_cpuType(AT_LONG))
                              : at_to(t, at_cpuType(AT_LONG));
  return at_onnxPlain(c, at_expand(wide, sizes), AT_LONG);
}

/* One operation on x and y, of the type of x. */
static at_tensor *of_two(const at_onnxCall *c, Kind kind, at_tensor *x, at_tensor *y)
{
  const at_type *const type = x->type;
  const uint64_t mask = type->elementSize < 8 ? ((uint64_t)1 << 8 * type->elementSize) - 1 : ~0ull;
  if (y->type != type)
    AT_ONNX_FAILS(c, "its inputs are of %s and %s", at_scalarTypeName(type->scalarType),
                  at_scalarTypeName(y->type->scalarType));
  const at_tensors *const both = at_broadcast_tensors(AT_TENSORS(x, y));
  if (both->count != 2 || !at_defined(both->data[0]))
    AT_ONNX_FAILS(c, "it failed");
  const at_ints sizes = at_sizes(both->data[0]);
  at_tensor *const made = widened(c, x, sizes), *const other = widened(c, y, sizes);
  at_tensor *const r = at_onnxPlain(c, at_clone(made), AT_LONG);
  const uint64_t *const a = at_hostData(made), *const b = at_hostData(other);
  uint64_t *const to = at_hostData(r);
  for (int64_t i = 0; i < at_numel(r); i++) {
    if ((kind == DIV || kind == MOD) && b[i] == 0)
      AT_ONNX_FAILS(c, "element %lld is divided by 0", (long long)i);
    to[i] = computed(kind, a[i], b[i]) & mask;
  }
  if (kind >= GREATER && kind <= LESS_EQUAL)
    return at_to(r, at_cpuType(AT_BOOL));
  return type->scalarType == AT_UINT64 ? at_bitsAs(c->node, r, type) : at_to(r, type);
}

void at_runUnsigned(at_onnxCall *c)
{
  const Kind kind = kind_of(c);
  at_tensor *r = at_onnxInput(c, 0);
  if (kind == NOT)
    r = of_two(c, kind, r, r);
  for (int i = 1; i < c->inputCount; i++)
    r = of_two(c, kind, r, at_onnxInput(c, i));
  at_onnxGive(c, 0, r);
}
