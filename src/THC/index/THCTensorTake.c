/* take and put: TH's template, compiled for the device. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorIndex.h"

#include "THC/core/THCCalls.h"

#include "TH/index/THTensorTake.c"

#define POSITION THC_DEFINE_CALL
#include "THCIndexCalls.h"
