/* Convolutions of one, two and three dimensions: one description and three operations for all
 * layers.
 *
 * A layer describes itself by a THNNLayer.  THNN_(convolutionOf) checks its operands and makes a
 * THNNConvolution of the layer and their sizes.  Three operations compute with x, y and the weight
 * (outputs x planes of a group x taps):
 *
 *     convolve                  y from x              forward; the gradient of a transposed one
 *     convolveBackwardData      x from y              the gradient; a transposed one forward
 *     convolveBackwardWeights   weight from x and y   the gradient of weight and bias
 *
 * Each of them is computed by one of the algorithms of Algorithm.h.  The words, in PyTorch's:
 *
 *     planes, outputs   channels of x, channels of y
 *     image             the elements of one channel of x (H * W)
 *     positions         the elements of one channel of y (H_out * W_out); each has a window in x
 *     taps              the elements of the kernel in one channel (kH * kW)
 *     terms             planes / groups * taps, the K of the matrix product
 *     step, size        stride, kernel_size */
#ifndef THNN_CONVOLUTION_H
#define THNN_CONVOLUTION_H

#include "THNN/conv/Algorithm.h"
#include "THNN/conv/direct/DirectConv.h"
#include "THNN/conv/gemm/Im2Col.h"

typedef struct {
  int spatial;        /* number of dimensions of an image: 2 or 3 */
  int transposed;     /* a transposed (Torch: full) convolution: input is y, output is x */
  int dilationLimits; /* outputPadding < max(step, dilation); otherwise outputPadding < step */
  int depthWise;      /* each output sees one plane; weight: outputs of a plane x planes x ... */
  int groups;         /* number of groups; 0 is one group, like 1 */
  void *transformed;  /* tensor of transformed weights, or NULL (THNNGroups.h) */
  THNNActivation *activation; /* or NULL (THNNGroups.h) */
  THNNWindow at[3];           /* windows of slices, rows, columns: size, step, pad, dilation */
  int64_t outputPadding[3];   /* elements added to the output of a transposed convolution */
} THNNLayer;

/* The arguments of the next two functions are in the order of the layers' arguments. */
static inline THNNLayer THNNLayer_spatial(int kW, int kH, int dW, int dH, int padW, int padH,
                                          int dilationW, int dilationH)
{
  return (THNNLayer){.spatial = 2,
                     .at = {{.size = 1, .step = 1, .dilation = 1},
                            THNNWindow_of(kH, dH, padH, dilationH),
                            THNNWindow_of(kW, dW, padW, dilationW)}};
}

static inline THNNLayer THNNLayer_volumetric(int kT, int kW, int kH, int dT, int dW, int dH, int pT,
                                             int pW, int pH, int dilationT, int dilationW,
                                             int dilationH)
{
  return (THNNLayer){
      .spatial = 3,
      .at = {THNNWindow_of(kT, dT, pT, dilationT), THNNWindow_of(kH, dH, pH, dilationH),
             THNNWindow_of(kW, dW, pW, dilationW)}};
}

/* The transposed convolution of layer, with output padding. */
static inline THNNLayer THNNLayer_transposed(THNNLayer layer, int adjustT, int adjustW, int adjustH)
{
  layer.transposed = 1;
  layer.outputPadding[0] = adjustT;
  layer.outputPadding[1] = adjustH;
  layer.outputPadding[2] = adjustW;
  return layer;
}

/* The output padding may also reach the dilation, as in PyTorch. */
static inline THNNLayer THNNLayer_dilationLimits(THNNLayer layer)
{
  layer.dilationLimits = 1;
  return layer;
}

static inline THNNLayer THNNLayer_depthWise(THNNLayer layer)
{
  layer.depthWise = 1;
  return layer;
}

typedef struct {
  int64_t batch, groups;
  int64_t planes;             /* channels of x, of all groups together */
  int64_t outputs;            /* channels of y, of all groups together */
  THNNWindow at[3];           /* windows of slices, rows, columns: input is of x, output of y */
  ptrdiff_t image;            /* elements of one plane of x */
  ptrdiff_t positions;        /* elements of one plane of y */
  ptrdiff_t taps;             /* elements of the kernel in one plane */
  ptrdiff_t terms;            /* elements of the kernel in all planes of a group */
  int dims;                   /* number of dimensions of x and y */
  int batched;                /* the first dimension of x and y is the batch */
  int channelsLast;           /* x and y are channels-last; xSize and ySize end with the channels */
  int64_t xSize[5], ySize[5]; /* sizes of x and y, dims numbers each */
  const void *transformed;    /* elements of the transformed weights, or NULL */
  THNNActivation *activation; /* of convolve, or NULL; not every algorithm computes it */
} THNNConvolution;

/* Whether the kernel is 1 x 1 with stride 1 and no padding, so that the im2col matrix is x itself. */
static inline int THNNConvolution_areElements(const THNNConvolution *c)
{
  for (int d = 0; d < 3; d++)
    if (c->at[d].size > 1 || c->at[d].step > 1 || c->at[d].pad > 0)
      return 0;
  return c->positions == c->image;
}

/* Checks size, step, pad and dilation of the layer and sets input and output of layer->at for an
 * image of these sizes (as many as the layer has dimensions).  Raises an error that shows `text` if
 * no window fits into the image. */
void THNNLayer_count(THNNLayer *layer, const int64_t *image, const char *text);

/* Computes taps, image, positions and terms from batch, groups, planes, outputs and at.  Raises if
 * the elements of an operand are too many to count. */
void THNNConvolution_complete(THNNConvolution *c);

#endif
