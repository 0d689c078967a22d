/* Negative log-likelihood of a class, for each input or each position of an image. */
#include "THNN/layer/Template.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

/* The offset of the log-probability of input i's class, at position of an image; -1 if the input is
 * ignored.  Sets the class's weight. */
static inline ptrdiff_t THNN_(nllOffset)(const THNN_(Nll) * w, ptrdiff_t i, ptrdiff_t image,
                                         ptrdiff_t position, real *weight)
{
  const THNNClasses *c = w->classes;
  if (c->target[i] == w->ignore)
    return -1;
  const int64_t class = c->target[i] - TH_INDEX_BASE;
  *weight = w->weights ? w->weights[class] : 1;
  return (image * c->classes + class) * c->inner + position;
}

static void THNN_(nllSum)(void *context, ptrdiff_t begin, ptrdiff_t end, accreal *sums)
{
  const THNN_(Nll) *w = context;
  const ptrdiff_t inner = w->classes->inner;
  ptrdiff_t image = begin / inner, position = begin % inner;
  accreal sum = 0, total = 0;
  for (ptrdiff_t i = begin; i < end; i++) {
    real weight = 0;
    const ptrdiff_t at = THNN_(nllOffset)(w, i, image, position, &weight);
    const real value = at < 0 ? 0 : -w->x[at] * weight;
    if (w->each)
      w->loss[i] = value;
    sum += (accreal)value;
    total += (accreal)weight;
    if (++position == inner) {
      position = 0;
      image++;
    }
  }
  sums[0] += sum;
  sums[1] += total;
}

enum { GRAIN = 4096 }; /* the fewest inputs of a thread */

void THNN_(nllRun)(THNN_(Nll) * w)
{
  accreal sums[2] = {0};
  THNN_(sumInputs)(THNNClasses_count(w->classes), GRAIN, THNN_(nllSum), w, sums);
  if (!w->each) {
    w->loss[0] = (real)(w->average && sums[1] != 0 ? sums[0] / sums[1] : sums[0]);
    *w->total = (real)sums[1];
  }
}

static void THNN_(nllGradients)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Nll) *w = context;
  const ptrdiff_t inner = w->classes->inner;
  ptrdiff_t image = begin / inner, position = begin % inner;
  const int same =
      !w->weights && !w->each; /* one gradient for all inputs, without a division for each */
  const real divisor = w->average ? *w->allWeights : 1;
  const real whole = same ? -(real)1 * w->g[0] / divisor : 0;
  for (ptrdiff_t i = begin; i < end; i++) {
    real weight;
    const ptrdiff_t at = THNN_(nllOffset)(w, i, image, position, &weight);
    if (at >= 0)
      w->dx[at] = same ? whole : -weight * w->g[w->each ? i : 0] / divisor;
    if (++position == inner) {
      position = 0;
      image++;
    }
  }
}

void THNN_(nllRunBackward)(THNN_(Nll) * w)
{
  const int64_t count = THNNClasses_count(w->classes);
  memset(w->dx, 0, (size_t)(count * w->classes->classes) * sizeof *w->dx);
  if (w->each || *w->allWeights > 0)
    THParallel_for(count, GRAIN, THNN_(nllGradients), w);
}

#endif

/* With a loss for each input, output has the shape of target, and total_weight is not computed. */
static void THNN_(nllForward)(const THNNClasses *classes, THTensor *input, THIndexTensor *target,
                              THTensor *output, bool sizeAverage, THTensor *weights,
                              THTensor *total_weight, int64_t ignore_index, bool reduce)
{
  THNN_(Nll)
  w = {classes, ignore_index, .each = !reduce && !classes->single,
       .average = sizeAverage && reduce};
  const int64_t one = 1;
  THNN_(checkTargets)(classes, input, ignore_index);

  THNN_(Call) call;
  THNN_(begin)(&call);
  THNNMemory_reads(call.memory, TH_VIEW(target));
  input = THNN_(source)(&call, input);
  weights = THNN_(source)(&call, weights);
  THTensor *out =
      THNN_(result)(&call, output, w.each ? target->nDimension : 1, w.each ? target->size : &one);
  THTensor *total = w.each ? NULL : THNN_(result)(&call, total_weight, 1, &one);
  w.sums = w.each ? NULL : THNN_(sumMemory)(&call, 1, THNNClasses_count(classes));
  THNN_(start)(&call);

  w.x = THTensor_(data)(input);
  w.weights = weights ? THTensor_(data)(weights) : NULL;
  w.loss = THTensor_(data)(out);
  w.total = total ? THTensor_(data)(total) : NULL;
  THNN_(nllRun)(&w);
  THNN_(finish)(&call);
}

