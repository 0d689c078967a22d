/* Arithmetic with sizes and other numbers, as Python's.  Integers that do not fit 64 bits are
 * errors. */
#include "Program.h"

#include <math.h>

/* What the result is: of the kind of the operands, a truth, a float, or an integer. */
typedef enum Result { SAME, TRUTH, FLOAT, INTEGER } Result;

/* A function of two integers, which is false if there is no result; of one, the second is 0. */
#define INTS(NAME, EXPRESSION)                              \
  static bool NAME##_ints(int64_t a, int64_t b, int64_t *r) \
  {                                                         \
    return EXPRESSION;                                      \
  }
#define FLOATS(NAME, EXPRESSION)                  \
  static double NAME##_floats(double a, double b) \
  {                                               \
    return EXPRESSION;                            \
  }
/* One expression for integers and floating numbers. */
#define BOTH(NAME, EXPRESSION)        \
  INTS(NAME, (*r = EXPRESSION, true)) \
  FLOATS(NAME, EXPRESSION)

INTS(add, !__builtin_add_overflow(a, b, r))
FLOATS(add, a + b)
INTS(sub, !__builtin_sub_overflow(a, b, r))
FLOATS(sub, a - b)
INTS(mul, !__builtin_mul_overflow(a, b, r))
FLOATS(mul, a *b)
INTS(neg, !__builtin_sub_overflow(0, a, r))
FLOATS(neg, -a)
BOTH(pos, a)
BOTH(eq, a == b)
BOTH(ne, a != b)
BOTH(lt, a < b)
BOTH(le, a <= b)
BOTH(gt, a > b)
BOTH(ge, a >= b)
BOTH(max, a > b ? a : b)
BOTH(min, a < b ? a : b)
BOTH(not, !a)
INTS(and, (*r = a & b, true))
INTS(or, (*r = a | b, true))
FLOATS(div, a / b)
FLOATS(floordiv, floor(a / b))
FLOATS(mod, a - b * floor(a / b))
FLOATS(pow, pow(a, b))
FLOATS(sqrt, sqrt(a))
FLOATS(trunc, trunc(a))
FLOATS(floor, floor(a))
FLOATS(ceil, ceil(a))
static bool div_ints(int64_t a, int64_t b, int64_t *r)
{
  return b != 0; /* the quotient is a float */
}

static bool floordiv_ints(int64_t a, int64_t b, int64_t *r)
{
  if (b == 0 || (a == INT64_MIN && b == -1))
    return false;
  *r = a / b - (a % b != 0 && (a < 0) != (b < 0));
  return true;
}

static bool mod_ints(int64_t a, int64_t b, int64_t *r)
{
  if (b == 0)
    return false;
  *r = b == -1 ? 0 : a % b;
  *r += *r != 0 && (*r < 0) != (b < 0) ? b : 0;
  return true;
}

static bool pow_ints(int64_t a, int64_t b, int64_t *r)
{
  *r = 1;
  for (; b > 0; b >>= 1) {
    if (b & 1 && __builtin_mul_overflow(*r, a, r))
      return false;
    if (b > 1 && __builtin_mul_overflow(a, a, &a))
      return false;
  }
  return b == 0;
}

static bool shift_ints(int64_t a, int64_t b, int64_t *r)
{
  if (b < 0 || b > 62)
    return false;
  return !__builtin_mul_overflow(a, (int64_t)1 << b, r);
}

static bool unshift_ints(int64_t a, int64_t b, int64_t *r)
{
  *r = a >> (b > 63 ? 63 : b);
  return b >= 0;
}

typedef struct Row {
  const char *target;
  int arity;
  Result result;
  bool (*ints)(int64_t a, int64_t b, int64_t *r);
  double (*floats)(double a, double b);
} Row;

