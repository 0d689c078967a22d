/* Layers and losses of THNN as operations.  A call converts its tensors to the type that computes,
 * calls THNN's function, and delivers the result:
 *
 *     at_pool pool;
 *     at_pool_enter(&pool);
 *     const at_type *compute = at_layerType(self);
 *     void *x = at_layerIn(&pool, self, compute);
 *     at_tensor *r = at_layerResult(&pool, out, self->type, compute, sizes);
 *     AT_OF(compute, SoftMax_updateOutput)(x, r->th, dim);
 *     return at_layerEnd(&pool, out, r, self->type);
 */
#ifndef ATEN_NN_H
#define ATEN_NN_H

#include "ATen/core/ATenCore.h"

/* The type in which THNN computes for tensors of type: itself, or Float for Half and BFloat16.
 * Raises for integers. */
const at_type *at_layerTypeOf(const at_type *like, at_scalar_type type);
const at_type *at_layerType(const at_tensor *self);

/* Raises unless t, which is called name and may be NULL, has self's type. */
void at_layerSame(const at_tensor *self, const at_tensor *t, const char *name);

/* t in that type: itself, or a copy that the pool holds.  NULL stays NULL. */
at_tensor *at_layerCast(at_pool *pool, at_tensor *t, const at_type *type);

/* The TH tensor of t in that type; at_layerInAs also expands t to sizes. */
void *at_layerIn(at_pool *pool, at_tensor *t, const at_type *type);
void *at_layerInAs(at_pool *pool, at_tensor *t, const at_type *type, at_ints sizes);

/* t as a tensor of Long; raises unless t is of Long or of the other type. */
at_tensor *at_layerIndices(at_pool *pool, at_tensor *t, const char *name, at_scalar_type other);

/* A new tensor that the pool holds. */
at_tensor *at_layerNew(at_pool *pool, const at_type *type, at_ints sizes);

/* The tensor of type compute for a result of that type and size: out, if it needs neither resizing
 * nor conversion, else a new tensor.  Raises if the result cannot be stored in out. */
at_tensor *at_layerResult(at_pool *pool, at_tensor *out, at_scalar_type type,
                          const at_type *compute, at_ints sizes);

/* at_layerResult for a layer that computes each element by itself: in the layout of the operands. */
at_tensor *at_layerResultFor(at_pool *pool, at_tensor *out, at_scalar_type type,
                             const at_type *compute, at_ints sizes, int count,
                             at_tensor *const *in);

/* Delivers r, which at_layerResult returned, as the result.  Leaves the pool. */
at_tensor *at_layerEnd(at_pool *pool, at_tensor *out, at_tensor *r, at_scalar_type type);

/* Like at_finish.  made is NULL for results that are not wanted, and an out given for such a result
 * is not changed. */
void at_layerEndAll(at_pool *pool, int count, at_tensor **out, at_tensor *const *made);

/* --- activations ----------------------------------------------------------------------------- */

/* Elementwise layers; operands broadcast and promote. */
typedef enum at_layer {
  AT_LAYER_ELU,
  AT_LAYER_ELU_BACKWARD,
  AT_LAYER_HARDSHRINK,
  AT_LAYER_HARDSHRINK_BACKWARD,
  AT_LAYER_HARDTANH_BACKWARD,
  AT_LAYER_LEAKY_RELU,
  AT_LAYER_LEAKY_RELU_BACKWARD,
  AT_LAYER_LOG_SIGMOID,
  AT_LAYER_LOG_SIGMOID_BACKWARD,
  AT_LAYER_SIGMOID_BACKWARD,
  AT_LAYER_SOFTPLUS,
  AT_LAYER_SOFTPLUS_BACKWARD,
  AT_LAYER_SOFTSHRINK,
  AT_LAYER_SOFTSHRINK_BACKWARD,
  AT_LAYER_TANH_BACKWARD,
  AT_LAYER_THRESHOLD,
  AT_LAYER_THRESHOLD_BACKWARD,
  AT_LAYERS
} at_layer;

/* The constants of selu, an elu that keeps means and variances. */
#define AT_SELU_ALPHA 1.6732632423543772848170429916717
#define AT_SELU_SCALE 1.0507009873554804934193349852946

