/* Read fields freely; the functions keep them consistent. */
typedef struct THCTensor {
  int64_t *size;   /* NULL when nDimension is 0 */
  int64_t *stride; /* in elements; NULL when nDimension is 0 */
  int nDimension;
  THCStorage *storage; /* NULL until there is an element */
  ptrdiff_t storageOffset;
  int refcount;
  char flag; /* TH_TENSOR_REFCOUNTED */
} THCTensor;

/* --- reading --------------------------------------------------------------------------------- */

/* The storage itself, not counted once more; NULL if there is none. */
THC_API THCStorage *THCTensor_(storage)(THCState *state, const THCTensor *self);
THC_API ptrdiff_t THCTensor_(storageOffset)(THCState *state, const THCTensor *self);
THC_API int THCTensor_(nDimension)(THCState *state, const THCTensor *self);
THC_API int64_t THCTensor_(size)(THCState *state, const THCTensor *self, int dim);
THC_API int64_t THCTensor_(stride)(THCState *state, const THCTensor *self, int dim);

/* New storages of nDimension elements; the caller frees them. */
THC_API THLongStorage *THCTensor_(newSizeOf)(THCState *state, THCTensor *self);
THC_API THLongStorage *THCTensor_(newStrideOf)(THCState *state, THCTensor *self);

/* The address of the first element, NULL if there is none. */
THC_API real *THCTensor_(data)(THCState *state, const THCTensor *self);

THC_API void THCTensor_(setFlag)(THCState *state, THCTensor *self, const char flag);
THC_API void THCTensor_(clearFlag)(THCState *state, THCTensor *self, const char flag);

/* Elements lie in row-major order without gaps.  (True of an empty tensor.) */
THC_API int THCTensor_(isContiguous)(THCState *state, const THCTensor *self);
THC_API int THCTensor_(isSameSizeAs)(THCState *state, const THCTensor *self, const THCTensor *src);
/* Whether both have the same storage, offset, sizes and strides. */
THC_API int THCTensor_(isSetTo)(THCState *state, const THCTensor *self, const THCTensor *src);
THC_API int THCTensor_(isSize)(THCState *state, const THCTensor *self, const THLongStorage *dims);
THC_API ptrdiff_t THCTensor_(nElement)(THCState *state, const THCTensor *self);

/* --- making one ------------------------------------------------------------------------------ */

THC_API THCTensor *THCTensor_(new)(THCState *state);

/* A new tensor with the storage, offset, sizes and strides of tensor. */
THC_API THCTensor *THCTensor_(newWithTensor)(THCState *state, THCTensor *tensor);

/* A view of storage_ (NULL: of a new one) from element storageOffset_ on.  stride_ NULL, or an
 * entry below 0, means row-major.  stride_ without size_ is an error; both NULL make one dimension
 * of the whole storage (newWithStorage) or an empty view. A resizable storage grows if the view
 * needs more; another one is an error. */
THC_API THCTensor *THCTensor_(newWithStorage)(THCState *state, THCStorage *storage_,
                                              ptrdiff_t storageOffset_, THLongStorage *size_,
                                              THLongStorage *stride_);
THC_API THCTensor *THCTensor_(newWithStorage1d)(THCState *state, THCStorage *storage_,
                                                ptrdiff_t storageOffset_, int64_t size0_,
                                                int64_t stride0_);
THC_API THCTensor *THCTensor_(newWithStorage2d)(THCState *state, THCStorage *storage_,
                                                ptrdiff_t storageOffset_, int64_t size0_,
                                                int64_t stride0_, int64_t size1_, int64_t stride1_);
THC_API THCTensor *THCTensor_(newWithStorage3d)(THCState *state, THCStorage *storage_,
                                                ptrdiff_t storageOffset_, int64_t size0_,
                                                int64_t stride0_, int64_t size1_, int64_t stride1_,
                                                int64_t size2_, int64_t stride2_);
THC_API THCTensor *THCTensor_(newWithStorage4d)(THCState *state, THCStorage *storage_,
                                                ptrdiff_t storageOffset_, int64_t size0_,
                                                int64_t stride0_, int64_t size1_, int64_t stride1_,
                                                int64_t size2_, int64_t stride2_, int64_t size3_,
                                                int64_t stride3_);

/* Uninitialised, in new memory; stride_ may be NULL (row-major).  Sizes end at the first one
 * below 1. */
THC_API THCTensor *THCTensor_(newWithSize)(THCState *state, THLongStorage *size_,
                                           THLongStorage *stride_);
THC_API THCTensor *THCTensor_(newWithSize1d)(THCState *state, int64_t size0_);
THC_API THCTensor *THCTensor_(newWithSize2d)(THCState *state, int64_t size0_, int64_t size1_);
THC_API THCTensor *THCTensor_(newWithSize3d)(THCState *state, int64_t size0_, int64_t size1_,
                                             int64_t size2_);
