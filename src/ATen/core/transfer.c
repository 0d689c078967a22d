/* Moving elements of types in which TH does not compute, and the begin and end of functions that
 * change a tensor in place, in a copy or in a given result. */
#include "ATenOperations.h"

const at_type *at_movesAs(const at_type *type)
{
  switch (type->scalarType) {
    case AT_BOOL:
      return at_toScalarType(type, AT_BYTE);
    case AT_HALF:
    case AT_BFLOAT16:
      return at_toScalarType(type, AT_SHORT);
    default:
      return type;
  }
}

at_scalar at_movesAsScalar(const at_type *type, at_scalar value)
{
  const at_ints sizes = {NULL, 0};
  type = at_hostType(type);
  if (at_movesAs(type) == type)
    return value;
  at_pool pool;
  at_pool_enter(&pool);
  at_movesAs(type)->memory->first(at_hold(&pool, at_makeFilled(type, sizes, value))->th, &value);
  at_pool_leave(&pool);
  return value;
}

const at_type *at_addsAs(const at_type *type)
{
  switch (type->scalarType) {
    case AT_BOOL:
      return at_toScalarType(type, AT_INT);
    case AT_HALF:
    case AT_BFLOAT16:
      return at_toScalarType(type, AT_FLOAT);
    default:
      return type;
  }
}

void at_checkType(const at_tensor *t, const char *name, const at_type *type)
{
  if (t->type != type)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of %s", name,
             at_scalarTypeName(t->type->scalarType), at_scalarTypeName(type->scalarType));
}

void at_checkFloating(const at_tensor *t, const char *name)
{
  if (!at_isFloating(t->type->scalarType))
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of a floating type", name,
             at_scalarTypeName(t->type->scalarType));
}

at_tensor *at_resultOf(at_pool *pool, at_tensor *out, const at_type *type, at_ints sizes)
{
  if (out)
    at_checkType(out, "result", type);
  if (out && at_sameSizes(at_sizesOf(out), sizes) && at_isContiguous(out))
    return out;
  return at_hold(pool, at_newShape(type, sizes));
}

at_tensor *at_beginChange(at_pool *pool, at_tensor *out, at_tensor *self, const at_type *type)
{
  if (out)
    at_checkType(out, "result", self->type);
  if (out == self)
    at_checkWritable(self);
  if (out == self && self->type == type)
    return self;
  return at_hold(pool, at_newCast(self, type));
}

at_tensor *at_endChange(at_pool *pool, at_tensor *out, at_tensor *self, at_tensor *changed)
{
  if (changed->type != self->type)
    changed = at_hold(pool, at_newCast(changed, self->type));
  return at_finishOne(pool, out, changed);
}
