/* Dropout: PyTorch draws the elements that remain with bernoulli, and so does this. */
#include "ATen/core/ATenOperations.h"

static const at_scalar one = {.value.integer = 1};

static void check(double p)
{
  if (!(p >= 0 && p <= 1))
    at_raise(AT_ERROR_ARGUMENT, "p is %g, and has to be from 0 to 1", p);
}

/* 1 for each element that remains, else 0; in self's type and layout. */
static at_tensor *drawn(at_pool *pool, at_tensor *self, double p)
{
  at_tensor *const kept = at_hold(pool, at_newLike(self->type, self));
  return at_drawFill(kept, AT_DRAW_BERNOULLI, 1 - p, 0, NULL);
}

at_tensor *at_droppedOut(at_tensor *out, at_tensor *self, double p, bool train)
{
  check(p);
  if (out)
    at_checkWritable(out);
  if (!train || p == 0 || at_numel(self) == 0)
    return out ? out : at_newAlias(self);
  if (p == 1)
    return at_binaryScalar(out, AT_ROW_mul, self, at_scalar_long(0), one);
  at_layerType(self);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *kept = drawn(&pool, self, p);
  kept = at_binaryFloatScalar(kept, AT_ROW_div, kept, at_scalar_double(1 - p));
  at_tensor *const r = at_binary(out, AT_ROW_cmul, self, kept, one);
  at_pool_leave(&pool);
  return r;
}

void at_dropOut(at_tensor **out, at_tensor *self, double p, bool train)
{
  check(p);
  const at_type *const boolean = at_toScalarType(self->type, AT_BOOL);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made[2];
  if (!train || at_numel(self) == 0) {
    made[0] = at_hold(&pool, at_newCastLike(self, self->type));
    made[1] = at_hold(&pool, at_filledLike(self, boolean, at_scalar_long(1)));
  } else {
    at_tensor *const kept = drawn(&pool, self, p);
    const double factor = p == 1 ? 0 : 1 / (1 - p);
    made[1] = at_hold(&pool, at_newCastLike(kept, boolean));
    made[0] = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, self, kept, one));
    made[0] = at_binaryScalar(made[0], AT_ROW_mul, made[0], at_scalar_double(factor), one);
  }
  at_finish(&pool, 2, out, made);
}
