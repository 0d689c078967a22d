/* Includes TH_GENERIC_FILE once per type but Half: Float Double Byte Char Short Int Long. */
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including THGenerateAllTypes.h"
#endif

#ifndef THGenerateManyTypes
#define THGenerateManyTypes
#define THGenerateAllTypes_OUTERMOST
#endif

#include "THGenerateFloatTypes.h"
#include "THGenerateIntTypes.h"

#ifdef THGenerateAllTypes_OUTERMOST
#undef THGenerateAllTypes_OUTERMOST
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
