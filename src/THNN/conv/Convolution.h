/* Convolutions of one, two and three dimensions: one description and three operations for all
 * layers.
 *
 * A layer says what it is with a THNNLayer, its check makes a THNNConvolution of that and of the
 * sizes of its operands, and the operations compute with x (planes), y (outputs) and weight
 * (outputs x planes of its group x window):
 *
 *     convolve                  y from x              forward, or a full convolution's gradient
 *     convolveBackwardData      x from y              the gradient, or a full convolution forward
 *     convolveBackwardWeights   weight from x and y   the gradient with respect to weight and bias
 *
 * Each of them is computed by one of the algorithms of Algorithm.h. */
#ifndef THNN_CONVOLUTION_H
#define THNN_CONVOLUTION_H

#include "THNN/conv/Algorithm.h"
#include "THNN/conv/direct/DirectConv.h"
#include "THNN/conv/gemm/Im2Col.h"

typedef struct {
  int spatial;          /* dimensions of an image */
  int full;             /* a full (transposed) convolution: input is y, output x */
  int eitherAdjustment; /* adjust has to be less than the step or the dilation, not than the step */
  int depthWise;        /* an output sees one plane; weight is outputs of a plane x planes x ... */
  int groups;           /* that planes divide into, where that is not one */
  void *transformed;    /* weights, or NULL (THNNGroups.h) */
  THNNWindow at[3];     /* slices, rows, columns: size, step, pad, dilation */
  int64_t adjust[3];    /* what a full convolution's output is larger by */
} THNNLayer;

/* Arguments in the order of the layers'. */
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

static inline THNNLayer THNNLayer_full(THNNLayer layer, int adjustT, int adjustW, int adjustH)
{
  layer.full = 1;
  layer.adjust[0] = adjustT;
  layer.adjust[1] = adjustH;
  layer.adjust[2] = adjustW;
  return layer;
}

static inline THNNLayer THNNLayer_either(THNNLayer layer)
{
  layer.eitherAdjustment = 1;
  return layer;
}

static inline THNNLayer THNNLayer_depthWise(THNNLayer layer)
{
  layer.depthWise = 1;
  return layer;
}

typedef struct {
  int64_t batch, groups;
  int64_t planes, outputs; /* of x and y, in all groups */
  THNNWindow at[3];
  ptrdiff_t image, windows; /* elements of a plane of x, and of one of y */
  ptrdiff_t window;         /* elements of a window in one plane */
  ptrdiff_t depth;          /* elements of a window in the planes of a group */
  int dims;                 /* of x and y, */
  int batched;              /* and whether the first one is the batch */
  int channelsLast; /* tensors are channels-last in memory, and planes their last dimension here */
  int64_t xSize[5], ySize[5];
  const void *transformed; /* elements of the weights that are transformed already, or NULL */
} THNNConvolution;

/* Checks the windows and counts how many there are in an image of that size: input and output of
 * each, those of the layer.  Raises an error that shows the image unless there are any. */
void THNNLayer_count(THNNLayer *layer, const int64_t *image, const char *text);

/* With kernel, step, pad, dilation, input and output set, everything that follows from them. */
void THNNConvolution_complete(THNNConvolution *c);

#endif
