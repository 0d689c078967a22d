/* Convolutions of images.  finput, fgradInput, columns and ones are not used: nothing has to be
 * kept from one function to the next. */
#include "THNN/layer/Template.h"

void THNN_(SpatialConvolutionMM_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                              THTensor *weight, THTensor *bias, THTensor *finput,
                                              THTensor *fgradInput, int kW, int kH, int dW, int dH,
                                              int padW, int padH)
{
  THNN_ENTER(state, input, output, weight, bias, finput, fgradInput);
  THNN_(layerOutput)(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1), input, output, weight,
                     bias);
}

void THNN_(SpatialConvolutionMM_updateGradInput)(THNNState *state, THTensor *input,
                                                 THTensor *gradOutput, THTensor *gradInput,
                                                 THTensor *weight, THTensor *finput,
                                                 THTensor *fgradInput, int kW, int kH, int dW,
                                                 int dH, int padW, int padH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, finput, fgradInput);
  THNN_(layerGradInput)(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1), input, gradOutput,
                        gradInput, weight);
}

void THNN_(SpatialConvolutionMM_accGradParameters)(THNNState *state, THTensor *input,
                                                   THTensor *gradOutput, THTensor *gradWeight,
                                                   THTensor *gradBias, THTensor *finput,
                                                   THTensor *fgradInput, int kW, int kH, int dW,
                                                   int dH, int padW, int padH, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput);
  THNN_(layerGradParameters)(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1), input, gradOutput,
                             gradWeight, gradBias, scale);
}

void THNN_(SpatialDilatedConvolution_updateOutput)(THNNState *state, THTensor *input,
                                                   THTensor *output, THTensor *weight,
                                                   THTensor *bias, THTensor *columns,
                                                   THTensor *ones, int kW, int kH, int dW, int dH,
                                                   int padW, int padH, int dilationW, int dilationH)
{
  THNN_ENTER(state, input, output, weight, bias, columns, ones);
  THNN_(layerOutput)(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, dilationW, dilationH), input,
                     output, weight, bias);
}

void THNN_(SpatialDilatedConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradInput,
                                                      THTensor *weight, THTensor *columns, int kW,
                                                      int kH, int dW, int dH, int padW, int padH,
                                                      int dilationW, int dilationH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, columns);
  THNN_(layerGradInput)(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, dilationW, dilationH), input,
                        gradOutput, gradInput, weight);
}

void THNN_(SpatialDilatedConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                        THTensor *gradOutput, THTensor *gradWeight,
                                                        THTensor *gradBias, THTensor *columns,
                                                        THTensor *ones, int kW, int kH, int dW,
                                                        int dH, int padW, int padH, int dilationW,
                                                        int dilationH, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, columns, ones);
  THNN_(layerGradParameters)(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, dilationW, dilationH),
                             input, gradOutput, gradWeight, gradBias, scale);
}

void THNN_(SpatialFullConvolution_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                                THTensor *weight, THTensor *bias, THTensor *columns,
                                                THTensor *ones, int kW, int kH, int dW, int dH,
                                                int padW, int padH, int adjW, int adjH)
{
  THNN_ENTER(state, input, output, weight, bias, columns, ones);
  THNN_(layerOutput)(THNNLayer_transposed(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1), 0,
                                          adjW, adjH),
                     input, output, weight, bias);
}

void THNN_(SpatialFullConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                   THTensor *gradOutput, THTensor *gradInput,
                                                   THTensor *weight, THTensor *columns, int kW,
                                                   int kH, int dW, int dH, int padW, int padH,
                                                   int adjW, int adjH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, columns);
  THNN_(layerGradInput)(THNNLayer_transposed(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1), 0,
                                             adjW, adjH),
                        input, gradOutput, gradInput, weight);
}

