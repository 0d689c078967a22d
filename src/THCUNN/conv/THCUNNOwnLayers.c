/* The CUDA side of SpatialConvolutionLocal, whose weights differ from position to position, and of
 * convolutions of sequences. */
#include "THCUNN/layer/THCUNNDevice.h"

#include "THCUNNGemm.h"

#define LAUNCH(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

/* --- weights of their own for each window ---------------------------------------------------- */

void THNN_(prepareLocal)(THNN_(Local) * l, THNNPass pass, THNN_(Call) * call)
{
}

void THNN_(runLocal)(THNN_(Local) * l, THNNPass pass)
{
  const THNNConvolution *c = &l->c;
  const int64_t window = c->outputs * c->terms; /* weights of one */
  THCUNNDirect d = {.batch = c->batch,
                    .planes = c->planes,
                    .outputs = c->outputs,
                    .groups = 1,
                    .xStep = {c->planes * c->image, c->image, 1},
                    .yStep = {c->outputs * c->positions, c->positions, 1},
                    .weightStep = {c->terms, c->taps, 1, window},
                    .biasStep = {c->positions, 1},
                    .scale = l->scale,
                    .x = l->x,
                    .y = l->y,
                    .weight = l->weight};
  memcpy(d.axis, c->at, sizeof d.axis);
  if (pass == THNN_FORWARD) {
    d.bias = l->bias;
    LAUNCH(direct)(&d, THCUNN_STREAM);
  } else if (pass == THNN_BACKWARD_DATA) {
    LAUNCH(directBackwardData)(&d, THCUNN_STREAM);
  } else {
    if (l->weight)
      LAUNCH(directBackwardWeights)(&d, THCUNN_STREAM);
    if (l->bias)
      LAUNCH(addPlaneSums)(c->batch, c->outputs * c->positions, 1, l->y, l->scale, l->bias, l->sums,
                           THCUNN_STREAM);
  }
  THCudaCheck(cudaGetLastError());
}

/* --- sequences whose frames are rows --------------------------------------------------------- */

enum { MOST_WINDOWS = 64 << 20 }; /* bytes of windows as columns at a time */

/* The gradient of weights of a batch is one product for the sequences of a chunk, whose windows are
 * columns. */
void THNN_(prepareSequence)(THNN_(Sequence) * s, THNNPass pass, THNN_(Call) * call)
{
  const int64_t elements = s->terms * s->w.output;
  if (pass != THNN_BACKWARD_WEIGHTS || s->batch < 2)
    return;
  s->chunk = MOST_WINDOWS / (ptrdiff_t)sizeof(real) / elements;
  s->chunk = THMax(1, THMin(s->batch, s->chunk));
  s->memory = THNN_(scratch)(call, s->chunk * elements);
}

static void THNN_(sequenceWeights)(const THNN_(Sequence) * s)
{
  const int64_t xStep = s->w.input * s->frame, yStep = s->w.output * s->outputs;
  const THNNWindow one = {1, 1, 1, 1, 0, 1, THNN_SLIDES};
  const THNNWindow features = {s->frame, 1, s->frame, 1, 0, 1, THNN_SLIDES};
  for (int64_t i = 0; i < s->batch; i += s->chunk) {
    const int64_t images = THMin(s->chunk, s->batch - i), n = images * s->w.output;
    const THCUNNColumns w = {.axis = {one, s->w, features},
                             .planes = 1,
                             .imagesAtOnce = images,
                             .from = s->x + i * xStep,
                             .to = s->memory};
    LAUNCH(im2col)(&w, images, THCUNN_STREAM);
    THCudaCheck(cudaGetLastError());
    gemm(THCUNN_using, 't', 't', s->terms, s->outputs, n, THNN_ELEMENT(s->scale), s->memory, n,
         s->y + i * yStep, s->outputs, THNN_ELEMENT(1), s->weight, s->terms);
  }
}

/* One tap of the windows at a time: in all windows its frames are step frames apart, so that they
 * are the columns of a matrix. */
