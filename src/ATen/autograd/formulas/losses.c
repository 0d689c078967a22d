/* Formulas of losses. */
#include "ATen/autograd/Formulas.h"
#include "ATen/nn/criteria.h"

enum { NONE, MEAN, SUM }; /* reductions */

int64_t at_reductionOf(bool sizeAverage, bool reduce)
{
  return !reduce ? NONE : sizeAverage ? MEAN : SUM;
}

at_tensor *at_lossGrad(at_tensor *grad, at_tensor *self, at_tensor *target, int64_t reduction)
{
  if (reduction == NONE || !at_defined(self) || !at_defined(target))
    return grad;
  at_tensor *const like =
      at_add(at_shaped(grad, at_sizes(self)), at_shaped(grad, at_sizes(target)));
  if (reduction == MEAN)
    return at_expand(at_div(grad, (double)THMax(at_numel(like), 1)), at_sizes(like));
  return at_expand(grad, at_sizes(like));
}

at_tensor *at_weighted(at_tensor *t, at_tensor *weight)
{
  return weight ? at_mul(t, weight) : t;
}

at_tensor *at_smoothGrad(at_tensor *grad, at_tensor *x, at_tensor *y, double beta, double slope)
{
  at_tensor *const difference = at_sub(x, y);
  if (beta == 0)
    return at_mul(grad, at_sign(difference));
  at_tensor *const isNear = at_lt(at_abs(difference), beta);
  at_tensor *const slopes = at_where(isNear, at_div(difference, beta), at_sign(difference));
  return at_mul(grad, at_mul(slopes, slope));
}

at_tensor *at_klTargetSlope(at_tensor *self, at_tensor *target, bool isLog)
{
  if (isLog)
    return at_mul(at_exp(target), at_add(at_sub(target, self), 1));
  return at_masked_fill(at_sub(at_add(at_log(target), 1), self), at_le(target, 0), 0);
}

at_tensor *at_logitsTargetSlope(at_tensor *self, at_tensor *positive)
{
  if (!positive)
    return at_neg(self);
  return at_sub(at_log_sigmoid(at_neg(self)), at_mul(at_log_sigmoid(self), positive));
}

at_tensor *at_poissonTargetSlope(at_tensor *input, at_tensor *target, bool isLog, bool full,
                                 double eps)
{
  at_tensor *const slope = at_neg(isLog ? input : at_log(at_add(input, eps)));
  if (!full)
    return slope;
  at_tensor *const more = at_add(at_log(target), at_div(at_full_like(target, 0.5), target));
  return at_add(slope, at_masked_fill(more, at_le(target, 1), 0));
}

at_tensor *at_logitsSlope(at_tensor *self, at_tensor *target, at_tensor *positive)
{
  at_tensor *const p = at_sigmoid(self);
  if (!positive)
    return at_sub(p, target);
  at_tensor *const t = at_mul(target, positive);
  return at_sub(at_mul(at_sub(at_add(t, 1), target), p), t);
}

at_tensor *at_rankingGrad(at_tensor *grad, at_tensor *x, at_tensor *y, at_tensor *target,
                          double margin)
{
  at_tensor *const loss = at_rsub(at_mul(target, at_sub(x, y)), margin);
  return at_neg(at_mul(at_mul(grad, target), at_gt(loss, 0)));
}

/* --- classes ---------------------------------------------------------------------------------- */

/* The weight of each target, 0 where it is ignored; safe gets the targets with those as class 0. */
static at_tensor *class_weights(at_tensor *grad, at_tensor *target, at_tensor *weight,
                                int64_t ignored, at_tensor **safe)
{
  at_tensor *const isUsed = at_ne(target, ignored);
  *safe = at_where_other_scalar(isUsed, at_to(target, at_toScalarType(at_typeOf(grad), AT_LONG)),
                                at_scalar_long(0));
  at_tensor *const used = at_to(isUsed, at_typeOf(grad));
  if (!weight)
    return used;
  at_tensor *const own = at_index_select(weight, 0, at_reshape(*safe, AT_INTS(-1)));
  return at_mul(used, at_reshape(own, at_sizes(target)));
}

/* grad / total; where that is 0, nothing is used, and grad does not matter. */
static at_tensor *mean_of(at_tensor *grad, at_tensor *total)
{
  return at_div(grad, at_masked_fill(total, at_eq(total, 0), 1));
}

