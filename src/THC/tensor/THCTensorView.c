/* TH's template, compiled for the device: views of tensors. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "TH/tensor/THTensorView.c"
