/* Torch7's losses, by those of 2018: always one element, whose gradient is 1. */
#include "THNNTorch7.h"

/* The gradient of a loss by itself: 1. */
static THTensor *THNN_(newOne)(THGuard *guard)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  THTensor *one = guard->what = THTensor_(newWithSize1d)(1);
  THTensor_(fill)(one, THNN_ELEMENT(1));
  return one;
}

#define ARGUMENTS(...) __VA_ARGS__

/* BEFORE and AFTER are the parameters on either side of sizeAverage, with their commas; PASS_BEFORE
 * and PASS_AFTER are the same as arguments. */
/* clang-format off */
#define LOSS_OUTPUT(NAME, Target, BEFORE, PASS_BEFORE, AFTER, PASS_AFTER)                                      \
  void THNN_(NAME##_updateOutput)(THNNState *state, THTensor *input, Target *target, THTensor *output,         \
    BEFORE bool sizeAverage AFTER)                                                                             \
  { THNN_(NAME##_updateOutput_2018)(state, input, target, output, PASS_BEFORE sizeAverage PASS_AFTER, true); }
/* clang-format on */

#define LOSS_GRADIENT(NAME, Target, BEFORE, PASS_BEFORE, AFTER, PASS_AFTER)              \
  void THNN_(NAME##_updateGradInput)(THNNState *state, THTensor *input, Target *target,  \
                                     THTensor *gradInput, BEFORE bool sizeAverage AFTER) \
  {                                                                                      \
    THNN_ENTER(state, input, target, gradInput);                                         \
    THGuard guard;                                                                       \
    THTensor *one = THNN_(newOne)(&guard);                                               \
    THNN_(NAME##_updateGradInput_2018)(state, input, target, one, gradInput,             \
                                       PASS_BEFORE sizeAverage PASS_AFTER, true);        \
    THGuard_leave(&guard);                                                               \
  }

/* An ignore_index that no target has. */
#define NONE_IGNORED INT64_MIN

/* clang-format off */
#define LOSSES(X)                                                                              \
  X(AbsCriterion, THTensor, , , , )                                                            \
  X(DistKLDivCriterion, THTensor, , , , )                                                      \
  X(MSECriterion, THTensor, , , , )                                                            \
  X(SmoothL1Criterion, THTensor, , , , )                                                       \
  X(SoftMarginCriterion, THTensor, , , , )                                                     \
  X(BCECriterion, THTensor, , , ARGUMENTS(, THTensor *weights), ARGUMENTS(, weights))          \
  X(MultiLabelMarginCriterion, THIndexTensor, ARGUMENTS(THTensor *isTarget, ),                 \
       ARGUMENTS(isTarget, ), , )                                                              \
  X(MultiMarginCriterion, THIndexTensor, , ,                                                   \
       ARGUMENTS(, int p, THTensor *weights, accreal margin), ARGUMENTS(, p, weights, margin)) \
  X(ClassNLLCriterion, THIndexTensor, , ,                                                      \
       ARGUMENTS(, THTensor *weights, THTensor *total_weight, int64_t ignore_index),           \
       ARGUMENTS(, weights, total_weight, ignore_index))                                       \
  X(SpatialClassNLLCriterion, THIndexTensor, , ,                                               \
       ARGUMENTS(, THTensor *weights, THTensor *total_weight),                                 \
       ARGUMENTS(, weights, total_weight, NONE_IGNORED))
LOSSES(LOSS_OUTPUT)
LOSSES(LOSS_GRADIENT)
/* clang-format on */
