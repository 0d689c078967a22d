/* The functions of the CPU's types, compiled for CUDA. */
#define TH_TEMPLATE_DEVICE "cuda/ATenDevice.h"
#include "ATen/generic/Functions.c"
