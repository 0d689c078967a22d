/* What THNN's pooling layers call: kernels for all planes. */
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/pool/AvgPoolLayers.h"
#include "THNN/pool/MaxPoolLayers.h"

#define LAUNCH(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

/* A layer's work: what its kernel is told besides the operands, and the launcher. */
typedef struct {
  THCUNNPool pool;
  void (*launch)(const THCUNNPool *pool, cudaStream_t stream);
} THNN_(PoolWork);

static THNN_(PoolWork) THNN_(poolWork)(const THNNPlanes *p, const THNNWindow axis[3],
                                       void (*launch)(const THCUNNPool *pool, cudaStream_t stream))
{
  THNN_(PoolWork)
  w = {.pool = {.planes = p->count, .input = p->input, .output = p->output, .base = TH_INDEX_BASE},
       .launch = launch};
  memcpy(w.pool.axis, axis, sizeof w.pool.axis);
  return w;
}

static void THNN_(launchPool)(const THNN_(Work) * work, ptrdiff_t plane, void *scratch)
{
  const THNN_(PoolWork) *w = work->layer;
  THCUNNPool pool = w->pool;
  pool.x = work->x;
  pool.y = work->y;
  pool.with[0] = work->w[0];
  pool.with[1] = work->w[1];
  pool.from = work->from;
  pool.to = work->to;
  pool.scratch = scratch;
  w->launch(&pool, THCUNN_STREAM);
}

/* --- maxima ---------------------------------------------------------------------------------- */

static void THNN_(maxOf)(const THNNPlanes *p, THNN_(PoolWork) w, THCTensor *input,
                         THCTensor *samples, THCTensor *output, THCIndexTensor *indices)
{
  THNN_(Work)
  work = {.plane = THNN_(launchPool),
          .layer = &w,
          .source = input,
          .result = output,
          .with = {samples},
          .indices = indices};
  THNN_(work)(p, &work);
}

/* Each element asks the windows around it, whatever their indices are: none is out of range. */
static void THNN_(maxBackward)(const THNNPlanes *p, THNN_(PoolWork) w, THCTensor *gradOutput,
                               THCTensor *gradInput, THCIndexTensor *indices)
{
  THNN_(Work)
  work = {.plane = THNN_(launchPool),
          .layer = &w,
          .back = 1,
          .source = gradOutput,
          .result = gradInput,
          .given = indices};
  THNN_(work)(p, &work);
}

void THNN_(maxPoolForward)(const THNNPlanes *p, THNNWindow axis[3], THCTensor *input,
                           THCTensor *output, THCIndexTensor *indices)
{
  THNN_(maxOf)(p, THNN_(poolWork)(p, axis, LAUNCH(maxPool)), input, NULL, output, indices);
}

void THNN_(maxPoolBackward)(const THNNPlanes *p, const THNNWindow axis[3], THCTensor *gradOutput,
                            THCTensor *gradInput, THCIndexTensor *indices)
{
  THNN_(maxBackward)(p, THNN_(poolWork)(p, axis, LAUNCH(maxPoolBackward)), gradOutput, gradInput,
                     indices);
}

void THNN_(maxFractional)(const THNNPlanes *p, const THNNWindow axis[3], THCTensor *input,
                          THCTensor *samples, THCTensor *output, THCIndexTensor *indices)
{
  THNN_(PoolWork) w = THNN_(poolWork)(p, axis, LAUNCH(maxPool));
  w.pool.samples = p->axes;
  THNN_(maxOf)(p, w, input, samples, output, indices);
}

void THNN_(maxFrames)(const THNNPlanes *p, const THNNWindow axis[3], THCTensor *input,
                      THCTensor *output, THCIndexTensor *indices)
{
  THNN_(PoolWork) w = THNN_(poolWork)(p, axis, LAUNCH(maxPool));
  w.pool.ofFrames = 1;
  THNN_(maxOf)(p, w, input, NULL, output, indices);
}

void THNN_(maxFramesBackward)(const THNNPlanes *p, const THNNWindow axis[3], THCTensor *gradOutput,
                              THCTensor *gradInput, THCIndexTensor *indices)
{
  THNN_(PoolWork) w = THNN_(poolWork)(p, axis, LAUNCH(maxPoolBackward));
  w.pool.ofFrames = 1;
  THNN_(maxBackward)(p, w, gradOutput, gradInput, indices);
}

