/* Indexing along one dimension, and with row-major indices. */
#include "ATen/complex/pairs.h"
#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

bool at_isIndex(const at_tensor *index)
{
  return index->type->scalarType == AT_LONG || index->type->scalarType == AT_INT;
}

/* index as a tensor of Long: itself, or converted from Int. */
static at_tensor *as_long(at_pool *pool, at_tensor *index)
{
  const at_type *type = at_toScalarType(index->type, AT_LONG);
  if (!at_isIndex(index))
    at_raise(AT_ERROR_TYPE, "index is of %s, and has to be of Long or Int",
             at_scalarTypeName(index->type->scalarType));
  return index->type == type ? index : at_hold(pool, at_newCast(index, type));
}

static void check_long(const at_tensor *index)
{
  at_checkType(index, "index", at_toScalarType(index->type, AT_LONG));
}

static void check_vector(const at_tensor *index)
{
  if (at_sizesOf(index).count > 1)
    at_raise(AT_ERROR_ARGUMENT, "index has size (%s), and has to be a vector",
             at_sizeDesc(at_sizesOf(index)).str);
}

bool at_findOutside(at_tensor *index, int64_t least, int64_t end, int64_t *outside)
{
  if (at_numel(index) == 0)
    return false;
  if (!at_isOnHost(index->type) && least < end)
    return at_cuda()->findOutside(index->th, least, end - 1, outside);
  at_pool pool;
  at_pool_enter(&pool);
  /* From a device indices are copied, which waits. */
  at_tensor *const own = at_isOnHost(index->type) ? at_makeContiguous(index)
                                                  : at_newCast(index, at_hostType(index->type));
  const int64_t *k = at_hostData(at_hold(&pool, own));
  bool found = false;
  for (int64_t i = 0, n = at_numel(index); i < n && !found; i++) {
    found = k[i] < least || k[i] >= end;
    *outside = k[i];
  }
  at_pool_leave(&pool);
  return found;
}

void at_wrapIndices(at_tensor *contiguous, int64_t size, int64_t step)
{
  const int64_t n = at_numel(contiguous);
  if (at_isOnHost(contiguous->type)) {
    int64_t *k = at_hostData(contiguous);
    for (int64_t i = 0; i < n; i++)
      k[i] = (k[i] < 0 ? k[i] + size : k[i]) * step;
  } else if (n > 0) {
    const at_wrap_work work = {n, size, step, at_data(contiguous)};
    at_cuda()->launch(AT_KERNEL_wrapIndices, THScalarFloat, &work);
  }
}

/* Raises unless all indices are in [0, size), or with wraps in [-size, size). */
static void check_range(at_tensor *index, int64_t size, bool wraps)
{
  int64_t outside;
  if (at_findOutside(index, wraps ? -size : 0, size, &outside))
    at_raise(AT_ERROR_ARGUMENT, "index %lld is out of range for %lld", (long long)outside,
             (long long)size);
}

/* The size of dimension dim of t's TH tensor, which has one dimension if t has none. */
static int64_t size_along(const at_tensor *t, int dim)
{
  return t->th->size[dim];
}

/* --- slices ----------------------------------------------------------------------------------- */

at_tensor *at_indexSelect(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index)
{
  if (at_isComplex(self->type->scalarType))
    return at_indexSelectPairs(out, self, dim, index);
  at_pool pool;
  at_pool_enter(&pool);
  const at_ints own = at_sizesOf(self);
  const int d = at_wrapDim(dim, own.count);
  check_vector(index);
  index = as_long(&pool, index);
  if (self->isScalar && at_numel(index) != 1)
    at_raise(AT_ERROR_ARGUMENT, "index has %lld elements, self has no dimensions",
             (long long)at_numel(index));
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = {buffer, own.count};
  for (int e = 0; e < own.count; e++)
    buffer[e] = e == d ? at_numel(index) : own.data[e];
  at_tensor *result = at_resultOf(&pool, out, self->type, sizes);
  if (at_numel(result) > 0)
    AT_OF(at_movesAs(self->type), indexSelect)(result->th, self->th, d, (void *)index->th);
  else
    check_range(index, size_along(self, d), false);
  return at_finishOne(&pool, out, result);
}

/* Raises unless source has a slice for each index, of the size of self's slices. */
static void check_slices(const at_tensor *self, int dim, const at_tensor *index,
                         const at_tensor *source)
{
  bool fits = self->th->nDimension == source->th->nDimension;
  for (int d = 0; d < self->th->nDimension && fits; d++)
    fits = source->th->size[d] == (d == dim ? at_numel(index) : self->th->size[d]);
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT,
             "source of size (%s) is not %lld slices along dimension %d of self of size (%s)",
             at_sizeDesc(at_sizesOf(source)).str, (long long)at_numel(index), dim,
             at_sizeDesc(at_sizesOf(self)).str);
}

