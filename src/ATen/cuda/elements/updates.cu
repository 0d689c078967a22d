/* The rows of src/ops/updates.h on CUDA: one pass over a parameter, its gradient and its states, which may have
 * gaps.  Half and BFloat16 are computed in float. */
#include <math.h>

#include "THC/core/thc_cuda.h"

#include "THC/core/thc_kernels.h"

#include "ATen/ATenType.h"
#include "ATen/optim/numbers.h"
#include "THHalf.h"
#include "ops/updates.h"

/* The CPU's functions, compiled for the device too. */
#define inline inline __host__ __device__
#include "ATen/core/conversions.h"
#undef inline

/* --- elements -------------------------------------------------------------------------------- */

THC_DEVICE float load(float x)
{
  return x;
}
THC_DEVICE double load(double x)
{
  return x;
}
THC_DEVICE float load(THHalf x)
{
  return THC_halfToFloat(x);
}
THC_DEVICE float load(at_bfloat16 x)
{
  return at_bfloat16_toFloat(x);
}
THC_DEVICE void store(float *to, float x)
{
  *to = x;
}
THC_DEVICE void store(double *to, double x)
{
  *to = x;
}
THC_DEVICE void store(THHalf *to, float x)
{
  *to = THC_floatToHalf(x);
}
THC_DEVICE void store(at_bfloat16 *to, float x)
{
  *to = at_bfloat16_fromFloat(x);
}

#define AT_SQRT(X) ((real)sqrt(X))
#define AT_ABS(X)  ((X) < 0 ? -(X) : (X))

/* --- rows ------------------------------------------------------------------------------------ */

namespace
{

/* The names that the assignments may use. */
#define NAMES                                                                      \
  TH_UNUSED const real rate = (real)k.rate, a = (real)k.a, b = (real)k.b;          \
  TH_UNUSED const real c = (real)k.c, d = (real)k.d, e = (real)k.e, f = (real)k.f; \
  TH_UNUSED real y = 0, s0 = s[0], s1 = s[1], s2 = s[2];

#define ROW(NAME, COUNT, ...)                                                       \
  struct NAME##_row {                                                               \
    enum { STATES = COUNT };                                                        \
    template <class real>                                                           \
    THC_DEVICE void change(real &x, TH_UNUSED real g, real *s, const at_numbers &k) \
    {                                                                               \
      NAMES __VA_ARGS__;                                                            \
      s[0] = s0, s[1] = s1, s[2] = s2;                                              \
    }                                                                               \
  };
AT_FOR_EACH_UPDATE(ROW)

template <class Row, class element, class real>
THC_DEVICE void change_all(const THCWalk &walk, const at_numbers &k)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2 + Row::STATES];
    THCWalk_offsets(walk, i, at);
    real x = (real)k.shrink * load(((element *)walk.flat.data[0])[at[0]]), s[3] = {};
    const real given = load(((const element *)walk.flat.data[1])[at[1]]);
    const real g = (real)k.sign * given + (k.decay != 0 ? (real)k.decay * x : (real)0);
    for (int j = 0; j < Row::STATES; j++)
      s[j] = load(((element *)walk.flat.data[2 + j])[at[2 + j]]);
    Row::change(x, g, s, k);
    store((element *)walk.flat.data[0] + at[0], x);
    for (int j = 0; j < Row::STATES; j++)
      store((element *)walk.flat.data[2 + j] + at[2 + j], s[j]);
  }
}

}  // namespace

/* --- kernels --------------------------------------------------------------------------------- */

#define KERNEL(NAME, TYPE, element, real)                                                         \
  __global__ static void NAME##_##TYPE##_kernel(THCWalk walk, at_numbers k)                       \
  {                                                                                               \
    change_all<NAME##_row, element, real>(walk, k);                                               \
  }                                                                                               \
  static void NAME##_##TYPE(const THCWalk *walk, const void *k, cudaStream_t stream)              \
  {                                                                                               \
    THC_LAUNCH(NAME##_##TYPE##_kernel, THC_blocks(walk->flat.count), THC_BLOCK, 0, stream, *walk, \
               *(const at_numbers *)k);                                                           \
  }
#define KERNELS(NAME, ...)             \
  KERNEL(NAME, Float, float, float)    \
  KERNEL(NAME, Double, double, double) \
  KERNEL(NAME, Half, THHalf, float)    \
  KERNEL(NAME, BFloat16, at_bfloat16, float)
AT_FOR_EACH_UPDATE(KERNELS)

/* In the order of AT_FLOAT, AT_DOUBLE, AT_HALF, AT_BFLOAT16. */
#define ENTRY(NAME, ...) {NAME##_Float, NAME##_Double, NAME##_Half, NAME##_BFloat16},
extern "C" const THCKernel at_cudaUpdates[][4] = {AT_FOR_EACH_UPDATE(ENTRY)};