at_tensor *at_nllGrad(at_tensor *grad, at_ints sizes, at_tensor *target, at_tensor *weight,
                      at_tensor *total, int64_t reduction, int64_t ignored)
{
  if (!at_defined(grad) || !at_defined(target))
    return at_undefined();
  at_tensor *safe;
  const int dim = sizes.count > 1;
  if (sizes.count == 1) { /* one row, whose target may be a number or a vector */
    target = at_reshape(target, AT_SCALAR_SHAPE);
    grad = at_reshape(grad, AT_SCALAR_SHAPE);
  }
  at_tensor *const own = class_weights(grad, target, weight, ignored, &safe);
  at_tensor *const scale = reduction == MEAN ? mean_of(grad, total ? total : at_sum(own)) : grad;
  at_tensor *const values = at_neg(at_mul(own, scale));
  return at_scatter(at_new_zeros(grad, sizes), dim, at_unsqueeze(safe, dim),
                    at_unsqueeze(values, dim));
}

/* weight, one number per class, in a shape that broadcasts to self; NULL if there is none. */
static at_tensor *per_class(at_tensor *weight, at_tensor *self)
{
  int64_t shape[AT_MOST_DIMS];
  for (int d = 0; d < at_dim(self); d++)
    shape[d] = d == (at_dim(self) > 1) ? -1 : 1;
  return weight ? at_reshape(weight, ((at_ints){shape, at_dim(self)})) : NULL;
}

/* grad of the loss as that of each row's sum, where targets are probabilities. */
static at_tensor *row_gradient(at_tensor *grad, at_tensor *self, int64_t reduction)
{
  const int dim = at_dim(self) > 1;
  return reduction == MEAN  ? at_div(grad, (double)at_numel(self) / (double)at_size(self, dim))
         : reduction == SUM ? grad
                            : at_unsqueeze(grad, dim);
}

/* The gradient of the loss with respect to the logarithms of the probabilities. */
static at_tensor *log_gradient(at_tensor *grad, at_tensor *self, at_tensor *target,
                               at_tensor *weight, int64_t reduction, int64_t ignored,
                               double smoothing)
{
  const int dim = at_dim(self) > 1;
  const double classes = (double)at_size(self, dim);
  at_tensor *const perClass = per_class(weight, self);
  if (at_dim(target) == at_dim(self)) { /* probabilities */
    at_tensor *const p = at_add(at_mul(target, 1 - smoothing), smoothing / classes);
    return at_neg(at_mul(at_weighted(p, perClass), row_gradient(grad, self, reduction)));
  }
  at_tensor *const hard =
      at_nllGrad(grad, at_sizes(self), target, weight, NULL, reduction, ignored);
  if (smoothing == 0)
    return hard;
  at_tensor *safe;
  at_tensor *const own = class_weights(grad, target, weight, ignored, &safe);
  at_tensor *const isUsed = at_ne(target, ignored);
  at_tensor *const scale = at_mul(reduction == MEAN ? mean_of(grad, at_sum(own)) : grad, isUsed);
  at_tensor *const even =
      at_expand(at_mul(at_unsqueeze(scale, dim), -smoothing / classes), at_sizes(self));
  return at_add(at_mul(hard, 1 - smoothing), at_weighted(even, perClass));
}

/* On a device, where no graph of the gradient is wanted, and targets are classes. */
static at_tensor *device_gradient(at_tensor *grad, at_tensor *self, at_tensor *target,
                                  at_tensor *weight, int64_t reduction, int64_t ignored,
                                  double smoothing)
{
  at_call call;
  at_begin(&call, "cross_entropy_loss");
  at_tensor *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    made = at_crossEntropyDeviceGrad(grad, self, target, weight, reduction, ignored, smoothing);
  }
  if (at_failed(&call))
    return at_undefined();
  at_own(&made->owned);
  return made;
}

at_tensor *at_crossEntropyGrad(at_tensor *grad, at_tensor *self, at_tensor *target,
                               at_tensor *weight, int64_t reduction, int64_t ignored,
                               double smoothing)
{
  if (!at_defined(self) || !at_defined(target))
    return at_undefined();
  if (at_defined(grad) && !at_isOnHost(self->type) && !at_grad_isOn() &&
      at_dim(target) < at_dim(self))
    return device_gradient(grad, self, target, weight, reduction, ignored, smoothing);
  const int dim = at_dim(self) > 1;
  at_tensor *const output = at_log_softmax(self, dim);
  at_tensor *const inner = log_gradient(grad, self, target, weight, reduction, ignored, smoothing);
  return at_log_softmax_backward(inner, output, dim, output);
}

at_tensor *at_crossEntropyTargetGrad(at_tensor *grad, at_tensor *self, at_tensor *weight,
                                     int64_t reduction, double smoothing)
{
  if (!at_defined(self))
    return at_undefined();
  at_tensor *const output = at_log_softmax(self, at_dim(self) > 1);
  return at_mul(at_mul(at_weighted(output, per_class(weight, self)), smoothing - 1),
                row_gradient(grad, self, reduction));
}
