/* Convolutions, forward, backward and double backward: of sequences, images and volumes, in groups, full
 * (transposed) or not. */
#ifndef ATEN_CONVOLUTION_H
#define ATEN_CONVOLUTION_H

#include "ATen/core/ATenCore.h"
#include "THNNGroups.h"

/* Numbers for each axis, or one for all; none stands for 1, or 0 of padding. */
typedef struct at_convolving {
  at_ints stride, padding, dilation;
  bool transposed;
  at_ints output_padding;
  int64_t groups;
  at_tensor *transformed; /* of this weight, from at_transformWeights, or NULL */
} at_convolving;

/* axes: how many the weight has; 0 if it may have any number.  bias may be NULL. */
at_tensor *at_convolve(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                       at_tensor *bias, at_convolving how);

/* What convolutions, not transposed, may make of weight before they see an image: empty if they make
 * nothing of it (THNNGroups.h). */
at_tensor *at_transformWeights(at_tensor *weight, at_convolving how);

/* padding is "valid", or "same": how.padding follows. */
at_tensor *at_convolvePadded(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                             at_tensor *bias, const char *padding, at_convolving how);

/* out: the gradients with respect to input, weight and bias; those that are wanted and have no 0 in
 * mask. */
void at_convolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad, at_tensor *input,
                         at_tensor *weight, at_convolving how, at_ints mask);

/* The same of complex numbers (src/ATen/complex/convolve.c). */
at_tensor *at_complexConvolve(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                              at_tensor *bias, at_convolving how);
void at_complexConvolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad,
                                at_tensor *input, at_tensor *weight, at_convolving how,
                                at_ints mask);

/* Gradients of those gradients, from theirs, which may be NULL: with respect to grad, input and
 * weight; NULL where nothing has a part in one. */
void at_convolveDoubleBackward(at_tensor **out, const bool *wanted, at_tensor *ggI, at_tensor *ggW,
                               at_tensor *ggb, at_tensor *grad, at_tensor *weight, at_tensor *input,
                               at_convolving how, at_ints mask);

/* The functions that are called after THNN's: kernel_size is that of weight, which may be a matrix.
 * buffers: out has two more results, which have no elements. */
void at_layerConvolve(at_tensor **out, bool buffers, at_tensor *self, at_tensor *weight,
                      at_ints kernel_size, int axes, at_tensor *bias, at_convolving how);
at_tensor *at_layerConvolveOne(at_tensor *out, at_tensor *self, at_tensor *weight,
                               at_ints kernel_size, int axes, at_tensor *bias, at_convolving how);
void at_layerConvolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad, at_tensor *self,
                              at_tensor *weight, at_ints kernel_size, int axes, at_convolving how,
                              at_ints mask);

/* Whether cuDNN may compute a convolution of Half or BFloat16 on CUDA.  size is that of the result.  NULL, or false,
 * where it does not: nothing has been done then. */
bool at_convolvesByDnn(const at_tensor *input, const at_tensor *weight);
at_tensor *at_convolveByDnn(at_tensor *input, at_tensor *weight, at_tensor *bias, int axes,
                            const THNNGroups *g, at_ints size);
bool at_convolveBackwardByDnn(at_tensor **out, const bool *gives, at_tensor *grad, at_tensor *input,
                              at_tensor *weight, int axes, const THNNGroups *g);

/* Of sequences whose dimensions are time, batch and channels. */
at_tensor *at_convolveTime(at_tensor *self, at_tensor *weight, at_tensor *bias, int64_t pad);

#endif
