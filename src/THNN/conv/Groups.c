/* Grouped convolutions: the entry that ATen calls (THNNGroups.h). */
#include "THNNGroups.h"

#include "THNN/layer/Template.h"

static THNNLayer THNN_(grouped)(const THNNGroups *how, THTensor *input)
{
  THArgCheck(how->axes == 2 || how->axes == 3, 2, "axes is %d, and has to be 2 or 3", how->axes);
  const int64_t planes =
      input->nDimension > how->axes ? input->size[input->nDimension - how->axes - 1] : 0;
  THArgCheck(how->groups > 0 && planes % how->groups == 0, 3,
             "input of size %s does not divide into %d groups", THTensor_(sizeDesc)(input).str,
             how->groups);
  THNNLayer layer = {
      .spatial = how->axes, .transposed = how->full, .dilationLimits = 1, .groups = how->groups};
  for (int d = 0; d < 3; d++) {
    layer.at[d] = THNNWindow_of(how->size[d], how->step[d], how->pad[d], how->dilation[d]);
    layer.outputPadding[d] = how->adjust[d];
  }
  layer.transformed = how->transformed;
  layer.activation = how->activation;
  return layer;
}

void THNN_(Groups_updateOutput)(THNNState *state, const THNNGroups *how, THTensor *input,
                                THTensor *output, THTensor *weight, THTensor *bias)
{
  THNN_ENTER(state, input, output, weight, bias);
  THNN_(layerOutput)(THNN_(grouped)(how, input), input, output, weight, bias);
}

void THNN_(Groups_updateGradInput)(THNNState *state, const THNNGroups *how, THTensor *input,
                                   THTensor *gradOutput, THTensor *gradInput, THTensor *weight)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight);
  THNN_(layerGradInput)(THNN_(grouped)(how, input), input, gradOutput, gradInput, weight);
}

void THNN_(Groups_accGradParameters)(THNNState *state, const THNNGroups *how, THTensor *input,
                                     THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias,
                                     accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias);
  THNN_(layerGradParameters)(THNN_(grouped)(how, input), input, gradOutput, gradWeight, gradBias,
                             scale);
}
