/* What the formulas of gradients in src/ops/aten call besides operations.  The functions are called
 * as operations are: what fails is reported, and the undefined tensor is returned. */
#ifndef ATEN_FORMULAS_H
#define ATEN_FORMULAS_H

#include "ATen/composed/Composed.h"
#include "ATen/resample/interpolate.h"
#include "Matrices.h"
#include "Node.h"

/* A formula's calls have no file and line of their own: those of the recorded call count. */
#define at_call_new(FILE, LINE, RESULT)   (RESULT)
#define at_call_given(FILE, LINE, RESULT) (RESULT)
#define at_call_list(FILE, LINE, RESULT)  (RESULT)

/* The gradients of nothing: an operand of an operation that is constant wherever it has a
 * derivative. */
void at_back_none(at_backward_call *call);

/* A list of that many tensors, all NULL, which the innermost scope owns; empty after an error. */
const at_tensors *at_listOf(int count);

/* --- pointwise -------------------------------------------------------------------------------- */

/* t * factor; t itself if that is 1. */
at_tensor *at_scaled(at_tensor *t, at_scalar factor);

/* The gradient of the operand that an elementwise maximum or minimum chose: none where it loses,
 * half where both are equal. */
at_tensor *at_shared(at_tensor *grad, at_tensor *loses, at_tensor *ties);

/* grad * x / (self * self + other * other), and 0 where both are. */
at_tensor *at_angleGrad(at_tensor *grad, at_tensor *x, at_tensor *self, at_tensor *other);

/* The gradients of angle and sgn of complex numbers; of real ones both are 0. */
at_tensor *at_angleOfGrad(at_tensor *grad, at_tensor *self);
at_tensor *at_sgnGrad(at_tensor *grad, at_tensor *self, at_tensor *result);

at_tensor *at_eluGrad(at_tensor *grad, at_tensor *result, double alpha, double scale,
                      double inputScale);
at_several at_preluGrad(at_tensor *grad, at_tensor *self, at_tensor *weight);

/* The sum over a dimension, which remains with size 1. */
at_tensor *at_sumOver(at_tensor *t, int64_t dim);

/* The gradient of softmax_backward with respect to output, where before was its own gradient; of
 * log_softmax_backward with respect to that. */
at_tensor *at_softmaxGrad(at_tensor *grad, at_tensor *before, at_tensor *output, int64_t dim);
at_tensor *at_logSoftmaxGrad(at_tensor *grad, at_tensor *output, int64_t dim);

at_tensor *at_powScalarGrad(at_tensor *grad, at_tensor *self, at_scalar exponent);
at_tensor *at_powGrad(at_tensor *grad, at_tensor *self, at_tensor *exponent);
at_tensor *at_powExponentGrad(at_tensor *grad, at_tensor *self, at_tensor *exponent,
                              at_tensor *result);
at_tensor *at_clampGrad(at_tensor *grad, at_tensor *self, at_scalar min, at_scalar max);
at_tensor *at_sincGrad(at_tensor *grad, at_tensor *self, at_tensor *result);
at_tensor *at_xlogyGrad(at_tensor *grad, at_tensor *self, at_tensor *log, at_tensor *isNaN,
                        at_tensor *isLow);

/* grad * log, with isLow 0 instead where self is 0. */
at_tensor *at_xlogyByNumber(at_tensor *grad, at_tensor *self, double log, bool isLow);
at_tensor *at_powBaseGrad(at_tensor *grad, double base, at_tensor *exponent, at_tensor *result);

/* The gradients of self, min and max. */
at_several at_clampTensorGrad(at_tensor *grad, at_tensor *self, at_tensor *min, at_tensor *max);

/* --- activations ------------------------------------------------------------------------------ */

at_tensor *at_gluGrad(at_tensor *grad, at_tensor *self, int64_t dim);
at_tensor *at_softplusGrad(at_tensor *grad, at_tensor *self, double beta, double threshold);
at_tensor *at_logitGrad(at_tensor *grad, at_tensor *self, at_scalar eps);
at_tensor *at_geluGrad(at_tensor *grad, at_tensor *self, const char *approximate);
at_tensor *at_siluGrad(at_tensor *grad, at_tensor *self);
at_tensor *at_mishGrad(at_tensor *grad, at_tensor *self);
at_tensor *at_hardswishGrad(at_tensor *grad, at_tensor *self);

