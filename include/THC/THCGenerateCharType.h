/* Includes THC_GENERIC_FILE once, with CudaChar as the element type. */
#ifndef THC_GENERIC_FILE
#error "define THC_GENERIC_FILE before including THCGenerateCharType.h"
#endif

#include "types/Char.h"
#include THC_GENERIC_FILE
#include "types/undefine.h"

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
