/* The functions on tensors that are TH's templates, compiled for the device: one row each.
 *
 *     ROW(result, name, (parameters), (arguments))
 *
 * A row declares what the template defines (THCDevice.h) and makes the public function, which takes
 * the state in front (tensor/THCTensor.c).  The including file defines ROW, which is forgotten at the
 * end. */
ROW(THCStorage *, storage, (const THCTensor *self), (self))
ROW(ptrdiff_t, storageOffset, (const THCTensor *self), (self))
ROW(int, nDimension, (const THCTensor *self), (self))
ROW(int64_t, size, (const THCTensor *self, int dim), (self, dim))
ROW(int64_t, stride, (const THCTensor *self, int dim), (self, dim))
ROW(THLongStorage *, newSizeOf, (THCTensor * self), (self))
ROW(THLongStorage *, newStrideOf, (THCTensor * self), (self))
ROW(real *, data, (const THCTensor *self), (self))
ROW(void, setFlag, (THCTensor * self, const char flag), (self, flag))
ROW(void, clearFlag, (THCTensor * self, const char flag), (self, flag))
ROW(int, isContiguous, (const THCTensor *self), (self))
ROW(int, isSameSizeAs, (const THCTensor *self, const THCTensor *src), (self, src))
ROW(int, isSetTo, (const THCTensor *self, const THCTensor *src), (self, src))
ROW(int, isSize, (const THCTensor *self, const THLongStorage *dims), (self, dims))
ROW(ptrdiff_t, nElement, (const THCTensor *self), (self))
ROW(THCTensor *, newWithTensor, (THCTensor * tensor), (tensor))
ROW(THCTensor *, newWithStorage,
    (THCStorage * storage, ptrdiff_t offset, THLongStorage *size, THLongStorage *stride),
    (storage, offset, size, stride))
ROW(THCTensor *, newWithStorage1d,
    (THCStorage * storage, ptrdiff_t offset, int64_t size0, int64_t stride0),
    (storage, offset, size0, stride0))
ROW(THCTensor *, newWithStorage2d,
    (THCStorage * storage, ptrdiff_t offset, int64_t size0, int64_t stride0, int64_t size1,
     int64_t stride1),
    (storage, offset, size0, stride0, size1, stride1))
ROW(THCTensor *, newWithStorage3d,
    (THCStorage * storage, ptrdiff_t offset, int64_t size0, int64_t stride0, int64_t size1,
     int64_t stride1, int64_t size2, int64_t stride2),
    (storage, offset, size0, stride0, size1, stride1, size2, stride2))
ROW(THCTensor *, newWithStorage4d,
    (THCStorage * storage, ptrdiff_t offset, int64_t size0, int64_t stride0, int64_t size1,
     int64_t stride1, int64_t size2, int64_t stride2, int64_t size3, int64_t stride3),
    (storage, offset, size0, stride0, size1, stride1, size2, stride2, size3, stride3))
ROW(THCTensor *, newWithSize, (THLongStorage * size, THLongStorage *stride), (size, stride))
ROW(THCTensor *, newWithSize1d, (int64_t size0), (size0))
ROW(THCTensor *, newWithSize2d, (int64_t size0, int64_t size1), (size0, size1))
ROW(THCTensor *, newWithSize3d, (int64_t size0, int64_t size1, int64_t size2),
    (size0, size1, size2))
ROW(THCTensor *, newWithSize4d, (int64_t size0, int64_t size1, int64_t size2, int64_t size3),
    (size0, size1, size2, size3))
ROW(THCTensor *, newClone, (THCTensor * self), (self))
ROW(THCTensor *, newContiguous, (THCTensor * tensor), (tensor))
ROW(THCTensor *, newSelect, (THCTensor * tensor, int dimension, int64_t index),
    (tensor, dimension, index))
ROW(THCTensor *, newNarrow, (THCTensor * tensor, int dimension, int64_t first, int64_t size),
    (tensor, dimension, first, size))
ROW(THCTensor *, newTranspose, (THCTensor * tensor, int dimension1, int dimension2),
    (tensor, dimension1, dimension2))
ROW(THCTensor *, newUnfold, (THCTensor * tensor, int dimension, int64_t size, int64_t step),
    (tensor, dimension, size, step))
ROW(THCTensor *, newView, (THCTensor * tensor, THLongStorage *size), (tensor, size))
ROW(THCTensor *, newExpand, (THCTensor * tensor, THLongStorage *size), (tensor, size))
ROW(void, expand, (THCTensor * r, THCTensor *tensor, THLongStorage *size), (r, tensor, size))
ROW(void, expandNd, (THCTensor * *rets, THCTensor **ops, int count), (rets, ops, count))
ROW(void, resize, (THCTensor * tensor, THLongStorage *size, THLongStorage *stride),
    (tensor, size, stride))
ROW(void, resizeAs, (THCTensor * tensor, THCTensor *src), (tensor, src))
ROW(void, resizeNd, (THCTensor * tensor, int nDimension, int64_t *size, int64_t *stride),
    (tensor, nDimension, size, stride))
