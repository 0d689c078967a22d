/* TH's template, compiled for the device: making, sharing and resizing tensors. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "TH/tensor/THTensor.c"
