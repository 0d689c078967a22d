/* Padding, upsampling and grid sampling of images. */
#ifndef ATEN_RESAMPLE_H
#define ATEN_RESAMPLE_H

#include "ATen/core/ATenCore.h"

typedef enum at_padding { AT_PAD_REFLECTION, AT_PAD_REPLICATION } at_padding;

/* With grad, the gradient of the result, the functions compute the gradient of self; with NULL, the
 * result. */
at_tensor *at_padImages(at_tensor *out, at_padding kind, int axes, at_tensor *grad, at_tensor *self,
                        at_ints padding);
at_tensor *at_upsampleNearest(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                              int64_t scale_factor);
at_tensor *at_upsampleLinear(at_tensor *out, int axes, at_tensor *self, at_ints output_size);
at_tensor *at_upsampleLinearBackward(at_tensor *out, int axes, at_tensor *grad, at_ints output_size,
                                     at_ints input_size);

at_tensor *at_gridSampler(at_tensor *out, int axes, at_tensor *input, at_tensor *grid,
                          int64_t interpolation_mode, int64_t padding_mode, bool align_corners);
/* at_gridSampler in any mode, made of operations that have gradients. */
at_tensor *at_gridSampledBy(int axes, at_tensor *input, at_tensor *grid, int64_t mode,
                            int64_t padding, bool aligns);
/* at_gridSampledBy as operations, which are recorded; nothing is checked.  The undefined tensor after an error. */
at_tensor *at_gridSamples(int axes, at_tensor *input, at_tensor *grid, int64_t mode,
                          int64_t padding, bool aligns);
/* The gradients of input and grid, which the pool holds. */
void at_gridGradientsBy(at_pool *pool, at_tensor **made, int axes, at_tensor *grad,
                        at_tensor *input, at_tensor *grid, int64_t mode, int64_t padding,
                        bool aligns);
void at_gridSamplerBackward(at_tensor **out, const bool *wanted, int axes, at_tensor *grad,
                            at_tensor *input, at_tensor *grid, int64_t interpolation_mode,
                            int64_t padding_mode, bool align_corners, at_ints output_mask);

/* The short-time Fourier transform: that of each frame of a signal. */
at_tensor *at_shortTimeFourier(at_tensor *self, int64_t frame_length, int64_t hop, int64_t fft_size,
                               bool return_onesided, at_tensor *window, int64_t pad_end);

#endif
