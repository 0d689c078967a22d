/* Tensors: making them, sharing them, resizing them.  The views are in THTensorView.c. */
#include "THTensorShape.h"

#include "THTemplate.h"

#include "THTensorCore.h"
#include "TH/core/THReference.h"

/* --- reading --------------------------------------------------------------------------------- */

THStorage *THTensor_(storage)(const THTensor *self)
{
  return self->storage;
}

ptrdiff_t THTensor_(storageOffset)(const THTensor *self)
{
  return self->storageOffset;
}

int THTensor_(nDimension)(const THTensor *self)
{
  return self->nDimension;
}

int64_t THTensor_(size)(const THTensor *self, int dim)
{
  THArgCheck(dim >= 0 && dim < self->nDimension, 2,
             "dimension %d out of range of a tensor of %d dimensions", dim + TH_INDEX_BASE,
             self->nDimension);
  return self->size[dim];
}

int64_t THTensor_(stride)(const THTensor *self, int dim)
{
  THArgCheck(dim >= 0 && dim < self->nDimension, 2,
             "dimension %d out of range of a tensor of %d dimensions", dim + TH_INDEX_BASE,
             self->nDimension);
  return self->stride[dim];
}

static THLongStorage *THTensor_(newLongs)(int count, const int64_t *values)
{
  THLongStorage *storage = THLongStorage_newWithSize(count);
  for (int d = 0; d < count; d++)
    storage->data[d] = values[d];
  return storage;
}

THLongStorage *THTensor_(newSizeOf)(THTensor *self)
{
  return THTensor_(newLongs)(self->nDimension, self->size);
}

THLongStorage *THTensor_(newStrideOf)(THTensor *self)
{
  return THTensor_(newLongs)(self->nDimension, self->stride);
}

real *THTensor_(data)(const THTensor *self)
{
  return self->storage && self->storage->data ? self->storage->data + self->storageOffset : NULL;
}

void THTensor_(setFlag)(THTensor *self, const char flag)
{
  self->flag |= flag;
}

void THTensor_(clearFlag)(THTensor *self, const char flag)
{
  self->flag &= (char)~flag;
}

int THTensor_(isContiguous)(const THTensor *self)
{
  int64_t count = 1;
  for (int d = self->nDimension - 1; d >= 0; d--) {
    if (self->size[d] != 1 && self->stride[d] != count)
      return 0;
    count *= self->size[d];
  }
  return 1;
}

int THTensor_(isSameSizeAs)(const THTensor *self, const THTensor *src)
{
  return THSize_isSameSizeAs(self->size, self->nDimension, src->size, src->nDimension);
}

int THTensor_(isSetTo)(const THTensor *self, const THTensor *src)
{
  return self->storage && self->storage == src->storage &&
         self->storageOffset == src->storageOffset && THTensor_(isSameSizeAs)(self, src) &&
         THSize_isSameSizeAs(self->stride, self->nDimension, src->stride, src->nDimension);
}

int THTensor_(isSize)(const THTensor *self, const THLongStorage *dims)
{
  return THSize_isSameSizeAs(self->size, self->nDimension, dims->data, dims->size);
}

ptrdiff_t THTensor_(nElement)(const THTensor *self)
{
  ptrdiff_t count = self->nDimension > 0;
  for (int d = 0; d < self->nDimension; d++)
    count *= self->size[d];
  return count;
}

/* --- taking a shape -------------------------------------------------------------------------- */

/* A tensor and the buffer of its first few dimensions. */
typedef struct {
  THTensor tensor;
  int64_t buffer[2 * TH_INLINE_DIMS];
} THTensor_(Object);

static int64_t *THTensor_(buffer)(THTensor *self)
{
  return ((THTensor_(Object) *)self)->buffer;
}

void THTensor_(takeShape)(THTensor *self, THShape *shape)
{
  const int n = shape->nDimension;
  int64_t *block = THShape_take(shape);
  if (self->size != THTensor_(buffer)(self))
    THFree(self->size);
  if (!block && n) {
    block = THTensor_(buffer)(self);
    /* One by one: memcpy's wide loads of numbers that were just stored would stall. */
    for (int d = 0; d < n; d++) {
      block[d] = shape->size[d];
      block[n + d] = shape->stride[d];
    }
  }
  self->size = block;
  self->stride = block ? block + n : NULL;
  self->nDimension = n;
}

static void THTensor_(takeStorage)(THTensor *self, THStorage *storage, ptrdiff_t offset)
{
  if (self->storage != storage) {
    THStorage_(retain)(storage);
    THStorage_(free)(self->storage);
    self->storage = storage;
  }
  self->storageOffset = offset;
}

