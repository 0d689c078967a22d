/* take and put: TH's template, compiled for the device. */
#define TH_TEMPLATE_DEVICE "THCDevice.h"
#include "THTemplate.h"

#include "THCTensorIndex.h"

#include "THCCalls.h"
#include "THCIndexCalls.h"

#include "TH/generic/THTensorTake.c"

THC_PLACE_CALLS(THC_DEFINE_CALL)
