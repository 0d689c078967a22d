/* Pointwise losses, which compare each element with one of a target: the functions of the table's
 * rows, and the checks that some rows need. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/layer/CheckProbability.h"

#ifndef TH_TEMPLATE_DEVICE /* the elements of a device are not read here */

void THNN_(lossSum)(int row, const THNN_(Scalars) * scalars, THTensor **inputs, int count,
                    THTensor *output, double divisor)
{
  const int64_t n = THTensor_(nElement)(inputs[0]);
  THLoop loop;
  THLoop_init(&loop);
  for (int i = 0; i < count; i++)
    THNN_(operand)(&loop, inputs[i], inputs[0], &n);
  const accreal sum = THNN_(total)(TH_DISPATCHED(THNN_(pointwise))[row].sum, *scalars, &loop);
  THTensor_(resize1d)(output, 1);
  *THTensor_(data)(output) = (real)(sum / divisor);
}

THTensor *THNN_(lossFactor)(THTensor *gradOutput, accreal *scale)
{
  *scale *= *THTensor_(data)(gradOutput);
  return NULL;
}

#endif

/* inputs: input, target and, for rows with weights, weights. */
static void THNN_(loss)(int row, THTensor **inputs, int count, THTensor *output, bool sizeAverage,
                        bool reduce, accreal a)
{
  const THNN_(Scalars) scalars = {.a = (THNN_real)a, .scale = 1};
  if (!reduce) {
    THNN_(map)(TH_DISPATCHED(THNN_(pointwise))[row].forward, &scalars, output, inputs[0], NULL,
               inputs, count);
    return;
  }
  const ptrdiff_t n = THTensor_(nElement)(inputs[0]);
  THNN_(lossSum)(row, &scalars, inputs, count, output, sizeAverage && n ? (double)n : 1);
}

/* gradOutput is NULL if it is 1. */
static void THNN_(lossBackward)(int row, THTensor **inputs, int count, THTensor *gradOutput,
                                THTensor *gradInput, bool sizeAverage, bool reduce, accreal a)
{
  THTensor *input = inputs[0], *operands[] = {NULL, input, inputs[1], count > 2 ? inputs[2] : NULL};
  const ptrdiff_t n = THTensor_(nElement)(input);
  accreal scale = reduce && sizeAverage && n ? 1 / (accreal)n : 1;
  if (!reduce) {
    THNN_CHECK_NELEMENT(input, gradOutput);
    operands[0] = gradOutput;
  } else if (gradOutput) {
    if (THTensor_(nElement)(gradOutput) != 1)
      THError("gradOutput has size %s, but a loss that is summed up is one element",
              THTensor_(sizeDesc)(gradOutput).str);
    operands[0] = THNN_(lossFactor)(gradOutput, &scale);
  }
  const THNN_(Scalars) scalars = {.a = (THNN_real)a, .scale = (THNN_real)scale};
  THNN_(map)(TH_DISPATCHED(THNN_(pointwise))[row].gradient, &scalars, gradInput, input, NULL,
             operands, count + 1);
}

/* The loss of a row whose inputs are input and target. */
static void THNN_(pairLoss)(int row, THTensor *input, THTensor *target, THTensor *output,
                            bool sizeAverage, bool reduce, accreal a)
{
  THNN_CHECK_NELEMENT(input, target);
  THTensor *inputs[] = {input, target};
  THNN_(loss)(row, inputs, 2, output, sizeAverage, reduce, a);
}

static void THNN_(pairLossBackward)(int row, THTensor *input, THTensor *target,
                                    THTensor *gradOutput, THTensor *gradInput, bool sizeAverage,
                                    bool reduce, accreal a)
{
  THNN_CHECK_NELEMENT(input, target);
  THTensor *inputs[] = {input, target};
  THNN_(lossBackward)(row, inputs, 2, gradOutput, gradInput, sizeAverage, reduce, a);
}

