/* The kernels of elementwise.h on CUDA. */
#include <math.h>
#include <stdint.h>

#include "THC/pointwise/thc_math.h"

#include "THC/walk/thc_map.h"
#include "TH/random/THDirichlet.h"

#define AT_ELEMENT static __device__ inline
#include "ATen/complex/unsignedElements.h"
#include "ATen/functions/gammaElements.h"
#include "ATen/functions/gcdElement.h"

#include "ATen/ops/elementwise.h"

template <class T>
THC_DEVICE T selected(const THCNothing *, uint8_t x, T y, T z)
{
  return x ? y : z;
}
THC_MAP_OF(at_cuda_select_1, selected<uint8_t>, uint8_t, THCNothing, uint8_t, uint8_t, uint8_t)
THC_MAP_OF(at_cuda_select_2, selected<uint16_t>, uint16_t, THCNothing, uint8_t, uint16_t, uint16_t)
THC_MAP_OF(at_cuda_select_4, selected<uint32_t>, uint32_t, THCNothing, uint8_t, uint32_t, uint32_t)
THC_MAP_OF(at_cuda_select_8, selected<uint64_t>, uint64_t, THCNothing, uint8_t, uint64_t, uint64_t)
THC_MAP_OF(at_cuda_select_16, selected<double2>, double2, THCNothing, uint8_t, double2, double2)

/* Interpolates from the nearer end, so that a weight of 1 gives y exactly. */
template <class T>
THC_DEVICE T interpolated(const THCNothing *, T x, T y, T z)
{
  const T half = (T)0.5;
  return z > -half && z < half ? x + z * (y - x) : y - (y - x) * (1 - z);
}
THC_MAP_OF(at_cuda_lerp_float, interpolated<float>, float, THCNothing, float, float, float)
THC_MAP_OF(at_cuda_lerp_double, interpolated<double>, double, THCNothing, double, double, double)

THC_DEVICE uint8_t at_cuda_is_close_element(const at_closeness *c, double x, double y)
{
  const double difference = fabs(x - y);
  return x == y || (difference < INFINITY && difference <= c->absolute + fabs(c->relative * y)) ||
         (c->equalNaN && x != x && y != y);
}
THC_MAP(at_cuda_is_close, uint8_t, at_closeness, double, double)

THC_DEVICE double at_cuda_polygamma_element(const double *order, double x)
{
  return at_polygammaElement(*order, x);
}
THC_MAP(at_cuda_polygamma, double, double, double)

THC_DEVICE int64_t at_cuda_gcd_element(const THCNothing *, int64_t x, int64_t y)
{
  return at_gcdElement(x, y);
}
THC_MAP(at_cuda_gcd, int64_t, THCNothing, int64_t, int64_t)

THC_DEVICE double at_cuda_gamma_gradient_element(const THCNothing *, double a, double x)
{
  return at_gammaSlope(a, x);
}
THC_MAP(at_cuda_gamma_gradient, double, THCNothing, double, double)

THC_DEVICE double at_cuda_dirichlet_gradient_element(const THCNothing *, double x, double a,
                                                     double total)
{
  return TH_dirichletSlope(x, a, total);
}
THC_MAP(at_cuda_dirichlet_gradient, double, THCNothing, double, double, double)

/* clang-format off */
#define CONVERSION(NAME, R, X, EXPRESSION)                                                   \
  THC_DEVICE R at_cuda_##NAME##_element(const THCNothing *, X x) { return (R)(EXPRESSION); } \
  THC_MAP(at_cuda_##NAME, R, THCNothing, X)
/* clang-format on */
CONVERSION(long_of_uint16, int64_t, uint16_t, x)
CONVERSION(long_of_uint32, int64_t, uint32_t, x)
CONVERSION(double_of_uint64, double, uint64_t, x)
CONVERSION(cut_of_uint64, double, uint64_t, at_unsignedCut(x))
CONVERSION(uint64_of_double, uint64_t, double, at_unsignedWhole(x))

#define ENTRY(NAME, name) at_cuda_##name,
extern "C" const THCKernel at_cudaElementwise[AT_ELEMENTWISE] = {AT_ELEMENTWISE_KERNELS(ENTRY)};
