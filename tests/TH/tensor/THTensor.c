/* Making tensors, resizing them, reading their shape, single elements, counts. */
#include "THTemplate.h"

#include "th_layouts.h"

static void CHECK_SHAPE(const THTensor *t, int dims, const int64_t *size, const int64_t *stride)
{
  CHECK_EQ(t->nDimension, dims);
  for (int d = 0; d < dims; d++) {
    CHECK_EQ(t->size[d], size[d]);
    CHECK_EQ(t->stride[d], stride[d]);
  }
}

#define SIZES(...) ((const int64_t[]){__VA_ARGS__})

/* The storage of an empty tensor that was given none. */
#ifdef TH_COMPAT_TORCH7
#define CHECK_EMPTY_STORAGE(t) CHECK(THTensor_(storage)(t) == NULL)
#else
#define CHECK_EMPTY_STORAGE(t) CHECK_EQ(THTensor_(storage)(t)->size, 0)
#endif

static void THTest_(new)(void)
{
  THTensor *t = THTensor_(new)();
  CHECK_EQ(t->nDimension, 0);
  CHECK(t->size == NULL && t->stride == NULL);
  CHECK_EQ(THTensor_(nElement)(t), 0);
  CHECK(THTensor_(isContiguous)(t));
  CHECK(THTensor_(data)(t) == NULL);
  CHECK_EMPTY_STORAGE(t);
  THTensor_(free)(t);
  THTensor_(free)(NULL);
}

static void THTest_(newWithSize)(void)
{
  THTensor *t = THTensor_(newWithSize4d)(2, 3, 4, 5);
  CHECK_SHAPE(t, 4, SIZES(2, 3, 4, 5), SIZES(60, 20, 5, 1));
  CHECK_EQ(t->storage->size, 120);
  CHECK_EQ((int64_t)((uintptr_t)t->storage->data % 64), 0);
  THTensor_(free)(t);
  t = THTensor_(newWithSize3d)(2, 3, -1);
  CHECK_SHAPE(t, 2, SIZES(2, 3), SIZES(3, 1));
  THTensor_(free)(t);
  t = THTensor_(newWithSize2d)(0, 3);
  CHECK_EQ(t->nDimension, 0);
  THTensor_(free)(t);
  t = THTensor_(newWithSize1d)(7);
  CHECK_SHAPE(t, 1, SIZES(7), SIZES(1));
  THTensor_(free)(t);

  THLongStorage *size = THLongStorage_newWithSize3(2, 3, 4);
  THLongStorage *stride = THLongStorage_newWithSize3(1, -1, 2);
  t = THTensor_(newWithSize)(size, stride);
  CHECK_SHAPE(t, 3, SIZES(2, 3, 4),
              SIZES(1, 8, 2)); /* -1: row-major over the dimension behind it */
  CHECK_EQ(t->storage->size, 1 + 1 + 16 + 6);
  THLongStorage *s = THTensor_(newSizeOf)(t), *r = THTensor_(newStrideOf)(t);
  CHECK(THTensor_(isSize)(t, s));
  CHECK(!THTensor_(isSize)(t, r));
  CHECK_EQ(s->size, 3);
  CHECK_EQ(s->data[2], 4);
  CHECK_EQ(r->data[1], 8);
  THLongStorage_free(s);
  THLongStorage_free(r);
  THTensor_(free)(t);
  stride->size = 2;
  CHECK_RAISES(5, "stride has 2 entries, size has 3", THTensor_(newWithSize)(size, stride));
  CHECK_RAISES(4, "size is NULL", THTensor_(newWithSize)(NULL, stride));
  stride->size = 3;
  size->data[0] = INT64_MAX / 2;
  stride->data[0] = 3;
  CHECK_RAISES(0, "too large", THTensor_(newWithSize)(size, stride));
  CHECK_RAISES(0, "too large", THTensor_(newWithSize)(size, NULL));
  CHECK_RAISES(0, "", THTensor_(newWithSize1d)(INT64_MAX));
  THLongStorage_free(size);
  THLongStorage_free(stride);
}

