/* Device tensors: every view of TH's, with the same sizes, strides and elements; elements one by
 * one; devices. */
#include "THC.h"
#include "THCTensorShape.h"
#include "THTensorShape.h"

#include "THTemplate.h"

#include "thc_test.h"

/* Both are views of storages with the same contents: same geometry, same elements. */
static void THTest_(checkTwin)(const char *what, THCTensor *d, THTensor *t)
{
  th_note("%s", what);
  THTensor *twin = THCTest_(twin)(d);
  real *expected = THTest_(values)(t);
  CHECK_EQ(twin->nDimension, t->nDimension);
  for (int k = 0; k < t->nDimension; k++) {
    CHECK_EQ(twin->size[k], t->size[k]);
    CHECK_EQ(twin->stride[k], t->stride[k]);
  }
  CHECK_EQ(d->storageOffset, t->storageOffset);
  CHECK_VALUES(twin, expected);
  free(expected);
  THTensor_(free)(twin);
}

/* A function that returns a new view, on both devices. */
#define SAME_VIEW(NAME, ...)                                 \
  do {                                                       \
    THTensor *tv = THTensor_(NAME)(t, __VA_ARGS__);          \
    THCTensor *dv = THCTensor_(NAME)(state, d, __VA_ARGS__); \
    CHECK(dv->storage == d->storage);                        \
    THTest_(checkTwin)(#NAME "(" #__VA_ARGS__ ")", dv, tv);  \
    THCTensor_(free)(state, dv);                             \
    THTensor_(free)(tv);                                     \
  } while (0)

/* A function that changes its first argument, on both. */
#define SAME_CHANGE(NAME, ...)                              \
  do {                                                      \
    THTensor *tv = THTensor_(new)();                        \
    THCTensor *dv = THCTensor_(new)(state);                 \
    THTensor_(NAME)(tv, t, ##__VA_ARGS__);                  \
    THCTensor_(NAME)(state, dv, d, ##__VA_ARGS__);          \
    THTest_(checkTwin)(#NAME "(" #__VA_ARGS__ ")", dv, tv); \
    THCTensor_(free)(state, dv);                            \
    THTensor_(free)(tv);                                    \
  } while (0)

/* Clones, contiguous tensors, and views of these. */
static void THTest_(checkClones)(THCState *state, THCTensor *d, THTensor *t)
{
  THTensor *clone = THTensor_(newClone)(t);
  THCTensor *copy = THCTensor_(newClone)(state, d);
  CHECK(copy->storage != d->storage);
  THTest_(checkTwin)("clone", copy, clone);
  THLongStorage *flat = THLongStorage_newWithSize2(-1, 3);
  THTensor *viewed = THTensor_(newView)(clone, flat);
  THCTensor *device_view = THCTensor_(newView)(state, copy, flat);
  THTest_(checkTwin)("view", device_view, viewed);
  THCTensor_(free)(state, device_view);
  THTensor_(free)(viewed);
  THLongStorage_free(flat);
  THCTensor *folded = THCTensor_(newFoldBatchDim)(state, copy);
  CHECK_EQ(folded->nDimension, 2);
  CHECK_EQ(folded->size[0], 4);
  CHECK_EQ(folded->size[1], 6);
  THCTensor_(free)(state, folded);

  THCTensor *straight = THCTensor_(newContiguous)(state, d);
  CHECK_EQ(straight == d, THTensor_(isContiguous)(t));
  real *values = THTest_(values)(t);
  CHECK_DEVICE_VALUES(straight, values);
  free(values);
  THCTensor_(freeCopyTo)(state, straight, copy);
  THTest_(checkTwin)("freeCopyTo", copy, clone);
  THCTensor *again = THCTensor_(newWithTensor)(state, d);
  CHECK(THCTensor_(isSetTo)(state, again, d));
  CHECK(THCTensor_(isSameSizeAs)(state, again, copy));
  THCTensor_(free)(state, again);
  THCTensor_(free)(state, copy);
  THTensor_(free)(clone);
}

static void THTest_(views)(void)
{
  THCState *state = thc_state();
  for (int layout = 0; layout < TH_ONE; layout++) {
    if (!th_layout_keeps_shape(layout))
      continue;
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(4, 1, 6));
    THCTensor *d = THCTest_(upload)(t);
    THTest_(checkTwin)(th_layout_names[layout], d, t);
    CHECK_EQ(THCTensor_(isContiguous)(state, d), THTensor_(isContiguous)(t));
    CHECK_EQ(THCTensor_(nElement)(state, d), 24);
    CHECK_EQ(THCTensor_(nDimension)(state, d), 3);
    CHECK_EQ(THCTensor_(size)(state, d, 2), 6);
    CHECK_EQ(THCTensor_(stride)(state, d, 0), t->stride[0]);
    CHECK_EQ(THCTensor_(storageOffset)(state, d), t->storageOffset);
    CHECK(THCTensor_(storage)(state, d) == d->storage);
    CHECK(THCTensor_(data)(state, d) == d->storage->data + d->storageOffset);
    SAME_VIEW(newSelect, 0, 2);
    SAME_VIEW(newNarrow, 2, 1, 3);
    SAME_VIEW(newTranspose, 0, 2);
    SAME_VIEW(newUnfold, 2, 3, 2);
    SAME_CHANGE(select, 2, 5);
    SAME_CHANGE(narrow, 0, 1, 2);
    SAME_CHANGE(transpose, 1, 2);
    SAME_CHANGE(unfold, 0, 2, 1);
    SAME_CHANGE(squeeze);
    SAME_CHANGE(squeeze1d, 1);
    SAME_CHANGE(unsqueeze1d, 3);
    SAME_CHANGE(set);
    THLongStorage *wide = THLongStorage_newWithSize4(2, 4, 5, 6);
    SAME_VIEW(newExpand, wide);
    SAME_CHANGE(expand, wide);
    THLongStorage_free(wide);
    THTest_(checkClones)(state, d, t);
    THCTensor_(free)(state, d);
    THTensor_(free)(t);
  }
}

static void THTest_(resizing)(void)
{
  THCState *state = thc_state();
  THTensor *t = THTest_(tensor)(TH_NARROWED, 3, TH_SHAPE(4, 5));
  THCTensor *d = THCTest_(upload)(t);
#define SAME_RESIZE(NAME, ...)                    \
  do {                                            \
    THTensor_(NAME)(t, __VA_ARGS__);              \
    THCTensor_(NAME)(state, d, __VA_ARGS__);      \
    CHECK_EQ(d->nDimension, t->nDimension);       \
    CHECK_EQ(d->storage->size, t->storage->size); \
    for (int k = 0; k < t->nDimension; k++) {     \
      CHECK_EQ(d->size[k], t->size[k]);           \
      CHECK_EQ(d->stride[k], t->stride[k]);       \
    }                                             \
  } while (0)
  THTest_(checkTwin)("before", d, t);
  SAME_RESIZE(resize1d, 3);
  THTest_(checkTwin)("smaller", d, t);
  SAME_RESIZE(resize2d, 3, 40);
  SAME_RESIZE(resize3d, 2, 3, 4);
  SAME_RESIZE(resize4d, 2, 1, 3, 4);
  SAME_RESIZE(resize5d, 2, 1, 3, 4, 2);
  int64_t size[] = {3, 2}, stride[] = {1, 5};
  SAME_RESIZE(resizeNd, 2, size, stride);
  THLongStorage *sizes = THLongStorage_newWithSize2(5, 6);
  SAME_RESIZE(resize, sizes, NULL);
  CHECK(THCTensor_(isSize)(state, d, sizes));
  THLongStorage_free(sizes);
  THCTensor *other = THCTensor_(newWithSize2d)(state, 3, 5);
  THCTensor_(resizeAs)(state, d, other);
  CHECK(THCTensor_(isSameSizeAs)(state, d, other));

  THLongStorage *longs = THCTensor_(newSizeOf)(state, d);
  CHECK_EQ(longs->data[1], 5);
  THLongStorage_free(longs);
  longs = THCTensor_(newStrideOf)(state, d);
  CHECK_EQ(longs->data[0], 5);
  THLongStorage_free(longs);
  CHECK_EQ(strcmp(THCTensor_(sizeDesc)(state, d).str, "[3 x 5]"), 0);
  THCTensor_(free)(state, other);
  THCTensor_(free)(state, d);
  THTensor_(free)(t);

  const int64_t none[] = {2, 0, 3};
  THCTensor *empty = THCTensor_(newShapeNd)(state, NULL, 0, 3, none, NULL);
  CHECK_EQ(empty->nDimension, 3);
  CHECK_EQ(THCTensor_(nElement)(state, empty), 0);
  THCTensor_(free)(state, empty);
  CHECK_RAISES(0, "too large",
               THCTensor_(newWithSize2d)(state, INT64_C(1) << 40, INT64_C(1) << 40));
}

static void THTest_(elements)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(2, 3, 2, 4));
  const real v = THTest_(value)(9, 9);
  THCTensor_(set4d)(state, d, 1, 2, 0, 3, v);
  CHECK_EQ(THCTensor_(get4d)(state, d, 1, 2, 0, 3), v);
  THTensor *twin = THCTest_(twin)(d);
  for (int64_t i = 0; i < 2; i++)
    for (int64_t j = 0; j < 3; j++)
      for (int64_t k = 0; k < 2; k++)
        for (int64_t l = 0; l < 4; l++)
          CHECK_EQ(THCTensor_(get4d)(state, d, i, j, k, l), THTensor_(get4d)(twin, i, j, k, l));
  THTensor_(free)(twin);
  CHECK_RAISES(4, "out of range", THCTensor_(get4d)(state, d, 0, 0, 2, 0));
  CHECK_RAISES(1, "4 dimensions, not 1", THCTensor_(set1d)(state, d, 0, v));
  THCTensor *line = THCTensor_(newWithSize1d)(state, 5),
            *cube = THCTensor_(newWithSize3d)(state, 2, 2, 2),
            *square = THCTensor_(newWithSize2d)(state, 2, 2);
  THCTensor_(set1d)(state, line, 4, v);
  CHECK_EQ(THCTensor_(get1d)(state, line, 4), v);
  THCTensor_(set2d)(state, square, 1, 0, v);
  CHECK_EQ(THCTensor_(get2d)(state, square, 1, 0), v);
  THCTensor_(set3d)(state, cube, 1, 0, 1, v);
  CHECK_EQ(THCTensor_(get3d)(state, cube, 1, 0, 1), v);
  THCTensor_(free)(state, line);
  THCTensor_(free)(state, cube);
  THCTensor_(free)(state, square);
  THCTensor_(free)(state, d);
}

static void THTest_(storages)(void)
{
  THCState *state = thc_state();
  THCStorage *s = THCStorage_(newWithSize)(state, 20);
  for (int i = 0; i < 20; i++)
    THCStorage_(set)(state, s, i, THTest_(value)(5, i));
  THLongStorage *size = THLongStorage_newWithSize2(3, 2),
                *stride = THLongStorage_newWithSize2(5, 2);
  THCTensor *views[] = {
      THCTensor_(newWithStorage)(state, s, 1, size, stride),
      THCTensor_(newWithStorage1d)(state, s, 1, 3, 5),
      THCTensor_(newWithStorage2d)(state, s, 1, 3, 5, 2, 2),
      THCTensor_(newWithStorage3d)(state, s, 1, 3, 5, 2, 2, 1, 1),
      THCTensor_(newWithStorage4d)(state, s, 1, 3, 5, 2, 2, 1, 1, 1, 1),
  };
  THCTensor *set = THCTensor_(new)(state);
  for (int k = 0; k < 5; k++) {
    CHECK(views[k]->storage == s);
    THTensor *twin = THCTest_(twin)(views[k]);
    CHECK_EQ(*THTest_(at)(twin, k ? 1 : 2), THTest_(value)(5, k == 1 || k == 0 ? 6 : 3));
    THTensor_(free)(twin);
    if (k == 0)
      THCTensor_(setStorage)(state, set, s, 1, size, stride);
    if (k == 1)
      THCTensor_(setStorage1d)(state, set, s, 1, 3, 5);
    if (k == 2)
      THCTensor_(setStorage2d)(state, set, s, 1, 3, 5, 2, 2);
    if (k == 3)
      THCTensor_(setStorage3d)(state, set, s, 1, 3, 5, 2, 2, 1, 1);
    if (k == 4)
      THCTensor_(setStorage4d)(state, set, s, 1, 3, 5, 2, 2, 1, 1, 1, 1);
    CHECK(THCTensor_(isSetTo)(state, set, views[k]));
    THCTensor_(free)(state, views[k]);
  }
  THCTensor *made = THCTensor_(newWithSize)(state, size, NULL);
  CHECK_EQ(made->storage->size, 6);
  THCTensor_(free)(state, made);
  made = THCTensor_(newWithSize4d)(state, 2, 3, 4, 5);
  CHECK_EQ(made->storage->size, 120);
  THCTensor_(free)(state, made);
  THCTensor_(free)(state, set);
  THLongStorage_free(size);
  THLongStorage_free(stride);
  THCStorage_(free)(state, s);
}

static void THTest_(expandNd)(void)
{
  THCState *state = thc_state();
  THTensor *a = THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(4, 1));
  THTensor *b = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(3));
  THCTensor *ops[] = {THCTest_(upload)(a), THCTest_(upload)(b)};
  THCTensor *rets[] = {THCTensor_(new)(state), THCTensor_(new)(state)};
  THTensor *hosts[] = {a, b}, *expanded[] = {THTensor_(new)(), THTensor_(new)()};
  THTensor_(expandNd)(expanded, hosts, 2);
  THCTensor_(expandNd)(state, rets, ops, 2);
  for (int k = 0; k < 2; k++) {
    THTest_(checkTwin)("expandNd", rets[k], expanded[k]);
    THCTensor_(free)(state, rets[k]);
    THCTensor_(free)(state, ops[k]);
    THTensor_(free)(expanded[k]);
    THTensor_(free)(hosts[k]);
  }
}

