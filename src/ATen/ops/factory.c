/* Creating, filling and copying tensors. */
#include "ATen/core/ATenOperations.h"

/* type, or if that is NULL Float on the CPU. */
static const at_type *or_default(const at_type *type)
{
  return type ? type : at_getType(AT_BACKEND_CPU, at_defaultType());
}

at_tensor *at_fillWith(at_tensor *self, at_scalar value)
{
  if (at_numel(self) == 0)
    return self;
  at_checkWritable(self);
  if (self->type->scalarType == AT_BOOL)
    value = at_scalar_long(at_scalar_toDouble(value) != 0);
  if (at_isComplex(self->type->scalarType)) {
    at_fillComplex(self, at_scalar_toDouble(value), 0);
    return self;
  }
  if (at_isUnsigned(self->type->scalarType))
    value = at_unsignedElement(self->type, value);
  if (at_rowOf(self->type, AT_ROW_fill)) {
    at_rowOf(self->type, AT_ROW_fill)(self->th, NULL, NULL, NULL, value, value);
    return self;
  }
  /* Types that do not compute are filled with copies of one element, on the CPU of its bits. */
  const at_ints sizes = {NULL, 0};
  const bool isHost = at_isOnHost(self->type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *one = at_hold(&pool, at_newShape(at_toScalarType(self->type, AT_DOUBLE), sizes));
  at_fillWith(one, value);
  if (isHost) {
    const at_type *bits = at_toScalarType(self->type, AT_SHORT);
    one = at_hold(&pool, at_newCast(one, self->type));
    value = at_scalar_long(*(const int16_t *)at_data(one));
    at_rowOf(bits, AT_ROW_fill)(self->th, NULL, NULL, NULL, value, value);
  } else {
    at_copyFrom(self, one);
  }
  at_pool_leave(&pool);
  return self;
}

/* The elements whose indices differ from (row, 0, 0 ...) by the same number. */
static void fill_from_row(at_tensor *self, int64_t row, at_scalar value)
{
  const at_ints own = at_sizesOf(self);
  int64_t count = own.data[0] - row, stride = 0;
  for (int d = 0; d < own.count; d++) {
    count = THMin(count, own.data[d]);
    stride += self->th->stride[d];
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_fillWith(at_hold(&pool, at_newView(self, self->th->storageOffset + row * self->th->stride[0],
                                        (at_ints){&count, 1}, &stride)),
              value);
  at_pool_leave(&pool);
}

at_tensor *at_fillDiagonal(at_tensor *self, at_scalar value, bool wrap)
{
  const at_ints own = at_sizesOf(self);
  bool isEqual = true;
  for (int d = 1; d < own.count; d++)
    isEqual &= own.data[d] == own.data[0];
  if (own.count < 2 || (own.count > 2 && !isEqual))
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), and has to be a matrix, or to have more dimensions of equal "
             "sizes",
             at_sizeDesc(own).str);
  at_checkWritable(self);
  const int64_t rows = own.data[0];
  for (int64_t row = 0; row < rows && at_numel(self) > 0; row += own.data[1] + 1) {
    fill_from_row(self, row, value);
    if (!wrap || own.count > 2)
      break;
  }
  return self;
}

at_tensor *at_makeFilled(const at_type *type, at_ints sizes, at_scalar value)
{
  THGuard guard;
  at_guard(&guard);
  at_tensor *t = guard.what = at_newShape(or_default(type), sizes);
  at_fillWith(t, value);
  return THGuard_keep(&guard);
}

at_tensor *at_filledLike(at_tensor *self, const at_type *type, at_scalar value)
{
  THGuard guard;
  at_guard(&guard);
  at_fillWith(guard.what = at_makeLike(self, type), value);
  return THGuard_keep(&guard);
}

at_tensor *at_filledTo(at_tensor *out, const at_type *type, at_ints sizes, at_scalar value)
{
  if (!out)
    return at_makeFilled(type, sizes, value);
  if (type && type != out->type)
    at_checkType(out, "result", type);
  at_pool pool;
  at_pool_enter(&pool);
  return at_finishOne(&pool, out, at_hold(&pool, at_makeFilled(out->type, sizes, value)));
}

at_tensor *at_makeEmpty(const at_type *type, at_ints sizes)
{
  return at_newShape(or_default(type), sizes);
}

at_tensor *at_makeLike(at_tensor *self, const at_type *type)
{
  return at_newLike(type ? type : self->type, self);
}

at_tensor *at_copyFrom(at_tensor *self, at_tensor *src)
{
  THGuard guard;
  at_guard(&guard);
  if (!at_sameSizes(at_sizesOf(src), at_sizesOf(self))) {
    at_checkBroadcast(src, at_sizesOf(self));
    src = guard.what = at_newExpanded(src, at_sizesOf(self));
  }
  if (at_numel(self) > 0)
    at_convert(self, src);
  THGuard_leave(&guard);
  return self;
}

at_tensor *at_makeCopy(at_tensor *self, const at_type *type)
{
  return at_newCastLike(self, type ? type : self->type);
}

at_tensor *at_makeCast(at_tensor *self, const at_type *type)
{
  return type == self->type ? at_newAlias(self) : at_newCastLike(self, type);
}

at_tensor *at_makeContiguous(at_tensor *self)
{
  return at_isContiguous(self) ? at_newAlias(self) : at_newCast(self, self->type);
}
