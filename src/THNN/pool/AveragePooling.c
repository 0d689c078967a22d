/* Average pooling of images and volumes. */
#include "THNN/layer/Template.h"
#include "AvgPoolLayers.h"

/* --- windows that slide ---------------------------------------------------------------------- */

/* clang-format off */
#define SPATIAL                                                                                \
  {THNNWindow_of(1, 1, 0, 1), THNNWindow_of(kH, dH, padH, 1), THNNWindow_of(kW, dW, padW, 1)}
#define VOLUMETRIC                                                                             \
  {THNNWindow_of(kT, dT, padT, 1), THNNWindow_of(kH, dH, padH, 1),                             \
   THNNWindow_of(kW, dW, padW, 1)}
/* clang-format on */

static void THNN_(average)(THTensor *input, THTensor *output, int axes, THNNWindow axis[3],
                           bool ceil_mode, bool count_include_pad)
{
  THNNPlanes p = THNN_(imagePlanes)(input, axes);
  THNNPlanes_slide(&p, axis, ceil_mode);
  THNN_(averageWindows)(&p, axis, count_include_pad ? THNN_BY_PADDED : THNN_BY_INSIDE, 0, input,
                        output);
}

static void THNN_(averageBackward)(THTensor *input, THTensor *gradOutput, THTensor *gradInput,
                                   int axes, THNNWindow axis[3], bool ceil_mode,
                                   bool count_include_pad)
{
  THNNPlanes p = THNN_(imagePlanes)(input, axes);
  THNNPlanes_slide(&p, axis, ceil_mode);
  THNN_(checkGradOutput)(&p, gradOutput);
  THNN_(averageWindows)(&p, axis, count_include_pad ? THNN_BY_PADDED : THNN_BY_INSIDE, 1,
                        gradOutput, gradInput);
}

void THNN_(SpatialAveragePooling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                               int kW, int kH, int dW, int dH, int padW, int padH,
                                               bool ceil_mode, bool count_include_pad)
{
  THNN_ENTER(state, input, output);
  THNNWindow axis[] = SPATIAL;
  THNN_(average)(input, output, 2, axis, ceil_mode, count_include_pad);
}

void THNN_(SpatialAveragePooling_updateGradInput)(THNNState *state, THTensor *input,
                                                  THTensor *gradOutput, THTensor *gradInput, int kW,
                                                  int kH, int dW, int dH, int padW, int padH,
                                                  bool ceil_mode, bool count_include_pad)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNNWindow axis[] = SPATIAL;
  THNN_(averageBackward)(input, gradOutput, gradInput, 2, axis, ceil_mode, count_include_pad);
}

void THNN_(VolumetricAveragePooling_updateOutput)(THNNState *state, THTensor *input,
                                                  THTensor *output, int kT, int kW, int kH, int dT,
                                                  int dW, int dH, int padT, int padW, int padH,
                                                  bool ceil_mode, bool count_include_pad)
{
  THNN_ENTER(state, input, output);
  THNNWindow axis[] = VOLUMETRIC;
  THNN_(average)(input, output, 3, axis, ceil_mode, count_include_pad);
}

void THNN_(VolumetricAveragePooling_updateGradInput)(THNNState *state, THTensor *input,
                                                     THTensor *gradOutput, THTensor *gradInput,
                                                     int kT, int kW, int kH, int dT, int dW, int dH,
                                                     int padT, int padW, int padH, bool ceil_mode,
                                                     bool count_include_pad)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNNWindow axis[] = VOLUMETRIC;
  THNN_(averageBackward)(input, gradOutput, gradInput, 3, axis, ceil_mode, count_include_pad);
}

/* --- windows that divide the image among a number of outputs --------------------------------- */

static void THNN_(adapt)(THNNPlanes *p, int backward, THTensor *source, THTensor *result)
{
  THNNWindow axis[3];
  for (int a = 0; a < 3; a++)
    axis[a] = THNNWindow_adaptive(p->in[a], p->out[a]);
  THNN_(averageWindows)(p, axis, THNN_BY_INSIDE, backward, source, result);
}

static void THNN_(adaptive)(THTensor *input, THTensor *output, int axes, const int64_t out[3])
{
  THNNPlanes p = THNN_(imagePlanes)(input, axes);
  THNNPlanes_setOutput(&p, out);
  THNN_(adapt)(&p, 0, input, output);
}

static void THNN_(adaptiveBackward)(THTensor *input, THTensor *gradOutput, THTensor *gradInput,
                                    int axes)
{
  THNNPlanes p = THNN_(imagePlanes)(input, axes);
  THNN_(setOutputLike)(&p, gradOutput);
  THNN_(adapt)(&p, 1, gradOutput, gradInput);
}

void THNN_(SpatialAdaptiveAveragePooling_updateOutput)(THNNState *state, THTensor *input,
                                                       THTensor *output, int osizeW, int osizeH)
{
  THNN_ENTER(state, input, output);
  THNN_(adaptive)(input, output, 2, (int64_t[]){1, osizeH, osizeW});
}

void THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(THNNState *state, THTensor *input,
                                                          THTensor *gradOutput, THTensor *gradInput)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(adaptiveBackward)(input, gradOutput, gradInput, 2);
}

void THNN_(VolumetricAdaptiveAveragePooling_updateOutput)(THNNState *state, THTensor *input,
                                                          THTensor *output, int osizeT, int osizeW,
                                                          int osizeH)
{
  THNN_ENTER(state, input, output);
  THNN_(adaptive)(input, output, 3, (int64_t[]){osizeT, osizeH, osizeW});
}

void THNN_(VolumetricAdaptiveAveragePooling_updateGradInput)(THNNState *state, THTensor *input,
                                                             THTensor *gradOutput,
                                                             THTensor *gradInput)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(adaptiveBackward)(input, gradOutput, gradInput, 3);
}
