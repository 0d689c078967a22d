/* Torch7's functions of a transposed (full) convolution.  Layers.c includes this file twice, for
 * VolumetricFullConvolution and for its dilated form: FORM(name) is Torch7's function, OF_2018(name) the
 * function that it calls, MORE and PASS are the parameters and arguments of dilation. */

void FORM(updateOutput)(THNNState *state, THTensor *input, THTensor *output, THTensor *weight,
                        THTensor *bias, THTensor *finput, THTensor *fgradInput, int dT, int dW,
                        int dH, int pT, int pW, int pH MORE, int aT, int aW, int aH)
{
  THNN_(checkFullWeight)(state, weight, 4);
  OF_2018(updateOutput)(state, input, output, weight, bias, finput, fgradInput, WINDOW(weight), dT,
                        dW, dH, pT, pW, pH PASS, aT, aW, aH);
}

void FORM(updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                           THTensor *gradInput, THTensor *weight, THTensor *finput,
                           THTensor *fgradInput, int dT, int dW, int dH, int pT, int pW,
                           int pH MORE, int aT, int aW, int aH)
{
  THNN_(checkFullWeight)(state, weight, 5);
  OF_2018(updateGradInput)(state, input, gradOutput, gradInput, weight, finput, fgradInput,
                           WINDOW(weight), dT, dW, dH, pT, pW, pH PASS, aT, aW, aH);
}

void FORM(accGradParameters)(THNNState *state, THTensor *input, THTensor *gradOutput,
                             THTensor *gradWeight, THTensor *gradBias, THTensor *finput,
                             THTensor *fgradInput, int dT, int dW, int dH, int pT, int pW,
                             int pH MORE, int aT, int aW, int aH, accreal scale)
{
  THNN_(checkFullWeight)(state, gradWeight, 4);
  OF_2018(accGradParameters)(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput,
                             WINDOW(gradWeight), dT, dW, dH, pT, pW, pH PASS, aT, aW, aH, scale);
}

#undef FORM
#undef OF_2018
#undef MORE
#undef PASS
