/* Layers and losses of neural networks on a GPU, with the interface of THNN.
 *
 *     THNN_CudaTanh_updateOutput(state, input, output);
 *     THNN_CudaTanh_updateGradInput(state, gradOutput, gradInput, output);
 *
 * What is said in THNN.h holds here: shapes, strides and aliases of results, errors that show
 * shapes and leave every argument as it was.  All tensors are on the current device.  Of Half, sums
 * are kept in float.  Only losses of classes wait, for whether their targets are classes. */
#ifndef THCUNN_H
#define THCUNN_H

#include <stdbool.h>

#include <THC/THC.h>

/* THNN_(name) is the function of the current element type; THNN.h defines the same macro for the CPU's. */
#undef THNN_
#define THNN_(NAME) TH_CONCAT_3(THNN_, CReal, NAME)

#define THCIndexTensor        THCudaLongTensor
#define THCIndexTensor_(NAME) TH_CONCAT_2(THCudaLongTensor_, NAME)
typedef int64_t THCIndex_t;

struct THNNGroups;

#define THC_GENERIC_FILE "THCUNN/generic/THCUNN.h"
#include <THC/THCGenerateFloatTypes.h>

#endif