THC_API THCTensor *THCTensor_(newWithSize4d)(THCState *state, int64_t size0_, int64_t size1_,
                                             int64_t size2_, int64_t size3_);

/* A contiguous copy. */
THC_API THCTensor *THCTensor_(newClone)(THCState *state, THCTensor *self);

/* The tensor itself, counted once more, if it is contiguous; else a contiguous copy. */
THC_API THCTensor *THCTensor_(newContiguous)(THCState *state, THCTensor *tensor);

/* Views of tensor, as the functions of the same name below. */
THC_API THCTensor *THCTensor_(newSelect)(THCState *state, THCTensor *tensor, int dimension_,
                                         int64_t sliceIndex_);
THC_API THCTensor *THCTensor_(newNarrow)(THCState *state, THCTensor *tensor, int dimension_,
                                         int64_t firstIndex_, int64_t size_);
THC_API THCTensor *THCTensor_(newTranspose)(THCState *state, THCTensor *tensor, int dimension1_,
                                            int dimension2_);
THC_API THCTensor *THCTensor_(newUnfold)(THCState *state, THCTensor *tensor, int dimension_,
                                         int64_t size_, int64_t step_);

/* A view with other sizes and the same elements in the same order; one size may be -1.  An error
 * where the strides do not allow it. */
THC_API THCTensor *THCTensor_(newView)(THCState *state, THCTensor *tensor, THLongStorage *size);
/* A view in which the first two dimensions are one: a batch of planes as planes. */
THC_API THCTensor *THCTensor_(newFoldBatchDim)(THCState *state, THCTensor *input);
THC_API THCTensor *THCTensor_(newExpand)(THCState *state, THCTensor *tensor, THLongStorage *size);

/* --- views: self becomes a view of src (or, where src is NULL, of itself) -------------------- */

/* Dimensions of size 1, and new ones in front, repeated up to size, with stride 0. */
THC_API void THCTensor_(expand)(THCState *state, THCTensor *r, THCTensor *tensor,
                                THLongStorage *size);

/* rets[i] becomes ops[i] expanded to the shape that all count of them broadcast to. */
THC_API void THCTensor_(expandNd)(THCState *state, THCTensor **rets, THCTensor **ops, int count);

THC_API void THCTensor_(set)(THCState *state, THCTensor *self, THCTensor *src);

/* self becomes the view that newWithStorage makes. */
THC_API void THCTensor_(setStorage)(THCState *state, THCTensor *self, THCStorage *storage_,
                                    ptrdiff_t storageOffset_, THLongStorage *size_,
                                    THLongStorage *stride_);
THC_API void THCTensor_(setStorageNd)(THCState *state, THCTensor *self, THCStorage *storage_,
                                      ptrdiff_t storageOffset_, int nDimension, int64_t *size,
                                      int64_t *stride);
THC_API void THCTensor_(setStorage1d)(THCState *state, THCTensor *self, THCStorage *storage_,
                                      ptrdiff_t storageOffset_, int64_t size0_, int64_t stride0_);
THC_API void THCTensor_(setStorage2d)(THCState *state, THCTensor *self, THCStorage *storage_,
                                      ptrdiff_t storageOffset_, int64_t size0_, int64_t stride0_,
                                      int64_t size1_, int64_t stride1_);
THC_API void THCTensor_(setStorage3d)(THCState *state, THCTensor *self, THCStorage *storage_,
                                      ptrdiff_t storageOffset_, int64_t size0_, int64_t stride0_,
                                      int64_t size1_, int64_t stride1_, int64_t size2_,
                                      int64_t stride2_);
THC_API void THCTensor_(setStorage4d)(THCState *state, THCTensor *self, THCStorage *storage_,
                                      ptrdiff_t storageOffset_, int64_t size0_, int64_t stride0_,
                                      int64_t size1_, int64_t stride1_, int64_t size2_,
                                      int64_t stride2_, int64_t size3_, int64_t stride3_);

/* size_ elements of dimension_ from firstIndex_ on. */
THC_API void THCTensor_(narrow)(THCState *state, THCTensor *self, THCTensor *src, int dimension_,
                                int64_t firstIndex_, int64_t size_);
/* The slice at sliceIndex_, without dimension_; src has two dimensions or more. */
THC_API void THCTensor_(select)(THCState *state, THCTensor *self, THCTensor *src, int dimension_,
                                int64_t sliceIndex_);
THC_API void THCTensor_(transpose)(THCState *state, THCTensor *self, THCTensor *src,
                                   int dimension1_, int dimension2_);
/* Windows of size_ elements, step_ apart: dimension_ counts them, a new last dimension runs in
 * them. */