/* Shapes of more dimensions than a tensor keeps inside itself, and back. */
static void THTest_(manyDimensions)(void)
{
  int64_t size[80], stride[80];
  THTensor *t = THTensor_(new)();
  for (int dims = 1; dims <= 80; dims += 3) {
    for (int d = 0; d < dims; d++)
      size[d] = d % 20 == 0 ? 2 : 1;
    THTensor_(resizeNd)(t, dims, size, NULL);
    int64_t expected = 1;
    for (int d = dims - 1; d >= 0; d--) {
      stride[d] = expected;
      expected *= size[d];
    }
    CHECK_SHAPE(t, dims, size, stride);
    THTensor *view = THTensor_(newTranspose)(t, 0, dims - 1);
    CHECK_EQ(view->size[dims - 1], 2);
    THTensor *clone = THTensor_(newClone)(view);
    CHECK_EQ(clone->nDimension, dims);
    THTensor_(squeeze)(clone, NULL);
    CHECK_EQ(clone->nDimension, (dims + 19) / 20);
    THTensor_(set)(clone, view);
    CHECK_EQ(clone->nDimension, dims);
    THTensor_(free)(clone);
    THTensor_(free)(view);
  }
  THTensor_(resizeNd)(t, t->nDimension, t->size, t->stride); /* its own shape as the argument */
  THTensor_(resizeNd)(t, 3, t->size, NULL);
  CHECK_SHAPE(t, 3, SIZES(2, 1, 1), SIZES(1, 1, 1));
  THTensor_(free)(t);
}

static void THTest_(resize)(void)
{
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 5, TH_SHAPE(4, 3));
  real *values = THTest_(storageValues)(t), *data = t->storage->data;
  THTensor_(resize2d)(t, 4, 3); /* nothing changes, the strides neither */
  CHECK_SHAPE(t, 2, SIZES(4, 3), SIZES(1, 4));
  THTensor_(resize2d)(t, 3, 2); /* smaller: the storage stays */
  CHECK_SHAPE(t, 2, SIZES(3, 2), SIZES(2, 1));
  CHECK(t->storage->data == data);
  CHECK_EQ(t->storage->size, 12);
  THTensor_(resize5d)(t, 2, 3, 1, 2, 2);
  CHECK_SHAPE(t, 5, SIZES(2, 3, 1, 2, 2), SIZES(12, 4, 4, 2, 1));
  CHECK_EQ(t->storage->size, 24);
  CHECK(!memcmp(t->storage->data, values, 12 * sizeof(real))); /* the old contents are there */
  THTensor_(resize4d)(t, 2, -3, 4, 5);
  CHECK_SHAPE(t, 1, SIZES(2), SIZES(1));
  THTensor_(resize3d)(t, 1, 2, 3);
  CHECK_SHAPE(t, 3, SIZES(1, 2, 3), SIZES(6, 3, 1));
  THTensor_(resize1d)(t, 0);
  CHECK_EQ(t->nDimension, 0);
  CHECK(t->size == NULL);
  free(values);
  THTensor_(free)(t);

  THTensor *offset = THTest_(tensor)(TH_OFFSET, 5, TH_SHAPE(2, 2)); /* at 3 of 9 */
  THTensor_(resize1d)(offset, 7);
  CHECK_EQ(offset->storage->size, 10);
  THTensor *like = THTest_(tensor)(TH_TRANSPOSED, 5, TH_SHAPE(2, 5));
  THTensor_(resizeAs)(offset, like);
  CHECK_SHAPE(offset, 2, SIZES(2, 5), SIZES(5, 1));
  THTensor_(free)(like);
  THTensor_(free)(offset);
}

