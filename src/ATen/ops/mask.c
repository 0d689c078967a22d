/* Masks, and the indices of nonzero elements. */
#include "ATen/complex/pairs.h"
#include "ATen/core/ATenOperations.h"

/* The mask, which must be of Bool or Byte, expanded to sizes; the pool holds the view. */
static at_tensor *mask_for(at_pool *pool, at_tensor *mask, at_ints sizes)
{
  if (mask->type->scalarType != AT_BOOL && mask->type->scalarType != AT_BYTE)
    at_raise(AT_ERROR_TYPE, "mask is of %s, and has to be of Bool",
             at_scalarTypeName(mask->type->scalarType));
  at_checkBroadcast(mask, sizes);
  return at_hold(pool, at_newExpanded(mask, sizes));
}

/* The tensor to change where mask is true: self, or a copy of self broadcast with mask. */
static at_tensor *begin(at_pool *pool, at_tensor *out, at_tensor *self, at_tensor **mask)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const both[] = {self, *mask};
  const at_ints sizes = out == self ? at_sizesOf(self) : at_broadcast(2, both, buffer);
  *mask = mask_for(pool, *mask, sizes);
  if (out != self)
    self = at_hold(pool, at_newExpanded(self, sizes));
  return at_beginChange(pool, out, self, self->type);
}

at_tensor *at_maskedFill(at_tensor *out, at_tensor *self, at_tensor *mask, at_scalar value)
{
  if (at_isComplex(self->type->scalarType))
    return at_maskedFillPairs(out, self, mask, value);
  at_pool pool;
  at_pool_enter(&pool);
  value = at_movesAsScalar(self->type, value);
  at_tensor *changed = begin(&pool, out, self, &mask);
  if (at_numel(changed) > 0)
    AT_OF(at_movesAs(self->type), maskedFill)(changed->th, (void *)mask->th, value);
  return at_endChange(&pool, out, self, changed);
}

/* The element of a device's value is not brought to the host. */
static at_tensor *fill_by_element(at_tensor *out, at_tensor *self, at_tensor *mask,
                                  at_tensor *value)
{
  at_pool pool;
  at_pool_enter(&pool);
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const both[] = {self, mask};
  mask = mask_for(&pool, mask, out == self ? at_sizesOf(self) : at_broadcast(2, both, buffer));
  value = at_hold(&pool, at_newCast(value, self->type));
  at_tensor *const r = at_choose(out, mask, value, at_scalar_none(), self, at_scalar_none());
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_maskedFillBy(at_tensor *out, at_tensor *self, at_tensor *mask, at_tensor *value)
{
  if (at_isComplex(self->type->scalarType))
    return at_maskedFillByPairs(out, self, mask, value);
  at_checkNumber(value);
  return at_staysOnDevice(self, value) ? fill_by_element(out, self, mask, value)
                                       : at_maskedFill(out, self, mask, at_numberIn(value));
}

at_tensor *at_maskedScatter(at_tensor *out, at_tensor *self, at_tensor *mask, at_tensor *source)
{
  if (at_isComplex(self->type->scalarType))
    return at_maskedScatterPairs(out, self, mask, source);
  at_pool pool;
  at_pool_enter(&pool);
  at_checkType(source, "source", self->type);
  at_tensor *changed = begin(&pool, out, self, &mask);
  if (at_numel(changed) > 0)
    AT_OF(at_movesAs(self->type), maskedCopy)(changed->th, (void *)mask->th, source->th);
  return at_endChange(&pool, out, self, changed);
}

/* Sets the sizes of an empty result, which the TH function leaves without dimensions. */
static void settle(at_tensor *result, at_ints none)
{
  if (result->th->nDimension == 0)
    at_resizeTo(result, none);
}

at_tensor *at_maskedSelect(at_tensor *out, at_tensor *self, at_tensor *mask)
{
  if (at_isComplex(self->type->scalarType))
    return at_maskedSelectPairs(out, self, mask);
  static const int64_t nothing = 0;
  const at_ints none = {&nothing, 1};
  at_pool pool;
  at_pool_enter(&pool);
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const both[] = {self, mask};
  const at_ints sizes = at_broadcast(2, both, buffer);
  mask = mask_for(&pool, mask, sizes);
  self = at_hold(&pool, at_newExpanded(self, sizes));
  if (out)
    at_checkType(out, "result", self->type);
  at_tensor *result = at_hold(&pool, at_newShape(self->type, none));
  if (at_numel(self) > 0)
    AT_OF(at_movesAs(self->type), maskedSelect)(result->th, self->th, (void *)mask->th);
  settle(result, none);
  return at_finishOne(&pool, out, result);
}

at_tensor *at_nonzeros(at_tensor *out, at_tensor *self)
{
  const int64_t nothing[] = {0, at_sizesOf(self).count};
  const at_ints none = {nothing, 2};
  const at_type *type = at_toScalarType(self->type, AT_LONG);
  at_pool pool;
  at_pool_enter(&pool);
  if (out)
    at_checkType(out, "result", type);
  if (self->type->scalarType == AT_HALF || self->type->scalarType == AT_BFLOAT16 || /* -0 is 0 */
      at_isComplex(self->type->scalarType))
    self = at_hold(&pool, at_newCast(self, at_toScalarType(self->type, AT_BOOL)));
  at_tensor *result = at_hold(&pool, at_newShape(type, none));
  if (at_numel(self) > 0)
    AT_OF(at_movesAs(self->type), nonzero)((void *)result->th, self->th);
  settle(result, none);
  if (self->isScalar) { /* one row, without columns, if the element is nonzero */
    const int64_t rows[] = {at_numel(result), 0};
    at_resizeTo(result, (at_ints){rows, 2});
  }
  return at_finishOne(&pool, out, result);
}
