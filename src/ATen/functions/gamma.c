/* Samples of gamma and Dirichlet distributions, and their derivatives by the parameters.
 *
 * At a constant value F(x) of the gamma distribution with parameter a, the derivative of the sample
 * x by a is -(dF/da) / F'(x).  With the density p and psi(a), the mean of ln t, this is the
 * integral of (psi - ln t) p(t) / p(x) over t from 0 to x.  The integral over all t is 0, so it is
 * also the integral of (ln t - psi) p(t) / p(x) from x on.  One of both integrands does not change
 * its sign. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "THMath.h"

static const at_type *computes(const at_tensor *t, const char *name)
{
  if (t->type->scalarType != AT_FLOAT && t->type->scalarType != AT_DOUBLE)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of Float or Double", name,
             at_scalarTypeName(t->type->scalarType));
  return t->type;
}

at_tensor *at_gammaOf(at_tensor *out, at_tensor *self, at_generator *generator)
{
  const at_type *type = computes(self, "self");
  at_generator *from = generator ? generator : at_defaultGenerator(AT_BACKEND_CPU);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = at_resultOf(&pool, out, type, at_sizesOf(self));
  if (at_numel(self) > 0)
    type->functions->standard_gamma(made->th, from->th, self->th);
  return at_finishOne(&pool, out, made);
}

/* For ln x < psi: t = x u gives a power series whose terms are all positive. */
static double series(double a, double x, double distance)
{
  double term = 1 / a, harmonic = 1 / a, sum = term, weighted = term * harmonic;
  for (int n = 1; term > 1e-17 * sum; n++) {
    term *= x / (a + n);
    harmonic += 1 / (a + n);
    sum += term;
    weighted += term * harmonic;
  }
  return x * (weighted - distance * sum);
}

/* For ln x >= psi: t = x (1 + v), integrated over ln v, where the integrand has one peak, by
 * exp-sinh quadrature. */
static double integral(double a, double x, double distance)
{
  const double h = 0x1p-4;
  double sum = 0;
  for (double s = -4.5; s <= 4.5; s += h) {
    const double v = exp(M_PI / 2 * sinh(s)), rise = log1p(v);
    sum += (distance + rise) * exp((a - 1) * rise - x * v) * v * cosh(s);
  }
  return x * sum * h * M_PI / 2;
}

/* For large a: the cube root of x / a is nearly normal (Wilson and Hilferty). */
static double large(double a, double x)
{
  const double c = cbrt(x / a), z = (c - 1 + 1 / (9 * a)) * 3 * sqrt(a);
  return c * c * c + c * c * (1 / (3 * a) - z / (2 * sqrt(a)));
}

static double gradient(double a, double x)
{
  if (!(a > 0) || !(x >= 0) || isinf(a) || isinf(x))
    return NAN;
  if (x == 0)
    return 0;
  if (a > 1e5)
    return large(a, x);
  const double distance = log(x) - TH_digamma(a);
  return distance < 0 ? series(a, x, distance) : integral(a, x, distance);
}

at_tensor *at_gammaGradient(at_tensor *self, at_tensor *output)
{
  int64_t room[AT_MOST_DIMS];
  at_tensor *const in[] = {self, output};
  const at_ints sizes = at_broadcast(2, in, room);
  const at_type *type = computes(self, "self"), *wide = at_toScalarType(type, AT_DOUBLE);
  at_checkType(output, "output", type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *a = at_hold(&pool, at_newExpanded(self, sizes));
  at_tensor *x = at_hold(&pool, at_newExpanded(output, sizes));
  a = at_hold(&pool, at_newCast(a, wide));
  x = at_hold(&pool, at_newCast(x, wide));
  double *const r = at_hostData(a);
  for (int64_t i = 0, n = at_numel(a); i < n; i++)
    r[i] = gradient(r[i], ((double *)at_hostData(x))[i]);
  return at_pool_keep(&pool, type == wide ? a : at_hold(&pool, at_newCast(a, type)));
}

at_tensor *at_dirichletGradient(at_tensor *out, at_tensor *x, at_tensor *alpha, at_tensor *total)
{
  int64_t room[AT_MOST_DIMS];
  at_tensor *const in[] = {x, alpha, total};
  const at_ints sizes = at_broadcast(3, in, room);
  const at_type *type = computes(x, "x");
  at_checkType(alpha, "alpha", type);
  at_checkType(total, "total", type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = at_resultOf(&pool, out, type, sizes), *views[3];
  for (int i = 0; i < 3; i++)
    views[i] = at_hold(&pool, at_newExpanded(in[i], sizes));
  if (at_numel(made) > 0)
    type->functions->dirichlet_grad(made->th, views[0]->th, views[1]->th, views[2]->th);
  return at_finishOne(&pool, out, made);
}