at_tensor *at_nnActivate(at_tensor *out, at_layer layer, at_tensor *self, at_scalar a, at_scalar b);
at_tensor *at_nnActivateBackward(at_tensor *out, at_layer layer, at_tensor *grad_output,
                                 at_tensor *self, at_scalar a, at_scalar b);

at_tensor *at_nnRelu(at_tensor *out, at_tensor *self);
at_tensor *at_nnThresholdBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self,
                                  at_scalar threshold);

/* out: the output, and exp(-|self|). */
void at_nnLogSigmoid(at_tensor **out, at_tensor *self);

/* The result is of type, or if that is NULL of self's type. */
at_tensor *at_nnSoftMax(at_tensor *out, bool log, at_tensor *self, int64_t dim,
                        const at_type *type);

/* Float for half_to_float, which is an error on the CPU, or NULL. */
const at_type *at_halfToFloat(const at_tensor *self, bool half_to_float);
at_tensor *at_nnSoftMaxBackward(at_tensor *out, bool log, at_tensor *grad_output, int64_t dim,
                                at_tensor *output);

void at_nnPReluBackward(at_tensor **out, const bool *wanted, at_tensor *grad_output,
                        at_tensor *self, at_tensor *weight, at_ints mask);

/* The random slopes are stored in noise, unless that is NULL. */
at_tensor *at_nnRRelu(at_tensor *out, at_tensor *self, at_tensor *noise, at_scalar lower,
                      at_scalar upper, bool training, at_generator *generator);

/* --- losses ---------------------------------------------------------------------------------- */

/* Losses that compare each element with one of target, which broadcasts. */
typedef enum at_loss {
  AT_LOSS_BCE,
  AT_LOSS_KL_DIV,
  AT_LOSS_L1,
  AT_LOSS_MSE,
  AT_LOSS_SMOOTH_L1,
  AT_LOSS_SOFT_MARGIN,
  AT_LOSSES
} at_loss;

/* Whether the losses of the elements are summed, and whether the sum is divided by their number. */
typedef struct at_summing {
  bool average, reduce;
} at_summing;

static inline at_summing at_summingOf(bool size_average, bool reduce)
{
  const at_summing how = {size_average && reduce, reduce};
  return how;
}

at_tensor *at_nnLoss(at_tensor *out, at_loss loss, at_tensor *self, at_tensor *target,
                     at_tensor *weight, at_summing how);
at_tensor *at_nnLossBackward(at_tensor *out, at_loss loss, at_tensor *grad_output, at_tensor *self,
                             at_tensor *target, at_tensor *weight, at_summing how);
at_tensor *at_nnHingeEmbedding(at_tensor *self, at_tensor *target, double margin, at_summing how);

/* The negative log-likelihood of the class in target, one for each input or, with isImage, for each
 * pixel.  out: the loss, and the sum of the weights. */
void at_nnNll(at_tensor **out, bool isImage, at_tensor *self, at_tensor *target, at_tensor *weight,
              int64_t ignore_index, at_summing how);
at_tensor *at_nnNllLoss(at_tensor *out, bool isImage, at_tensor *self, at_tensor *target,
                        at_tensor *weight, int64_t ignore_index, at_summing how);
at_tensor *at_nnNllBackward(at_tensor *out, bool isImage, at_tensor *grad_output, at_tensor *self,
                            at_tensor *target, at_tensor *weight, int64_t ignore_index,
                            at_tensor *total_weight, at_summing how);

at_tensor *at_nnMultiMargin(at_tensor *out, at_tensor *self, at_tensor *target, at_scalar p,
                            at_scalar margin, at_tensor *weight, at_summing how);
at_tensor *at_nnMultiMarginBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self,
                                    at_tensor *target, at_scalar p, at_scalar margin,
                                    at_tensor *weight, at_summing how);

/* out: the loss, and 1 for each class that target lists, else 0. */
void at_nnMultiLabel(at_tensor **out, at_tensor *self, at_tensor *target, at_summing how);
at_tensor *at_nnMultiLabelLoss(at_tensor *out, at_tensor *self, at_tensor *target, at_summing how);
at_tensor *at_nnMultiLabelBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self,
                                   at_tensor *target, at_tensor *is_target, at_summing how);

