/* Random numbers of events: Poisson and binomial.  On the CPU they are drawn in Double. */
#include <float.h>
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "drawn.h"
#include "THRandom.h"

/* --- Poisson ---------------------------------------------------------------------------------- */

static double log_gamma(double x)
{
  int sign;
  return lgamma_r(x, &sign);
}

#define AT_POISSON        static
#define AT_POISSON_SOURCE THGenerator
#define AT_POISSON_UNIT   THRandom_standard_uniform
#define AT_POISSON_LGAMMA log_gamma
#include "binomialDraw.h"
#include "poissonDraw.h"

static const at_draw_rule rates = {
    "poisson", "self has the rate %g, and rates have to be 0 or more", 1, 0, DBL_MAX};

at_tensor *at_poissonOf(at_tensor *self, at_generator *generator)
{
  THGenerator *const from = at_drawnFrom(self->type, generator);
  at_checkFloating(self, "self");
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = at_hold(&pool, at_newCast(self, at_toScalarType(self->type, AT_DOUBLE)));
  if (!at_isOnHost(self->type)) {
    if (at_numel(made) > 0)
      at_deviceDraws(&pool, made, made, NULL, &rates, AT_KERNEL_poisson);
    return at_finishOne(&pool, NULL, at_cast(&pool, made, self->type));
  }
  double *x = at_hostData(made);
  for (int64_t i = 0, n = at_numel(made); i < n; i++)
    if (!(x[i] >= 0 && x[i] < INFINITY))
      at_raise(AT_ERROR_ARGUMENT, rates.message, x[i]);
  for (int64_t i = 0, n = at_numel(made); i < n; i++)
    x[i] = at_drawPoisson(from, x[i]);
  if (made->type != self->type)
    made = at_hold(&pool, at_newCast(made, self->type));
  return at_pool_keep(&pool, made);
}

/* --- binomial --------------------------------------------------------------------------------- */

static const at_draw_rule counts = {
    "binomial", "count has the number %g, and numbers have to be finite", 1, -DBL_MAX, DBL_MAX};

at_tensor *at_binomialOf(at_tensor *count, at_tensor *prob, at_generator *generator)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {count, prob};
  THGenerator *const from = at_drawnFrom(count->type, generator);
  if (count->type->scalarType != AT_FLOAT && count->type->scalarType != AT_DOUBLE)
    at_raise(AT_ERROR_TYPE, "count is of %s, and has to be of Float or Double",
             at_scalarTypeName(count->type->scalarType));
  at_checkType(prob, "prob", count->type);
  const at_ints sizes = at_broadcast(2, in, buffer);
  const bool isSingle = count->type->scalarType == AT_FLOAT;
  const at_type *const type = at_toScalarType(count->type, AT_DOUBLE);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const n =
      at_hold(&pool, at_newCast(at_hold(&pool, at_newExpanded(count, sizes)), type));
  at_tensor *const p =
      at_hold(&pool, at_newCast(at_hold(&pool, at_newExpanded(prob, sizes)), type));
  if (at_numel(n) == 0)
    return at_finishOne(&pool, NULL, at_hold(&pool, at_newCast(n, count->type)));
  if (!at_isOnHost(type)) {
    at_deviceDraws(&pool, n, n, p, &counts, AT_KERNEL_binomial);
  } else {
    double *const x = at_hostData(n);
    const double *const probability = at_hostData(p);
    for (int64_t i = 0; i < at_numel(n); i++)
      if (!isfinite(x[i]))
        at_raise(AT_ERROR_ARGUMENT, counts.message, x[i]);
    for (int64_t i = 0; i < at_numel(n); i++)
      x[i] = at_drawBinomial(from, x[i], probability[i], isSingle);
  }
  return at_finishOne(&pool, NULL, at_hold(&pool, at_newCast(n, count->type)));
}
