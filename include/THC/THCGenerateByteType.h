/* Includes THC_GENERIC_FILE once, with CudaByte as the element type. */
#ifndef THC_GENERIC_FILE
#error "define THC_GENERIC_FILE before including THCGenerateByteType.h"
#endif

#include "types/Byte.h"
#include THC_GENERIC_FILE
#include "types/undefine.h"

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