static void THTest_(devices)(void)
{
  THCState *state = thc_state();
  THCTensor *none = THCTensor_(new)(state), *here = THCTensor_(newWithSize1d)(state, 4);
  CHECK_EQ(THCTensor_(getDevice)(state, here), 0);
  CHECK_EQ(THCTensor_(checkGPU)(state, 3, none, here, (THCTensor *)NULL), 1);
  if (thc_devices() > 1) {
    CHECK_CUDA(cudaSetDevice(1));
    THCTensor *there = THCTensor_(newWithSize1d)(state, 4);
    CHECK_EQ(THCTensor_(getDevice)(state, there), 1);
    CHECK_EQ(THCTensor_(checkGPU)(state, 2, there, none), 1);
    CHECK_EQ(THCTensor_(checkGPU)(state, 2, there, here), 0);
    CHECK_RAISES(0, "another device", THCAssertSameGPU(THCTensor_(checkGPU)(state, 1, here)));
    if (THCState_getPeerToPeerAccess(state, 1, 0)) {
      THCState_setKernelPeerToPeerAccessEnabled(state, 1);
      CHECK_EQ(THCTensor_(checkGPU)(state, 2, there, here), 1);
      THCState_setKernelPeerToPeerAccessEnabled(state, 0);
    }
    THCTensor_(resize1d)(state, here, 1000); /* stays where it is */
    CHECK_EQ(THCTensor_(getDevice)(state, here), 0);
    THCTensor_(resize1d)(state, none, 10); /* was nowhere */
    CHECK_EQ(THCTensor_(getDevice)(state, none), 1);
    int current;
    CHECK_CUDA(cudaGetDevice(&current));
    CHECK_EQ(current, 1);
    CHECK_CUDA(cudaSetDevice(0));
    THCTensor_(free)(state, there);
  }
  THCTensor_(free)(state, here);
  THCTensor_(free)(state, none);
}