void THNN_(SpatialFullConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                     THTensor *gradOutput, THTensor *gradWeight,
                                                     THTensor *gradBias, THTensor *columns,
                                                     THTensor *ones, int kW, int kH, int dW, int dH,
                                                     int padW, int padH, int adjW, int adjH,
                                                     accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, columns, ones);
  THNN_(layerGradParameters)(THNNLayer_transposed(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1,
                                                                    1),
                                                  0, adjW, adjH),
                             input, gradOutput, gradWeight, gradBias, scale);
}

void THNN_(SpatialFullDilatedConvolution_updateOutput)(THNNState *state, THTensor *input,
                                                       THTensor *output, THTensor *weight,
                                                       THTensor *bias, THTensor *columns,
                                                       THTensor *ones, int kW, int kH, int dW,
                                                       int dH, int padW, int padH, int dilationW,
                                                       int dilationH, int adjW, int adjH)
{
  THNN_ENTER(state, input, output, weight, bias, columns, ones);
  THNN_(layerOutput)(THNNLayer_dilationLimits(THNNLayer_transposed(THNNLayer_spatial(kW, kH, dW, dH,
                                                                                     padW, padH,
                                                                                     dilationW,
                                                                                     dilationH),
                                                                   0, adjW, adjH)),
                     input, output, weight, bias);
}

void THNN_(SpatialFullDilatedConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                          THTensor *gradOutput, THTensor *gradInput,
                                                          THTensor *weight, THTensor *columns,
                                                          int kW, int kH, int dW, int dH, int padW,
                                                          int padH, int dilationW, int dilationH,
                                                          int adjW, int adjH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, columns);
  THNN_(layerGradInput)(THNNLayer_dilationLimits(THNNLayer_transposed(THNNLayer_spatial(kW, kH, dW,
                                                                                        dH, padW,
                                                                                        padH,
                                                                                        dilationW,
                                                                                        dilationH),
                                                                      0, adjW, adjH)),
                        input, gradOutput, gradInput, weight);
}

void THNN_(SpatialFullDilatedConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                            THTensor *gradOutput,
                                                            THTensor *gradWeight,
                                                            THTensor *gradBias, THTensor *columns,
                                                            THTensor *ones, int kW, int kH, int dW,
                                                            int dH, int padW, int padH,
                                                            int dilationW, int dilationH, int adjW,
                                                            int adjH, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, columns, ones);
  THNN_(layerGradParameters)(
      THNNLayer_dilationLimits(THNNLayer_transposed(THNNLayer_spatial(kW, kH, dW, dH, padW, padH,
                                                                      dilationW, dilationH),
                                                    0, adjW, adjH)),
      input, gradOutput, gradWeight, gradBias, scale);
}

void THNN_(SpatialDepthWiseConvolution_updateOutput)(THNNState *state, THTensor *input,
                                                     THTensor *output, THTensor *weight,
                                                     THTensor *bias, THTensor *finput,
                                                     THTensor *fgradInput, int kW, int kH, int dW,
                                                     int dH, int padW, int padH)
{
  THNN_ENTER(state, input, output, weight, bias, finput, fgradInput);
  THNN_(layerOutput)(THNNLayer_depthWise(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1)),
                     input, output, weight, bias);
}

void THNN_(SpatialDepthWiseConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                        THTensor *gradOutput, THTensor *gradInput,
                                                        THTensor *weight, THTensor *finput,
                                                        THTensor *fgradInput, int kW, int kH,
                                                        int dW, int dH, int padW, int padH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, finput, fgradInput);
  THNN_(layerGradInput)(THNNLayer_depthWise(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1)),
                        input, gradOutput, gradInput, weight);
}

void THNN_(SpatialDepthWiseConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                          THTensor *gradOutput,
                                                          THTensor *gradWeight, THTensor *gradBias,
                                                          THTensor *finput, THTensor *fgradInput,
                                                          int kW, int kH, int dW, int dH, int padW,
                                                          int padH, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput);
  THNN_(layerGradParameters)(THNNLayer_depthWise(THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1,
                                                                   1)),
                             input, gradOutput, gradWeight, gradBias, scale);
}
