/* Half precision on the device.  In C++ half is CUDA's type, in C it is TH's: two bytes either way.
 */
#ifndef THC_HALF_H
#define THC_HALF_H

#include "THCGeneral.h"

#define CUDA_HALF_TENSOR 1

#ifdef __cplusplus
#include <cuda_fp16.h>
#else
typedef THHalf half;
#endif

/* Converts len elements in device memory, on the current stream. */
THC_API void THCFloat2Half(THCState *state, half *out, float *in, ptrdiff_t len);
THC_API void THCHalf2Float(THCState *state, float *out, half *in, ptrdiff_t len);

/* One number, on the host. */
THC_API half THC_float2half(float a);
THC_API float THC_half2float(half a);

/* Whether the current device computes in half precision itself, and whether faster than in float.
 */
THC_API int THC_nativeHalfInstructions(THCState *state);
THC_API int THC_fastHalfInstructions(THCState *state);

#endif
