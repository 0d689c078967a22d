/* MULTIPLY_ADD(A, B, C) = A * B + C for vectors of TH_VECTOR bytes of the template's element type,
 * which may be any; rounded once where the level has fused multiply-add. */
#include "THSimd.h"

#if defined(TH_REAL_IS_FLOAT)
#define MULTIPLY_ADD THFloats_mulAdd
#elif defined(TH_REAL_IS_DOUBLE)
#define MULTIPLY_ADD THDoubles_mulAdd
#else
#define MULTIPLY_ADD(A, B, C) ((A) * (B) + (C))
#endif
