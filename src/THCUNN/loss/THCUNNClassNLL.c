/* The negative log-likelihood of the target classes.  The functions wait for the check of targets
 * before anything is written. */
#include "THCUNN/layer/THCUNNDevice.h"

#include "THCUNN/layer/thcunn_kernels.h"

static THCUNNNll THNN_(nll)(const THNNClasses *c, THCTensor *input, int64_t ignore, bool average,
                            bool reduce)
{
  THCUNN_checkClasses(c->target, THNNClasses_count(c), c->classes, ignore,
                      THTensor_(sizeDesc)(input).str);
  return (THCUNNNll){.batch = c->batch,
                     .classes = c->classes,
                     .inner = c->inner,
                     .ignore = ignore,
                     .base = TH_INDEX_BASE,
                     .each = !reduce && !c->single,
                     .average = average && reduce,
                     .target = c->target};
}

void THNN_(ClassNLLCriterion_updateOutput)(THCState *state, THCTensor *input,
                                           THCIndexTensor *target, THCTensor *output,
                                           bool sizeAverage, THCTensor *weights,
                                           THCTensor *total_weight, int64_t ignore_index,
                                           bool reduce)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(5, input, target, output, weights, total_weight);
  THGuard guard;
  const THNNClasses classes = THNN_(classes)(&guard, input, target, weights, 6);
  THCUNNNll w = THNN_(nll)(&classes, input, ignore_index, sizeAverage, reduce);
  const int64_t one = 1;
  THNN_(Call) call;
  THNN_(begin)(&call);
  THNNMemory_reads(call.memory, TH_VIEW(target));
  input = THNN_(source)(&call, input);
  weights = THNN_(source)(&call, weights);
  THCTensor *out = THNN_(result)(&call, output, 1, w.each ? &classes.batch : &one);
  THCTensor *total = w.each ? NULL : THNN_(result)(&call, total_weight, 1, &one);
  THNN_(start)(&call);
  w.x = THTensor_(data)(input);
  w.weights = weights ? THTensor_(data)(weights) : NULL;
  w.loss = THTensor_(data)(out);
  w.totalOut = total ? THTensor_(data)(total) : NULL;
  TH_CONCAT_2(THCUNN_nll_, Real)(&w, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}

void THNN_(ClassNLLCriterion_updateGradInput)(THCState *state, THCTensor *input,
                                              THCIndexTensor *target, THCTensor *gradOutput,
                                              THCTensor *gradInput, bool sizeAverage,
                                              THCTensor *weights, THCTensor *total_weight,
                                              int64_t ignore_index, bool reduce)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(6, input, target, gradOutput, gradInput, weights, total_weight);
  THGuard guard;
  const THNNClasses classes = THNN_(classes)(&guard, input, target, weights, 7);
  THCUNNNll w = THNN_(nll)(&classes, input, ignore_index, sizeAverage, reduce);
  THNN_(checkLossGradient)(gradOutput, input, w.each ? classes.batch : 1);
  THArgCheck(w.each || THTensor_(nElement)(total_weight) == 1, 8,
             "total_weight has size %s, and has to be one element",
             THTensor_(sizeDesc)(total_weight).str);
  THNN_(Call) call;
  THNN_(begin)(&call);
  THNNMemory_reads(call.memory, TH_VIEW(target));
  gradOutput = THNN_(source)(&call, gradOutput);
  weights = THNN_(source)(&call, weights);
  if (!w.each)
    total_weight = THNN_(source)(&call, total_weight);
  THCTensor *grad = THNN_(result)(&call, gradInput, input->nDimension, input->size);
  THNN_(start)(&call);
  w.g = THTensor_(data)(gradOutput);
  w.weights = weights ? THTensor_(data)(weights) : NULL;
  w.totalIn = w.each ? NULL : THTensor_(data)(total_weight);
  w.dx = THTensor_(data)(grad);
  THCudaCheck(cudaMemsetAsync(w.dx, 0, (size_t)THTensor_(nElement)(grad) * sizeof(real),
                              THCUNN_STREAM)); /* zero bytes are 0 in every type */
  TH_CONCAT_2(THCUNN_nllBackward_, Real)(&w, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}
