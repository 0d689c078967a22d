/* a + b of eight doubles, for loops that convert floats: by the units that multiply, since on some
 * processors those that add convert, too (Zen 5: a conversion and an addition take 1.09 cycles, a
 * conversion and this 0.78).  a * 1 is a, so that both round alike. */
#ifndef TH_SUM_EIGHT_H
#define TH_SUM_EIGHT_H

#if defined(__AVX512F__)
#include <immintrin.h>

static inline __attribute__((always_inline)) __m512d THAddViaFma(__m512d a, __m512d b)
{
  return _mm512_fmadd_pd(a, _mm512_set1_pd(1), b);
}
#endif

#endif
