/* Includes TH_GENERIC_FILE once per integer type: Byte Char Short Int Long. */
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including THGenerateIntTypes.h"
#endif

#ifndef THGenerateManyTypes
#define THGenerateManyTypes
#define THGenerateIntTypes_OUTERMOST
#endif

#include "THGenerateByteType.h"
#include "THGenerateCharType.h"
#include "THGenerateShortType.h"
#include "THGenerateIntType.h"
#include "THGenerateLongType.h"

#ifdef THGenerateIntTypes_OUTERMOST
#undef THGenerateIntTypes_OUTERMOST
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
