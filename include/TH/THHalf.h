/* IEEE 754 half precision: 16 bits that are stored and converted, never computed with directly. */
#ifndef TH_HALF_H
#define TH_HALF_H

#include "THMacros.h"

typedef struct __attribute__((aligned(2))) __THHalf {
  unsigned short x; /* sign, 5 bits of exponent, 10 of fraction */
} __THHalf;

typedef struct __attribute__((aligned(4))) __THHalf2 {
  unsigned int x; /* two halves, the first in the low bits */
} __THHalf2;

typedef __THHalf THHalf;
typedef __THHalf2 THHalf2;

#define TH_HALF_BITS_TO_LITERAL(n) {n}
#define TH_HALF_ZERO               0x0U
#define TH_HALF_INF                0x7C00U

/* The nearest half, ties to even; beyond 65519.99 infinity; NaN stays NaN.  (IEEE 754-2019, 5.4.2)
 */
TH_API THHalf TH_float2half(float value);
TH_API void TH_float2halfbits(float *source, unsigned short *bits);

/* Exact: every half is a float. */
TH_API float TH_half2float(THHalf value);
TH_API void TH_halfbits2float(unsigned short *bits, float *result);

#endif
