/* The functions of one form, which SparseLinear.c includes for both: FORM(name, legacy name) is the
 * function's name, LEGACY is 1 for the legacy form. */

void FORM(updateOutput, legacyUpdateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                            THTensor *weight, THTensor *bias)
{
  THNN_ENTER(state, input, output, weight, bias);
  THNN_(sparseOutput)(input, output, weight, bias, LEGACY);
}

void FORM(accGradParameters,
          legacyAccGradParameters)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                   THTensor *gradWeight, THTensor *gradBias, THTensor *weight,
                                   THTensor *bias, accreal weightDecay, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, weight, bias);
  THNN_(sparseGradients)(input, gradOutput, gradWeight, gradBias, weight, bias, weightDecay, scale,
                         LEGACY);
}

void FORM(zeroGradParameters, legacyZeroGradParameters)(THNNState *state, THTensor *gradWeight,
                                                        THTensor *gradBias, THTensor *lastInput)
{
  THNN_ENTER(state, gradWeight, gradBias, lastInput);
  THNN_(sparseChange)(gradWeight, "gradWeight", 2, gradBias, "gradBias", 3, NULL, NULL, lastInput,
                      4, 0, LEGACY);
}

void FORM(updateParameters, legacyUpdateParameters)(THNNState *state, THTensor *weight,
                                                    THTensor *bias, THTensor *gradWeight,
                                                    THTensor *gradBias, THTensor *lastInput,
                                                    accreal learningRate)
{
  THNN_ENTER(state, weight, bias, gradWeight, gradBias, lastInput);
  THNN_(sparseChange)(weight, "weight", 2, bias, "bias", 3, gradWeight, gradBias, lastInput, 6,
                      learningRate, LEGACY);
}

#undef FORM
#undef LEGACY
