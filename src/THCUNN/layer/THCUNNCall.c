/* THNN's template, compiled for the device: the frame of a layer's function. */
#define TH_TEMPLATE_DEVICE "THCUNN/layer/THCUNNDevice.h"
#include "THCUNNDevice.h"
#include "THNN/layer/Call.c"
