/* A linear layer whose inputs are lists of keys and values; the lists of a batch follow one
 * another.  A key selects row key + keysOffset of weight, counted from 0.
 *
 * A row holds a weight for each output.  If values are normalized, some values of the key come first
 * (IndexLinear.h). */
#include "IndexLinear.h"
#include "THKernel.h"
#ifndef TH_TEMPLATE_DEVICE
#include "THNN/embedding/EmbeddingSum.h"
#endif
#include "THNN/layer/Template.h"
#include "IndexLinearLayers.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

enum { MOST = THNN_INDEX_MOST, INVERSE, RATE, SHIFT };

TH_DISPATCH(THNN_(EmbeddingSumKernel), THNN_(embeddingSum))

/* --- what is read ---------------------------------------------------------------------------- */

void THNN_(checkKeys)(const THNN_(IndexWork) * w, const char *name, int arg)
{
  for (ptrdiff_t i = 0; i < w->count; i++) {
    int64_t row;
    THArgCheck(!__builtin_add_overflow(w->key[i], w->keysOffset, &row) && row >= 0 && row < w->rows,
               arg, THNN_INDEX_RANGE, i, name, (long long)w->key[i], (long long)w->keysOffset,
               (long long)w->rows);
  }
}

void THNN_(readSizes)(THNN_(IndexWork) * w, THNN_LongCall *longCall)
{
  int64_t *first = THNN_Longscratch(longCall, w->batch);
  THNNIndex_begins(w->sizes, w->batch, w->count, first);
  w->first = first;
}

static real *THNN_(indexRow)(const THNN_(IndexWork) * w, ptrdiff_t entry)
{
  return w->weight + (w->key[entry] + w->keysOffset) * w->width;
}

/* --- the output ------------------------------------------------------------------------------ */

/* Divides values by the largest absolute value of their key, clamps them to -1 ... 1, and adds the
 * shift.  In training the largest value is updated first, entry by entry. */
void THNN_(indexNormalize)(const THNN_(IndexWork) * w, const real *value, real *normalized,
                           int train)
{
  for (ptrdiff_t i = 0; i < w->count; i++) {
    real *row = THNN_(indexRow)(w, i);
    const real x = value[i], size = x < 0 ? -x : x;
    if (train) {
      if (size > row[MOST]) {
        row[MOST] = size;
        row[INVERSE] = 1 / size;
      }
      row[RATE] = 1;
    }
    normalized[i] = (size > row[MOST] ? (real)((x > 0) - (x < 0)) : x * row[INVERSE]) + row[SHIFT];
  }
}

static void THNN_(indexForward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(IndexWork) *w = context;
  for (ptrdiff_t j = begin; j < end; j++) {
    real *y = w->y + j * w->outputs;
    const ptrdiff_t stop = w->first[j] + w->sizes[j];
    if (w->outputs == 1) {
      accreal sum = (accreal)w->bias[0];
      for (ptrdiff_t i = w->first[j]; i < stop; i++)
        sum += (accreal)w->value[i] * (accreal)THNN_(indexRow)(w, i)[w->extra];
      y[0] = (real)sum;
      continue;
    }
    memcpy(y, w->bias, (size_t)w->outputs * sizeof *y);
    TH_DISPATCHED(THNN_(embeddingSum))
    [0](y, w->outputs, w->weight + w->extra, w->width, w->key + w->first[j], w->keysOffset,
        w->value + w->first[j], w->sizes[j]);
  }
}

void THNN_(indexOutput)(const THNN_(IndexWork) * w)
{
  const ptrdiff_t each = (ptrdiff_t)(w->outputs * (1 + w->count / (w->batch + 1)) + 1);
  THParallel_for(w->batch, THMax(1, TH_LOOP_GRAIN / each), THNN_(indexForward), (void *)w);
}

/* --- gradients and steps --------------------------------------------------------------------- */

/* sums[o] += scale * the sum of g's column o */
void THNN_(indexBias)(const THNN_(IndexWork) * w, real *sums, accreal scale)
{
  for (int64_t o = 0; o < w->outputs; o++) {
    accreal sum = 0;
    for (int64_t j = 0; j < w->batch; j++)
      sum += (accreal)w->g[j * w->outputs + o];
    sums[o] = (real)((accreal)sums[o] + scale * sum);
  }
}

/* For each entry, the gradient of its row's weights.  If values are normalized, the gradient of the
 * shift, to be multiplied by the weights, comes before. */
static void THNN_(indexBackward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(IndexWork) *w = context;
  const int64_t n = w->outputs, width = w->extra ? 2 * n : n;
  for (ptrdiff_t j = begin; j < end; j++)
    for (ptrdiff_t i = w->first[j]; i < w->first[j] + w->sizes[j]; i++) {
      const real *g = w->g + j * n, factor = w->scale * w->value[i];
      real *d = w->y + i * width;
      if (w->extra)
        for (int64_t o = 0; o < n; o++)
          *d++ = w->scale * g[o];
      for (int64_t o = 0; o < n; o++)
        d[o] = factor * g[o];
    }
}

