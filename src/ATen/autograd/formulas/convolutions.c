/* Formulas of convolutions and of their gradients. */
#include "ATen/autograd/Formulas.h"

/* The gradients of the image, the weights and the bias, as far as mask has a 1. */
static at_grad_input_grad_weight_grad_bias backward(at_tensor *grad, at_tensor *input,
                                                    at_tensor *weight,
                                                    const at_conv_grad_options *how,
                                                    const int64_t *mask)
{
  const at_convolution_backward_options options = {.output_mask = {mask, 3}};
  const bool isOne = at_dim(input) == at_dim(weight) - 1; /* an image without a batch */
  const int64_t channels = at_size(grad, isOne ? 0 : 1);
  at_grad_input_grad_weight_grad_bias made =
      (at_convolution_backward)(isOne ? at_unsqueeze(grad, 0) : grad,
                                isOne ? at_unsqueeze(input, 0) : input, weight, AT_INTS(channels),
                                how->stride, how->padding, how->dilation, how->isTransposed,
                                how->outputPadding, how->groups, &options);
  if (isOne && made.grad_input)
    made.grad_input = at_squeeze_dim(made.grad_input, 0);
  return made;
}

static at_tensor *forward(at_tensor *input, at_tensor *weight, at_tensor *bias,
                          const at_conv_grad_options *how)
{
  return at_convolution(input, weight, bias, how->stride, how->padding, how->dilation,
                        how->isTransposed, how->outputPadding, how->groups);
}

at_several at_convGrad(at_tensor *grad, at_tensor *input, at_tensor *weight,
                       at_conv_grad_options how, const bool *wants)
{
  const int64_t mask[3] = {wants[0], wants[1], wants[2]};
  const at_grad_input_grad_weight_grad_bias made = backward(grad, input, weight, &how, mask);
  return (at_several){{made.grad_input, made.grad_weight, made.grad_bias}};
}

/* --- the gradient of the gradient ------------------------------------------------------------- */

/* a + b, either of which may be NULL. */
static at_tensor *sum_of(at_tensor *a, at_tensor *b)
{
  return a && b ? at_add(a, b) : a ? a : b;
}

/* t, or zeros. */
static at_tensor *or_zeros(at_tensor *t, at_tensor *like)
{
  return t ? t : at_zeros_like(like);
}

/* bias, spread over the images of like. */
static at_tensor *spread(at_tensor *bias, at_tensor *like, int axes)
{
  for (int d = 0; d < axes; d++)
    bias = at_unsqueeze(bias, -1);
  return at_expand(bias, at_sizes(like));
}

at_several at_convTwice(at_tensor *ofInput, at_tensor *ofWeight, at_tensor *ofBias, at_tensor *grad,
                        at_tensor *input, at_tensor *weight, at_conv_grad_options how)
{
  static const int64_t first[3] = {1, 0, 0}, second[3] = {0, 1, 0};
  at_several r = {{NULL}};
  if (ofInput) {
    r.of[0] = forward(ofInput, weight, NULL, &how);
    r.of[2] = backward(grad, ofInput, weight, &how, second).grad_weight;
  }
  if (ofWeight) {
    r.of[0] = sum_of(r.of[0], forward(input, ofWeight, NULL, &how));
    r.of[1] = backward(grad, input, ofWeight, &how, first).grad_input;
  }
  if (ofBias)
    r.of[0] = sum_of(r.of[0], spread(ofBias, grad, at_dim(weight) - 2));
  r.of[0] = or_zeros(r.of[0], grad);
  r.of[1] = or_zeros(r.of[1], input);
  r.of[2] = or_zeros(r.of[2], weight);
  return r;
}

at_grad_output_grad_self_grad_weight at_convTwiceOf(at_tensor *ofInput, at_tensor *ofWeight,
                                                    at_tensor *ofBias, at_tensor *grad,
                                                    at_tensor *weight, at_tensor *input,
                                                    at_conv_grad_options how, at_ints mask)
{
  const at_several all = at_convTwice(ofInput, ofWeight, ofBias, grad, input, weight, how);
  return (at_grad_output_grad_self_grad_weight){mask.data[0] ? all.of[0] : NULL,
                                                mask.data[1] ? all.of[1] : NULL,
                                                mask.data[2] ? all.of[2] : NULL};
}

/* --- paddings in words ------------------------------------------------------------------------ */

