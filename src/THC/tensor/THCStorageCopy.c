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

#define TH_SOURCE_FILE "THC/tensor/THCStorageCopyFrom.h"
#include "TH/tensor/THEachSource.h"

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
