/* Max pooling of images, volumes and sequences. */
#include "THNN/layer/Template.h"
#include "MaxPoolLayers.h"

/* --- windows that slide ---------------------------------------------------------------------- */

static void THNN_(slide)(THNNPlanes *p, THNNWindow axis[3], bool ceil_mode, THTensor *input,
                         THTensor *output, THIndexTensor *indices)
{
  THNNPlanes_slide(p, axis, ceil_mode);
  THNN_(maxPoolForward)(p, axis, input, output, indices);
}

static void THNN_(windowsBackward)(const THNNPlanes *p, const THNNWindow axis[3],
                                   THTensor *gradOutput, THTensor *gradInput,
                                   THIndexTensor *indices)
{
  THNN_(checkGradOutput)(p, gradOutput);
  THNN_CHECK_SHAPE(gradOutput, indices);
  THNN_(maxPoolBackward)(p, axis, gradOutput, gradInput, indices);
}

/* clang-format off */
#define SPATIAL(DILATIONH, DILATIONW)                                                         \
  {THNNWindow_of(1, 1, 0, 1), THNNWindow_of(kH, dH, padH, DILATIONH),                         \
   THNNWindow_of(kW, dW, padW, DILATIONW)}
#define VOLUMETRIC(DILATIONT, DILATIONH, DILATIONW)                                           \
  {THNNWindow_of(kT, dT, pT, DILATIONT), THNNWindow_of(kH, dH, pH, DILATIONH),                \
   THNNWindow_of(kW, dW, pW, DILATIONW)}
/* clang-format on */

void THNN_(SpatialDilatedMaxPooling_updateOutput)(THNNState *state, THTensor *input,
                                                  THTensor *output, THIndexTensor *indices, int kW,
                                                  int kH, int dW, int dH, int padW, int padH,
                                                  int dilationW, int dilationH, bool ceil_mode)
{
  THNN_ENTER(state, input, output, indices);
  THNNPlanes p = THNN_(imagePlanes)(input, 2);
  THNNWindow axis[] = SPATIAL(dilationH, dilationW);
  THNN_(slide)(&p, axis, ceil_mode, input, output, indices);
}

void THNN_(SpatialDilatedMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                     THTensor *gradOutput, THTensor *gradInput,
                                                     THIndexTensor *indices, int kW, int kH, int dW,
                                                     int dH, int padW, int padH, int dilationW,
                                                     int dilationH, bool ceil_mode)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNNPlanes p = THNN_(imagePlanes)(input, 2);
  THNNWindow axis[] = SPATIAL(dilationH, dilationW);
  THNNPlanes_slide(&p, axis, ceil_mode);
  THNN_(windowsBackward)(&p, axis, gradOutput, gradInput, indices);
}

void THNN_(SpatialMaxPooling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                           THIndexTensor *indices, int kW, int kH, int dW, int dH,
                                           int padW, int padH, bool ceil_mode)
{
  THNN_(SpatialDilatedMaxPooling_updateOutput)(state, input, output, indices, kW, kH, dW, dH, padW,
                                               padH, 1, 1, ceil_mode);
}

void THNN_(SpatialMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                              THTensor *gradOutput, THTensor *gradInput,
                                              THIndexTensor *indices, int kW, int kH, int dW,
                                              int dH, int padW, int padH, bool ceil_mode)
{
  THNN_(SpatialDilatedMaxPooling_updateGradInput)(state, input, gradOutput, gradInput, indices, kW,
                                                  kH, dW, dH, padW, padH, 1, 1, ceil_mode);
}

void THNN_(VolumetricDilatedMaxPooling_updateOutput)(THNNState *state, THTensor *input,
                                                     THTensor *output, THIndexTensor *indices,
                                                     int kT, int kW, int kH, int dT, int dW, int dH,
                                                     int pT, int pW, int pH, int dilationT,
                                                     int dilationW, int dilationH, bool ceilMode)
{
  THNN_ENTER(state, input, output, indices);
  THNNPlanes p = THNN_(imagePlanes)(input, 3);
  THNNWindow axis[] = VOLUMETRIC(dilationT, dilationH, dilationW);
  THNN_(slide)(&p, axis, ceilMode, input, output, indices);
}

void THNN_(VolumetricDilatedMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                        THTensor *gradOutput, THTensor *gradInput,
                                                        THIndexTensor *indices, int kT, int kW,
                                                        int kH, int dT, int dW, int dH, int pT,
                                                        int pW, int pH, int dilationT,
                                                        int dilationW, int dilationH, bool ceilMode)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNNPlanes p = THNN_(imagePlanes)(input, 3);
  THNNWindow axis[] = VOLUMETRIC(dilationT, dilationH, dilationW);
  THNNPlanes_slide(&p, axis, ceilMode);
  THNN_(windowsBackward)(&p, axis, gradOutput, gradInput, indices);
}

