/* Windows of images as columns of matrices, and sums of windows. */
#ifndef ATEN_COLUMNS_H
#define ATEN_COLUMNS_H

#include "ATen/core/ATenCore.h"
#include "pooling.h"

/* The windows of images (batch x planes x height x width, or without batch) as columns. */
at_tensor *at_columnsOf(at_tensor *out, at_tensor *self, at_ints kernel_size, at_ints dilation,
                        at_ints padding, at_ints stride);

/* The images of which self has the columns, as sums. */
at_tensor *at_imagesOf(at_tensor *out, at_tensor *self, at_ints output_size, at_ints kernel_size,
                       at_ints dilation, at_ints padding, at_ints stride);

/* Average pooling; a divisor that is not AT_NONE replaces the number of elements. */
at_tensor *at_averageBy(at_tensor *out, int axes, at_tensor *self, at_windows windows,
                        bool count_include_pad, int64_t divisor);

#endif
