/* Forward functions of layers that take more than one operation. */
#include <string.h>

#include "ATenLayerFields.h"

/* --- padding and upsampling ------------------------------------------------------------------- */

at_tensor *at_padLast(at_tensor *input, at_ints padding, int axes, const char *mode, double value)
{
  int64_t all[2 * AT_LAYER_DIMS];
  for (int i = 0; i < 2 * axes; i++)
    all[i] = at_along(padding, i);
  const at_ints pad = {all, 2 * axes};
  return strcmp(mode, "constant") ? at_pad(input, pad, .mode = mode)
                                  : at_pad(input, pad, .value = value);
}

/* Numbers before and behind each axis, the last axis first, so that the size stays. */
static void pad_same(int64_t *all, at_ints kernel, at_ints dilation, int axes)
{
  for (int i = 0; i < axes; i++) {
    const int64_t total = at_along(dilation, axes - 1 - i) * (at_along(kernel, axes - 1 - i) - 1);
    all[2 * i] = total / 2;
    all[2 * i + 1] = total - total / 2;
  }
}

at_tensor *at_padForMode(at_tensor *input, at_ints padding, const char *automatic, at_ints kernel,
                         at_ints dilation, int axes, const char *mode)
{
  const bool isSame = !strcmp(automatic, "same"), isZeros = !strcmp(mode, "zeros");
  if (!strcmp(automatic, "valid") || (isZeros && !isSame))
    return input;
  int64_t all[2 * AT_LAYER_DIMS];
  const at_ints pad = {all, 2 * axes};
  for (int i = 0; i < 2 * axes; i++)
    all[i] = at_along(padding, axes - 1 - i / 2);
  if (isSame)
    pad_same(all, kernel, dilation, axes);
  return isZeros ? at_constant_pad_nd(input, pad) : at_pad(input, pad, .mode = mode);
}

at_ints at_paddingForMode(at_ints padding, const char *automatic, const char *mode)
{
  static const int64_t none = 0;
  const bool isDone = strcmp(mode, "zeros") || strcmp(automatic, "none");
  return isDone ? (at_ints){&none, 1} : padding;
}

bool at_isAutoPadding(const char *automatic, at_ints stride)
{
  bool isOne = true;
  for (int i = 0; i < stride.count; i++)
    isOne &= stride.data[i] == 1;
  return !strcmp(automatic, "none") || !strcmp(automatic, "valid") ||
         (!strcmp(automatic, "same") && isOne);
}

at_tensor *at_upsampled(at_tensor *input, at_ints size, double factor, const char *mode,
                        bool aligns)
{
  const int axes = at_dim(input) - 2;
  int64_t sizes[AT_LAYER_DIMS];
  double factors[AT_LAYER_DIMS];
  for (int i = 0; i < axes && i < AT_LAYER_DIMS; i++) {
    sizes[i] = size.count ? at_along(size, i) : 0;
    factors[i] = factor;
  }
  const at_ints s = {sizes, size.count ? axes : 0};
  const at_doubles f = {factors, size.count ? 0 : axes};
  if (!strcmp(mode, "nearest"))
    return axes == 1   ? at_upsample_nearest1d_vec(input, s, f)
           : axes == 2 ? at_upsample_nearest2d_vec(input, s, f)
                       : at_upsample_nearest3d_vec(input, s, f);
  if (!strcmp(mode, "linear"))
    return at_upsample_linear1d_vec(input, s, aligns, f);
  if (!strcmp(mode, "bilinear"))
    return at_upsample_bilinear2d_vec(input, s, aligns, f);
  if (!strcmp(mode, "bicubic"))
    return at_upsample_bicubic2d_vec(input, s, aligns, f);
  if (!strcmp(mode, "trilinear"))
    return at_upsample_trilinear3d_vec(input, s, aligns, f);
  at_fail(AT_ERROR_ARGUMENT, "Upsample", "Upsample: mode is '%s'", mode);
  return at_undefined();
}

/* --- normalization ---------------------------------------------------------------------------- */

enum { WEIGHT, BIAS, MEAN = 0, VARIANCE, COUNT };

