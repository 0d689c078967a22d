/* TH's template, compiled for the device: results of tensors. */
#define TH_TEMPLATE_DEVICE "THCDevice.h"
#include "TH/generic/THTensorResult.c"
