/* Sorting and selecting on devices. */
#ifndef THC_TENSOR_SORT_H
#define THC_TENSOR_SORT_H

#include "THCTensor.h"

#define THC_GENERIC_FILE "generic/THCTensorSort.h"
#include "THCGenerateAllTypes.h"

#endif