void THTensor_(takeView)(THTensor *self, THTensor *src, ptrdiff_t offset, THShape *shape)
{
  THTensor_(takeShape)(self, shape);
  THTensor_(takeStorage)(self, src->storage, offset);
}

void THTensor_(exchange)(THTensor *a, THTensor *b)
{
  int64_t *const buffers[] = {THTensor_(buffer)(a), THTensor_(buffer)(b)};
  const int inlineA = a->size == buffers[0], inlineB = b->size == buffers[1];
  for (int i = 0; i < 2 * TH_INLINE_DIMS; i++) {
    const int64_t kept = buffers[0][i];
    buffers[0][i] = buffers[1][i];
    buffers[1][i] = kept;
  }
  const THTensor kept = *a;
  a->nDimension = b->nDimension;
  a->size = inlineB ? buffers[0] : b->size;
  a->stride = a->size ? a->size + a->nDimension : NULL;
  a->storage = b->storage;
  a->storageOffset = b->storageOffset;
  b->nDimension = kept.nDimension;
  b->size = inlineA ? buffers[1] : kept.size;
  b->stride = b->size ? b->size + b->nDimension : NULL;
  b->storage = kept.storage;
  b->storageOffset = kept.storageOffset;
}

/* --- making one ------------------------------------------------------------------------------ */

THTensor *THTensor_(newBare)(void)
{
  THTensor *self = THAlloc(sizeof(THTensor_(Object)));
  *self = (THTensor){.refcount = 1, .flag = TH_TENSOR_REFCOUNTED};
  return self;
}

void THTensor_(guard)(THGuard *guard)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
}

/* The version of 2018 gives a new tensor an empty storage, which programs read; Torch7 gives it
 * none. */
#ifdef TH_COMPAT_TORCH7
enum { NEW_HAS_STORAGE = 0 };
#else
enum { NEW_HAS_STORAGE = 1 };
#endif

THTensor *THTensor_(new)(void)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  if (NEW_HAS_STORAGE)
    self->storage = THStorage_(new)();
  return THGuard_keep(&guard);
}

THTensor *THTensor_(newWithTensor)(THTensor *tensor)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(set)(self, tensor);
  return THGuard_keep(&guard);
}

THTensor *THTensor_(newWithStorage)(THStorage *storage_, ptrdiff_t storageOffset_,
                                    THLongStorage *size_, THLongStorage *stride_)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(setStorage)(self, storage_, storageOffset_, size_, stride_);
  return THGuard_keep(&guard);
}

static THTensor *THTensor_(newWithStorageNd)(THStorage *storage, ptrdiff_t offset, int nDimension,
                                             int64_t *size, int64_t *stride)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(setStorageNd)(self, storage, offset, nDimension, size, stride);
  return THGuard_keep(&guard);
}

THTensor *THTensor_(newWithStorage1d)(THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                      int64_t stride0_)
{
  return THTensor_(newWithStorageNd)(storage_, storageOffset_, 1, (int64_t[]){size0_},
                                     (int64_t[]){stride0_});
}

THTensor *THTensor_(newWithStorage2d)(THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                      int64_t stride0_, int64_t size1_, int64_t stride1_)
{
  return THTensor_(newWithStorageNd)(storage_, storageOffset_, 2, (int64_t[]){size0_, size1_},
                                     (int64_t[]){stride0_, stride1_});
}

THTensor *THTensor_(newWithStorage3d)(THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                      int64_t stride0_, int64_t size1_, int64_t stride1_,
                                      int64_t size2_, int64_t stride2_)
{
  return THTensor_(newWithStorageNd)(storage_, storageOffset_, 3,
                                     (int64_t[]){size0_, size1_, size2_},
                                     (int64_t[]){stride0_, stride1_, stride2_});
}

THTensor *THTensor_(newWithStorage4d)(THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                      int64_t stride0_, int64_t size1_, int64_t stride1_,
                                      int64_t size2_, int64_t stride2_, int64_t size3_,
                                      int64_t stride3_)
{
  return THTensor_(newWithStorageNd)(storage_, storageOffset_, 4,
                                     (int64_t[]){size0_, size1_, size2_, size3_},
                                     (int64_t[]){stride0_, stride1_, stride2_, stride3_});
}

THTensor *THTensor_(newWithSize)(THLongStorage *size_, THLongStorage *stride_)
{
  return THTensor_(newWithStorage)(NULL, 0, size_, stride_);
}

