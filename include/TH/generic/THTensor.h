/* Read fields freely; the functions keep them consistent. */
typedef struct THTensor {
  int64_t *size;   /* NULL when nDimension is 0 */
  int64_t *stride; /* in elements; NULL when nDimension is 0 */
  int nDimension;
  THStorage *storage; /* NULL until there is an element */
  ptrdiff_t storageOffset;
  int refcount;
  char flag; /* TH_TENSOR_REFCOUNTED */
} THTensor;

/* --- reading --------------------------------------------------------------------------------- */

/* The storage itself, not counted once more; NULL if there is none. */
TH_API THStorage *THTensor_(storage)(const THTensor *self);
TH_API ptrdiff_t THTensor_(storageOffset)(const THTensor *self);
TH_API int THTensor_(nDimension)(const THTensor *self);
TH_API int64_t THTensor_(size)(const THTensor *self, int dim);
TH_API int64_t THTensor_(stride)(const THTensor *self, int dim);

/* New storages of nDimension elements; the caller frees them. */
TH_API THLongStorage *THTensor_(newSizeOf)(THTensor *self);
TH_API THLongStorage *THTensor_(newStrideOf)(THTensor *self);

/* The address of the first element, NULL if there is none. */
TH_API real *THTensor_(data)(const THTensor *self);

TH_API void THTensor_(setFlag)(THTensor *self, const char flag);
TH_API void THTensor_(clearFlag)(THTensor *self, const char flag);

/* Whether elements are in row-major order without gaps.  (True for an empty tensor.) */
TH_API int THTensor_(isContiguous)(const THTensor *self);
TH_API int THTensor_(isSameSizeAs)(const THTensor *self, const THTensor *src);
/* Whether both have the same storage, offset, sizes and strides. */
TH_API int THTensor_(isSetTo)(const THTensor *self, const THTensor *src);
TH_API int THTensor_(isSize)(const THTensor *self, const THLongStorage *dims);
TH_API ptrdiff_t THTensor_(nElement)(const THTensor *self);

/* --- making one ------------------------------------------------------------------------------ */

TH_API THTensor *THTensor_(new)(void);

/* A new tensor with the storage, offset, sizes and strides of tensor. */
TH_API THTensor *THTensor_(newWithTensor)(THTensor *tensor);

/* A view of storage_ (NULL: of a new one) from element storageOffset_ on.  stride_ NULL, or an
 * entry below 0, means row-major.  stride_ without size_ is an error; both NULL make one dimension
 * of the whole storage (newWithStorage) or an empty view. A resizable storage grows if the view
 * needs more; another one is an error. */
TH_API THTensor *THTensor_(newWithStorage)(THStorage *storage_, ptrdiff_t storageOffset_,
                                           THLongStorage *size_, THLongStorage *stride_);
TH_API THTensor *THTensor_(newWithStorage1d)(THStorage *storage_, ptrdiff_t storageOffset_,
                                             int64_t size0_, int64_t stride0_);
TH_API THTensor *THTensor_(newWithStorage2d)(THStorage *storage_, ptrdiff_t storageOffset_,
                                             int64_t size0_, int64_t stride0_, int64_t size1_,
                                             int64_t stride1_);
TH_API THTensor *THTensor_(newWithStorage3d)(THStorage *storage_, ptrdiff_t storageOffset_,
                                             int64_t size0_, int64_t stride0_, int64_t size1_,
                                             int64_t stride1_, int64_t size2_, int64_t stride2_);
TH_API THTensor *THTensor_(newWithStorage4d)(THStorage *storage_, ptrdiff_t storageOffset_,
                                             int64_t size0_, int64_t stride0_, int64_t size1_,
                                             int64_t stride1_, int64_t size2_, int64_t stride2_,
                                             int64_t size3_, int64_t stride3_);

/* Uninitialised, in new memory; stride_ may be NULL (row-major).  Sizes end at the first one
 * below 1. */
TH_API THTensor *THTensor_(newWithSize)(THLongStorage *size_, THLongStorage *stride_);
TH_API THTensor *THTensor_(newWithSize1d)(int64_t size0_);
TH_API THTensor *THTensor_(newWithSize2d)(int64_t size0_, int64_t size1_);
TH_API THTensor *THTensor_(newWithSize3d)(int64_t size0_, int64_t size1_, int64_t size2_);
TH_API THTensor *THTensor_(newWithSize4d)(int64_t size0_, int64_t size1_, int64_t size2_,
                                          int64_t size3_);

/* A contiguous copy. */
TH_API THTensor *THTensor_(newClone)(THTensor *self);

/* The tensor itself, counted once more, if it is contiguous; else a contiguous copy. */
TH_API THTensor *THTensor_(newContiguous)(THTensor *tensor);

/* Views of tensor, as the functions of the same name below. */
TH_API THTensor *THTensor_(newSelect)(THTensor *tensor, int dimension_, int64_t sliceIndex_);
TH_API THTensor *THTensor_(newNarrow)(THTensor *tensor, int dimension_, int64_t firstIndex_,
                                      int64_t size_);
TH_API THTensor *THTensor_(newTranspose)(THTensor *tensor, int dimension1_, int dimension2_);
TH_API THTensor *THTensor_(newUnfold)(THTensor *tensor, int dimension_, int64_t size_,
                                      int64_t step_);

/* A view with other sizes and the same elements in the same order; one size may be -1.  An error
 * where the strides do not allow it. */
TH_API THTensor *THTensor_(newView)(THTensor *tensor, THLongStorage *size);
TH_API THTensor *THTensor_(newExpand)(THTensor *tensor, THLongStorage *size);