at_tensor *at_indexCopy(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                        at_tensor *source)
{
  if (at_isComplex(self->type->scalarType))
    return at_indexCopyPairs(out, self, dim, index, source);
  at_pool pool;
  at_pool_enter(&pool);
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  check_vector(index);
  check_long(index);
  at_checkType(source, "source", self->type);
  check_slices(self, d, index, source);
  at_tensor *changed = at_beginChange(&pool, out, self, self->type);
  if (at_numel(source) > 0)
    AT_OF(at_movesAs(self->type), indexCopy)(changed->th, d, (void *)index->th, source->th);
  else
    check_range(index, size_along(self, d), false);
  return at_endChange(&pool, out, self, changed);
}

/* alpha as a factor for elements of type. */
static at_scalar factor(const at_type *type, at_scalar alpha)
{
  if (type->scalarType == AT_BOOL)
    return at_scalar_long(at_scalar_toDouble(alpha) != 0);
  return at_isFloating(type->scalarType) ? alpha : at_scalar_long(at_scalar_toLong(alpha));
}

at_tensor *at_indexAdd(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                       at_tensor *source, at_scalar alpha)
{
  if (at_isComplex(self->type->scalarType))
    return at_indexAddPairs(out, self, dim, index, source, alpha);
  at_pool pool;
  at_pool_enter(&pool);
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  const at_type *type = at_addsAs(self->type);
  check_vector(index);
  index = as_long(&pool, index);
  at_checkType(source, "source", self->type);
  check_slices(self, d, index, source);
  if (source->type != type)
    source = at_hold(&pool, at_newCast(source, type));
  alpha = factor(self->type, alpha);
  if (at_scalar_toDouble(alpha) != 1)
    source = at_hold(&pool, at_binaryScalar(NULL, AT_ROW_mul, source, alpha, at_scalar_long(1)));
  at_tensor *changed = at_beginChange(&pool, out, self, type);
  if (at_numel(source) > 0)
    AT_OF(type, indexAdd)(changed->th, d, (void *)index->th, source->th);
  else
    check_range(index, size_along(self, d), false);
  return at_endChange(&pool, out, self, changed);
}

/* The indices, which may be negative, as indices from 0; raises if one is known to be out of range. */
static at_tensor *wrapped_index(at_pool *pool, at_tensor *index, int64_t size)
{
  check_vector(index);
  check_long(index);
  check_range(index, size, true);
  at_tensor *const wrapped = at_hold(pool, at_newCast(index, index->type));
  at_wrapIndices(wrapped, size, 1);
  return wrapped;
}

/* The element of a device's value is not brought to the host: it is a source of strides 0. */
static at_tensor *fill_by_element(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                                  at_tensor *value)
{
  at_pool pool;
  at_pool_enter(&pool);
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(self);
  const int along = at_wrapDim(dim, own.count);
  index = wrapped_index(&pool, index, size_along(self, along));
  const int dims = THMax(own.count, 1); /* TH has one for none */
  for (int d = 0; d < dims; d++)
    buffer[d] = d == along ? at_numel(index) : own.data[d];
  value = at_hold(&pool, at_newCast(value, self->type));
  value = at_hold(&pool, at_newExpanded(value, (at_ints){buffer, dims}));
  at_tensor *const changed = at_beginChange(&pool, out, self, self->type);
  if (at_numel(value) > 0)
    AT_OF(at_movesAs(self->type), indexCopy)(changed->th, along, (void *)index->th, value->th);
  return at_endChange(&pool, out, self, changed);
}

at_tensor *at_indexFillBy(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                          at_tensor *value)
{
  if (at_isComplex(self->type->scalarType))
    return at_indexFillByPairs(out, self, dim, index, value);
  at_checkNumber(value);
  return at_staysOnDevice(self, value) ? fill_by_element(out, self, dim, index, value)
                                       : at_indexFill(out, self, dim, index, at_numberIn(value));
}

at_tensor *at_indexFill(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                        at_scalar value)
{
  if (at_isComplex(self->type->scalarType))
    return at_indexFillPairs(out, self, dim, index, value);
  at_pool pool;
  at_pool_enter(&pool);
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  index = wrapped_index(&pool, index, size_along(self, d));
  value = at_movesAsScalar(self->type, value);
  at_tensor *changed = at_beginChange(&pool, out, self, self->type);
  if (at_numel(self) > 0 && at_numel(index) > 0)
    AT_OF(at_movesAs(self->type), indexFill)(changed->th, d, (void *)index->th, value);
  return at_endChange(&pool, out, self, changed);
}