void THNN_(runSequence)(THNN_(Sequence) * s, THNNPass pass)
{
  const int64_t frame = s->frame, outputs = s->outputs, windows = s->w.output, batch = s->batch;
  const int64_t windowStride = s->w.step * frame, xStep = s->w.input * frame,
                yStep = windows * outputs;
  const real one = THNN_ELEMENT(1), scale = THNN_ELEMENT(s->scale);
  const int imagesAtOnce = pass == THNN_BACKWARD_WEIGHTS && batch > 1;
  if (pass == THNN_FORWARD && s->bias)
    LAUNCH(fillPlanes)(batch * windows, outputs, 1, s->bias, s->y, THCUNN_STREAM);
  if (pass == THNN_BACKWARD_DATA)
    THCudaCheck(cudaMemsetAsync(s->x, 0, (size_t)(batch * xStep) * sizeof(real), THCUNN_STREAM));
  if (imagesAtOnce && s->weight)
    THNN_(sequenceWeights)(s);
  for (int64_t k = 0; k < s->w.size && !imagesAtOnce; k++) {
    real *x = s->x + k * frame, *weight = s->weight ? s->weight + k * frame : NULL;
    if (pass == THNN_FORWARD)
      gemmMany(THCUNN_using, 't', 'n', outputs, windows, frame, one, weight, s->terms, 0, x,
               windowStride, xStep, THNN_ELEMENT(s->bias || k > 0), s->y, outputs, yStep, batch);
    else if (pass == THNN_BACKWARD_DATA)
      gemmMany(THCUNN_using, 'n', 'n', frame, windows, outputs, one, weight, s->terms, 0, s->y,
               outputs, yStep, one, x, windowStride, xStep, batch);
    else if (weight)
      gemm(THCUNN_using, 'n', 't', frame, outputs, windows, scale, x, windowStride, s->y, outputs,
           one, weight, s->terms);
  }
  if (pass == THNN_BACKWARD_WEIGHTS && s->bias)
    LAUNCH(addPlaneSums)(batch * windows, outputs, 1, s->y, s->scale, s->bias, s->sums,
                         THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

/* --- sequences of frames x features, each feature by itself ---------------------------------- */

/* Features are planes and groups; a frame's features follow each other. */
static THCUNNDirect THNN_(directFrames)(const THNN_(Rows) * r)
{
  const THNNWindow *w = &r->layer.at[2];
  const int64_t n = r->features;
  return (THCUNNDirect){.axis = {r->layer.at[0], r->layer.at[1], *w},
                        .batch = r->batch,
                        .planes = n,
                        .outputs = n,
                        .groups = n,
                        .xStep = {w->input * n, 1, n},
                        .yStep = {w->output * n, 1, n},
                        .weightStep = {w->size, 0, 1, 0},
                        .biasStep = {1, 0}};
}

void THNN_(framesConvolve)(const THNN_(Rows) * r, THCTensor *from, THCTensor *weight,
                           THCTensor *bias, THCTensor *to, int backward, const int64_t *size)
{
  THCUNNDirect d = THNN_(directFrames)(r);
  THNN_(Call) call;
  THNN_(begin)(&call);
  from = THNN_(source)(&call, from);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  to = THNN_(result)(&call, to, r->dims, size);
  THNN_(start)(&call);
  d.x = THTensor_(data)(backward ? to : from);
  d.y = THTensor_(data)(backward ? from : to);
  d.weight = THTensor_(data)(weight);
  d.bias = bias ? THTensor_(data)(bias) : NULL;
  (backward ? LAUNCH(directBackwardData) : LAUNCH(direct))(&d, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
}

void THNN_(framesGradParameters)(const THNN_(Rows) * r, THCTensor *input, THCTensor *gradOutput,
                                 THCTensor *gradWeight, THCTensor *gradBias, accreal scale)
{
  THCUNNDirect d = THNN_(directFrames)(r);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  const int64_t frames = r->batch * r->layer.at[2].output;
  void *sums = gradBias ? THNN_(sumMemory)(&call, r->features, frames) : NULL;
  THNN_(start)(&call);
  d.x = THTensor_(data)(input);
  d.y = THTensor_(data)(gradOutput);
  d.scale = scale;
  if (gradWeight) {
    d.weight = THTensor_(data)(gradWeight);
    LAUNCH(directBackwardWeights)(&d, THCUNN_STREAM);
  }
  if (gradBias)
    LAUNCH(addPlaneSums)(frames, r->features, 1, d.y, scale, THTensor_(data)(gradBias), sums,
                         THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
}
