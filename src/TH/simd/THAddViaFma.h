/* a + b of eight doubles, for loops that convert floats: as a fused multiply-add, since on some
 * processors the adders also convert (Zen 5: a conversion and an addition take 1.09 cycles, a
 * conversion and this 0.78).  a * 1 is exactly a, so that both round alike. */
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
