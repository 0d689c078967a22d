/* THNN's template, compiled for the device: checks. */
#define TH_TEMPLATE_DEVICE "THCUNNDevice.h"
#include "THCUNNDevice.h"
#include "THNN/generic/THNNClasses.c"
