/* TH's template, compiled for the device: works of LAPACK's functions. */
#define TH_TEMPLATE_DEVICE "THC/linear/THCLapack.h"
#include "TH/linear/THTensorWork.c"
