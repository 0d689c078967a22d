/* Fractional max pooling: a given number of windows, spread over the image by random numbers. */
#include "THNN/layer/Template.h"

typedef struct {
  int axes;
  int64_t size[3]; /* of the windows */
} THNN_(Fractional);

/* Windows along one axis begin at multiples of alpha (rarely an integer), rounded down. */
static void THNN_(spread)(THNNSpan *span, int64_t input, int64_t output, int64_t size, real sample)
{
  const real alpha = output > 1 ? (real)(input - size) / (real)(output - 1) : 0;
  for (int64_t i = 0; i < output; i++) {
    const int64_t last = input - size;
    const int64_t begin = (int64_t)(((real)i + sample) * alpha) - (int64_t)(sample * alpha);
    span[i].begin = i == output - 1 ? last : THMin(begin, last);
    span[i].end = span[i].begin + size;
  }
}

static void THNN_(fractionalPlane)(const THNN_(Work) * work, ptrdiff_t plane, void *scratch)
{
  const THNNPlanes *p = work->planes;
  const THNN_(Fractional) *f = work->layer;
  THNNSpans spans = {.dilation = {1, 1, 1}};
  THNNSpan *span = scratch;
  for (int a = 0; a < 3; a++) {
    /* The last axis has the first number. */
    const real sample = a < 3 - f->axes ? 0 : work->w[0][plane * f->axes + 2 - a];
    spans.of[a] = span;
    THNN_(spread)(span, p->in[a], p->out[a], f->size[a], sample);
    span += p->out[a];
  }
  THNN_(maxOfSpans)(p, &spans, work->x + plane * p->input, work->y + plane * p->output,
                    work->to + plane * p->output);
}

static THNNPlanes THNN_(fractionalPlanes)(THTensor *input, const int64_t out[3],
                                          const THNN_(Fractional) * f)
{
  THNNPlanes p = f->axes == 2 ? THNN_(imagePlanes)(input, 2)
                              : THNN_(planes)(input, 2, 3, 1, 2,
                                              "planes x height x width x time, or a batch of that");
  THNNPlanes_result(&p, out);
  for (int a = 0; a < 3; a++)
    if (f->size[a] < 1 || f->size[a] > p.in[a] - out[a] + 1)
      THError("input of size %s is too small for %lld windows of %lld",
              THTensor_(sizeDesc)(input).str, (long long)out[a], (long long)f->size[a]);
  return p;
}

/* Raises unless samples holds a number from 0 to 1 for every plane and axis. */
static void THNN_(checkSamples)(const THNNPlanes *p, THTensor *samples, int argument)
{
  THGuard guard;
  THArgCheck(THTensor_(nElement)(samples) == p->count * p->axes, argument,
             "randomSamples has size %s, for input of %s it has to have %d for each of %td planes",
             THTensor_(sizeDesc)(samples).str, _THSizeDesc(p->inSize, p->dims).str, p->axes,
             p->count);
  THGuard_enter(&guard, (THUndo)THTensor_(free));
  guard.what = THTensor_(newContiguous)(samples);
  const real *sample = THTensor_(data)(guard.what);
  for (ptrdiff_t i = 0; i < p->count * p->axes; i++)
    THArgCheck(sample[i] >= 0 && sample[i] <= 1, argument,
               "randomSamples holds %g, which is not from 0 to 1", (double)sample[i]);
  THGuard_leave(&guard);
}

static void THNN_(fractional)(THTensor *input, THTensor *output, const int64_t out[3],
                              const THNN_(Fractional) * f, THIndexTensor *indices,
                              THTensor *samples, int argument)
{
  const THNNPlanes p = THNN_(fractionalPlanes)(input, out, f);
  THNN_(checkSamples)(&p, samples, argument);
  THNN_(Work)
  work = {.plane = THNN_(fractionalPlane),
          .layer = f,
          .source = input,
          .result = output,
          .with = {samples},
          .indices = indices,
          .cost = 4 * p.output * f->size[0] * f->size[1] * f->size[2],
          .scratch = (size_t)(out[0] + out[1] + out[2]) * sizeof(THNNSpan)};
  THNN_(work)(&p, &work);
}

void THNN_(SpatialFractionalMaxPooling_updateOutput)(THNNState *state, THTensor *input,
                                                     THTensor *output, int outputW, int outputH,
                                                     int kW, int kH, THIndexTensor *indices,
                                                     THTensor *randomSamples)
{
  THNN_ENTER(state, input, output, indices, randomSamples);
  const THNN_(Fractional) f = {2, {1, kH, kW}};
  THNN_(fractional)(input, output, (int64_t[]){1, outputH, outputW}, &f, indices, randomSamples, 9);
}

void THNN_(SpatialFractionalMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                        THTensor *gradOutput, THTensor *gradInput,
                                                        int outputW, int outputH, int kW, int kH,
                                                        THIndexTensor *indices)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  const THNN_(Fractional) f = {2, {1, kH, kW}};
  const THNNPlanes p = THNN_(fractionalPlanes)(input, (int64_t[]){1, outputH, outputW}, &f);
  THNN_(maxPoolBackward)(&p, NULL, gradOutput, gradInput, indices);
}

void THNN_(VolumetricFractionalMaxPooling_updateOutput)(THNNState *state, THTensor *input,
                                                        THTensor *output, int outputT, int outputW,
                                                        int outputH, int poolSizeT, int poolSizeW,
                                                        int poolSizeH, THIndexTensor *indices,
                                                        THTensor *randomSamples)
{
  THNN_ENTER(state, input, output, indices, randomSamples);
  const THNN_(Fractional) f = {3, {poolSizeH, poolSizeW, poolSizeT}};
  THNN_(fractional)(input, output, (int64_t[]){outputH, outputW, outputT}, &f, indices,
                    randomSamples, 11);
}

void THNN_(VolumetricFractionalMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                                           THTensor *gradOutput,
                                                           THTensor *gradInput, int outputT,
                                                           int outputW, int outputH, int poolSizeT,
                                                           int poolSizeW, int poolSizeH,
                                                           THIndexTensor *indices)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  const THNN_(Fractional) f = {3, {poolSizeH, poolSizeW, poolSizeT}};
  const THNNPlanes p = THNN_(fractionalPlanes)(input, (int64_t[]){outputH, outputW, outputT}, &f);
  THNN_(maxPoolBackward)(&p, NULL, gradOutput, gradInput, indices);
}
