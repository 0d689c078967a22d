/* The functions with indices and masks that are TH's templates, compiled for the device: rows as
 * THCCalls.h takes them. */
#define THC_INDEX_CALLS(ROW)                                                                      \
  ROW(void, indexSelect, (THCTensor * tensor, THCTensor * src, int dim, THCudaLongTensor *index), \
      (tensor, src, dim, index), (3, tensor, src, index))                                         \
  ROW(void, indexCopy, (THCTensor * res_, int dim, THCudaLongTensor *indices, THCTensor *src),    \
      (res_, dim, indices, src), (3, res_, indices, src))                                         \
  ROW(void, indexAdd, (THCTensor * res_, int dim, THCudaLongTensor *indices, THCTensor *src),     \
      (res_, dim, indices, src), (3, res_, indices, src))                                         \
  ROW(void, indexFill, (THCTensor * tensor, int dim, THCudaLongTensor *index, real val),          \
      (tensor, dim, index, val), (2, tensor, index))                                              \
  ROW(void, gather, (THCTensor * tensor, THCTensor * src, int dim, THCudaLongTensor *index),      \
      (tensor, src, dim, index), (3, tensor, src, index))                                         \
  ROW(void, scatter, (THCTensor * tensor, int dim, THCudaLongTensor *index, THCTensor *src),      \
      (tensor, dim, index, src), (3, tensor, index, src))                                         \
  ROW(void, scatterAdd, (THCTensor * tensor, int dim, THCudaLongTensor *index, THCTensor *src),   \
      (tensor, dim, index, src), (3, tensor, index, src))                                         \
  ROW(void, scatterFill, (THCTensor * tensor, int dim, THCudaLongTensor *index, real value),      \
      (tensor, dim, index, value), (2, tensor, index))

#define THC_PLACE_CALLS(ROW)                                                                      \
  ROW(void, take, (THCTensor * res_, THCTensor * src, THCudaLongTensor * index),                  \
      (res_, src, index), (3, res_, src, index))                                                  \
  ROW(void, put, (THCTensor * res_, THCudaLongTensor * indices, THCTensor * src, int accumulate), \
      (res_, indices, src, accumulate), (3, res_, indices, src))

#define THC_MASK_CALLS(ROW)                                                               \
  ROW(void, maskedFill, (THCTensor * tensor, THCudaByteTensor * mask, real value),        \
      (tensor, mask, value), (2, tensor, mask))                                           \
  ROW(void, maskedCopy, (THCTensor * tensor, THCudaByteTensor * mask, THCTensor * src),   \
      (tensor, mask, src), (3, tensor, mask, src))                                        \
  ROW(void, maskedSelect, (THCTensor * tensor, THCTensor * src, THCudaByteTensor * mask), \
      (tensor, src, mask), (3, tensor, src, mask))
