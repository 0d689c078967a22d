/* The sum of each window, times a weight, plus a bias.  Images have a weight for each plane;
 * sequences, whose planes are frames x features, have one for each feature. */
#include "THNN/layer/Template.h"
#include "THKernel.h"
#include "AvgPoolLayers.h"

/* --- what there is to compute ---------------------------------------------------------------- */

static THNN_(Sampling) THNN_(ofImages)(THTensor *input, int kW, int kH, int dW, int dH)
{
  THNN_(Sampling)
  s = {.planes = THNN_(imagePlanes)(input, 2),
       .axis = {THNNWindow_of(1, 1, 0, 1), THNNWindow_of(kH, dH, 0, 1),
                THNNWindow_of(kW, dW, 0, 1)}};
  s.channels = input->size[s.planes.dims - 3];
  THNNPlanes_slide(&s.planes, s.axis, false);
  return s;
}

static THNN_(Sampling) THNN_(ofFrames)(THTensor *input, int kW, int dW)
{
  THNN_(Sampling)
  s = {.planes = THNN_(planes)(input, 2, 2, 0, 1, "frames x features, or a batch of that"),
       .axis = {THNNWindow_of(1, 1, 0, 1), THNNWindow_of(kW, dW, 0, 1), THNNWindow_of(1, 1, 0, 1)},
       .ofFeatures = 1};
  s.channels = s.planes.in[2];
  THNNPlanes_slide(&s.planes, s.axis, false);
  return s;
}

static void THNN_(checkChannels)(const THNN_(Sampling) * s, THTensor *t, int argument,
                                 const char *name)
{
  THArgCheck(THTensor_(nElement)(t) == s->channels, argument,
             "%s has size %s, for input of %s it has to have %lld elements", name,
             THTensor_(sizeDesc)(t).str, _THSizeDesc(s->planes.inSize, s->planes.dims).str,
             (long long)s->channels);
}

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

/* --- forward and backward -------------------------------------------------------------------- */

typedef struct {
  const THNN_(Sampling) * sampling;
  THNNWindowSum sum;
} THNN_(SamplingWork);

/* y = y * weight + bias for the n elements of a plane; bias may be NULL. */
static void THNN_(scalePlane)(const THNN_(Sampling) * s, ptrdiff_t plane, ptrdiff_t n, real *y,
                              const real *weight, const real *bias)
{
  if (s->ofFeatures) {
    for (ptrdiff_t i = 0; i < n; i += s->channels)
      for (ptrdiff_t c = 0; c < s->channels; c++)
        y[i + c] = y[i + c] * weight[c] + (bias ? bias[c] : 0);
  } else {
    const real w = weight[plane % s->channels], b = bias ? bias[plane % s->channels] : 0;
    for (ptrdiff_t i = 0; i < n; i++)
      y[i] = y[i] * w + b;
  }
}

static void THNN_(samplePlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *memory)
{
  const THNNPlanes *p = loop->planes;
  const THNN_(SamplingWork) *s = loop->layer;
  real *y = loop->y + plane * p->output;
  TH_DISPATCHED(THNN_(windowSum))
  [THNN_WINDOW_SUM](p, &s->sum, loop->x + plane * p->input, y, memory);
  THNN_(scalePlane)(s->sampling, plane, p->output, y, loop->w[0], loop->w[1]);
}

static void THNN_(samplePlaneBackward)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *memory)
{
  const THNNPlanes *p = loop->planes;
  const THNN_(SamplingWork) *s = loop->layer;
  real *y = loop->y + plane * p->input;
  TH_DISPATCHED(THNN_(windowSum))
  [THNN_WINDOW_BACKWARD](p, &s->sum, loop->x + plane * p->output, y, memory);
  THNN_(scalePlane)(s->sampling, plane, p->input, y, loop->w[0], NULL);
}

void THNN_(sampleWindows)(const THNN_(Sampling) * s, THTensor *source, THTensor *result,
                          THTensor *weight, THTensor *bias)
{
  THGuard guard;
  THNNSpans spans;
  THNNSpans_divided(&spans, &guard, s->axis, THNN_BY_ONE);
  const THNN_(SamplingWork) layer = {s, THNNWindowSum_of(&s->planes, &spans, !bias)};
  THNN_(PlaneLoop)
  loop = {.plane = bias ? THNN_(samplePlane) : THNN_(samplePlaneBackward),
          .layer = &layer,
          .backward = !bias,
          .source = source,
          .result = result,
          .with = {weight, bias},
          .cost = s->planes.input + 4 * s->planes.output,
          .scratch = layer.sum.bytes};
  THNN_(runPlanes)(&s->planes, &loop);
  THGuard_leave(&guard);
}

/* --- gradients of the weights ---------------------------------------------------------------- */

typedef struct {
  const THNN_(Sampling) * sampling;
  const real *sums, *g;
  real *gradWeight, *gradBias;
  accreal scale;
} THNN_(Gradients);

