/* The kernels of src/ops/updates.h: loops over adjacent elements. */
#include <math.h>

#include "THVectorMath.h"

#include "THTemplate.h"

#include "update.h"

#ifdef TH_REAL_IS_FLOAT
#define AT_SQRT sqrtf
#define AT_ABS  fabsf
#else
#define AT_SQRT sqrt
#define AT_ABS  fabs
#endif

/* A parameter's element and those of its states. */
typedef struct {
  real x, s0, s1, s2;
} Element;

/* The element after a step; g is that of the gradient, and the numbers are those of the step. */
#define NUMBERS real rate, real a, real b, real c, real d, real e, real f
typedef Element Update(real x, real g, real s0, real s1, real s2, NUMBERS);

TH_MATH void update_all(ptrdiff_t n, char *const *at, const at_numbers *k, int states,
                        Update *update)
{
  real *const atX = (real *)at[0], *const atG = (real *)at[1];
  real *const at0 = states > 0 ? (real *)at[2] : NULL, *const at1 =
                                                           states > 1 ? (real *)at[3] : NULL;
  real *const at2 = states > 2 ? (real *)at[4] : NULL;
  const real sign = (real)k->sign, shrink = (real)k->shrink, decay = (real)k->decay;
  const real rate = (real)k->rate, a = (real)k->a, b = (real)k->b, c = (real)k->c;
  const real d = (real)k->d, e = (real)k->e, f = (real)k->f;
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++) {
    const real x = shrink * atX[i], g = sign * atG[i] + (decay != 0 ? decay * x : 0);
    const Element after = update(x, g, states > 0 ? at0[i] : 0, states > 1 ? at1[i] : 0,
                                 states > 2 ? at2[i] : 0, rate, a, b, c, d, e, f);
    atX[i] = after.x;
    if (states > 0)
      at0[i] = after.s0;
    if (states > 1)
      at1[i] = after.s1;
    if (states > 2)
      at2[i] = after.s2;
  }
}

/* clang-format off */
#define UPDATE(NAME, STATES, ...)                                                              \
  TH_MATH Element NAME##_element(real x, real g, real s0, real s1, real s2, NUMBERS)           \
  { TH_UNUSED real y; __VA_ARGS__; return (Element){x, s0, s1, s2}; }                          \
  static void NAME##_update(ptrdiff_t n, char *const *at, const at_numbers *k)                 \
  { update_all(n, at, k, STATES, NAME##_element); }
/* clang-format on */
#include "ops/updates.h"

#define UPDATE(NAME, ...) [AT_UPDATE_##NAME] = NAME##_update,
const at_update TH_LEVEL_(TH_CONCAT_2(at_updates, Real))[AT_UPDATE_COUNT] = {
#include "ops/updates.h"
};
