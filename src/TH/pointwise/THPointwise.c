/* Properties of the rows of src/ops/pointwise.h, all but their expressions. */
#include "THPointwise.h"

#include "ops/each_type.h"

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

/* --- the kernels ------------------------------------------------------------------------------ */

#define ALL      TH_EACH_ALL
#define BUT_HALF TH_EACH_BUT_HALF
#define SIGNED   TH_EACH_SIGNED
#define INTEGER  TH_EACH_INTEGER
#define FLOAT    TH_EACH_FLOAT

#define DECLARE(Real, NAME) \
  extern const THPointwiseKernel *const TH##Real##Tensor_pointwise_##NAME[];
#define ENTRY(Real, NAME) [THScalar##Real] = TH##Real##Tensor_pointwise_##NAME,
#define ROW(TYPES, COST, NAME, ...) \
  TYPES(DECLARE, NAME)              \
  const THPointwiseKernels THPointwise_kernels_##NAME = {{TYPES(ENTRY, NAME)}};
#include "ops/pointwise.h"

THPointwiseKernel THPointwise_kernel(const THPointwiseKernels *row, THScalarType type)
{
  return row->of[type] ? *row->of[type][THCpu_level()] : NULL;
}

THPointwiseKernel THPointwise_row(THScalarType type, THPointwise op)
{
  static const THPointwiseKernels *const rows[TH_POINTWISE_ROWS] = {
#define ROW(TYPES, COST, NAME, ...) [TH_POINTWISE_##NAME] = &THPointwise_kernels_##NAME,
#include "ops/pointwise.h"
  };
  return THPointwise_kernel(rows[op], type);
}

/* ---------------------------------------------------------------------------------------------- */

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