static void THNN_(nllBackward)(const THNNClasses *classes, THTensor *input, THIndexTensor *target,
                               THTensor *gradOutput, THTensor *gradInput, bool sizeAverage,
                               THTensor *weights, THTensor *total_weight, int64_t ignore_index,
                               bool reduce)
{
  THNN_(Nll)
  w = {classes, ignore_index, .each = !reduce && !classes->single,
       .average = sizeAverage && reduce};
  const int64_t count = THNNClasses_count(classes);
  THNN_(checkTargets)(classes, input, ignore_index);
  THNN_(checkLossGradient)(gradOutput, input, w.each ? count : 1);
  THArgCheck(w.each || THTensor_(nElement)(total_weight) == 1, 8,
             "total_weight has size %s, and has to be one element",
             THTensor_(sizeDesc)(total_weight).str);

  THNN_(Call) call;
  THNN_(begin)(&call);
  THNNMemory_reads(call.memory, TH_VIEW(target));
  gradOutput = THNN_(source)(&call, gradOutput);
  weights = THNN_(source)(&call, weights);
  total_weight = w.each ? NULL : THNN_(source)(&call, total_weight);
  THTensor *grad = THNN_(result)(&call, gradInput, input->nDimension, input->size);
  THNN_(start)(&call);

  w.g = THTensor_(data)(gradOutput);
  w.weights = weights ? THTensor_(data)(weights) : NULL;
  w.dx = THTensor_(data)(grad);
  w.allWeights = total_weight ? THTensor_(data)(total_weight) : NULL;
  THNN_(nllRunBackward)(&w);
  THNN_(finish)(&call);
}

void THNN_(ClassNLLCriterion_updateOutput)(THNNState *state, THTensor *input, THIndexTensor *target,
                                           THTensor *output, bool sizeAverage, THTensor *weights,
                                           THTensor *total_weight, int64_t ignore_index,
                                           bool reduce)
{
  THNN_ENTER(state, input, target, output, weights, total_weight);
  THGuard guard;
  const THNNClasses classes = THNN_(classes)(&guard, input, target, weights, 6);
  THNN_(nllForward)(&classes, input, target, output, sizeAverage, weights, total_weight,
                    ignore_index, reduce);
  THGuard_leave(&guard);
}

void THNN_(ClassNLLCriterion_updateGradInput)(THNNState *state, THTensor *input,
                                              THIndexTensor *target, THTensor *gradOutput,
                                              THTensor *gradInput, bool sizeAverage,
                                              THTensor *weights, THTensor *total_weight,
                                              int64_t ignore_index, bool reduce)
{
  THNN_ENTER(state, input, target, gradOutput, gradInput, weights, total_weight);
  THGuard guard;
  const THNNClasses classes = THNN_(classes)(&guard, input, target, weights, 7);
  THNN_(nllBackward)(&classes, input, target, gradOutput, gradInput, sizeAverage, weights,
                     total_weight, ignore_index, reduce);
  THGuard_leave(&guard);
}

void THNN_(SpatialClassNLLCriterion_updateOutput)(THNNState *state, THTensor *input,
                                                  THIndexTensor *target, THTensor *output,
                                                  bool sizeAverage, THTensor *weights,
                                                  THTensor *total_weight, int64_t ignore_index,
                                                  bool reduce)
{
  THNN_ENTER(state, input, target, output, weights, total_weight);
  THGuard guard;
  const THNNClasses classes = THNN_(imageClasses)(&guard, input, target, weights, 6);
  THNN_(nllForward)(&classes, input, target, output, sizeAverage, weights, total_weight,
                    ignore_index, reduce);
  THGuard_leave(&guard);
}

void THNN_(SpatialClassNLLCriterion_updateGradInput)(THNNState *state, THTensor *input,
                                                     THIndexTensor *target, THTensor *gradOutput,
                                                     THTensor *gradInput, bool sizeAverage,
                                                     THTensor *weights, THTensor *total_weight,
                                                     int64_t ignore_index, bool reduce)
{
  THNN_ENTER(state, input, target, gradOutput, gradInput, weights, total_weight);
  THGuard guard;
  const THNNClasses classes = THNN_(imageClasses)(&guard, input, target, weights, 7);
  THNN_(nllBackward)(&classes, input, target, gradOutput, gradInput, sizeAverage, weights,
                     total_weight, ignore_index, reduce);
  THGuard_leave(&guard);
}
