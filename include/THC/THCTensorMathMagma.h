/* LAPACK's functions for matrices on devices. */
#ifndef THC_TENSOR_MATH_MAGMA_H
#define THC_TENSOR_MATH_MAGMA_H

#include "THCTensor.h"

#define THC_GENERIC_FILE "generic/THCTensorMathMagma.h"
#include "THCGenerateAllTypes.h"

#endif
