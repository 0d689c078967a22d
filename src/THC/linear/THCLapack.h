/* TH's templates of LAPACK (THTensorSolve.c, THTensorDecompose.c) on the device: cuSOLVER in place
 * of LAPACK's functions, with their signatures, and kernels for the steps on elements.  Works are
 * on the device, sizes and info on the host: functions that find out something about values wait for
 * info; the status of the others (getrs, potrs, geqrf, orgqr, ormqr) could tell of wrong arguments alone. */
#ifndef THC_LAPACK_H
#define THC_LAPACK_H

#include "THC/core/THCDevice.h"

#include <float.h>

#include "TH/linear/THBlasLibrary.h"
#include "THLapack.h"
#include "THCSolver.h"

#undef THLapack_
#define THLapack_(NAME) TH_CONCAT_4(TH, CReal, DeviceLapack_, NAME)

/* Pivots are on the device too. */
#define THIntTensor            THCudaIntTensor
#define THIntTensor_work       THCudaIntDevice_work
#define THIntTensor_workVector THCudaIntDevice_workVector

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define THC_PARAMETER(KIND, NAME)   THC_PARAMETER_##KIND(NAME),
#define THC_PARAMETER_Z(KIND, NAME) THC_PARAMETER_##KIND(NAME)
#define THC_PARAMETER_letter(NAME)  char NAME
#define THC_PARAMETER_size(NAME)    int NAME
#define THC_PARAMETER_value(NAME)   real NAME
#define THC_PARAMETER_reals(NAME)   real *NAME
#define THC_PARAMETER_ints(NAME)    int *NAME
#define THC_LAPACK_PROTOTYPE(NAME, LETTERS) \
  void THLapack_(NAME)(TH_FORTRAN_##NAME(THC_PARAMETER, THC_PARAMETER_Z));
TH_FOR_EACH_LAPACK_FUNCTION(THC_LAPACK_PROTOTYPE)
#undef THC_LAPACK_PROTOTYPE
#endif

#endif