static const Row rows[] = {
    {"_operator.add", 2, SAME, add_ints, add_floats},
    {"_operator.sub", 2, SAME, sub_ints, sub_floats},
    {"_operator.mul", 2, SAME, mul_ints, mul_floats},
    {"_operator.truediv", 2, FLOAT, div_ints, div_floats},
    {"_operator.floordiv", 2, SAME, floordiv_ints, floordiv_floats},
    {"_operator.mod", 2, SAME, mod_ints, mod_floats},
    {"_operator.pow", 2, SAME, pow_ints, pow_floats},
    {"_operator.lshift", 2, SAME, shift_ints, NULL},
    {"_operator.rshift", 2, SAME, unshift_ints, NULL},
    {"_operator.neg", 1, SAME, neg_ints, neg_floats},
    {"_operator.pos", 1, SAME, pos_ints, pos_floats},
    {"_operator.eq", 2, TRUTH, eq_ints, eq_floats},
    {"_operator.ne", 2, TRUTH, ne_ints, ne_floats},
    {"_operator.lt", 2, TRUTH, lt_ints, lt_floats},
    {"_operator.le", 2, TRUTH, le_ints, le_floats},
    {"_operator.gt", 2, TRUTH, gt_ints, gt_floats},
    {"_operator.ge", 2, TRUTH, ge_ints, ge_floats},
    {"_operator.and_", 2, SAME, and_ints, NULL},
    {"_operator.or_", 2, SAME, or_ints, NULL},
    {"torch.sym_not", 1, TRUTH, not_ints, not_floats},
    {"torch.sym_max", 2, SAME, max_ints, max_floats},
    {"torch.sym_min", 2, SAME, min_ints, min_floats},
    {"torch.sym_float", 1, FLOAT, pos_ints, pos_floats},
    {"torch.sym_int", 1, INTEGER, pos_ints, trunc_floats},
    {"torch.sym_sqrt", 1, FLOAT, pos_ints, sqrt_floats},
    {"torch._sym_sqrt", 1, FLOAT, pos_ints, sqrt_floats},
    {"math.trunc", 1, INTEGER, pos_ints, trunc_floats},
    {"math.floor", 1, INTEGER, pos_ints, floor_floats},
    {"math.ceil", 1, INTEGER, pos_ints, ceil_floats},
};

static double float_of(at_cell cell)
{
  return cell.kind == AT_CELL_FLOAT ? cell.is.number : (double)cell.is.integer;
}

static at_cell of_floats(const at_graphNode *node, const Row *row, double a, double b)
{
  if (!row->floats)
    at_nodeFails(node, "there is no such function of floats");
  if (b == 0 &&
      (row->floats == div_floats || row->floats == floordiv_floats || row->floats == mod_floats))
    at_nodeFails(node, "the divisor is 0");
  const double r = row->floats(a, b);
  if (row->result == SAME || row->result == FLOAT)
    return (at_cell){AT_CELL_FLOAT, {.number = r}};
  if (!(r >= -0x1p63 && r < 0x1p63))
    at_nodeFails(node, "%g is no integer of 64 bits", r);
  return (at_cell){row->result == TRUTH ? AT_CELL_BOOL : AT_CELL_INT, {.integer = (int64_t)r}};
}

static at_cell number_of(const at_frame *frame, const at_graphNode *node, int index)
{
  const at_given *const given = at_inputOf(node, NULL, index);
  const at_cell cell = given && given->kind == AT_GIVEN_NUMBER ? at_frame_get(frame, given->parts)
                                                               : (at_cell){AT_CELL_NONE, {0}};
  if (!at_isNumber(cell))
    at_nodeFails(node, "argument %d is no number", index);
  return cell;
}

static void compute(at_frame *frame, const at_graphNode *node)
{
  const Row *const row = node->how;
  const at_cell none = {AT_CELL_INT, {0}};
  const at_cell a = number_of(frame, node, 0),
                b = row->arity == 2 ? number_of(frame, node, 1) : none;
  at_cell r;
  if (a.kind == AT_CELL_FLOAT || b.kind == AT_CELL_FLOAT ||
      (row->ints == pow_ints && b.is.integer < 0)) {
    r = of_floats(node, row, float_of(a), float_of(b));
  } else {
    int64_t value = 0;
    if (!row->ints(a.is.integer, b.is.integer, &value))
      at_nodeFails(node, "there is no integer of 64 bits for %lld and %lld",
                   (long long)a.is.integer, (long long)b.is.integer);
    const bool isTruth = row->result == TRUTH ||
                         (row->floats == NULL && a.kind == AT_CELL_BOOL && b.kind == AT_CELL_BOOL);
    r = (at_cell){isTruth ? AT_CELL_BOOL : AT_CELL_INT, {.integer = value}};
    if (row->result == FLOAT)
      r = (at_cell){AT_CELL_FLOAT, {.number = row->floats(float_of(a), float_of(b))}};
  }
  at_frame_put(frame, node->outputs[0], r);
}

/* The second argument if the first is true, else the third. */
static void choose(at_frame *frame, const at_graphNode *node)
{
  const bool first = at_isTrueCell(number_of(frame, node, 0));
  at_frame_put(frame, node->outputs[0], number_of(frame, node, first ? 1 : 2));
}

bool at_resolveNumber(at_graphNode *node)
{
  if (node->outputCount != 1)
    return false;
  if (!strcmp(node->target, "torch.sym_ite"))
    node->compute = choose;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].target, node->target)) {
      node->compute = compute;
      node->how = &rows[i];
    }
  return node->compute != NULL;
}
