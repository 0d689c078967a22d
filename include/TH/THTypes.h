/* The element types.  This is the one list: enums, tables, stubs and tests grow from it. */
#ifndef TH_TYPES_H
#define TH_TYPES_H

#include <stdint.h>

#include "THHalf.h"

/* X(Real, real, accreal): the part of the name, the C type of an element, the type of its sums.
 * The build reads the names from these lines, one type a line. */
#define TH_FOR_EACH_TYPE_BUT_HALF(X) \
  X(Byte, uint8_t, int64_t)          \
  X(Char, TH_CHAR, int64_t)          \
  X(Short, int16_t, int64_t)         \
  X(Int, int32_t, int64_t)           \
  X(Long, int64_t, int64_t)          \
  X(Float, float, double)            \
  X(Double, double, double)

#define TH_FOR_EACH_TYPE(X)    \
  TH_FOR_EACH_TYPE_BUT_HALF(X) \
  X(Half, THHalf, float)

typedef enum THScalarType {
#define TH_ENUMERATOR(Real, real, accreal) THScalar##Real,
  TH_FOR_EACH_TYPE(TH_ENUMERATOR)
#undef TH_ENUMERATOR
      THScalarTypes
} THScalarType;

#endif