/* Whether input has the channels of the layer, which is the dimension behind the batch. */
static bool has_dims(const at_module *self, const at_tensor *input, int least, int most)
{
  if (at_dim(input) >= least && at_dim(input) <= most)
    return true;
  at_misfit(self, "input is of size %s, and has to have %d%s dimensions",
            at_sizeDesc(at_sizesOf(input)).str, most, least < most ? ", or one less," : "");
  return false;
}

/* Counts the batch; returns the weight of it in the statistics. */
static double counted(at_module *self, double momentum)
{
  at_tensor *const count = at_bufferAt(self, COUNT);
  AT_NO_GRAD
  {
    at_add_(count, 1);
  }
  return momentum != momentum ? 1 / at_item_double(count) : momentum;
}

at_tensor *at_normalizeBatch(at_module *self, at_tensor *input, int axes, double momentum,
                             double eps)
{
  if (!has_dims(self, input, axes == 1 ? 2 : axes + 2, axes + 2))
    return at_undefined();
  const bool tracks = at_bufferAt(self, MEAN) != NULL;
  if (tracks && self->training)
    momentum = counted(self, momentum);
  return at_batch_norm(input, at_parameterAt(self, WEIGHT), at_parameterAt(self, BIAS),
                       at_bufferAt(self, MEAN), at_bufferAt(self, VARIANCE),
                       self->training || !tracks, momentum == momentum ? momentum : 0, eps, true);
}

at_tensor *at_normalizeInstances(at_module *self, at_tensor *input, int axes, double momentum,
                                 double eps)
{
  if (!has_dims(self, input, axes + 1, axes + 2))
    return at_undefined();
  at_tensor *const weight = at_parameterAt(self, WEIGHT), *const bias = at_parameterAt(self, BIAS);
  at_tensor *const mean = at_bufferAt(self, MEAN), *const variance = at_bufferAt(self, VARIANCE);
  const bool isBatch = at_dim(input) == axes + 2;
  at_tensor *const batch = isBatch ? input : at_unsqueeze(input, 0);
  at_tensor *result;
  if (mean && self->training)
    AT_NO_GRAD
    {
      result = at_instance_norm(batch, NULL, NULL, mean, variance, true, momentum, eps, true);
    }
  if (mean && !self->training)
    result = at_batch_norm(batch, weight, bias, mean, variance, false, momentum, eps, true);
  else
    result = at_group_norm(batch, at_size(batch, 1), .weight = weight, .bias = bias, .eps = eps);
  return isBatch ? result : at_squeeze_dim(result, 0);
}

at_tensor *at_normalizeRoots(at_tensor *input, at_ints sizes, at_tensor *weight, double eps)
{
  return eps == eps ? at_rms_norm(input, sizes, .weight = weight, .eps = eps)
                    : at_rms_norm(input, sizes, .weight = weight);
}

/* --- embeddings ------------------------------------------------------------------------------- */

at_tensor *at_rowsWithin(at_tensor *weight, at_tensor *input, double max_norm, double norm_type)
{
  if (max_norm == max_norm)
    AT_NO_GRAD
    {
      at_embedding_renorm_(weight, input, max_norm, norm_type);
    }
  return weight;
}

at_tensor *(at_EmbeddingBag_forward)(at_module *self, at_tensor *input,
                                     const at_EmbeddingBag_forward_options *options)
{
  if (!options)
    options = &at_EmbeddingBag_forward_defaults;
  const char *const operation = "EmbeddingBag_forward";
  if (!at_isKind(operation, self, &at_kind_EmbeddingBag) ||
      !at_accept(operation, "input", input, false) ||
      !at_accept(operation, "offsets", options->offsets, true) ||
      !at_accept(operation, "per_sample_weights", options->per_sample_weights, true))
    return at_undefined();
  const at_EmbeddingBag_fields *const own = at_module_own(self);
  if (!has_dims(self, input, options->offsets ? 1 : 2, options->offsets ? 1 : 2))
    return at_undefined();
  AT_SCOPE_GUARD;
  at_tensor *offsets = options->offsets, *weights = options->per_sample_weights;
  if (!offsets) {
    offsets = at_mul(at_arange(at_size(input, 0), .type = at_typeOf(input)), at_size(input, 1));
    input = at_flatten(input);
    weights = weights ? at_flatten(weights) : NULL;
  }
  at_tensor *const weight =
      at_rowsWithin(at_parameterAt(self, WEIGHT), input, own->max_norm, own->norm_type);
  at_embedding_bag_options how = at_embedding_bag_defaults;
  how.scale_grad_by_freq = own->scale_grad_by_freq;
  how.mode = at_bagMode(own->mode);
  how.per_sample_weights = weights;
  how.include_last_offset = own->include_last_offset;
  how.padding_idx = at_indexOr(own->padding_idx, -1);
  return at_escape((at_embedding_bag)(weight, input, offsets, &how).output);
}

