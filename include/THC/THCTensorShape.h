/* Tensors with sizes of 0, as THTensorShape.h has them. */
#ifndef THC_TENSOR_SHAPE_H
#define THC_TENSOR_SHAPE_H

#include "THCTensor.h"

#define THC_GENERIC_FILE "generic/THCTensorShape.h"
#include "THCGenerateAllTypes.h"

#endif