ROW(void, resize1d, (THCTensor * tensor, int64_t size0), (tensor, size0))
ROW(void, resize2d, (THCTensor * tensor, int64_t size0, int64_t size1), (tensor, size0, size1))
ROW(void, resize3d, (THCTensor * tensor, int64_t size0, int64_t size1, int64_t size2),
    (tensor, size0, size1, size2))
ROW(void, resize4d,
    (THCTensor * tensor, int64_t size0, int64_t size1, int64_t size2, int64_t size3),
    (tensor, size0, size1, size2, size3))
ROW(void, resize5d,
    (THCTensor * tensor, int64_t size0, int64_t size1, int64_t size2, int64_t size3, int64_t size4),
    (tensor, size0, size1, size2, size3, size4))
ROW(void, set, (THCTensor * self, THCTensor *src), (self, src))
ROW(void, setStorage,
    (THCTensor * self, THCStorage *storage, ptrdiff_t offset, THLongStorage *size,
     THLongStorage *stride),
    (self, storage, offset, size, stride))
ROW(void, setStorageNd,
    (THCTensor * self, THCStorage *storage, ptrdiff_t offset, int nDimension, int64_t *size,
     int64_t *stride),
    (self, storage, offset, nDimension, size, stride))
ROW(void, setStorage1d,
    (THCTensor * self, THCStorage *storage, ptrdiff_t offset, int64_t size0, int64_t stride0),
    (self, storage, offset, size0, stride0))
ROW(void, setStorage2d,
    (THCTensor * self, THCStorage *storage, ptrdiff_t offset, int64_t size0, int64_t stride0,
     int64_t size1, int64_t stride1),
    (self, storage, offset, size0, stride0, size1, stride1))
ROW(void, setStorage3d,
    (THCTensor * self, THCStorage *storage, ptrdiff_t offset, int64_t size0, int64_t stride0,
     int64_t size1, int64_t stride1, int64_t size2, int64_t stride2),
    (self, storage, offset, size0, stride0, size1, stride1, size2, stride2))
ROW(void, setStorage4d,
    (THCTensor * self, THCStorage *storage, ptrdiff_t offset, int64_t size0, int64_t stride0,
     int64_t size1, int64_t stride1, int64_t size2, int64_t stride2, int64_t size3,
     int64_t stride3),
    (self, storage, offset, size0, stride0, size1, stride1, size2, stride2, size3, stride3))
ROW(void, narrow, (THCTensor * self, THCTensor *src, int dimension, int64_t first, int64_t size),
    (self, src, dimension, first, size))
ROW(void, select, (THCTensor * self, THCTensor *src, int dimension, int64_t index),
    (self, src, dimension, index))
ROW(void, transpose, (THCTensor * self, THCTensor *src, int dimension1, int dimension2),
    (self, src, dimension1, dimension2))
ROW(void, unfold, (THCTensor * self, THCTensor *src, int dimension, int64_t size, int64_t step),
    (self, src, dimension, size, step))
ROW(void, squeeze, (THCTensor * self, THCTensor *src), (self, src))
ROW(void, squeeze1d, (THCTensor * self, THCTensor *src, int dimension), (self, src, dimension))
ROW(void, unsqueeze1d, (THCTensor * self, THCTensor *src, int dimension), (self, src, dimension))
ROW(void, retain, (THCTensor * self), (self))
ROW(void, free, (THCTensor * self), (self))
ROW(void, freeCopyTo, (THCTensor * self, THCTensor *dst), (self, dst))
ROW(void, set1d, (THCTensor * tensor, int64_t x0, real value), (tensor, x0, value))
ROW(void, set2d, (THCTensor * tensor, int64_t x0, int64_t x1, real value), (tensor, x0, x1, value))
ROW(void, set3d, (THCTensor * tensor, int64_t x0, int64_t x1, int64_t x2, real value),
    (tensor, x0, x1, x2, value))
ROW(void, set4d, (THCTensor * tensor, int64_t x0, int64_t x1, int64_t x2, int64_t x3, real value),
    (tensor, x0, x1, x2, x3, value))
ROW(real, get1d, (const THCTensor *tensor, int64_t x0), (tensor, x0))
ROW(real, get2d, (const THCTensor *tensor, int64_t x0, int64_t x1), (tensor, x0, x1))
ROW(real, get3d, (const THCTensor *tensor, int64_t x0, int64_t x1, int64_t x2),
    (tensor, x0, x1, x2))
ROW(real, get4d, (const THCTensor *tensor, int64_t x0, int64_t x1, int64_t x2, int64_t x3),
    (tensor, x0, x1, x2, x3))
ROW(void, setShapeNd,
    (THCTensor * self, THCStorage *storage, ptrdiff_t offset, int nDimension, const int64_t *size,
     const int64_t *stride),
    (self, storage, offset, nDimension, size, stride))
ROW(THCTensor *, newShapeNd,
    (THCStorage * storage, ptrdiff_t offset, int nDimension, const int64_t *size,
     const int64_t *stride),
    (storage, offset, nDimension, size, stride))
ROW(void, exchange, (THCTensor * a, THCTensor *b), (a, b))
#undef ROW
