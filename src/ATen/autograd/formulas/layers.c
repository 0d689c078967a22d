/* Formulas of normalizations, pooling and grid sampling. */
#include "ATen/autograd/Formulas.h"

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

static at_ints all_but_channels(int64_t *buffer, int dims)
{
  int count = 0;
  for (int d = 0; d < dims; d++)
    if (d != 1)
      buffer[count++] = d;
  return (at_ints){buffer, count};
}

/* Whether kernels compute the gradients: in a pass that is not recorded, of what has elements, and with
 * statistics in Float or Double. */
static bool has_kernels(at_tensor *grad, at_tensor *input, at_tensor *weight)
{
  if (at_grad_isOn() || !at_defined(grad) || !at_defined(input) || at_numel(input) == 0)
    return false;
  const at_scalar_type type = at_type_scalarType(at_typeOf(weight ? weight : input));
  return type == AT_FLOAT || type == AT_DOUBLE;
}

/* The statistics of the batch are computed again: they are not kept. */
static at_several batch_by_kernels(at_tensor *grad, at_tensor *input, at_tensor *weight,
                                   at_tensor *mean, at_tensor *variance, double eps,
                                   const bool *wants)
{
  at_output_save_mean_save_std of = {NULL, NULL, NULL};
  if (!mean)
    of = at_thnn_batch_norm_forward(input, weight, NULL, NULL, NULL, true, 0, eps);
  const at_grad_input_grad_weight_grad_bias made =
      at_thnn_batch_norm_backward(grad, input, weight, mean, variance, !mean, eps, of.save_mean,
                                  of.save_std,
                                  .output_mask = AT_INTS(wants[0], wants[1], wants[2]));
  return (at_several){{made.grad_input, made.grad_weight, made.grad_bias}};
}

at_several at_batchNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, at_tensor *mean,
                            at_tensor *variance, double eps, const bool *wants)
{
  if (wants && has_kernels(grad, input, weight))
    return batch_by_kernels(grad, input, weight, mean, variance, eps, wants);
  int64_t buffer[AT_MOST_DIMS];
  const int count = at_dim(input);
  const at_ints dims = all_but_channels(buffer, count);
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
static at_ints last_dims(int64_t *buffer, int count)
{
  for (int d = 0; d < count; d++)
    buffer[d] = d - count;
  return (at_ints){buffer, count};
}

static at_several layer_by_kernels(at_tensor *grad, at_tensor *input, at_tensor *weight, int count,
                                   double eps, const bool *wants)
{
  const at_ints sizes = at_sizesOf(input), slice = {sizes.data + sizes.count - count, count};
  const at_output_mean_rstd of = at_native_layer_norm(input, slice, weight, NULL, eps);
  const at_grad_input_grad_weight_grad_bias made =
      at_native_layer_norm_backward(grad, input, slice, of.mean, of.rstd, weight, NULL,
                                    .output_mask = AT_INTS(wants[0], wants[1], wants[2]));
  return (at_several){{made.grad_input, made.grad_weight, made.grad_bias}};
}

at_several at_layerNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, int count,
                            double eps, const bool *wants)
{
  if (has_kernels(grad, input, weight))
    return layer_by_kernels(grad, input, weight, count, eps, wants);
  int64_t buffer[AT_MOST_DIMS];
  const at_ints dims = last_dims(buffer, count);
  at_tensor *deviation;
  at_tensor *const unit = normalized(input, dims, eps, &deviation);
  at_tensor *const inner = at_weighted(grad, weight);
  return (at_several){
      {normalized_backward(inner, unit, deviation, dims), at_mul(grad, unit), grad}};
}

/* Each group is a slice of layer normalization. */
static at_several group_by_kernels(at_tensor *grad, at_tensor *input, at_tensor *weight,
                                   int64_t groups, double eps)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints dims = all_but_channels(buffer, at_dim(input)), sizes = at_sizesOf(input);
  const at_ints rows = AT_INTS(sizes.data[0] * groups, -1);
  at_tensor *const slices = at_reshape(input, rows);
  const at_ints slice = AT_INTS(at_size(slices, 1));
  at_tensor *const inner = at_reshape(at_weighted(grad, per_channel(weight, sizes.count)), rows);
  const at_output_mean_rstd of = at_native_layer_norm(slices, slice, NULL, NULL, eps);
  at_tensor *const made = at_native_layer_norm_backward(inner, slices, slice, of.mean, of.rstd,
                                                        NULL, NULL, .output_mask = AT_INTS(1, 0, 0))
                              .grad_input;
  at_tensor *const product = at_mul(grad, at_reshape(of.output, sizes));
  return (at_several){{at_reshape(made, sizes), at_sum_dim(product, dims), at_sum_dim(grad, dims)}};
}

