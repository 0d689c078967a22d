/* The kernels of elementwise.h. */
#include <math.h>

#include "ATenType.h"
#include "TH.h"
#include "TH/loop/THRunElements.h"
#include "TH/random/THDirichlet.h"

#define AT_ELEMENT static inline
#include "ATen/complex/unsignedElements.h"
#include "ATen/functions/gammaElements.h"
#include "ATen/functions/gcdElement.h"

#include "elementwise.h"

#define KERNEL(NAME, R, X, Y, Z, EXPRESSION)                                                \
  TH_ELEMENT_KERNEL(NAME, R, TH_READ_X(X) TH_READ_Y(Y) TH_READ_Z(Z), EXPRESSION, sizeof(X), \
                    sizeof(Y), sizeof(Z))

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

#define CONVERSION(NAME, R, X, EXPRESSION) \
  TH_ELEMENT_KERNEL(NAME, R, TH_READ_X(X), (R)(EXPRESSION), sizeof(X))
CONVERSION(long_of_uint16, int64_t, uint16_t, x)
CONVERSION(long_of_uint32, int64_t, uint32_t, x)
CONVERSION(double_of_uint64, double, uint64_t, x)
CONVERSION(cut_of_uint64, double, uint64_t, at_unsignedCut(x))
CONVERSION(uint64_of_double, uint64_t, double, at_unsignedWhole(x))

#define TABLE(NAME, name) const THKernel TH_LEVEL_(at_levels_##name)[] = {name};
AT_ELEMENTWISE_KERNELS(TABLE)
