/* Tests of device tensors: a state for all tests, and device tensors in every layout.
 *
 *     THCTensor *d = THCTest_(tensor)(TH_TRANSPOSED, 2, TH_SHAPE(3, 4, 5));
 *     THTensor *twin = THCTest_(twin)(d);              the same view of a copy on the host
 *     CHECK_VALUES(twin, expected);
 *
 * A file of one element type includes "THC.h" and then "THTemplate.h" first.  Elements are moved by
 * the runtime alone, and not by the functions under test. */
#ifndef THC_TEST_H
#define THC_TEST_H

#include "THC.h"

#include "th_layouts.h"

#define CHECK_CUDA(CALL) CHECK_EQ((int)(CALL), (int)cudaSuccess)

/* Made when it is first asked for. */
THCState *thc_state(void);

/* Turns the detection of races off; see cusim_calls.h. */
void cusim_allow_races(int allow) __attribute__((weak));

/* Limits launches of strided operands to this many elements; see THCWalk.c. */
extern ptrdiff_t THCWalk_most;

static inline void thc_allow_races(int allow)
{
  if (cusim_allow_races)
    cusim_allow_races(allow);
}

/* The number of devices; tests of two do nothing where there is one. */
static inline int thc_devices(void)
{
  return THCState_getNumDevices(thc_state());
}

#endif

/* --- per type ------------------------------------------------------------------------------- */

#if defined(Real) && !defined(THC_TEST_OF_TYPE)
#define THC_TEST_OF_TYPE

#if defined(CReal) /* a device's half for the host's float */
#elif defined(TH_REAL_IS_BYTE)
#define CReal CudaByte
#elif defined(TH_REAL_IS_CHAR)
#define CReal CudaChar
#elif defined(TH_REAL_IS_SHORT)
#define CReal CudaShort
#elif defined(TH_REAL_IS_INT)
#define CReal CudaInt
#elif defined(TH_REAL_IS_LONG)
#define CReal CudaLong
#elif defined(TH_REAL_IS_DOUBLE)
#define CReal CudaDouble
#elif defined(TH_REAL_IS_HALF)
#define CReal CudaHalf
#else
#define CReal Cuda
#endif

#define THCTest_(NAME) TH_CONCAT_4(THCTest_, Real, _, NAME)

/* A device tensor with the offset, sizes and strides of t, whose storage is a copy of t's storage. */
TH_UNUSED static THCTensor *THCTest_(upload)(THTensor *t)
{
  THCState *state = thc_state();
  if (t->nDimension == 0)
    return THCTensor_(new)(state);
  THCStorage *storage = THCStorage_(newWithSize)(state, t->storage->size);
  CHECK_CUDA(cudaMemcpy(storage->data, t->storage->data, (size_t)storage->size * sizeof(real),
                        cudaMemcpyHostToDevice));
  THLongStorage *size = THTensor_(newSizeOf)(t), *stride = THTensor_(newStrideOf)(t);
  THCTensor *d = THCTensor_(newWithStorage)(state, storage, t->storageOffset, size, stride);
  THLongStorage_free(size);
  THLongStorage_free(stride);
  THCStorage_(free)(state, storage);
  return d;
}

TH_UNUSED static THCTensor *THCTest_(tensor)(int layout, uint64_t seed, int dims,
                                             const int64_t *size)
{
  THTensor *t = THTest_(tensor)(layout, seed, dims, size);
  THCTensor *d = THCTest_(upload)(t);
  THTensor_(free)(t);
  return d;
}

/* A host tensor that views a copy of the storage as d does; all that is queued comes before. */
TH_UNUSED static THTensor *THCTest_(twin)(const THCTensor *d)
{
  THTensor *twin = THTensor_(new)();
  const ptrdiff_t n = d->storage ? d->storage->size : 0;
  if (n == 0)
    return twin;
  int before;
  CHECK_CUDA(cudaGetDevice(&before));
  CHECK_CUDA(cudaSetDevice(d->storage->device));
  THStorage *storage = THStorage_(newWithSize)(n);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(storage->data, d->storage->data, (size_t)n * sizeof(real),
                        cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaSetDevice(before));
  THTensor_(setStorageNd)(twin, storage, d->storageOffset, d->nDimension, d->size, d->stride);
  THStorage_(free)(storage);
  return twin;
}

#define CHECK_DEVICE_VALUES(D, EXPECTED)   \
  do {                                     \
    THTensor *th_twin = THCTest_(twin)(D); \
    CHECK_VALUES(th_twin, EXPECTED);       \
    THTensor_(free)(th_twin);              \
  } while (0)

#endif
