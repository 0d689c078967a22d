/* Factorisations, eigenvalues and singular values: TH's template, compiled for the device. */
#define TH_TEMPLATE_DEVICE "THC/linear/THCLapack.h"
#include "THTemplate.h"

#include "THC/core/THCCalls.h"
#include "THCTensorMathMagma.h"

#include "TH/linear/THTensorDecompose.c"

#define DECOMPOSE THC_DEFINE_CALL
#include "THCLapackCalls.h"
