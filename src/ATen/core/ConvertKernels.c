/* Kernels that convert from and to Bool and BFloat16. */
#include "conversions.h"

#include "TH.h"
#include "TH/core/THHalfBits.h"

#define AT_ELEMENT static inline
#include "conversionElements.h"

typedef uint8_t at_bool;

/* r[i * dr] is computed from x[i * dx]. */
typedef void (*Row)(void *r, ptrdiff_t dr, const void *x, ptrdiff_t dx, ptrdiff_t n);

/* Calls a function for each row of a block, whose elements have these sizes. */
static inline __attribute__((always_inline)) void each_row(const THRun *run, Row row,
                                                           size_t resultSize, size_t size)
{
  const ptrdiff_t dr = run->stride[0], dx = run->stride[1];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    void *r = (char *)run->at[0] + j * run->rowStride[0] * (ptrdiff_t)resultSize;
    const void *x = (const char *)run->at[1] + j * run->rowStride[1] * (ptrdiff_t)size;
    if (dr == 1 && dx == 1)
      row(r, 1, x, 1, run->n);
    else
      row(r, dr, x, dx, run->n);
  }
}

#define ROW(NAME, R, X, EXPRESSION)                                                            \
  static inline                                                                                \
      __attribute__((always_inline)) void NAME##_row(void *to, ptrdiff_t dr, const void *from, \
                                                     ptrdiff_t dx, ptrdiff_t n)                \
  {                                                                                            \
    R *r = to;                                                                                 \
    for (ptrdiff_t i = 0; i < n; i++) {                                                        \
      const X x = ((const X *)from)[i * dx];                                                   \
      r[i * dr] = EXPRESSION;                                                                  \
    }                                                                                          \
  }

#define KERNEL(NAME, R, X, EXPRESSION)                   \
  ROW(NAME, R, X, EXPRESSION)                            \
  static void NAME(const THRun *run, const void *unused) \
  {                                                      \
    each_row(run, NAME##_row, sizeof(R), sizeof(X));     \
  }

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