/* A failed call leaves the shape, the storage and the counts. */
static void THTest_(resizeErrors)(void)
{
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 5, TH_SHAPE(4, 3));
  THStorage_(clearFlag)(t->storage, TH_STORAGE_RESIZABLE);
  CHECK_RAISES(1, "12", THTensor_(resize2d)(t, 4, 4));
  CHECK_RAISES(0, "too large", THTensor_(resize2d)(t, INT64_MAX, INT64_MAX));
  CHECK_RAISES(0, "too large", THTensor_(resize3d)(t, 1 << 30, 1 << 30, 1 << 30));
  CHECK_RAISES(2, "-1 dimensions", THTensor_(resizeNd)(t, -1, NULL, NULL));
  CHECK_RAISES(2, "size is NULL", THTensor_(resize)(t, NULL, NULL));
  CHECK_SHAPE(t, 2, SIZES(4, 3), SIZES(1, 4));
  THTensor_(resize2d)(t, 2, 6); /* fits */

  THStorage *storage = t->storage;
  CHECK_RAISES(3, "-1", THTensor_(setStorage1d)(t, storage, -1, 2, 1));
  CHECK_RAISES(1, "", THTensor_(setStorage1d)(t, storage, 11, 2, 1));
  CHECK_RAISES(0, "too large", THTensor_(setStorage1d)(t, storage, PTRDIFF_MAX, 2, 1));
  CHECK_RAISES(0, "too large", THTensor_(setStorage1d)(t, storage, 0, 3, INT64_MAX));
  CHECK_SHAPE(t, 2, SIZES(2, 6), SIZES(6, 1));
  CHECK(t->storage == storage);
  CHECK_EQ(storage->refcount, 1);
  THTensor_(free)(t);
}

static void THTest_(setStorage)(void)
{
  THStorage *storage = THStorage_(newWithSize)(10);
  THTensor *t = THTensor_(newWithStorage2d)(storage, 1, 2, 4, 3, 1);
  CHECK_SHAPE(t, 2, SIZES(2, 3), SIZES(4, 1));
  CHECK_EQ(storage->refcount, 2);
  CHECK_EQ(t->storageOffset, 1);
  THTensor_(setStorage3d)(t, storage, 0, 2, 1, 3, 2, 2, 6); /* needs 1 + 1 + 4 + 6 = 12 */
  CHECK_EQ(storage->size, 12);
  THTensor_(setStorage1d)(t, storage, 2, 5, 2);
  CHECK_SHAPE(t, 1, SIZES(5), SIZES(2));
  THTensor_(setStorage4d)(t, storage, 0, 2, -1, 1, -1, 3, -1, 2, -1);
  CHECK_SHAPE(t, 4, SIZES(2, 1, 3, 2), SIZES(6, 6, 2, 1));
  THTensor_(setStorage2d)(t, NULL, 0, 2, 2, 2, 1); /* a storage of its own */
  CHECK_EQ(storage->refcount, 1);
  CHECK_EQ(t->storage->size, 4);
  THTensor_(free)(t);

  static const int64_t sizes[3][4] = {{3, 0, 0, 0}, {2, 1, 3, 0}, {2, 1, 2, 2}};
  t = THTensor_(newWithStorage1d)(storage, 1, 3, 2);
  CHECK_SHAPE(t, 1, sizes[0], SIZES(2));
  THTensor_(free)(t);
  t = THTensor_(newWithStorage3d)(storage, 1, 2, 3, 1, 3, 3, 1);
  CHECK_SHAPE(t, 3, sizes[1], SIZES(3, 3, 1));
  THTensor_(free)(t);
  t = THTensor_(newWithStorage4d)(storage, 1, 2, 4, 1, 4, 2, 2, 2, 1);
  CHECK_SHAPE(t, 4, sizes[2], SIZES(4, 4, 2, 1));
  THTensor_(free)(t);
  t = THTensor_(newWithStorage)(storage, 0, NULL, NULL);
  CHECK_EQ(t->nDimension, 0);
  CHECK(t->storage == storage);
  THTensor_(free)(t);
  CHECK_EQ(storage->refcount, 1);
  THStorage_(free)(storage);

  /* Where nothing is wanted of no storage, Torch7 makes none. */
  t = THTensor_(newWithStorage)(NULL, 0, NULL, NULL);
  CHECK_EQ(t->nDimension, 0);
  CHECK_EMPTY_STORAGE(t);
  THTensor_(resize1d)(t, 3);
  CHECK_EQ(t->storage->size, 3);
  THTensor_(setStorage)(t, NULL, 0, NULL, NULL);
  CHECK_EQ(t->nDimension, 0);
  CHECK_EMPTY_STORAGE(t);
  THTensor_(free)(t);
}

