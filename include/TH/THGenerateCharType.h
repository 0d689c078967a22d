/* Includes TH_GENERIC_FILE once, with Char as the element type. */
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including THGenerateCharType.h"
#endif

#include "types/Char.h"
#include TH_GENERIC_FILE
#include "types/undefine.h"

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