void THNN_(VolumetricMaxPooling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                              THIndexTensor *indices, int kT, int kW, int kH,
                                              int dT, int dW, int dH, int pT, int pW, int pH,
                                              bool ceilMode)
{
  THNN_(VolumetricDilatedMaxPooling_updateOutput)(state, input, output, indices, kT, kW, kH, dT, dW,
                                                  dH, pT, pW, pH, 1, 1, 1, ceilMode);
}

void THNN_(VolumetricMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                 THTensor *gradOutput, THTensor *gradInput,
                                                 THIndexTensor *indices, int kT, int kW, int kH,
                                                 int dT, int dW, int dH, int pT, int pW, int pH,
                                                 bool ceilMode)
{
  THNN_(VolumetricDilatedMaxPooling_updateGradInput)(state, input, gradOutput, gradInput, indices,
                                                     kT, kW, kH, dT, dW, dH, pT, pW, pH, 1, 1, 1,
                                                     ceilMode);
}

/* --- sequences ------------------------------------------------------------------------------- */

/* A plane is frames x features, and a window is some frames.  An index is the frame of its window
 * that an element comes from, counted from 0. */
static THNNPlanes THNN_(frames)(THTensor *input, THNNWindow axis[3], int kW, int dW)
{
  THNNPlanes p = THNN_(planes)(input, 2, 2, 0, 1, "frames x features, or a batch of that");
  axis[0] = axis[2] = THNNWindow_of(1, 1, 0, 1);
  axis[1] = THNNWindow_of(kW, dW, 0, 1);
  THNNPlanes_slide(&p, axis, false);
  return p;
}

void THNN_(TemporalMaxPooling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                            THIndexTensor *indices, int kW, int dW)
{
  THNN_ENTER(state, input, output, indices);
  THNNWindow axis[3];
  const THNNPlanes p = THNN_(frames)(input, axis, kW, dW);
  THNN_(maxFrames)(&p, axis, input, output, indices);
}

void THNN_(TemporalMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                               THTensor *gradOutput, THTensor *gradInput,
                                               THIndexTensor *indices, int kW, int dW)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNNWindow axis[3];
  const THNNPlanes p = THNN_(frames)(input, axis, kW, dW);
  THNN_(checkGradOutput)(&p, gradOutput);
  THNN_CHECK_SHAPE(gradOutput, indices);
  THNN_(maxFramesBackward)(&p, axis, gradOutput, gradInput, indices);
}

/* --- windows that divide the image among a number of outputs --------------------------------- */

static void THNN_(adaptiveAxes)(const THNNPlanes *p, THNNWindow axis[3])
{
  for (int a = 0; a < 3; a++)
    axis[a] = THNNWindow_adaptive(p->in[a], p->out[a]);
}

static void THNN_(adaptive)(THTensor *input, THTensor *output, THIndexTensor *indices, int axes,
                            const int64_t out[3])
{
  THNNWindow axis[3];
  THNNPlanes p = THNN_(imagePlanes)(input, axes);
  THNNPlanes_setOutput(&p, out);
  THNN_(adaptiveAxes)(&p, axis);
  THNN_(maxPoolForward)(&p, axis, input, output, indices);
}

/* The gradient of adaptive max pooling, whose output has the size of gradOutput. */
static void THNN_(adaptiveBackward)(THTensor *input, THTensor *gradOutput, THTensor *gradInput,
                                    THIndexTensor *indices, int axes)
{
  THNNWindow axis[3];
  THNNPlanes p = THNN_(imagePlanes)(input, axes);
  THNN_(setOutputLike)(&p, gradOutput);
  THNN_(adaptiveAxes)(&p, axis);
  THNN_(windowsBackward)(&p, axis, gradOutput, gradInput, indices);
}

void THNN_(SpatialAdaptiveMaxPooling_updateOutput)(THNNState *state, THTensor *input,
                                                   THTensor *output, THIndexTensor *indices,
                                                   int osizeW, int osizeH)
{
  THNN_ENTER(state, input, output, indices);
  THNN_(adaptive)(input, output, indices, 2, (int64_t[]){1, osizeH, osizeW});
}

void THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradInput,
                                                      THIndexTensor *indices)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNN_(adaptiveBackward)(input, gradOutput, gradInput, indices, 2);
}

void THNN_(VolumetricAdaptiveMaxPooling_updateOutput)(THNNState *state, THTensor *input,
                                                      THTensor *output, THIndexTensor *indices,
                                                      int osizeT, int osizeW, int osizeH)
{
  THNN_ENTER(state, input, output, indices);
  THNN_(adaptive)(input, output, indices, 3, (int64_t[]){osizeT, osizeH, osizeW});
}

void THNN_(VolumetricAdaptiveMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                         THTensor *gradOutput, THTensor *gradInput,
                                                         THIndexTensor *indices)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNN_(adaptiveBackward)(input, gradOutput, gradInput, indices, 3);
}
