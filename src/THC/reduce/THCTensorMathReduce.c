/* Reductions: TH's template, compiled for the device, and the public functions around it. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorReduce.h"

#include "THC/core/THCCalls.h"
#include "THCReduceCalls.h"

#include "TH/reduce/THTensorReduce.c"

/* --- medians --------------------------------------------------------------------------------- */

void TH_CONCAT_2(THCMedian_, Real)(const THCLines *lines, const void *from, void *values,
                                   int64_t *indices, cudaStream_t stream);

static void THTensor_(median)(THTensor *values, THLongTensor *indices, THTensor *t, int dimension,
                              int keepdim)
{
  THTensor_(checkAlong)(t, dimension, 4);
  THArgCheck(t->size[dimension] > 0, 4, "dimension %d of a tensor of size %s has no elements",
             dimension + TH_INDEX_BASE, THTensor_(sizeDesc)(t).str);
  THAlong along;
  t = THTensor_(openAlong)(&along, &values, &indices, t, dimension, 4, 1,
                           !keepdim && t->nDimension > 1, 0);
  THCLines lines;
  THCLines_make(&lines, &along.lines);
  THTensor_(resizeResults)(values, indices, &along.shape);
  if (lines.count > 0)
    TH_CONCAT_2(THCMedian_, Real)(&lines, THTensor_(data)(t), THTensor_(data)(values),
                                  THLongTensor_data(indices), THCState_getCurrentStream(THC_using));
  THCudaCheck(cudaGetLastError());
  THTensor_(closeAlong)(&along);
}

static real THTensor_(medianall)(THTensor *t)
{
  THTensor_(checkNotEmpty)(t);
  const ptrdiff_t n = THTensor_(nElement)(t);
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  const THCLines lines = {
      .length = n, .count = 1, .step = {1}, .dims = 1, .narrow = 1, .size = {1}};
  THGuard guard, keeping;
  THTensor_(guard)(&guard);
  t = guard.what = THTensor_(newContiguous)(t);
  int64_t *room = THC_room(&keeping, 2 * sizeof *room); /* the index, and the value */
  real median;
  TH_CONCAT_2(THCMedian_, Real)(&lines, THTensor_(data)(t), room + 1, room, stream);
  THCudaCheck(cudaGetLastError());
  THCudaCheck(cudaMemcpyAsync(&median, room + 1, sizeof median, cudaMemcpyDeviceToHost, stream));
  THCudaCheck(cudaStreamSynchronize(stream));
  THGuard_leave(&keeping);
  THGuard_leave(&guard);
  return median;
}

/* --- the public functions -------------------------------------------------------------------- */

THC_REDUCE_CALLS(THC_DEFINE_CALL)
#ifdef TH_REAL_IS_FLOATING
THC_FLOAT_REDUCE_CALLS(THC_DEFINE_CALL)
#endif

#ifdef TH_REAL_IS_BYTE

int THCudaByteTensor_logicalall(THCState *state, THCudaByteTensor *self)
{
  THC_enter(state);
  THC_CHECK_TENSORS(1, self);
  return THTensor_(logicalall)(self);
}

int THCudaByteTensor_logicalany(THCState *state, THCudaByteTensor *self)
{
  THC_enter(state);
  THC_CHECK_TENSORS(1, self);
  return THTensor_(logicalany)(self);
}

#endif
