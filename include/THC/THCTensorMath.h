/* Mathematics on tensors in device memory. */
#ifndef THC_TENSOR_MATH_H
#define THC_TENSOR_MATH_H

#include "THCTensor.h"

#define THC_GENERIC_FILE "generic/THCTensorMath.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCTensorMathPairwise.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCTensorMathPointwise.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCTensorMathCompare.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCTensorMathCompareT.h"
#include "THCGenerateAllTypes.h"

#endif
