/* Formulas of normalizations, pooling and convolutions. */
#include "Formulas.h"

/* --- normalizations --------------------------------------------------------------------------- */

/* x with mean 0 and variance 1 over dims, and the reciprocal deviation. */
static at_tensor *normalized(at_tensor *x, at_ints dims, double eps, at_tensor **deviation)
{
  at_tensor *const centered = at_sub(x, at_mean_dim(x, dims, .keepdim = true));
  at_tensor *const square = at_mean_dim(at_mul(centered, centered), dims, .keepdim = true);
  *deviation = at_rsqrt(at_add(square, eps));
  return at_mul(centered, *deviation);
}

/* The gradient of x, where that of normalized(x) is grad. */
static at_tensor *normalized_backward(at_tensor *grad, at_tensor *unit, at_tensor *deviation,
                                      at_ints dims)
{
  at_tensor *const mean = at_mean_dim(grad, dims, .keepdim = true);
  at_tensor *const slope = at_mean_dim(at_mul(grad, unit), dims, .keepdim = true);
  return at_mul(at_sub(at_sub(grad, mean), at_mul(unit, slope)), deviation);
}

/* A vector with an entry for each channel, for a tensor of that many dimensions. */
static at_tensor *per_channel(at_tensor *t, int dims)
{
  int64_t shape[AT_MOST_DIMS];
  for (int d = 0; d < dims; d++)
    shape[d] = d == 1 ? -1 : 1;
  return t ? at_reshape(t, ((at_ints){shape, dims})) : NULL;
}

static at_ints all_but_channels(int64_t *room, int dims)
{
  int count = 0;
  for (int d = 0; d < dims; d++)
    if (d != 1)
      room[count++] = d;
  return (at_ints){room, count};
}

at_several at_batchNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, at_tensor *mean,
                            at_tensor *variance, double eps)
{
  int64_t room[AT_MOST_DIMS];
  const int count = at_dim(input);
  const at_ints dims = all_but_channels(room, count);
  at_tensor *deviation, *unit;
  if (mean) {
    deviation = at_rsqrt(at_add(per_channel(variance, count), eps));
    unit = at_mul(at_sub(input, per_channel(mean, count)), deviation);
  } else
    unit = normalized(input, dims, eps, &deviation);
  at_tensor *const inner = at_weighted(grad, per_channel(weight, count));
  at_tensor *const made =
      mean ? at_mul(inner, deviation) : normalized_backward(inner, unit, deviation, dims);
  return (at_several){{made, at_sum_dim(at_mul(grad, unit), dims), at_sum_dim(grad, dims)}};
}

/* The last count dimensions. */
static at_ints last_dims(int64_t *room, int count)
{
  for (int d = 0; d < count; d++)
    room[d] = d - count;
  return (at_ints){room, count};
}

at_several at_layerNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, int count,
                            double eps)
{
  int64_t room[AT_MOST_DIMS];
  const at_ints dims = last_dims(room, count);
  at_tensor *deviation;
  at_tensor *const unit = normalized(input, dims, eps, &deviation);
  at_tensor *const inner = at_weighted(grad, weight);
  return (at_several){
      {normalized_backward(inner, unit, deviation, dims), at_mul(grad, unit), grad}};
}

at_several at_groupNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, int64_t groups,
                            double eps)
{
  int64_t room[AT_MOST_DIMS];
  const at_ints dims = all_but_channels(room, at_dim(input)), last = AT_INTS(2);
  const at_ints wide = AT_INTS(at_size(input, 0), groups, -1);
  at_tensor *deviation;
  at_tensor *const unit = normalized(at_reshape(input, wide), last, eps, &deviation);
  at_tensor *const inner = at_weighted(grad, per_channel(weight, at_dim(input)));
  at_tensor *const made = normalized_backward(at_reshape(inner, wide), unit, deviation, last);
  at_tensor *const product = at_mul(grad, at_reshape(unit, at_sizes(input)));
  return (at_several){
      {at_reshape(made, at_sizes(input)), at_sum_dim(product, dims), at_sum_dim(grad, dims)}};
}

