/* Selection and change of elements of complex tensors by indices and masks: as slices of reals,
 * whose last dimension is that of the parts. */
#include "pairs.h"

#include "ATen/core/ATenOperations.h"

static at_tensor *pairs_of(at_pool *pool, at_tensor *t, const char *name)
{
  if (!at_isComplex(t->type->scalarType))
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be complex as self", name,
             at_scalarTypeName(t->type->scalarType));
  if (t->isScalar)
    at_raise(AT_ERROR_ARGUMENT, "%s is complex and has no dimensions: it has no slices", name);
  return at_hold(pool, at_viewPairs(t));
}

/* The result, of which made has the pairs. */
static at_tensor *finish(at_pool *pool, at_tensor *out, at_tensor *made)
{
  return at_finishOne(pool, out, at_hold(pool, at_viewComplex(at_hold(pool, made))));
}

/* The result of a function that changes x, the pairs of self, if out is self: out, or a result of the pairs made. */
static at_tensor *finish_change(at_pool *pool, at_tensor *out, at_tensor *x, at_tensor *made)
{
  if (made != x)
    return finish(pool, out, made);
  at_pool_leave(pool);
  return out;
}

/* A part of t, which is complex as self. */
static at_tensor *part_of(at_pool *pool, at_tensor *t, int part)
{
  return at_hold(pool, at_viewPart(t, part));
}

/* The result of a self without dimensions, which has no slices, from those of its parts. */
static at_tensor *of_parts(at_pool *pool, at_tensor *out, at_tensor *const *parts)
{
  return at_finishOne(pool, out, at_hold(pool, at_complexFrom(NULL, parts[0], parts[1])));
}

/* The index of each element for both of its parts. */
static at_tensor *for_parts(at_pool *pool, at_tensor *index)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(index), sizes = {buffer, own.count + 1};
  at_checkDims(sizes.count);
  for (int d = 0; d < own.count; d++)
    buffer[d] = own.data[d];
  buffer[own.count] = 2;
  return at_hold(pool, at_newExpanded(at_hold(pool, at_viewUnsqueeze(index, -1)), sizes));
}

at_tensor *at_indexedPairs(at_tensor *out, at_tensor *self, at_tensors indices)
{
  at_pool pool;
  at_pool_enter(&pool);
  return finish(&pool, out, at_indexed(NULL, pairs_of(&pool, self, "self"), indices));
}

at_tensor *at_indexPutPairs(at_tensor *out, at_tensor *self, at_tensors indices, at_tensor *values,
                            bool accumulate)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_checkType(values, "values", self->type);
  at_tensor *x = pairs_of(&pool, self, "self"), *v = at_hold(&pool, at_viewPairs(values));
  return finish_change(&pool, out, x,
                       at_indexPut(out == self ? x : NULL, x, indices, v, accumulate));
}

/* What is moved along a dimension of self: slices or elements, from source if there is one. */
typedef struct Move {
  at_tensor *(*run)(const struct Move *m, at_tensor *out, at_tensor *self, at_tensor *index,
                    at_tensor *source);
  int dim;
  at_tensor *index;
  bool ofElements; /* index has one for each element */
  const char *name;
  at_tensor *source;
  at_scalar alpha;
  bool adds;
} Move;

static at_tensor *moved(at_tensor *out, at_tensor *self, const Move *m)
{
  at_pool pool;
  at_pool_enter(&pool);
  if (m->source)
    at_checkType(m->source, m->name, self->type);
  if (self->isScalar) {
    at_tensor *parts[2];
    for (int k = 0; k < 2; k++)
      parts[k] = at_hold(&pool, m->run(m, NULL, part_of(&pool, self, k), m->index,
                                       m->source ? part_of(&pool, m->source, k) : NULL));
    return of_parts(&pool, out, parts);
  }
  at_tensor *x = pairs_of(&pool, self, "self");
  at_tensor *s = m->source ? pairs_of(&pool, m->source, m->name) : NULL;
  at_tensor *index = m->ofElements ? for_parts(&pool, m->index) : m->index;
  return finish_change(&pool, out, x, m->run(m, m->source && out == self ? x : NULL, x, index, s));
}

static at_tensor *select_slices(const Move *m, at_tensor *out, at_tensor *self, at_tensor *index,
                                at_tensor *source)
{
  return at_indexSelect(out, self, m->dim, index);
}

static at_tensor *copy_slices(const Move *m, at_tensor *out, at_tensor *self, at_tensor *index,
                              at_tensor *source)
{
  return at_indexCopy(out, self, m->dim, index, source);
}

static at_tensor *add_slices(const Move *m, at_tensor *out, at_tensor *self, at_tensor *index,
                             at_tensor *source)
{
  return at_indexAdd(out, self, m->dim, index, source, m->alpha);
}

static at_tensor *gather(const Move *m, at_tensor *out, at_tensor *self, at_tensor *index,
                         at_tensor *source)
{
  return at_gathered(out, self, m->dim, index);
}

static at_tensor *scatter(const Move *m, at_tensor *out, at_tensor *self, at_tensor *index,
                          at_tensor *source)
{
  return at_scattered(out, self, m->dim, index, source, m->adds);
}

at_tensor *at_indexSelectPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  return moved(out, self, &(Move){select_slices, d, index});
}

at_tensor *at_indexCopyPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                             at_tensor *source)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  return moved(out, self, &(Move){copy_slices, d, index, .name = "source", .source = source});
}

