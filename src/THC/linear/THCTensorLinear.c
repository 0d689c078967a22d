/* TH's template, compiled for the device: products of vectors and matrices. */
#define TH_TEMPLATE_DEVICE "THC/linear/THCLinear.h"
#include "TH/linear/THTensorLinear.c"