at_several at_rmsNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, int count,
                          at_scalar eps)
{
  int64_t room[AT_MOST_DIMS];
  const at_ints dims = last_dims(room, count);
  const at_scalar_type type = at_type_scalarType(at_typeOf(input));
  const double epsilon = !eps.is_none        ? at_scalar_toDouble(eps)
                         : type == AT_DOUBLE ? 0x1p-52
                                             : 0x1p-23;
  at_tensor *const square = at_mean_dim(at_mul(input, input), dims, .keepdim = true);
  at_tensor *const deviation = at_rsqrt(at_add(square, epsilon));
  at_tensor *const unit = at_mul(input, deviation), *const inner = at_weighted(grad, weight);
  at_tensor *const slope = at_mean_dim(at_mul(inner, unit), dims, .keepdim = true);
  return (at_several){{at_mul(at_sub(inner, at_mul(unit, slope)), deviation), at_mul(grad, unit)}};
}

/* --- pooling ---------------------------------------------------------------------------------- */

at_tensor *at_avgPool1dGrad(at_tensor *grad, at_ints sizes, at_ints kernel, at_ints stride,
                            at_ints padding, bool ceils, bool countsPadding)
{
  const at_ints step = stride.count > 0 ? stride : kernel;
  at_tensor *const like = at_unsqueeze(at_shaped(grad, sizes), -2);
  at_tensor *const made =
      at_avg_pool2d_backward(at_unsqueeze(grad, -2), like, AT_INTS(1, kernel.data[0]),
                             AT_INTS(1, step.data[0]), AT_INTS(0, padding.data[0]), ceils,
                             countsPadding);
  return at_squeeze_dim(made, -2);
}

/* t with its last dims as one. */
static at_tensor *flat(at_tensor *t, int dims)
{
  return at_flatten(t, .start_dim = -dims);
}

at_tensor *at_maxPoolGrad(at_tensor *grad, at_ints sizes, at_tensor *indices, int dims)
{
  at_tensor *const made = flat(at_new_zeros(grad, sizes), dims);
  return at_reshape(at_scatter_add(made, -1, flat(indices, dims), flat(grad, dims)), sizes);
}

at_tensor *at_maxUnpoolGrad(at_tensor *grad, at_tensor *indices, int dims)
{
  return at_reshape(at_gather(flat(grad, dims), -1, flat(indices, dims)), at_sizes(indices));
}

/* --- convolutions ----------------------------------------------------------------------------- */

at_several at_convGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, at_ints stride,
                       at_ints padding, at_ints dilation, bool isTransposed, at_ints outputPadding,
                       int64_t groups, const bool *wants)
{
  const bool isOne = at_dim(input) == at_dim(weight) - 1; /* an image without a batch */
  const int64_t mask[3] = {wants[0], wants[1], wants[2]};
  const int64_t channels = at_size(grad, isOne ? 0 : 1);
  const at_convolution_backward_options options = {.output_mask = {mask, 3}};
  const at_grad_input_grad_weight_grad_bias made =
      (at_convolution_backward)(isOne ? at_unsqueeze(grad, 0) : grad,
                                isOne ? at_unsqueeze(input, 0) : input, weight, AT_INTS(channels),
                                stride, padding, dilation, isTransposed, outputPadding, groups,
                                &options);
  at_tensor *const own = wants[0] && isOne ? at_squeeze_dim(made.grad_input, 0) : made.grad_input;
  return (at_several){{own, made.grad_weight, made.grad_bias}};
}

at_several at_gridGrad(at_tensor *grad, at_tensor *input, at_tensor *grid, int64_t interpolation,
                       int64_t padding, bool aligns)
{
  at_grad_input_grad_grid made;
  if (at_dim(input) == 4) {
    const at_grid_sampler_2d_backward_options options = {interpolation, padding, aligns, {NULL, 0}};
    made = (at_grid_sampler_2d_backward)(grad, input, grid, &options);
  } else {
    const at_grid_sampler_3d_backward_options options = {interpolation, padding, aligns, {NULL, 0}};
    made = (at_grid_sampler_3d_backward)(grad, input, grid, &options);
  }
  return (at_several){{made.grad_input, made.grad_grid}};
}