/* prelu_backward. */
at_grad_input_grad_weight at_preluTwice(at_tensor *grad, at_tensor *self, at_tensor *weight,
                                        at_ints mask);

/* The randomized leaky ReLU; the slopes, in training, are written to noise, if there is one. */
at_tensor *at_rreluOf(at_tensor *self, at_tensor *noise, at_scalar lower, at_scalar upper,
                      bool training, at_generator *generator);

/* --- losses ----------------------------------------------------------------------------------- */

/* The reduction (0 none, 1 mean, 2 sum) that the two booleans stand for. */
int64_t at_reductionOf(bool sizeAverage, bool reduce);

/* The gradient of a loss before it is reduced. */
at_tensor *at_lossGrad(at_tensor *grad, at_tensor *self, at_tensor *target, int64_t reduction);

/* t * weight, or t if there is no weight. */
at_tensor *at_weighted(at_tensor *t, at_tensor *weight);

/* The gradient of losses that are quadratic below beta and linear above, with that slope. */
at_tensor *at_smoothGrad(at_tensor *grad, at_tensor *x, at_tensor *y, double beta, double slope);
at_tensor *at_klTargetSlope(at_tensor *self, at_tensor *target, bool isLog);
at_tensor *at_logitsSlope(at_tensor *self, at_tensor *target, at_tensor *positive);
at_tensor *at_logitsTargetSlope(at_tensor *self, at_tensor *positive);
at_tensor *at_poissonTargetSlope(at_tensor *input, at_tensor *target, bool isLog, bool full,
                                 double eps);
at_tensor *at_rankingGrad(at_tensor *grad, at_tensor *x, at_tensor *y, at_tensor *target,
                          double margin);

/* total is the sum of the weights of the targets that count, or NULL. */
at_tensor *at_nllGrad(at_tensor *grad, at_ints sizes, at_tensor *target, at_tensor *weight,
                      at_tensor *total, int64_t reduction, int64_t ignored);
at_tensor *at_crossEntropyGrad(at_tensor *grad, at_tensor *self, at_tensor *target,
                               at_tensor *weight, int64_t reduction, int64_t ignored,
                               double smoothing);

/* The gradient of targets that are probabilities. */
at_tensor *at_crossEntropyTargetGrad(at_tensor *grad, at_tensor *self, at_tensor *weight,
                                     int64_t reduction, double smoothing);

at_tensor *at_multiMarginGrad(at_tensor *grad, at_tensor *self, at_tensor *target, at_scalar p,
                              at_scalar margin, at_tensor *weight, int64_t reduction);

/* The gradient of multilabel_margin_loss_backward with respect to its grad_output, which like is. */
at_tensor *at_multiLabelTwice(at_tensor *grad, at_tensor *like, at_tensor *self, at_tensor *target,
                              at_tensor *isTarget, bool sizeAverage, bool reduce);

/* --- layers ----------------------------------------------------------------------------------- */

/* The gradients of input, weight and bias; of batch_norm with the given mean and variance, or with
 * the input's own if they are NULL.  wants says which are wanted; NULL: all, by operations. */
at_several at_batchNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, at_tensor *mean,
                            at_tensor *variance, double eps, const bool *wants);
at_several at_layerNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, int count,
                            double eps, const bool *wants);
at_several at_groupNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, int64_t groups,
                            double eps);
at_several at_rmsNormGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, int count,
                          at_scalar eps);

/* The gradients of the native functions, which return mean and reciprocal deviation too; and of their gradients.
 * moments has the gradients of these two. */
at_several at_nativeBatchNormGrad(at_tensor *grad, const at_several *moments, at_tensor *input,
                                  at_tensor *weight, at_tensor *mean, at_tensor *deviation);
at_several at_nativeLayerNormGrad(at_tensor *grad, const at_several *moments, at_tensor *input,
                                  at_tensor *weight, int count, at_tensor *mean,
                                  at_tensor *deviation);
at_several at_nativeGroupNormGrad(at_tensor *grad, const at_several *moments, at_tensor *input,
                                  at_tensor *weight, int64_t groups, at_tensor *mean,
                                  at_tensor *deviation);
at_grad_input_grad_weight_grad_bias at_batchNormBackwardOf(at_several all, at_ints mask);

