/* Storages: what their flags permit, who owns the data, counts, resizing. */
#include "THTemplate.h"

#include <unistd.h>

#include "th_layouts.h"

static THStorage *THTest_(filled)(ptrdiff_t size)
{
  THStorage *s = THStorage_(newWithSize)(size);
  for (ptrdiff_t i = 0; i < size; i++)
    s->data[i] = THTest_(value)(3, i);
  return s;
}

static void THTest_(storageNew)(void)
{
  const real a = THTest_(value)(1, 0), b = THTest_(value)(1, 1), c = THTest_(value)(1, 2);
  THStorage *s = THStorage_(new)();
  CHECK_EQ(s->size, 0);
  CHECK_EQ(s->refcount, 1);
  CHECK_EQ(s->flag, TH_STORAGE_REFCOUNTED | TH_STORAGE_RESIZABLE | TH_STORAGE_FREEMEM);
  THStorage_(free)(s);
  THStorage_(free)(NULL);
  THStorage_(retain)(NULL);
  s = THStorage_(newWithSize1)(a);
  CHECK_EQ(THStorage_(get)(s, 0), a);
  THStorage_(free)(s);
  s = THStorage_(newWithSize2)(a, b);
  CHECK_EQ(THStorage_(get)(s, 1), b);
  THStorage_(free)(s);
  s = THStorage_(newWithSize3)(a, b, c);
  CHECK_EQ(THStorage_(get)(s, 2), c);
  THStorage_(free)(s);
  s = THStorage_(newWithSize4)(a, b, c, a);
  CHECK_EQ(THStorage_(size)(s), 4);
  CHECK_EQ(THStorage_(data)(s)[3], a);
  CHECK_EQ(THStorage_(elementSize)(), sizeof(real));
  THStorage_(set)(s, 0, c);
  CHECK_EQ(TH_STORAGE_GET(s, 0), c);
  TH_STORAGE_SET(s, 0, b);
  CHECK_EQ(THStorage_(get)(s, 0), b);
  static const ptrdiff_t outside[] = {-1, 4, PTRDIFF_MIN, PTRDIFF_MAX};
  for (int k = 0; k < 4; k++) {
    CHECK_RAISES(2, "out of range", THStorage_(get)(s, outside[k]));
    CHECK_RAISES(2, "out of range", THStorage_(set)(s, outside[k], a));
  }
  THStorage_(free)(s);
  CHECK_RAISES(0, "-1", THStorage_(newWithSize)(-1));
  CHECK_RAISES(0, "", THStorage_(newWithSize)(PTRDIFF_MAX));
}

static void THTest_(storageFill)(void)
{
  THStorage *s = THTest_(filled)(1000);
  THStorage_(fill)(s, THTest_(value)(9, 9));
  for (int i = 0; i < 1000; i++)
    CHECK_EQ(s->data[i], THTest_(value)(9, 9));
  THStorage_(free)(s);
}

/* Data from malloc, owned, or left to the caller where FREEMEM is cleared. */
static void THTest_(newWithData)(void)
{
  real *data = malloc(3 * sizeof(real));
  for (int i = 0; i < 3; i++)
    data[i] = THTest_(value)(3, i);
  THStorage *s = THStorage_(newWithData)(data, 3);
  CHECK(s->data == data);
  THStorage_(resize)(s, 5);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(s->data[i], THTest_(value)(3, i));
  THStorage_(free)(s);

  real borrowed[3] = {THTest_(value)(3, 0), THTest_(value)(3, 1), THTest_(value)(3, 2)};
  s = THStorage_(newWithData)(borrowed, 3);
  THStorage_(clearFlag)(s, TH_STORAGE_FREEMEM);
  THStorage_(free)(s);
  CHECK_EQ(borrowed[2], THTest_(value)(3, 2));
  s = THStorage_(newWithData)(borrowed, 3);
  THStorage_(clearFlag)(s, TH_STORAGE_FREEMEM);
  THStorage_(resize)(s, 4); /* moves to memory of its own, which it frees */
  CHECK(s->data != borrowed);
  CHECK_EQ(s->data[2], THTest_(value)(3, 2));
  THStorage_(free)(s);

  s = THTest_(filled)(2); /* our blocks are malloc's */
  data = s->data;
  THStorage_(clearFlag)(s, TH_STORAGE_FREEMEM);
  THStorage_(free)(s);
  free(data);
}

