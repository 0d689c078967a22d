/* Calls of THNN's layers: converts operands to the type that computes, and delivers results in the
 * type of the operation. */
#include "ATen/core/ATenOperations.h"

const at_type *at_layerTypeOf(const at_type *like, at_scalar_type type)
{
  if (!at_isFloating(type))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s",
             at_scalarTypeName(type));
  return at_toScalarType(like, type == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT);
}

const at_type *at_layerType(const at_tensor *self)
{
  return at_layerTypeOf(self->type, self->type->scalarType);
}

void at_layerSame(const at_tensor *self, const at_tensor *t, const char *name)
{
  if (t && t->type != self->type)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of %s as self is", name,
             at_scalarTypeName(t->type->scalarType), at_scalarTypeName(self->type->scalarType));
}

at_tensor *at_layerCast(at_pool *pool, at_tensor *t, const at_type *type)
{
  return t ? at_cast(pool, t, type) : NULL;
}

void *at_layerIn(at_pool *pool, at_tensor *t, const at_type *type)
{
  return t ? at_layerCast(pool, t, type)->th : NULL;
}

void *at_layerInAs(at_pool *pool, at_tensor *t, const at_type *type, at_ints sizes)
{
  if (!t)
    return NULL;
  at_checkBroadcast(t, sizes);
  return at_brought(pool, t, sizes, type)->th;
}

at_tensor *at_layerIndices(at_pool *pool, at_tensor *t, const char *name, at_scalar_type other)
{
  if (t->type->scalarType != AT_LONG && t->type->scalarType != other)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of Long%s%s", name,
             at_scalarTypeName(t->type->scalarType), other == AT_LONG ? "" : " or ",
             other == AT_LONG ? "" : at_scalarTypeName(other));
  return at_layerCast(pool, t, at_toScalarType(t->type, AT_LONG));
}

at_tensor *at_layerNew(at_pool *pool, const at_type *type, at_ints sizes)
{
  return at_hold(pool, at_newShape(type, sizes));
}

at_tensor *at_layerResultFor(at_pool *pool, at_tensor *out, at_scalar_type type,
                             const at_type *compute, at_ints sizes, int count, at_tensor *const *in)
{
  if (out)
    at_checkResult(out, NULL, sizes, type);
  const bool direct = out && out->type == compute && type == compute->scalarType &&
                      at_sameSizes(at_sizesOf(out), sizes);
  return direct ? out : at_hold(pool, at_newFor(compute, sizes, count, in));
}

at_tensor *at_layerResult(at_pool *pool, at_tensor *out, at_scalar_type type,
                          const at_type *compute, at_ints sizes)
{
  return at_layerResultFor(pool, out, type, compute, sizes, 0, NULL);
}

at_tensor *at_layerEnd(at_pool *pool, at_tensor *out, at_tensor *r, at_scalar_type type)
{
  if (r != out)
    return at_finishOne(pool, out, at_layerCast(pool, r, at_toScalarType(r->type, type)));
  at_pool_leave(pool);
  return out;
}

void at_layerEndAll(at_pool *pool, int count, at_tensor **out, at_tensor *const *made)
{
  at_tensor *to[AT_RESULTS] = {NULL}, *from[AT_RESULTS] = {NULL};
  int given = 0;
  for (int i = 0; i < count; i++)
    if (made[i] && out[i]) {
      to[given] = out[i];
      from[given++] = made[i];
    }
  at_deliverAll(given, to, from);
  for (int i = 0; i < count; i++)
    if (made[i] && !out[i])
      out[i] = at_retain(made[i]);
  at_pool_leave(pool);
}
