/* Includes THC_GENERIC_FILE once per type: Byte Char Short Int Long Half Float Double. */
#ifndef THC_GENERIC_FILE
#error "define THC_GENERIC_FILE before including THCGenerateAllTypes.h"
#endif

/* A small number for each type; only while this file is read. */
#define THCTypeIdx_(T)   TH_CONCAT_2(THCTypeIdx, T)
#define THCTypeIdxByte   1
#define THCTypeIdxChar   2
#define THCTypeIdxShort  3
#define THCTypeIdxInt    4
#define THCTypeIdxLong   5
#define THCTypeIdxFloat  6
#define THCTypeIdxDouble 7
#define THCTypeIdxHalf   8

#ifndef THCGenerateManyTypes
#define THCGenerateManyTypes
#define THCGenerateAllTypes_OUTERMOST
#endif

#include "THCGenerateByteType.h"
#include "THCGenerateCharType.h"
#include "THCGenerateShortType.h"
#include "THCGenerateIntType.h"
#include "THCGenerateLongType.h"
#include "THCGenerateHalfType.h"
#include "THCGenerateFloatType.h"
#include "THCGenerateDoubleType.h"

#ifdef THCGenerateAllTypes_OUTERMOST
#undef THCGenerateAllTypes_OUTERMOST
#undef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif

#undef THCTypeIdx_
#undef THCTypeIdxByte
#undef THCTypeIdxChar
#undef THCTypeIdxShort
#undef THCTypeIdxInt
#undef THCTypeIdxLong
#undef THCTypeIdxFloat
#undef THCTypeIdxDouble
#undef THCTypeIdxHalf