THTensor *THTensor_(newWithSize1d)(int64_t size0_)
{
  return THTensor_(newWithStorageNd)(NULL, 0, 1, (int64_t[]){size0_}, NULL);
}

THTensor *THTensor_(newWithSize2d)(int64_t size0_, int64_t size1_)
{
  return THTensor_(newWithStorageNd)(NULL, 0, 2, (int64_t[]){size0_, size1_}, NULL);
}

THTensor *THTensor_(newWithSize3d)(int64_t size0_, int64_t size1_, int64_t size2_)
{
  return THTensor_(newWithStorageNd)(NULL, 0, 3, (int64_t[]){size0_, size1_, size2_}, NULL);
}

THTensor *THTensor_(newWithSize4d)(int64_t size0_, int64_t size1_, int64_t size2_, int64_t size3_)
{
  return THTensor_(newWithStorageNd)(NULL, 0, 4, (int64_t[]){size0_, size1_, size2_, size3_}, NULL);
}

THTensor *THTensor_(newClone)(THTensor *self)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *clone = guard.what =
      THTensor_(newWithStorageNd)(NULL, 0, self->nDimension, self->size, NULL);
  THTensor_(copy)(clone, self);
  return THGuard_keep(&guard);
}

THTensor *THTensor_(newContiguous)(THTensor *tensor)
{
  if (!THTensor_(isContiguous)(tensor))
    return THTensor_(newClone)(tensor);
  THTensor_(retain)(tensor);
  return tensor;
}

THTensor *THTensor_(copiedIf)(THGuard *guard, THTensor *t, int copies)
{
  THTensor_(guard)(guard);
  if (copies && THTensor_(nElement)(t) > 0)
    t = guard->what = THTensor_(newClone)(t);
  return t;
}

/* --- counts ---------------------------------------------------------------------------------- */

void THTensor_(retain)(THTensor *self)
{
  if (self->flag & TH_TENSOR_REFCOUNTED)
    THReference_add(&self->refcount);
}

void THTensor_(free)(THTensor *self)
{
  if (!self || !(self->flag & TH_TENSOR_REFCOUNTED))
    return;
  if (!THReference_drop(&self->refcount))
    return;
  THStorage_(free)(self->storage);
  if (self->size != THTensor_(buffer)(self))
    THFree(self->size);
  THFree(self);
}

void THTensor_(freeCopyTo)(THTensor *self, THTensor *dst)
{
  if (self != dst)
    THTensor_(copy)(dst, self);
  THTensor_(free)(self);
}

/* --- resizing -------------------------------------------------------------------------------- */

/* Sizes end at the first one below 1. */
static int THTensor_(countSizes)(int nDimension, const int64_t *size)
{
  int n = 0;
  while (n < nDimension && size[n] > 0)
    n++;
  return n;
}

static int THTensor_(hasShape)(const THTensor *self, int nDimension, const int64_t *size,
                               const int64_t *stride)
{
  if (self->nDimension != nDimension)
    return 0;
  for (int d = 0; d < nDimension; d++)
    if (self->size[d] != size[d] || (stride && stride[d] >= 0 && self->stride[d] != stride[d]))
      return 0;
  return 1;
}

/* All that can fail comes first: the shape, then the storage's memory.  Growing a storage changes
 * no view of it. */
static void THTensor_(takeSizes)(THTensor *self, THStorage *storage, ptrdiff_t offset,
                                 int nDimension, const int64_t *size, const int64_t *stride)
{
  THShape shape;
  THStorage *made = NULL;
  THShape_openAs(&shape, nDimension, size, NULL);
  THShape_setStrides(&shape, stride);
  const ptrdiff_t reach = THShape_reach(&shape, offset);
  if (!storage && (reach > 0 || NEW_HAS_STORAGE))
    storage = made = THStorage_(newWithSize)(reach);
  else if (storage && reach > storage->size)
    THStorage_(resize)(storage, reach);
  THTensor_(takeShape)(self, &shape);
  if (!made) {
    THTensor_(takeStorage)(self, storage, offset);
    return;
  }
  THStorage_(free)(self->storage);
  self->storage = made;
  self->storageOffset = offset;
}

void THTensor_(resizeNd)(THTensor *tensor, int nDimension, int64_t *size, int64_t *stride)
{
  THArgCheck(nDimension >= 0, 2, "a tensor cannot have %d dimensions", nDimension);
  const int n = THTensor_(countSizes)(nDimension, size);
  if (!THTensor_(hasShape)(tensor, n, size, stride))
    THTensor_(takeSizes)(tensor, tensor->storage, tensor->storageOffset, n, size, stride);
}

