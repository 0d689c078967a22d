/* Sorting and selecting along a dimension.
 *
 * There is one order, that of THTensorSort.h: ascending by value, NaN after everything else whatever
 * its sign bit, 0 and -0 equal; elements that are equal in it stay in their order in the tensor
 * (descending too).  Indices say where in it each value was; they count from TH_INDEX_BASE.  Results
 * may be the tensor or share its memory.
 *
 * Errors: a dimension out of range, results that share memory with each other, k out of range;
 * nothing has changed then.  Lines may have 2^32 - 1 elements. */

/* sorted and indices (which may be NULL) take the shape of input.  order is 0 for ascending. */
THC_API void THCTensor_(sort)(THCState *state, THCTensor *sorted, THCudaLongTensor *indices,
                              THCTensor *input, int dim, int order);

/* Sorts keys, and brings the elements of values, which has the same shape, in the same order. */
THC_API void THCTensor_(sortKeyValueInplace)(THCState *state, THCTensor *keys,
                                             THCudaLongTensor *values, int dim, int order);

/* The first k of each line in ascending order, or (dir not 0) in descending order; sorted, or else
 * in their order in input.  The results have size k along dim. */
THC_API void THCTensor_(topk)(THCState *state, THCTensor *topK, THCudaLongTensor *indices,
                              THCTensor *input, int64_t k, int dim, int dir, int sorted);

/* Number k, counted from 1, of each line in ascending order. */
THC_API void THCTensor_(kthvalue)(THCState *state, THCTensor *values, THCudaLongTensor *indices,
                                  THCTensor *input, int64_t k, int dimension, int keepdim);

/* The most frequent value, the smallest of several, and its last index.  NaN equals nothing: it is
 * the mode (the first one) where there is nothing else. */
THC_API void THCTensor_(mode)(THCState *state, THCTensor *values, THCudaLongTensor *indices,
                              THCTensor *input, int dimension, int keepdim);