static void THTest_(storageFlags)(void)
{
  THStorage *s = THTest_(filled)(4);
  THStorage_(retain)(s);
  CHECK_EQ(s->refcount, 2);
  THStorage_(clearFlag)(s, TH_STORAGE_REFCOUNTED);
  THStorage_(retain)(s);
  THStorage_(free)(s);
  CHECK_EQ(s->refcount, 2);
  THStorage_(setFlag)(s, TH_STORAGE_REFCOUNTED);
  THStorage_(free)(s);
  CHECK_EQ(s->refcount, 1);
  THStorage_(clearFlag)(s, TH_STORAGE_RESIZABLE);
  CHECK_RAISES(1, "not resizable", THStorage_(resize)(s, 5));
  CHECK_EQ(s->size, 4);

  THStorage *view = THStorage_(newWithData)(s->data + 1, 2); /* keeps its owner alive */
  view->flag = TH_STORAGE_REFCOUNTED | TH_STORAGE_VIEW;
  view->view = s;
  CHECK_EQ(s->refcount, 1); /* the view owns that count now */
  CHECK_RAISES(1, "not resizable", THStorage_(resize)(view, 3));
  CHECK_EQ(view->data[0], THTest_(value)(3, 1));
  THStorage_(free)(view);
}

static void THTest_(storageResize)(void)
{
  THStorage *s = THTest_(filled)(100);
  THStorage_(resize)(s, 1000000);
  for (int i = 0; i < 100; i++)
    CHECK_EQ(s->data[i], THTest_(value)(3, i));
  THStorage_(resize)(s, 7);
  for (int i = 0; i < 7; i++)
    CHECK_EQ(s->data[i], THTest_(value)(3, i));
  CHECK_RAISES(0, "-5", THStorage_(resize)(s, -5));
  CHECK_RAISES(0, "", THStorage_(resize)(s, PTRDIFF_MAX / (ptrdiff_t)sizeof(real)));
  CHECK_EQ(s->size, 7);
  CHECK_EQ(s->data[6], THTest_(value)(3, 6));
  THStorage_(resize)(s, 0);
  CHECK_EQ(s->size, 0);
  THStorage_(resize)(s, 3);
  THStorage_(free)(s);
}

/* An allocator that counts, without realloc. */
static int THTest_(blocks), THTest_(calls);

static void *THTest_(countingMalloc)(void *ctx, ptrdiff_t size)
{
  CHECK(ctx == &THTest_(blocks));
  THTest_(blocks)++;
  THTest_(calls)++;
  return malloc((size_t)size + 1);
}

static void THTest_(countingFree)(void *ctx, void *p)
{
  CHECK(ctx == &THTest_(blocks));
  THTest_(blocks)--;
  free(p);
}

static void THTest_(storageAllocator)(void)
{
  THAllocator allocator = {THTest_(countingMalloc), NULL, THTest_(countingFree)};
  THStorage *s = THStorage_(newWithAllocator)(10, &allocator, &THTest_(blocks));
  CHECK_EQ(THTest_(blocks), 1);
  for (int i = 0; i < 10; i++)
    s->data[i] = THTest_(value)(3, i);
  THStorage_(resize)(s, 20);
  CHECK_EQ(THTest_(blocks), 1);
  CHECK_EQ(THTest_(calls), 2);
  for (int i = 0; i < 10; i++)
    CHECK_EQ(s->data[i], THTest_(value)(3, i));
  THStorage_(free)(s);
  CHECK_EQ(THTest_(blocks), 0);

  real *data = THTest_(countingMalloc)(&THTest_(blocks), 8 * sizeof(real));
  s = THStorage_(newWithDataAndAllocator)(data, 8, &allocator, &THTest_(blocks));
  THStorage_(free)(s);
  CHECK_EQ(THTest_(blocks), 0);
}

