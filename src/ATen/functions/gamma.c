/* Samples of the gamma distribution, and their gradients and those of Dirichlet samples by the
 * parameters. */
#include <float.h>
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/random/drawn.h"
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
  THGenerator *const from = at_drawnFrom(type, generator);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = at_resultOf(&pool, out, type, at_sizesOf(self));
  if (at_numel(self) == 0)
    ;
  else if (at_isOnHost(type))
    AT_OF(type, standard_gamma)(made->th, from, self->th);
  else {
    static const at_draw_rule rule = {"_standard_gamma",
                                      "self has the parameter %g, and has to be above 0", 1,
                                      DBL_TRUE_MIN, (double)INFINITY};
    at_deviceDraws(&pool, made, self, NULL, &rule, AT_KERNEL_standardGamma);
  }
  return at_finishOne(&pool, out, made);
}

at_tensor *at_gammaGradient(at_tensor *self, at_tensor *output)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {self, output};
  const at_ints sizes = at_broadcast(2, in, buffer);
  const at_type *type = computes(self, "self"), *wide = at_toScalarType(type, AT_DOUBLE);
  at_checkType(output, "output", type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *wides[2];
  for (int i = 0; i < 2; i++)
    wides[i] = at_brought(&pool, in[i], sizes, wide);
  at_tensor *const r =
      at_hold(&pool, at_eachElement(NULL, wide, sizes, at_each_gamma_gradient, 2, wides, NULL));
  return at_finishOne(&pool, NULL, at_cast(&pool, r, type));
}

at_tensor *at_dirichletGradient(at_tensor *out, at_tensor *x, at_tensor *alpha, at_tensor *total)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {x, alpha, total};
  const at_ints sizes = at_broadcast(3, in, buffer);
  const at_type *type = computes(x, "x");
  at_checkType(alpha, "alpha", type);
  at_checkType(total, "total", type);
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *wide = at_toScalarType(type, AT_DOUBLE);
  at_tensor *wides[3];
  for (int i = 0; i < 3; i++)
    wides[i] = at_brought(&pool, in[i], sizes, wide);
  at_tensor *const r =
      at_hold(&pool, at_eachElement(NULL, wide, sizes, at_each_dirichlet_gradient, 3, wides, NULL));
  return at_finishOne(&pool, out, at_cast(&pool, r, type));
}
