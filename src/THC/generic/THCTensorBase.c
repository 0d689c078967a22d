/* TH's template, compiled for the device: making, sharing and resizing tensors. */
#define TH_TEMPLATE_DEVICE "THCDevice.h"
#include "TH/generic/THTensor.c"
