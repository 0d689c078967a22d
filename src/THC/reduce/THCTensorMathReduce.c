/* Reductions: TH's template, compiled for the device, and the public functions around it. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorReduce.h"

#include "THC/core/THCCalls.h"

#include "TH/reduce/THTensorReduce.c"

/* --- the public functions -------------------------------------------------------------------- */

#define REDUCE THC_DEFINE_CALL
#ifdef TH_REAL_IS_FLOATING
#define FLOAT_REDUCE THC_DEFINE_CALL
#endif
#include "THCReduceCalls.h"

#ifdef TH_REAL_IS_BYTE

int THCudaByteTensor_logicalall(THCState *state, THCudaByteTensor *self)
{
  THC_enter(state);
  THC_CHECK_TENSORS(1, self);
  return THTensor_(logicalall)(self);
}

int THCudaByteTensor_logicalany(THCState *state, THCudaByteTensor *self)
{
  THC_enter(state);
  THC_CHECK_TENSORS(1, self);
  return THTensor_(logicalany)(self);
}

#endif
