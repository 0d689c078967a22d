/* Batch normalization: each channel, over the whole batch, gets mean 0 and variance 1. */
#include "THNN/layer/Template.h"
#include "THKernel.h"
#include "BatchNormLayers.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

#include "TH/core/THCpu.h"
#include "TH/loop/THPlan.h"
#include "TH/loop/THStream.h"

TH_DISPATCH(THNN_(BatchNormKernels), THNN_(batchNorm))

enum { LANES = THNN_BATCH_NORM_LANES };

/* A panel of count channels: 1, or several as lanes. */
static THNNPanel THNN_(panel)(const THNN_(BatchNorm) * b, ptrdiff_t count)
{
  const int lanes = b->inner == 1;
  return (THNNPanel){.rows = b->batch,
                     .rowStride = b->channels * b->inner,
                     .n = lanes ? count : b->inner,
                     .lanes = lanes,
                     .streams = b->streams};
}

/* 1 / the standard deviation, or 0 where that is 0 (equal values, without eps). */
static accreal THNN_(inverse)(accreal variance, double eps)
{
  return variance == 0 && eps == 0 ? 0 : 1 / (accreal)sqrt((double)variance + eps);
}

/* Normalizes channels of images first to first + images; in training, of all images. */
static void THNN_(normalize)(const THNN_(BatchNorm) * b, ptrdiff_t first, ptrdiff_t images,
                             ptrdiff_t c, ptrdiff_t count)
{
  const ptrdiff_t at = (first * b->channels + c) * b->inner;
  THNNPanel panel = THNN_(panel)(b, count);
  panel.rows = images;
  const real *x = b->x + at;
  accreal mean[LANES], square[LANES];
  real shift[LANES], factor[LANES], offset[LANES];
  if (b->train)
    TH_DISPATCHED(THNN_(batchNorm))->moments(&panel, x, mean, square);
  for (ptrdiff_t l = 0; l < count; l++) {
    accreal std;
    if (b->train) {
      const accreal n = (accreal)b->batch * (accreal)b->inner, kept = 1 - b->momentum;
      std = THNN_(inverse)(square[l] / n, b->eps);
      b->saveMean[c + l] = (real)mean[l];
      b->saveStd[c + l] = (real)std;
      if (b->runningMean)
        b->runningMean[c + l] =
            (real)(b->momentum * mean[l] + kept * (accreal)b->runningMean[c + l]);
      if (b->runningVar)
        b->runningVar[c + l] =
            (real)(b->momentum * (square[l] / (n - 1)) + kept * (accreal)b->runningVar[c + l]);
    } else {
      mean[l] = (accreal)b->givenMean[c + l];
      std = THNN_(inverse)((accreal)b->givenVar[c + l], b->eps);
    }
    const accreal slope = std * (b->weight ? (accreal)b->weight[c + l] : 1);
    shift[l] = (real)mean[l];
    factor[l] = (real)slope;
    /* The offset corrects the rounding error of the mean. */
    offset[l] =
        (real)((b->bias ? (accreal)b->bias[c + l] : 0) + ((accreal)shift[l] - mean[l]) * slope);
  }
  TH_DISPATCHED(THNN_(batchNorm))->scale(&panel, x, shift, factor, offset, b->y + at);
}

static void THNN_(normalizeBackward)(const THNN_(BatchNorm) * b, ptrdiff_t c, ptrdiff_t count)
{
  const THNNPanel panel = THNN_(panel)(b, count);
  const real *x = b->x + c * b->inner, *g = b->g + c * b->inner;
  const accreal n = (accreal)b->batch * (accreal)b->inner;
  accreal mean[LANES], sum[LANES], dot[LANES];
  real slope[LANES], shift[LANES], factor[LANES], offset[LANES];
  for (ptrdiff_t l = 0; l < count; l++)
    mean[l] = (accreal)b->givenMean[c + l];
  if (b->train || b->gradWeight || b->gradBias)
    TH_DISPATCHED(THNN_(batchNorm))->products(&panel, x, g, mean, sum, dot);
  for (ptrdiff_t l = 0; l < count; l++) {
    const accreal std = b->train ? (accreal)b->givenStd[c + l]
                                 : THNN_(inverse)((accreal)b->givenVar[c + l], b->eps);
    const accreal w = std * (b->weight ? (accreal)b->weight[c + l] : 1);
    slope[l] = (real)w;
    shift[l] = b->givenMean[c + l];
    factor[l] = b->train ? (real)(-w * std * std * dot[l] / n) : 0;
    offset[l] = b->train ? (real)(-w * sum[l] / n) : 0;
    if (b->gradWeight)
      b->gradWeight[c + l] =
          (real)((accreal)b->gradWeight[c + l] + (accreal)b->scale * dot[l] * std);
    if (b->gradBias)
      b->gradBias[c + l] = (real)((accreal)b->gradBias[c + l] + (accreal)b->scale * sum[l]);
  }
  if (!b->y)
    return;
  real *y = b->y + c * b->inner;
  if (b->train) {
    TH_DISPATCHED(THNN_(batchNorm))->gradient(&panel, x, g, slope, shift, factor, offset, y);
  } else {
    for (ptrdiff_t l = 0; l < count; l++)
      shift[l] = 0;
    TH_DISPATCHED(THNN_(batchNorm))->scale(&panel, g, shift, slope, offset, y);
  }
}

