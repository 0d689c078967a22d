/* Includes TH_GENERIC_FILE once per floating type: Float Double. */
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including THGenerateFloatTypes.h"
#endif

#ifndef THGenerateManyTypes
#define THGenerateManyTypes
#define THGenerateFloatTypes_OUTERMOST
#endif

#include "THGenerateFloatType.h"
#include "THGenerateDoubleType.h"

#ifdef THGenerateFloatTypes_OUTERMOST
#undef THGenerateFloatTypes_OUTERMOST
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
