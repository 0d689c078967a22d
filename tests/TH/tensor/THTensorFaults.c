/* Storages and tensors when memory runs out: every allocation of every function fails in turn, and
 * what the function was given is as it was. */
#include "THTensorShape.h"

#include "THTemplate.h"

#include "th_faults.h"

typedef struct Operands {
  THTensor *t;      /* 4 x 3 x 2, transposed */
  THTensor *across; /* the memory of t as 2 x 3 x 4 */
  THTensor *again;  /* the memory of t as 3 x 4 x 2 */
  THTensor *r;      /* an unrelated result */
  THTensor *deep;   /* more dimensions than fit inside a tensor: six of size 1, and t's */
  THLongStorage *size, *large, *deepSize, *stride;
  THStorage *storage, *other;
  real *data; /* of malloc */
  THTensor *made;
  THStorage *madeStorage;
  THLongStorage *madeLongs;
} Operands;

static void set_up(Operands *o)
{
  o->t = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(4, 3, 2));
  o->across = THTensor_(newTranspose)(o->t, 0, 2);
  o->again = THTensor_(newTranspose)(o->t, 0, 1);
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 2));
  o->deep = THTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(1, 1, 1, 1, 1, 4, 1, 6));
  o->size = THLongStorage_newWithSize3(2, 3, 4);
  o->large = THLongStorage_newWithSize3(20, 30, 40);
  o->stride = THLongStorage_newWithSize3(-1, -1, -1);
  o->deepSize = THTensor_(newSizeOf)(o->deep);
  o->deepSize->data[0] = 2;
  o->storage = THStorage_(newWithSize)(5);
  for (int i = 0; i < 5; i++)
    o->storage->data[i] = THTest_(value)(7, i);
  o->other = THStorage_(newWithSize)(3);
  o->data = calloc(5, sizeof(real));
  WATCH(o->t);
  WATCH(o->across);
  WATCH(o->r);
  WATCH(o->deep);
  WATCH_STORAGE(o->size);
  WATCH_STORAGE(o->storage);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->made);
  THStorage_(free)(o->madeStorage);
  THLongStorage_free(o->madeLongs);
  THTensor_(free)(o->across);
  THTensor_(free)(o->again);
  THTensor_(free)(o->t);
  THTensor_(free)(o->r);
  THTensor_(free)(o->deep);
  THLongStorage_free(o->size);
  THLongStorage_free(o->large);
  THLongStorage_free(o->stride);
  THLongStorage_free(o->deepSize);
  THStorage_(free)(o->storage);
  THStorage_(free)(o->other);
  free(o->data);
}

FAULT(storageNew, o->madeStorage = THStorage_(new)())
FAULT(storageNewWithSize, o->madeStorage = THStorage_(newWithSize)(1000))
FAULT(storageNewWithSize1, o->madeStorage = THStorage_(newWithSize1)(v))
FAULT(storageNewWithSize2, o->madeStorage = THStorage_(newWithSize2)(v, v))
FAULT(storageNewWithSize3, o->madeStorage = THStorage_(newWithSize3)(v, v, v))
FAULT(storageNewWithSize4, o->madeStorage = THStorage_(newWithSize4)(v, v, v, v))
FAULT(storageResize, THStorage_(resize)(o->storage, 100000))
FAULT(newSizeOf, o->madeLongs = THTensor_(newSizeOf)(o->t))
FAULT(newStrideOf, o->madeLongs = THTensor_(newStrideOf)(o->t))
FAULT(new, o->made = THTensor_(new)())
FAULT(newWithTensor, o->made = THTensor_(newWithTensor)(o->t))
FAULT(newWithTensorDeep, o->made = THTensor_(newWithTensor)(o->deep))
FAULT(newWithStorage, o->made = THTensor_(newWithStorage)(o->storage, 1, o->size, o->stride))
FAULT(newWithStorage1d, o->made = THTensor_(newWithStorage1d)(o->storage, 1, 9, 1))
FAULT(newWithStorage2d, o->made = THTensor_(newWithStorage2d)(o->storage, 1, 9, 1, 3, 9))
FAULT(newWithStorage3d, o->made = THTensor_(newWithStorage3d)(o->storage, 1, 9, 1, 3, 9, 2, 27))
FAULT(newWithStorage4d,
      o->made = THTensor_(newWithStorage4d)(o->storage, 1, 9, 1, 3, 9, 2, 27, 1, 1))