static void THTest_(getAndSet)(void)
{
  const real v = THTest_(value)(77, 0);
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 5, TH_SHAPE(3, 4, 2, 5));
  real *values = THTest_(values)(t);
  for (int64_t i = 0, n = 0; i < 3; i++)
    for (int64_t j = 0; j < 4; j++)
      for (int64_t k = 0; k < 2; k++)
        for (int64_t l = 0; l < 5; l++)
          CHECK_EQ(THTensor_(get4d)(t, i, j, k, l), values[n++]);
  THTensor_(set4d)(t, 2, 3, 1, 4, v);
  CHECK_EQ(*THTest_(at)(t, 119), v);
  free(values);

  THTensor *t3 = THTensor_(newSelect)(t, 0, 2), *t2 = THTensor_(newSelect)(t3, 0, 3);
  THTensor *t1 = THTensor_(newSelect)(t2, 0, 1);
  CHECK_EQ(THTensor_(get3d)(t3, 3, 1, 4), v);
  CHECK_EQ(THTensor_(get2d)(t2, 1, 4), v);
  CHECK_EQ(THTensor_(get1d)(t1, 4), v);
  THTensor_(set3d)(t3, 0, 0, 0, v);
  CHECK_EQ(THTensor_(get4d)(t, 2, 0, 0, 0), v);
  THTensor_(set2d)(t2, 0, 2, v);
  CHECK_EQ(THTensor_(get4d)(t, 2, 3, 0, 2), v);
  THTensor_(set1d)(t1, 0, v);
  CHECK_EQ(THTensor_(get4d)(t, 2, 3, 1, 0), v);

  static const int64_t outside[] = {-1, 5, INT64_MIN, INT64_MAX};
  for (int k = 0; k < 4; k++) {
    const int64_t x = outside[k];
    CHECK_RAISES(2, "out of range", THTensor_(get1d)(t1, x));
    CHECK_RAISES(3, "out of range", THTensor_(get2d)(t2, 0, x));
    CHECK_RAISES(2, "out of range", THTensor_(get3d)(t3, x, 0, 0));
    CHECK_RAISES(4, "out of range", THTensor_(get4d)(t, 0, 0, x, 0));
    CHECK_RAISES(2, "out of range", THTensor_(set1d)(t1, x, v));
    CHECK_RAISES(5, "out of range", THTensor_(set4d)(t, 0, 0, 0, x, v));
  }
  CHECK_RAISES(1, "3 dimensions, not 1", THTensor_(get1d)(t3, 0));
  CHECK_RAISES(1, "1 dimensions, not 2", THTensor_(set2d)(t1, 0, 0, v));
  THTensor_(free)(t1);
  THTensor_(free)(t2);
  THTensor_(free)(t3);
  THTensor_(free)(t);
}

static void THTest_(reading)(void)
{
  static const int contiguous[TH_LAYOUTS] = {
      [TH_CONTIGUOUS] = 1, [TH_OFFSET] = 1, [TH_WITH_ONES] = 1, [TH_ONE] = 1, [TH_EMPTY] = 1};
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    const th_geometry g = th_layout_geometry(layout, TH_SHAPE(3, 4, 5));
    THTensor *t = THTest_(tensor)(layout, 1, TH_SHAPE(3, 4, 5));
    CHECK_EQ(THTensor_(isContiguous)(t), contiguous[layout]);
    CHECK_EQ(THTensor_(nDimension)(t), g.dims);
    CHECK_EQ(THTensor_(storageOffset)(t), g.offset);
    CHECK_EQ(THTensor_(nElement)(t), THTest_(count)(t));
    for (int d = 0; d < g.dims; d++) {
      CHECK_EQ(THTensor_(size)(t, d), g.size[d]);
      CHECK_EQ(THTensor_(stride)(t, d), g.stride[d]);
    }
    if (g.dims)
      CHECK(THTensor_(data)(t) == t->storage->data + g.offset);
    CHECK_RAISES(2, "out of range", THTensor_(size)(t, t->nDimension));
    CHECK_RAISES(2, "out of range", THTensor_(stride)(t, -1));
    THTensor_(free)(t);
  }
}