/* --- normalization --------------------------------------------------------------------------- */

/* out has as many entries as results: the output, and the mean and 1 / standard deviation of each
 * channel, which are empty if not training.  In training the running statistics change. */
void at_nnBatchNorm(at_tensor **out, int results, at_tensor *self, at_tensor *weight,
                    at_tensor *bias, at_tensor *running_mean, at_tensor *running_var, bool training,
                    double momentum, double eps);
/* Batch normalization in training, with an empty tensor of Byte as the fourth result. */
void at_nnBatchNormUpdate(at_tensor **out, at_tensor *self, at_tensor *weight, at_tensor *bias,
                          at_tensor *running_mean, at_tensor *running_var, double momentum,
                          double eps);
at_tensor *at_nnBatchNormOutput(at_tensor *out, at_tensor *self, at_tensor *weight, at_tensor *bias,
                                at_tensor *running_mean, at_tensor *running_var, bool training,
                                double momentum, double eps);
at_tensor *at_nnBatchNormOrEmpty(at_tensor *self, at_tensor *weight, at_tensor *bias,
                                 at_tensor *running_mean, at_tensor *running_var, bool training,
                                 double momentum, double eps);
void at_nnBatchNormBackward(at_tensor **out, const bool *wanted, at_tensor *grad_output,
                            at_tensor *self, at_tensor *weight, at_tensor *running_mean,
                            at_tensor *running_var, bool training, double eps, at_tensor *save_mean,
                            at_tensor *save_std, at_ints mask);

/* Normalizes over the last dimensions, whose sizes are normalized_shape.  out has as many entries
 * as results: the output, and the mean and 1 / standard deviation of each normalized slice. */
void at_nnLayerNorm(at_tensor **out, int results, at_tensor *self, at_ints normalized_shape,
                    at_tensor *weight, at_tensor *bias, double eps);
void at_nnLayerNormBackward(at_tensor **out, const bool *wanted, at_tensor *grad_output,
                            at_tensor *self, at_ints normalized_shape, at_tensor *mean,
                            at_tensor *rstd, at_tensor *weight, at_tensor *bias, at_ints mask);

/* Normalizes groups of channels.  out has as many entries as results: the output, and the mean and
 * 1 / standard deviation of each group of each of N images. */
void at_groupNormalize(at_tensor **out, int results, at_tensor *input, at_tensor *weight,
                       at_tensor *bias, int64_t N, int64_t C, int64_t HxW, int64_t group,
                       double eps);

/* Normalizes each channel of each image; running statistics are the means over the batch. */
at_tensor *at_instanceNormalized(at_tensor *input, at_tensor *weight, at_tensor *bias,
                                 at_tensor *running_mean, at_tensor *running_var,
                                 bool use_input_stats, double momentum, double eps);

/* input / sqrt(mean of squares over the last dimensions + eps) * weight. */
at_tensor *at_rootNormalized(at_tensor *input, at_ints normalized_shape, at_tensor *weight,
                             at_scalar eps);

/* --- dropout --------------------------------------------------------------------------------- */

/* Zeroes elements with probability p and divides the others by 1 - p, if it trains; else self. */
at_tensor *at_droppedOut(at_tensor *out, at_tensor *self, double p, bool train);

/* out: that, and which elements remain, of Bool. */
void at_dropOut(at_tensor **out, at_tensor *self, double p, bool train);

/* --- tables ---------------------------------------------------------------------------------- */

at_tensor *at_nnEmbedding(at_tensor *out, at_tensor *weight, at_tensor *indices);

/* The reduction of the rows of a bag. */
typedef enum at_bag_mode { AT_BAG_SUM, AT_BAG_MEAN, AT_BAG_MAX } at_bag_mode;

/* out: the reduced bags, the bag of each index, the bags' sizes, and in mode AT_BAG_MAX the row
 * that each element is from. */
void at_nnEmbeddingBag(at_tensor **out, at_tensor *weight, at_tensor *indices, at_tensor *offsets,
                       bool scale_grad_by_freq, int64_t mode, at_tensor *per_sample_weights,
                       bool include_last_offset, int64_t padding_idx);

#endif