FAULT(newWithSize, o->made = THTensor_(newWithSize)(o->large, NULL))
FAULT(newWithSize1d, o->made = THTensor_(newWithSize1d)(2))
FAULT(newWithSize2d, o->made = THTensor_(newWithSize2d)(2, 3))
FAULT(newWithSize3d, o->made = THTensor_(newWithSize3d)(2, 3, 4))
FAULT(newWithSize4d, o->made = THTensor_(newWithSize4d)(2, 3, 4, 5))
FAULT(newClone, o->made = THTensor_(newClone)(o->t))
FAULT(newCloneDeep, o->made = THTensor_(newClone)(o->deep))
FAULT(newContiguous, o->made = THTensor_(newContiguous)(o->t))
FAULT(newSelect, o->made = THTensor_(newSelect)(o->t, 1, 2))
FAULT(newSelectDeep, o->made = THTensor_(newSelect)(o->deep, 0, 0))
FAULT(newNarrow, o->made = THTensor_(newNarrow)(o->deep, 5, 1, 2))
FAULT(newTranspose, o->made = THTensor_(newTranspose)(o->deep, 5, 7))
FAULT(newUnfold, o->made = THTensor_(newUnfold)(o->deep, 7, 2, 2))
FAULT(newView, o->made = THTensor_(newView)(o->deep, o->size))
FAULT(newExpand, o->made = THTensor_(newExpand)(o->deep, o->deepSize))
FAULT(expand, THTensor_(expand)(o->r, o->deep, o->deepSize))
FAULT(expandNd, THTensor_(expandNd)((THTensor *[]){o->r, o->made = THTensor_(new)()},
                                    (THTensor *[]){o->deep, o->deep}, 2))
FAULT(resize, THTensor_(resize)(o->r, o->large, NULL))
FAULT(resizeAs, THTensor_(resizeAs)(o->r, o->deep))
FAULT(resizeNd, THTensor_(resizeNd)(o->r, 8, o->deep->size, NULL))
FAULT(resize1d, THTensor_(resize1d)(o->r, 1000))
FAULT(resize2d, THTensor_(resize2d)(o->r, 1000, 2))
FAULT(resize3d, THTensor_(resize3d)(o->r, 1000, 2, 3))
FAULT(resize4d, THTensor_(resize4d)(o->r, 1000, 2, 3, 4))
FAULT(resize5d, THTensor_(resize5d)(o->r, 1000, 2, 3, 4, 5))
FAULT(set, THTensor_(set)(o->r, o->deep))
FAULT(setStorage, THTensor_(setStorage)(o->r, o->storage, 0, o->large, NULL))
FAULT(setStorageNew, THTensor_(setStorage)(o->r, NULL, 0, o->large, NULL))
FAULT(setStorageNd, THTensor_(setStorageNd)(o->r, o->storage, 0, 8, o->deep->size, NULL))
CALM(exchange, THTensor_(exchange)(o->r, o->deep))
FAULT(setShapeNd, THTensor_(setShapeNd)(o->r, o->storage, 0, 8, o->deep->size, NULL))
FAULT(newShapeNd, o->made = THTensor_(newShapeNd)(o->storage, 0, 8, o->deep->size, NULL))
FAULT(setStorage1d, THTensor_(setStorage1d)(o->r, o->storage, 0, 500, 1))
FAULT(setStorage2d, THTensor_(setStorage2d)(o->r, o->storage, 0, 500, 1, 2, 500))
FAULT(setStorage3d, THTensor_(setStorage3d)(o->r, o->storage, 0, 500, 1, 2, 500, 1, 1))
FAULT(setStorage4d, THTensor_(setStorage4d)(o->r, o->storage, 0, 500, 1, 2, 500, 1, 1, 1, 1))
FAULT(narrow, THTensor_(narrow)(o->r, o->deep, 5, 1, 2))
FAULT(select, THTensor_(select)(o->r, o->deep, 5, 1))
FAULT(transpose, THTensor_(transpose)(o->r, o->deep, 5, 1))
FAULT(unfold, THTensor_(unfold)(o->r, o->deep, 5, 2, 1))
FAULT(squeeze, THTensor_(squeeze)(o->r, o->deep))
FAULT(squeeze1d, THTensor_(squeeze1d)(o->r, o->deep, 0))
FAULT(unsqueeze1d, THTensor_(unsqueeze1d)(o->r, o->deep, 3))
FAULT(copyOverlapping, THTensor_(copy)(o->across, o->t))

FAULT(freeCopyTo, THTensor_(freeCopyTo)(o->again, o->t); o->again = NULL)

/* --- storages ------------------------------------------------------------------------------- */

