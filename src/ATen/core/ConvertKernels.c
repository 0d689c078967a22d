/* Kernels that convert from and to Bool and BFloat16. */
#include "conversions.h"

#include "TH.h"
#include "TH/core/THHalfBits.h"
#include "TH/loop/THRunElements.h"

#define AT_ELEMENT static inline
#include "conversionElements.h"

typedef uint8_t at_bool;

#define KERNEL(NAME, R, X, EXPRESSION) \
  TH_ELEMENT_KERNEL(NAME, R, TH_READ_X(X), EXPRESSION, sizeof(X))

#define TRUTH(TYPE, type, TRUE, ...) KERNEL(bool_from_##TYPE, at_bool, type, TRUE)
AT_CONVERTED_TYPES(TRUTH)

KERNEL(bfloat16_from_FLOAT, at_bfloat16, float, at_bfloat16_fromFloat(x))
KERNEL(FLOAT_from_bfloat16, float, at_bfloat16, at_bfloat16_toFloat(x))
KERNEL(bool_from_BFLOAT16, at_bool, at_bfloat16, AT_NONZERO_BITS(x))
KERNEL(bfloat16_from_BOOL, at_bfloat16, at_bool, at_bfloat16_fromFloat(x))

const THKernel TH_LEVEL_(at_conversions)[AT_SCALAR_TYPES * AT_SCALAR_TYPES] = {
#define FROM(TYPE, ...) [AT_CONVERSION(AT_BOOL, AT_##TYPE)] = bool_from_##TYPE,
    AT_CONVERTED_TYPES(FROM)[AT_CONVERSION(AT_BFLOAT16, AT_FLOAT)] = bfloat16_from_FLOAT,
    [AT_CONVERSION(AT_FLOAT, AT_BFLOAT16)] = FLOAT_from_bfloat16,
    [AT_CONVERSION(AT_BOOL, AT_BFLOAT16)] = bool_from_BFLOAT16,
    [AT_CONVERSION(AT_BFLOAT16, AT_BOOL)] = bfloat16_from_BOOL,
};
