/* Upsampling of sequences, images and volumes: nearest neighbours, or linear interpolation. */
#include "THNN/layer/Template.h"
#include "ResampleLayers.h"

/* --- nearest --------------------------------------------------------------------------------- */

static THNNPlanes THNN_(scaled)(THTensor *input, int axes, int scale, int argument)
{
  int64_t out[] = {1, 1, 1};
  THNNPlanes p = THNN_(imagePlanes)(input, axes);
  THArgCheck(scale > 0, argument, "scale_factor is %d, and has to be at least 1", scale);
  for (int a = 3 - axes; a < 3; a++)
    if (__builtin_mul_overflow(p.in[a], (int64_t)scale, &out[a]))
      THError("input of size %s, scaled by %d, is too large", THTensor_(sizeDesc)(input).str,
              scale);
  THNNPlanes_setOutput(&p, out);
  return p;
}

static void THNN_(repeat)(const THNNPlanes *p, int scale, int backward, THTensor *source,
                          THTensor *result)
{
  THGuard guard;
  THNN_(SourceIndices) indices;
  THNN_(reserveIndices)(&indices, p, 1, &guard);
  for (int a = 0; a < 3; a++)
    for (int64_t i = 0; i < p->out[a]; i++) {
      indices.from[a][i] = indices.next[a][i] = p->out[a] == p->in[a] ? i : i / scale;
      indices.weight[a][i] = 0;
    }
  THNN_(resamplePlanes)(p, &indices, backward, source, result);
  THGuard_leave(&guard);
}

static void THNN_(nearest)(THTensor *input, THTensor *output, int axes, int scale)
{
  const THNNPlanes p = THNN_(scaled)(input, axes, scale, 4);
  THNN_(repeat)(&p, scale, 0, input, output);
}

static void THNN_(nearestBackward)(THTensor *input, THTensor *gradOutput, THTensor *gradInput,
                                   int axes, int scale)
{
  const THNNPlanes p = THNN_(scaled)(input, axes, scale, 5);
  THNN_(checkGradOutput)(&p, gradOutput);
  THNN_(repeat)(&p, scale, 1, gradOutput, gradInput);
}

void THNN_(TemporalUpSamplingNearest_updateOutput)(THNNState *state, THTensor *input,
                                                   THTensor *output, int scale_factor)
{
  THNN_ENTER(state, input, output);
  THNN_(nearest)(input, output, 1, scale_factor);
}

void THNN_(TemporalUpSamplingNearest_updateGradInput)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradInput,
                                                      int scale_factor)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(nearestBackward)(input, gradOutput, gradInput, 1, scale_factor);
}

void THNN_(SpatialUpSamplingNearest_updateOutput)(THNNState *state, THTensor *input,
                                                  THTensor *output, int scale_factor)
{
  THNN_ENTER(state, input, output);
  THNN_(nearest)(input, output, 2, scale_factor);
}

void THNN_(SpatialUpSamplingNearest_updateGradInput)(THNNState *state, THTensor *input,
                                                     THTensor *gradOutput, THTensor *gradInput,
                                                     int scale_factor)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(nearestBackward)(input, gradOutput, gradInput, 2, scale_factor);
}

void THNN_(VolumetricUpSamplingNearest_updateOutput)(THNNState *state, THTensor *input,
                                                     THTensor *output, int scale_factor)
{
  THNN_ENTER(state, input, output);
  THNN_(nearest)(input, output, 3, scale_factor);
}

void THNN_(VolumetricUpSamplingNearest_updateGradInput)(THNNState *state, THTensor *input,
                                                        THTensor *gradOutput, THTensor *gradInput,
                                                        int scale_factor)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(nearestBackward)(input, gradOutput, gradInput, 3, scale_factor);
}

/* --- linear ---------------------------------------------------------------------------------- */

/* The ends coincide: output i lies at i * (in - 1) / (out - 1) of input, which is split into a
 * whole number and a fraction exactly. */
static void THNN_(between)(THNN_(SourceIndices) * indices, const THNNPlanes *p)
{
  for (int a = 0; a < 3; a++) {
    const int64_t in = p->in[a] - 1, out = THMax(1, p->out[a] - 1);
    for (int64_t i = 0; i < p->out[a]; i++) {
      const int64_t part = i * (in % out);
      const int64_t from = i * (in / out) + part / out;
      indices->from[a][i] = from;
      indices->next[a][i] = THMin(from + 1, in);
      indices->weight[a][i] = (THNN_real)(part % out) / (THNN_real)out;
    }
  }
}

