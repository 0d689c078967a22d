/* The largest element of each window of an image. */
#include "THNNTemplate.h"

TH_DISPATCH(THNN_(MaxPoolKernel), THNN_(maxPool))

typedef struct {
  int dims;        /* of input: 3, or 4 with a batch */
  int64_t count;   /* planes of all images */
  int64_t size[4]; /* of output */
  THNNWindow h, w;
  const real *x;
  real *y;
  int64_t *index;
} THNN_(MaxPool);

static THNN_(MaxPool) THNN_(maxPoolCheck)(THTensor *input, int kW, int kH, int dW, int dH, int padW,
                                          int padH, bool ceil_mode)
{
  const int dims = input->nDimension;
  THArgCheck(dims == 3 || dims == 4, 2,
             "input has size %s, and has to be planes x height x width, or a batch of that",
             THTensor_(sizeDesc)(input).str);
  THNN_(MaxPool)
  p = {
      .dims = dims,
      .h = {.input = input->size[dims - 2], .size = kH, .step = dH, .pad = padH, .dilation = 1},
      .w = {.input = input->size[dims - 1], .size = kW, .step = dW, .pad = padW, .dilation = 1},
  };
  THNNWindow_check(&p.h, "H");
  THNNWindow_check(&p.w, "W");
  if (padH > kH / 2 || padW > kW / 2)
    THError("padding of %d x %d is more than half of windows of %d x %d", padH, padW, kH, kW);
  THNNWindow_count(&p.h, ceil_mode);
  THNNWindow_count(&p.w, ceil_mode);
  if (p.h.output < 1 || p.w.output < 1)
    THError("input of size %s is too small for windows of %d x %d with padding of %d x %d",
            THTensor_(sizeDesc)(input).str, kH, kW, padH, padW);
  p.count = dims == 4 ? input->size[0] * input->size[1] : input->size[0];
  memcpy(p.size, input->size, (size_t)dims * sizeof *p.size);
  p.size[dims - 2] = p.h.output;
  p.size[dims - 1] = p.w.output;
  return p;
}

static void THNN_(maxPoolPlanes)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(MaxPool) *p = context;
  const ptrdiff_t windows = p->h.output * p->w.output;
  const THNN_(MaxPoolKernel) pool = *THNN_(maxPool);
  for (ptrdiff_t plane = begin; plane < end; plane++)
    pool(&p->h, &p->w, p->x + plane * p->h.input * p->w.input, p->y + plane * windows,
         p->index + plane * windows);
}

void THNN_(SpatialMaxPooling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                           THIndexTensor *indices, int kW, int kH, int dW, int dH,
                                           int padW, int padH, bool ceil_mode)
{
  THNN_(MaxPool) p = THNN_(maxPoolCheck)(input, kW, kH, dW, dH, padW, padH, ceil_mode);
  THNN_(Call) call;
  THNN_LongCall places;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  THTensor *out = THNN_(result)(&call, output, p.dims, p.size);
  THNN_Longbegin(&places);
  THIndexTensor *where = THNN_Longresult(&places, indices, p.dims, p.size);
  THNN_(ready)(&call);
  THNN_Longready(&places);
  THNN_(start)(&call);
  THNN_Longstart(&places);
  p.x = THTensor_(data)(input);
  p.y = THTensor_(data)(out);
  p.index = THIndexTensor_(data)(where);
  const ptrdiff_t work = p.h.output * p.w.output * kH * kW;
  THParallel_for(p.count, THMax(1, TH_LOOP_GRAIN / 4 / work), THNN_(maxPoolPlanes), &p);
  THNN_Longfinish(&places);
  THNN_(finish)(&call);
}

/* y is the gradient here, and x that of the output. */
static void THNN_(maxPoolPlanesBack)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(MaxPool) *p = context;
  const int64_t size = p->h.input * p->w.input, windows = p->h.output * p->w.output;
  for (ptrdiff_t plane = begin; plane < end; plane++) {
    real *y = p->y + plane * size;
    const real *x = p->x + plane * windows;
    const int64_t *index = p->index + plane * windows;
    memset(y, 0, (size_t)size * sizeof *y);
    for (int64_t i = 0; i < windows; i++)
      y[index[i] - TH_INDEX_BASE] += x[i];
  }
}

void THNN_(SpatialMaxPooling_updateGradInput)(THNNState *state, THTensor *input,
                                              THTensor *gradOutput, THTensor *gradInput,
                                              THIndexTensor *indices, int kW, int kH, int dW,
                                              int dH, int padW, int padH, bool ceil_mode)
{
  THNN_(MaxPool) p = THNN_(maxPoolCheck)(input, kW, kH, dW, dH, padW, padH, ceil_mode);
  if (!THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, p.size, p.dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(p.size, p.dims).str);
  THNN_CHECK_SHAPE_INDICES(gradOutput, indices);

  THNN_(Call) call;
  THNN_LongCall places;
  THNN_Longbegin(&places);
  indices = THNN_Longsource(&places, indices);
  p.index = THIndexTensor_(data)(indices);
  const int64_t size = p.h.input * p.w.input;
  const ptrdiff_t count = THIndexTensor_(nElement)(indices);
  for (ptrdiff_t i = 0; i < count; i++)
    if (p.index[i] < TH_INDEX_BASE || p.index[i] >= size + TH_INDEX_BASE)
      THError("indices holds %lld, which is no place in planes of %lld x %lld",
              (long long)p.index[i], (long long)p.h.input, (long long)p.w.input);
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  THTensor *grad = THNN_(result)(&call, gradInput, p.dims, input->size);
  THNN_Longstart(&places);
  THNN_(start)(&call);
  p.x = THTensor_(data)(gradOutput);
  p.y = THTensor_(data)(grad);
  THParallel_for(p.count, THMax(1, TH_LOOP_GRAIN / size), THNN_(maxPoolPlanesBack), &p);
  THNN_(finish)(&call);
  THNN_Longfinish(&places);
}