static void THNN_(accumulateChannels)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Gradients) *a = context;
  const THNN_(Sampling) *s = a->sampling;
  const THNNPlanes *p = &s->planes;
  /* outer x channels x inner */
  const ptrdiff_t inner = s->ofFeatures ? 1 : p->output;
  const ptrdiff_t step = s->channels * inner, count = p->count * p->output;
  for (ptrdiff_t c = begin; c < end; c++) {
    accreal weight = 0, bias = 0;
    for (ptrdiff_t o = c * inner; o < count; o += step)
      for (ptrdiff_t i = o; i < o + inner; i++) {
        weight += (accreal)a->sums[i] * (accreal)a->g[i];
        bias += (accreal)a->g[i];
      }
    a->gradWeight[c] += (real)(a->scale * weight);
    a->gradBias[c] += (real)(a->scale * bias);
  }
}

void THNN_(accumulateWindows)(const THNN_(Sampling) * s, THTensor *sums, THTensor *gradOutput,
                              THTensor *gradWeight, THTensor *gradBias, accreal scale)
{
  THNN_(Call) call;
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(start)(&call);
  THNN_(Gradients)
  a = {s,
       THTensor_(data)(sums),
       THTensor_(data)(gradOutput),
       THTensor_(data)(gradWeight),
       THTensor_(data)(gradBias),
       scale};
  const ptrdiff_t each = THTensor_(nElement)(gradOutput) / THMax(1, s->channels);
  THParallel_for(s->channels, THMax(1, TH_LOOP_GRAIN / THMax(1, each)), THNN_(accumulateChannels),
                 &a);
  THNN_(finish)(&call);
}

#endif

static void THNN_(accumulate)(const THNN_(Sampling) * s, THTensor *input, THTensor *gradOutput,
                              THTensor *gradWeight, THTensor *gradBias, accreal scale)
{
  THNN_(checkGradOutput)(&s->planes, gradOutput);
  THNN_(checkChannels)(s, gradWeight, 4, "gradWeight");
  THNN_(checkChannels)(s, gradBias, 5, "gradBias");
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THTensor_(free));
  THTensor *sums = guard.what = THTensor_(new)();
  THNN_(averageWindows)(&s->planes, s->axis, THNN_BY_ONE, 0, input, sums);
  THNN_(accumulateWindows)(s, sums, gradOutput, gradWeight, gradBias, scale);
  THGuard_leave(&guard);
}

/* --- images ---------------------------------------------------------------------------------- */

void THNN_(SpatialSubSampling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                            THTensor *weight, THTensor *bias, int kW, int kH,
                                            int dW, int dH)
{
  THNN_ENTER(state, input, output, weight, bias);
  THNN_(Sampling) s = THNN_(ofImages)(input, kW, kH, dW, dH);
  THNN_(checkChannels)(&s, weight, 4, "weight");
  THNN_(checkChannels)(&s, bias, 5, "bias");
  THNN_(sampleWindows)(&s, input, output, weight, bias);
}

void THNN_(SpatialSubSampling_updateGradInput)(THNNState *state, THTensor *input,
                                               THTensor *gradOutput, THTensor *gradInput,
                                               THTensor *weight, int kW, int kH, int dW, int dH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight);
  THNN_(Sampling) s = THNN_(ofImages)(input, kW, kH, dW, dH);
  THNN_(checkGradOutput)(&s.planes, gradOutput);
  THNN_(checkChannels)(&s, weight, 5, "weight");
  THNN_(sampleWindows)(&s, gradOutput, gradInput, weight, NULL);
}

void THNN_(SpatialSubSampling_accGradParameters)(THNNState *state, THTensor *input,
                                                 THTensor *gradOutput, THTensor *gradWeight,
                                                 THTensor *gradBias, int kW, int kH, int dW, int dH,
                                                 accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias);
  const THNN_(Sampling) s = THNN_(ofImages)(input, kW, kH, dW, dH);
  THNN_(accumulate)(&s, input, gradOutput, gradWeight, gradBias, scale);
}

/* --- sequences ------------------------------------------------------------------------------- */

void THNN_(TemporalSubSampling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                             THTensor *weight, THTensor *bias, int kW, int dW,
                                             int inputFrameSize)
{
  THNN_ENTER(state, input, output, weight, bias);
  THNN_(Sampling) s = THNN_(ofFrames)(input, kW, dW);
  THArgCheck(inputFrameSize == -1 || inputFrameSize == s.channels, 8,
             "inputFrameSize is %d, and input has size %s", inputFrameSize,
             THTensor_(sizeDesc)(input).str);
  THNN_(checkChannels)(&s, weight, 4, "weight");
  THNN_(checkChannels)(&s, bias, 5, "bias");
  THNN_(sampleWindows)(&s, input, output, weight, bias);
}

void THNN_(TemporalSubSampling_updateGradInput)(THNNState *state, THTensor *input,
                                                THTensor *gradOutput, THTensor *gradInput,
                                                THTensor *weight, int kW, int dW)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight);
  THNN_(Sampling) s = THNN_(ofFrames)(input, kW, dW);
  THNN_(checkGradOutput)(&s.planes, gradOutput);
  THNN_(checkChannels)(&s, weight, 5, "weight");
  THNN_(sampleWindows)(&s, gradOutput, gradInput, weight, NULL);
}

void THNN_(TemporalSubSampling_accGradParameters)(THNNState *state, THTensor *input,
                                                  THTensor *gradOutput, THTensor *gradWeight,
                                                  THTensor *gradBias, int kW, int dW, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias);
  const THNN_(Sampling) s = THNN_(ofFrames)(input, kW, dW);
  THNN_(accumulate)(&s, input, gradOutput, gradWeight, gradBias, scale);
}