static void THNN_(interpolate)(const THNNPlanes *p, int backward, THTensor *source,
                               THTensor *result)
{
  THGuard guard;
  THNN_(SourceIndices) indices;
  THNN_(reserveIndices)(&indices, p, 1, &guard);
  THNN_(between)(&indices, p);
  THNN_(resamplePlanes)(p, &indices, backward, source, result);
  THGuard_leave(&guard);
}

static void THNN_(linear)(THTensor *input, THTensor *output, int axes, const int64_t out[3])
{
  static const char *const texts[] = {"batch x planes x width", "batch x planes x height x width",
                                      "batch x planes x depth x height x width"};
  THNNPlanes p = THNN_(planes)(input, 2, axes, 2, 2, texts[axes - 1]);
  THNNPlanes_setOutput(&p, out);
  THNN_(interpolate)(&p, 0, input, output);
}

/* size: the size of input. */
static void THNN_(linearBackward)(THTensor *gradOutput, THTensor *gradInput, int axes,
                                  const int64_t *size, const int64_t out[3])
{
  for (int d = 0; d < axes + 2; d++)
    if (size[d] < 1)
      THError("input cannot have size %s", _THSizeDesc(size, axes + 2).str);
  THNNPlanes p = THNNPlanes_of(axes + 2, size, axes);
  THNNPlanes_setOutput(&p, out);
  THNN_(checkGradOutput)(&p, gradOutput);
  THNN_(interpolate)(&p, 1, gradOutput, gradInput);
}

void THNN_(TemporalUpSamplingLinear_updateOutput)(THNNState *state, THTensor *input,
                                                  THTensor *output, int osizeW)
{
  THNN_ENTER(state, input, output);
  THNN_(linear)(input, output, 1, (int64_t[]){1, 1, osizeW});
}

void THNN_(TemporalUpSamplingLinear_updateGradInput)(THNNState *state, THTensor *gradOutput,
                                                     THTensor *gradInput, int isizeB, int isizeC,
                                                     int isizeW, int osizeW)
{
  THNN_ENTER(state, gradOutput, gradInput);
  THNN_(linearBackward)(gradOutput, gradInput, 1, (int64_t[]){isizeB, isizeC, isizeW},
                        (int64_t[]){1, 1, osizeW});
}

void THNN_(SpatialUpSamplingBilinear_updateOutput)(THNNState *state, THTensor *input,
                                                   THTensor *output, int osizeH, int osizeW)
{
  THNN_ENTER(state, input, output);
  THNN_(linear)(input, output, 2, (int64_t[]){1, osizeH, osizeW});
}

void THNN_(SpatialUpSamplingBilinear_updateGradInput)(THNNState *state, THTensor *gradOutput,
                                                      THTensor *gradInput, int isizeB, int isizeC,
                                                      int isizeH, int isizeW, int osizeH,
                                                      int osizeW)
{
  THNN_ENTER(state, gradOutput, gradInput);
  THNN_(linearBackward)(gradOutput, gradInput, 2, (int64_t[]){isizeB, isizeC, isizeH, isizeW},
                        (int64_t[]){1, osizeH, osizeW});
}

void THNN_(VolumetricUpSamplingTrilinear_updateOutput)(THNNState *state, THTensor *input,
                                                       THTensor *output, int osizeT, int osizeH,
                                                       int osizeW)
{
  THNN_ENTER(state, input, output);
  THNN_(linear)(input, output, 3, (int64_t[]){osizeT, osizeH, osizeW});
}

void THNN_(VolumetricUpSamplingTrilinear_updateGradInput)(THNNState *state, THTensor *gradOutput,
                                                          THTensor *gradInput, int isizeB,
                                                          int isizeC, int isizeT, int isizeH,
                                                          int isizeW, int osizeT, int osizeH,
                                                          int osizeW)
{
  THNN_ENTER(state, gradOutput, gradInput);
  THNN_(linearBackward)(gradOutput, gradInput, 3,
                        (int64_t[]){isizeB, isizeC, isizeT, isizeH, isizeW},
                        (int64_t[]){osizeT, osizeH, osizeW});
}
