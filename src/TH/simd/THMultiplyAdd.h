/* The elements and scalars of products, and MULTIPLY_ADD(A, B, C) = A * B + C for vectors of
 * TH_VECTOR bytes of the template's element type, which may be any; rounded once where the level has
 * fused multiply-add. */
#include "THSimd.h"

#if defined(TH_REAL_IS_FLOAT)
#define MULTIPLY_ADD THFloats_mulAdd
#elif defined(TH_REAL_IS_DOUBLE)
#define MULTIPLY_ADD THDoubles_mulAdd
#else
#define MULTIPLY_ADD(A, B, C) ((A) * (B) + (C))
#endif

/* Integers wrap around: vectors use the unsigned type of their width, scalars an unsigned type that
 * is not promoted to int. */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
typedef real element;
typedef real scalar;
#elif defined(TH_REAL_IS_LONG)
typedef uint64_t element;
typedef uint64_t scalar;
#else
typedef ureal element;
typedef uint32_t scalar;
#endif