/* The rows of grad that were selected, as embedding did: 0 for padding. */
at_tensor *at_embeddingTwice(at_tensor *grad, at_tensor *indices, int64_t padding,
                             bool byFrequency);

/* The gradients of embedding_bag. */
at_tensor *at_embeddingBagGrad(at_tensor *grad, at_tensor *indices, at_tensor *bags,
                               at_tensor *sizes, int64_t rows, bool byFrequency, int64_t mode,
                               at_tensor *maxima, at_tensor *weights, int64_t padding);
at_tensor *at_embeddingBagWeightsGrad(at_tensor *grad, at_tensor *weight, at_tensor *indices,
                                      at_tensor *bags, int64_t padding);

at_tensor *at_avgPool1dGrad(at_tensor *grad, at_ints sizes, at_ints kernel, at_ints stride,
                            at_ints padding, bool ceils, bool countsPadding);

/* Average pooling with a divisor, of images or volumes. */
at_tensor *at_avgPoolByGrad(at_tensor *grad, at_ints sizes, at_ints kernel, at_ints stride,
                            at_ints padding, bool ceils, bool countsPadding, int64_t divisor);

/* The gradient of RoiPooling2d_backward with respect to gradOutput. */
at_tensor *at_roiTwice(at_tensor *grad, at_tensor *rois, at_tensor *argmaxes);

/* The gradient of images of those sizes that were interpolated, with scales, if there are any. */
at_tensor *at_interpolateGrad(at_tensor *grad, at_ints sizes, at_interpolation how, bool aligns,
                              at_doubles scales);

/* Max pooling over the last dims dimensions, and its inverse. */
at_tensor *at_maxPoolGrad(at_tensor *grad, at_ints sizes, at_tensor *indices, int dims);
at_tensor *at_maxUnpoolGrad(at_tensor *grad, at_tensor *indices, int dims);

/* The options of a convolution, as its operation has them (conv2d). */
typedef struct at_conv_grad_options {
  at_ints stride, padding, dilation;
  bool isTransposed;
  at_ints outputPadding;
  int64_t groups;
} at_conv_grad_options;

/* The gradients of input, weight and bias of a convolution, those with wants[i]: of conv2d and others;
 * of convolutions with a padding in words; of layers that are given the size of the kernel. */
at_several at_convGrad(at_tensor *grad, at_tensor *input, at_tensor *weight,
                       at_conv_grad_options how, const bool *wants);
at_several at_convPaddedGrad(at_tensor *grad, at_tensor *input, at_tensor *weight,
                             const char *padding, at_conv_grad_options how, const bool *wants);
at_several at_layerConvGrad(at_tensor *grad, at_tensor *input, at_tensor *weight, at_ints kernel,
                            at_conv_grad_options how, const bool *wants);

/* Double backward of convolutions: from the gradients of the three results of at_convGrad (ofInput,
 * ofWeight, ofBias, each may be NULL), the gradients of grad, input and weight, from which at_convGrad
 * computed. */
at_several at_convTwice(at_tensor *ofInput, at_tensor *ofWeight, at_tensor *ofBias, at_tensor *grad,
                        at_tensor *input, at_tensor *weight, at_conv_grad_options how);
at_several at_layerConvTwice(at_tensor *ofInput, at_tensor *ofWeight, at_tensor *ofBias,
                             at_tensor *grad, at_tensor *input, at_tensor *weight, at_ints kernel,
                             at_conv_grad_options how);
at_grad_output_grad_self_grad_weight at_convTwiceOf(at_tensor *ofInput, at_tensor *ofWeight,
                                                    at_tensor *ofBias, at_tensor *grad,
                                                    at_tensor *weight, at_tensor *input,
                                                    at_conv_grad_options how, at_ints mask);

/* The gradients of conv_tbc, and those of conv_tbc_backward. */
at_several at_convTimeGrad(at_tensor *grad, at_tensor *self, at_tensor *weight, at_tensor *bias,
                           int64_t pad);
at_grad_input_grad_weight_grad_bias at_convTimeBackwardOf(at_tensor *grad, at_tensor *input,
                                                          at_tensor *weight, int64_t pad);

/* The gradients of grid_sampler, with a graph. */
at_grad_input_grad_grid at_gridBackwardOf(at_tensor *grad, at_tensor *input, at_tensor *grid,
                                          int64_t mode, int64_t padding, bool aligns, at_ints mask);
