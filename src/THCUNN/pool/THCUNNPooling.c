/* The CUDA side of THNN's pooling layers: kernels for all planes. */
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/pool/AvgPoolLayers.h"
#include "THNN/pool/MaxPoolLayers.h"

#define LAUNCH(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

/* The arguments of a kernel besides the operands, and its launcher (pool.cu): the layer of a PlaneLoop.  On a
 * device runPlanes calls the function of a PlaneLoop once, for all planes. */
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

static void THNN_(launchPool)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *scratch)
{
  const THNN_(PoolWork) *w = loop->layer;
  THCUNNPool pool = w->pool;
  pool.x = loop->x;
  pool.y = loop->y;
  pool.with[0] = loop->w[0];
  pool.with[1] = loop->w[1];
  pool.from = loop->indexIn;
  pool.to = loop->indexOut;
  pool.scratch = scratch;
  w->launch(&pool, THCUNN_STREAM);
}

/* --- maxima ---------------------------------------------------------------------------------- */

static void THNN_(maxOf)(const THNNPlanes *p, THNN_(PoolWork) w, THCTensor *input,
                         THCTensor *samples, THCTensor *output, THCIndexTensor *indices)
{
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(launchPool),
          .layer = &w,
          .source = input,
          .result = output,
          .with = {samples},
          .indicesOut = indices};
  THNN_(runPlanes)(p, &loop);
}

/* Each element sums over the windows that cover it and took it, so that no index can be out of range. */
static void THNN_(maxBackward)(const THNNPlanes *p, THNN_(PoolWork) w, THCTensor *gradOutput,
                               THCTensor *gradInput, THCIndexTensor *indices)
{
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(launchPool),
          .layer = &w,
          .backward = 1,
          .source = gradOutput,
          .result = gradInput,
          .indicesIn = indices};
  THNN_(runPlanes)(p, &loop);
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
void THNN_(unpoolPlanes)(const THNNPlanes *p, int backward, THCTensor *source, THCTensor *result,
                         THCIndexTensor *indices)
{
  static const THNNWindow none[3];
  const THNN_(PoolWork) w =
      THNN_(poolWork)(p, none, backward ? LAUNCH(unpoolBackward) : LAUNCH(unpool));
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(launchPool),
          .layer = &w,
          .backward = !backward, /* the larger planes are the input's */
          .source = source,
          .result = result,
          .indicesIn = indices,
          .limit = p->input,
          .base = TH_INDEX_BASE,
          .scratch = backward ? 0 : (size_t)(p->count * p->input) * sizeof(uint64_t)};
  THNN_(runPlanes)(p, &loop);
}

/* --- means and sums -------------------------------------------------------------------------- */

void THNN_(averageWindows)(const THNNPlanes *p, const THNNWindow axis[3], THNNDivide divide,
                           int backward, THCTensor *source, THCTensor *result)
{
  THNN_(PoolWork)
  w = THNN_(poolWork)(p, axis, backward ? LAUNCH(averageBackward) : LAUNCH(average));
  w.pool.divide = divide;
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(launchPool),
          .layer = &w,
          .backward = backward,
          .source = source,
          .result = result};
  THNN_(runPlanes)(p, &loop);
}

void THNN_(sampleWindows)(const THNN_(Sampling) * s, THCTensor *source, THCTensor *result,
                          THCTensor *weight, THCTensor *bias)
{
  const THNNPlanes *p = &s->planes;
  THNN_(PoolWork) w = THNN_(poolWork)(p, s->axis, bias ? LAUNCH(average) : LAUNCH(averageBackward));
  w.pool.divide = THNN_BY_ONE;
  w.pool.channels = s->channels;
  w.pool.ofFeatures = s->ofFeatures;
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(launchPool),
          .layer = &w,
          .backward = !bias,
          .source = source,
          .result = result,
          .with = {weight, bias}};
  THNN_(runPlanes)(p, &loop);
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
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(launchPool), .layer = &w, .source = input, .result = output};
  THNN_(runPlanes)(p, &loop);
}

void THNN_(normPlanesBackward)(const THNNPlanes *p, const THNNNorm *norm, THCTensor *gradOutput,
                               THCTensor *gradInput, THCTensor *input, THCTensor *output)
{
  const THNN_(PoolWork) w = THNN_(normWork)(p, norm, LAUNCH(normBackward));
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(launchPool),
          .layer = &w,
          .backward = 1,
          .source = gradOutput,
          .result = gradInput,
          .with = {input, output}};
  THNN_(runPlanes)(p, &loop);
}
