/* The CUDA side of THNN's linear layer of keys and values (IndexLinear). */
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/linear/IndexLinearLayers.h"

#define LAUNCH(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

static THCUNNKeys THNN_(keysOf)(const THNN_(IndexWork) * w)
{
  return (THCUNNKeys){.key = w->key,
                      .first = w->first,
                      .count = w->count,
                      .rows = w->rows,
                      .batch = w->batch,
                      .width = w->width,
                      .outputs = w->outputs,
                      .keysOffset = w->keysOffset,
                      .extra = w->extra,
                      .scale = w->scale,
                      .decay = w->decay,
                      .value = w->value,
                      .bias = w->bias,
                      .g = w->g,
                      .d = w->d,
                      .weight = w->weight,
                      .y = w->y};
}

void THNN_(checkKeys)(const THNN_(IndexWork) * w, const char *name, int arg)
{
  int64_t at, key, base;
  if (w->count == 0)
    return;
  THArgCheck(!__builtin_sub_overflow((int64_t)0, w->keysOffset, &base), arg,
             "keysOffset %lld is out of range", (long long)w->keysOffset);
  const int outside = THCUNN_findOther(w->key, w->count, base, w->rows, base, arg, &at, &key);
  THArgCheck(!outside, arg, THNN_INDEX_RANGE, (ptrdiff_t)at, name, (long long)key,
             (long long)w->keysOffset, (long long)w->rows);
  THArgCheck(w->rows > 0, arg, "weight has no rows for the keys of %s", name);
}

void THNN_(readSizes)(THNN_(IndexWork) * w, THNN_LongCall *longCall)
{
  int64_t *const first = THNN_CudaLongscratch(longCall, (ptrdiff_t)w->batch + 1);
  THCCheck check = {0};
  THCFault fault = {0};
  const int checks = THCCheck_open(&check, THCUNN_using, THCUNN_function, 5, 0, w->count);
  LAUNCH(keysBegin)(w->sizes, w->batch, w->count, first, &check.report, THCUNN_STREAM);
  if (checks)
    THCCheck_close(&check, &fault);
  if (fault.found == THC_FAULT_SUM)
    THArgError(5, THNN_INDEX_SUM, (long long)fault.value, w->count);
  if (fault.found)
    THArgError(5, THNN_INDEX_SIZE, (long long)fault.at, (long long)fault.value,
               (long long)fault.last, w->count);
  w->first = first;
}

void THNN_(indexNormalize)(const THNN_(IndexWork) * w, const real *value, real *normalized,
                           int train)
{
  THCUNNKeys keys = THNN_(keysOf)(w);
  keys.value = value;
  keys.y = normalized;
  if (w->count > 0)
    LAUNCH(keysNormalize)(&keys, train, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

void THNN_(indexOutput)(const THNN_(IndexWork) * w)
{
  const THCUNNKeys keys = THNN_(keysOf)(w);
  if (w->batch * w->outputs > 0)
    LAUNCH(keysOutput)(&keys, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

void THNN_(indexBias)(const THNN_(IndexWork) * w, real *sums, accreal scale)
{
  THCUNNKeys keys = THNN_(keysOf)(w);
  keys.scale = scale;
  keys.y = sums;
  if (w->outputs > 0)
    LAUNCH(keysBias)(&keys, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

void THNN_(indexGradients)(const THNN_(IndexWork) * w)
{
  const THCUNNKeys keys = THNN_(keysOf)(w);
  if (w->count * w->outputs > 0)
    LAUNCH(keysGradients)(&keys, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

void THNN_(indexSteps)(const THNN_(IndexWork) * w, int direct)
{
  const THCUNNKeys keys = THNN_(keysOf)(w);
  if (w->count > 0)
    LAUNCH(keysSteps)(&keys, direct, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

/* The gradients are the only row. */
void THNN_(indexBiasStep)(const THNN_(IndexWork) * w, real *bias, const real *gradBias)
{
  THNN_(IndexWork) one = *w;
  one.batch = 1;
  one.g = gradBias;
  THNN_(indexBias)(&one, bias, -w->scale);
}
