/* Samples from given distributions. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorMath.h"
#include "THCTensorRandom.h"
#include "THCTensorReduce.h"
#include "THCTensorSort.h"
#include "TH/tensor/THTensorCore.h"
#include "thc_multinomial.h"

#include "THC/core/THCCalls.h"

void THCudaDoubleDevice_free(THCudaDoubleTensor *tensor);
void THCudaLongDevice_free(THCudaLongTensor *tensor);
int THCudaLongDevice_sharesItself(const THCudaLongTensor *r, int arg);

#define STREAM THCState_getCurrentStream(THC_using)

static THCudaDoubleTensor *THTensor_(newDoubles)(THCState *state, THGuard *guard, THTensor *t)
{
  THGuard_enter(guard, (THUndo)THCudaDoubleDevice_free);
  THCudaDoubleTensor *doubles = guard->what = THCudaDoubleTensor_new(state);
  THCudaDoubleTensor_resizeNd(state, doubles, t->nDimension, t->size, NULL);
  TH_CONCAT_2(THCudaDoubleTensor_copyCuda, Real)(state, doubles, t);
  return doubles;
}

static void THTensor_(checkDistributions)(THCState *state, THCudaDoubleTensor *p, int64_t columns,
                                          int64_t wanted)
{
  THCCheck check;
  THCFault fault;
  const int64_t rows = THCudaDoubleTensor_nElement(state, p) / columns;
  if (!THCCheck_open(&check, state, "multinomial", 2, 0, 1))
    return;
  THCKernel_checkDistributions(THCudaDoubleTensor_data(state, p), rows, columns, wanted,
                               &check.report, STREAM);
  THCCheck_close(&check, &fault);
  THArgCheck(fault.found != THC_FAULT_PROBABILITY, 2,
             "prob_dist has an element that is no probability: negative, infinite or NaN");
  THArgCheck(fault.found != THC_FAULT_TOO_FEW, 2,
             "prob_dist has a row with fewer than %lld positive probabilities", (long long)wanted);
}

static void THTensor_(drawWithReplacement)(THCState *state, THCudaLongTensor *r,
                                           THCudaDoubleTensor *p, int64_t columns, int64_t samples)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THCudaDoubleDevice_free);
  THCudaDoubleTensor *sums = guard.what = THCudaDoubleTensor_new(state);
  THCudaDoubleTensor_cumsum(state, sums, p, p->nDimension - 1);
  THCKernel_drawIndices(THCudaDoubleTensor_data(state, p), THCudaDoubleTensor_data(state, sums),
                        THCudaDoubleTensor_nElement(state, p) / columns, columns, samples,
                        THCRandom_draw(state, 8), THCudaLongTensor_data(state, r), STREAM);
  THCudaCheck(cudaGetLastError());
  THGuard_leave(&guard);
}

/* Draws without replacement: of waiting times with probabilities as their rates, the shortest come in
 * the order of draws. */
static void THTensor_(drawWithout)(THCState *state, THCudaLongTensor *r, THCudaDoubleTensor *p,
                                   int64_t samples)
{
  THGuard first, second;
  THGuard_enter(&first, (THUndo)THCudaDoubleDevice_free);
  THCudaDoubleTensor *times = first.what = THCudaDoubleTensor_new(state);
  THGuard_enter(&second, (THUndo)THCudaDoubleDevice_free);
  THCudaDoubleTensor *least = second.what = THCudaDoubleTensor_new(state);
  THCudaDoubleTensor_resizeAs(state, times, p);
  THCudaDoubleTensor_exponential(state, times, 1);
  THCudaDoubleTensor_cdiv(state, times, times, p);
  THCudaDoubleTensor_topk(state, least, r, times, samples, p->nDimension - 1, 0, 1);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

void THCTensor_(multinomial)(THCState *state, THCudaLongTensor *self, THCTensor *prob_dist,
                             int n_sample, int with_replacement)
{
  THC_enter(state);
  THC_CHECK_TENSORS(2, self, prob_dist);
  const int dims = prob_dist->nDimension;
  THArgCheck(dims == 1 || dims == 2, 2, "prob_dist of size %s is neither a vector nor a matrix",
             THTensor_(sizeDesc)(prob_dist).str);
  const int64_t columns = prob_dist->size[dims - 1];
  THArgCheck(columns > 0 && THTensor_(nElement)(prob_dist) > 0, 2, "prob_dist of size %s is empty",
             THTensor_(sizeDesc)(prob_dist).str);
  THArgCheck(n_sample > 0, 3, "n_sample is %d, not > 0", n_sample);
  THArgCheck(with_replacement || n_sample <= columns, 3,
             "n_sample is %d, more than %lld probabilities", n_sample, (long long)columns);
  int64_t size[2] = {dims == 1 ? n_sample : prob_dist->size[0], n_sample};
  if (THSize_isSameSizeAs(self->size, self->nDimension, size, dims))
    THCudaLongDevice_sharesItself(self, 1);
  THGuard first, second;
  THCudaDoubleTensor *p = THTensor_(newDoubles)(state, &first, prob_dist);
  THTensor_(checkDistributions)(state, p, columns, with_replacement ? 1 : n_sample);
  THGuard_enter(&second, (THUndo)THCudaLongDevice_free);
  THCudaLongTensor *made = second.what = THCudaLongTensor_new(state);
  THCudaLongTensor_resizeNd(state, made, dims, size, NULL);
  if (with_replacement)
    THTensor_(drawWithReplacement)(state, made, p, columns, n_sample);
  else
    THTensor_(drawWithout)(state, made, p, n_sample);
  THCudaLongTensor_resizeNd(state, self, dims, size, NULL);
  THCudaLongTensor_copy(state, self, made);
  THGuard_leave(&second);
  THGuard_leave(&first);
}
