/* Compiles THNN's templates for the device, in place of Template.h; THCUNN's own templates
 * include it first.
 *
 * THTensor becomes THCTensor, and THTensor_(name) a function without a state: THCUNN_enter sets the
 * state of this thread's call.  So both devices share the frame of a layer's function (THNNCall.h)
 * and the checks of shapes. */
#ifndef THCUNN_DEVICE_H
#define THCUNN_DEVICE_H

#include "THNN/loss/Classes.h"
#include "THNN/conv/Convolution.h"
#include "THNN/conv/direct/ConvPlan.h"
#include "THNN/layer/PlaneLoop.h"

#include "THCUNN/THCUNN.h"

#define THNN_TEMPLATE_H

extern _Thread_local THCState *THCUNN_using;

/* Sets the state of this thread's call. */
void THCUNN_enter(THCState *state);

/* Uninitialised memory of the current device, which the guard frees. */
void *THCUNN_allocate(THGuard *guard, ptrdiff_t bytes);

/* Raises an error if one of count values, in device memory, is not a class (base ... base + limit
 * - 1) and is not `ignore`.  text is the size of the input, for the message.  Waits. */
void THCUNN_checkClasses(const int64_t *values, int64_t count, int64_t limit, int64_t ignore,
                         const char *text);

/* --- tensors without a state ---------------------------------------------------------------- */

#define THCUNN_NAME(T, NAME) TH_CONCAT_3(T, _here_, NAME)
#define THCUNN_CALL(T, RESULT, NAME, PARAMETERS, ...)            \
  TH_UNUSED static inline RESULT THCUNN_NAME(T, NAME) PARAMETERS \
  {                                                              \
    return TH_CONCAT_3(T, _, NAME)(__VA_ARGS__);                 \
  }
#define THCUNN_TENSOR_CALLS(T)                                                                    \
  THCUNN_CALL(T, T *, new, (void), THCUNN_using)                                                  \
  THCUNN_CALL(T, T *, newClone, (T * t), THCUNN_using, t)                                         \
  THCUNN_CALL(T, T *, newContiguous, (T * t), THCUNN_using, t)                                    \
  THCUNN_CALL(T, T *, newWithTensor, (T * t), THCUNN_using, t)                                    \
  THCUNN_CALL(T, void, free, (T * t), THCUNN_using, t)                                            \
  THCUNN_CALL(T, void, copy, (T * t, T * src), THCUNN_using, t, src)                              \
  THCUNN_CALL(T, void, set, (T * t, T * src), THCUNN_using, t, src)                               \
  THCUNN_CALL(T, void, resizeAs, (T * t, T * like), THCUNN_using, t, like)                        \
  THCUNN_CALL(T, void, resizeNd, (T * t, int n, int64_t *size, int64_t *stride), THCUNN_using, t, \
              n, size, stride)                                                                    \
  THCUNN_CALL(T, int, isContiguous, (const T *t), THCUNN_using, t)                                \
  THCUNN_CALL(T, int, isSameSizeAs, (const T *t, const T *u), THCUNN_using, t, u)                 \
  THCUNN_CALL(T, ptrdiff_t, nElement, (const T *t), THCUNN_using, t)                              \
  THCUNN_CALL(T, THCDescBuff, sizeDesc, (const T *t), THCUNN_using, t)
#define THCUNN_STORAGE_CALLS(T)                                                \
  THCUNN_CALL(T, T *, newWithSize, (ptrdiff_t size), THCUNN_using, size)       \
  THCUNN_CALL(T, void, resize, (T * t, ptrdiff_t size), THCUNN_using, t, size) \
  THCUNN_CALL(T, void, free, (T * t), THCUNN_using, t)

THCUNN_TENSOR_CALLS(THCudaLongTensor)
THCUNN_STORAGE_CALLS(THCudaLongStorage)
TH_UNUSED static inline int64_t *THCudaLongTensor_here_data(const THCudaLongTensor *t)
{
  return THCudaLongTensor_data(THCUNN_using, t);
}

#undef THTensor
#undef THTensor_
#undef THStorage
#undef THStorage_
#undef THIndexTensor
#undef THIndexTensor_
#define THTensor             THCTensor
#define THTensor_(NAME)      THCUNN_NAME(THCTensor, NAME)
#define THStorage            THCStorage
#define THStorage_(NAME)     THCUNN_NAME(THCStorage, NAME)
#define THIndexTensor        THCudaLongTensor
#define THIndexTensor_(NAME) THCUNN_NAME(THCudaLongTensor, NAME)

/* The frame for index tensors, in addition to the frame for this template's type. */
#include "THC/types/Long.h"
#include "THNN/layer/CallGeneric.h"
#include "THC/types/undefine.h"

#include "THC/THCTemplate.h"

#ifndef THC_REAL_IS_LONG
THCUNN_TENSOR_CALLS(THCTensor)
THCUNN_STORAGE_CALLS(THCStorage)
TH_UNUSED static inline real *THTensor_(data)(const THTensor *t)
{
  return THCTensor_(data)(THCUNN_using, t);
}
#include "THNN/layer/CallGeneric.h"
#include "THNN/loss/ClassesGeneric.h"
#include "THNN/layer/PlaneLoopGeneric.h"
#include "THNN/conv/ConvolutionGeneric.h"
#endif

/* An error unless kernels of the current device may use all of the tensors.  A tensor may be
 * NULL. */
#define THCUNN_SAME_DEVICE(COUNT, ...) \
  THCAssertSameGPU(THCudaTensor_checkGPU(THCUNN_using, COUNT, __VA_ARGS__))

#define THCUNN_STREAM THCState_getCurrentStream(THCUNN_using)

#endif