static void THTensor_(checkSizeAndStride)(THLongStorage *size, THLongStorage *stride, int arg)
{
  THArgCheck(size || !stride, arg, "size is NULL although stride has %td entries",
             stride ? stride->size : 0);
  THArgCheck(!stride || stride->size == size->size, arg + 1, "stride has %td entries, size has %td",
             stride ? stride->size : 0, size ? size->size : 0);
  THArgCheck(!size || size->size <= INT_MAX, arg, "size has %td entries", size ? size->size : 0);
}

void THTensor_(resize)(THTensor *tensor, THLongStorage *size, THLongStorage *stride)
{
  THArgCheck(size, 2, "size is NULL");
  THTensor_(checkSizeAndStride)(size, stride, 2);
  THTensor_(resizeNd)(tensor, (int)size->size, size->data, stride ? stride->data : NULL);
}

void THTensor_(resizeAs)(THTensor *tensor, THTensor *src)
{
  if (!THTensor_(isSameSizeAs)(tensor, src))
    THTensor_(takeSizes)(tensor, tensor->storage, tensor->storageOffset, src->nDimension, src->size,
                         NULL);
}

void THTensor_(resize1d)(THTensor *tensor, int64_t size0_)
{
  THTensor_(resizeNd)(tensor, 1, (int64_t[]){size0_}, NULL);
}

void THTensor_(resize2d)(THTensor *tensor, int64_t size0_, int64_t size1_)
{
  THTensor_(resizeNd)(tensor, 2, (int64_t[]){size0_, size1_}, NULL);
}

void THTensor_(resize3d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_)
{
  THTensor_(resizeNd)(tensor, 3, (int64_t[]){size0_, size1_, size2_}, NULL);
}

void THTensor_(resize4d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_,
                         int64_t size3_)
{
  THTensor_(resizeNd)(tensor, 4, (int64_t[]){size0_, size1_, size2_, size3_}, NULL);
}

void THTensor_(resize5d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_,
                         int64_t size3_, int64_t size4_)
{
  THTensor_(resizeNd)(tensor, 5, (int64_t[]){size0_, size1_, size2_, size3_, size4_}, NULL);
}

/* --- viewing a storage ----------------------------------------------------------------------- */

void THTensor_(setStorageNd)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                             int nDimension, int64_t *size, int64_t *stride)
{
  THArgCheck(storageOffset_ >= 0, 3, "storageOffset is %td", storageOffset_);
  THArgCheck(nDimension >= 0, 4, "a tensor cannot have %d dimensions", nDimension);
  THTensor_(takeSizes)(self, storage_, storageOffset_, THTensor_(countSizes)(nDimension, size),
                       size, stride);
}

void THTensor_(setShapeNd)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                           int nDimension, const int64_t *size, const int64_t *stride)
{
  THArgCheck(storageOffset_ >= 0, 3, "storageOffset is %td", storageOffset_);
  THArgCheck(nDimension >= 0, 4, "a tensor cannot have %d dimensions", nDimension);
  for (int d = 0; d < nDimension; d++)
    THArgCheck(size[d] >= 0, 5, "size %s is negative in dimension %d",
               _THSizeDesc(size, nDimension).str, d);
  THTensor_(takeSizes)(self, storage_, storageOffset_, nDimension, size, stride);
}

THTensor *THTensor_(newShapeNd)(THStorage *storage_, ptrdiff_t storageOffset_, int nDimension,
                                const int64_t *size, const int64_t *stride)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(setShapeNd)(self, storage_, storageOffset_, nDimension, size, stride);
  return THGuard_keep(&guard);
}

void THTensor_(setStorage)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                           THLongStorage *size_, THLongStorage *stride_)
{
  THTensor_(checkSizeAndStride)(size_, stride_, 4);
  THTensor_(setStorageNd)(self, storage_, storageOffset_, size_ ? (int)size_->size : 0,
                          size_ ? size_->data : NULL, stride_ ? stride_->data : NULL);
}

void THTensor_(setStorage1d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                             int64_t size0_, int64_t stride0_)
{
  THTensor_(setStorageNd)(self, storage_, storageOffset_, 1, (int64_t[]){size0_},
                          (int64_t[]){stride0_});
}

void THTensor_(setStorage2d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                             int64_t size0_, int64_t stride0_, int64_t size1_, int64_t stride1_)
{
  THTensor_(setStorageNd)(self, storage_, storageOffset_, 2, (int64_t[]){size0_, size1_},
                          (int64_t[]){stride0_, stride1_});
}

