/* Kernels of elementwise operations that TH has no row for: run->at[0] is the result, and the
 * operands follow it. */
#ifndef ATEN_ELEMENTWISE_H
#define ATEN_ELEMENTWISE_H

#include "THKernel.h"

/* X(the name of a device's kernel, that of the CPU's).  Sizes are those of an element. */
#define AT_ELEMENTWISE_KERNELS(X)                                                                  \
  X(SELECT_1,                                                                                      \
    select_1) /* the second operand where the first, of bytes, is not 0, else the third */         \
  X(SELECT_2, select_2)                                                                            \
  X(SELECT_4, select_4)                                                                            \
  X(SELECT_8, select_8)                                                                            \
  X(SELECT_16, select_16)                                                                          \
  X(LERP_FLOAT, lerp_float) /* from the first to the second operand, by the weight in the third */ \
  X(LERP_DOUBLE, lerp_double)                                                                      \
  X(IS_CLOSE, is_close)   /* bytes: whether both are close; the scalars are an at_closeness */     \
  X(POLYGAMMA, polygamma) /* of doubles; the scalar is the order, a double of 2 or more */         \
  X(GCD, gcd)             /* of longs: the greatest common divisor */                              \
  X(GAMMA_GRADIENT, gamma_gradient)         /* of doubles: of a sample, the second operand */      \
  X(DIRICHLET_GRADIENT, dirichlet_gradient) /* of doubles: sample, parameter, sum of parameters */ \
  X(LONG_OF_UINT16, long_of_uint16)         /* conversions of unsigned integers */                 \
  X(LONG_OF_UINT32, long_of_uint32)                                                                \
  X(DOUBLE_OF_UINT64, double_of_uint64)                                                            \
  X(CUT_OF_UINT64, cut_of_uint64) /* a double that rounds to narrower types as the integer does */ \
  X(UINT64_OF_DOUBLE, uint64_of_double)

typedef enum at_elementwise_name {
#define AT_NAME(NAME, name) AT_##NAME,
  AT_ELEMENTWISE_KERNELS(AT_NAME)
#undef AT_NAME
      AT_ELEMENTWISE
} at_elementwise_name;

/* A kernel on every device: at_each_gcd and so on, one object each, so that a static program has those that its
 * operations name. */
typedef struct at_elementwise {
  at_elementwise_name name;
  const THKernel *const *levels;
} at_elementwise;

#define AT_DECLARE(NAME, name) extern const at_elementwise at_each_##name;
AT_ELEMENTWISE_KERNELS(AT_DECLARE)
#undef AT_DECLARE

typedef struct at_closeness {
  double relative, absolute;
  bool equalNaN;
} at_closeness;

#endif
