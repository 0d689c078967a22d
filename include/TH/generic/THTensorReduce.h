/* Reductions: over all elements, or along one dimension.
 *
 *     double all = THFloatTensor_sumall(t);
 *     THFloatTensor_max(values, indices, t, 1, 0);        the largest of each row, and where it is
 *
 * Functions with a dimension: r takes the shape of t with that dimension's size 1; without keepdim
 * the dimension is left out, if t has more than one; a result that has it already, with size 1 (a
 * column of a matrix), is written in place and then loses it.  Results may be t or share its
 * memory.  The bits of a result depend on shapes, strides and values, not on threads.  Sums are
 * kept in accreal (double for Float), in many partial sums that are added in pairs; sums of
 * integers wrap around; cumsum and cumprod add in the order of the line.  Indices count from 0 in
 * every build.  In max, min and their kin NaN wins: a result is NaN if an element is.
 *
 * Errors: a dimension out of range, results that share memory with each other; nothing has changed
 * then. */

/* --- over all elements ----------------------------------------------------------------------- */

/* 0 (prodall: 1) for an empty tensor. */
TH_API accreal THTensor_(sumall)(THTensor *t);
TH_API accreal THTensor_(prodall)(THTensor *t);

/* Errors if t is empty. */
TH_API real THTensor_(minall)(THTensor *t);
TH_API real THTensor_(maxall)(THTensor *t);

TH_API ptrdiff_t THTensor_(numel)(THTensor *t);

/* --- along a dimension ----------------------------------------------------------------------- */

TH_API void THTensor_(sum)(THTensor *r_, THTensor *t, int dimension, int keepdim);
TH_API void THTensor_(prod)(THTensor *r_, THTensor *t, int dimension, int keepdim);

/* The largest (smallest) element and the index of the first such one; the first NaN, if there is
 * one.  Errors if the dimension has size 0. */
TH_API void THTensor_(max)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                           int keepdim);
TH_API void THTensor_(min)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                           int keepdim);

/* The largest (smallest) element alone, in less time than with its index; NaN, if there is one.
 * Infinite, or the type's smallest (largest) number, if the dimension has size 0. */
TH_API void THTensor_(amax)(THTensor *r_, THTensor *t, int dimension, int keepdim);
TH_API void THTensor_(amin)(THTensor *r_, THTensor *t, int dimension, int keepdim);

/* r_, which is given the squeezed shape of a reduction of a tensor of in_dims dimensions, gets the
 * reduced dimension back, with size 1; in all other cases nothing happens. */
TH_API void THTensor_(preserveReduceDimSemantics)(THTensor *r_, int in_dims, int reduce_dimension,
                                                  int keepdim);

/* The sum of the diagonal of a matrix. */
TH_API accreal THTensor_(trace)(THTensor *t);

/* Same sizes and equal elements: 1, else 0.  0 equals -0, NaN equals nothing. */
TH_API int THTensor_(equal)(THTensor *ta, THTensor *tb);

/* --- cumulative sums and products: r_ takes the shape of t ----------------------------------- */

/* Element i along dimension becomes the sum (product) of elements 0 .. i, added in that order in
 * accreal. */
TH_API void THTensor_(cumsum)(THTensor *r_, THTensor *t, int dimension);
TH_API void THTensor_(cumprod)(THTensor *r_, THTensor *t, int dimension);

#if defined(TH_REAL_IS_BYTE)

/* All elements (some element) are not 0; of no elements all are. */
TH_API int THTensor_(logicalall)(THTensor *self);
TH_API int THTensor_(logicalany)(THTensor *self);

#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* --- statistics of floating types ------------------------------------------------------------ */

/* Errors if self is empty.  The variance divides by the number of elements if biased, by one less
 * if not: NaN then for a single element.  It is exactly 0 for equal elements. */
TH_API accreal THTensor_(meanall)(THTensor *self);
TH_API accreal THTensor_(varall)(THTensor *self, int biased);
TH_API accreal THTensor_(stdall)(THTensor *self, int biased);

/* (sum of |element|^value)^(1/value); value 0 counts what is not 0, +-inf give the largest and the
 * smallest |element|. 0 for an empty tensor. */
TH_API accreal THTensor_(normall)(THTensor *t, real value);

TH_API void THTensor_(mean)(THTensor *r_, THTensor *t, int dimension, int keepdim);
TH_API void THTensor_(std)(THTensor *r_, THTensor *t, int dimension, int biased, int keepdim);
TH_API void THTensor_(var)(THTensor *r_, THTensor *t, int dimension, int biased, int keepdim);
TH_API void THTensor_(norm)(THTensor *r_, THTensor *t, real value, int dimension, int keepdim);

/* The norm of a - b, element by element in row-major order; both have as many elements. */
TH_API accreal THTensor_(dist)(THTensor *a, THTensor *b, real value);

/* r_ = t, whose slices along dimension are scaled down to the norm maxnorm where theirs is larger.
 * Errors: fewer than two dimensions, value not above 0, maxnorm below 0. */
TH_API void THTensor_(renorm)(THTensor *r_, THTensor *t, real value, int dimension, real maxnorm);

/* hist, of size nbins, counts the elements in nbins intervals of equal width from minvalue to
 * maxvalue, the last of which includes maxvalue; elements outside, and NaN, are not counted.  If
 * minvalue equals maxvalue, the smallest and the largest element replace them; if these are equal
 * too, the range goes 1 beyond on either side.  Errors: nbins below 1, minvalue above maxvalue, a
 * range that is not finite. */
TH_API void THTensor_(histc)(THTensor *hist, THTensor *tensor, int64_t nbins, real minvalue,
                             real maxvalue);

/* histc of each row of a matrix, over one range for all rows: hist has a row of nbins for each row.  A vector is
 * one row. */
TH_API void THTensor_(bhistc)(THTensor *hist, THTensor *tensor, int64_t nbins, real minvalue,
                              real maxvalue);

#endif