void THNN_(indexGradients)(const THNN_(IndexWork) * w)
{
  const int64_t size = (w->extra ? 2 : 1) * w->outputs;
  const ptrdiff_t each = (ptrdiff_t)(size * (1 + w->count / (w->batch + 1)) + 1);
  THParallel_for(w->batch, THMax(1, TH_LOOP_GRAIN / each), THNN_(indexBackward), (void *)w);
}

/* Takes the step of one entry.  g is the gradient of the shift, which still has to be multiplied by the weights;
 * d is the gradient of the weights. */
static void THNN_(indexStep)(const THNN_(IndexWork) * w, real *row, const real *g, real gFactor,
                             const real *d, real dFactor)
{
  const real rate = w->extra ? row[RATE] : 1, decay = w->decay * rate;
  real *weight = row + w->extra;
  if (w->extra) {
    accreal sum = 0;
    for (int64_t o = 0; o < w->outputs; o++)
      sum += (accreal)g[o] * (accreal)weight[o];
    row[SHIFT] -= (real)((accreal)(gFactor * rate) * sum);
  }
  const real factor = dFactor * rate;
  if (decay == 0) {
    THVector_(cadd)(weight, weight, d, -factor, w->outputs);
    return;
  }
  for (int64_t o = 0; o < w->outputs; o++)
    weight[o] -= factor * d[o] + decay * weight[o];
}

/* Each row belongs to one thread, which takes the row's steps in the order of the entries. */
static int THNN_(indexMine)(const THNN_(IndexWork) * w, ptrdiff_t i, ptrdiff_t begin, ptrdiff_t end)
{
  const int64_t row = w->key[i] + w->keysOffset;
  return row >= begin && row < end;
}

static void THNN_(indexRowSteps)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(IndexWork) *w = context;
  const int64_t n = w->outputs, width = w->extra ? 2 * n : n;
  for (ptrdiff_t i = 0; i < w->count; i++)
    if (THNN_(indexMine)(w, i, begin, end)) {
      const real *d = w->d + i * width;
      THNN_(indexStep)(w, THNN_(indexRow)(w, i), d, w->scale, d + width - n, w->scale);
    }
}

static void THNN_(indexDirectSteps)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(IndexWork) *w = context;
  for (int64_t j = 0; j < w->batch; j++)
    for (ptrdiff_t i = w->first[j]; i < w->first[j] + w->sizes[j]; i++)
      if (THNN_(indexMine)(w, i, begin, end)) {
        const real *g = w->g + j * w->outputs;
        THNN_(indexStep)(w, THNN_(indexRow)(w, i), g, w->scale, g, w->scale * w->value[i]);
      }
}

void THNN_(indexSteps)(const THNN_(IndexWork) * w, int direct)
{
  const double perRow = (double)w->count * (double)w->outputs / ((double)w->rows + 1) + 1;
  THParallel_for(w->rows, (ptrdiff_t)(1 + TH_LOOP_GRAIN / perRow),
                 direct ? THNN_(indexDirectSteps) : THNN_(indexRowSteps), (void *)w);
}

void THNN_(indexBiasStep)(const THNN_(IndexWork) * w, real *bias, const real *gradBias)
{
  THVector_(cadd)(bias, bias, gradBias, -w->scale, w->outputs);
}

#endif

/* --- checks ---------------------------------------------------------------------------------- */

static THNN_(IndexWork)
    THNN_(indexWeight)(THTensor *weight, int arg, THTensor *bias, int biasArg, int64_t keysOffset)
{
  THArgCheck(bias->nDimension == 1, biasArg, "bias has size %s, and has to be outputs",
             THTensor_(sizeDesc)(bias).str);
  THArgCheck(weight->nDimension == 2 && (weight->size[1] == bias->size[0] ||
                                         weight->size[1] == bias->size[0] + THNN_INDEX_EXTRA),
             arg, "weight has size %s, bias has %s: keys x outputs is expected, or %d columns more",
             THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(bias).str, THNN_INDEX_EXTRA);
  return (THNN_(IndexWork)){.rows = weight->size[0],
                            .width = weight->size[1],
                            .outputs = bias->size[0],
                            .extra = (int)(weight->size[1] - bias->size[0]),
                            .keysOffset = keysOffset};
}

