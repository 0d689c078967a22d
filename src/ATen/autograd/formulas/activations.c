/* Gradients of activations, made of operations, so that they can be differentiated again. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

at_tensor *at_gluGrad(at_tensor *grad, at_tensor *self, int64_t dim)
{
  const at_tensors *const halves = at_chunk(self, 2, .dim = dim);
  if (halves->count != 2)
    return at_undefined();
  at_tensor *const gate = at_sigmoid(halves->data[1]);
  at_tensor *const slope = at_mul(at_mul(halves->data[0], gate), at_rsub(gate, 1));
  return at_cat(AT_TENSORS(at_mul(grad, gate), at_mul(grad, slope)), .dim = dim);
}

at_tensor *at_softplusGrad(at_tensor *grad, at_tensor *self, double beta, double threshold)
{
  at_tensor *const x = at_mul(self, beta);
  return at_mul(grad, at_masked_fill(at_sigmoid(x), at_gt(x, threshold), 1));
}

at_tensor *at_logitGrad(at_tensor *grad, at_tensor *self, at_scalar eps)
{
  const double low = eps.is_none ? 0 : at_scalar_toDouble(eps);
  at_tensor *const isOut = at_logical_or(at_lt(self, low), at_gt(self, 1 - low));
  at_tensor *const slope = at_div(grad, at_mul(self, at_rsub(self, 1)));
  return at_masked_fill(slope, isOut, eps.is_none ? NAN : 0);
}

/* The cumulative distribution and density of the normal distribution, or their approximations. */
at_tensor *at_geluGrad(at_tensor *grad, at_tensor *self, const char *approximate)
{
  if (approximate[0] != 't') {
    at_tensor *const density =
        at_mul(at_exp(at_mul(at_mul(self, self), -0.5)), M_2_SQRTPI * M_SQRT1_2 / 2);
    at_tensor *const below = at_mul(at_add(at_erf(at_mul(self, M_SQRT1_2)), 1), 0.5);
    return at_mul(grad, at_add(below, at_mul(self, density)));
  }
  const double scale = M_2_SQRTPI * M_SQRT1_2, cubic = 0.044715;
  at_tensor *const square = at_mul(self, self);
  at_tensor *const inner = at_mul(at_mul(self, at_add(at_mul(square, cubic), 1)), scale);
  at_tensor *const t = at_tanh(inner);
  at_tensor *const slope = at_mul(at_add(at_mul(square, 3 * cubic), 1), scale);
  at_tensor *const inside = at_mul(at_mul(self, at_rsub(at_mul(t, t), 1)), slope);
  return at_mul(grad, at_mul(at_add(at_add(t, 1), inside), 0.5));
}

at_tensor *at_siluGrad(at_tensor *grad, at_tensor *self)
{
  at_tensor *const s = at_sigmoid(self);
  return at_mul(grad, at_mul(s, at_add(at_mul(self, at_rsub(s, 1)), 1)));
}

at_tensor *at_mishGrad(at_tensor *grad, at_tensor *self)
{
  at_tensor *const t = at_tanh(at_softplus(self));
  at_tensor *const slope = at_mul(at_mul(self, at_sigmoid(self)), at_rsub(at_mul(t, t), 1));
  return at_mul(grad, at_add(t, slope));
}

at_tensor *at_hardswishGrad(at_tensor *grad, at_tensor *self)
{
  at_tensor *const slope = at_masked_fill(at_add(at_div(self, 3), 0.5), at_ge(self, 3), 1);
  return at_mul(grad, at_masked_fill(slope, at_le(self, -3), 0));
}

/* The weights of prelu as they are broadcast: one for all, or for each channel. */
static at_tensor *per_channel(at_tensor *weight, at_tensor *self)
{
  int64_t shape[AT_MOST_DIMS];
  const int dims = at_dim(self);
  if (dims == 0)
    return at_reshape(weight, AT_SCALAR_SHAPE);
  if (!at_defined(weight) || at_numel(weight) == 1 || dims < 2)
    return at_reshape(weight, AT_INTS(-1));
  for (int d = 0; d < dims; d++)
    shape[d] = d == 1 ? -1 : 1;
  return at_reshape(weight, ((at_ints){shape, dims}));
}

at_grad_input_grad_weight at_preluTwice(at_tensor *grad, at_tensor *self, at_tensor *weight,
                                        at_ints mask)
{
  at_grad_input_grad_weight r = {NULL, NULL};
  at_tensor *const wide = per_channel(weight, self);
  if (mask.data[0])
    r.grad_input = at_where(at_gt(self, 0), grad, at_mul(grad, wide));
  if (mask.data[1])
    r.grad_weight = at_reshape(at_sumToSize(at_mul(grad, at_clamp_max(self, 0)), at_sizes(wide)),
                               at_sizes(weight));
  return r;
}

at_tensor *at_rreluOf(at_tensor *self, at_tensor *noise, at_scalar lower, at_scalar upper,
                      bool training, at_generator *generator)
{
  if (!training)
    return at_leaky_relu(self, .negative_slope =
                                   (at_scalar_toDouble(lower) + at_scalar_toDouble(upper)) / 2);
  at_tensor *const slopes = noise ? noise : at_empty_like(self);
  const at_rrelu_with_noise_options options = {lower, upper, true,
                                               generator ? generator : AT_DEFAULT_GENERATOR};
  AT_NO_GRAD
  {
    if (!at_defined((at_rrelu_with_noise)(self, slopes, &options)))
      return at_undefined();
  }
  return at_mul(self, noise ? at_clone(at_detach(noise)) : slopes);
}
