/* Convolutions of volumes.  finput, fgradInput, columns and ones are not used: nothing has to be
 * kept from one function to the next. */
#include "THNN/layer/Template.h"

void THNN_(VolumetricConvolutionMM_updateOutput)(THNNState *state, THTensor *input,
                                                 THTensor *output, THTensor *weight, THTensor *bias,
                                                 THTensor *finput, THTensor *fgradInput, int kT,
                                                 int kW, int kH, int dT, int dW, int dH, int pT,
                                                 int pW, int pH)
{
  THNN_ENTER(state, input, output, weight, bias, finput, fgradInput);
  THNN_(layerOutput)(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, pT, pW, pH, 1, 1, 1), input,
                     output, weight, bias);
}

void THNN_(VolumetricConvolutionMM_updateGradInput)(THNNState *state, THTensor *input,
                                                    THTensor *gradOutput, THTensor *gradInput,
                                                    THTensor *weight, THTensor *finput,
                                                    THTensor *fgradInput, int kT, int kW, int kH,
                                                    int dT, int dW, int dH, int pT, int pW, int pH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, finput, fgradInput);
  THNN_(layerGradInput)(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, pT, pW, pH, 1, 1, 1), input,
                        gradOutput, gradInput, weight);
}

void THNN_(VolumetricConvolutionMM_accGradParameters)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradWeight,
                                                      THTensor *gradBias, THTensor *finput,
                                                      THTensor *fgradInput, int kT, int kW, int kH,
                                                      int dT, int dW, int dH, int pT, int pW,
                                                      int pH, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput);
  THNN_(layerGradParameters)(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, pT, pW, pH, 1, 1, 1),
                             input, gradOutput, gradWeight, gradBias, scale);
}

void THNN_(VolumetricDilatedConvolution_updateOutput)(THNNState *state, THTensor *input,
                                                      THTensor *output, THTensor *weight,
                                                      THTensor *bias, THTensor *columns,
                                                      THTensor *ones, int kT, int kW, int kH,
                                                      int dT, int dW, int dH, int padT, int padW,
                                                      int padH, int dilationT, int dilationW,
                                                      int dilationH)
{
  THNN_ENTER(state, input, output, weight, bias, columns, ones);
  THNN_(layerOutput)(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT,
                                          dilationW, dilationH),
                     input, output, weight, bias);
}

void THNN_(VolumetricDilatedConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                         THTensor *gradOutput, THTensor *gradInput,
                                                         THTensor *weight, THTensor *columns,
                                                         int kT, int kW, int kH, int dT, int dW,
                                                         int dH, int padT, int padW, int padH,
                                                         int dilationT, int dilationW,
                                                         int dilationH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, columns);
  THNN_(layerGradInput)(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT,
                                             dilationW, dilationH),
                        input, gradOutput, gradInput, weight);
}

void THNN_(VolumetricDilatedConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                           THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias,
                                                           THTensor *columns, THTensor *ones,
                                                           int kT, int kW, int kH, int dT, int dW,
                                                           int dH, int padT, int padW, int padH,
                                                           int dilationT, int dilationW,
                                                           int dilationH, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, columns, ones);
  THNN_(layerGradParameters)(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, padT, padW, padH,
                                                  dilationT, dilationW, dilationH),
                             input, gradOutput, gradWeight, gradBias, scale);
}

void THNN_(VolumetricFullConvolution_updateOutput)(THNNState *state, THTensor *input,
                                                   THTensor *output, THTensor *weight,
                                                   THTensor *bias, THTensor *finput,
                                                   THTensor *fgradInput, int kT, int kW, int kH,
                                                   int dT, int dW, int dH, int pT, int pW, int pH,
                                                   int aT, int aW, int aH)
{
  THNN_ENTER(state, input, output, weight, bias, finput, fgradInput);
  THNN_(layerOutput)(THNNLayer_transposed(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, pT, pW, pH,
                                                               1, 1, 1),
                                          aT, aW, aH),
                     input, output, weight, bias);
}

void THNN_(VolumetricFullConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradInput,
                                                      THTensor *weight, THTensor *finput,
                                                      THTensor *fgradInput, int kT, int kW, int kH,
                                                      int dT, int dW, int dH, int pT, int pW,
                                                      int pH, int aT, int aW, int aH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, finput, fgradInput);
  THNN_(layerGradInput)(THNNLayer_transposed(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, pT, pW,
                                                                  pH, 1, 1, 1),
                                             aT, aW, aH),
                        input, gradOutput, gradInput, weight);
}

void THNN_(VolumetricFullConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                        THTensor *gradOutput, THTensor *gradWeight,
                                                        THTensor *gradBias, THTensor *finput,
                                                        THTensor *fgradInput, int kT, int kW,
                                                        int kH, int dT, int dW, int dH, int pT,
                                                        int pW, int pH, int aT, int aW, int aH,
                                                        accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput);
  THNN_(layerGradParameters)(THNNLayer_transposed(THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, pT,
                                                                       pW, pH, 1, 1, 1),
                                                  aT, aW, aH),
                             input, gradOutput, gradWeight, gradBias, scale);
}