#define LOSS_OUTPUT(Name)                                                              \
  void THNN_(Name##_updateOutput)(THNNState *state, THTensor *input, THTensor *target, \
                                  THTensor *output, bool sizeAverage, bool reduce)     \
  {                                                                                    \
    THNN_ENTER(state, input, target, output);                                          \
    THNN_(pairLoss)(THNN_##Name, input, target, output, sizeAverage, reduce, 0);       \
  }
#define LOSS_GRADIENT(Name)                                                                       \
  void THNN_(Name##_updateGradInput)(THNNState *state, THTensor *input, THTensor *target,         \
                                     THTensor *gradOutput, THTensor *gradInput, bool sizeAverage, \
                                     bool reduce)                                                 \
  {                                                                                               \
    THNN_ENTER(state, input, target, gradOutput, gradInput);                                      \
    THNN_(pairLossBackward)(THNN_##Name, input, target, gradOutput, gradInput, sizeAverage,       \
                            reduce, 0);                                                           \
  }
#define LOSS(Name) LOSS_OUTPUT(Name) LOSS_GRADIENT(Name)
#define OWN_LOSS(Name)
#define WEIGHTED(Name)
#define CRITERION(KIND, Name, ...) KIND(Name)
#include "ops/activations.h"

/* Raises unless the elements are probabilities. */
static void THNN_(checkUnit)(THTensor *input)
{
  double value;
  if (THNN_(findNonProbability)(input, 2, &value))
    THArgError(2, "input of size %s has the element %g, and has to be probabilities",
               THTensor_(sizeDesc)(input).str, value);
}

void THNN_(BCECriterion_updateOutput)(THNNState *state, THTensor *input, THTensor *target,
                                      THTensor *output, bool sizeAverage, THTensor *weights,
                                      bool reduce)
{
  THNN_ENTER(state, input, target, output, weights);
  THNN_CHECK_NELEMENT(input, target);
  THNN_CHECK_NELEMENT(input, weights);
  THNN_(checkUnit)(input);
  THTensor *inputs[] = {input, target, weights};
  THNN_(loss)(THNN_BCECriterion, inputs, 3, output, sizeAverage, reduce, 0);
}

void THNN_(BCECriterion_updateGradInput)(THNNState *state, THTensor *input, THTensor *target,
                                         THTensor *gradOutput, THTensor *gradInput,
                                         bool sizeAverage, THTensor *weights, bool reduce)
{
  THNN_ENTER(state, input, target, gradOutput, gradInput, weights);
  THNN_CHECK_NELEMENT(input, target);
  THNN_CHECK_NELEMENT(input, weights);
  THTensor *inputs[] = {input, target, weights};
  THNN_(lossBackward)(THNN_BCECriterion, inputs, 3, gradOutput, gradInput, sizeAverage, reduce, 0);
}

void THNN_(MarginCriterion_updateOutput)(THNNState *state, THTensor *input, THTensor *target,
                                         THTensor *output, bool sizeAverage, accreal margin)
{
  THNN_ENTER(state, input, target, output);
  THNN_(pairLoss)(THNN_MarginCriterion, input, target, output, sizeAverage, true, margin);
}

void THNN_(MarginCriterion_updateGradInput)(THNNState *state, THTensor *input, THTensor *target,
                                            THTensor *gradInput, bool sizeAverage, accreal margin)
{
  THNN_ENTER(state, input, target, gradInput);
  THNN_(pairLossBackward)(THNN_MarginCriterion, input, target, NULL, gradInput, sizeAverage, true,
                          margin);
}

void THNN_(L1Cost_updateOutput)(THNNState *state, THTensor *input, THTensor *output)
{
  THNN_ENTER(state, input, output);
  THTensor *inputs[] = {input, NULL};
  THNN_(loss)(THNN_L1Cost, inputs, 2, output, false, true, 0);
}

void THNN_(L1Cost_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                   THTensor *gradInput)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THTensor *inputs[] = {input, NULL};
  if (gradOutput && THTensor_(nElement)(gradOutput) != 1) {
    THNN_CHECK_NELEMENT(input, gradOutput);
    gradOutput = NULL;
  }
  THNN_(lossBackward)(THNN_L1Cost, inputs, 2, gradOutput, gradInput, false, true, 0);
}
