/* The functions of the CPU's types, compiled for CUDA. */
#define TH_TEMPLATE_DEVICE "ATen/cuda/ATenDevice.h"
#include "ATen/core/Functions.c"