void THNN_(VolumetricFullDilatedConvolution_updateOutput)(THNNState *state, THTensor *input,
                                                          THTensor *output, THTensor *weight,
                                                          THTensor *bias, THTensor *finput,
                                                          THTensor *fgradInput, int kT, int kW,
                                                          int kH, int dT, int dW, int dH, int pT,
                                                          int pW, int pH, int dilationT,
                                                          int dilationW, int dilationH, int aT,
                                                          int aW, int aH)
{
  THNN_ENTER(state, input, output, weight, bias, finput, fgradInput);
  THNN_(layerOutput)(THNNLayer_dilationLimits(THNNLayer_transposed(THNNLayer_volumetric(kT, kW, kH,
                                                                                        dT, dW, dH,
                                                                                        pT, pW, pH,
                                                                                        dilationT,
                                                                                        dilationW,
                                                                                        dilationH),
                                                                   aT, aW, aH)),
                     input, output, weight, bias);
}

void THNN_(VolumetricFullDilatedConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                             THTensor *gradOutput,
                                                             THTensor *gradInput, THTensor *weight,
                                                             THTensor *finput, THTensor *fgradInput,
                                                             int kT, int kW, int kH, int dT, int dW,
                                                             int dH, int pT, int pW, int pH,
                                                             int dilationT, int dilationW,
                                                             int dilationH, int aT, int aW, int aH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, finput, fgradInput);
  THNN_(layerGradInput)(THNNLayer_dilationLimits(THNNLayer_transposed(
                            THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, pT, pW, pH, dilationT,
                                                 dilationW, dilationH),
                            aT, aW, aH)),
                        input, gradOutput, gradInput, weight);
}

void THNN_(VolumetricFullDilatedConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                               THTensor *gradOutput,
                                                               THTensor *gradWeight,
                                                               THTensor *gradBias, THTensor *finput,
                                                               THTensor *fgradInput, int kT, int kW,
                                                               int kH, int dT, int dW, int dH,
                                                               int pT, int pW, int pH,
                                                               int dilationT, int dilationW,
                                                               int dilationH, int aT, int aW,
                                                               int aH, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput);
  THNN_(layerGradParameters)(THNNLayer_dilationLimits(THNNLayer_transposed(
                                 THNNLayer_volumetric(kT, kW, kH, dT, dW, dH, pT, pW, pH, dilationT,
                                                      dilationW, dilationH),
                                 aT, aW, aH)),
                             input, gradOutput, gradWeight, gradBias, scale);
}

/* VolumetricConvolution takes the kernel's size from its weight. */
static THNNLayer THNN_(layerOfWeight)(THTensor *weight, int argument, int dT, int dW, int dH,
                                      int pT, int pW, int pH)
{
  THArgCheck(weight->nDimension == 5, argument,
             "weight has size %s, and has to be outputs x planes x time x height x width",
             THTensor_(sizeDesc)(weight).str);
  THNNLayer layer = THNNLayer_volumetric(1, 1, 1, dT, dW, dH, pT, pW, pH, 1, 1, 1);
  for (int d = 0; d < 3; d++)
    layer.at[d].size = weight->size[2 + d];
  return layer;
}

void THNN_(VolumetricConvolution_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                               THTensor *weight, THTensor *bias, THTensor *finput,
                                               THTensor *fgradInput, int dT, int dW, int dH, int pT,
                                               int pW, int pH)
{
  THNN_ENTER(state, input, output, weight, bias, finput, fgradInput);
  THNN_(layerOutput)(THNN_(layerOfWeight)(weight, 4, dT, dW, dH, pT, pW, pH), input, output, weight,
                     bias);
}

void THNN_(VolumetricConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                  THTensor *gradOutput, THTensor *gradInput,
                                                  THTensor *weight, THTensor *finput, int dT,
                                                  int dW, int dH, int pT, int pW, int pH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, finput);
  THNN_(layerGradInput)(THNN_(layerOfWeight)(weight, 5, dT, dW, dH, pT, pW, pH), input, gradOutput,
                        gradInput, weight);
}

void THNN_(VolumetricConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                    THTensor *gradOutput, THTensor *gradWeight,
                                                    THTensor *gradBias, THTensor *finput,
                                                    THTensor *fgradInput, int dT, int dW, int dH,
                                                    int pT, int pW, int pH, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput);
  THNN_(layerGradParameters)(THNN_(layerOfWeight)(gradWeight, 4, dT, dW, dH, pT, pW, pH), input,
                             gradOutput, gradWeight, gradBias, scale);
}
