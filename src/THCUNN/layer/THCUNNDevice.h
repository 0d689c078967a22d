/* Compiles THNN's templates for the device, in place of Template.h; THCUNN's own templates
 * include it first.
 *
 * THTensor becomes THCTensor, and THTensor_(name) a function without a state: THNN_ENTER sets the
 * state of this thread's call.  So both devices share the layers' functions, their frame (Call.h)
 * and the checks of shapes; what computes elements has the same name on both. */
#ifndef THCUNN_DEVICE_H
#define THCUNN_DEVICE_H

#include "THNN/activation/Pointwise.h"
#include "THNN/loss/Classes.h"
#include "THNN/conv/Convolution.h"
#include "THNN/conv/ConvPlan.h"
#include "THNN/layer/PlaneLoop.h"
#include "THNN/linear/IndexLinear.h"
#include "THNN/linear/Sparse.h"
#include "THNN/norm/BatchNorm.h"
#include "THNN/pool/AvgPool.h"
#include "THNN/pool/MaxPool.h"
#include "THNN/recurrent/FusedCells.h"
#include "THNN/resample/GridSampler.h"
#include "THNN/resample/Resample.h"

#include "THC/core/THCFault.h"
#include "THCUNN/layer/THCUNN2018.h"
#include "THCUNN/layer/thcunn_kernels.h"

extern _Thread_local THCState *THCUNN_using;

/* THCUNN_enter sets the state of this thread's call, and the name of the public function. */
extern _Thread_local const char *THCUNN_function;
void THCUNN_enter(THCState *state, const char *function);

/* THCUNN_take returns uninitialised memory of the current device, which THCUNN_release gives back.
 * THCUNN_allocate returns such memory, which the guard frees. */
void *THCUNN_take(ptrdiff_t bytes);
void THCUNN_release(void *memory);
void *THCUNN_allocate(THGuard *guard, ptrdiff_t bytes);

/* Looks among count values of argument arg, in device memory, for one that is not in base ... base + limit - 1
 * and is not `allowed`.  A kernel reports it to the stream's error word (THC/core/THCFault.h), so other kernels
 * have to skip such values.  Returns 1, its index and the value if the call waits for that kernel, or 0. */
int THCUNN_findOther(const int64_t *values, int64_t count, int64_t base, int64_t limit,
                     int64_t allowed, int arg, int64_t *at, int64_t *value);

#undef THNN_ENTER
#define THNN_ENTER(STATE, ...)                                                               \
  do {                                                                                       \
    THCUNN_enter(STATE, __func__);                                                           \
    THCUNN_SAME_DEVICE(sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *), __VA_ARGS__); \
  } while (0)

#undef THNN_real
#undef THNN_NUMBER
#undef THNN_ELEMENT
#undef THNN_ALLOCATE
#undef THNN_FREE
#define THNN_ALLOCATE THCUNN_take
#define THNN_FREE     THCUNN_release
#define THNN_real     accreal
#define THNNState     THCState

/* --- tensors without a state ---------------------------------------------------------------- */

#define THCUNN_NAME(T, NAME) TH_CONCAT_3(T, _here_, NAME)
/* clang-format off */
#define THCUNN_CALL(T, RESULT, NAME, PARAMETERS, ...)                                                             \
  TH_UNUSED static inline RESULT THCUNN_NAME(T, NAME) PARAMETERS { return TH_CONCAT_3(T, _, NAME)(__VA_ARGS__); }
/* clang-format on */
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

/* Templates that name the frame of index tensors get the device's frame. */
#define THNN_LongCall      THNN_CudaLongCall
#define THNN_Longbegin     THNN_CudaLongbegin
#define THNN_LongbeginPart THNN_CudaLongbeginPart
#define THNN_Longsource    THNN_CudaLongsource
#define THNN_Longresult    THNN_CudaLongresult
#define THNN_Longready     THNN_CudaLongready
#define THNN_Longstart     THNN_CudaLongstart
#define THNN_Longfinish    THNN_CudaLongfinish

#include "THC/THCTemplate.h"

#ifdef THC_REAL_IS_HALF
#define THNN_NUMBER(X)  ((double)THC_half2float(X))
#define THNN_ELEMENT(X) THC_float2half((float)(X))
#else
#define THNN_NUMBER(X)  ((double)(X))
#define THNN_ELEMENT(X) ((real)(X))
#endif

#ifndef THC_REAL_IS_LONG
THCUNN_TENSOR_CALLS(THCTensor)
THCUNN_STORAGE_CALLS(THCStorage)
/* clang-format off */
#define CALL(RESULT, NAME, PARAMETERS, ...)                                                                         \
  TH_UNUSED static inline RESULT THTensor_(NAME) PARAMETERS { return THCTensor_(NAME)(THCUNN_using, __VA_ARGS__); }
/* clang-format on */
CALL(real *, data, (const THTensor *t), t)
CALL(void, transpose, (THTensor * t, THTensor *of, int d, int e), t, of, d, e)
CALL(void, fill, (THTensor * t, real value), t, value)
CALL(void, zero, (THTensor * t), t)
CALL(THTensor *, newWithSize1d, (int64_t size), size)
CALL(THTensor *, newNarrow, (THTensor * t, int dim, int64_t first, int64_t size), t, dim, first,
     size)
CALL(void, setStorageNd,
     (THTensor * t, THStorage *storage, ptrdiff_t offset, int dims, int64_t *size, int64_t *stride),
     t, storage, offset, dims, size, stride)
#undef CALL

#include "THNN/layer/CallGeneric.h"
#include "THNN/loss/ClassesGeneric.h"
#include "THNN/layer/PlaneLoopGeneric.h"
#include "THNN/conv/ConvolutionGeneric.h"
#include "THNN/conv/ConvLayersGeneric.h"

/* The rows of src/ops/activations.h: kernels that walk tensors, in place of THLoop's. */
#define THKernel                 THCKernel
#define THNN_Cudapointwise       THCUNN_pointwise_Float
#define THNN_CudaDoublepointwise THCUNN_pointwise_Double
#define THNN_CudaHalfpointwise   THCUNN_pointwise_Half
typedef TH_CONCAT_3(THCUNN, Real, Scalars) THNN_(Scalars);
#include "THNN/activation/ActivationsGeneric.h"
#endif

/* An error unless kernels of the current device may use all of the tensors.  A tensor may be
 * NULL. */
#define THCUNN_SAME_DEVICE(COUNT, ...) \
  THCAssertSameGPU(THCudaTensor_checkGPU(THCUNN_using, COUNT, __VA_ARGS__))

#define THCUNN_STREAM THCState_getCurrentStream(THCUNN_using)

#ifdef TH_COMPAT_TORCH7 /* templates define the 2018 forms; THNN's torch7/ has Torch7's */
#include "THNN/torch7/THNNRename.h"
#endif

#endif