static void THNN_(batchNormBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(BatchNorm) *b = context;
  const ptrdiff_t block = b->block;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t c = i * block, count = THMin(block, b->channels - c);
    if (b->g)
      THNN_(normalizeBackward)(b, c, count);
    else
      THNN_(normalize)(b, 0, b->batch, c, count);
  }
  if (b->streams)
    THStream_finish();
}

/* With given statistics, channels of long rows are normalized in the order of memory. */
enum { LONG_ROW = 64 };

static void THNN_(batchNormPlanes)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(BatchNorm) *b = context;
  for (ptrdiff_t i = begin; i < end; i++)
    THNN_(normalize)(b, i / b->channels, 1, i % b->channels, 1);
  if (b->streams)
    THStream_finish();
}

/* Whether a backward pass reads from the L2 cache, as it does if a panel fills at most half of it.
 * Next to reads from the L3 cache, non-temporal stores take longer than ordinary ones. */
static int THNN_(readsNear)(ptrdiff_t panel)
{
  return 2 * panel <= THCpu_l2Cache() / 2;
}

void THNN_(batchNormRun)(THNN_(BatchNorm) * b)
{
  if (b->batch == 0 || b->inner == 0 || b->channels == 0)
    return;
  enum { MIN_BLOCK = 16 }; /* channels */
  const int threads = THGetNumThreads();
  b->block = b->inner == 1 ? LANES : 1;
  while (b->block > MIN_BLOCK && b->channels < b->block * threads)
    b->block /= 2;
  const ptrdiff_t block = b->block, work = b->batch * b->inner * block;
  const ptrdiff_t size = (ptrdiff_t)sizeof(real), row = b->inner * size;
  const ptrdiff_t all = b->batch * b->channels * row;
  const int whole =
      b->inner == 1 ? b->channels * size % TH_STREAM_LINE == 0 : row >= TH_STREAM_BLOCK;
  b->streams = whole && all >= THPlan_streamBytes() &&
               (!b->g || THNN_(readsNear)(work * size) || all >= THPlan_cacheBytes());
  if (!b->train && !b->g && b->inner >= LONG_ROW)
    THParallel_for(b->batch * b->channels, THMax(1, TH_LOOP_GRAIN / b->inner),
                   THNN_(batchNormPlanes), b);
  else
    THParallel_for((b->channels + block - 1) / block, THMax(1, TH_LOOP_GRAIN / work),
                   THNN_(batchNormBlocks), b);
}

#endif

/* --- checks ---------------------------------------------------------------------------------- */

static THNN_(BatchNorm) THNN_(batchNormShape)(THTensor *input)
{
  THNN_ARGCHECK(input->nDimension >= 2, 2, input,
                "input has size %s, and has to be batch x channels, or more dimensions");
  THNN_(BatchNorm) b = {.batch = input->size[0], .channels = input->size[1], .inner = 1};
  for (int d = 2; d < input->nDimension; d++)
    b.inner *= input->size[d];
  return b;
}

/* tensor, which is argument arg, has an element for each channel of input. */
static void THNN_(channelsCheck)(THTensor *tensor, const char *name, int arg, THTensor *input,
                                 int needed)
{
  THArgCheck(tensor || !needed, arg, "%s is NULL, and is needed here", name);
  THArgCheck(!tensor || (tensor->nDimension == 1 && tensor->size[0] == input->size[1]), arg,
             "%s has size %s, input has %s: one element for each channel is expected", name,
             tensor ? THTensor_(sizeDesc)(tensor).str : "", THTensor_(sizeDesc)(input).str);
}
#define CHANNELS(TENSOR, ARG, NEEDED) THNN_(channelsCheck)(TENSOR, #TENSOR, ARG, input, NEEDED)

static real *THNN_(dataOf)(THTensor *tensor)
{
  return tensor ? THTensor_(data)(tensor) : NULL;
}

/* --- the functions --------------------------------------------------------------------------- */

