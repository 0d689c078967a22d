/* The kernels of src/ops/updates.h: loops over adjacent elements. */
#include <math.h>

#include "THTemplate.h"

#include "update.h"

#ifdef TH_REAL_IS_FLOAT
#define AT_SQRT sqrtf
#define AT_ABS  fabsf
#else
#define AT_SQRT sqrt
#define AT_ABS  fabs
#endif

#define STATES_0(DO)
#define STATES_1(DO) DO(0)
#define STATES_2(DO) STATES_1(DO) DO(1)
#define STATES_3(DO) STATES_2(DO) DO(2)
#define OPEN(K)      real *const at##K = (real *)at[2 + K];
#define LOAD(K)      real s##K = at##K[i];
#define STORE(K)     at##K[i] = s##K;

/* The numbers of a step as the elements' type. */
#define NUMBERS                                                                              \
  const real sign = (real)k->sign, shrink = (real)k->shrink, decay = (real)k->decay;         \
  TH_UNUSED const real rate = (real)k->rate, a = (real)k->a, b = (real)k->b, c = (real)k->c; \
  TH_UNUSED const real d = (real)k->d, e = (real)k->e, f = (real)k->f;

/* What all rows begin with. */
#define ELEMENT             \
  TH_UNUSED real y;         \
  real x = shrink * atX[i]; \
  TH_UNUSED const real g = sign * atG[i] + (decay != 0 ? decay * x : 0);

#define UPDATE(NAME, STATES, ...)                                               \
  static void NAME##_update(ptrdiff_t n, char *const *at, const at_numbers *k)  \
  {                                                                             \
    NUMBERS real *const atX = (real *)at[0], *const atG = (real *)at[1];        \
    STATES_##STATES(OPEN) TH_PRAGMA(omp simd) for (ptrdiff_t i = 0; i < n; i++) \
    {                                                                           \
      ELEMENT STATES_##STATES(LOAD) __VA_ARGS__;                                \
      atX[i] = x;                                                               \
      STATES_##STATES(STORE)                                                    \
    }                                                                           \
  }
#include "ops/updates.h"

#define UPDATE(NAME, ...) [AT_UPDATE_##NAME] = NAME##_update,
const at_update TH_LEVEL_(TH_CONCAT_2(at_updates, Real))[AT_UPDATE_COUNT] = {
#include "ops/updates.h"
};
