/* What generic/Functions.c means when it is compiled for CUDA: THTemplate.h reads this file.
 *
 * The names of element types are those of THC, and functions get the state in front. */
#ifndef ATEN_DEVICE_H
#define ATEN_DEVICE_H

#include "state.h"

#include "THC/THCTensorShape.h"
#include "THCUNN/THCUNN.h"

#include "THC/THCTemplate.h"

#if defined(THC_REAL_IS_BYTE)
#define TH_REAL_IS_BYTE
#elif defined(THC_REAL_IS_CHAR)
#define TH_REAL_IS_CHAR
#elif defined(THC_REAL_IS_FLOAT)
#define TH_REAL_IS_FLOAT
#elif defined(THC_REAL_IS_DOUBLE)
#define TH_REAL_IS_DOUBLE
#elif defined(THC_REAL_IS_HALF)
#define TH_REAL_IS_HALF
#endif

#define AT_DEVICE
#define AT_STATE                 at_cudaState
#define AT_FUNCTIONS             at_cudaFunctions_
#define TENSOR                   THCTensor
#define CALL_TENSOR(NAME, ...)   THCTensor_(NAME)(AT_STATE, __VA_ARGS__)
#define CALL_STORAGE(NAME, ...)  THCStorage_(NAME)(AT_STATE, __VA_ARGS__)
#define COPY(Source, ...)        THCTensor_(copyCuda##Source)(AT_STATE, __VA_ARGS__)
#define WITH_STATE(HOST, DEVICE) DEVICE

/* A function that is not there. */
#define MISSING(NAME) at_missing(#NAME, TH_STRING_OF(Real))

#endif