at_several at_groupNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, int64_t groups,
                            double eps)
{
  if (has_kernels(grad, input, NULL))
    return group_by_kernels(grad, input, weight, groups, eps);
  int64_t buffer[AT_MOST_DIMS];
  const at_ints dims = all_but_channels(buffer, at_dim(input)), last = AT_INTS(2);
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
  int64_t buffer[AT_MOST_DIMS];
  const at_ints dims = last_dims(buffer, count);
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

/* --- with mean and deviation ------------------------------------------------------------------ */

/* The gradient of x, from those of unit = (x - mean) * deviation, mean and deviation; over dims. */
static at_tensor *moments_backward(at_tensor *grad, const at_several *moments, at_tensor *unit,
                                   at_tensor *deviation, at_ints dims)
{
  at_tensor *const made = normalized_backward(grad, unit, deviation, dims);
  if (!moments)
    return made;
  const double count = (double)at_numel(unit) / (double)at_numel(deviation);
  at_tensor *const mean = at_reshape(moments->of[0], at_sizes(deviation));
  at_tensor *const slope =
      at_mul(at_reshape(moments->of[1], at_sizes(deviation)), at_mul(deviation, deviation));
  return at_add(made, at_div(at_sub(mean, at_mul(slope, unit)), count));
}

at_several at_nativeBatchNormGrad(at_tensor *grad, const at_several *moments, at_tensor *input,
                                  at_tensor *weight, at_tensor *mean, at_tensor *deviation)
{
  int64_t buffer[AT_MOST_DIMS];
  const int count = at_dim(input);
  const at_ints dims = all_but_channels(buffer, count);
  at_tensor *const wide = per_channel(deviation, count);
  at_tensor *const unit = at_mul(at_sub(input, per_channel(mean, count)), wide);
  at_tensor *const inner = at_weighted(grad, per_channel(weight, count));
  return (at_several){{moments_backward(inner, moments, unit, wide, dims),
                       at_sum_dim(at_mul(grad, unit), dims), at_sum_dim(grad, dims)}};
}

at_several at_nativeLayerNormGrad(at_tensor *grad, const at_several *moments, at_tensor *input,
                                  at_tensor *weight, int count, at_tensor *mean,
                                  at_tensor *deviation)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints dims = last_dims(buffer, count);
  at_tensor *const unit = at_mul(at_sub(input, mean), deviation);
  at_tensor *const inner = at_weighted(grad, weight);
  const at_ints slice = {at_sizesOf(input).data + at_dim(input) - count, count};
  return (at_several){{moments_backward(inner, moments, unit, deviation, dims),
                       at_sumToSize(at_mul(grad, unit), slice), at_sumToSize(grad, slice)}};
}

at_several at_nativeGroupNormGrad(at_tensor *grad, const at_several *moments, at_tensor *input,
                                  at_tensor *weight, int64_t groups, at_tensor *mean,
                                  at_tensor *deviation)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints dims = all_but_channels(buffer, at_dim(input)), last = AT_INTS(2);
  int64_t count = 1; /* of the elements of a group */
  for (int d = 1; d < at_dim(input); d++)
    count *= at_size(input, d);
  const at_ints wide = AT_INTS(at_size(input, 0), groups, count / groups);
  at_tensor *const by = at_unsqueeze(deviation, -1);
  at_tensor *const unit = at_mul(at_sub(at_reshape(input, wide), at_unsqueeze(mean, -1)), by);
  at_tensor *const inner = at_weighted(grad, per_channel(weight, at_dim(input)));
  at_tensor *const made = moments_backward(at_reshape(inner, wide), moments, unit, by, last);
  at_tensor *const product = at_mul(grad, at_reshape(unit, at_sizes(input)));
  return (at_several){
      {at_reshape(made, at_sizes(input)), at_sum_dim(product, dims), at_sum_dim(grad, dims)}};
}

at_grad_input_grad_weight_grad_bias at_batchNormBackwardOf(at_several all, at_ints mask)
{
  return (at_grad_input_grad_weight_grad_bias){mask.data[0] ? all.of[0] : NULL,
                                               mask.data[1] ? all.of[1] : NULL,
                                               mask.data[2] ? all.of[2] : NULL};
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

at_tensor *at_avgPoolByGrad(at_tensor *grad, at_ints sizes, at_ints kernel, at_ints stride,
                            at_ints padding, bool ceils, bool countsPadding, int64_t divisor)
{
  const at_ints step = stride.count > 0 && stride.data[0] != AT_NONE ? stride : kernel;
  at_tensor *const like = at_shaped(grad, sizes);
  const bool isPlane = kernel.count == 2;
  if (divisor != AT_NONE) { /* as if the mean had been multiplied by its own divisor */
    at_tensor *const ones = at_ones_like(like);
    at_tensor *const mean =
        isPlane
            ? at_avg_pool2d(ones, kernel, .stride = step, .padding = padding, .ceil_mode = ceils)
            : at_avg_pool3d(ones, kernel, .stride = step, .padding = padding, .ceil_mode = ceils);
    at_tensor *const sum =
        isPlane ? at_avg_pool2d_divisor(ones, kernel, .stride = step, .padding = padding,
                                        .ceil_mode = ceils, .divisor_override = 1)
                : at_avg_pool3d_divisor(ones, kernel, .stride = step, .padding = padding,
                                        .ceil_mode = ceils, .divisor_override = 1);
    grad = at_mul(grad, at_div(at_div(sum, mean), (double)divisor));
    countsPadding = true;
  }
  return isPlane ? at_avg_pool2d_backward(grad, like, kernel, step, padding, ceils, countsPadding)
                 : at_avg_pool3d_backward(grad, like, kernel, step, padding, ceils, countsPadding);
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

at_tensor *at_roiTwice(at_tensor *grad, at_tensor *rois, at_tensor *argmaxes)
{
  if (!at_defined(grad))
    return at_undefined();
  const at_type *const type = at_toScalarType(at_typeOf(grad), AT_LONG);
  at_tensor *const images = at_to(at_select(rois, 1, 0), type);
  at_tensor *const planes = flat(at_index_select(grad, 0, images), 2);
  at_tensor *const index = at_to(flat(argmaxes, 2), type);
  at_tensor *const made = at_gather(planes, -1, at_clamp_min(index, 0));
  return at_reshape(at_masked_fill(made, at_lt(index, 0), 0), at_sizes(argmaxes));
}

/* --- grid sampling -------------------------------------------------------------------------- */

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
