/* Reductions of elements that an index assigns to one of self.  Elements are reduced as Double, or
 * integers as Long. */
#include <string.h>

#include "ATenCUDA.h"
#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "statistics.h"

static at_index_reduction reduction_of(const char *name)
{
  static const char *const names[AT_INDEX_REDUCTIONS] = {"sum", "prod", "mean", "amax", "amin"};
  for (int i = 0; i < AT_INDEX_REDUCTIONS; i++)
    if (!strcmp(name, names[i]))
      return (at_index_reduction)i;
  at_raise(AT_ERROR_ARGUMENT, "reduce is \"%s\", and has to be sum, prod, mean, amax or amin",
           name);
}

/* Reduces element from of src to element to of self. */
static void take(const at_index_reduce_work *w, int64_t to, int64_t from)
{
  const bool begins = !w->includes && w->counts[to] == 0;
  w->counts[to]++;
  if (w->floats) {
    double *const r = (double *)w->self + to;
    *r = at_reducedDouble(w->how, begins ? at_firstDouble(w->how) : *r,
                          ((const double *)w->src)[from]);
  } else {
    int64_t *const r = (int64_t *)w->self + to;
    *r =
        at_reducedLong(w->how, begins ? at_firstLong(w->how) : *r, ((const int64_t *)w->src)[from]);
  }
}

static void reduce(const at_index_reduce_work *w)
{
  for (int64_t i = 0, to, from; i < w->count; i++)
    if (at_positionsOf(w, i, &to, &from))
      take(w, to, from);
  for (int64_t i = 0; i < w->elements && w->how == AT_INDEX_MEAN; i++)
    if (w->counts[i] > 0)
      at_makeMean(w, i);
}

static at_tensor *elements(at_pool *pool, at_tensor *t, at_scalar_type type)
{
  return at_hold(pool, at_newCast(t, at_toScalarType(t->type, type)));
}

/* Raises unless the operands can be reduced. */
static void check_types(const at_tensor *self, const at_tensor *index, at_tensor *src,
                        at_index_reduction how)
{
  if (!at_isIndex(index))
    at_raise(AT_ERROR_TYPE, "index is of %s, and has to be of Long or Int",
             at_scalarTypeName(index->type->scalarType));
  at_checkType(src, "the source", self->type);
  if (self->type->scalarType == AT_BOOL && how == AT_INDEX_MEAN)
    at_raise(AT_ERROR_TYPE, "there is no mean of tensors of Bool");
}

static void set_sizes(int64_t *to, const at_tensor *t)
{
  for (int d = 0; d < t->th->nDimension; d++)
    to[d] = t->th->size[d];
}

/* The index as Long, whose elements are indices along dim. */
static at_tensor *indices_of(at_pool *pool, at_tensor *self, int dim, at_tensor *index)
{
  at_tensor *const at = elements(pool, index, AT_LONG);
  int64_t outside = 0;
  if (at_numel(at) > 0 && at_findOutside(at, 0, self->th->size[dim], &outside))
    at_raise(AT_ERROR_ARGUMENT, "index %lld is out of range for %lld", (long long)outside,
             (long long)self->th->size[dim]);
  return at;
}

/* On a device: in any order, or in that of the index where this was asked for. */
static void reduce_there(at_pool *pool, at_index_reduce_work *w, at_tensor *index)
{
  if (!w->floats || !at_cuda_getDeterministic()) {
    at_cuda()->launch(AT_KERNEL_reduceByIndex, THScalarDouble, w);
    return;
  }
  const at_ints line = {&w->count, 1};
  at_tensor *const keys = at_hold(pool, at_newShape(index->type, line));
  at_tensor *const sorted = at_hold(pool, at_newShape(index->type, line));
  at_tensor *const order = at_hold(pool, at_newShape(index->type, line));
  w->keys = at_data(keys);
  at_cuda()->launch(AT_KERNEL_positionsByIndex, THScalarDouble, w);
  AT_OF(index->type, sort)(sorted->th, (void *)order->th, keys->th, 0, false);
  w->sorted = at_data(sorted);
  w->order = at_data(order);
  at_cuda()->launch(AT_KERNEL_reduceInOrder, THScalarDouble, w);
}

