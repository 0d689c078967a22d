/* Kernels of the layers and losses that compute element by element. */
#include "THNNTemplate.h"

#if defined(TH_REAL_IS_FLOAT)
#define MATH(NAME) NAME##f
#else
#define MATH(NAME) NAME
#endif

/* A row of the table becomes functions of one element, which these loops take as constants. */
#define LOOP static inline __attribute__((always_inline)) void

typedef real (*Of1)(real x, real a, real b);
typedef real (*Of2)(real x, real y, real a, real b);

/* r = f(x) */
LOOP map1(const THRun *run, const void *scalars, Of1 f)
{
  const THNN_(Scalars) *s = scalars;
  const real a = s->a, b = s->b;
  const ptrdiff_t dr = run->step[0], dx = run->step[1];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    const real *x = (const real *)run->at[1] + j * run->jump[1];
    if (dr == 1 && dx == 1) {
#pragma omp simd
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i] = f(x[i], a, b);
    } else {
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] = f(x[i * dx], a, b);
    }
  }
}

/* r = f(x, y) */
LOOP map2(const THRun *run, const void *scalars, Of2 f)
{
  const THNN_(Scalars) *s = scalars;
  const real a = s->a, b = s->b;
  const ptrdiff_t dr = run->step[0], dx = run->step[1], dy = run->step[2];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    const real *x = (const real *)run->at[1] + j * run->jump[1];
    const real *y = (const real *)run->at[2] + j * run->jump[2];
    if (dr == 1 && dx == 1 && dy == 1) {
#pragma omp simd
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i] = f(x[i], y[i], a, b);
    } else {
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] = f(x[i * dx], y[i * dy], a, b);
    }
  }
}

/* r = scale * g * f(x, y) */
LOOP map3(const THRun *run, const void *scalars, Of2 f)
{
  const THNN_(Scalars) *s = scalars;
  const real a = s->a, b = s->b, scale = s->scale;
  const ptrdiff_t dr = run->step[0], dg = run->step[1], dx = run->step[2], dy = run->step[3];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    const real *g = (const real *)run->at[1] + j * run->jump[1];
    const real *x = (const real *)run->at[2] + j * run->jump[2];
    const real *y = (const real *)run->at[3] + j * run->jump[3];
    if (dr == 1 && dg == 0 && dx == 1 && dy == 1) {
      const real factor = scale * *g;
#pragma omp simd
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i] = factor * f(x[i], y[i], a, b);
    } else {
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] = scale * g[i * dg] * f(x[i * dx], y[i * dy], a, b);
    }
  }
}

static inline __attribute__((always_inline)) accreal sum2(ptrdiff_t n, const real *x, const real *y,
                                                          const THNN_(Scalars) * s, Of2 f)
{
  const real a = s->a, b = s->b;
  accreal sum = 0;
#pragma omp simd reduction(+ : sum)
  for (ptrdiff_t i = 0; i < n; i++)
    sum += (accreal)f(x[i], y[i], a, b);
  return sum;
}

/* --- the tables ------------------------------------------------------------------------------ */

#define ACTIVATION(Name, FORWARD, GRADIENT)                                        \
  static inline real Name##_y(real x, real a TH_UNUSED, real b TH_UNUSED)          \
  {                                                                                \
    return FORWARD;                                                                \
  }                                                                                \
  static inline real Name##_dx(real g, real v, real a TH_UNUSED, real b TH_UNUSED) \
  {                                                                                \
    return GRADIENT;                                                               \
  }                                                                                \
  static void Name##_forward(const THRun *run, const void *scalars)                \
  {                                                                                \
    map1(run, scalars, Name##_y);                                                  \
  }                                                                                \
  static void Name##_gradient(const THRun *run, const void *scalars)               \
  {                                                                                \
    map2(run, scalars, Name##_dx);                                                 \
  }
TH_FOR_EACH_ACTIVATION(ACTIVATION)

#define LOSS(Name, FORWARD, GRADIENT)                                              \
  static inline real Name##_y(real x, real t, real a TH_UNUSED, real b TH_UNUSED)  \
  {                                                                                \
    return FORWARD;                                                                \
  }                                                                                \
  static inline real Name##_dx(real x, real t, real a TH_UNUSED, real b TH_UNUSED) \
  {                                                                                \
    return GRADIENT;                                                               \
  }                                                                                \
  static void Name##_forward(const THRun *run, const void *scalars)                \
  {                                                                                \
    map2(run, scalars, Name##_y);                                                  \
  }                                                                                \
  static void Name##_gradient(const THRun *run, const void *scalars)               \
  {                                                                                \
    map3(run, scalars, Name##_dx);                                                 \
  }                                                                                \
  static accreal Name##_sum(ptrdiff_t n, const real *x, const real *t,             \
                            const THNN_(Scalars) * scalars)                        \
  {                                                                                \
    return sum2(n, x, t, scalars, Name##_y);                                       \
  }
TH_FOR_EACH_LOSS(LOSS)

#define ACTIVATION_ENTRY(Name, FORWARD, GRADIENT) {Name##_forward, Name##_gradient},
const THNN_(Activation)
    TH_LEVEL_(THNN_(activations))[] = {TH_FOR_EACH_ACTIVATION(ACTIVATION_ENTRY)};

#define LOSS_ENTRY(Name, FORWARD, GRADIENT) {Name##_forward, Name##_gradient, Name##_sum},
const THNN_(Loss) TH_LEVEL_(THNN_(losses))[] = {TH_FOR_EACH_LOSS(LOSS_ENTRY)};
