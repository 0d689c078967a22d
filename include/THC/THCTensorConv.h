/* Convolutions and cross-correlations of images on devices, of Float: those of THTensorConv.h.
 *
 * They compute output = beta * output + alpha * (sums of convolutions of planes), where alpha is 1
 * if it is no argument; with beta 0, output's values are not looked at.  type is as vf and xc there:
 * "v" or "f" (valid or full), and after it perhaps "x" or "c" (cross-correlation or convolution), in
 * small or capital letters; without it, valid is a cross-correlation and full a convolution, as the
 * layers of classic nn need them.
 *
 * output takes its shape; when its number of elements changes, it counts as filled with zeros.
 * Operands may have any strides, and output may be one of them or share memory with them. */
#ifndef THC_TENSOR_CONV_H
#define THC_TENSOR_CONV_H

#include "THCTensor.h"

/* output[k] of input[i] and kernel[k][i], summed over i.
 * input: I x ..., kernel: K x I x ..., output: K x ... */
THC_API void THCudaTensor_conv2Dmv(struct THCState *state, THCudaTensor *output, float beta,
                                   THCudaTensor *input, THCudaTensor *kernel, int64_t srow,
                                   int64_t scol, const char *type);

/* conv2Dmv for a batch: output[b][k] of input[b][i] and kernel[k][i], summed over i.
 * input: B x I x ..., kernel: K x I x ..., output: B x K x ... */
THC_API void THCudaTensor_conv2Dmm(struct THCState *state, THCudaTensor *output, float beta,
                                   THCudaTensor *input, THCudaTensor *kernel, int64_t srow,
                                   int64_t scol, const char *type);

/* The reverse form, every plane with every kernel: output[k][i] of input[i] and kernel[k].
 * input: I x ..., kernel: K x ..., output: K x I x ... */
THC_API void THCudaTensor_conv2DRevger(struct THCState *state, THCudaTensor *output, float beta,
                                       float alpha, THCudaTensor *input, THCudaTensor *kernel,
                                       int64_t srow, int64_t scol);

/* Sums of these over a batch: output[k][i] of input[b][i] and kernel[b][k], over b.
 * input: B x I x ..., kernel: B x K x ..., output: K x I x ... */
THC_API void THCudaTensor_conv2DRevgerm(struct THCState *state, THCudaTensor *output, float beta,
                                        float alpha, THCudaTensor *input, THCudaTensor *kernel,
                                        int64_t srow, int64_t scol);

/* Valid cross-correlations of planes that a table connects: output[o] of input[table[c][0]] and
 * kernel[c], summed over the fanin rows c = o * fanin ... of table.  Numbers of planes count from
 * TH_INDEX_BASE; what is behind the first column is left alone.
 * input: I x ..., kernel: C x ..., table: C x 2, output: C / fanin x ...; waits for the device, to
 * check the table. */
THC_API void THCudaTensor_conv2Dmap(struct THCState *state, THCudaTensor *output,
                                    THCudaTensor *input, THCudaTensor *kernel, int64_t stride_x,
                                    int64_t stride_y, THCudaTensor *table, int64_t fanin);

#endif
