/* Products of tensors on a device. */
#ifndef THC_TENSOR_MATH_BLAS_H
#define THC_TENSOR_MATH_BLAS_H

#include "THCBlas.h"
#include "THCTensor.h"

#define THC_GENERIC_FILE "generic/THCTensorMathBlas.h"
#include "THCGenerateAllTypes.h"

#endif
