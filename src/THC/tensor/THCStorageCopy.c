/* Copies between storages: as tensors of one dimension. */
#include "THCTemplate.h"

#include "THC/core/THCPrivate.h"

/* A tensor of the whole storage, valid as long as size and one exist; it holds no reference. */
#define VIEW(TENSOR, STORAGE, SIZE) \
  (&(TENSOR){                       \
      .size = (SIZE), .stride = (SIZE) + 1, .nDimension = (SIZE)[0] > 0, .storage = (STORAGE)})
#define SIZE_OF(STORAGE) ((int64_t[]){(STORAGE)->size, 1})

void THCStorage_(rawCopy)(THCState *state, THCStorage *storage, real *src)
{
  THC_enter(state);
  if (storage->size == 0)
    return;
  THArgCheck(src, 2, "src is NULL");
  THCOnDevice on;
  THCOnDevice_enter(&on, storage->device);
  THCudaCheck(cudaMemcpyAsync(storage->data, src, (size_t)storage->size * sizeof(real),
                              cudaMemcpyDeviceToDevice,
                              THC_streamOn(state, storage->device)->stream));
  THCOnDevice_leave(&on);
}

#define FROM_HOST(Source, source, unused)                                       \
  void THCStorage_(copy##Source)(THCState *state, THCStorage *storage,          \
                                 struct TH##Source##Storage *src)               \
  {                                                                             \
    THCTensor_(copy##Source)(state, VIEW(THCTensor, storage, SIZE_OF(storage)), \
                             VIEW(TH##Source##Tensor, src, SIZE_OF(src)));      \
  }

TH_FOR_EACH_TYPE(FROM_HOST)

#define FROM_DEVICE(Source, CudaSource)                                             \
  void THCStorage_(copyCuda##Source)(THCState *state, THCStorage *storage,          \
                                     struct TH##CudaSource##Storage *src)           \
  {                                                                                 \
    THCTensor_(copyCuda##Source)(state, VIEW(THCTensor, storage, SIZE_OF(storage)), \
                                 VIEW(TH##CudaSource##Tensor, src, SIZE_OF(src)));  \
  }

FROM_DEVICE(Byte, CudaByte)
FROM_DEVICE(Char, CudaChar)
FROM_DEVICE(Short, CudaShort)
FROM_DEVICE(Int, CudaInt)
FROM_DEVICE(Long, CudaLong)
FROM_DEVICE(Float, Cuda)
FROM_DEVICE(Double, CudaDouble)
FROM_DEVICE(Half, CudaHalf)

#define TO_HOST(Target, target, unused)                                                           \
  void TH_CONCAT_2(TH##Target##Storage_copyCuda,                                                  \
                   Real)(THCState * state, TH##Target##Storage * self, struct THCStorage * src)   \
  {                                                                                               \
    TH_CONCAT_2(TH##Target##Tensor_copyCuda, Real)(state,                                         \
                                                   VIEW(TH##Target##Tensor, self, SIZE_OF(self)), \
                                                   VIEW(THCTensor, src, SIZE_OF(src)));           \
  }

TH_FOR_EACH_TYPE(TO_HOST)

void THCStorage_(copy)(THCState *state, THCStorage *storage, THCStorage *src)
{
  THCTensor_(copy)(state, VIEW(THCTensor, storage, SIZE_OF(storage)),
                   VIEW(THCTensor, src, SIZE_OF(src)));
}

void THCStorage_(copyCuda)(THCState *state, THCStorage *self, THCStorage *src)
{
  THCStorage_(copy)(state, self, src);
}

void THCStorage_(copyCPU)(THCState *state, THCStorage *self, THStorage *src)
{
  THCStorage_(TH_CONCAT_2(copy, Real))(state, self, src);
}

void THStorage_(copyCuda)(THCState *state, THStorage *self, THCStorage *src)
{
  TH_CONCAT_2(THStorage_(copyCuda), Real)(state, self, src);
}
