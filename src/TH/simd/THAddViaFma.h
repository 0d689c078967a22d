/* a + b of doubles, for loops that convert floats: as a fused multiply-add, since on some processors
 * the adders also convert (Zen 5: a conversion and an addition take 1.09 cycles, a conversion and
 * this 0.78).  a * 1 is exactly a, so that both round alike. */
#ifndef TH_ADD_VIA_FMA_H
#define TH_ADD_VIA_FMA_H

#include "THSimd.h"

TH_SIMD THDoubles THAddViaFma(THDoubles a, THDoubles b)
{
#if TH_VECTOR == 64
  return THDoubles_mulAdd(a, THDoubles_all(1), b);
#else
  return a + b;
#endif
}

#endif
