/* Reductions: over all elements, which waits for the result, or along one dimension.  They are
 * those of THTensorReduce.h: shapes, sharing of memory, NaN and errors are the same.
 *
 * Sums are kept in accreal, float for Float and Half: so they differ from TH's in the last bits.
 * The bits of a result depend on shapes, strides and values alone.  Half is computed in float.
 * Indices count from TH_INDEX_BASE, as those that THC is given: Torch7 adds nothing to them. */

/* --- over all elements ----------------------------------------------------------------------- */

THC_API accreal THCTensor_(sumall)(THCState *state, THCTensor *self);
THC_API accreal THCTensor_(prodall)(THCState *state, THCTensor *self);

/* The quotient of whole numbers is truncated.  Errors if self is empty. */
THC_API accreal THCTensor_(meanall)(THCState *state, THCTensor *self);
THC_API real THCTensor_(minall)(THCState *state, THCTensor *self);
THC_API real THCTensor_(maxall)(THCState *state, THCTensor *self);

/* --- along a dimension ----------------------------------------------------------------------- */

THC_API void THCTensor_(sum)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim,
                             int keepdim);
THC_API void THCTensor_(prod)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim,
                              int keepdim);
THC_API void THCTensor_(mean)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim,
                              int keepdim);

/* The smallest and the largest element, and the index of the first such element, or of the first NaN. */
THC_API void THCTensor_(min)(THCState *state, THCTensor *values, THCudaLongTensor *indices,
                             THCTensor *src, THCDim dim, int keepdim);
THC_API void THCTensor_(max)(THCState *state, THCTensor *values, THCudaLongTensor *indices,
                             THCTensor *src, THCDim dim, int keepdim);

/* --- medians: those of THTensorSort.h ------------------------------------------------------- */

/* The middle one, of an even number the one below the middle; NaN (the first) if there is one. */
THC_API void THCTensor_(median)(THCState *state, THCTensor *values, THCudaLongTensor *indices,
                                THCTensor *src, THCDim dim, int keepdim);

/* The median of all elements.  An error if there are none. */
THC_API real THCTensor_(medianall)(THCState *state, THCTensor *self);

#if defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE) || defined(THC_REAL_IS_HALF)

/* --- statistics of floating types ------------------------------------------------------------ */

THC_API accreal THCTensor_(stdall)(THCState *state, THCTensor *self, int biased);
THC_API accreal THCTensor_(varall)(THCState *state, THCTensor *self, int biased);
THC_API accreal THCTensor_(normall)(THCState *state, THCTensor *self, real value);
THC_API accreal THCTensor_(dist)(THCState *state, THCTensor *self, THCTensor *src, real value);

THC_API void THCTensor_(std)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim,
                             int biased, int keepdim);
THC_API void THCTensor_(var)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim,
                             int biased, int keepdim);
THC_API void THCTensor_(norm)(THCState *state, THCTensor *self, THCTensor *src, real value,
                              THCDim dimension, int keepdim);

/* A norm that is too large for Half is infinite, and its slice becomes 0. */
THC_API void THCTensor_(renorm)(THCState *state, THCTensor *self, THCTensor *src, real value,
                                THCDim dimension, real max_norm);

#endif