at_tensor *at_stftOf(at_tensor *self, int64_t length, int64_t hop, int64_t size, bool oneSided,
                     at_tensor *window, int64_t pad);
at_several at_gridGrad(at_tensor *grad, at_tensor *input, at_tensor *grid, int64_t interpolation,
                       int64_t padding, bool aligns);

/* --- shapes ----------------------------------------------------------------------------------- */

/* t, summed over the dimensions that broadcasting from sizes added or repeated. */
at_tensor *at_sumToSize(at_tensor *t, at_ints sizes);

/* t with zeros behind it in each dimension, up to those sizes. */
at_tensor *at_padTo(at_tensor *t, at_ints sizes);

/* A tensor of those sizes and t's type without memory of its own, where only its sizes matter. */
at_tensor *at_shaped(at_tensor *t, at_ints sizes);

/* t in the type of like. */
at_tensor *at_typed(at_tensor *t, at_tensor *like);

/* Zeros of those sizes, but at that index of dim, or in that range of it, t. */
at_tensor *at_select_backward(at_tensor *t, at_ints sizes, int64_t dim, int64_t index);
at_tensor *at_narrowGrad(at_tensor *t, at_ints sizes, int64_t dim, int64_t start, int64_t length);

/* as_strided; offset may be AT_NONE. */
at_tensor *at_stridedGrad(at_tensor *grad, at_tensor *self, at_ints sizes, at_ints strides,
                          int64_t offset);

at_tensor *at_diffOf(at_tensor *self, int64_t n, int64_t dim, at_tensor *before, at_tensor *behind);
const at_tensors *at_meshGrad(at_tensors grads, at_tensors tensors, const char *indexing);
at_tensor *at_repeatGrad(at_tensor *grad, at_ints sizes, at_tensor *repeats, int64_t dim);

/* The gradient of masked_scatter with respect to source, which has those sizes. */
at_tensor *at_maskedSourceGrad(at_tensor *grad, at_tensor *mask, at_ints sizes);

/* The dimensions of t in the order that permute by dims changed. */
at_tensor *at_permuteGrad(at_tensor *t, at_ints dims);

/* The index of each element of a tensor of those sizes, on t's device.  What moves elements moves
 * their indices alike: the gradient of any such operation is at_moved of its result on them. */
at_tensor *at_positions(at_tensor *t, at_ints sizes);

/* A tensor of those sizes: each element of t is added at the index that where has for it. */
at_tensor *at_moved(at_tensor *t, at_ints sizes, at_tensor *where);

/* Padding, and padding in one of the modes of pad. */
at_tensor *at_padGrad(at_tensor *grad, at_ints pad);
at_tensor *at_padModeGrad(at_tensor *grad, at_ints sizes, at_ints pad, const char *mode);

/* The gradients of cat and its kind, which join tensors along dim: for each tensor its part of grad, in its shape. */
const at_tensors *at_catGrad(at_tensor *grad, at_tensors tensors, int64_t dim);

at_tensor *at_diagGrad(at_tensor *grad, at_ints sizes, int64_t diagonal);

/* --- reductions ------------------------------------------------------------------------------- */

/* The result of a reduction over dims, all if there are none, as it was before: repeated. */
at_tensor *at_unreduced(at_tensor *t, at_ints sizes, at_ints dims, bool keepdim);

at_tensor *at_meanGrad(at_tensor *grad, at_ints sizes, at_ints dims, bool keepdim);

/* grad has self's sizes, or one element if dim is AT_NONE. */
at_tensor *at_prodGrad(at_tensor *grad, at_tensor *self, int64_t dim);

/* The variance, and what a gradient of the standard deviation is as one of the variance. */
at_tensor *at_varGrad(at_tensor *grad, at_tensor *self, at_ints dims, double correction,
                      bool keepdim);
at_tensor *at_stdGrad(at_tensor *grad, at_tensor *std);

at_tensor *at_normGrad(at_tensor *grad, at_tensor *self, at_tensor *norm, at_scalar p, at_ints dims,
                       bool keepdim);

/* Extremes: each of the elements that are the result has an equal part of the gradient. */
at_tensor *at_evenGrad(at_tensor *grad, at_tensor *self, at_tensor *result, at_ints dims,
                       bool keepdim);

/* Zeros of those sizes, to which the gradients are added along dim at the indices. */
at_tensor *at_indexedGrad(at_tensor *grad, at_ints sizes, int64_t dim, at_tensor *indices,
                          bool keepdim);

