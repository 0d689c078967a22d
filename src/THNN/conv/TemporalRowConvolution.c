/* Convolution of each feature of a sequence by itself.  With features first, it is a depthwise
 * convolution of one dimension, whose planes are the features.  With frames first, it is computed
 * frame by frame, with features in the lanes. */
#include "THNN/layer/Template.h"

static void THNN_(rowsCheck)(THNN_(Rows) * r, THTensor *input, THTensor *gradOutput,
                             THTensor *weight, THTensor *bias, int kW, int dW, int padW,
                             bool featFirst)
{
  const int dims = input->nDimension, frames = featFirst ? dims - 1 : dims - 2;
  THArgCheck(dims == 2 || dims == 3, 2, "input has size %s, and has to be %s, or a batch of that",
             THTensor_(sizeDesc)(input).str, featFirst ? "features x frames" : "frames x features");
  const int64_t features = input->size[2 * dims - 3 - frames];
  r->layer = (THNNLayer){.spatial = 1,
                         .depthWise = 1,
                         .at = {{.size = 1, .step = 1, .dilation = 1},
                                {.size = 1, .step = 1, .dilation = 1},
                                {.size = kW, .step = dW, .pad = padW, .dilation = 1}}};
  THNNLayer_count(&r->layer, input->size + frames, THTensor_(sizeDesc)(input).str);
  if (weight &&
      !(weight->nDimension == 2 && weight->size[0] == features && weight->size[1] == kW) &&
      !(weight->nDimension == 3 && weight->size[0] == features && weight->size[1] == 1 &&
        weight->size[2] == kW))
    THError("weight has size %s, which does not fit input of size %s and windows of %d frames",
            THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(input).str, kW);
  if (bias && THTensor_(nElement)(bias) != features)
    THError("bias has size %s, which does not fit input of size %s", THTensor_(sizeDesc)(bias).str,
            THTensor_(sizeDesc)(input).str);
  r->dims = dims;
  r->batch = dims == 3 ? input->size[0] : 1;
  r->features = features;
  memcpy(r->size, input->size, (size_t)dims * sizeof *r->size);
  r->size[frames] = r->layer.at[2].output;
  if (gradOutput && !THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, r->size, dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(r->size, dims).str);
}

/* weight as 1 x features x kW. */
static THTensor *THNN_(oneRow)(THGuard *guard, THTensor *weight)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  if (!weight)
    return NULL;
  const int last = weight->nDimension - 1;
  int64_t size[3] = {1, weight->size[0], weight->size[last]};
  int64_t stride[3] = {weight->size[0] * weight->stride[0], weight->stride[0],
                       weight->stride[last]};
  THTensor *view = guard->what = THTensor_(new)();
  THTensor_(setStorageNd)(view, weight->storage, weight->storageOffset, 3, size, stride);
  return view;
}

#ifndef TH_TEMPLATE_DEVICE /* THCUNN has kernels instead */

/* --- frames first ---------------------------------------------------------------------------- */

typedef struct {
  THNNWindow w;
  int64_t batch, features;
  const real *x, *g, *weight, *bias; /* weight is kW x features */
  real *y, *sums;                    /* sums: features x kW, or features */
  accreal scale;
} THNN_(Frames);

static THNN_(Frames) THNN_(framesOf)(const THNN_(Rows) * r)
{
  return (THNN_(Frames)){.w = r->layer.at[2], .batch = r->batch, .features = r->features};
}

/* Transposes weight to kW x features, into memory that is reserved before the call starts. */
static void THNN_(transposeRows)(const THNN_(Frames) * f, const real *weight, real *transposed)
{
  for (int64_t i = 0; i < f->features; i++)
    for (int64_t k = 0; k < f->w.size; k++)
      transposed[k * f->features + i] = weight[i * f->w.size + k];
}

static void THNN_(addProducts)(int64_t n, const real *x, const real *weight, real *y)
{
  for (int64_t i = 0; i < n; i++)
    y[i] += x[i] * weight[i];
}

/* Computes frames of the output. */
static void THNN_(framesForward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Frames) *f = context;
  const int64_t n = f->features;
  for (ptrdiff_t item = begin; item < end; item++) {
    const int64_t start = item % f->w.output * f->w.step - f->w.pad;
    const real *x = f->x + item / f->w.output * f->w.input * n;
    real *y = f->y + item * n;
    for (int64_t i = 0; i < n; i++)
      y[i] = f->bias ? f->bias[i] : 0;
    for (int64_t k = 0; k < f->w.size; k++)
      if (start + k >= 0 && start + k < f->w.input)
        THNN_(addProducts)(n, x + (start + k) * n, f->weight + k * n, y);
  }
}

/* Computes gradients of frames of the input: sums over the windows that have the frame. */
static void THNN_(framesBackward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Frames) *f = context;
  const int64_t n = f->features;
  for (ptrdiff_t item = begin; item < end; item++) {
    const int64_t frame = item % f->w.input + f->w.pad;
    const real *g = f->g + item / f->w.input * f->w.output * n;
    real *y = f->y + item * n;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t k = 0; k < f->w.size && k <= frame; k++)
      if ((frame - k) % f->w.step == 0 && (frame - k) / f->w.step < f->w.output)
        THNN_(addProducts)(n, g + (frame - k) / f->w.step * n, f->weight + k * n, y);
  }
}

enum { FEATURES = 64 }; /* features that are summed together */

/* Sums up, for blocks of features, the products of g with the elements of x at tap k, or g alone if x is
 * NULL. */
