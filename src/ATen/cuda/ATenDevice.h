/* The names that core/Functions.c uses, defined for CUDA.  THTemplate.h includes this file.
 *
 * Element types have the names of THC, and functions take the state as their first argument. */
#ifndef ATEN_DEVICE_H
#define ATEN_DEVICE_H

#include "state.h"

#include "THC/THCTensorShape.h"
#include "THC/pointwise/THCHalfRow.h"
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
#define AT_MEMORY                at_cudaMemory_
#define OF_TYPE(RETURNS, NAME)   static RETURNS NAME
#define TENSOR                   THCTensor
#define CALL_TENSOR(NAME, ...)   THCTensor_(NAME)(AT_STATE, __VA_ARGS__)
#define CALL_STORAGE(NAME, ...)  THCStorage_(NAME)(AT_STATE, __VA_ARGS__)
#define COPY(Source, ...)        THCTensor_(copyCuda##Source)(AT_STATE, __VA_ARGS__)
#define WITH_STATE(HOST, DEVICE) DEVICE

/* Raises that THC has no such function. */
#define MISSING(NAME) at_missing(#NAME, TH_STRING_OF(Real))

#endif
