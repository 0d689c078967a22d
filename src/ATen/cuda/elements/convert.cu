/* Kernels that convert from and to BFloat16. */
#include "THC/core/thc_cuda.h"

#include "THC/walk/thc_map.h"

#include "ATen/ATenType.h"
#include "THHalf.h"
#include "THKernel.h"

/* The CPU's functions, compiled for the device too. */
#define inline inline __host__ __device__
#include "ATen/core/conversions.h"
#include "TH/core/THHalfBits.h"
#undef inline
#define AT_ELEMENT THC_DEVICE
#include "ATen/core/conversionElements.h"

/* clang-format off */
#define KERNELS(TYPE, type, TRUE, VALUE, FROM_FLOAT)                                              \
  THC_DEVICE at_bfloat16 at_cuda_bfloat16_from_##TYPE##_element(const THCNothing *, type x)       \
  { return at_bfloat16_fromFloat(VALUE); }                                                        \
  THC_MAP(at_cuda_bfloat16_from_##TYPE, at_bfloat16, THCNothing, type) TO(TYPE, type, FROM_FLOAT)
#define TO(TYPE, type, FROM_FLOAT)                                                          \
  THC_DEVICE type at_cuda_##TYPE##_from_bfloat16_element(const THCNothing *, at_bfloat16 x) \
  { const float f = at_bfloat16_toFloat(x); return FROM_FLOAT; }                            \
  THC_MAP(at_cuda_##TYPE##_from_bfloat16, type, THCNothing, at_bfloat16)
/* clang-format on */
AT_CONVERTED_TYPES(KERNELS)
KERNELS(BOOL, uint8_t, AT_NONZERO(x), (float)x, f != 0)

#define ENTRY(TYPE, ...) {at_cuda_bfloat16_from_##TYPE, at_cuda_##TYPE##_from_bfloat16},
extern "C" const THCKernel at_cudaConversions[][2] = {AT_CONVERTED_TYPES(ENTRY) ENTRY(BOOL)};
static_assert(AT_BYTE == 0 && AT_CHAR == 1 && AT_SHORT == 2 && AT_INT == 3 && AT_LONG == 4 &&
                  AT_FLOAT == 5 && AT_DOUBLE == 6 && AT_HALF == 7 && AT_BOOL == 8,
              "the order of the table");