/* The indices are followed, so they are checked. */
void THNN_(unpoolPlanes)(const THNNPlanes *p, int back, THCTensor *source, THCTensor *result,
                         THCIndexTensor *indices)
{
  static const THNNWindow none[3];
  const THNN_(PoolWork) w =
      THNN_(poolWork)(p, none, back ? LAUNCH(unpoolBackward) : LAUNCH(unpool));
  THNN_(Work)
  work = {.plane = THNN_(launchPool),
          .layer = &w,
          .back = !back, /* the larger planes are the input's */
          .source = source,
          .result = result,
          .given = indices,
          .limit = p->input,
          .base = TH_INDEX_BASE,
          .scratch = back ? 0 : (size_t)(p->count * p->input) * sizeof(uint64_t)};
  THNN_(work)(p, &work);
}

/* --- means and sums -------------------------------------------------------------------------- */

void THNN_(averageWindows)(const THNNPlanes *p, const THNNWindow axis[3], THNNDivide divide,
                           int back, THCTensor *source, THCTensor *result)
{
  THNN_(PoolWork) w = THNN_(poolWork)(p, axis, back ? LAUNCH(averageBackward) : LAUNCH(average));
  w.pool.divide = divide;
  THNN_(Work)
  work = {
      .plane = THNN_(launchPool), .layer = &w, .back = back, .source = source, .result = result};
  THNN_(work)(p, &work);
}

void THNN_(sampleWindows)(const THNN_(Sampling) * s, THCTensor *source, THCTensor *result,
                          THCTensor *weight, THCTensor *bias)
{
  const THNNPlanes *p = &s->planes;
  THNN_(PoolWork) w = THNN_(poolWork)(p, s->axis, bias ? LAUNCH(average) : LAUNCH(averageBackward));
  w.pool.divide = THNN_BY_ONE;
  w.pool.channels = s->channels;
  w.pool.ofFeatures = s->ofFeatures;
  THNN_(Work)
  work = {.plane = THNN_(launchPool),
          .layer = &w,
          .back = !bias,
          .source = source,
          .result = result,
          .with = {weight, bias}};
  THNN_(work)(p, &work);
}

void THNN_(accumulateWindows)(const THNN_(Sampling) * s, THCTensor *sums, THCTensor *gradOutput,
                              THCTensor *gradWeight, THCTensor *gradBias, accreal scale)
{
  const THNNPlanes *p = &s->planes;
  const int64_t inner = s->ofFeatures ? 1 : p->output;
  THNN_(Call) call;
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  const int64_t outer = p->count * p->output / inner / s->channels;
  void *memory = THNN_(sumMemory)(&call, s->channels, outer * inner);
  THNN_(start)(&call);
  LAUNCH(channelDots)(outer, s->channels, inner, THTensor_(data)(sums), THTensor_(data)(gradOutput),
                      scale, THTensor_(data)(gradWeight), THTensor_(data)(gradBias), memory,
                      THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
}

/* --- norms of features ----------------------------------------------------------------------- */

static THNN_(PoolWork) THNN_(normWork)(const THNNPlanes *p, const THNNNorm *norm,
                                       void (*launch)(const THCUNNPool *pool, cudaStream_t stream))
{
  const THNNWindow axis[3] = {{1, 1, 1, 1, 0, 1, THNN_SLIDES},
                              {p->in[1], p->out[1], norm->width, norm->stride, 0, 1, THNN_SLIDES},
                              {p->in[2], p->out[2], 1, 1, 0, 1, THNN_SLIDES}};
  THNN_(PoolWork) w = THNN_(poolWork)(p, axis, launch);
  w.pool.power = norm->power;
  return w;
}

void THNN_(normPlanes)(const THNNPlanes *p, const THNNNorm *norm, THCTensor *input,
                       THCTensor *output)
{
  const THNN_(PoolWork) w = THNN_(normWork)(p, norm, LAUNCH(norm));
  THNN_(Work)
  work = {.plane = THNN_(launchPool), .layer = &w, .source = input, .result = output};
  THNN_(work)(p, &work);
}

void THNN_(normPlanesBackward)(const THNNPlanes *p, const THNNNorm *norm, THCTensor *gradOutput,
                               THCTensor *gradInput, THCTensor *input, THCTensor *output)
{
  const THNN_(PoolWork) w = THNN_(normWork)(p, norm, LAUNCH(normBackward));
  THNN_(Work)
  work = {.plane = THNN_(launchPool),
          .layer = &w,
          .back = 1,
          .source = gradOutput,
          .result = gradInput,
          .with = {input, output}};
  THNN_(work)(p, &work);
}