at_tensor *at_nanmeanGrad(at_tensor *grad, at_tensor *self, at_ints dims, bool keepdim);

/* --- scans and reductions by index ------------------------------------------------------------ */

at_tensor *at_cumprodGrad(at_tensor *grad, at_tensor *self, int64_t dim);
at_tensor *at_logcumsumexpGrad(at_tensor *grad, at_tensor *self, at_tensor *result, int64_t dim);

/* The gradients of self and src. */
at_several at_scatterReduceGrad(at_tensor *grad, at_tensor *self, int64_t dim, at_tensor *index,
                                at_tensor *src, const char *reduce, bool includes,
                                at_tensor *result);
at_several at_indexReduceGrad(at_tensor *grad, at_tensor *self, int64_t dim, at_tensor *index,
                              at_tensor *src, const char *reduce, bool includes, at_tensor *result);

/* --- distances and statistics ----------------------------------------------------------------- */

at_several at_cdistGrad(at_tensor *grad, at_tensor *x, at_tensor *y, at_tensor *result, double p);
at_tensor *at_pdistOf(at_tensor *self, double p);
at_tensor *at_weightNormOf(at_tensor *v, at_tensor *g, int64_t dim);
at_tensor *at_renormGrad(at_tensor *grad, at_tensor *self, at_scalar p, int64_t dim,
                         at_scalar most);
at_tensor *at_quantileOfRanks(at_tensor *self, at_tensor *q, int64_t dim, bool keepdim,
                              const char *interpolation, bool skipsNaN);

/* --- operations made of others --------------------------------------------------------------- */

at_tensor *at_innerOf(at_tensor *self, at_tensor *other);
at_tensor *at_bilinearOf(at_tensor *input1, at_tensor *input2, at_tensor *weight, at_tensor *bias);
at_tensor *at_similarityOf(at_tensor *x, at_tensor *y, int64_t dim, double eps);
at_tensor *at_distanceOf(at_tensor *x, at_tensor *y, double p, double eps, bool keepdim);
at_tensor *at_reducedLoss(at_tensor *loss, int64_t reduction);
at_tensor *at_hingeLossOf(at_tensor *self, at_tensor *target, double margin, int64_t reduction);
at_tensor *at_cosineLossOf(at_tensor *x, at_tensor *y, at_tensor *target, double margin,
                           int64_t reduction);

/* Recurrent networks, and one step of a cell; the states are in hx, of LSTM also the cells. */
at_output_h_n_c_n at_recurrent(const at_recurrence *how, at_tensor *input, at_tensors hx,
                               at_tensors params);
at_output_h_n at_withoutCells(at_output_h_n_c_n made);
at_h_c at_cellStep(at_cell_kind cell, at_tensor *input, at_tensors hx, at_tensor *w_ih,
                   at_tensor *w_hh, at_tensor *b_ih, at_tensor *b_hh);

/* --- products --------------------------------------------------------------------------------- */

/* The gradient of the first operand of _grouped_mm. */
at_tensor *at_groupedGrad(at_tensor *grad, at_tensor *mat2, at_tensor *offs);

/* matmul, for the first or the second operand, of those sizes. */
at_tensor *at_matmulGrad(at_tensor *grad, at_tensor *other, at_ints sizes, bool isFirst);

/* tensordot, for the first or the second operand, of those sizes. */
at_tensor *at_tensordotGrad(at_tensor *grad, at_tensor *other, at_ints sizes, at_ints dims,
                            at_ints otherDims, bool isFirst);
const at_tensors *at_einsumGrad(at_tensor *grad, const char *equation, at_tensors tensors);
at_tensor *at_kronOf(at_tensor *self, at_tensor *other);

at_tensor *at_linearInputGrad(at_tensor *grad, at_tensor *weight);
at_tensor *at_linearWeightGrad(at_tensor *grad, at_tensor *input, bool isVector);

/* The gradients of query, key, value and mask. */
at_several at_attentionGrad(at_tensor *grad, at_tensor *query, at_tensor *key, at_tensor *value,
                            at_tensor *mask, bool isCausal, at_scalar scale, bool sharesKeys,
                            const bool *wants);

/* t as a matrix of rows along the last dimension. */
at_tensor *at_asRows(at_tensor *t);

#endif
