/* The kernels that copy and convert: run->at[0] of type Real becomes run->at[1] of another.  Each
 * type has a table of them, indexed by the source's THScalarType. */
#ifndef TH_CONVERT_H
#define TH_CONVERT_H

#include "THKernel.h"
#include "THTypes.h"

#define TH_DECLARE(Real, real, accreal) extern const THKernel *const TH##Real##Tensor_convert[];
TH_FOR_EACH_TYPE(TH_DECLARE)
#undef TH_DECLARE

TH_API THKernel THConvert_kernel(THScalarType result, THScalarType source);

#endif
