/* Includes THC_GENERIC_FILE once per floating type: Half Float Double. */
#ifndef THC_GENERIC_FILE
#error "define THC_GENERIC_FILE before including THCGenerateFloatTypes.h"
#endif

#ifndef THCGenerateManyTypes
#define THCGenerateManyTypes
#define THCGenerateFloatTypes_OUTERMOST
#endif

#include "THCGenerateHalfType.h"
#include "THCGenerateFloatType.h"
#include "THCGenerateDoubleType.h"

#ifdef THCGenerateFloatTypes_OUTERMOST
#undef THCGenerateFloatTypes_OUTERMOST
#undef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