static void THNN_(framesSum)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Frames) *f = context;
  const int64_t n = f->features, size = f->x ? f->w.size : 1;
  for (ptrdiff_t block = begin; block < end; block++)
    for (int64_t k = 0; k < size; k++) {
      const int64_t first = block * FEATURES, count = THMin(FEATURES, n - first);
      accreal sum[FEATURES] = {0};
      for (int64_t item = 0; item < f->batch * f->w.output; item++) {
        const int64_t frame = item % f->w.output * f->w.step - f->w.pad + k;
        const real *g = f->g + item * n + first;
        if (!f->x) {
          for (int64_t i = 0; i < count; i++)
            sum[i] += (accreal)g[i];
        } else if (frame >= 0 && frame < f->w.input) {
          const real *x = f->x + (item / f->w.output * f->w.input + frame) * n + first;
          for (int64_t i = 0; i < count; i++)
            sum[i] += (accreal)(g[i] * x[i]);
        }
      }
      for (int64_t i = 0; i < count; i++) {
        real *to = f->sums + (first + i) * size + k;
        *to = (real)(*to + f->scale * sum[i]);
      }
    }
}

static void THNN_(framesRun)(THNN_(Frames) * f, int64_t items, int64_t work,
                             void (*body)(void *context, ptrdiff_t begin, ptrdiff_t end))
{
  THParallel_for(items, THMax(1, TH_LOOP_GRAIN / THMax(1, work)), body, f);
}

void THNN_(framesConvolve)(const THNN_(Rows) * r, THTensor *from, THTensor *weight, THTensor *bias,
                           THTensor *to, int backward, const int64_t *size)
{
  THNN_(Frames) f = THNN_(framesOf)(r);
  THNN_(Call) call;
  THNN_(begin)(&call);
  from = THNN_(source)(&call, from);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  to = THNN_(result)(&call, to, r->dims, size);
  real *transposed = THNN_(scratch)(&call, THMax(1, f.features * f.w.size));
  THNN_(start)(&call);
  THNN_(transposeRows)(&f, THTensor_(data)(weight), transposed);
  f.weight = transposed;
  f.bias = bias ? THTensor_(data)(bias) : NULL;
  f.x = f.g = THTensor_(data)(from);
  f.y = THTensor_(data)(to);
  THNN_(framesRun)(&f, f.batch * (backward ? f.w.input : f.w.output), f.features * f.w.size,
                   backward ? THNN_(framesBackward) : THNN_(framesForward));
  THNN_(finish)(&call);
}

void THNN_(framesGradParameters)(const THNN_(Rows) * r, THTensor *input, THTensor *gradOutput,
                                 THTensor *gradWeight, THTensor *gradBias, accreal scale)
{
  THNN_(Frames) f = THNN_(framesOf)(r);
  const int64_t blocks = (f.features + FEATURES - 1) / FEATURES;
  const int64_t work = f.batch * f.w.output * FEATURES;
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(start)(&call);
  f.scale = scale;
  f.g = THTensor_(data)(gradOutput);
  if (gradBias) {
    f.sums = THTensor_(data)(gradBias);
    THNN_(framesRun)(&f, blocks, work, THNN_(framesSum));
  }
  if (gradWeight) {
    f.x = THTensor_(data)(input);
    f.sums = THTensor_(data)(gradWeight);
    THNN_(framesRun)(&f, blocks, work * f.w.size, THNN_(framesSum));
  }
  THNN_(finish)(&call);
}

#endif

/* --- the functions --------------------------------------------------------------------------- */

void THNN_(TemporalRowConvolution_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                                THTensor *weight, THTensor *bias, THTensor *finput,
                                                THTensor *fgradInput, int kW, int dW, int padW,
                                                bool featFirst)
{
  THNN_ENTER(state, input, output, weight, bias, finput, fgradInput);
  THNN_(Rows) r;
  THGuard guard;
  THNN_(rowsCheck)(&r, input, NULL, weight, bias, kW, dW, padW, featFirst);
  if (!featFirst) {
    THNN_(framesConvolve)(&r, input, weight, bias, output, 0, r.size);
    return;
  }
  THNN_(layerOutput)(r.layer, input, output, THNN_(oneRow)(&guard, weight), bias);
  THGuard_leave(&guard);
}

void THNN_(TemporalRowConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                   THTensor *gradOutput, THTensor *gradInput,
                                                   THTensor *weight, THTensor *finput,
                                                   THTensor *fgradInput, int kW, int dW, int padW,
                                                   bool featFirst)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, finput, fgradInput);
  THNN_(Rows) r;
  THGuard guard;
  THNN_(rowsCheck)(&r, input, gradOutput, weight, NULL, kW, dW, padW, featFirst);
  if (!featFirst) {
    int64_t size[3];
    memcpy(size, input->size, (size_t)r.dims * sizeof *size);
    THNN_(framesConvolve)(&r, gradOutput, weight, NULL, gradInput, 1, size);
    return;
  }
  THNN_(layerGradInput)(r.layer, input, gradOutput, gradInput, THNN_(oneRow)(&guard, weight));
  THGuard_leave(&guard);
}

void THNN_(TemporalRowConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                     THTensor *gradOutput, THTensor *gradWeight,
                                                     THTensor *gradBias, THTensor *finput,
                                                     THTensor *fgradInput, int kW, int dW, int padW,
                                                     bool featFirst, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput);
  THNN_(Rows) r;
  THGuard guard;
  THNN_(rowsCheck)(&r, input, gradOutput, gradWeight, gradBias, kW, dW, padW, featFirst);
  if (!featFirst) {
    THNN_(framesGradParameters)(&r, input, gradOutput, gradWeight, gradBias, scale);
    return;
  }
  THNN_(layerGradParameters)(r.layer, input, gradOutput, THNN_(oneRow)(&guard, gradWeight),
                             gradBias, scale);
  THGuard_leave(&guard);
}
