/* The pointwise operations, one row each: KIND(types, cost, name, expression).
 *
 * In an expression x, y and z are elements of the inputs, a and b the scalars, all of type real.
 * Arithmetic is C's, which computes integers narrower than int in int; the result is converted to
 * real, integers wrapping around.  THMath_(name) is the function of that name for the element type,
 * which takes elements; an argument that may be wider needs a function that says so.  The including
 * file defines the expansion of a row, ROW(types, cost, name, expression), or of single kinds of
 * rows; the definitions are forgotten at its end.
 *
 *   kind             function                                     in the expression
 *   FILL             f(r, value)                                  a
 *   UNARY            f(r, t)                                      x
 *   SCALAR           f(r, t, value)                               x, a
 *   SCALARS          f(r, t, value1, value2)                      x, a, b
 *   BASE             f(r, value, t)                               x, a
 *   ORDER            f(r, int64_t n, t)                           x, a
 *   BINARY           f(r, t, src)                                 x, y
 *   SCALED           f(r, t, value, src)                          x, a, y
 *   WEIGHTED         f(r, a, b, weight)                           x, y, a
 *   TERNARY          f(r, t, value, src1, src2)                   x, a, y, z
 *   COMPARISON       fValue(r, t, value), fTensor(r, t, src)      x, y; r of Byte,
 *                    fValueT, fTensorT                            or of the element type
 *
 * types   ALL; FLOAT; SIGNED (all but Byte and Char); INTEGER (for floating types there is a
 *         function that raises); BUT_HALF (for Half there is one that raises, where Half has
 *         functions).
 * cost    CHEAP, as fast as memory; COSTLY, some 20 instructions or more; SLOW, a call for each
 *         element.  DIVIDES: cheap, and a divisor of 0 (the last input, else the scalar) is an
 *         error for integers.
 *
 * SHORTCUT1 and SHORTCUT2(types, name, condition, expression) add to a row of one or two inputs a
 * faster expression for blocks in which every element meets the condition; others are computed
 * by it as well, and then again. */

