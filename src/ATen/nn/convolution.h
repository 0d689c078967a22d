/* Convolutions, forward, backward and double backward: of sequences, images and volumes, in groups, full
 * (transposed) or not. */
#ifndef ATEN_CONVOLUTION_H
#define ATEN_CONVOLUTION_H

#include "ATen/core/ATenCore.h"
#include "THNNGroups.h"

/* The options of a convolution: a number for each axis, or one for all; an empty list is 1 (padding: 0).
 * Formulas of gradients, which call operations, have at_conv_grad_options (src/ATen/autograd/Formulas.h). */
typedef struct at_conv_options {
  at_ints stride, padding, dilation;
  bool transposed;
  at_ints output_padding;
  int64_t groups;
  at_tensor *transformed; /* what at_transformWeights made of the same weight, or NULL */
  THNNActivation
      *activation; /* of at_convolve, or NULL; computed if it isDone then (THNNGroups.h) */
} at_conv_options;

/* The convolution of input.  axes: how many the weight has to have; 0: 1, 2 or 3.  bias may be NULL. */
at_tensor *at_convolve(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                       at_tensor *bias, at_conv_options how);

/* The weight as convolutions that are not transposed transform it before they see an image (Winograd), for
 * how.transformed; an empty tensor if they do not transform it (THNNGroups.h). */
at_tensor *at_transformWeights(at_tensor *weight, at_conv_options how);

/* The convolution with a padding in words, "valid" or "same", from which how.padding follows. */
at_tensor *at_convolvePadded(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                             at_tensor *bias, const char *padding, at_conv_options how);

/* out: the gradients with respect to input, weight and bias, but only those with wanted[i] and mask[i]. */
void at_convolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad, at_tensor *input,
                         at_tensor *weight, at_conv_options how, at_ints mask);

/* at_convolve and at_convolveBackward of complex numbers (src/ATen/complex/convolve.c). */
at_tensor *at_complexConvolve(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                              at_tensor *bias, at_conv_options how);
void at_complexConvolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad,
                                at_tensor *input, at_tensor *weight, at_conv_options how,
                                at_ints mask);

/* Double backward: from the gradients ggI, ggW and ggb of the three results of at_convolveBackward, each of
 * which may be NULL, the gradients with respect to grad, input and weight; NULL for one that is 0. */
void at_convolveDoubleBackward(at_tensor **out, const bool *wanted, at_tensor *ggI, at_tensor *ggW,
                               at_tensor *ggb, at_tensor *grad, at_tensor *weight, at_tensor *input,
                               at_conv_options how, at_ints mask);

/* Operations with the names of THNN's layers (thnn_conv2d and so on): kernel_size is the kernel size of
 * weight, which may be a matrix.  buffers: out has two more results, which have no elements. */
void at_layerConvolve(at_tensor **out, bool buffers, at_tensor *self, at_tensor *weight,
                      at_ints kernel_size, int axes, at_tensor *bias, at_conv_options how);
at_tensor *at_layerConvolveOne(at_tensor *out, at_tensor *self, at_tensor *weight,
                               at_ints kernel_size, int axes, at_tensor *bias, at_conv_options how);
void at_layerConvolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad, at_tensor *self,
                              at_tensor *weight, at_ints kernel_size, int axes, at_conv_options how,
                              at_ints mask);

/* Convolutions by cuDNN.  at_convolvesByDnn: whether it may compute that of input (Half or
 * BFloat16 on CUDA).  The other two return NULL or false, and have done nothing, if cuDNN does
 * not support the convolution; size is that of the result. */
bool at_convolvesByDnn(const at_tensor *input, const at_tensor *weight);
at_tensor *at_convolveByDnn(at_tensor *input, at_tensor *weight, at_tensor *bias, int axes,
                            const THNNGroups *g, at_ints size);
bool at_convolveBackwardByDnn(at_tensor **out, const bool *gives, at_tensor *grad, at_tensor *input,
                              at_tensor *weight, int axes, const THNNGroups *g);

/* conv_tbc: the convolution of a sequence whose dimensions are time, batch and channels. */
at_tensor *at_convolveTime(at_tensor *self, at_tensor *weight, at_tensor *bias, int64_t pad);

#endif