at_tensor *at_indexAddPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                            at_tensor *source, at_scalar alpha)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  return moved(out, self,
               &(Move){add_slices, d, index, .name = "source", .source = source, .alpha = alpha});
}

at_tensor *at_gatheredPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  return moved(out, self, &(Move){gather, d, index, true});
}

at_tensor *at_scatteredPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                             at_tensor *src, bool adds)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  return moved(out, self,
               &(Move){scatter, d, index, true, .name = "src", .source = src, .adds = adds});
}

at_tensor *at_takenPairs(at_tensor *out, at_tensor *self, at_tensor *index)
{
  static const int64_t all = -1;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *line = at_hold(&pool, at_reshaped(self, (at_ints){&all, 1}));
  return finish(&pool, out,
                at_indexed(NULL, pairs_of(&pool, line, "self"), (at_tensors){&index, 1}));
}

at_tensor *at_maskedFillPairs(at_tensor *out, at_tensor *self, at_tensor *mask, at_scalar value)
{
  if (out == self)
    at_checkBroadcast(mask, at_sizesOf(self));
  return at_choose(out, mask, NULL, value, self, at_scalar_none());
}

/* The one element of value, in self's type. */
static at_tensor *element_for(at_pool *pool, const at_tensor *self, at_tensor *value)
{
  if (at_sizesOf(value).count > 0)
    at_raise(AT_ERROR_ARGUMENT, "value has size (%s), and has to have no dimensions",
             at_sizeDesc(at_sizesOf(value)).str);
  return at_hold(pool, at_newCast(value, self->type));
}

at_tensor *at_maskedFillByPairs(at_tensor *out, at_tensor *self, at_tensor *mask, at_tensor *value)
{
  if (out == self)
    at_checkBroadcast(mask, at_sizesOf(self));
  at_pool pool;
  at_pool_enter(&pool);
  value = element_for(&pool, self, value);
  at_tensor *const r = at_choose(out, mask, value, at_scalar_none(), self, at_scalar_none());
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_maskedSelectPairs(at_tensor *out, at_tensor *self, at_tensor *mask)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const both[] = {self, mask};
  at_ints sizes = at_broadcast(2, both, buffer);
  if (sizes.count == 0)
    buffer[sizes.count++] = 1;
  at_pool pool;
  at_pool_enter(&pool);
  mask = at_hold(&pool, at_newExpanded(mask, sizes));
  self = at_hold(&pool, at_newExpanded(self, sizes));
  return finish(&pool, out,
                at_indexed(NULL, pairs_of(&pool, self, "self"), (at_tensors){&mask, 1}));
}

at_tensor *at_scatterFillPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                               at_scalar value)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *src = at_hold(&pool, at_makeFilled(self->type, at_sizesOf(index), value));
  at_tensor *const r = at_scatteredPairs(out, self, dim, index, src, false);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_indexFillPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                             at_scalar value)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *one = at_hold(&pool, at_makeFilled(self->type, (at_ints){NULL, 0}, value));
  at_tensor *const r = at_indexFillByPairs(out, self, dim, index, one);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_indexFillByPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                               at_tensor *value)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(self);
  const int along = at_wrapDim(dim, own.count);
  for (int d = 0; d < own.count; d++)
    buffer[d] = d == along ? at_numel(index) : own.data[d];
  at_pool pool;
  at_pool_enter(&pool);
  value = element_for(&pool, self, value);
  at_tensor *source = at_hold(&pool, at_newExpanded(value, (at_ints){buffer, own.count}));
  at_tensor *const r = at_indexCopyPairs(out, self, along, index, source);
  at_pool_leave(&pool);
  return r;
}

/* Pairs are taken from source in the order in which the mask has them. */
at_tensor *at_maskedScatterPairs(at_tensor *out, at_tensor *self, at_tensor *mask,
                                 at_tensor *source)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const both[] = {self, mask};
  const at_ints sizes = out == self ? at_sizesOf(self) : at_broadcast(2, both, buffer);
  at_checkBroadcast(mask, sizes);
  at_checkType(source, "source", self->type);
  at_pool pool;
  at_pool_enter(&pool);
  mask = at_hold(&pool, at_newExpanded(mask, sizes));
  if (out != self)
    self = at_hold(&pool, at_newExpanded(self, sizes));
  at_tensor *x = pairs_of(&pool, self, "self"), *s = at_hold(&pool, at_viewPairs(source));
  return finish_change(&pool, out, x,
                       at_maskedScatter(out == self ? x : NULL, x, for_parts(&pool, mask), s));
}

at_tensor *at_putPairs(at_tensor *out, at_tensor *self, at_tensor *index, at_tensor *source,
                       bool accumulate)
{
  static const int64_t all = -1;
  const at_ints line = {&all, 1};
  if (at_numel(source) != at_numel(index))
    at_raise(AT_ERROR_ARGUMENT, "source has %lld elements, index has %lld",
             (long long)at_numel(source), (long long)at_numel(index));
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *changed = out == self ? self : at_hold(&pool, at_newCast(self, self->type));
  at_tensor *flat = at_hold(&pool, at_viewAs(changed, line));
  at_tensor *where = at_hold(&pool, at_reshaped(index, line));
  at_tensor *values = at_hold(&pool, at_reshaped(source, line));
  at_indexPutPairs(flat, flat, (at_tensors){&where, 1}, values, accumulate);
  return at_finishOne(&pool, out, changed);
}
