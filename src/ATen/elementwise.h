/* Kernels for what works element by element and TH has no row for: run->at[0] is the result, the
 * operands follow. */
#ifndef ATEN_ELEMENTWISE_H
#define ATEN_ELEMENTWISE_H

#include "THKernel.h"

typedef enum at_elementwise_name {
  /* The second operand where the first, of bytes, is not 0, else the third; by the size of their
   * elements. */
  AT_SELECT_1,
  AT_SELECT_2,
  AT_SELECT_4,
  AT_SELECT_8,
  AT_LERP_FLOAT, /* from the first to the second, the third being the weight */
  AT_LERP_DOUBLE,
  AT_IS_CLOSE,  /* bytes: whether the second is near the first; the scalars are an at_closeness */
  AT_POLYGAMMA, /* of doubles; the scalar is the order, a double of 2 or more */
  AT_ELEMENTWISE
} at_elementwise_name;

typedef struct at_closeness {
  double relative, absolute;
  bool equalNaN;
} at_closeness;

extern const THKernel *at_elementwise;

#endif
