/* Formulas of scans, and of reductions by index. */
#include <math.h>
#include <string.h>

#include "ATen/autograd/Formulas.h"

/* --- scans ------------------------------------------------------------------------------------ */

/* The sums of t from each element on, along dim. */
static at_tensor *sums_behind(at_tensor *t, int64_t dim)
{
  return at_flip(at_cumsum(at_flip(t, AT_INTS(dim)), dim), AT_INTS(dim));
}

at_tensor *at_cumprodGrad(at_tensor *grad, at_tensor *self, int64_t dim)
{
  if (!at_defined(self) || at_dim(self) == 0 || at_numel(self) == 0)
    return grad;
  at_tensor *const x = at_typed(self, grad);
  at_tensor *const isZero = at_eq(x, 0);
  at_tensor *const zeros = at_cumsum(isZero, dim);
  at_tensor *const isFirst = at_logical_and(isZero, at_eq(zeros, 1));
  at_tensor *const others = at_masked_fill(x, isFirst, 1); /* the products but for that zero */
  at_tensor *const before =
      at_div(sums_behind(at_mul(grad, at_cumprod(x, dim)), dim), at_masked_fill(x, isZero, 1));
  at_tensor *const at =
      sums_behind(at_mul(grad, at_masked_fill(at_cumprod(others, dim), at_eq(zeros, 0), 0)), dim);
  return at_where(isFirst, at, at_masked_fill(before, at_gt(zeros, 0), 0));
}

/* The sum, from each element on, of the exponential of what is positive, times grad's sign. */
static at_tensor *log_sums_behind(at_tensor *grad, at_tensor *self, at_tensor *result, int64_t dim)
{
  at_tensor *const isNone = at_le(grad, 0);
  at_tensor *const logs = at_sub(at_log(at_masked_fill(grad, isNone, 1)), result);
  at_tensor *const behind =
      at_logcumsumexp(at_flip(at_masked_fill(logs, isNone, -INFINITY), AT_INTS(dim)), dim);
  return at_exp(at_add(at_flip(behind, AT_INTS(dim)), self));
}

at_tensor *at_logcumsumexpGrad(at_tensor *grad, at_tensor *self, at_tensor *result, int64_t dim)
{
  if (!at_defined(self) || at_dim(self) == 0 || at_numel(self) == 0)
    return grad;
  return at_sub(log_sums_behind(grad, self, result, dim),
                log_sums_behind(at_neg(grad), self, result, dim));
}

/* --- reductions by index ---------------------------------------------------------------------- */

typedef struct {
  at_tensor *grad, *self, *src, *index, *result;
  int64_t dim;
  bool includes; /* self */
} Reduction;

static at_several product_grad(const Reduction *r)
{
  const at_scatter_reduce_options options = {r->includes};
  at_tensor *const isZero = at_eq(r->src, 0), *const isZeroSelf = at_eq(r->self, 0);
  at_tensor *const whole = at_masked_fill(r->self, isZeroSelf, 1);
  at_tensor *const others = (at_scatter_reduce)(whole, r->dim, r->index, r->src, "prod", &options);
  at_tensor *const self = at_div(at_mul(r->grad, others), whole);
  /* of a single zero, the product of the others */
  at_tensor *const counts =
      at_gather(at_scatter_add(at_zeros_like(r->self), r->dim, r->index, at_typed(isZero, r->self)),
                r->dim, r->index);
  at_tensor *const isSingle = at_logical_and(isZero, at_eq(counts, 1));
  at_tensor *const without =
      (at_scatter_reduce)(r->self, r->dim, r->index, at_masked_fill(r->src, isSingle, 1), "prod",
                          &options);
  at_tensor *const single = at_gather(at_mul(r->grad, without), r->dim, r->index);
  at_tensor *const usual = at_div(at_gather(at_mul(r->grad, r->result), r->dim, r->index),
                                  at_masked_fill(r->src, isZero, 1));
  return (at_several){{self, at_where(isSingle, single, usual)}};
}

static at_several mean_grad(const Reduction *r)
{
  at_tensor *const begin = r->includes ? at_ones_like(r->grad) : at_zeros_like(r->grad);
  at_tensor *const all = at_scatter_add(begin, r->dim, r->index, at_ones_like(r->src));
  at_tensor *const each = at_div(r->grad, at_clamp_min(all, 1));
  return (at_several){{each, at_gather(each, r->dim, r->index)}};
}

static at_several extreme_grad(const Reduction *r)
{
  at_tensor *const isSelf = at_typed(at_eq(r->self, r->result), r->grad);
  at_tensor *const isSrc = at_typed(at_eq(r->src, at_gather(r->result, r->dim, r->index)), r->grad);
  at_tensor *const begin = r->includes ? isSelf : at_zeros_like(isSelf);
  at_tensor *const count = at_scatter_add(begin, r->dim, r->index, isSrc);
  at_tensor *const each = at_div(r->grad, at_clamp_min(count, 1));
  at_tensor *const own = r->includes ? at_mul(isSelf, each) : r->grad;
  return (at_several){{own, at_mul(isSrc, at_gather(each, r->dim, r->index))}};
}

at_several at_scatterReduceGrad(at_tensor *grad, at_tensor *self, int64_t dim, at_tensor *index,
                                at_tensor *src, const char *reduce, bool includes,
                                at_tensor *result)
{
  if (!at_defined(index) || !at_defined(src) || !at_defined(self))
    return (at_several){{at_undefined(), at_undefined()}};
  at_tensor *part = src; /* index may be smaller than src */
  for (int d = 0; d < at_dim(index); d++)
    part = at_narrow(part, d, 0, at_size(index, d));
  const Reduction r = {grad, self, part, index, result, dim, includes};
  at_several made;
  if (!strcmp(reduce, "sum"))
    made = (at_several){{grad, at_gather(grad, dim, index)}};
  else if (!strcmp(reduce, "mean"))
    made = mean_grad(&r);
  else
    made = !strcmp(reduce, "prod") ? product_grad(&r) : extreme_grad(&r);
  if (!includes)
    made.of[0] = at_scatter_value(made.of[0], dim, index, 0);
  made.of[1] = at_padTo(made.of[1], at_sizes(src));
  return made;
}

at_several at_indexReduceGrad(at_tensor *grad, at_tensor *self, int64_t dim, at_tensor *index,
                              at_tensor *src, const char *reduce, bool includes, at_tensor *result)
{
  int64_t shape[AT_MOST_DIMS];
  if (!at_defined(src) || !at_defined(index))
    return (at_several){{at_undefined(), at_undefined()}};
  for (int d = 0; d < at_dim(src); d++)
    shape[d] = d == (dim < 0 ? dim + at_dim(src) : dim) ? -1 : 1;
  at_tensor *const wide =
      at_expand(at_reshape(index, ((at_ints){shape, at_dim(src)})), at_sizes(src));
  at_tensor *const longs = at_to(wide, at_toScalarType(at_typeOf(wide), AT_LONG));
  return at_scatterReduceGrad(grad, self, dim, longs, src, reduce, includes, result);
}
