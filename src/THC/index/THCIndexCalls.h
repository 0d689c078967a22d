/* The functions with indices and masks that are TH's templates, compiled for the device: rows as
 * THCCalls.h takes them.  The including file defines what rows of a kind become: INDEX (slices and
 * elements along a dimension), POSITION (elements of the flattened tensor), MASK.  The definitions
 * are forgotten at the end. */
#ifndef INDEX
#define INDEX(...)
#endif
#ifndef POSITION
#define POSITION(...)
#endif
#ifndef MASK
#define MASK(...)
#endif

INDEX(void, indexSelect, (THCTensor * tensor, THCTensor *src, int dim, THCudaLongTensor *index),
      (tensor, src, dim, index), (3, tensor, src, index))
INDEX(void, indexCopy, (THCTensor * res_, int dim, THCudaLongTensor *indices, THCTensor *src),
      (res_, dim, indices, src), (3, res_, indices, src))
INDEX(void, indexAdd, (THCTensor * res_, int dim, THCudaLongTensor *indices, THCTensor *src),
      (res_, dim, indices, src), (3, res_, indices, src))
INDEX(void, indexFill, (THCTensor * tensor, int dim, THCudaLongTensor *index, real val),
      (tensor, dim, index, val), (2, tensor, index))
INDEX(void, gather, (THCTensor * tensor, THCTensor *src, int dim, THCudaLongTensor *index),
      (tensor, src, dim, index), (3, tensor, src, index))
INDEX(void, scatter, (THCTensor * tensor, int dim, THCudaLongTensor *index, THCTensor *src),
      (tensor, dim, index, src), (3, tensor, index, src))
INDEX(void, scatterAdd, (THCTensor * tensor, int dim, THCudaLongTensor *index, THCTensor *src),
      (tensor, dim, index, src), (3, tensor, index, src))
INDEX(void, scatterFill, (THCTensor * tensor, int dim, THCudaLongTensor *index, real value),
      (tensor, dim, index, value), (2, tensor, index))

POSITION(void, take, (THCTensor * res_, THCTensor *src, THCudaLongTensor *index),
         (res_, src, index), (3, res_, src, index))
POSITION(void, put, (THCTensor * res_, THCudaLongTensor *indices, THCTensor *src, int accumulate),
         (res_, indices, src, accumulate), (3, res_, indices, src))

MASK(void, maskedFill, (THCTensor * tensor, THCudaByteTensor *mask, real value),
     (tensor, mask, value), (2, tensor, mask))
MASK(void, maskedCopy, (THCTensor * tensor, THCudaByteTensor *mask, THCTensor *src),
     (tensor, mask, src), (3, tensor, mask, src))
MASK(void, maskedSelect, (THCTensor * tensor, THCTensor *src, THCudaByteTensor *mask),
     (tensor, src, mask), (3, tensor, src, mask))

#undef INDEX
#undef POSITION
#undef MASK
