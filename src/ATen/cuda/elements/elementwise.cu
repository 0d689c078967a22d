/* The kernels of elementwise.h on CUDA. */
#include <math.h>
#include <stdint.h>

#include "THC/pointwise/thc_math.h"

#include "THC/walk/thc_apply.h"
#include "TH/random/THDirichlet.h"

#define AT_ELEMENT static __device__ inline
#include "ATen/complex/unsignedElements.h"
#include "ATen/functions/gammaElements.h"
#include "ATen/functions/gcdElement.h"

#include "ATen/ops/elementwise.h"

#define SELECT(SIZE, TYPE)                                                                       \
  THC_DEVICE TYPE at_cuda_select_##SIZE##_element(const THCNothing *, uint8_t x, TYPE y, TYPE z) \
  {                                                                                              \
    return x ? y : z;                                                                            \
  }                                                                                              \
  THC_MAP(at_cuda_select_##SIZE, TYPE, THCNothing, uint8_t, TYPE, TYPE)
SELECT(1, uint8_t)
SELECT(2, uint16_t)
SELECT(4, uint32_t)
SELECT(8, uint64_t)
SELECT(16, double2)

/* Interpolates from the nearer end, so that a weight of 1 gives y exactly. */
#define LERP(TYPE, HALF)                                                                    \
  THC_DEVICE TYPE at_cuda_lerp_##TYPE##_element(const THCNothing *, TYPE x, TYPE y, TYPE z) \
  {                                                                                         \
    return z > -HALF && z < HALF ? x + z * (y - x) : y - (y - x) * (1 - z);                 \
  }                                                                                         \
  THC_MAP(at_cuda_lerp_##TYPE, TYPE, THCNothing, TYPE, TYPE, TYPE)
LERP(float, 0.5f)
LERP(double, 0.5)

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

#define CONVERSION(NAME, R, X, EXPRESSION)                       \
  THC_DEVICE R at_cuda_##NAME##_element(const THCNothing *, X x) \
  {                                                              \
    return (R)(EXPRESSION);                                      \
  }                                                              \
  THC_MAP(at_cuda_##NAME, R, THCNothing, X)
CONVERSION(long_of_uint16, int64_t, uint16_t, x)
CONVERSION(long_of_uint32, int64_t, uint32_t, x)
CONVERSION(double_of_uint64, double, uint64_t, x)
CONVERSION(cut_of_uint64, double, uint64_t, at_unsignedCut(x))
CONVERSION(uint64_of_double, uint64_t, double, at_unsignedWhole(x))

extern "C" const THCKernel at_cudaElementwise[AT_ELEMENTWISE] = {
    at_cuda_select_1,       at_cuda_select_2,           at_cuda_select_4,
    at_cuda_select_8,       at_cuda_lerp_float,         at_cuda_lerp_double,
    at_cuda_is_close,       at_cuda_polygamma,          at_cuda_gcd,
    at_cuda_gamma_gradient, at_cuda_dirichlet_gradient, at_cuda_select_16,
    at_cuda_long_of_uint16, at_cuda_long_of_uint32,     at_cuda_double_of_uint64,
    at_cuda_cut_of_uint64,  at_cuda_uint64_of_double,
};
