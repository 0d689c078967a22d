/* Storages and tensors when memory runs out: every allocation of every function fails in turn, and
 * what the function was given is as it was. */
#include "THTemplate.h"

#include "th_fail.h"
#include "th_layouts.h"

/* --- the operands of every case -------------------------------------------------------------- */

typedef struct THTest_(Operands)
{
  THTensor *t;      /* 4 x 3 x 2, transposed */
  THTensor *across; /* the same memory as 2 x 3 x 4 */
  THTensor *r;      /* an unrelated result */
  THTensor *deep;   /* more dimensions than fit inside a tensor: six of size 1, and t's */
  THLongStorage *size, *stride;
  THStorage *storage;
  real *values, *deepValues;
  THTensor *made;
  THStorage *madeStorage;
  THLongStorage *madeLongs;
}
THTest_(Operands);

static THTest_(Operands) THTest_(on);

static void THTest_(setUp)(void *unused)
{
  THTest_(Operands) *on = &THTest_(on);
  memset(on, 0, sizeof *on);
  on->t = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(4, 3, 2));
  on->across = THTensor_(newTranspose)(on->t, 0, 2);
  on->r = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 2));
  on->deep = THTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(1, 1, 1, 1, 1, 4, 1, 6));
  on->size = THLongStorage_newWithSize3(2, 3, 4);
  on->stride = THLongStorage_newWithSize3(-1, -1, -1);
  on->storage = THStorage_(newWithSize)(5);
  for (int i = 0; i < 5; i++)
    on->storage->data[i] = THTest_(value)(7, i);
  on->values = THTest_(values)(on->t);
  on->deepValues = THTest_(values)(on->deep);
}

static void THTest_(tearDown)(void *unused)
{
  THTest_(Operands) *on = &THTest_(on);
  THTensor_(free)(on->made);
  THStorage_(free)(on->madeStorage);
  THLongStorage_free(on->madeLongs);
  THTensor_(free)(on->across);
  THTensor_(free)(on->t);
  THTensor_(free)(on->r);
  THTensor_(free)(on->deep);
  THLongStorage_free(on->size);
  THLongStorage_free(on->stride);
  THStorage_(free)(on->storage);
  free(on->values);
  free(on->deepValues);
}

/* After a failure the operands are as they were. */
static void THTest_(checkOperands)(void *unused, int raised)
{
  THTest_(Operands) *on = &THTest_(on);
  if (!raised)
    return;
  CHECK_EQ(on->t->storage->refcount, 2);
  CHECK_EQ(on->r->storage->refcount, 1);
  CHECK_EQ(on->deep->storage->refcount, 1);
  CHECK_EQ(on->storage->refcount, 1);
  CHECK_VALUES(on->t, on->values);
  CHECK_VALUES(on->deep, on->deepValues);
  CHECK_EQ(on->t->stride[0], 1);
  CHECK_EQ(on->r->nDimension, 2);
  CHECK_EQ(on->r->size[0], 2);
  CHECK_EQ(on->r->stride[0], 2);
  CHECK_EQ(on->r->storage->size, 4);
  CHECK_EQ(on->storage->size, 5);
  for (int i = 0; i < 5; i++)
    CHECK_EQ(on->storage->data[i], THTest_(value)(7, i));
}

/* --- the cases ------------------------------------------------------------------------------- */

