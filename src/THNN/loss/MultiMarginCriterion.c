/* The margins by which the score of the right class exceeds those of the others. */
#include "THNN/layer/Template.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

/* The sum over classes begin ... end; p and whether there are weights are constants. */
static inline __attribute__((always_inline)) accreal THNN_(marginTerms)(const real *x, real shift,
                                                                        int64_t begin, int64_t end,
                                                                        int p)
{
  accreal sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t k = begin; k < end; k++) {
    const real z = shift + x[k], h = z > 0 ? z : 0;
    sum += (accreal)(p == 1 ? h : h * h);
  }
  return sum;
}

/* The gradient by classes begin ... end, and its sum. */
static inline __attribute__((always_inline)) accreal THNN_(marginSlopes)(const real *x, real *dx,
                                                                         real shift, int64_t begin,
                                                                         int64_t end, int p,
                                                                         real factor)
{
  accreal sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t k = begin; k < end; k++) {
    const real z = shift + x[k], h = !(z > 0) ? 0 : p == 1 ? factor : 2 * z * factor;
    dx[k] = h;
    sum += (accreal)h;
  }
  return sum;
}

static void THNN_(marginSum)(void *context, ptrdiff_t begin, ptrdiff_t end, accreal *sums)
{
  const THNN_(Margin) *w = context;
  const int64_t classes = w->classes->classes;
  for (ptrdiff_t i = begin; i < end; i++) {
    const real *x = w->x + i * classes;
    const int64_t right = w->classes->target[i] - TH_INDEX_BASE;
    const real shift = w->margin - x[right];
    accreal sum = w->p == 1 ? THNN_(marginTerms)(x, shift, 0, right, 1) +
                                  THNN_(marginTerms)(x, shift, right + 1, classes, 1)
                            : THNN_(marginTerms)(x, shift, 0, right, 2) +
                                  THNN_(marginTerms)(x, shift, right + 1, classes, 2);
    sum *= w->factor * (accreal)(w->weights ? w->weights[right] : 1);
    if (w->each)
      w->loss[i] = (real)sum;
    sums[0] += sum;
  }
}

static void THNN_(marginBackward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Margin) *w = context;
  const int64_t classes = w->classes->classes;
  for (ptrdiff_t i = begin; i < end; i++) {
    const real *x = w->x + i * classes;
    real *dx = w->dx + i * classes;
    const int64_t right = w->classes->target[i] - TH_INDEX_BASE;
    const real factor = (real)(w->factor * (accreal)w->g[w->each ? i : 0] *
                               (accreal)(w->weights ? w->weights[right] : 1));
    const real shift = w->margin - x[right];
    const accreal sum = w->p == 1
                            ? THNN_(marginSlopes)(x, dx, shift, 0, right, 1, factor) +
                                  THNN_(marginSlopes)(x, dx, shift, right + 1, classes, 1, factor)
                            : THNN_(marginSlopes)(x, dx, shift, 0, right, 2, factor) +
                                  THNN_(marginSlopes)(x, dx, shift, right + 1, classes, 2, factor);
    dx[right] = (real)-sum;
  }
}

/* The fewest inputs of a thread. */
static ptrdiff_t THNN_(marginGrain)(const THNNClasses *classes)
{
  return THMax(1, TH_LOOP_GRAIN / 4 / classes->classes);
}

void THNN_(marginRun)(THNN_(Margin) * w)
{
  accreal sums[2] = {0};
  THNN_(sumInputs)(w->classes->batch, THNN_(marginGrain)(w->classes), THNN_(marginSum), w, sums);
  if (!w->each)
    w->loss[0] = (real)sums[0];
}

void THNN_(marginRunBackward)(THNN_(Margin) * w)
{
  THParallel_for(w->classes->batch, THNN_(marginGrain)(w->classes), THNN_(marginBackward), w);
}

#endif

static THNN_(Margin) THNN_(marginCheck)(const THNNClasses *classes, THTensor *input,
                                        bool sizeAverage, int p, accreal margin, bool reduce)
{
  THArgCheck(p == 1 || p == 2, 6, "p is %d, and has to be 1 or 2", p);
  THNN_(checkTargets)(classes, input, TH_INDEX_BASE); /* no index is ignored */
  THNN_(Margin)
  w = {classes, p, .each = !reduce && !classes->single, .margin = (THNN_real)margin};
  w.factor = 1 / (accreal)classes->classes;
  if (sizeAverage && !w.each)
    w.factor /= (accreal)classes->batch;
  return w;
}

void THNN_(MultiMarginCriterion_updateOutput)(THNNState *state, THTensor *input,
                                              THIndexTensor *target, THTensor *output,
                                              bool sizeAverage, int p, THTensor *weights,
                                              accreal margin, bool reduce)
{
  THNN_ENTER(state, input, target, output, weights);
  THGuard guard;
  const THNNClasses classes = THNN_(classes)(&guard, input, target, weights, 7);
  THNN_(Margin)
  w = THNN_(marginCheck)(&classes, input, sizeAverage, p, margin, reduce);
  const int64_t one = 1;

  THNN_(Call) call;
  THNN_(begin)(&call);
  THNNMemory_reads(call.memory, TH_VIEW(target));
  input = THNN_(source)(&call, input);
  weights = THNN_(source)(&call, weights);
  THTensor *out = THNN_(result)(&call, output, 1, w.each ? &classes.batch : &one);
  w.sums = w.each ? NULL : THNN_(sumMemory)(&call, 1, classes.batch * classes.classes);
  THNN_(start)(&call);

  w.x = THTensor_(data)(input);
  w.weights = weights ? THTensor_(data)(weights) : NULL;
  w.loss = THTensor_(data)(out);
  THNN_(marginRun)(&w);
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}

void THNN_(MultiMarginCriterion_updateGradInput)(THNNState *state, THTensor *input,
                                                 THIndexTensor *target, THTensor *gradOutput,
                                                 THTensor *gradInput, bool sizeAverage, int p,
                                                 THTensor *weights, accreal margin, bool reduce)
{
  THNN_ENTER(state, input, target, gradOutput, gradInput, weights);
  THGuard guard;
  const THNNClasses classes = THNN_(classes)(&guard, input, target, weights, 8);
  THNN_(Margin)
  w = THNN_(marginCheck)(&classes, input, sizeAverage, p, margin, reduce);
  THNN_(checkLossGradient)(gradOutput, input, w.each ? classes.batch : 1);

  THNN_(Call) call;
  THNN_(begin)(&call);
  THNNMemory_reads(call.memory, TH_VIEW(target));
  THTensor *x = THNN_(source)(&call, input);
  weights = THNN_(source)(&call, weights);
  gradOutput = THNN_(source)(&call, gradOutput);
  THTensor *grad = THNN_(result)(&call, gradInput, input->nDimension, input->size);
  THNN_(start)(&call);

  w.x = THTensor_(data)(x);
  w.weights = weights ? THTensor_(data)(weights) : NULL;
  w.g = THTensor_(data)(gradOutput);
  w.dx = THTensor_(data)(grad);
  THNN_(marginRunBackward)(&w);
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}
