/* TH's template, compiled for the device: results of tensors. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "TH/loop/THTensorResult.c"
