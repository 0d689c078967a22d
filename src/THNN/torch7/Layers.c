/* Torch7's layers that 2018 declares otherwise. */
#include "THNNTorch7.h"

/* --- activations ----------------------------------------------------------------------------- */

void THNN_(ELU_updateOutput)(THNNState *state, THTensor *input, THTensor *output, accreal alpha,
                             bool inplace)
{
  THNN_(ELU_updateOutput_2018)(state, input, output, alpha, 1, inplace);
}

void THNN_(ELU_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                THTensor *gradInput, THTensor *output, accreal alpha, bool inplace)
{
  THNN_ENTER(state, gradOutput, gradInput, output);
  if (inplace) {
    THNN_(ELU_updateGradInput_2018)(state, gradOutput, gradOutput, output, alpha, 1);
    THTensor_(set)(gradInput, gradOutput);
  } else {
    THNN_(ELU_updateGradInput_2018)(state, gradOutput, gradInput, output, alpha, 1);
  }
}

void THNN_(Sigmoid_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                    THTensor *gradInput, THTensor *output)
{
  THNN_(Sigmoid_updateGradInput_2018)(state, gradOutput, gradInput, output);
}

void THNN_(Tanh_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                 THTensor *gradInput, THTensor *output)
{
  THNN_(Tanh_updateGradInput_2018)(state, gradOutput, gradInput, output);
}

/* Images and batches of images: planes are dimension 0, or 1 after a batch. */
static int64_t THNN_(softMaxDim)(const THTensor *input)
{
  const int dims = input->nDimension;
  THArgCheck(dims >= 1 && dims <= 4, 2, "input of size %s has to have 1 to 4 dimensions",
             THTensor_(sizeDesc)(input).str);
  return dims == 2 || dims == 4;
}

#define SOFT_MAX_OUTPUT(NAME)                                                          \
  void THNN_(NAME##_updateOutput)(THNNState *state, THTensor *input, THTensor *output) \
  {                                                                                    \
    THNN_ENTER(state, input, output);                                                  \
    THNN_(NAME##_updateOutput_2018)(state, input, output, THNN_(softMaxDim)(input));   \
  }
#define SOFT_MAX_GRADIENT(NAME)                                                               \
  void THNN_(NAME##_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput, \
                                     THTensor *gradInput, THTensor *output)                   \
  {                                                                                           \
    THNN_ENTER(state, input);                                                                 \
    THNN_(NAME##_updateGradInput_2018)(state, input, gradOutput, gradInput, output,           \
                                       THNN_(softMaxDim)(input));                             \
  }
#define SOFT_MAX(NAME) SOFT_MAX_OUTPUT(NAME) SOFT_MAX_GRADIENT(NAME)
SOFT_MAX(SoftMax)
SOFT_MAX(LogSoftMax)

/* --- PReLU ----------------------------------------------------------------------------------- */

/* The 2018 form takes the number of planes from the weights. */
static void THNN_(checkPlanes)(const THTensor *weight, THIndex_t nOutputPlane)
{
  const ptrdiff_t wanted = nOutputPlane == 0 ? 1 : nOutputPlane;
  if (THTensor_(nElement)(weight) != wanted)
    THError("weight has size %s, and %lld planes need %td weights", THTensor_(sizeDesc)(weight).str,
            (long long)nOutputPlane, wanted);
}

void THNN_(PReLU_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                               THTensor *weight, THIndex_t nOutputPlane)
{
  THNN_ENTER(state, weight);
  THNN_(checkPlanes)(weight, nOutputPlane);
  THNN_(PReLU_updateOutput_2018)(state, input, output, weight);
}

void THNN_(PReLU_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                  THTensor *gradInput, THTensor *weight, THIndex_t nOutputPlane)
{
  THNN_ENTER(state, weight);
  THNN_(checkPlanes)(weight, nOutputPlane);
  THNN_(PReLU_updateGradInput_2018)(state, input, gradOutput, gradInput, weight);
}

void THNN_(PReLU_accGradParameters)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                    THTensor *gradInput, THTensor *weight, THTensor *gradWeight,
                                    THTensor *gradWeightBuf, THTensor *gradWeightBuf2,
                                    THIndex_t nOutputPlane, accreal scale)
{
  THNN_ENTER(state, weight);
  THNN_(checkPlanes)(weight, nOutputPlane);
  THNN_(PReLU_accGradParameters_2018)(state, input, gradOutput, gradInput, weight, gradWeight,
                                      scale);
}

/* --- grids ----------------------------------------------------------------------------------- */

enum { PAD_WITH_ZEROS };

void THNN_(SpatialGridSamplerBilinear_updateOutput)(THNNState *state, THTensor *input,
                                                    THTensor *grid, THTensor *output)
{
  THNN_(SpatialGridSamplerBilinear_updateOutput_2018)(state, input, grid, output, PAD_WITH_ZEROS);
}

void THNN_(SpatialGridSamplerBilinear_updateGradInput)(THNNState *state, THTensor *input,
                                                       THTensor *gradInput, THTensor *grid,
                                                       THTensor *gradGrid, THTensor *gradOutput)
{
  THNN_(SpatialGridSamplerBilinear_updateGradInput_2018)(state, input, gradInput, grid, gradGrid,
                                                         gradOutput, PAD_WITH_ZEROS);
}

/* --- volumes --------------------------------------------------------------------------------- */

/* The 2018 form has one more scratch tensor. */
static void THNN_(guardScratch)(THGuard *guard)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  guard->what = THTensor_(new)();
}