/* Reduces src, or its part of index's size, to a copy of self, which the pool holds.  index is of Long, with any
 * strides. */
static at_tensor *reduced(at_pool *pool, at_tensor *self, int dim, at_tensor *index, at_tensor *src,
                          at_index_reduction how, bool include_self)
{
  const bool floats = at_isFloating(self->type->scalarType);
  const at_scalar_type type = floats ? AT_DOUBLE : AT_LONG;
  at_tensor *const copy = elements(pool, self, type);
  if (at_numel(index) == 0)
    return copy;
  at_tensor *const from = elements(pool, src, type);
  at_tensor *const counts =
      at_hold(pool, at_makeFilled(index->type, at_sizesOf(self), at_scalar_long(0)));
  at_index_reduce_work work = {.count = at_numel(index),
                               .elements = at_numel(self),
                               .dims = self->th->nDimension,
                               .dim = dim,
                               .how = how,
                               .floats = floats,
                               .includes = include_self,
                               .index = at_data(index),
                               .src = at_data(from),
                               .self = at_data(copy),
                               .counts = at_data(counts)};
  set_sizes(work.indexSize, index);
  for (int d = 0; d < index->th->nDimension; d++)
    work.indexStride[d] = index->th->stride[d];
  set_sizes(work.selfSize, self);
  set_sizes(work.srcSize, src);
  if (at_isOnHost(self->type))
    reduce(&work);
  else
    reduce_there(pool, &work, index);
  return copy;
}

/* Delivers the reduced copy: in place, to out, or as a new tensor. */
static at_tensor *deliver(at_pool *pool, at_tensor *out, at_tensor *self, at_tensor *copy)
{
  return at_finishOne(pool, out, at_hold(pool, at_newCast(copy, self->type)));
}

at_tensor *at_scatterReduce(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                            at_tensor *src, const char *reduce, bool include_self)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count), dims = self->th->nDimension;
  bool fits = index->th->nDimension == dims && src->th->nDimension == dims;
  for (int e = 0; fits && e < dims; e++)
    fits = index->th->size[e] <= src->th->size[e] &&
           (e == d || index->th->size[e] <= self->th->size[e]);
  if (!fits && at_numel(index) > 0)
    at_raise(AT_ERROR_ARGUMENT,
             "index has size (%s), self (%s) and src (%s): index may not be larger",
             at_sizeDesc(at_sizesOf(index)).str, at_sizeDesc(at_sizesOf(self)).str,
             at_sizeDesc(at_sizesOf(src)).str);
  const at_index_reduction how = reduction_of(reduce);
  check_types(self, index, src, how);
  at_pool pool;
  at_pool_enter(&pool);
  index = indices_of(&pool, self, d, index);
  return deliver(&pool, out, self, reduced(&pool, self, d, index, src, how, include_self));
}

at_tensor *at_indexReduce(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                          at_tensor *source, const char *reduce, bool include_self)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count), dims = self->th->nDimension;
  bool fits =
      source->th->nDimension == dims && at_sizesOf(index).count <= 1 && strcmp(reduce, "sum");
  for (int e = 0; fits && e < dims; e++)
    fits = source->th->size[e] == (e == d ? at_numel(index) : self->th->size[e]);
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT,
             "source has size (%s), self (%s), and index %lld elements, for reduce "
             "\"%s\"",
             at_sizeDesc(at_sizesOf(source)).str, at_sizeDesc(at_sizesOf(self)).str,
             (long long)at_numel(index), reduce);
  const at_index_reduction how = reduction_of(reduce);
  check_types(self, index, source, how);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *each = indices_of(&pool, self, d, index);
  if (dims > 0) { /* the index of each element of source */
    int64_t sizes[AT_MOST_DIMS];
    for (int e = 0; e < dims; e++)
      sizes[e] = e == d ? at_numel(index) : 1;
    each = at_hold(&pool, at_reshaped(each, (at_ints){sizes, dims}));
    each = at_hold(&pool, at_newExpanded(each, at_sizesOf(source)));
  }
  return deliver(&pool, out, self, reduced(&pool, self, d, each, source, how, include_self));
}