/* Any file will do that is there. */
FAULT(storageNewWithMapping, o->madeStorage = THStorage_(newWithMapping)("/proc/self/exe", 5, 0))
FAULT(storageNewWithData, o->madeStorage = THStorage_(newWithData)(o->data, 5); o->data = NULL)
FAULT(storageNewWithAllocator,
      o->madeStorage = THStorage_(newWithAllocator)(5, &THDefaultAllocator, NULL))
FAULT(storageNewWithDataAndAllocator,
      o->madeStorage = THStorage_(newWithDataAndAllocator)(o->data, 5, &THDefaultAllocator, NULL);
      o->data = NULL)
CALM(storageData, THStorage_(data)(o->storage))
CALM(storageSize, THStorage_(size)(o->storage))
CALM(storageElementSize, THStorage_(elementSize)())
CALM(storageSet, THStorage_(set)(o->storage, 4, v))
CALM(storageGet, THStorage_(get)(o->storage, 4))
RAISES(storageSetBeyond, THStorage_(set)(o->storage, 5, v))
RAISES(storageGetBeyond, THStorage_(get)(o->storage, -1))
CALM(storageSetFlag, THStorage_(setFlag)(o->storage, TH_STORAGE_RESIZABLE))
CALM(storageClearFlag, THStorage_(clearFlag)(o->storage, TH_STORAGE_RESIZABLE))
CALM(storageRetain, THStorage_(retain)(o->storage); THStorage_(free)(o->storage))
CALM(storageFree, THStorage_(free)(o->other); o->other = NULL)
CALM(storageSwap, THStorage_(swap)(o->storage, o->other))
CALM(storageFill, THStorage_(fill)(o->storage, v))

/* --- what only reads, and single elements --------------------------------------------------- */

CALM(storage, THTensor_(storage)(o->t))
CALM(storageOffset, THTensor_(storageOffset)(o->t))
CALM(nDimension, THTensor_(nDimension)(o->t))
CALM(size, THTensor_(size)(o->t, 2))
CALM(stride, THTensor_(stride)(o->t, 2))
RAISES(sizeBeyond, THTensor_(size)(o->t, 3))
RAISES(strideBeyond, THTensor_(stride)(o->t, -1))
CALM(data, THTensor_(data)(o->t))
CALM(setFlag, THTensor_(setFlag)(o->t, TH_TENSOR_REFCOUNTED))
CALM(clearFlag, THTensor_(clearFlag)(o->t, 0))
CALM(isContiguous, THTensor_(isContiguous)(o->t))
CALM(isSameSizeAs, THTensor_(isSameSizeAs)(o->t, o->across))
CALM(isSetTo, THTensor_(isSetTo)(o->t, o->across))
CALM(isSize, THTensor_(isSize)(o->t, o->size))
CALM(nElement, THTensor_(nElement)(o->t))
CALM(desc, THTensor_(desc)(o->deep))
CALM(sizeDesc, THTensor_(sizeDesc)(o->deep))
CALM(retain, THTensor_(retain)(o->t); THTensor_(free)(o->t))
FAULT(newFree, THTensor_(free)(THTensor_(new)()))
CALM(resizeInPlace, THTensor_(resize1d)(o->r, 4))
CALM(set1d, THTensor_(resize1d)(o->r, 4); THTensor_(set1d)(o->r, 3, v))
CALM(set2d, THTensor_(set2d)(o->r, 1, 1, v))
CALM(set3d, THTensor_(set3d)(o->t, 3, 2, 1, v))
CALM(set4d, THTensor_(resize4d)(o->r, 1, 2, 2, 1); THTensor_(set4d)(o->r, 0, 1, 1, 0, v))
CALM(get1d, THTensor_(resize1d)(o->r, 4); THTensor_(get1d)(o->r, 3))
CALM(get2d, THTensor_(get2d)(o->r, 1, 1))
CALM(get3d, THTensor_(get3d)(o->t, 3, 2, 1))
CALM(get4d, THTensor_(resize4d)(o->r, 1, 2, 2, 1); THTensor_(get4d)(o->r, 0, 1, 1, 0))
RAISES(set2dBeyond, THTensor_(set2d)(o->r, 1, 2, v))
RAISES(get3dBeyond, THTensor_(get3d)(o->t, -1, 0, 0))

/* --- errors change nothing ------------------------------------------------------------------- */

RAISES(resizeTooLarge, THTensor_(resize2d)(o->r, INT64_MAX / 2, 8))
RAISES(narrowBeyond, THTensor_(narrow)(o->r, o->t, 0, 2, 3))
RAISES(viewOfOtherSize, THTensor_(newView)(o->r, o->size))
RAISES(copyOfOtherSize, THTensor_(copy)(o->r, o->t))

TH_FAULT_TESTS(faults)