void at_checkNumber(const at_tensor *value)
{
  if (!value->isScalar)
    at_raise(AT_ERROR_ARGUMENT, "value has size (%s), and has to have no dimensions",
             at_sizeDesc(at_sizesOf(value)).str);
}

bool at_staysOnDevice(const at_tensor *self, const at_tensor *value)
{
  return !at_isOnHost(self->type) && !at_isOnHost(value->type) &&
         !at_isComplex(value->type->scalarType);
}

at_scalar at_numberIn(const at_tensor *value)
{
  at_checkNumber(value);
  return at_elementAt(value, value->th->storageOffset);
}

/* --- along a dimension: an index for each element --------------------------------------------- */

at_tensor *at_gathered(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index)
{
  if (at_isComplex(self->type->scalarType))
    return at_gatheredPairs(out, self, dim, index);
  at_pool pool;
  at_pool_enter(&pool);
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  if (at_numel(index) > 0) /* of none, the type does not matter */
    index = as_long(&pool, index);
  at_tensor *result = at_resultOf(&pool, out, self->type, at_sizesOf(index));
  if (at_numel(index) > 0)
    AT_OF(at_movesAs(self->type), gather)(result->th, self->th, d, (void *)index->th);
  return at_finishOne(&pool, out, result);
}

at_tensor *at_scattered(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                        at_tensor *src, bool adds)
{
  if (at_isComplex(self->type->scalarType))
    return at_scatteredPairs(out, self, dim, index, src, adds);
  at_pool pool;
  at_pool_enter(&pool);
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  const at_type *type = adds ? at_addsAs(self->type) : self->type;
  index = as_long(&pool, index);
  at_checkType(src, "src", self->type);
  if (src->type != type)
    src = at_hold(&pool, at_newCast(src, type));
  at_tensor *changed = at_beginChange(&pool, out, self, type);
  const at_type *const moves = at_movesAs(type);
  if (at_numel(index) > 0)
    (adds ? AT_OF(moves, scatterAdd) : AT_OF(moves, scatter))(changed->th, d, (void *)index->th,
                                                              src->th);
  return at_endChange(&pool, out, self, changed);
}

at_tensor *at_scatterFill(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                          at_scalar value)
{
  if (at_isComplex(self->type->scalarType))
    return at_scatterFillPairs(out, self, dim, index, value);
  at_pool pool;
  at_pool_enter(&pool);
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  index = as_long(&pool, index);
  value = at_movesAsScalar(self->type, value);
  at_tensor *changed = at_beginChange(&pool, out, self, self->type);
  if (at_numel(index) > 0)
    AT_OF(at_movesAs(self->type), scatterFill)(changed->th, d, (void *)index->th, value);
  return at_endChange(&pool, out, self, changed);
}

/* --- among all elements ----------------------------------------------------------------------- */

at_tensor *at_taken(at_tensor *out, at_tensor *self, at_tensor *index)
{
  if (at_isComplex(self->type->scalarType))
    return at_takenPairs(out, self, index);
  at_pool pool;
  at_pool_enter(&pool);
  check_long(index);
  at_tensor *result = at_resultOf(&pool, out, self->type, at_sizesOf(index));
  if (at_numel(self) == 0)
    check_range(index, 0, true);
  if (at_numel(index) > 0)
    AT_OF(at_movesAs(self->type), take)(result->th, self->th, (void *)index->th);
  return at_finishOne(&pool, out, result);
}

at_tensor *at_putAt(at_tensor *out, at_tensor *self, at_tensor *index, at_tensor *source,
                    bool accumulate)
{
  if (at_isComplex(self->type->scalarType))
    return at_putPairs(out, self, index, source, accumulate);
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *type = accumulate ? at_addsAs(self->type) : self->type;
  check_long(index);
  at_checkType(source, "source", self->type);
  if (at_numel(source) != at_numel(index))
    at_raise(AT_ERROR_ARGUMENT, "source has %lld elements, index has %lld",
             (long long)at_numel(source), (long long)at_numel(index));
  if (at_numel(self) == 0)
    check_range(index, 0, true);
  if (source->type != type)
    source = at_hold(&pool, at_newCast(source, type));
  at_tensor *changed = at_beginChange(&pool, out, self, type);
  if (at_numel(index) > 0)
    AT_OF(at_movesAs(type), put)(changed->th, (void *)index->th, source->th, accumulate);
  return at_endChange(&pool, out, self, changed);
}
