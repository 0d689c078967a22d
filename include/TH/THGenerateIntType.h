/* Includes TH_GENERIC_FILE once, with Int as the element type. */
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including THGenerateIntType.h"
#endif

#include "types/Int.h"
#include TH_GENERIC_FILE
#include "types/undefine.h"

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
