/* Pooling of images: over windows that slide, that divide the image evenly, or that are drawn. axes
 * is 1, 2 or 3: columns, rows and columns, slices too. */
#ifndef ATEN_POOLING_H
#define ATEN_POOLING_H

#include "ATenCore.h"

/* Windows that slide.  No stride is that of the windows' size. */
typedef struct at_windows {
  at_ints size, stride, padding, dilation;
  bool ceil; /* the last window may reach over the edge */
} at_windows;

/* grad is NULL forward; back, it is the gradient of the result. */
at_tensor *at_averagePool(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                          at_windows windows, bool count_include_pad);
at_tensor *at_adaptiveAverage(at_tensor *out, int axes, at_tensor *self, at_ints output_size);
at_tensor *at_adaptiveAverageBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self);

/* out: the largest elements, and their places. */
void at_maxPool(at_tensor **out, int axes, at_tensor *self, at_windows windows);
at_tensor *at_maxPoolBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                              at_windows windows, at_tensor *indices);
void at_adaptiveMax(at_tensor **out, int axes, at_tensor *self, at_ints output_size);
at_tensor *at_adaptiveMaxBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                                  at_tensor *indices);
void at_fractionalMax(at_tensor **out, at_tensor *self, at_ints kernel_size, at_ints output_size,
                      at_tensor *random_samples);
at_tensor *at_fractionalMaxBackward(at_tensor *out, at_tensor *grad, at_tensor *self,
                                    at_ints kernel_size, at_ints output_size, at_tensor *indices);

/* What max pooling took goes back to its places in images of that size. */
at_tensor *at_maxUnpool(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                        at_tensor *indices, at_ints output_size, at_ints stride, at_ints padding);

#endif
