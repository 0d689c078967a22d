/* Includes TH_GENERIC_FILE once, with Float as the element type. */
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including THGenerateFloatType.h"
#endif

#include "types/Float.h"
#include TH_GENERIC_FILE
#include "types/undefine.h"

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