#ifndef ROW
#define ROW(...)
#endif
#ifndef FILL
#define FILL ROW
#endif
#ifndef UNARY
#define UNARY ROW
#endif
#ifndef SCALAR
#define SCALAR ROW
#endif
#ifndef SCALARS
#define SCALARS ROW
#endif
#ifndef BASE
#define BASE ROW
#endif
#ifndef ORDER
#define ORDER ROW
#endif
#ifndef BINARY
#define BINARY ROW
#endif
#ifndef SCALED
#define SCALED ROW
#endif
#ifndef WEIGHTED
#define WEIGHTED ROW
#endif
#ifndef TERNARY
#define TERNARY ROW
#endif
#ifndef COMPARE_VALUE
#define COMPARE_VALUE ROW
#endif
#ifndef COMPARE_VALUE_T
#define COMPARE_VALUE_T ROW
#endif
#ifndef COMPARE_TENSOR
#define COMPARE_TENSOR ROW
#endif
#ifndef COMPARE_TENSOR_T
#define COMPARE_TENSOR_T ROW
#endif
#ifndef SHORTCUT1
#define SHORTCUT1(...)
#endif
#ifndef SHORTCUT2
#define SHORTCUT2(...)
#endif
#define COMPARISON(TYPES, COST, NAME, ...)                \
  COMPARE_VALUE(TYPES, COST, NAME##Value, __VA_ARGS__)    \
  COMPARE_VALUE_T(TYPES, COST, NAME##ValueT, __VA_ARGS__) \
  COMPARE_TENSOR(TYPES, COST, NAME##Tensor, __VA_ARGS__)  \
  COMPARE_TENSOR_T(TYPES, COST, NAME##TensorT, __VA_ARGS__)

/* clang-format off */

FILL(ALL, CHEAP, fill, a)

/* --- one input ------------------------------------------------------------------------------- */

UNARY(ALL,    CHEAP,  neg,      -x)
UNARY(SIGNED, CHEAP,  abs,      THMath_(abs)(x))
UNARY(ALL,    CHEAP,  sign,     (x > 0) - (x < 0))
UNARY(FLOAT,  CHEAP,  cinv,     1 / x)
UNARY(FLOAT,  CHEAP,  sqrt,     THMath_(sqrt)(x))
UNARY(FLOAT,  CHEAP,  rsqrt,    THMath_(rsqrt)(x))
UNARY(FLOAT,  CHEAP,  ceil,     THMath_(ceil)(x))
UNARY(FLOAT,  CHEAP,  floor,    THMath_(floor)(x))
UNARY(FLOAT,  CHEAP,  round,    THMath_(nearest)(x))
UNARY(FLOAT,  CHEAP,  trunc,    THMath_(trunc)(x))
UNARY(FLOAT,  CHEAP,  frac,     THMath_(frac)(x))
UNARY(FLOAT,  COSTLY, exp,      THMath_(exp)(x))
UNARY(FLOAT,  COSTLY, expm1,    THMath_(expm1)(x))
UNARY(FLOAT,  COSTLY, log,      THMath_(log)(x))
UNARY(FLOAT,  COSTLY, log1p,    THMath_(log1p)(x))
UNARY(FLOAT,  COSTLY, sigmoid,  THMath_(sigmoid)(x))
UNARY(FLOAT,  COSTLY, tanh,     THMath_(tanh)(x))
UNARY(FLOAT,  COSTLY, sinh,     THMath_(sinh)(x))
UNARY(FLOAT,  COSTLY, cosh,     THMath_(cosh)(x))
UNARY(FLOAT,  COSTLY, sin,      THMath_(sin)(x))
UNARY(FLOAT,  COSTLY, cos,      THMath_(cos)(x))
UNARY(FLOAT,  COSTLY, tan,      THMath_(tan)(x))
UNARY(FLOAT,  COSTLY, asin,     THMath_(asin)(x))
UNARY(FLOAT,  COSTLY, acos,     THMath_(acos)(x))
UNARY(FLOAT,  COSTLY, atan,     THMath_(atan)(x))
UNARY(FLOAT,  COSTLY, erf,      THMath_(erf)(x))
UNARY(FLOAT,  SLOW,   erfinv,   THMath_(erfinv)(x))
UNARY(FLOAT,  SLOW,   lgamma,   THMath_(lgamma)(x))
UNARY(FLOAT,  SLOW,   digamma,  THMath_(digamma)(x))
UNARY(FLOAT,  SLOW,   trigamma, THMath_(trigamma)(x))
ORDER(FLOAT,  SLOW,   polygamma, THMath_(polygamma)(a, x))

/* --- an input and scalars -------------------------------------------------------------------- */

SCALAR(ALL,     CHEAP,   add,       x + a)
SCALAR(ALL,     CHEAP,   sub,       x - a)
SCALARS(ALL,    CHEAP,   add_scaled, x + a * b)
SCALARS(ALL,    CHEAP,   sub_scaled, x - a * b)
SCALAR(ALL,     CHEAP,   mul,       x * a)
SCALAR(ALL,     DIVIDES, div,       THMath_(divide)(x, a))
SCALAR(ALL,     DIVIDES, fmod,      THMath_(fmod)(x, a))
SCALAR(ALL,     DIVIDES, remainder, THMath_(remainder)(x, a))
SCALAR(BUT_HALF, CHEAP,   lshift,    THMath_(lshift)(x, a))
SCALAR(BUT_HALF, CHEAP,   rshift,    THMath_(rshift)(x, a))
SCALAR(INTEGER, CHEAP,   bitand,    x & a)
SCALAR(INTEGER, CHEAP,   bitor,     x | a)
SCALAR(INTEGER, CHEAP,   bitxor,    x ^ a)
SCALAR(ALL,     CHEAP,   cmaxValue, THMath_(max)(x, a))
SCALAR(ALL,     CHEAP,   cminValue, THMath_(min)(x, a))
SCALARS(ALL,    CHEAP,   clamp,     THMath_(min)(THMath_(max)(x, a), b))
SCALAR(FLOAT,   COSTLY,  pow,       THMath_(pow)(x, a))
BASE(FLOAT,     COSTLY,  tpow,      THMath_(pow)(a, x))

/* --- two inputs ------------------------------------------------------------------------------ */

SCALED(ALL,     CHEAP,   cadd,       x + a * y)
SCALED(ALL,     CHEAP,   csub,       x - a * y)
BINARY(ALL,     CHEAP,   cmul,       x * y)
BINARY(ALL,     DIVIDES, cdiv,       THMath_(divide)(x, y))
BINARY(ALL,     COSTLY,  cpow,       THMath_(pow)(x, y))
BINARY(ALL,     DIVIDES, cfmod,      THMath_(fmod)(x, y))
BINARY(ALL,     DIVIDES, cremainder, THMath_(remainder)(x, y))
BINARY(BUT_HALF, CHEAP,   clshift,    THMath_(lshift)(x, y))
BINARY(BUT_HALF, CHEAP,   crshift,    THMath_(rshift)(x, y))
BINARY(INTEGER, CHEAP,   cbitand,    x & y)
BINARY(INTEGER, CHEAP,   cbitor,     x | y)
BINARY(INTEGER, CHEAP,   cbitxor,    x ^ y)
BINARY(ALL,     CHEAP,   cmax,       THMath_(max)(x, y))
BINARY(ALL,     CHEAP,   cmin,       THMath_(min)(x, y))
BINARY(FLOAT,   COSTLY,  atan2,      THMath_(atan2)(x, y))
WEIGHTED(FLOAT, CHEAP,   lerp,       THMath_(lerp)(x, y, a))

/* --- three inputs ---------------------------------------------------------------------------- */

TERNARY(ALL, CHEAP,   addcmul, x + a * y * z)
TERNARY(ALL, DIVIDES, addcdiv, x + THMath_(divideProduct)(a * y, z))

/* --- comparisons ----------------------------------------------------------------------------- */

COMPARISON(ALL, CHEAP, lt, x < y)
COMPARISON(ALL, CHEAP, le, x <= y)
COMPARISON(ALL, CHEAP, gt, x > y)
COMPARISON(ALL, CHEAP, ge, x >= y)
COMPARISON(ALL, CHEAP, ne, x != y)
COMPARISON(ALL, CHEAP, eq, x == y)

/* --- shortcuts ------------------------------------------------------------------------------- */

SHORTCUT1(FLOAT, exp,        THMath_(isModest)(x),    THMath_(expModest)(x))
SHORTCUT1(FLOAT, sin,        THMath_(isNear)(x),     THMath_(sinNear)(x))
SHORTCUT1(FLOAT, cos,        THMath_(isNear)(x),     THMath_(cosNear)(x))
SHORTCUT1(FLOAT, tan,        THMath_(isNear)(x),     THMath_(tanNear)(x))
SHORTCUT1(FLOAT, fmod,       THMath_(areNear)(x, a), THMath_(fmodNear)(x, a))
SHORTCUT1(FLOAT, remainder,  THMath_(areNear)(x, a), THMath_(remainderNear)(x, a))
SHORTCUT2(FLOAT, cfmod,      THMath_(areNear)(x, y), THMath_(fmodNear)(x, y))
SHORTCUT2(FLOAT, cremainder, THMath_(areNear)(x, y), THMath_(remainderNear)(x, y))

/* clang-format on */

#undef ROW
#undef FILL
#undef UNARY
#undef SCALAR
#undef SCALARS
#undef BASE
#undef ORDER
#undef BINARY
#undef SCALED
#undef WEIGHTED
#undef TERNARY
#undef COMPARISON
#undef COMPARE_VALUE
#undef COMPARE_VALUE_T
#undef COMPARE_TENSOR
#undef COMPARE_TENSOR_T
#undef SHORTCUT1
#undef SHORTCUT2