/* Sets contiguous keys.  Raises unless each selects a row of weight. */
static void THNN_(indexKeys)(THNN_(IndexWork) * w, THNN_LongCall *longCall, THIndexTensor *keys,
                             const char *name, int arg)
{
  THArgCheck(keys->nDimension <= 1, arg, "%s has size %s, and has to be a vector", name,
             THIndexTensor_(sizeDesc)(keys).str);
  THIndexTensor *given = THNN_Longsource(longCall, keys);
  THNN_Longready(longCall); /* there are no results of Long */
  w->key = THIndexTensor_(data)(given);
  w->count = THIndexTensor_(nElement)(given);
  THNN_(checkKeys)(w, name, arg);
}

/* Sets the lists of a batch. */
static void THNN_(indexLists)(THNN_(IndexWork) * w, THNN_LongCall *longCall, THIndexTensor *keys,
                              THTensor *values, THIndexTensor *sizes)
{
  THNN_(indexKeys)(w, longCall, keys, "keys", 2);
  THArgCheck(THTensor_(nElement)(values) == w->count, 4, "values has size %s, keys has %s",
             THTensor_(sizeDesc)(values).str, THIndexTensor_(sizeDesc)(keys).str);
  THArgCheck(sizes->nDimension == 1, 5, "sizes has size %s, and has to be a vector",
             THIndexTensor_(sizeDesc)(sizes).str);
  THIndexTensor *given = THNN_Longsource(longCall, sizes);
  THNN_Longready(longCall);
  w->sizes = THIndexTensor_(data)(given);
  w->batch = sizes->size[0];
  THNN_(readSizes)(w, longCall);
}

static void THNN_(indexGradient)(const THNN_(IndexWork) * w, THTensor *gradOutput, int arg,
                                 THIndexTensor *sizes, THTensor *bias)
{
  int64_t elements;
  THArgCheck(!__builtin_mul_overflow(w->batch, w->outputs, &elements) &&
                 THTensor_(nElement)(gradOutput) == elements,
             arg,
             "gradOutput has size %s, and has to be batch x outputs, sizes having size %s and "
             "bias %s",
             THTensor_(sizeDesc)(gradOutput).str, THIndexTensor_(sizeDesc)(sizes).str,
             THTensor_(sizeDesc)(bias).str);
}

/* --- output ---------------------------------------------------------------------------------- */

