/* Kernels that convert from and to Bool and BFloat16. */
#include "conversions.h"

#include "TH.h"
#include "TH/core/THHalfBits.h"
#include "TH/core/THHalfRow.h"

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

#define KERNELS(TYPE, type, TRUE, VALUE, FROM_FLOAT)                            \
  KERNEL(bool_from_##TYPE, at_bool, type, TRUE)                                 \
  KERNEL(bfloat16_from_##TYPE, at_bfloat16, type, at_bfloat16_fromFloat(VALUE)) \
  static inline type from_float_##TYPE(float f)                                 \
  {                                                                             \
    return FROM_FLOAT;                                                          \
  }                                                                             \
  KERNEL(TYPE##_from_bfloat16, type, at_bfloat16, from_float_##TYPE(at_bfloat16_toFloat(x)))
AT_CONVERTED_TYPES(KERNELS)

/* Converts through a buffer of floats in the L1 cache, by vector instructions as far as they go.
 * Rows with gaps are converted element by element. */
static void half_from_bfloat16(const THRun *run, const void *unused)
{
  enum { L1_BLOCK = 256 }; /* elements */
  if (run->stride[0] != 1 || run->stride[1] != 1) {
    HALF_from_bfloat16(run, unused);
    return;
  }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    THHalf *const r = (THHalf *)run->at[0] + j * run->rowStride[0];
    const at_bfloat16 *const x = (const at_bfloat16 *)run->at[1] + j * run->rowStride[1];
    float wide[L1_BLOCK];
    for (ptrdiff_t i = 0; i < run->n; i += L1_BLOCK) {
      const ptrdiff_t m = THMin(L1_BLOCK, run->n - i);
      for (ptrdiff_t k = 0; k < m; k++)
        wide[k] = at_bfloat16_toFloat(x[i + k]);
      for (ptrdiff_t k = THHalfRow_fromFloat(r + i, wide, m); k < m; k++)
        r[i + k].x = THHalf_fromFloat(wide[k]);
    }
  }
}

KERNEL(bool_from_BFLOAT16, at_bool, at_bfloat16, AT_NONZERO_BITS(x))
KERNEL(bfloat16_from_BOOL, at_bfloat16, at_bool, at_bfloat16_fromFloat(x))

/* clang-format off */
const THKernel TH_LEVEL_(at_conversions)[AT_SCALAR_TYPES * AT_SCALAR_TYPES] = {
#define FROM(TYPE, ...)                                   \
  [AT_CONVERSION(AT_BOOL, AT_##TYPE)] = bool_from_##TYPE, \
  [AT_CONVERSION(AT_BFLOAT16, AT_##TYPE)] = bfloat16_from_##TYPE,
#define TO(TYPE, ...) [AT_CONVERSION(AT_##TYPE, AT_BFLOAT16)] = TYPE##_from_bfloat16,
    AT_CONVERTED_TYPES(FROM) AT_CONVERTED_NUMBERS(TO)
    [AT_CONVERSION(AT_HALF, AT_BFLOAT16)] = half_from_bfloat16,
    [AT_CONVERSION(AT_BOOL, AT_BFLOAT16)] = bool_from_BFLOAT16,
    [AT_CONVERSION(AT_BFLOAT16, AT_BOOL)] = bfloat16_from_BOOL,
};
/* clang-format on */
