/* Systems of equations and inverses: TH's template, compiled for the device. */
#define TH_TEMPLATE_DEVICE "THC/linear/THCLapack.h"
#include "THTemplate.h"

#include "THC/core/THCCalls.h"
#include "THCLapackCalls.h"
#include "THCTensorMathMagma.h"

#include "TH/linear/THTensorSolve.c"

THC_SOLVE_CALLS(THC_DEFINE_CALL)