static void THTest_(storageSwap)(void)
{
  THAllocator allocator = {THTest_(countingMalloc), NULL, THTest_(countingFree)};
  THStorage *a = THStorage_(newWithAllocator)(3, &allocator, &THTest_(blocks));
  THStorage *b = THTest_(filled)(5);
  real *da = a->data, *db = b->data;
  THStorage_(retain)(b);
  THStorage_(clearFlag)(a, TH_STORAGE_RESIZABLE);
  THStorage_(swap)(a, b);
  CHECK(a->data == db && b->data == da);
  CHECK_EQ(a->size, 5);
  CHECK_EQ(b->size, 3);
  CHECK_EQ(a->refcount, 1);
  CHECK_EQ(b->refcount, 2);
  CHECK(a->allocator == &THDefaultAllocator && b->allocator == &allocator);
  CHECK(b->allocatorContext == &THTest_(blocks));
  CHECK(a->flag & TH_STORAGE_RESIZABLE);
  CHECK(!(b->flag & TH_STORAGE_RESIZABLE));
  THStorage_(free)(a);
  THStorage_(free)(b);
  THStorage_(free)(b);
  CHECK_EQ(THTest_(blocks), 0);
}

/* A file written by stdio, mapped: whole, in part, and not to be resized. */
static void THTest_(storageMapping)(void)
{
  char name[] = "/tmp/th-storage-XXXXXX";
  const int descriptor = mkstemp(name);
  CHECK(descriptor >= 0);
  real values[5];
  for (int i = 0; i < 5; i++)
    values[i] = THTest_(value)(8, i);
  CHECK_EQ(write(descriptor, values, sizeof values), (int64_t)sizeof values);
  close(descriptor);
  THStorage *whole = THStorage_(newWithMapping)(name, 0, 0);
  THStorage *part = THStorage_(newWithMapping)(name, 3, 0);
  CHECK_EQ(whole->size, 5);
  CHECK_EQ(part->size, 3);
  for (int i = 0; i < 5; i++)
    CHECK_EQ(whole->data[i], values[i]);
  CHECK_RAISES(1, "not resizable", THStorage_(resize)(part, 9));
  THStorage_(free)(part);
  THStorage_(free)(whole);
  CHECK_RAISES(0, "", THStorage_(newWithMapping)(name, 6, 0));
  unlink(name);
}

/* Halves that every type holds exactly. */
static void THTest_(storageCopyHalf)(void)
{
  THHalfStorage *halves = THHalfStorage_newWithSize(100);
  THStorage *to = THStorage_(newWithSize)(100);
  for (int i = 0; i < 100; i++)
    halves->data[i] = TH_float2half((float)i);
  THStorage_(copyHalf)(to, halves);
  for (int i = 0; i < 100; i++)
    CHECK_EQ(to->data[i], TH_CONVERT_ACCREAL_TO_REAL((accreal)i));
  THStorage_(free)(to);
  THHalfStorage_free(halves);
}

/* The count of a storage that is gone is 0: to free it once more does nothing. */
static void THTest_(storageFreeTwice)(void)
{
#ifndef TH_SANITIZED /* which would stop the program */
  THStorage *volatile s = THStorage_(newWithSize)(3);
  THStorage_(free)(s);
  CHECK_EQ(s->refcount, 0);
  THStorage_(free)(s);
  THStorage_(free)(s);
  THStorage *a = THStorage_(newWithSize)(3), *b = THStorage_(newWithSize)(3);
  CHECK(a != b && a->data != b->data);
  THStorage_(free)(a);
  THStorage_(free)(b);
#endif
}

TH_TESTS(THTest_(storageMapping), THTest_(storageCopyHalf), THTest_(storageNew),
         THTest_(storageFill), THTest_(newWithData), THTest_(storageFlags), THTest_(storageResize),
         THTest_(storageAllocator), THTest_(storageSwap), THTest_(storageFreeTwice))
