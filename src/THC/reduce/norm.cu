/* Kernels of dist (differences) and renorm. */
#include "THC/core/thc_template.h"

#include "THC/walk/thc_map.h"

#ifdef TH_REAL_IS_HALF
#define LOAD(x)  THC_halfToFloat(x)
#define STORE(x) THC_floatToHalf(x)
#else
#define LOAD(x)  (x)
#define STORE(x) ((real)(x))
#endif

#define MAP(NAME, ...)   THC_MAP(NAME, __VA_ARGS__)
#define ELEMENT_OF(NAME) TH_CONCAT_2(NAME, _element)

#define DIFFERENCE THC_NAME(THCDifference_)
#define RENORM     THC_NAME(THCRenorm_)

THC_DEVICE real ELEMENT_OF(DIFFERENCE)(const THCNothing *, real a, real b)
{
  return STORE(LOAD(a) - LOAD(b));
}
MAP(DIFFERENCE, real, THCNothing, real, real)

/* Scales an element of a slice with this norm so that the slice's norm is at most *most. */
THC_DEVICE real ELEMENT_OF(RENORM)(const accreal *most, real x, real norm)
{
  const accreal n = LOAD(norm);
  return n > *most ? STORE(LOAD(x) * (*most / (n + (accreal)1e-7))) : x;
}
MAP(RENORM, real, accreal, real, real)