/* FAULT(name, statement): the statement may use o, the operands. */
#define FAULTS(FAULT)                                                                              \
  FAULT(storageNew, o->madeStorage = THStorage_(new)())                                            \
  FAULT(storageNewWithSize, o->madeStorage = THStorage_(newWithSize)(1000))                        \
  FAULT(storageNewWithSize1, o->madeStorage = THStorage_(newWithSize1)(v))                         \
  FAULT(storageNewWithSize2, o->madeStorage = THStorage_(newWithSize2)(v, v))                      \
  FAULT(storageNewWithSize3, o->madeStorage = THStorage_(newWithSize3)(v, v, v))                   \
  FAULT(storageNewWithSize4, o->madeStorage = THStorage_(newWithSize4)(v, v, v, v))                \
  FAULT(storageResize, THStorage_(resize)(o->storage, 100000))                                     \
  FAULT(newSizeOf, o->madeLongs = THTensor_(newSizeOf)(o->t))                                      \
  FAULT(newStrideOf, o->madeLongs = THTensor_(newStrideOf)(o->t))                                  \
  FAULT(new, o->made = THTensor_(new)())                                                           \
  FAULT(newWithTensor, o->made = THTensor_(newWithTensor)(o->t))                                   \
  FAULT(newWithTensorDeep, o->made = THTensor_(newWithTensor)(o->deep))                            \
  FAULT(newWithStorage, o->made = THTensor_(newWithStorage)(o->storage, 1, o->size, o->stride))    \
  FAULT(newWithStorage1d, o->made = THTensor_(newWithStorage1d)(o->storage, 1, 9, 1))              \
  FAULT(newWithStorage2d, o->made = THTensor_(newWithStorage2d)(o->storage, 1, 9, 1, 3, 9))        \
  FAULT(newWithStorage3d, o->made = THTensor_(newWithStorage3d)(o->storage, 1, 9, 1, 3, 9, 2, 27)) \
  FAULT(newWithStorage4d,                                                                          \
        o->made = THTensor_(newWithStorage4d)(o->storage, 1, 9, 1, 3, 9, 2, 27, 1, 1))             \
  FAULT(newWithSize, o->made = THTensor_(newWithSize)(o->size, NULL))                              \
  FAULT(newWithSize1d, o->made = THTensor_(newWithSize1d)(2))                                      \
  FAULT(newWithSize2d, o->made = THTensor_(newWithSize2d)(2, 3))                                   \
  FAULT(newWithSize3d, o->made = THTensor_(newWithSize3d)(2, 3, 4))                                \
  FAULT(newWithSize4d, o->made = THTensor_(newWithSize4d)(2, 3, 4, 5))                             \
  FAULT(newClone, o->made = THTensor_(newClone)(o->t))                                             \
  FAULT(newCloneDeep, o->made = THTensor_(newClone)(o->deep))                                      \
  FAULT(newContiguous, o->made = THTensor_(newContiguous)(o->t))                                   \
  FAULT(newSelect, o->made = THTensor_(newSelect)(o->t, 1, 2))                                     \
  FAULT(newSelectDeep, o->made = THTensor_(newSelect)(o->deep, 0, 0))                              \
  FAULT(newNarrow, o->made = THTensor_(newNarrow)(o->deep, 5, 1, 2))                               \
  FAULT(newTranspose, o->made = THTensor_(newTranspose)(o->deep, 5, 7))                            \
  FAULT(newUnfold, o->made = THTensor_(newUnfold)(o->deep, 7, 2, 2))                               \
  FAULT(newView, o->made = THTensor_(newView)(o->deep, o->size))                                   \
  FAULT(newExpand, o->made = (THLongStorage_resize(o->size, 8), o->size->data[0] = 2,              \
                              memcpy(o->size->data + 1, o->deep->size + 1, 56),                    \
                              THTensor_(newExpand)(o->deep, o->size)))                             \
  FAULT(expandNd, THTensor_(expandNd)((THTensor *[]){o->r, o->made = THTensor_(new)()},            \
                                      (THTensor *[]){o->deep, o->deep}, 2))                        \
  FAULT(resize, THTensor_(resize)(o->r, o->size, NULL))                                            \
  FAULT(resizeAs, THTensor_(resizeAs)(o->r, o->deep))                                              \
  FAULT(resizeNd, THTensor_(resizeNd)(o->r, 8, o->deep->size, NULL))                               \
  FAULT(resize1d, THTensor_(resize1d)(o->r, 100))                                                  \
  FAULT(resize2d, THTensor_(resize2d)(o->r, 100, 2))                                               \
  FAULT(resize3d, THTensor_(resize3d)(o->r, 100, 2, 3))                                            \
  FAULT(resize4d, THTensor_(resize4d)(o->r, 100, 2, 3, 4))                                         \
  FAULT(resize5d, THTensor_(resize5d)(o->r, 100, 2, 3, 4, 5))                                      \
  FAULT(set, THTensor_(set)(o->r, o->deep))                                                        \
  FAULT(setStorage, THTensor_(setStorage)(o->r, o->storage, 0, o->size, NULL))                     \
  FAULT(setStorageNew, THTensor_(setStorage)(o->r, NULL, 0, o->size, NULL))                        \
  FAULT(setStorageNd, THTensor_(setStorageNd)(o->r, o->storage, 0, 8, o->deep->size, NULL))        \
  FAULT(setStorage1d, THTensor_(setStorage1d)(o->r, o->storage, 0, 50, 1))                         \
  FAULT(setStorage2d, THTensor_(setStorage2d)(o->r, o->storage, 0, 50, 1, 2, 50))                  \
  FAULT(setStorage3d, THTensor_(setStorage3d)(o->r, o->storage, 0, 50, 1, 2, 50, 1, 1))            \
  FAULT(setStorage4d, THTensor_(setStorage4d)(o->r, o->storage, 0, 50, 1, 2, 50, 1, 1, 1, 1))      \
  FAULT(narrow, THTensor_(narrow)(o->r, o->deep, 5, 1, 2))                                         \
  FAULT(select, THTensor_(select)(o->r, o->deep, 5, 1))                                            \
  FAULT(transpose, THTensor_(transpose)(o->r, o->deep, 5, 1))                                      \
  FAULT(unfold, THTensor_(unfold)(o->r, o->deep, 5, 2, 1))                                         \
  FAULT(squeeze, THTensor_(squeeze)(o->r, o->deep))                                                \
  FAULT(squeeze1d, THTensor_(squeeze1d)(o->r, o->deep, 0))                                         \
  FAULT(unsqueeze1d, THTensor_(unsqueeze1d)(o->r, o->deep, 3))                                     \
  FAULT(copyOverlapping, THTensor_(copy)(o->across, o->t))

#define FAULT_BODY(name, ...)                      \
  static void THTest_(fault_##name)(void *unused)  \
  {                                                \
    THTest_(Operands) *const o = &THTest_(on);     \
    TH_UNUSED const real v = THTest_(value)(1, 1); \
    __VA_ARGS__;                                   \
  }
FAULTS(FAULT_BODY)

static void THTest_(faults)(void)
{
  static const struct {
    const char *name;
    void (*body)(void *unused);
  } faults[] = {
#define FAULT_ENTRY(name, ...) {#name, THTest_(fault_##name)},
      FAULTS(FAULT_ENTRY)};
  int acquisitions = 0;
  for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
    th_note("%s", faults[k].name);
    const THFailCase stages = {THTest_(setUp), faults[k].body, THTest_(checkOperands),
                               THTest_(tearDown)};
    acquisitions += th_fail(&stages, NULL);
  }
  CHECK(acquisitions > 60);
}

TH_TESTS(THTest_(faults))
