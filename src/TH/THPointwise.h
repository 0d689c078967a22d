/* The kernels of src/ops/pointwise.h: one enumerator a row, and a table of kernels per type. */
#ifndef TH_POINTWISE_H
#define TH_POINTWISE_H

#include "THKernel.h"
#include "THTypes.h"

/* clang-format off */
#define TH_OP(TYPES, NAME, ...) TH_POINTWISE_##NAME,
#define FILL TH_OP
#define UNARY TH_OP
#define SCALAR TH_OP
#define SCALAR_DIVIDES TH_OP
#define SCALAR_BITS TH_OP
#define SCALAR2 TH_OP
#define SCALAR_FIRST TH_OP
#define BINARY TH_OP
#define BINARY_DIVIDES TH_OP
#define BINARY_BITS TH_OP
#define BINARY_SCALED TH_OP
#define BINARY_WEIGHTED TH_OP
#define TERNARY_SCALED TH_OP
#define TERNARY_SCALED_DIVIDES TH_OP
#define COMPARE(TYPES, NAME, ...) \
  TH_POINTWISE_##NAME##Value, TH_POINTWISE_##NAME##ValueT, \
  TH_POINTWISE_##NAME##Tensor, TH_POINTWISE_##NAME##TensorT,

/* The same for every type; rows that a type does not have are NULL in its table. */
typedef enum THPointwise {
#include "ops/pointwise.h"
  TH_POINTWISE_ROWS
} THPointwise;
#undef TH_OP
/* clang-format on */

/* The scalars that a kernel of type Real takes: real[2], a and b. */
#define TH_DECLARE(Real, real, accreal) extern const THKernel *TH##Real##Tensor_pointwise;
TH_FOR_EACH_TYPE_BUT_HALF(TH_DECLARE)
#undef TH_DECLARE

#endif
