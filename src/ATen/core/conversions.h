/* The kernels that convert from and to the element types that TH does not have: they convert
 * run->at[1] to run->at[0]. */
#ifndef ATEN_CONVERSIONS_H
#define ATEN_CONVERSIONS_H

#include <string.h>

#include "ATen/ATenType.h"
#include "THKernel.h"

/* The kernel for a result and a source type is at AT_CONVERSION(result, source); it is NULL where TH converts, and
 * where BFloat16 is converted through Float. */
#define AT_CONVERSION(RESULT, SOURCE) ((RESULT) * AT_SCALAR_TYPES + (SOURCE))
extern const THKernel *const at_conversions[];

/* The kernel for any two types on the CPU, also those that TH converts. */
THKernel at_conversion(const at_type *result, const at_type *source);

/* The upper half of a float. */
typedef struct at_bfloat16 {
  uint16_t x;
} at_bfloat16;

static inline float at_bfloat16_toFloat(at_bfloat16 b)
{
  const uint32_t bits = (uint32_t)b.x << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* Rounds to nearest, ties to even; all NaNs become the same NaN. */
static inline at_bfloat16 at_bfloat16_fromFloat(float f)
{
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  at_bfloat16 b;
  b.x = (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded);
  return b;
}

#endif
