/* The kernels of elementwise.h. */
#include <math.h>

#include "ATenType.h"
#include "TH.h"
#include "TH/random/THDirichlet.h"

#define AT_ELEMENT static inline
#include "ATen/complex/unsignedElements.h"
#include "ATen/functions/gammaElements.h"
#include "ATen/functions/gcdElement.h"

#include "elementwise.h"

#define INLINE static inline __attribute__((always_inline))

/* n elements of a row, with these strides. */
typedef void (*Row)(void *const *at, ptrdiff_t n, ptrdiff_t dr, ptrdiff_t dx, ptrdiff_t dy,
                    ptrdiff_t dz);

/* Calls a function for each row of a block, whose elements have these sizes. */
INLINE void each_row(const THRun *run, Row row, const size_t *sizes)
{
  const ptrdiff_t *step = run->stride;
  const int contiguous = step[0] == 1 && step[1] == 1 && step[2] == 1 && step[3] == 1;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    void *at[4];
    for (int k = 0; k < 4; k++)
      at[k] = (char *)run->at[k] + j * run->rowStride[k] * (ptrdiff_t)sizes[k];
    if (contiguous)
      row(at, run->n, 1, 1, 1, 1);
    else
      row(at, run->n, step[0], step[1], step[2], step[3]);
  }
}

#define ELEMENT(NAME, R, X, Y, Z, EXPRESSION)   \
  static inline R NAME##_element(X x, Y y, Z z) \
  {                                             \
    return EXPRESSION;                          \
  }

#define ROW(NAME, R, X, Y, Z)                                                                    \
  INLINE void NAME##_row(void *const *at, ptrdiff_t n, ptrdiff_t dr, ptrdiff_t dx, ptrdiff_t dy, \
                         ptrdiff_t dz)                                                           \
  {                                                                                              \
    R *r = at[0];                                                                                \
    const X *x = at[1];                                                                          \
    const Y *y = at[2];                                                                          \
    const Z *z = at[3];                                                                          \
    for (ptrdiff_t i = 0; i < n; i++)                                                            \
      r[i * dr] = NAME##_element(x[i * dx], y[i * dy], z[i * dz]);                               \
  }

#define KERNEL(NAME, R, X, Y, Z, EXPRESSION)                             \
  ELEMENT(NAME, R, X, Y, Z, EXPRESSION)                                  \
  ROW(NAME, R, X, Y, Z)                                                  \
  static void NAME(const THRun *run, const void *unused)                 \
  {                                                                      \
    const size_t sizes[] = {sizeof(R), sizeof(X), sizeof(Y), sizeof(Z)}; \
    each_row(run, NAME##_row, sizes);                                    \
  }

KERNEL(select_1, uint8_t, uint8_t, uint8_t, uint8_t, x ? y : z)
KERNEL(select_2, uint16_t, uint8_t, uint16_t, uint16_t, x ? y : z)
KERNEL(select_4, uint32_t, uint8_t, uint32_t, uint32_t, x ? y : z)
KERNEL(select_8, uint64_t, uint8_t, uint64_t, uint64_t, x ? y : z)

/* An element of ComplexDouble. */
typedef struct {
  uint64_t parts[2];
} Pair;
KERNEL(select_16, Pair, uint8_t, Pair, Pair, x ? y : z)

/* Interpolates from the nearer end, so that a weight of 1 gives y exactly. */
#define LERP(ABS) ABS(z) < 0.5f ? x + z *(y - x) : y - (y - x) * (1 - z)
KERNEL(lerp_float, float, float, float, float, LERP(fabsf))
KERNEL(lerp_double, double, double, double, double, LERP(fabs))

static void is_close(const THRun *run, const void *scalars)
{
  const at_closeness *c = scalars;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    uint8_t *r = (uint8_t *)run->at[0] + j * run->rowStride[0];
    const double *at1 = (const double *)run->at[1] + j * run->rowStride[1];
    const double *at2 = (const double *)run->at[2] + j * run->rowStride[2];
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const double x = at1[i * run->stride[1]], y = at2[i * run->stride[2]];
      const double difference = fabs(x - y);
      r[i * run->stride[0]] =
          x == y || (difference < INFINITY && difference <= c->absolute + fabs(c->relative * y)) ||
          (c->equalNaN && x != x && y != y);
    }
  }
}

static void polygamma(const THRun *run, const void *scalars)
{
  const double n = *(const double *)scalars;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    double *r = (double *)run->at[0] + j * run->rowStride[0];
    const double *x = (const double *)run->at[1] + j * run->rowStride[1];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->stride[0]] = at_polygammaElement(n, x[i * run->stride[1]]);
  }
}

static void gamma_gradient(const THRun *run, const void *unused)
{
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    double *r = (double *)run->at[0] + j * run->rowStride[0];
    const double *a = (const double *)run->at[1] + j * run->rowStride[1];
    const double *x = (const double *)run->at[2] + j * run->rowStride[2];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->stride[0]] = at_gammaSlope(a[i * run->stride[1]], x[i * run->stride[2]]);
  }
}

static void gcd(const THRun *run, const void *unused)
{
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    int64_t *r = (int64_t *)run->at[0] + j * run->rowStride[0];
    const int64_t *x = (const int64_t *)run->at[1] + j * run->rowStride[1];
    const int64_t *y = (const int64_t *)run->at[2] + j * run->rowStride[2];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->stride[0]] = at_gcdElement(x[i * run->stride[1]], y[i * run->stride[2]]);
  }
}

KERNEL(dirichlet_gradient, double, double, double, double, TH_dirichletSlope(x, y, z))

#define CONVERTED(NAME, R, X, EXPRESSION) \
  static inline R NAME##_element(X x)     \
  {                                       \
    return (R)(EXPRESSION);               \
  }
#define CONVERSION(NAME, R, X, EXPRESSION)                             \
  CONVERTED(NAME, R, X, EXPRESSION)                                    \
  static void NAME(const THRun *run, const void *unused)               \
  {                                                                    \
    for (ptrdiff_t j = 0; j < run->rows; j++) {                        \
      R *r = (R *)run->at[0] + j * run->rowStride[0];                  \
      const X *x = (const X *)run->at[1] + j * run->rowStride[1];      \
      for (ptrdiff_t i = 0; i < run->n; i++)                           \
        r[i * run->stride[0]] = NAME##_element(x[i * run->stride[1]]); \
    }                                                                  \
  }
CONVERSION(long_of_uint16, int64_t, uint16_t, x)
CONVERSION(long_of_uint32, int64_t, uint32_t, x)
CONVERSION(double_of_uint64, double, uint64_t, x)
CONVERSION(cut_of_uint64, double, uint64_t, at_unsignedCut(x))
CONVERSION(uint64_of_double, uint64_t, double, at_unsignedWhole(x))

#define TABLE(NAME, name) const THKernel TH_LEVEL_(at_levels_##name)[] = {name};
AT_ELEMENTWISE_KERNELS(TABLE)
