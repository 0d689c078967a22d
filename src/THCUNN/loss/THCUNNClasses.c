/* The CUDA side of THNN's losses of classes: checks of targets, and kernels. */
#include "THCUNN/layer/THCUNNDevice.h"

void THNN_(checkTargets)(const THNNClasses *c, THCTensor *input, int64_t ignore_index)
{
  int64_t at, value;
  if (THCUNN_findOther(c->target, THNNClasses_count(c), TH_INDEX_BASE, c->classes, ignore_index, 3,
                       &at, &value))
    THArgError(3, "target %lld is %lld, out of range of the %lld classes of input %s",
               (long long)at + TH_INDEX_BASE, (long long)value, (long long)c->classes,
               THTensor_(sizeDesc)(input).str);
}

void THNN_(checkLabels)(const THNN_(Labels) * w, THCTensor *input)
{
  int64_t at, value;
  const int64_t end = TH_INDEX_BASE - 1;
  if (THCUNN_findOther(w->target, w->batch * w->classes, TH_INDEX_BASE, w->classes, end, 3, &at,
                       &value))
    THArgError(3, THNN_STRANGE_LABEL, (long long)at + TH_INDEX_BASE, (long long)value,
               (long long)w->classes, THTensor_(sizeDesc)(input).str, (int)end);
}

/* --- the likelihood of the right class ------------------------------------------------------- */

static THCUNNNll THNN_(nll)(const THNN_(Nll) * w)
{
  return (THCUNNNll){.batch = w->classes->batch,
                     .classes = w->classes->classes,
                     .inner = w->classes->inner,
                     .ignore = w->ignore,
                     .base = TH_INDEX_BASE,
                     .each = w->each,
                     .average = w->average,
                     .target = w->classes->target,
                     .weights = w->weights,
                     .x = w->x,
                     .loss = w->loss,
                     .totalOut = w->total,
                     .g = w->g,
                     .totalIn = w->allWeights,
                     .dx = w->dx,
                     .sums = w->sums};
}

void THNN_(nllRun)(THNN_(Nll) * w)
{
  const THCUNNNll nll = THNN_(nll)(w);
  TH_CONCAT_2(THCUNN_nll_, Real)(&nll, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

void THNN_(nllRunBackward)(THNN_(Nll) * w)
{
  const THCUNNNll nll = THNN_(nll)(w);
  const size_t count = (size_t)(THNNClasses_count(w->classes) * w->classes->classes);
  THCudaCheck(cudaMemsetAsync(w->dx, 0, count * sizeof(real), THCUNN_STREAM)); /* 0 of any type */
  TH_CONCAT_2(THCUNN_nllBackward_, Real)(&nll, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

/* --- margins --------------------------------------------------------------------------------- */

static THCUNNMargin THNN_(margin)(const THNN_(Margin) * w)
{
  return (THCUNNMargin){.batch = w->classes->batch,
                        .classes = w->classes->classes,
                        .base = TH_INDEX_BASE,
                        .p = w->p,
                        .each = w->each,
                        .margin = w->margin,
                        .factor = w->factor,
                        .target = w->classes->target,
                        .x = w->x,
                        .weights = w->weights,
                        .loss = w->loss,
                        .g = w->g,
                        .dx = w->dx,
                        .sums = w->sums};
}

void THNN_(marginRun)(THNN_(Margin) * w)
{
  const THCUNNMargin margin = THNN_(margin)(w);
  TH_CONCAT_2(THCUNN_margin_, Real)(&margin, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

void THNN_(marginRunBackward)(THNN_(Margin) * w)
{
  const THCUNNMargin margin = THNN_(margin)(w);
  TH_CONCAT_2(THCUNN_marginBackward_, Real)(&margin, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

static THCUNNMargin THNN_(labels)(const THNN_(Labels) * w)
{
  return (THCUNNMargin){.batch = w->batch,
                        .classes = w->classes,
                        .base = TH_INDEX_BASE,
                        .each = w->each,
                        .factor = w->factor,
                        .target = w->target,
                        .x = w->x,
                        .isTarget = w->isTarget,
                        .loss = w->loss,
                        .g = w->g,
                        .dx = w->dx,
                        .sums = w->sums};
}

void THNN_(labelsRun)(THNN_(Labels) * w)
{
  const THCUNNMargin labels = THNN_(labels)(w);
  TH_CONCAT_2(THCUNN_labels_, Real)(&labels, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

void THNN_(labelsRunBackward)(THNN_(Labels) * w)
{
  const THCUNNMargin labels = THNN_(labels)(w);
  TH_CONCAT_2(THCUNN_labelsBackward_, Real)(&labels, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}
