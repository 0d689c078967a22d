/* take and put: TH's template, compiled for the device. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorIndex.h"

#include "THC/core/THCCalls.h"
#include "THCIndexCalls.h"

#include "TH/index/THTensorTake.c"

THC_PLACE_CALLS(THC_DEFINE_CALL)