void THNN_(VolumetricConvolutionMM_updateOutput)(THNNState *state, THTensor *input,
                                                 THTensor *output, THTensor *weight, THTensor *bias,
                                                 THTensor *finput, int kT, int kW, int kH, int dT,
                                                 int dW, int dH, int pT, int pW, int pH)
{
  THNN_ENTER(state, input);
  THGuard scratch;
  THNN_(guardScratch)(&scratch);
  THNN_(VolumetricConvolutionMM_updateOutput_2018)(state, input, output, weight, bias, finput,
                                                   scratch.what, kT, kW, kH, dT, dW, dH, pT, pW,
                                                   pH);
  THGuard_leave(&scratch);
}

void THNN_(VolumetricConvolutionMM_accGradParameters)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradWeight,
                                                      THTensor *gradBias, THTensor *finput, int kT,
                                                      int kW, int kH, int dT, int dW, int dH,
                                                      int pT, int pW, int pH, accreal scale)
{
  THNN_ENTER(state, input);
  THGuard scratch;
  THNN_(guardScratch)(&scratch);
  THNN_(VolumetricConvolutionMM_accGradParameters_2018)(state, input, gradOutput, gradWeight,
                                                        gradBias, finput, scratch.what, kT, kW, kH,
                                                        dT, dW, dH, pT, pW, pH, scale);
  THGuard_leave(&scratch);
}

/* Torch7 reads the window of a full convolution from the weights: input planes x output planes x
 * time x height x width. */
static void THNN_(checkFullWeight)(THNNState *state, const THTensor *weight, int arg)
{
  THNN_ENTER(state, weight);
  THArgCheck(weight && weight->nDimension == 5, arg,
             "weight has size %s, and has to be inputs x outputs x time x height x width",
             weight ? THTensor_(sizeDesc)(weight).str : "NULL");
}

#define WINDOW(WEIGHT) (int)(WEIGHT)->size[2], (int)(WEIGHT)->size[4], (int)(WEIGHT)->size[3]

#define FORM(NAME)    THNN_(VolumetricFullConvolution_##NAME)
#define OF_2018(NAME) THNN_(VolumetricFullConvolution_##NAME##_2018)
#define MORE
#define PASS
#include "FullConvolution.h"

#define FORM(NAME)    THNN_(VolumetricFullDilatedConvolution_##NAME)
#define OF_2018(NAME) THNN_(VolumetricFullDilatedConvolution_##NAME##_2018)
#define MORE          , int dilationT, int dilationW, int dilationH
#define PASS          , dilationT, dilationW, dilationH
#include "FullConvolution.h"