at_several at_convPaddedGrad(at_tensor *grad, at_tensor *input, at_tensor *weight,
                             const char *padding, at_conv_grad_options how, const bool *wants)
{
  int64_t before[3] = {0}, behind[6] = {0};
  const int axes = at_dim(weight) - 2;
  bool isOdd = false;
  for (int a = 0; a < axes && padding[0] == 's'; a++) {
    const int64_t step = how.dilation.data[how.dilation.count == 1 ? 0 : a];
    const int64_t more = step * (at_size(weight, 2 + a) - 1);
    before[a] = more / 2;
    behind[2 * (axes - 1 - a) + 1] = more % 2;
    isOdd = isOdd || more % 2;
  }
  how.padding = (at_ints){before, axes};
  const at_ints pad = {behind, 2 * axes};
  at_several r =
      at_convGrad(grad, isOdd ? at_constant_pad_nd(input, pad) : input, weight, how, wants);
  if (isOdd && r.of[0])
    r.of[0] = at_padGrad(r.of[0], pad);
  return r;
}

/* --- as THNN's layers ------------------------------------------------------------------------- */

/* weight, which may be a matrix, with a dimension for each axis of the kernel. */
static at_tensor *whole_weight(at_tensor *weight, at_tensor *input, at_tensor *grad, at_ints kernel,
                               bool isTransposed)
{
  int64_t sizes[5];
  const int count = kernel.count + 2;
  const int plane = at_dim(input) == count ? 1 : 0;
  if (at_dim(weight) != 2)
    return weight;
  sizes[0] = at_size(isTransposed ? input : grad, plane);
  sizes[1] = at_size(isTransposed ? grad : input, plane);
  for (int d = 0; d < kernel.count; d++)
    sizes[2 + d] = kernel.data[d];
  return at_reshape(weight, ((at_ints){sizes, count}));
}

at_several at_layerConvGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, at_ints kernel,
                            at_conv_grad_options how, const bool *wants)
{
  at_tensor *const whole = whole_weight(weight, input, grad, kernel, how.isTransposed);
  at_several r = at_convGrad(grad, input, whole, how, wants);
  if (r.of[1])
    r.of[1] = at_reshape(r.of[1], at_sizes(weight));
  return r;
}

at_several at_layerConvTwice(at_tensor *ofInput, at_tensor *ofWeight, at_tensor *ofBias,
                             at_tensor *grad, at_tensor *input, at_tensor *weight, at_ints kernel,
                             at_conv_grad_options how)
{
  at_tensor *const whole = whole_weight(weight, input, grad, kernel, how.isTransposed);
  at_tensor *const wholeGrad = ofWeight ? at_reshape(ofWeight, at_sizes(whole)) : NULL;
  at_several r = at_convTwice(ofInput, wholeGrad, ofBias, grad, input, whole, how);
  r.of[2] = at_reshape(r.of[2], at_sizes(weight));
  return r;
}

/* --- sequences, time first -------------------------------------------------------------------- */

static const at_ints toPlanes = {(const int64_t[]){1, 2, 0}, 3},
                     toTime = {(const int64_t[]){2, 0, 1}, 3},
                     reversed = {(const int64_t[]){2, 1, 0}, 3};

at_grad_input_grad_weight_grad_bias at_convTimeBackwardOf(at_tensor *grad, at_tensor *input,
                                                          at_tensor *weight, int64_t pad)
{
  static const int64_t all[3] = {1, 1, 1};
  const at_conv_grad_options how = {AT_INTS(1), AT_INTS(pad), AT_INTS(1), false, AT_INTS(0), 1};
  const at_grad_input_grad_weight_grad_bias made =
      backward(at_permute(grad, toPlanes), at_permute(input, toPlanes),
               at_permute(weight, reversed), &how, all);
  return (at_grad_input_grad_weight_grad_bias){
      at_permute(made.grad_input, toTime), at_permute(made.grad_weight, reversed), made.grad_bias};
}

at_several at_convTimeGrad(at_tensor *grad, at_tensor *self, at_tensor *weight, at_tensor *bias,
                           int64_t pad)
{
  if (at_numel(grad) == 0)
    return (at_several){{at_zeros_like(self), at_zeros_like(weight), at_zeros_like(bias)}};
  const at_grad_input_grad_weight_grad_bias made = at_convTimeBackwardOf(grad, self, weight, pad);
  return (at_several){{made.grad_input, made.grad_weight, made.grad_bias}};
}