/* --- views: self becomes a view of src (or, where src is NULL, of itself) -------------------- */

/* Dimensions of size 1, and new ones in front, repeated up to size, with stride 0. */
TH_API void THTensor_(expand)(THTensor *r, THTensor *tensor, THLongStorage *size);

/* rets[i] becomes ops[i] expanded to the shape that all count of them broadcast to. */
TH_API void THTensor_(expandNd)(THTensor **rets, THTensor **ops, int count);

TH_API void THTensor_(set)(THTensor *self, THTensor *src);

/* self becomes the view that newWithStorage makes. */
TH_API void THTensor_(setStorage)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                                  THLongStorage *size_, THLongStorage *stride_);
TH_API void THTensor_(setStorageNd)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                                    int nDimension, int64_t *size, int64_t *stride);
TH_API void THTensor_(setStorage1d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                                    int64_t size0_, int64_t stride0_);
TH_API void THTensor_(setStorage2d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                                    int64_t size0_, int64_t stride0_, int64_t size1_,
                                    int64_t stride1_);
TH_API void THTensor_(setStorage3d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                                    int64_t size0_, int64_t stride0_, int64_t size1_,
                                    int64_t stride1_, int64_t size2_, int64_t stride2_);
TH_API void THTensor_(setStorage4d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                                    int64_t size0_, int64_t stride0_, int64_t size1_,
                                    int64_t stride1_, int64_t size2_, int64_t stride2_,
                                    int64_t size3_, int64_t stride3_);

/* size_ elements of dimension_ from firstIndex_ on. */
TH_API void THTensor_(narrow)(THTensor *self, THTensor *src, int dimension_, int64_t firstIndex_,
                              int64_t size_);
/* The slice at sliceIndex_, without dimension_; src has two dimensions or more. */
TH_API void THTensor_(select)(THTensor *self, THTensor *src, int dimension_, int64_t sliceIndex_);
TH_API void THTensor_(transpose)(THTensor *self, THTensor *src, int dimension1_, int dimension2_);
/* Windows of size_ elements, step_ apart: dimension_ counts them, a new last dimension runs in
 * them. */
TH_API void THTensor_(unfold)(THTensor *self, THTensor *src, int dimension_, int64_t size_,
                              int64_t step_);
/* src without the dimensions of size 1 (squeeze1d: without dimension_, if its size is 1). */
TH_API void THTensor_(squeeze)(THTensor *self, THTensor *src);
TH_API void THTensor_(squeeze1d)(THTensor *self, THTensor *src, int dimension_);
/* src with a new dimension of size 1 at dimension_. */
TH_API void THTensor_(unsqueeze1d)(THTensor *self, THTensor *src, int dimension_);

/* --- resizing -------------------------------------------------------------------------------- */

/* Changes the shape.  Where it changes nothing, neither do the strides; else the tensor becomes
 * row-major (or takes stride), its storage grows if it has to, and elements keep their offsets in
 * the storage.  Sizes end at the first one below 1; a stride below 0 means row-major.  After an
 * error everything is as before. */
TH_API void THTensor_(resize)(THTensor *tensor, THLongStorage *size, THLongStorage *stride);
TH_API void THTensor_(resizeAs)(THTensor *tensor, THTensor *src);
TH_API void THTensor_(resizeNd)(THTensor *tensor, int nDimension, int64_t *size, int64_t *stride);
TH_API void THTensor_(resize1d)(THTensor *tensor, int64_t size0_);
TH_API void THTensor_(resize2d)(THTensor *tensor, int64_t size0_, int64_t size1_);
TH_API void THTensor_(resize3d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_);
TH_API void THTensor_(resize4d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_,
                                int64_t size3_);
TH_API void THTensor_(resize5d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_,
                                int64_t size3_, int64_t size4_);

/* --- counts ---------------------------------------------------------------------------------- */

TH_API void THTensor_(retain)(THTensor *self);
TH_API void THTensor_(free)(THTensor *self); /* NULL is nothing to free */

/* Copies self to dst, unless they are the same, and frees self. */
TH_API void THTensor_(freeCopyTo)(THTensor *self, THTensor *dst);

/* --- single elements, indices checked -------------------------------------------------------- */

TH_API void THTensor_(set1d)(THTensor *tensor, int64_t x0, real value);
TH_API void THTensor_(set2d)(THTensor *tensor, int64_t x0, int64_t x1, real value);
TH_API void THTensor_(set3d)(THTensor *tensor, int64_t x0, int64_t x1, int64_t x2, real value);
TH_API void THTensor_(set4d)(THTensor *tensor, int64_t x0, int64_t x1, int64_t x2, int64_t x3,
                             real value);

TH_API real THTensor_(get1d)(const THTensor *tensor, int64_t x0);
TH_API real THTensor_(get2d)(const THTensor *tensor, int64_t x0, int64_t x1);
TH_API real THTensor_(get3d)(const THTensor *tensor, int64_t x0, int64_t x1, int64_t x2);
TH_API real THTensor_(get4d)(const THTensor *tensor, int64_t x0, int64_t x1, int64_t x2,
                             int64_t x3);

/* --- descriptions ---------------------------------------------------------------------------- */

/* "torch.FloatTensor of size 2x3"; a text that is too long ends in "...". */
TH_API THDescBuff THTensor_(desc)(const THTensor *tensor);
/* "[2 x 3]" */
TH_API THDescBuff THTensor_(sizeDesc)(const THTensor *tensor);