static void THTest_(descriptions)(void)
{
  THTensor *t = THTensor_(newWithSize3d)(2, 30, 4);
  CHECK(!strcmp(THTensor_(desc)(t).str, "torch." TH_STRING_OF(Real) "Tensor of size 2x30x4"));
  CHECK(!strcmp(THTensor_(sizeDesc)(t).str, "[2 x 30 x 4]"));
  int64_t size[40];
  for (int d = 0; d < 40; d++)
    size[d] = 1;
  THTensor_(resizeNd)(t, 40, size, NULL);
  CHECK_EQ(strlen(THTensor_(desc)(t).str), TH_DESC_BUFF_LEN - 1);
  CHECK(!strcmp(THTensor_(desc)(t).str + TH_DESC_BUFF_LEN - 4, "..."));
  CHECK_EQ(strlen(THTensor_(sizeDesc)(t).str), TH_DESC_BUFF_LEN - 1);
  CHECK(strstr(THTensor_(sizeDesc)(t).str, "...]"));
  THTensor_(free)(t);
  t = THTensor_(new)();
  CHECK(!strcmp(THTensor_(desc)(t).str, "torch." TH_STRING_OF(Real) "Tensor with no dimension"));
  CHECK(!strcmp(THTensor_(sizeDesc)(t).str, "[]"));
  THTensor_(free)(t);
}

static void THTest_(counts)(void)
{
  THTensor *t = THTensor_(newWithSize1d)(3);
  THTensor_(retain)(t);
  CHECK_EQ(t->refcount, 2);
  THTensor_(free)(t);
  CHECK_EQ(t->refcount, 1);
  THTensor_(clearFlag)(t, TH_TENSOR_REFCOUNTED);
  THTensor_(retain)(t);
  THTensor_(free)(t);
  CHECK_EQ(t->refcount, 1);
  THTensor_(setFlag)(t, TH_TENSOR_REFCOUNTED);
  THTensor_(free)(t);
}

/* The count of a tensor that is gone is 0: to free it once more does nothing, as long as nobody has
 * its memory. */
static void THTest_(freeTwice)(void)
{
#ifndef TH_SANITIZED /* which would stop the program */
  for (int views = 0; views < 2; views++) {
    THTensor *volatile t =
        THTensor_(newWithSize1d)(3); /* volatile: the compiler knows of no free */
    THTensor *view = views ? THTensor_(newWithTensor)(t) : NULL;
    THTensor_(free)(t);
    CHECK_EQ(t->refcount, 0);
    THTensor_(free)(t);
    THTensor_(free)(t);
    CHECK(!view || view->storage->refcount == 1);
    THTensor *made[3];
    for (int i = 0; i < 3; i++)
      made[i] = THTensor_(newWithSize1d)(3);
    for (int i = 0; i < 3; i++) {
      CHECK(made[i] != made[(i + 1) % 3] && made[i]->storage != made[(i + 1) % 3]->storage);
      CHECK(!view || made[i]->storage != view->storage);
    }
    for (int i = 0; i < 3; i++)
      THTensor_(free)(made[i]);
    THTensor_(free)(view);
  }
#endif
}

TH_TESTS(THTest_(new), THTest_(newWithSize), THTest_(manyDimensions), THTest_(resize),
         THTest_(resizeErrors), THTest_(setStorage), THTest_(getAndSet), THTest_(reading),
         THTest_(descriptions), THTest_(counts), THTest_(freeTwice))