void THNN_(BatchNormalization_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                            THTensor *weight, THTensor *bias,
                                            THTensor *running_mean, THTensor *running_var,
                                            THTensor *save_mean, THTensor *save_std, bool train,
                                            double momentum, double eps)
{
  THNN_ENTER(state, input, output, weight, bias, running_mean, running_var, save_mean, save_std);
  THNN_(BatchNorm) b = THNN_(batchNormShape)(input);
  CHANNELS(weight, 4, 0);
  CHANNELS(bias, 5, 0);
  CHANNELS(running_mean, 6, !train);
  CHANNELS(running_var, 7, !train);
  THArgCheck(!train || save_mean, 8, "save_mean is NULL, and is needed to train");
  THArgCheck(!train || save_std, 9, "save_std is NULL, and is needed to train");
  /* running_var needs an unbiased estimate of the variance, which is 0 / 0 for one value. */
  THArgCheck(!train || !running_var || (b.batch * b.inner != 1), 2,
             "input has size %s, which is one value for each channel: running_var needs more to "
             "train",
             THTensor_(sizeDesc)(input).str);
  b.train = train;
  b.momentum = momentum;
  b.eps = eps;

  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  if (!train) {
    running_mean = THNN_(source)(&call, running_mean);
    running_var = THNN_(source)(&call, running_var);
  }
  THTensor *out = THNN_(result)(&call, output, input->nDimension, input->size);
  if (train) {
    running_mean = THNN_(sum)(&call, running_mean);
    running_var = THNN_(sum)(&call, running_var);
    save_mean = THNN_(result)(&call, save_mean, 1, &b.channels);
    save_std = THNN_(result)(&call, save_std, 1, &b.channels);
  }
  b.sums = THNN_(sumMemory)(&call, b.channels, b.batch * b.inner);
  THNN_(start)(&call);
  b.x = THTensor_(data)(input);
  b.y = THTensor_(data)(out);
  b.weight = THNN_(dataOf)(weight);
  b.bias = THNN_(dataOf)(bias);
  if (train) {
    b.runningMean = THNN_(dataOf)(running_mean);
    b.runningVar = THNN_(dataOf)(running_var);
    b.saveMean = THTensor_(data)(save_mean);
    b.saveStd = THTensor_(data)(save_std);
  } else {
    b.givenMean = THTensor_(data)(running_mean);
    b.givenVar = THTensor_(data)(running_var);
  }
  THNN_(batchNormRun)(&b);
  THNN_(finish)(&call);
}

void THNN_(BatchNormalization_backward)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                        THTensor *gradInput, THTensor *gradWeight,
                                        THTensor *gradBias, THTensor *weight,
                                        THTensor *running_mean, THTensor *running_var,
                                        THTensor *save_mean, THTensor *save_std, bool train,
                                        double scale, double eps)
{
  THNN_ENTER(state, input, gradOutput, gradInput, gradWeight, gradBias, weight, running_mean,
             running_var, save_mean, save_std);
  THNN_(BatchNorm) b = THNN_(batchNormShape)(input);
  THNN_CHECK_SHAPE(input, gradOutput);
  CHANNELS(gradWeight, 5, 0);
  CHANNELS(gradBias, 6, 0);
  CHANNELS(weight, 7, 0);
  THTensor *mean = train ? save_mean : running_mean, *varOrStd = train ? save_std : running_var;
  if (train) {
    CHANNELS(save_mean, 10, 1);
    CHANNELS(save_std, 11, 1);
  } else {
    CHANNELS(running_mean, 8, 1);
    CHANNELS(running_var, 9, 1);
  }
  b.train = train;
  b.scale = scale;
  b.eps = eps;

  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  weight = THNN_(source)(&call, weight);
  mean = THNN_(source)(&call, mean);
  varOrStd = THNN_(source)(&call, varOrStd);
  THTensor *grad =
      gradInput ? THNN_(result)(&call, gradInput, input->nDimension, input->size) : NULL;
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  b.sums = THNN_(sumMemory)(&call, b.channels, b.batch * b.inner);
  THNN_(start)(&call);
  b.x = THTensor_(data)(input);
  b.g = THTensor_(data)(gradOutput);
  b.y = THNN_(dataOf)(grad);
  b.weight = THNN_(dataOf)(weight);
  b.givenMean = THTensor_(data)(mean);
  b.givenVar = b.givenStd = THTensor_(data)(varOrStd);
  b.gradWeight = THNN_(dataOf)(gradWeight);
  b.gradBias = THNN_(dataOf)(gradBias);
  THNN_(batchNormRun)(&b);
  THNN_(finish)(&call);
}
