/* Systems of equations and inverses: TH's template, compiled for the device. */
#define TH_TEMPLATE_DEVICE "THC/linear/THCLapack.h"
#include "THTemplate.h"

#include "THC/core/THCCalls.h"
#include "THCTensorMathMagma.h"

#include "TH/linear/THTensorSolve.c"

#define SOLVE THC_DEFINE_CALL
#include "THCLapackCalls.h"