at_tensor *at_normalizeNear(at_tensor *input, int64_t size, double alpha, double beta, double k)
{
  int64_t frame[2 * AT_MOST_DIMS] = {0};
  const at_ints pad = {frame, 2 * (at_dim(input) - 1)};
  if (at_dim(input) < 3) {
    at_fail(AT_ERROR_ARGUMENT, "LocalResponseNorm",
            "LocalResponseNorm: input is of size %s, and has to have at least 3 dimensions",
            at_sizeDesc(at_sizesOf(input)).str);
    return at_undefined();
  }
  frame[pad.count - 2] = size / 2; /* around the channels */
  frame[pad.count - 1] = (size - 1) / 2;
  at_tensor *const squares = at_constant_pad_nd(at_mul(input, input), pad);
  at_tensor *const mean = at_mean_dim(at_unfold(squares, 1, size, 1), AT_INTS(-1));
  return at_div(input, at_pow(at_add(at_mul(mean, alpha), k), beta));
}

at_tensor *at_normalizeMaps(at_tensor *input, int64_t size, double alpha, double beta, double k)
{
  if (at_dim(input) != 4) {
    at_fail(AT_ERROR_ARGUMENT, "CrossMapLRN2d",
            "CrossMapLRN2d: input is of size %s, and has to have 4 dimensions",
            at_sizeDesc(at_sizesOf(input)).str);
    return at_undefined();
  }
  const int64_t side = (size - 1) / 2, channels = at_size(input, 1);
  at_tensor *const squares = at_mul(input, input);
  at_tensor *const padded = at_constant_pad_nd(squares, AT_INTS(0, 0, 0, 0, side, side));
  at_tensor *sums = at_sum_dim(at_unfold(padded, 1, 2 * side + 1, 1), AT_INTS(-1));
  if (channels > side + 1) {
    at_tensor *const near = at_narrow(sums, 1, 0, side + 1);
    at_tensor *const far = at_narrow(sums, 1, side + 1, channels - side - 1);
    sums = at_cat(AT_TENSORS(near, at_add(far, at_narrow(squares, 1, 0, 1))), .dim = 1);
  }
  return at_mul(input, at_pow(at_add(at_mul(sums, alpha / (double)size), k), -beta));
}

/* --- dropout ---------------------------------------------------------------------------------- */

at_tensor *at_dropChannels(at_tensor *input, double p, int axes, bool training)
{
  if (!training || p == 0)
    return at_alias(input);
  int64_t sizes[AT_MOST_DIMS];
  const int batch = at_dim(input) == axes + 1 && axes != 2 ? 0 : 1;
  for (int d = 0; d < at_dim(input); d++)
    sizes[d] = d <= batch ? at_size(input, d) : 1;
  at_tensor *const noise = at_empty(((at_ints){sizes, at_dim(input)}), .type = at_typeOf(input));
  at_div_(at_bernoulli_p_(noise, .p = 1 - p), p < 1 ? 1 - p : 1);
  return at_mul(input, noise);
}

at_tensor *at_dropAlpha(at_tensor *input, double p, bool ofChannels, bool training)
{
  if (!training || p == 0)
    return at_alias(input);
  if (p == 1)
    return at_mul(input, 0);
  const double alpha = 1.7580993408473766; /* of SELU: its limit, negated */
  const double a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
  int64_t sizes[AT_MOST_DIMS];
  for (int d = 0; d < at_dim(input); d++)
    sizes[d] = d < 2 || !ofChannels ? at_size(input, d) : 1;
  at_tensor *const kept = at_empty(((at_ints){sizes, at_dim(input)}), .type = at_typeOf(input));
  at_bernoulli_p_(kept, .p = 1 - p);
  at_tensor *const b = at_add(at_mul(at_sub(kept, 1), alpha * a), alpha * a * p);
  return at_add(at_mul(input, at_mul(kept, a)), b);
}
