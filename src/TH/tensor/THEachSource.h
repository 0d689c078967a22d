/* Includes the file TH_SOURCE_FILE once for each element type: a template within a template.  There
 * Source is the type's name and source its C type, SOURCE_(name) is name_Source, and THSource_(name)
 * of a tensor is THFloatTensor_name for Float. */
#ifndef TH_SOURCE_FILE
#error "define TH_SOURCE_FILE before including THEachSource.h"
#endif

#define SOURCE_(NAME)   TH_CONCAT_3(NAME, _, Source)
#define SourceTensor    TH_CONCAT_3(TH, Source, Tensor)
#define SourceStorage   TH_CONCAT_3(TH, Source, Storage)
#define THSource_(NAME) TH_CONCAT_4(TH, Source, Tensor_, NAME)
#define SOURCE_TYPE     TH_CONCAT_2(THScalar, Source)

#define Source Byte
#define source uint8_t
#include TH_SOURCE_FILE
#undef Source
#undef source

#define Source Char
#define source TH_CHAR
#include TH_SOURCE_FILE
#undef Source
#undef source

#define Source Short
#define source int16_t
#include TH_SOURCE_FILE
#undef Source
#undef source

#define Source Int
#define source int32_t
#include TH_SOURCE_FILE
#undef Source
#undef source

#define Source Long
#define source int64_t
#include TH_SOURCE_FILE
#undef Source
#undef source

#define Source Float
#define source float
#include TH_SOURCE_FILE
#undef Source
#undef source

#define Source Double
#define source double
#include TH_SOURCE_FILE
#undef Source
#undef source

#define Source Half
#define source THHalf
#include TH_SOURCE_FILE
#undef Source
#undef source

#undef SOURCE_
#undef SourceTensor
#undef SourceStorage
#undef THSource_
#undef SOURCE_TYPE
#undef TH_SOURCE_FILE