void THTensor_(setStorage3d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                             int64_t size0_, int64_t stride0_, int64_t size1_, int64_t stride1_,
                             int64_t size2_, int64_t stride2_)
{
  THTensor_(setStorageNd)(self, storage_, storageOffset_, 3, (int64_t[]){size0_, size1_, size2_},
                          (int64_t[]){stride0_, stride1_, stride2_});
}

void THTensor_(setStorage4d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_,
                             int64_t size0_, int64_t stride0_, int64_t size1_, int64_t stride1_,
                             int64_t size2_, int64_t stride2_, int64_t size3_, int64_t stride3_)
{
  THTensor_(setStorageNd)(self, storage_, storageOffset_, 4,
                          (int64_t[]){size0_, size1_, size2_, size3_},
                          (int64_t[]){stride0_, stride1_, stride2_, stride3_});
}

/* --- single elements ------------------------------------------------------------------------- */

/* The offset in the storage of element x of a tensor, which must have n dimensions. */
static ptrdiff_t THTensor_(offset)(const THTensor *tensor, int n, const int64_t *x)
{
  THArgCheck(tensor->nDimension == n, 1, "tensor has %d dimensions, not %d", tensor->nDimension, n);
  ptrdiff_t offset = tensor->storageOffset;
  for (int d = 0; d < n; d++) {
    THArgCheck(x[d] >= 0 && x[d] < tensor->size[d], 2 + d,
               "index %lld is out of range of dimension %d of a tensor of size %s", (long long)x[d],
               d + TH_INDEX_BASE, THTensor_(sizeDesc)(tensor).str);
    offset += x[d] * tensor->stride[d];
  }
  return offset;
}

void THTensor_(set1d)(THTensor *tensor, int64_t x0, real value)
{
  THTensor_(putAt)(tensor, THTensor_(offset)(tensor, 1, (int64_t[]){x0}), value);
}

void THTensor_(set2d)(THTensor *tensor, int64_t x0, int64_t x1, real value)
{
  THTensor_(putAt)(tensor, THTensor_(offset)(tensor, 2, (int64_t[]){x0, x1}), value);
}

void THTensor_(set3d)(THTensor *tensor, int64_t x0, int64_t x1, int64_t x2, real value)
{
  THTensor_(putAt)(tensor, THTensor_(offset)(tensor, 3, (int64_t[]){x0, x1, x2}), value);
}

void THTensor_(set4d)(THTensor *tensor, int64_t x0, int64_t x1, int64_t x2, int64_t x3, real value)
{
  THTensor_(putAt)(tensor, THTensor_(offset)(tensor, 4, (int64_t[]){x0, x1, x2, x3}), value);
}

real THTensor_(get1d)(const THTensor *tensor, int64_t x0)
{
  return THTensor_(getAt)(tensor, THTensor_(offset)(tensor, 1, (int64_t[]){x0}));
}

real THTensor_(get2d)(const THTensor *tensor, int64_t x0, int64_t x1)
{
  return THTensor_(getAt)(tensor, THTensor_(offset)(tensor, 2, (int64_t[]){x0, x1}));
}

real THTensor_(get3d)(const THTensor *tensor, int64_t x0, int64_t x1, int64_t x2)
{
  return THTensor_(getAt)(tensor, THTensor_(offset)(tensor, 3, (int64_t[]){x0, x1, x2}));
}

real THTensor_(get4d)(const THTensor *tensor, int64_t x0, int64_t x1, int64_t x2, int64_t x3)
{
  return THTensor_(getAt)(tensor, THTensor_(offset)(tensor, 4, (int64_t[]){x0, x1, x2, x3}));
}

/* --- descriptions ---------------------------------------------------------------------------- */

THDescBuff THTensor_(desc)(const THTensor *tensor)
{
  enum { LENGTH = TH_DESC_BUFF_LEN };
  THDescBuff text;
  int used = snprintf(text.str, LENGTH, "torch." TH_STRING_OF(Real) "Tensor of size ");
  for (int d = 0; d < tensor->nDimension && used < LENGTH; d++)
    used += snprintf(text.str + used, (size_t)(LENGTH - used), d ? "x%lld" : "%lld",
                     (long long)tensor->size[d]);
  if (tensor->nDimension == 0)
    snprintf(text.str, LENGTH, "torch." TH_STRING_OF(Real) "Tensor with no dimension");
  if (used >= LENGTH)
    snprintf(text.str + LENGTH - 4, 4, "...");
  return text;
}

THDescBuff THTensor_(sizeDesc)(const THTensor *tensor)
{
  return _THSizeDesc(tensor->size, tensor->nDimension);
}
