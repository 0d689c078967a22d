/* The alias method: setup on the host, draws on the device. */
#include "THC/core/THCPrivate.h"
#include "THCTensorRandom.h"
#include "THCTensorShape.h"
#include "thc_random.h"

#include "THCTemplate.h"

extern const THCRandomKernel TH_CONCAT_2(THCRandom_, Real)[];

static void free_longs(void *tensor)
{
  THCudaLongTensor_free(THC_using, tensor);
}

static void free_reals(void *tensor)
{
  THCTensor_(free)(THC_using, tensor);
}

/* Computes on the host by TH's function.  The results take their new shapes together. */
void THCTensor_(multinomialAliasSetup)(THCState *state, THCTensor *probs, THCudaLongTensor *_J,
                                       THCTensor *_q)
{
  THC_enter(state);
  THCAssertSameGPU(THCTensor_(checkGPU)(state, 3, probs, _J, _q));
  THGuard guards[5];
  THGuard_enter(&guards[0], (THUndo)THDoubleTensor_free);
  THDoubleTensor *p = guards[0].what = THDoubleTensor_new();
  THGuard_enter(&guards[1], (THUndo)THDoubleTensor_free);
  THDoubleTensor *q = guards[1].what = THDoubleTensor_new();
  THGuard_enter(&guards[2], (THUndo)THLongTensor_free);
  THLongTensor *J = guards[2].what = THLongTensor_new();
  THDoubleTensor_resizeNd(p, probs->nDimension, probs->size, NULL);
  TH_CONCAT_2(THDoubleTensor_copyCuda, Real)(state, p, probs);
  THDoubleTensor_multinomialAliasSetup(p, J, q);
  THLongTensor_add(J, J, TH_INDEX_BASE);
  THGuard_enter(&guards[3], free_longs);
  THCudaLongTensor *newJ = guards[3].what = THCudaLongTensor_newWithSize1d(state, J->size[0]);
  THCudaLongTensor_copyLong(state, newJ, J);
  THGuard_enter(&guards[4], free_reals);
  THCTensor *newQ = guards[4].what = THCTensor_(newWithSize1d)(state, q->size[0]);
  THCTensor_(copyDouble)(state, newQ, q);
  if (_J->nDimension == 1 && _J->size[0] == J->size[0])
    THCudaLongTensor_copy(state, _J, newJ);
  else
    THCudaLongTensor_exchange(state, _J, newJ);
  if (_q->nDimension == 1 && _q->size[0] == q->size[0])
    THCTensor_(copy)(state, _q, newQ);
  else
    THCTensor_(exchange)(state, _q, newQ);
  for (int i = 4; i >= 0; i--)
    THGuard_leave(&guards[i]);
}

void THCTensor_(multinomialAliasDraw)(THCState *state, THCudaLongTensor *self, THCudaLongTensor *_J,
                                      THCTensor *_q)
{
  THC_enter(state);
  THCAssertSameGPU(THCTensor_(checkGPU)(state, 3, self, _J, _q));
  const THCRandomKernel *kernel = &TH_CONCAT_2(THCRandom_, Real)[THC_RANDOM_ALIAS];
  const ptrdiff_t count = THCTensor_(nElement)(state, _q);
  const ptrdiff_t nj = THCudaLongTensor_nElement(state, _J);
  const ptrdiff_t n = THCudaLongTensor_nElement(state, self);
  THArgCheck(nj >= 1 && nj <= UINT32_MAX, 2, "_J has %td elements, not 1 ... 2^32 - 1", nj);
  THArgCheck(count == nj, 3, "_q has %td elements, _J has %td", count, nj);
  if (n == 0)
    return;
  THGuard first, second, third;
  THGuard_enter(&first, free_longs);
  THCudaLongTensor *J = first.what = THCudaLongTensor_newContiguous(state, _J);
  THGuard_enter(&second, free_reals);
  THCTensor *q = second.what = THCTensor_(newContiguous)(state, _q);
  THGuard_enter(&third, free_longs);
  THCudaLongTensor *made = third.what = THCudaLongTensor_new(state);
  THCudaLongTensor_resizeAs(state, made, self);
  const THCRandomFill fill = {.count = n,
                              .to = THCudaLongTensor_data(state, made),
                              .draw = THCRandom_draw(state, 4 * (uint64_t)kernel->words),
                              .range = (uint64_t)nj,
                              .means = THCTensor_(data)(state, q),
                              .aliases = THCudaLongTensor_data(state, J)};
  kernel->launch(&fill, THCState_getCurrentStream(state));
  THCudaCheck(cudaGetLastError());
  THCudaLongTensor_copy(state, self, made);
  THGuard_leave(&third);
  THGuard_leave(&second);
  THGuard_leave(&first);
}
