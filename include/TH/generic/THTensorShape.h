/* As setStorageNd, except that sizes of 0 are sizes: such a tensor has dimensions and no elements.
 * Negative sizes are an error. */
TH_API void THTensor_(setShapeNd)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                                  int nDimension, const int64_t *size, const int64_t *stride);

/* A new tensor of that shape. */
TH_API THTensor *THTensor_(newShapeNd)(THStorage *storage_, ptrdiff_t storageOffset_,
                                       int nDimension, const int64_t *size, const int64_t *stride);

/* Exchanges sizes, strides, storage and offset of two tensors.  Cannot fail. */
TH_API void THTensor_(exchange)(THTensor *a, THTensor *b);
