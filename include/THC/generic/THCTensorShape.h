/* As setStorageNd, except that sizes of 0 are sizes: such a tensor has dimensions and no elements.
 * Negative sizes are an error. */
THC_API void THCTensor_(setShapeNd)(THCState *state, THCTensor *self, THCStorage *storage_,
                                    ptrdiff_t storageOffset_, int nDimension, const int64_t *size,
                                    const int64_t *stride);

/* A new tensor of that shape. */
THC_API THCTensor *THCTensor_(newShapeNd)(THCState *state, THCStorage *storage_,
                                          ptrdiff_t storageOffset_, int nDimension,
                                          const int64_t *size, const int64_t *stride);

/* Exchanges sizes, strides, storage and offset of two tensors.  Cannot fail. */
THC_API void THCTensor_(exchange)(THCState *state, THCTensor *a, THCTensor *b);
