/* Properties of the rows of src/ops/pointwise.h, all but their expressions. */
#include "THPointwise.h"

#define INFO(NAME, COST, ...) [TH_POINTWISE_##NAME] = {.name = #NAME, .cost = COST, __VA_ARGS__},
#define ONE(AT)               .inputs = 1, .argument = {AT}, .input = {"t"}
#define TWO(AT)               .inputs = 2, .argument = {2, AT}, .input = {"t", "src"}

/* clang-format off */
#define FILL(TYPES, COST, NAME, ...)             INFO(NAME, COST, .scalar = 2)
#define UNARY(TYPES, COST, NAME, ...)            INFO(NAME, COST, ONE(2))
#define SCALAR(TYPES, COST, NAME, ...)           INFO(NAME, COST, ONE(2), .scalar = 3)
#define SCALARS(TYPES, COST, NAME, ...)          INFO(NAME, COST, ONE(2), .scalar = 3)
#define BASE(TYPES, COST, NAME, ...)             INFO(NAME, COST, ONE(3), .scalar = 2)
#define ORDER(TYPES, COST, NAME, ...)            INFO(NAME, COST, ONE(3), .scalar = 2)
#define BINARY(TYPES, COST, NAME, ...)           INFO(NAME, COST, TWO(3))
#define SCALED(TYPES, COST, NAME, ...)           INFO(NAME, COST, TWO(4), .scalar = 3)
#define WEIGHTED(TYPES, COST, NAME, ...)         \
  INFO(NAME, COST, .inputs = 2, .argument = {2, 3}, .input = {"a", "b"}, .scalar = 4)
#define TERNARY(TYPES, COST, NAME, ...)          \
  INFO(NAME, COST, .inputs = 3, .argument = {2, 4, 5}, .input = {"t", "src1", "src2"}, .scalar = 3)
#define COMPARE_VALUE(TYPES, COST, NAME, ...)    INFO(NAME, COST, ONE(2), .scalar = 3, .bytes = 1)
#define COMPARE_VALUE_T(TYPES, COST, NAME, ...)  INFO(NAME, COST, ONE(2), .scalar = 3)
#define COMPARE_TENSOR(TYPES, COST, NAME, ...)   \
  INFO(NAME, COST, .inputs = 2, .argument = {2, 3}, .input = {"ta", "tb"}, .bytes = 1)
#define COMPARE_TENSOR_T(TYPES, COST, NAME, ...) \
  INFO(NAME, COST, .inputs = 2, .argument = {2, 3}, .input = {"ta", "tb"})
/* clang-format on */

const THPointwiseInfo THPointwise_info[TH_POINTWISE_ROWS] = {
#include "ops/pointwise.h"
};

THPointwiseRow THPointwise_row(THScalarType type, THPointwise op)
{
  const THPointwiseRow *const tables[THScalarTypes] = {
#define TABLE(Real, real, accreal) [THScalar##Real] = TH##Real##Tensor_pointwise,
      TH_FOR_EACH_TYPE_BUT_HALF(TABLE)};
  return tables[type] ? tables[type][op] : NULL;
}

/* Not for powers, which have shortcuts for some exponents. */
THPointwise THPointwise_ofValue(THPointwise op)
{
  switch (op) {
#define OF_VALUE(ROW, VALUE) \
  case TH_POINTWISE_##ROW:   \
    return TH_POINTWISE_##VALUE;
#define COMPARISON_OF_VALUE(NAME)     \
  OF_VALUE(NAME##Tensor, NAME##Value) \
  OF_VALUE(NAME##TensorT, NAME##ValueT)
    OF_VALUE(cadd, add_scaled)
    OF_VALUE(csub, sub_scaled)
    OF_VALUE(cmul, mul)
    OF_VALUE(cdiv, div)
    OF_VALUE(clshift, lshift)
    OF_VALUE(crshift, rshift)
    OF_VALUE(cbitand, bitand)
    OF_VALUE(cbitor, bitor)
    OF_VALUE(cbitxor, bitxor)
    OF_VALUE(cmax, cmaxValue)
    OF_VALUE(cmin, cminValue)
    COMPARISON_OF_VALUE(lt)
    COMPARISON_OF_VALUE(le)
    COMPARISON_OF_VALUE(gt)
    COMPARISON_OF_VALUE(ge)
    COMPARISON_OF_VALUE(eq)
    COMPARISON_OF_VALUE(ne)
    default:
      return op;
  }
}

/* Each thread should have some 10 microseconds of work. */
ptrdiff_t THPointwise_grain(THPointwise op)
{
  switch (THPointwise_info[op].cost) {
    case COSTLY:
      return TH_LOOP_GRAIN / 4;
    case SLOW:
      return TH_LOOP_GRAIN / 64;
    default:
      return TH_LOOP_GRAIN;
  }
}
