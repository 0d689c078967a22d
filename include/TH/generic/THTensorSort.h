/* Sorting and selecting along a dimension.
 *
 *     THFloatTensor_sort(values, indices, t, 1, 0);         each row in ascending order
 *     THFloatTensor_topk(values, indices, t, 5, 1, 1, 1);   the five largest of each row
 *
 * There is one order: ascending by value, NaN after everything else whatever its sign bit, 0 and -0
 * equal; elements that are equal in it stay in their order in t (descending too).  indices_ says
 * where in t each value was, counted from 0 in every build.  Results may be t or share its memory.
 *
 * Errors: a dimension out of range, results that share memory with each other, k out of range;
 * nothing has changed then.  Lines of types of up to 4 bytes may have 2^32 - 1 elements. */

/* rt_ and ri_ take the shape of t.  ri_ may be NULL: the values alone are sooner sorted. */
TH_API void THTensor_(sort)(THTensor *rt_, THLongTensor *ri_, THTensor *t, int dimension,
                            int descendingOrder);

/* The first k of each line in ascending order, or (dir not 0) in descending order; sorted, or else
 * in their order in t.  The results have size k along dim. */
TH_API void THTensor_(topk)(THTensor *rt_, THLongTensor *ri_, THTensor *t, int64_t k, int dim,
                            int dir, int sorted);

/* --- one of each line: results as those of the reductions ------------------------------------- */

/* Number k, counted from 1, of each line in ascending order. */
TH_API void THTensor_(kthvalue)(THTensor *values_, THLongTensor *indices_, THTensor *t, int64_t k,
                                int dimension, int keepdim);

/* The middle one, of an even number the one below the middle; NaN (the first) if there is one. */
TH_API void THTensor_(median)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                              int keepdim);

/* The median of all elements.  An error if there are none. */
TH_API real THTensor_(medianall)(THTensor *t);

/* The most frequent value, the smallest of several, and its last index.  NaN equals nothing: it is
 * the mode (the first one) where there is nothing else. */
TH_API void THTensor_(mode)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                            int keepdim);
