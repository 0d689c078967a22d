/* THNN's template, compiled for the device: checks. */
#define TH_TEMPLATE_DEVICE "THCUNN/layer/THCUNNDevice.h"
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/loss/Classes.c"