THC_API void THCTensor_(unfold)(THCState *state, THCTensor *self, THCTensor *src, int dimension_,
                                int64_t size_, int64_t step_);
/* src without the dimensions of size 1 (squeeze1d: without dimension_, if its size is 1). */
THC_API void THCTensor_(squeeze)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(squeeze1d)(THCState *state, THCTensor *self, THCTensor *src,
                                   int dimension_);
/* src with a new dimension of size 1 at dimension_. */
THC_API void THCTensor_(unsqueeze1d)(THCState *state, THCTensor *self, THCTensor *src,
                                     int dimension_);

/* --- resizing -------------------------------------------------------------------------------- */

/* Changes the shape.  If the shape stays the same, so do the strides; else the tensor becomes
 * row-major (or takes stride), its storage grows if it has to, and elements keep their offset in
 * the storage.  Sizes end at the first one below 1; a stride below 0 means row-major.  After an
 * error everything is as before. */
THC_API void THCTensor_(resize)(THCState *state, THCTensor *tensor, THLongStorage *size,
                                THLongStorage *stride);
THC_API void THCTensor_(resizeAs)(THCState *state, THCTensor *tensor, THCTensor *src);
THC_API void THCTensor_(resizeNd)(THCState *state, THCTensor *tensor, int nDimension, int64_t *size,
                                  int64_t *stride);
THC_API void THCTensor_(resize1d)(THCState *state, THCTensor *tensor, int64_t size0_);
THC_API void THCTensor_(resize2d)(THCState *state, THCTensor *tensor, int64_t size0_,
                                  int64_t size1_);
THC_API void THCTensor_(resize3d)(THCState *state, THCTensor *tensor, int64_t size0_,
                                  int64_t size1_, int64_t size2_);
THC_API void THCTensor_(resize4d)(THCState *state, THCTensor *tensor, int64_t size0_,
                                  int64_t size1_, int64_t size2_, int64_t size3_);
THC_API void THCTensor_(resize5d)(THCState *state, THCTensor *tensor, int64_t size0_,
                                  int64_t size1_, int64_t size2_, int64_t size3_, int64_t size4_);

/* --- counts ---------------------------------------------------------------------------------- */

THC_API void THCTensor_(retain)(THCState *state, THCTensor *self);
THC_API void THCTensor_(free)(THCState *state, THCTensor *self); /* NULL is nothing to free */

/* Copies self to dst, unless they are the same, and frees self. */
THC_API void THCTensor_(freeCopyTo)(THCState *state, THCTensor *self, THCTensor *dst);

/* --- single elements, indices checked; they wait for the current stream ---------------------- */

THC_API void THCTensor_(set1d)(THCState *state, THCTensor *tensor, int64_t x0, real value);
THC_API void THCTensor_(set2d)(THCState *state, THCTensor *tensor, int64_t x0, int64_t x1,
                               real value);
THC_API void THCTensor_(set3d)(THCState *state, THCTensor *tensor, int64_t x0, int64_t x1,
                               int64_t x2, real value);
THC_API void THCTensor_(set4d)(THCState *state, THCTensor *tensor, int64_t x0, int64_t x1,
                               int64_t x2, int64_t x3, real value);

THC_API real THCTensor_(get1d)(THCState *state, const THCTensor *tensor, int64_t x0);
THC_API real THCTensor_(get2d)(THCState *state, const THCTensor *tensor, int64_t x0, int64_t x1);
THC_API real THCTensor_(get3d)(THCState *state, const THCTensor *tensor, int64_t x0, int64_t x1,
                               int64_t x2);
THC_API real THCTensor_(get4d)(THCState *state, const THCTensor *tensor, int64_t x0, int64_t x1,
                               int64_t x2, int64_t x3);

/* --- descriptions ---------------------------------------------------------------------------- */

/* "[2 x 3]"; what does not fit ends in "...". */
THC_API THCDescBuff THCTensor_(sizeDesc)(THCState *state, const THCTensor *tensor);

/* --- devices --------------------------------------------------------------------------------- */

/* The device of the storage, -1 where there is none. */
THC_API int THCTensor_(getDevice)(THCState *state, const THCTensor *self);

/* Whether kernels of the current device may use the nTensors tensors (of any type) that follow:
 * each is NULL, or has no memory yet, or is on that device or on one that kernels may access. */
THC_API int THCTensor_(checkGPU)(THCState *state, unsigned int nTensors, ...);

/* A texture of a contiguous tensor's elements, which the caller destroys.  An error for Long and
 * Double, which textures do not have, for an empty tensor, and for one that is larger than the
 * device's textures are. */
THC_API cudaTextureObject_t THCTensor_(getTextureObject)(THCState *state, THCTensor *self);
