/* Reductions and cumulative sums on devices. */
#ifndef THC_TENSOR_REDUCE_H
#define THC_TENSOR_REDUCE_H

#include "THCTensor.h"

/* The type of arguments that are dimensions: int64_t in Torch7's interface, int in that of 2018. */
#ifdef TH_COMPAT_TORCH7
typedef int64_t THCDim;
#else
typedef int THCDim;
#endif

#define THC_GENERIC_FILE "generic/THCTensorMathReduce.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCTensorMathScan.h"
#include "THCGenerateAllTypes.h"

/* All elements (some element) are not 0; of no elements all are. */
THC_API int THCudaByteTensor_logicalall(THCState *state, THCudaByteTensor *self);
THC_API int THCudaByteTensor_logicalany(THCState *state, THCudaByteTensor *self);

#endif
