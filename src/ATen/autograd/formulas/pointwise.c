/* Formulas of pointwise operations. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

void at_back_none(at_backward_call *call)
{
  for (int p = 0; p < call->node->formula->partialCount; p++)
    if (at_back_wants(call, p))
      at_back_give(call, p, at_zeros_like(at_back_grad(call, 0)));
}

at_tensor *at_scaled(at_tensor *t, at_scalar factor)
{
  return at_scalar_toDouble(factor) == 1 ? t : at_mul(t, factor);
}

at_tensor *at_shared(at_tensor *grad, at_tensor *loses, at_tensor *ties)
{
  return at_masked_fill(at_where(ties, at_mul(grad, 0.5), grad), loses, 0);
}

at_tensor *at_angleGrad(at_tensor *grad, at_tensor *x, at_tensor *self, at_tensor *other)
{
  at_tensor *const a = at_typed(self, grad), *const b = at_typed(other, grad);
  at_tensor *const square = at_add(at_mul(a, a), at_mul(b, b));
  return at_mul(grad, at_masked_fill(at_div(at_typed(x, grad), square), at_eq(square, 0), 0));
}

at_tensor *at_angleOfGrad(at_tensor *grad, at_tensor *self)
{
  if (!at_is_complex(self))
    return at_zeros_like(grad);
  at_tensor *const re = at_real(self), *const im = at_imag(self);
  return at_complex(at_neg(at_angleGrad(grad, im, re, im)), at_angleGrad(grad, re, re, im));
}

at_tensor *at_sgnGrad(at_tensor *grad, at_tensor *self, at_tensor *result)
{
  if (!at_is_complex(self))
    return at_zeros_like(grad);
  at_tensor *const along = at_mul(result, at_real(at_div(grad, self)));
  return at_masked_fill(at_sub(at_div(grad, at_abs(self)), along), at_eq(self, 0), 0);
}

at_tensor *at_eluGrad(at_tensor *grad, at_tensor *result, double alpha, double scale,
                      double inputScale)
{
  at_tensor *const below = at_mul(at_add(result, alpha * scale), inputScale);
  return at_mul(grad, at_where_self_scalar(at_gt(result, 0), at_scalar_double(scale), below));
}

at_several at_preluGrad(at_tensor *grad, at_tensor *self, at_tensor *weight)
{
  const at_grad_input_grad_weight made = (at_prelu_backward)(grad, self, weight, NULL);
  return (at_several){{made.grad_input, made.grad_weight}};
}

at_tensor *at_sumOver(at_tensor *t, int64_t dim)
{
  return at_sum_dim(t, AT_INTS(dim), .keepdim = true);
}

at_tensor *at_softmaxGrad(at_tensor *grad, at_tensor *before, at_tensor *output, int64_t dim)
{
  at_tensor *const own = at_mul(grad, at_sumOver(at_mul(before, output), dim));
  at_tensor *const other = at_mul(before, at_sumOver(at_mul(grad, output), dim));
  return at_sub(at_sub(at_mul(grad, before), own), other);
}

at_tensor *at_logSoftmaxGrad(at_tensor *grad, at_tensor *output, int64_t dim)
{
  return at_sub(grad, at_sumOver(at_mul(grad, at_exp(output)), dim));
}

/* --- powers ----------------------------------------------------------------------------------- */

at_tensor *at_powScalarGrad(at_tensor *grad, at_tensor *self, at_scalar exponent)
{
  const double power = at_scalar_toDouble(exponent);
  if (power == 0)
    return at_zeros_like(grad);
  return at_mul(grad, at_mul(at_pow(at_typed(self, grad), power - 1), power));
}

at_tensor *at_powGrad(at_tensor *grad, at_tensor *self, at_tensor *exponent)
{
  at_tensor *const power = at_typed(exponent, grad);
  at_tensor *const less = at_masked_fill(at_sub(power, 1), at_eq(power, 0), 0);
  return at_mul(grad, at_mul(power, at_pow(at_typed(self, grad), less)));
}

