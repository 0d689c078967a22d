/* TH's template, compiled for the device: products of vectors and matrices. */
#define TH_TEMPLATE_DEVICE "THCLinear.h"
#include "TH/generic/THTensorLinear.c"
