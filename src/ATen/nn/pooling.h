/* Pooling of images with sliding, adaptive or fractional windows.  axes is 1 (columns), 2 (rows and
 * columns) or 3 (slices, rows and columns). */
#ifndef ATEN_POOLING_H
#define ATEN_POOLING_H

#include "ATen/core/ATenCore.h"

/* Sliding windows.  An empty stride stands for the windows' size. */
typedef struct at_windows {
  at_ints size, stride, padding, dilation;
  bool ceil; /* rounds output sizes up: the last window may reach over the edge */
} at_windows;

/* With grad, the gradient of the result, the functions compute the gradient of self; with NULL, the
 * result. */
at_tensor *at_averagePool(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                          at_windows windows, bool count_include_pad);
at_tensor *at_adaptiveAverage(at_tensor *out, int axes, at_tensor *self, at_ints output_size);
at_tensor *at_adaptiveAverageBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self);

/* out: the maxima, and their indices in the plane. */
void at_maxPool(at_tensor **out, int axes, at_tensor *self, at_windows windows);
at_tensor *at_maxPoolBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                              at_windows windows, at_tensor *indices);
void at_adaptiveMax(at_tensor **out, int axes, at_tensor *self, at_ints output_size);
at_tensor *at_adaptiveMaxBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                                  at_tensor *indices);
void at_fractionalMax(at_tensor **out, int axes, at_tensor *self, at_ints kernel_size,
                      at_ints output_size, at_tensor *random_samples);
at_tensor *at_fractionalMaxBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                                    at_ints kernel_size, at_ints output_size, at_tensor *indices);

/* Writes each element of self to its index, from max pooling, in images of zeros of output_size. */
at_tensor *at_maxUnpool(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                        at_tensor *indices, at_ints output_size, at_ints stride, at_ints padding);

#endif
