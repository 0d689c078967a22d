/* Fractional max pooling: a given number of windows, spread over the image by random numbers. */
#include "THNN/layer/Template.h"
#include "MaxPoolLayers.h"

#include "THNN/layer/CheckProbability.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

#define FRACTION TH_CONCAT_2(THNNWindow_fraction, Real)

static void THNN_(fractionalPlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *scratch)
{
  const THNNPlanes *p = loop->planes;
  const THNNWindow *axis = loop->layer;
  THNNSpans spans = {.dilation = {1, 1, 1}};
  THNNSpan *span = scratch;
  for (int a = 0; a < 3; a++) {
    /* The last axis has the first number. */
    const real sample = a < 3 - p->axes ? 0 : loop->w[0][plane * p->axes + 2 - a];
    spans.of[a] = span;
    for (int64_t i = 0; i < p->out[a]; i++)
      *span++ = FRACTION(&axis[a], i, sample);
  }
  THNN_(maxOfSpans)(p, &spans, loop->x + plane * p->input, loop->y + plane * p->output,
                    loop->indexOut + plane * p->output);
}

void THNN_(maxFractional)(const THNNPlanes *p, const THNNWindow axis[3], THTensor *input,
                          THTensor *samples, THTensor *output, THIndexTensor *indices)
{
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(fractionalPlane),
          .layer = axis,
          .source = input,
          .result = output,
          .with = {samples},
          .indicesOut = indices,
          .cost = 4 * p->output * axis[0].size * axis[1].size * axis[2].size,
          .scratch = (size_t)(p->out[0] + p->out[1] + p->out[2]) * sizeof(THNNSpan)};
  THNN_(runPlanes)(p, &loop);
}

#endif

static THNNPlanes THNN_(fractionalPlanes)(THTensor *input, int axes, const int64_t out[3],
                                          const int64_t size[3], THNNWindow axis[3])
{
  THNNPlanes p = axes == 2 ? THNN_(imagePlanes)(input, 2)
                           : THNN_(planes)(input, 2, 3, 1, 2,
                                           "planes x height x width x time, or a batch of that");
  THNNPlanes_setOutput(&p, out);
  for (int a = 0; a < 3; a++) {
    if (size[a] < 1 || size[a] > p.in[a] - out[a] + 1)
      THError("input of size %s is too small for %lld windows of %lld",
              THTensor_(sizeDesc)(input).str, (long long)out[a], (long long)size[a]);
    axis[a] = (THNNWindow){p.in[a], out[a], size[a], .kind = THNN_FRACTIONAL};
  }
  return p;
}

/* Raises unless samples holds a number from 0 to 1 for every plane and axis. */
static void THNN_(checkSamples)(const THNNPlanes *p, THTensor *samples, int argument)
{
  THArgCheck(THTensor_(nElement)(samples) == p->count * p->axes, argument,
             "randomSamples has size %s, for input of %s it has to have %d for each of %td planes",
             THTensor_(sizeDesc)(samples).str, _THSizeDesc(p->inSize, p->dims).str, p->axes,
             p->count);
  double value;
  if (THNN_(findNonProbability)(samples, argument, &value))
    THArgError(argument, "randomSamples holds %g, which is not from 0 to 1", value);
}

static void THNN_(fractional)(THTensor *input, THTensor *output, int axes, const int64_t out[3],
                              const int64_t size[3], THIndexTensor *indices, THTensor *samples,
                              int argument)
{
  THNNWindow axis[3];
  const THNNPlanes p = THNN_(fractionalPlanes)(input, axes, out, size, axis);
  THNN_(checkSamples)(&p, samples, argument);
  THNN_(maxFractional)(&p, axis, input, samples, output, indices);
}

static void THNN_(fractionalBackward)(THTensor *input, THTensor *gradOutput, THTensor *gradInput,
                                      int axes, const int64_t out[3], const int64_t size[3],
                                      THIndexTensor *indices)
{
  THNNWindow axis[3];
  const THNNPlanes p = THNN_(fractionalPlanes)(input, axes, out, size, axis);
  THNN_(checkGradOutput)(&p, gradOutput);
  THNN_CHECK_SHAPE(gradOutput, indices);
  THNN_(maxPoolBackward)(&p, axis, gradOutput, gradInput, indices);
}

void THNN_(SpatialFractionalMaxPooling_updateOutput)(THNNState *state, THTensor *input,
                                                     THTensor *output, int outputW, int outputH,
                                                     int kW, int kH, THIndexTensor *indices,
                                                     THTensor *randomSamples)
{
  THNN_ENTER(state, input, output, indices, randomSamples);
  THNN_(fractional)(input, output, 2, (int64_t[]){1, outputH, outputW}, (int64_t[]){1, kH, kW},
                    indices, randomSamples, 9);
}

void THNN_(SpatialFractionalMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                        THTensor *gradOutput, THTensor *gradInput,
                                                        int outputW, int outputH, int kW, int kH,
                                                        THIndexTensor *indices)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNN_(fractionalBackward)(input, gradOutput, gradInput, 2, (int64_t[]){1, outputH, outputW},
                            (int64_t[]){1, kH, kW}, indices);
}

void THNN_(VolumetricFractionalMaxPooling_updateOutput)(THNNState *state, THTensor *input,
                                                        THTensor *output, int outputT, int outputW,
                                                        int outputH, int poolSizeT, int poolSizeW,
                                                        int poolSizeH, THIndexTensor *indices,
                                                        THTensor *randomSamples)
{
  THNN_ENTER(state, input, output, indices, randomSamples);
  THNN_(fractional)(input, output, 3, (int64_t[]){outputH, outputW, outputT},
                    (int64_t[]){poolSizeH, poolSizeW, poolSizeT}, indices, randomSamples, 11);
}

void THNN_(VolumetricFractionalMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                           THTensor *gradOutput,
                                                           THTensor *gradInput, int outputT,
                                                           int outputW, int outputH, int poolSizeT,
                                                           int poolSizeW, int poolSizeH,
                                                           THIndexTensor *indices)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNN_(fractionalBackward)(input, gradOutput, gradInput, 3, (int64_t[]){outputH, outputW, outputT},
                            (int64_t[]){poolSizeH, poolSizeW, poolSizeT}, indices);
}
