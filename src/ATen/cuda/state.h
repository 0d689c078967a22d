/* Declarations shared by the files of libATenCUDA. */
#ifndef ATEN_CUDA_STATE_H
#define ATEN_CUDA_STATE_H

#include "ATen/core/ATenCore.h"
#include "ATen/cuda/kernels.h"
#include "THC/THC.h"

/* The state of THC, set by at_device's start. */
extern THCState *at_cudaState;

/* Raises: neither THC nor THCUNN has the function for that element type. */
TH_NO_RETURN void at_missing(const char *function, const char *type);

/* at_device's launch. */
void at_cudaLaunch(at_kernel kernel, THScalarType type, const void *work);

#define AT_DECLARE(Real, real, accreal)        \
  extern const at_memory at_cudaMemory_##Real; \
  extern const at_functions at_cudaFunctions_##Real;
TH_FOR_EACH_TYPE(AT_DECLARE)
#undef AT_DECLARE

#endif
