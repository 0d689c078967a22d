/* TH's template, compiled for the device: views of tensors. */
#define TH_TEMPLATE_DEVICE "THCDevice.h"
#include "TH/generic/THTensorView.c"
