/* Functions with indices and masks.
 *
 *     THFloatTensor_indexSelect(r, t, 0, rows);      the rows of t that rows lists
 *     THFloatTensor_gather(r, t, 1, index);          r[i][j] = t[i][index[i][j]]
 *     THFloatTensor_scatterAdd(t, 1, index, src);    t[i][index[i][j]] += src[i][j]
 *     THFloatTensor_maskedSelect(r, t, mask);        those elements where mask is 1, as a vector
 *
 * Indices that are read count from TH_INDEX_BASE; those that are returned (nonzero, and max, sort
 * and the like elsewhere) from 0, always: Torch7 adds 1 to them outside of TH.  Functions that make
 * a result (the first argument of indexSelect, gather, take, maskedSelect, nonzero) resize it; it
 * may be, or share memory with, any other argument.  The others change a tensor in place, whose
 * shape stays; an argument that shares memory with it is copied first.  Where indices repeat,
 * elements are written or added in the order of the indices: the last one written stays.  Results
 * do not depend on the number of threads.
 *
 * Where elements of tensor share memory, the order is the row-major one of index, mask or src.
 * Errors: a dimension or an index out of range, shapes or counts that do not fit, a mask that holds
 * something other than 0 and 1.  The message of a bad index names the first one in row-major
 * order. */

/* --- slices: index is a vector, or empty ----------------------------------------------------- */

/* Slice i of the result is slice index[i] of src along dim. */
TH_API void THTensor_(indexSelect)(THTensor *tensor, THTensor *src, int dim, THLongTensor *index);

/* Slice index[i] of tensor becomes slice i of src (is added slice i of src).  src has as many
 * slices along dim as there are indices; its slices have as many elements as those of tensor, taken
 * in row-major order where their shapes differ. */
TH_API void THTensor_(indexCopy)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src);
TH_API void THTensor_(indexAdd)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src);

TH_API void THTensor_(indexFill)(THTensor *tensor, int dim, THLongTensor *index, real val);

/* --- along a dimension: an index for each element -------------------------------------------- */

/* For three dimensions and dim 1: tensor[i][j][k] = src[i][index[i][j][k]][k].  tensor takes the
 * shape of index, which has as many dimensions as src and is no larger in any but dim. */
TH_API void THTensor_(gather)(THTensor *tensor, THTensor *src, int dim, THLongTensor *index);

/* tensor[i][index[i][j][k]][k] = src[i][j][k], for all elements of index.  It has as many
 * dimensions as tensor and src; it is no larger than src in any, and no larger than tensor in any
 * but dim. */
TH_API void THTensor_(scatter)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src);
TH_API void THTensor_(scatterAdd)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src);
TH_API void THTensor_(scatterFill)(THTensor *tensor, int dim, THLongTensor *index, real val);

/* --- among all elements in row-major order; -1 is the last element in both index bases ------- */

/* tensor takes the shape of index. */
TH_API void THTensor_(take)(THTensor *tensor, THTensor *src, THLongTensor *index);

/* index and src have as many elements, which are paired in row-major order; accumulate not 0 adds
 * instead of writing. */
TH_API void THTensor_(put)(THTensor *tensor, THLongTensor *index, THTensor *src, int accumulate);

/* --- masks: as many elements as the tensor, paired in row-major order ------------------------ */

TH_API void THTensor_(maskedFill)(THTensor *tensor, THByteTensor *mask, real value);

/* Elements where mask is 1 become the first elements of src, one after the other; src has enough.
 */
TH_API void THTensor_(maskedCopy)(THTensor *tensor, THByteTensor *mask, THTensor *src);

/* A vector of the elements where mask is 1; without dimensions if there are none. */
TH_API void THTensor_(maskedSelect)(THTensor *tensor, THTensor *src, THByteTensor *mask);

/* A row for each element that is not 0, in row-major order, of its index in each dimension, counted
 * from 0; subscript has no dimensions if there is none.  NaN is not 0. */
TH_API void THTensor_(nonzero)(THLongTensor *subscript, THTensor *tensor);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* --- the gradient of Dirichlet samples ------------------------------------------------------- */

/* How a sample of a Beta distribution changes with its first parameter: for x of Beta(alpha, total
 * - alpha), dx / dalpha / (1 - x), where x keeps its quantile.  (Of a Dirichlet sample, element i
 * then changes by self (1 - x) and each other element x' by -self x' when the concentration alpha
 * of element i does.)  Inputs have as many elements as x; self takes the shape of x.  x outside [0,
 * 1], alpha not above 0 and total not above alpha give NaN. */
TH_API void THTensor_(dirichlet_grad)(THTensor *self, THTensor *x, THTensor *alpha,
                                      THTensor *total);

#endif
