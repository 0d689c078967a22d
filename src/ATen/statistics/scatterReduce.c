/* Reductions of elements that an index assigns to one of self.  Elements are reduced as Double, or
 * integers as Long. */
#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "statistics.h"

typedef enum { SUM, PROD, MEAN, AMAX, AMIN, REDUCTIONS } Reduction;

static Reduction reduction_of(const char *name)
{
  static const char *const names[REDUCTIONS] = {"sum", "prod", "mean", "amax", "amin"};
  for (int i = 0; i < REDUCTIONS; i++)
    if (!strcmp(name, names[i]))
      return (Reduction)i;
  at_raise(AT_ERROR_ARGUMENT, "reduce is \"%s\", and has to be sum, prod, mean, amax or amin",
           name);
}

/* NaN remains. */
static void take_double(Reduction how, double *to, double x)
{
  const bool larger = x > *to || isnan(x), smaller = x < *to || isnan(x);
  *to = how == PROD   ? *to * x
        : how == AMAX ? (larger ? x : *to)
        : how == AMIN ? (smaller ? x : *to)
                      : *to + x;
}

static void take_long(Reduction how, int64_t *to, int64_t x)
{
  *to = how == PROD ? *to * x : how == AMAX ? THMax(*to, x) : how == AMIN ? THMin(*to, x) : *to + x;
}

/* What a reduction begins with where self is left out. */
static double first_double(Reduction how)
{
  return how == PROD ? 1 : how == AMAX ? (double)-INFINITY : how == AMIN ? (double)INFINITY : 0;
}

static int64_t first_long(Reduction how)
{
  return how == PROD ? 1 : how == AMAX ? INT64_MIN : how == AMIN ? INT64_MAX : 0;
}

/* Divides by the number of elements, rounding down. */
static int64_t mean_long(int64_t sum, int64_t count)
{
  const int64_t q = sum / count;
  return q - (sum % count != 0 && (sum < 0) != (count < 0));
}

/* The tensors of a reduction, all contiguous, on the host. */
typedef struct {
  Reduction how;
  bool floats, includes;
  void *self;
  const void *src;
  const int64_t *index;
  int64_t *count; /* of each element of self: how many were reduced to it */
} Operands;

/* Reduces element from of src to element to of self. */
static void take(const Operands *o, int64_t to, int64_t from)
{
  const bool begins = !o->includes && o->count[to] == 0;
  o->count[to]++;
  if (o->floats) {
    double *const r = (double *)o->self + to;
    *r = begins ? first_double(o->how) : *r;
    take_double(o->how, r, ((const double *)o->src)[from]);
  } else {
    int64_t *const r = (int64_t *)o->self + to;
    *r = begins ? first_long(o->how) : *r;
    take_long(o->how, r, ((const int64_t *)o->src)[from]);
  }
}

static void finish_means(const Operands *o, int64_t n)
{
  for (int64_t i = 0; i < n && o->how == MEAN; i++) {
    const int64_t count = o->count[i] + o->includes;
    if (o->count[i] == 0)
      continue;
    if (o->floats)
      ((double *)o->self)[i] /= (double)count;
    else
      ((int64_t *)o->self)[i] = mean_long(((int64_t *)o->self)[i], count);
  }
}

static at_tensor *elements(at_pool *pool, at_tensor *t, at_scalar_type type)
{
  return at_hold(pool, at_newCast(t, at_toScalarType(at_hostType(t->type), type)));
}

/* Opens the operands; self is copied, and the pool holds the copy, which is returned. */
static at_tensor *open(at_pool *pool, Operands *o, at_tensor *self, at_tensor *index,
                       at_tensor *src, const char *reduce, bool include_self)
{
  if (!at_isIndex(index))
    at_raise(AT_ERROR_TYPE, "index is of %s, and has to be of Long or Int",
             at_scalarTypeName(index->type->scalarType));
  at_checkType(src, "the source", self->type);
  o->how = reduction_of(reduce);
  o->floats = at_isFloating(self->type->scalarType);
  o->includes = include_self;
  if (self->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of Bool");
  const at_scalar_type type = o->floats ? AT_DOUBLE : AT_LONG;
  at_tensor *const copy = elements(pool, self, type);
  at_tensor *const count =
      at_hold(pool, at_makeFilled(at_toScalarType(at_hostType(self->type), AT_LONG),
                                  at_sizesOf(self), at_scalar_long(0)));
  o->self = at_hostData(copy);
  o->count = at_hostData(count);
  o->index = at_hostData(elements(pool, index, AT_LONG));
  o->src = at_hostData(elements(pool, src, type));
  return copy;
}

static void check_index(int64_t index, int64_t size)
{
  if (index < 0 || index >= size)
    at_raise(AT_ERROR_ARGUMENT, "index %lld is out of range for %lld", (long long)index,
             (long long)size);
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
  Operands o;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const copy = open(&pool, &o, self, index, src, reduce, include_self);
  for (int64_t i = 0; i < at_numel(index); i++) {
    int64_t rest = i, to = 0, from = 0, step = 1, srcStep = 1;
    for (int e = dims - 1; e >= 0; e--) {
      const int64_t at = rest % index->th->size[e];
      if (e == d)
        check_index(o.index[i], self->th->size[d]);
      to += (e == d ? o.index[i] : at) * step;
      from += at * srcStep;
      rest /= index->th->size[e];
      step *= self->th->size[e];
      srcStep *= src->th->size[e];
    }
    take(&o, to, from);
  }
  finish_means(&o, at_numel(copy));
  return deliver(&pool, out, self, copy);
}

at_tensor *at_indexReduce(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                          at_tensor *source, const char *reduce, bool include_self)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count), dims = self->th->nDimension;
  bool fits =
      source->th->nDimension == dims && at_sizesOf(index).count <= 1 && strcmp(reduce, "sum");
  int64_t outer = 1, inner = 1;
  for (int e = 0; fits && e < dims; e++) {
    fits = source->th->size[e] == (e == d ? at_numel(index) : self->th->size[e]);
    *(e < d ? &outer : &inner) *= e == d ? 1 : self->th->size[e];
  }
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT,
             "source has size (%s), self (%s), and index %lld elements, for reduce "
             "\"%s\"",
             at_sizeDesc(at_sizesOf(source)).str, at_sizeDesc(at_sizesOf(self)).str,
             (long long)at_numel(index), reduce);
  Operands o;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const copy = open(&pool, &o, self, index, source, reduce, include_self);
  const int64_t n = at_numel(index), size = self->th->size[d];
  for (int64_t k = 0; k < n; k++)
    check_index(o.index[k], size);
  for (int64_t i = 0; i < outer; i++)
    for (int64_t k = 0; k < n; k++)
      for (int64_t j = 0; j < inner; j++)
        take(&o, (i * size + o.index[k]) * inner + j, (i * n + k) * inner + j);
  finish_means(&o, at_numel(copy));
  return deliver(&pool, out, self, copy);
}