at_tensor *at_powExponentGrad(at_tensor *grad, at_tensor *self, at_tensor *exponent,
                              at_tensor *result)
{
  at_tensor *const isFlat = at_logical_and(at_eq(self, 0), at_ge(at_real(exponent), 0));
  return at_mul(grad, at_masked_fill(at_mul(result, at_log(self)), isFlat, 0));
}

/* PyTorch's gradient of clamp: none at the ends of the range, and none of NaN. */
at_tensor *at_clampGrad(at_tensor *grad, at_tensor *self, at_scalar min, at_scalar max)
{
  at_tensor *r = grad;
  if (!min.is_none)
    r = at_masked_fill(r, at_logical_not(at_gt(self, min)), 0);
  if (!max.is_none)
    r = at_masked_fill(r, at_logical_not(at_lt(self, max)), 0);
  return r;
}

at_tensor *at_sincGrad(at_tensor *grad, at_tensor *self, at_tensor *result)
{
  at_tensor *const slope = at_div(at_sub(at_cos(at_mul(self, M_PI)), result), self);
  return at_mul(grad, at_masked_fill(slope, at_eq(self, 0), 0));
}

at_tensor *at_xlogyGrad(at_tensor *grad, at_tensor *self, at_tensor *log, at_tensor *isNaN,
                        at_tensor *isLow)
{
  at_tensor *const isFlat =
      at_logical_and(at_logical_and(at_eq(self, 0), isLow), at_logical_not(isNaN));
  return at_mul(grad, at_masked_fill(log, isFlat, 0));
}

at_tensor *at_xlogyByNumber(at_tensor *grad, at_tensor *self, double log, bool isLow)
{
  return isLow ? at_mul(at_masked_fill(at_full_like(grad, log), at_eq(self, 0), 0), grad)
               : at_mul(grad, log);
}

at_tensor *at_powBaseGrad(at_tensor *grad, double base, at_tensor *exponent, at_tensor *result)
{
  at_tensor *const slope = at_mul(result, log(base));
  return at_mul(grad, base == 0 ? at_masked_fill(slope, at_ge(exponent, 0), 0) : slope);
}

/* grad where isWhole is true, half of it where isHalf is, else 0. */
static at_tensor *some_of(at_tensor *grad, at_tensor *isWhole, at_tensor *isHalf)
{
  at_tensor *const half = at_masked_fill(at_mul(grad, 0.5), at_logical_not(isHalf), 0);
  return at_where(isWhole, grad, half);
}

/* PyTorch's gradients of clamp with tensors: where self is one end of a range, each has half;
 * where it is both ends, self has all.  An end that is NaN has none. */
at_several at_clampTensorGrad(at_tensor *grad, at_tensor *self, at_tensor *min, at_tensor *max)
{
  at_several r = {{NULL}};
  if (!min || !max) {
    at_tensor *const end = min ? min : max, *const isEqual = at_eq(self, end);
    at_tensor *const isLess = at_lt(self, end), *const isMore = at_gt(self, end);
    r.of[0] = at_shared(grad, min ? isLess : isMore, isEqual);
    r.of[min ? 1 : 2] = at_shared(grad, min ? isMore : isLess, isEqual);
    return r;
  }
  at_tensor *const isRange = at_lt(min, max), *const isOrdered = at_le(min, max);
  at_tensor *const isLow = at_lt(self, min), *const isHigh = at_gt(self, max);
  at_tensor *const isMin = at_logical_and(at_eq(self, min), isRange);
  at_tensor *const isMax = at_logical_and(at_eq(self, max), isRange);
  r.of[0] = at_shared(grad, at_logical_or(isLow, isHigh), at_logical_or(isMin, isMax));
  r.of[1] = some_of(grad, at_logical_and(isLow, isOrdered), isMin);
  r.of[2] = some_of(grad, at_logical_or(at_logical_and(isHigh, isOrdered), at_gt(min, max)), isMax);
  return r;
}
