/* Kernels of elementwise operations that TH has no row for: run->at[0] is the result, and the
 * operands follow it. */
#ifndef ATEN_ELEMENTWISE_H
#define ATEN_ELEMENTWISE_H

#include "THKernel.h"

typedef enum at_elementwise_name {
  /* The second operand where the first, of bytes, is not 0, else the third.  The names say the
   * size of an element of the second and third. */
  AT_SELECT_1,
  AT_SELECT_2,
  AT_SELECT_4,
  AT_SELECT_8,
  AT_LERP_FLOAT, /* from the first to the second operand, by the weight in the third */
  AT_LERP_DOUBLE,
  AT_IS_CLOSE,       /* bytes: whether both operands are close; the scalars are an at_closeness */
  AT_POLYGAMMA,      /* of doubles; the scalar is the order, a double of 2 or more */
  AT_GCD,            /* of longs: the greatest common divisor */
  AT_GAMMA_GRADIENT, /* of doubles: of a sample, the second operand, by the parameter */
  AT_DIRICHLET_GRADIENT, /* of doubles: sample, parameter, sum of all parameters */
  AT_SELECT_16,          /* of pairs of doubles */
  AT_LONG_OF_UINT16,     /* conversions of unsigned integers */
  AT_LONG_OF_UINT32,
  AT_DOUBLE_OF_UINT64,
  AT_CUT_OF_UINT64, /* a double that rounds to narrower types as the integer does */
  AT_UINT64_OF_DOUBLE,
  AT_ELEMENTWISE
} at_elementwise_name;

typedef struct at_closeness {
  double relative, absolute;
  bool equalNaN;
} at_closeness;

extern const THKernel *const at_elementwise[];

#endif
