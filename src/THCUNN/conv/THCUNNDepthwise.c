/* SpatialDepthwiseConvolution, which THNN has in another form: weights are outputs x 1 x kH x kW,
 * and a plane's outputs follow each other.  So planes are groups. */
#include "THCUNN/layer/THCUNNDevice.h"

/* Raises unless weight, argument arg, has a plane for each output. */
static THNNLayer THNN_(depthwise)(THCTensor *input, THCTensor *weight, int arg, THNNLayer layer)
{
  THArgCheck(input->nDimension == 4, 2,
             "input has size %s, and has to be batch x planes x height x width",
             THTensor_(sizeDesc)(input).str);
  THArgCheck(weight->nDimension == 4 && weight->size[1] == 1 &&
                 weight->size[0] % input->size[1] == 0,
             arg,
             "weight has size %s, for input of %s it has to be (planes * outputs) x 1 x kH x kW",
             THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(input).str);
  layer.groups = (int)input->size[1];
  return layer;
}

#define LAYER THNNLayer_spatial(kW, kH, dW, dH, padW, padH, dilationW, dilationH)

void THNN_(SpatialDepthwiseConvolution_updateOutput)(THCState *state, THCTensor *input,
                                                     THCTensor *output, THCTensor *weight,
                                                     THCTensor *bias, int kW, int kH, int dW,
                                                     int dH, int padW, int padH, int dilationW,
                                                     int dilationH)
{
  THNN_ENTER(state, input, output, weight, bias);
  THNN_(layerOutput)(THNN_(depthwise)(input, weight, 4, LAYER), input, output, weight, bias);
}

void THNN_(SpatialDepthwiseConvolution_updateGradInput)(THCState *state, THCTensor *input,
                                                        THCTensor *gradOutput, THCTensor *gradInput,
                                                        THCTensor *weight, int kW, int kH, int dW,
                                                        int dH, int padW, int padH, int dilationW,
                                                        int dilationH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight);
  THNN_(layerGradInput)(THNN_(depthwise)(input, weight, 5, LAYER), input, gradOutput, gradInput,
                        weight);
}

void THNN_(SpatialDepthwiseConvolution_accGradParameters)(THCState *state, THCTensor *input,
                                                          THCTensor *gradOutput,
                                                          THCTensor *gradWeight, int kW, int kH,
                                                          int dW, int dH, int padW, int padH,
                                                          int dilationW, int dilationH)
{
  THNN_ENTER(state, input, gradOutput, gradWeight);
  THNN_(layerGradParameters)(THNN_(depthwise)(input, gradWeight, 4, LAYER), input, gradOutput,
                             gradWeight, NULL, 1);
}
