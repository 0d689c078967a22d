/* Convolution of each feature of a sequence by itself: a depth-wise one of one dimension, whose
 * planes are the features.  Sequences of frames are seen, and written, transposed. */
#include "THNNTemplate.h"

typedef struct {
  THNNLayer layer;
  THTensor *input, *gradOutput, *weight, *other; /* views of the operands, as features x frames */
  int dims;
  int64_t size[3]; /* of output */
  THGuard guard[4];
} THNN_(Rows);

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
  memcpy(r->size, input->size, (size_t)dims * sizeof *r->size);
  r->size[frames] = r->layer.at[2].output;
  if (gradOutput && !THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, r->size, dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(r->size, dims).str);
}

/* t as features x frames: a view, held by guard. */
static THTensor *THNN_(featuresFirst)(THGuard *guard, THTensor *t, bool featFirst)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  if (!t)
    return NULL;
  THTensor *view = guard->what = THTensor_(new)();
  THTensor_(set)(view, t);
  if (!featFirst)
    THTensor_(transpose)(view, NULL, t->nDimension - 2, t->nDimension - 1);
  return view;
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

static void THNN_(rowsBegin)(THNN_(Rows) * r, THTensor *input, THTensor *gradOutput,
                             THTensor *weight, bool featFirst)
{
  r->input = THNN_(featuresFirst)(&r->guard[0], input, featFirst);
  r->gradOutput = THNN_(featuresFirst)(&r->guard[1], gradOutput, featFirst);
  r->weight = THNN_(oneRow)(&r->guard[2], weight);
  THGuard_enter(&r->guard[3], (THUndo)THTensor_(free));
}

static void THNN_(rowsEnd)(THNN_(Rows) * r)
{
  for (int i = 3; i >= 0; i--)
    THGuard_leave(&r->guard[i]);
}

/* Where to write what becomes result: itself, or a tensor of features x frames. */
static THTensor *THNN_(rowsTarget)(THNN_(Rows) * r, THTensor *result, bool featFirst)
{
  return featFirst ? result : (r->other = r->guard[3].what = THTensor_(new)());
}

/* result becomes what the target is, transposed back. */
static void THNN_(rowsDeliver)(THNN_(Rows) * r, THTensor *result, const int64_t *size,
                               bool featFirst)
{
  if (featFirst)
    return;
  THTensor_(transpose)(r->other, NULL, r->dims - 2, r->dims - 1);
  THNN_(Call) call;
  THNN_(begin)(&call);
  THTensor *to = THNN_(result)(&call, result, r->dims, size);
  THNN_(start)(&call);
  THTensor_(copy)(to, r->other);
  THNN_(finish)(&call);
}

void THNN_(TemporalRowConvolution_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                                THTensor *weight, THTensor *bias, THTensor *finput,
                                                THTensor *fgradInput, int kW, int dW, int padW,
                                                bool featFirst)
{
  THNN_(Rows) r;
  THNN_(rowsCheck)(&r, input, NULL, weight, bias, kW, dW, padW, featFirst);
  THNN_(rowsBegin)(&r, input, NULL, weight, featFirst);
  THTensor *target = THNN_(rowsTarget)(&r, output, featFirst);
  THNN_(layerOutput)(r.layer, r.input, target, r.weight, bias);
  THNN_(rowsDeliver)(&r, output, r.size, featFirst);
  THNN_(rowsEnd)(&r);
}

void THNN_(TemporalRowConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                   THTensor *gradOutput, THTensor *gradInput,
                                                   THTensor *weight, THTensor *finput,
                                                   THTensor *fgradInput, int kW, int dW, int padW,
                                                   bool featFirst)
{
  THNN_(Rows) r;
  THNN_(rowsCheck)(&r, input, gradOutput, weight, NULL, kW, dW, padW, featFirst);
  int64_t size[3];
  memcpy(size, input->size, (size_t)r.dims * sizeof *size);
  THNN_(rowsBegin)(&r, input, gradOutput, weight, featFirst);
  THTensor *target = THNN_(rowsTarget)(&r, gradInput, featFirst);
  THNN_(layerGradInput)(r.layer, r.input, r.gradOutput, target, r.weight);
  THNN_(rowsDeliver)(&r, gradInput, size, featFirst);
  THNN_(rowsEnd)(&r);
}

void THNN_(TemporalRowConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                     THTensor *gradOutput, THTensor *gradWeight,
                                                     THTensor *gradBias, THTensor *finput,
                                                     THTensor *fgradInput, int kW, int dW, int padW,
                                                     bool featFirst, accreal scale)
{
  THNN_(Rows) r;
  THNN_(rowsCheck)(&r, input, gradOutput, gradWeight, gradBias, kW, dW, padW, featFirst);
  THNN_(rowsBegin)(&r, input, gradOutput, gradWeight, featFirst);
  THNN_(layerGradParameters)(r.layer, r.input, r.gradOutput, r.weight, gradBias, scale);
  THNN_(rowsEnd)(&r);
}
