/* Compiles a template of TH for CUDA: THTemplate.h includes this file if a stub defines
 * TH_TEMPLATE_DEVICE as its name.
 *
 * THTensor becomes THCTensor, and THTensor_(name) the private THCudaDevice_name, which takes no
 * state: storages use the state of this thread's call (THC_using).  So the same lines compute
 * shapes, views and results on both devices. */
#ifndef THC_DEVICE_H
#define THC_DEVICE_H

#include "THCPrivate.h"
#include "THCTensorShape.h"

#include "THCTemplate.h"

#undef THTensor
#undef THTensor_
#undef THStorage
#undef THStorage_
#define THTensor         THCTensor
#define THTensor_(NAME)  THCDevice_(NAME)
#define THStorage        THCStorage
#define THStorage_(NAME) TH_CONCAT_4(TH, CReal, DeviceStorage_, NAME)

#if defined(THC_REAL_IS_BYTE)
#define TH_REAL_IS_BYTE
#elif defined(THC_REAL_IS_CHAR)
#define TH_REAL_IS_CHAR
#elif defined(THC_REAL_IS_SHORT)
#define TH_REAL_IS_SHORT
#elif defined(THC_REAL_IS_INT)
#define TH_REAL_IS_INT
#elif defined(THC_REAL_IS_LONG)
#define TH_REAL_IS_LONG
#elif defined(THC_REAL_IS_FLOAT)
#define TH_REAL_IS_FLOAT
#elif defined(THC_REAL_IS_DOUBLE)
#define TH_REAL_IS_DOUBLE
#else
#define TH_REAL_IS_HALF
#endif

/* Tensors of indices and masks are on the device too. */
#define THLongTensor              THCudaLongTensor
#define THLongTensor_copiedIf     THCudaLongDevice_copiedIf
#define THLongTensor_data         THCudaLongDevice_data
#define THLongTensor_nElement     THCudaLongDevice_nElement
#define THLongTensor_sizeDesc     THCudaLongDevice_sizeDesc
#define THLongTensor_isContiguous THCudaLongDevice_isContiguous
#define THLongTensor_resizeResult THCudaLongDevice_resizeResult
#define THLongTensor_openStandIn  THCudaLongDevice_openStandIn
#define THLongTensor_closeStandIn THCudaLongDevice_closeStandIn
#define THByteTensor              THCudaByteTensor
#define THByteTensor_copiedIf     THCudaByteDevice_copiedIf
#define THByteTensor_resizeNd     THCudaByteDevice_resizeNd
#define THByteTensor_nElement     THCudaByteDevice_nElement
#define THByteTensor_sizeDesc     THCudaByteDevice_sizeDesc
#define THByteTensor_isContiguous THCudaByteDevice_isContiguous

/* --- storages: the public functions, with this thread's state ------------------------------- */

static inline THStorage *THStorage_(new)(void)
{
  return THCStorage_(new)(THC_using);
}

static inline THStorage *THStorage_(newWithSize)(ptrdiff_t size)
{
  return THCStorage_(newWithSize)(THC_using, size);
}

static inline void THStorage_(resize)(THStorage *storage, ptrdiff_t size)
{
  THCStorage_(resize)(THC_using, storage, size);
}

static inline void THStorage_(retain)(THStorage *storage)
{
  THCStorage_(retain)(THC_using, storage);
}

static inline void THStorage_(free)(THStorage *storage)
{
  THCStorage_(free)(THC_using, storage);
}

/* --- tensors -------------------------------------------------------------------------------- */

#define ROW(RESULT, NAME, PARAMETERS, ARGUMENTS) RESULT THTensor_(NAME) PARAMETERS;
#include "THC/tensor/THCTensorCalls.h"
THTensor *THTensor_(new)(void);

void THByteTensor_resizeNd(THByteTensor *tensor, int nDimension, int64_t *size, int64_t *stride);

THDescBuff THTensor_(desc)(const THTensor *tensor);
THDescBuff THTensor_(sizeDesc)(const THTensor *tensor);

#ifndef THC_REAL_IS_LONG
int64_t *THCudaLongDevice_data(const THCudaLongTensor *tensor);
ptrdiff_t THCudaLongDevice_nElement(const THCudaLongTensor *tensor);
int THCudaLongDevice_isContiguous(const THCudaLongTensor *tensor);
THDescBuff THCudaLongDevice_sizeDesc(const THCudaLongTensor *tensor);
#endif
#ifndef THC_REAL_IS_BYTE
ptrdiff_t THCudaByteDevice_nElement(const THCudaByteTensor *tensor);
int THCudaByteDevice_isContiguous(const THCudaByteTensor *tensor);
THDescBuff THCudaByteDevice_sizeDesc(const THCudaByteTensor *tensor);
#endif

static inline void THTensor_(copy)(THTensor *tensor, THTensor *src)
{
  THCTensor_(copy)(THC_using, tensor, src);
}

static inline void THTensor_(fill)(THTensor *tensor, real value)
{
  THCTensor_(fill)(THC_using, tensor, value);
}

static inline void THTensor_(zero)(THTensor *tensor)
{
  THCTensor_(zero)(THC_using, tensor);
}

#ifdef THC_REAL_IS_HALF
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) THC_half2float(VALUE)
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) THC_float2half(VALUE)
#else
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) ((accreal)(VALUE))
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) ((real)(VALUE))
#endif

/* The element at that index in the tensor's storage. */
static inline void THTensor_(putAt)(THTensor *tensor, ptrdiff_t index, real value)
{
  THCStorage_(set)(THC_using, tensor->storage, index, value);
}

static inline real THTensor_(getAt)(const THTensor *tensor, ptrdiff_t index)
{
  return THCStorage_(get)(THC_using, tensor->storage, index);
}

#endif