static void THTest_(textures)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTensor_(newWithSize2d)(state, 4, 6);
#if defined(TH_REAL_IS_LONG) || defined(TH_REAL_IS_DOUBLE)
  CHECK_RAISES(0, "64 bits", THCTensor_(getTextureObject)(state, d));
#else
  const cudaTextureObject_t texture = THCTensor_(getTextureObject)(state, d);
  CHECK(texture != 0);
  CHECK_CUDA(cudaDestroyTextureObject(texture));
  THCTensor_(transpose)(state, d, NULL, 0, 1);
  CHECK_RAISES(1, "not contiguous", THCTensor_(getTextureObject)(state, d));
  THCTensor *none = THCTensor_(new)(state);
  CHECK_RAISES(1, "empty", THCTensor_(getTextureObject)(state, none));
  THCTensor_(free)(state, none);
#endif
  THCTensor_(free)(state, d);
}

static void THTest_(errors)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(3, 4));
  CHECK_RAISES(3, "out of range", THCTensor_(select)(state, d, NULL, 2, 0));
  CHECK_RAISES(4, "out of range", THCTensor_(narrow)(state, d, NULL, 0, 3, 1));
  CHECK_RAISES(2, "out of range", THCTensor_(size)(state, d, 2));
  CHECK_RAISES(0, "state is NULL", THCTensor_(new)(NULL));
  THCTensor_(setFlag)(state, d, 2);
  THCTensor_(clearFlag)(state, d, 2);
  THCTensor_(retain)(state, d);
  CHECK_EQ(d->refcount, 2);
  THCTensor_(free)(state, d);
  CHECK_EQ(d->nDimension, 2);
  CHECK_EQ(d->refcount, 1);
  THCTensor *vector = THCTensor_(newWithSize1d)(state, 4);
  CHECK_RAISES(1, "fewer than two", THCTensor_(newFoldBatchDim)(state, vector));
  THCTensor_(free)(state, vector);
  THCTensor_(free)(state, NULL);
  THCTensor_(free)(state, d);
}

TH_TESTS(THTest_(views), THTest_(resizing), THTest_(elements), THTest_(storages), THTest_(expandNd),
         THTest_(devices), THTest_(textures), THTest_(errors))
