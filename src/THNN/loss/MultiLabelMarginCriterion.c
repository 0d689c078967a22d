/* The margins by which the scores of all right classes exceed those of all others.  A target lists
 * the right classes; it ends before the first element that is not a class. */
#include "THNN/layer/Template.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

/* How many right classes input i has. */
static int64_t THNN_(labels)(const THNN_(Labels) * w, ptrdiff_t i)
{
  int64_t count = 0;
  while (count < w->classes && w->target[i * w->classes + count] >= TH_INDEX_BASE)
    count++;
  return count;
}

static void THNN_(labelSum)(void *context, ptrdiff_t begin, ptrdiff_t end, accreal *sums)
{
  const THNN_(Labels) *w = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    const real *x = w->x + i * w->classes;
    real *isTarget = w->isTarget + i * w->classes;
    const int64_t *target = w->target + i * w->classes, labels = THNN_(labels)(w, i);
    memset(isTarget, 0, (size_t)w->classes * sizeof *isTarget);
    for (int64_t l = 0; l < labels; l++)
      isTarget[target[l] - TH_INDEX_BASE] = 1;
    accreal sum = 0;
    for (int64_t l = 0; l < labels; l++) {
      const real low = 1 - x[target[l] - TH_INDEX_BASE];
      for (int64_t k = 0; k < w->classes; k++) {
        const real z = low + x[k];
        sum += isTarget[k] == 0 && z > 0 ? (accreal)z : 0;
      }
    }
    sum *= w->factor;
    if (w->each)
      w->loss[i] = (real)sum;
    sums[0] += sum;
  }
}

static void THNN_(labelBackward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Labels) *w = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    const real *x = w->x + i * w->classes, *isTarget = w->isTarget + i * w->classes;
    real *dx = w->dx + i * w->classes;
    const int64_t *target = w->target + i * w->classes, labels = THNN_(labels)(w, i);
    const real factor = (real)(w->factor * (accreal)w->g[w->each ? i : 0]);
    memset(dx, 0, (size_t)w->classes * sizeof *dx);
    for (int64_t l = 0; l < labels; l++) {
      const int64_t right = target[l] - TH_INDEX_BASE;
      const real low = 1 - x[right];
      accreal sum = 0;
      for (int64_t k = 0; k < w->classes; k++) {
        const real h = isTarget[k] == 0 && low + x[k] > 0 ? factor : 0;
        dx[k] += h;
        sum += (accreal)h;
      }
      dx[right] -= (real)sum;
    }
  }
}

/* The fewest inputs of a thread. */
static ptrdiff_t THNN_(labelGrain)(const THNN_(Labels) * w)
{
  return THMax(1, TH_LOOP_GRAIN / 8 / w->classes);
}

void THNN_(labelsRun)(THNN_(Labels) * w)
{
  accreal sums[2] = {0};
  THNN_(sumInputs)(w->batch, THNN_(labelGrain)(w), THNN_(labelSum), w, sums);
  if (!w->each)
    w->loss[0] = (real)sums[0];
}

void THNN_(labelsRunBackward)(THNN_(Labels) * w)
{
  THParallel_for(w->batch, THNN_(labelGrain)(w), THNN_(labelBackward), w);
}

void THNN_(checkLabels)(const THNN_(Labels) * w, THTensor *input)
{
  for (int64_t i = 0; i < w->batch * w->classes; i++)
    THArgCheck(w->target[i] >= TH_INDEX_BASE - 1 && w->target[i] < w->classes + TH_INDEX_BASE, 3,
               THNN_STRANGE_LABEL, (long long)i + TH_INDEX_BASE, (long long)w->target[i],
               (long long)w->classes, THTensor_(sizeDesc)(input).str, TH_INDEX_BASE - 1);
}

#endif

/* guard owns the copy of the targets, if one is needed. */
static THNN_(Labels) THNN_(labelCheck)(THGuard *guard, THTensor *input, THIndexTensor *target,
                                       bool sizeAverage, bool reduce)
{
  THArgCheck(input->nDimension == 1 || input->nDimension == 2, 2,
             "input has size %s, and has to be classes or batch x classes",
             THTensor_(sizeDesc)(input).str);
  THArgCheck(THSize_isSameSizeAs(target->size, target->nDimension, input->size, input->nDimension),
             3, "target has size %s, input has %s", THIndexTensor_(sizeDesc)(target).str,
             THTensor_(sizeDesc)(input).str);
  const int single = input->nDimension == 1;
  THNN_(Labels)
  w = {single ? 1 : input->size[0], input->size[!single], .each = !reduce && !single};
  THGuard_enter(guard, (THUndo)THIndexTensor_(free));
  target = guard->what = THIndexTensor_(newContiguous)(target);
  w.target = THIndexTensor_(data)(target);
  THNN_(checkLabels)(&w, input);
  w.factor = 1 / (accreal)w.classes;
  if (sizeAverage && !w.each)
    w.factor /= (accreal)w.batch;
  return w;
}

void THNN_(MultiLabelMarginCriterion_updateOutput)(THNNState *state, THTensor *input,
                                                   THIndexTensor *target, THTensor *output,
                                                   THTensor *isTarget, bool sizeAverage,
                                                   bool reduce)
{
  THNN_ENTER(state, input, target, output, isTarget);
  THGuard guard;
  THNN_(Labels) w = THNN_(labelCheck)(&guard, input, target, sizeAverage, reduce);
  const int64_t one = 1;

  THNN_(Call) call;
  THNN_(begin)(&call);
  THNNMemory_reads(call.memory, TH_VIEW(target));
  THTensor *x = THNN_(source)(&call, input);
  THTensor *is = THNN_(result)(&call, isTarget, input->nDimension, input->size);
  THTensor *out = THNN_(result)(&call, output, 1, w.each ? &w.batch : &one);
  w.sums = w.each ? NULL : THNN_(sumMemory)(&call, 1, w.batch * w.classes);
  THNN_(start)(&call);

  w.x = THTensor_(data)(x);
  w.isTarget = THTensor_(data)(is);
  w.loss = THTensor_(data)(out);
  THNN_(labelsRun)(&w);
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}

void THNN_(MultiLabelMarginCriterion_updateGradInput)(THNNState *state, THTensor *input,
                                                      THIndexTensor *target, THTensor *gradOutput,
                                                      THTensor *gradInput, THTensor *isTarget,
                                                      bool sizeAverage, bool reduce)
{
  THNN_ENTER(state, input, target, gradOutput, gradInput, isTarget);
  THGuard guard;
  THNN_(Labels) w = THNN_(labelCheck)(&guard, input, target, sizeAverage, reduce);
  THNN_CHECK_NELEMENT(input, isTarget);
  THNN_(checkLossGradient)(gradOutput, input, w.each ? w.batch : 1);

  THNN_(Call) call;
  THNN_(begin)(&call);
  THNNMemory_reads(call.memory, TH_VIEW(target));
  THTensor *x = THNN_(source)(&call, input);
  THTensor *is = THNN_(source)(&call, isTarget);
  gradOutput = THNN_(source)(&call, gradOutput);
  THTensor *grad = THNN_(result)(&call, gradInput, input->nDimension, input->size);
  THNN_(start)(&call);

  w.x = THTensor_(data)(x);
  w.isTarget = THTensor_(data)(is);
  w.g = THTensor_(data)(gradOutput);
  w.dx = THTensor_(data)(grad);
  THNN_(labelsRunBackward)(&w);
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}