void THNN_(IndexLinear_updateOutput)(THNNState *state, THIndexTensor *keys, int64_t keysOffset,
                                     THTensor *values, THIndexTensor *sizes,
                                     THIndexTensor *cumSumSizes, THTensor *output, THTensor *weight,
                                     THTensor *bias, THTensor *normalizedValues, int train)
{
  THNN_ENTER(state, keys, values, sizes, cumSumSizes, output, weight, bias, normalizedValues);
  THNN_(IndexWork) w = THNN_(indexWeight)(weight, 8, bias, 9, keysOffset);
  const int changes = w.extra && train;
  THArgCheck(!w.extra || normalizedValues, 10,
             "normalizedValues is NULL, and is needed, weight having size %s",
             THTensor_(sizeDesc)(weight).str);
  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  THNN_(indexLists)(&w, &longCall, keys, values, sizes);
  const int64_t size[] = {w.batch, w.outputs}, count = w.count;

  THNN_(Call) call;
  THNN_(beginPart)(&call, longCall.memory);
  values = THNN_(source)(&call, values);
  bias = THNN_(source)(&call, bias);
  if (!changes)
    weight = THNN_(source)(&call, weight);
  THTensor *out = THNN_(result)(&call, output, 2, size);
  THTensor *normal = w.extra ? THNN_(result)(&call, normalizedValues, 1, &count) : NULL;
  if (changes)
    weight = THNN_(sum)(&call, weight);
  THNN_(start)(&call);
  w.value = THTensor_(data)(values);
  w.bias = THTensor_(data)(bias);
  w.weight = THTensor_(data)(weight);
  w.y = THTensor_(data)(out);
  if (normal) {
    real *normalized = THTensor_(data)(normal);
    THNN_(indexNormalize)(&w, w.value, normalized, train);
    w.value = normalized;
  }
  THNN_(indexOutput)(&w);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

/* --- gradients ------------------------------------------------------------------------------- */

void THNN_(IndexLinear_accGradParameters)(THNNState *state, THIndexTensor *keys, int64_t keysOffset,
                                          THTensor *values, THIndexTensor *sizes,
                                          THIndexTensor *cumSumSizes, THTensor *gradOutput,
                                          THTensor *gradWeight, THTensor *gradBias,
                                          THTensor *weight, THTensor *bias, THTensor *valuesBuffer,
                                          accreal weightDecay, accreal scale)
{
  THNN_ENTER(state, keys, values, sizes, cumSumSizes, gradOutput, gradWeight, gradBias, weight,
             bias, valuesBuffer);
  THNN_(IndexWork) w = THNN_(indexWeight)(weight, 10, bias, 11, keysOffset);
  THArgCheck(THTensor_(isSameSizeAs)(gradBias, bias), 9, "gradBias has size %s, bias has %s",
             THTensor_(sizeDesc)(gradBias).str, THTensor_(sizeDesc)(bias).str);
  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  THNN_(indexLists)(&w, &longCall, keys, values, sizes);
  THNN_(indexGradient)(&w, gradOutput, 7, sizes, bias);
  int64_t size[] = {w.count, (w.extra ? 2 : 1) * w.outputs}, elements;
  THArgCheck(!__builtin_mul_overflow(size[0], size[1], &elements), 8,
             "gradWeight would have size [%lld x %lld], too many elements", (long long)size[0],
             (long long)size[1]);
  w.scale = (THNN_real)scale;

  THNN_(Call) call;
  THNN_(beginPart)(&call, longCall.memory);
  values = THNN_(source)(&call, values);
  gradOutput = THNN_(source)(&call, gradOutput);
  THTensor *grad = THNN_(result)(&call, gradWeight, 2, size);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(start)(&call);
  w.value = THTensor_(data)(values);
  w.g = THTensor_(data)(gradOutput);
  w.y = THTensor_(data)(grad);
  THNN_(indexBias)(&w, THTensor_(data)(gradBias), scale);
  THNN_(indexGradients)(&w);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

/* --- steps ----------------------------------------------------------------------------------- */

void THNN_(IndexLinear_accUpdateGradParameters)(THNNState *state, THIndexTensor *keys,
                                                int64_t keysOffset, THTensor *values,
                                                THIndexTensor *sizes, THIndexTensor *cumSumSizes,
                                                THTensor *gradOutput, THTensor *weight,
                                                THTensor *bias, accreal weightDecay, accreal scale)
{
  THNN_ENTER(state, keys, values, sizes, cumSumSizes, gradOutput, weight, bias);
  THNN_(IndexWork) w = THNN_(indexWeight)(weight, 8, bias, 9, keysOffset);
  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  THNN_(indexLists)(&w, &longCall, keys, values, sizes);
  THNN_(indexGradient)(&w, gradOutput, 7, sizes, bias);
  w.scale = (THNN_real)scale;
  w.decay = (THNN_real)weightDecay;

  THNN_(Call) call;
  THNN_(beginPart)(&call, longCall.memory);
  values = THNN_(source)(&call, values);
  gradOutput = THNN_(source)(&call, gradOutput);
  weight = THNN_(sum)(&call, weight);
  bias = THNN_(sum)(&call, bias);
  THNN_(start)(&call);
  w.value = THTensor_(data)(values);
  w.g = THTensor_(data)(gradOutput);
  w.weight = THTensor_(data)(weight);
  THNN_(indexBias)(&w, THTensor_(data)(bias), -scale);
  THNN_(indexSteps)(&w, 1);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

void THNN_(IndexLinear_updateParameters)(THNNState *state, THTensor *gradWeight, THTensor *gradBias,
                                         THTensor *weight, THTensor *bias,
                                         THIndexTensor *runningKeys, THIndexTensor *cumSumSizes,
                                         int64_t keysOffset, accreal weightDecay,
                                         accreal learningRate)
{
  THNN_ENTER(state, gradWeight, gradBias, weight, bias, runningKeys, cumSumSizes);
  THNN_(IndexWork) w = THNN_(indexWeight)(weight, 4, bias, 5, keysOffset);
  THArgCheck(THTensor_(isSameSizeAs)(gradBias, bias), 3, "gradBias has size %s, bias has %s",
             THTensor_(sizeDesc)(gradBias).str, THTensor_(sizeDesc)(bias).str);
  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  THNN_(indexKeys)(&w, &longCall, runningKeys, "runningKeys", 6);
  int64_t elements;
  THArgCheck(!__builtin_mul_overflow((int64_t)w.count, (w.extra ? 2 : 1) * w.outputs, &elements) &&
                 THTensor_(nElement)(gradWeight) == elements,
             2, "gradWeight has size %s: %lld elements for each of %td keys are expected",
             THTensor_(sizeDesc)(gradWeight).str, (long long)((w.extra ? 2 : 1) * w.outputs),
             w.count);
  w.scale = (THNN_real)learningRate;
  w.decay = (THNN_real)weightDecay;

  THNN_(Call) call;
  THNN_(beginPart)(&call, longCall.memory);
  gradWeight = THNN_(source)(&call, gradWeight);
  gradBias = THNN_(source)(&call, gradBias);
  weight = THNN_(sum)(&call, weight);
  bias = THNN_(sum)(&call, bias);
  THNN_(start)(&call);
  w.d = THTensor_(data)(gradWeight);
  w.weight = THTensor_(data)(weight);
  THNN_(indexBiasStep)(&w, THTensor_(data)(bias), THTensor_(data)(gradBias));
  THNN_(indexSteps)(&w, 0);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}
