/* Reductions of complex tensors. */
#include "complex.h"

#include <math.h>

#include "ATen/core/ATenOperations.h"

static const at_scalar none;

/* The dimensions counted from the front, all if none is named. */
static at_ints counted(at_tensor *t, at_ints dims, int64_t *buffer)
{
  const int count = at_sizesOf(t).count;
  if (dims.count > count) /* one is named twice, which at_reduce says */
    return dims;
  for (int i = 0; i < (dims.count ? dims.count : count); i++)
    buffer[i] = dims.count ? at_wrapDim(dims.data[i], count) : i;
  return (at_ints){buffer, dims.count ? dims.count : count};
}

/* Sums and means are those of the parts. */
at_tensor *at_complexSum(at_tensor *out, at_reducing how, at_tensor *x, at_ints dims, bool keepdim,
                         at_scalar p)
{
  int64_t buffer[AT_MOST_DIMS];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = x;
  if (!x->isScalar) {
    at_tensor *pairs = at_hold(&pool, at_viewPairs(x));
    made = at_hold(&pool, at_reduce(NULL, how, pairs, counted(x, dims, buffer), keepdim, NULL, p));
    made = at_hold(&pool, at_viewComplex(made));
  } else {
    at_release(at_reduce(NULL, how, at_hold(&pool, at_viewPart(x, 0)), dims, keepdim, NULL, p));
    made = at_hold(&pool, at_newCast(x, x->type));
  }
  return at_finishOne(&pool, out, made);
}

/* The product along a dimension: pairs of slices are multiplied, then pairs of products. */
static at_tensor *product_along(at_pool *pool, at_tensor *x, int dim)
{
  int64_t count = at_sizesOf(x).data[dim];
  if (count == 0) {
    int64_t buffer[AT_MOST_DIMS];
    const at_ints own = at_sizesOf(x);
    for (int d = 0; d < own.count; d++)
      buffer[d] = d == dim ? 1 : own.data[d];
    return at_hold(pool, at_makeFilled(x->type, (at_ints){buffer, own.count}, at_scalar_long(1)));
  }
  x = at_retain(x);
  while (count > 1) {
    const int64_t half = count / 2;
    at_pool step;
    at_pool_enter(&step);
    at_hold(&step, x);
    at_tensor *const in[] = {at_hold(&step, at_viewNarrow(x, dim, 0, half)),
                             at_hold(&step, at_viewNarrow(x, dim, half, half))};
    at_tensor *made = at_hold(&step, at_complexRow(NULL, TH_POINTWISE_cmul, x->type->scalarType, 2,
                                                   in, none, none));
    if (count % 2) {
      at_tensor *const both[] = {made, at_hold(&step, at_viewNarrow(x, dim, count - 1, 1))};
      made = at_hold(&step, at_joined(NULL, (at_tensors){both, 2}, dim));
    }
    x = at_pool_keep(&step, made);
    count = half + count % 2;
  }
  return at_hold(pool, x);
}

at_tensor *at_complexProductAlong(at_tensor *out, TH_UNUSED at_reducing how, at_tensor *x,
                                  at_ints dims, bool keepdim, TH_UNUSED at_scalar p)
{
  static const int64_t all = -1;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made;
  if (dims.count == 0) {
    made = at_hold(&pool, at_reshaped(x, (at_ints){&all, 1}));
    made = at_hold(&pool, at_viewSelect(product_along(&pool, made, 0), 0, 0));
  } else if (dims.count > 1) {
    at_raise(AT_ERROR_ARGUMENT, "the product of complex numbers is that of one dimension, not %d",
             dims.count);
  } else {
    const int d = at_wrapDim(dims.data[0], at_sizesOf(x).count);
    made = x->isScalar ? x : product_along(&pool, x, d);
    if (!keepdim && !x->isScalar)
      made = at_hold(&pool, at_viewSelect(made, d, 0));
  }
  return at_finishOne(&pool, out, at_hold(&pool, at_newCast(made, made->type)));
}

at_tensor *at_complexVariance(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                              at_scalar correction, bool keepdim)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *parts[2];
  for (int k = 0; k < 2; k++)
    parts[k] = at_hold(&pool, at_variance(NULL, AT_VAR, at_hold(&pool, at_viewPart(self, k)), dims,
                                          correction, keepdim));
  at_tensor *const sum =
      at_hold(&pool, at_binary(NULL, AT_ROW_cadd, parts[0], parts[1], at_scalar_long(1)));
  if (at_reducer_nameOf(how) == AT_REDUCTION_std)
    at_unary(sum, AT_ROW_sqrt, sum);
  return at_finishOne(&pool, out, sum);
}

at_tensor *at_complexNorm(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                          bool keepdim, at_scalar p)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r =
      at_reduce(out, how, at_hold(&pool, at_absoluteOf(NULL, self)), dims, keepdim, NULL, p);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_complexTruth(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                           bool keepdim, at_scalar p)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = at_cast(&pool, self, at_toScalarType(self->type, AT_BOOL));
  at_tensor *const r = at_reduce(out, how, x, dims, keepdim, NULL, p);
  at_pool_leave(&pool);
  return r;
}

/* Multiplies each slice along dim by the one before it. */
static void multiply_up(at_tensor *t, int dim)
{
  for (int64_t i = 1; i < at_sizesOf(t).data[dim] && at_numel(t) > 0; i++) {
    at_pool step;
    at_pool_enter(&step);
    at_tensor *const in[] = {at_hold(&step, at_viewSelect(t, dim, i)),
                             at_hold(&step, at_viewSelect(t, dim, i - 1))};
    at_complexRow(in[0], TH_POINTWISE_cmul, t->type->scalarType, 2, in, none, none);
    at_pool_leave(&step);
  }
}

at_tensor *at_accumulateComplex(at_tensor *out, bool product, at_tensor *self, int dim,
                                const at_type *type)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = at_cast(&pool, self, type);
  if (product && !made->isScalar) {
    made = at_hold(&pool, at_newCast(made, type));
    multiply_up(made, dim);
  } else if (!made->isScalar) {
    made = at_accumulate(NULL, false, at_hold(&pool, at_viewPairs(made)), dim, NULL);
    made = at_hold(&pool, at_viewComplex(at_hold(&pool, made)));
  } else {
    made = at_hold(&pool, at_newCast(made, type));
  }
  return at_finishOne(&pool, out, made);
}
