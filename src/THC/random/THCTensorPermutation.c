/* Permutations: what sorts random keys of 64 bits, of which two are hardly ever equal. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorMath.h"
#include "THCTensorRandom.h"
#include "THCTensorSort.h"
#include "TH/tensor/THTensorCore.h"

/* How many of the numbers 0, 1, 2 ... the type represents without a gap. */
#if defined(TH_REAL_IS_BYTE)
#define COUNTABLE (INT64_C(1) << 8)
#elif defined(TH_REAL_IS_HALF)
#define COUNTABLE ((INT64_C(1) << 11) + 1)
#elif defined(TH_REAL_IS_FLOAT)
#define COUNTABLE ((INT64_C(1) << 24) + 1)
#elif defined(TH_REAL_IS_CHAR) || defined(TH_REAL_IS_SHORT)
#define COUNTABLE (INT64_C(1) << (8 * sizeof(real) - 1))
#else
#define COUNTABLE UINT32_MAX /* as many as can be sorted */
#endif

void THCudaLongDevice_free(THCudaLongTensor *tensor);

void THCTensor_(randperm)(THCState *state, THCTensor *r_, int64_t n)
{
  THC_enter(state);
  THCAssertSameGPU(THCTensor_(checkGPU)(state, 1, r_));
  THArgCheck(n >= 1 && n <= COUNTABLE, 2, "n is %lld, not in 1 ... %lld", (long long)n,
             (long long)COUNTABLE);
  if (r_->nDimension == 1 && r_->size[0] == n)
    THTensor_(sharesItself)(r_, 1);
  THGuard first, second;
  THGuard_enter(&first, (THUndo)THCudaLongDevice_free);
  THCudaLongTensor *keys = first.what = THCudaLongTensor_newWithSize1d(state, n);
  THGuard_enter(&second, (THUndo)THCudaLongDevice_free);
  THCudaLongTensor *indices = second.what = THCudaLongTensor_new(state);
  THCudaLongTensor_clampedRandom(state, keys, INT64_MIN, INT64_MAX);
  THCudaLongTensor_sort(state, keys, indices, keys, 0, 0);
  if (TH_INDEX_BASE)
    THCudaLongTensor_add(state, indices, indices, -TH_INDEX_BASE);
  THTensor_(resize1d)(r_, n);
  THCTensor_(copyCudaLong)(state, r_, indices);
  THGuard_leave(&second);
  THGuard_leave(&first);
}
