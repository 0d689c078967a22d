/* --- slices: index is a vector, or empty ----------------------------------------------------- */

THC_API void THCTensor_(indexSelect)(THCState *state, THCTensor *tensor, THCTensor *src, int dim,
                                     THCudaLongTensor *index);
THC_API void THCTensor_(indexCopy)(THCState *state, THCTensor *res_, int dim,
                                   THCudaLongTensor *indices, THCTensor *src);
THC_API void THCTensor_(indexAdd)(THCState *state, THCTensor *res_, int dim,
                                  THCudaLongTensor *indices, THCTensor *src);
THC_API void THCTensor_(indexFill)(THCState *state, THCTensor *tensor, int dim,
                                   THCudaLongTensor *index, real val);

/* The functions above with an index on the host, whose values are checked before anything is done. */
THC_API void THCTensor_(indexSelect_long)(THCState *state, THCTensor *tensor, THCTensor *src,
                                          int dim, struct THLongTensor *index);
THC_API void THCTensor_(indexCopy_long)(THCState *state, THCTensor *res_, int dim,
                                        struct THLongTensor *indices, THCTensor *src);
THC_API void THCTensor_(indexAdd_long)(THCState *state, THCTensor *res_, int dim,
                                       struct THLongTensor *indices, THCTensor *src);
THC_API void THCTensor_(indexFill_long)(THCState *state, THCTensor *tensor, int dim,
                                        struct THLongTensor *index, real val);

/* --- among all elements in row-major order; -1 is the last element --------------------------- */

THC_API void THCTensor_(take)(THCState *state, THCTensor *res_, THCTensor *src,
                              THCudaLongTensor *index);
THC_API void THCTensor_(put)(THCState *state, THCTensor *res_, THCudaLongTensor *indices,
                             THCTensor *src, int accumulate);

/* Where in the storage of indexed, from baseOffset on, the elements of an advanced index lie:
 * output becomes a vector of their offsets, in row-major order.  indexers has as many entries as
 * indexed has dimensions; NULL stands for all of a dimension.  The others are neighbours, have as
 * many elements each, which are taken together, and count from the end where negative. */
THC_API void THCTensor_(calculateAdvancedIndexingOffsets)(THCState *state, THCudaLongTensor *output,
                                                          THCTensor *indexed, ptrdiff_t baseOffset,
                                                          THCudaLongTensor **indexers);

/* A row for each element that is not 0, in row-major order, of its index in each dimension, counted
 * from TH_INDEX_BASE; subscript has no dimensions if there is none.  NaN is not 0.  Waits for their
 * number. */
THC_API void THCTensor_(nonzero)(THCState *state, THCudaLongTensor *tensor, THCTensor *self);
