/* THNN's template, compiled for the device: checks. */
#define TH_TEMPLATE_DEVICE "THCUNN/layer/THCUNNDevice.h"
#include "THCUNNDevice.h"
#include "THNN/layer/PlaneLoop.c"
