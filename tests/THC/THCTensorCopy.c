/* Copies to, from, on and between devices against TH's copies of the same views on the host. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_test.h"

/* Numbers that conversion changes: fractions, values out of range, infinities, NaN. */
static double THTest_(odd)(ptrdiff_t i)
{
  static const double odd[] = {-0.75, 1.5,   -1,       255.9,     300,    -129.5,  40000,
                               65519, 65520, -7e4,     2.2e9,     -2.2e9, 1e19,    -1e19,
                               6e-8,  3e-5,  INFINITY, -INFINITY, NAN,    16777217};
  const ptrdiff_t count = sizeof odd / sizeof *odd;
  return i % 3 ? (double)(i * 37 % 101) - 40.385 : odd[i / 3 % count];
}

#define WHOLE_NUMBER(Source, source)                               \
  static source THTest_(number##Source)(ptrdiff_t i)               \
  {                                                                \
    return (source)(((uint64_t)i + 1) * 0x9e3779b97f4a7c15u >> 3); \
  }
WHOLE_NUMBER(Byte, uint8_t)
WHOLE_NUMBER(Char, int8_t)
WHOLE_NUMBER(Short, int16_t)
WHOLE_NUMBER(Int, int32_t)
WHOLE_NUMBER(Long, int64_t)

static float THTest_(numberFloat)(ptrdiff_t i)
{
  return (float)THTest_(odd)(i);
}

static double THTest_(numberDouble)(ptrdiff_t i)
{
  return THTest_(odd)(i);
}

static THHalf THTest_(numberHalf)(ptrdiff_t i)
{
  return TH_float2half((float)THTest_(odd)(i));
}

#define PAIRS(X)           \
  X(Byte, Byte, uint8_t)   \
  X(Char, Char, int8_t)    \
  X(Short, Short, int16_t) \
  X(Int, Int, int32_t)     \
  X(Long, Long, int64_t) X(Float, , float) X(Double, Double, double) X(Half, Half, THHalf)

/* A tensor of type Source with that layout on the host. */
#define NEW_SOURCE(Source, CudaSource, source)                                           \
  static TH##Source##Tensor *THTest_(newSource##Source)(th_geometry *g)                  \
  {                                                                                      \
    TH##Source##Storage *storage = TH##Source##Storage_newWithSize(g->length);           \
    for (ptrdiff_t i = 0; i < g->length; i++)                                            \
      storage->data[i] = THTest_(number##Source)(i);                                     \
    TH##Source##Tensor *s = TH##Source##Tensor_new();                                    \
    TH##Source##Tensor_setStorageNd(s, storage, g->offset, g->dims, g->size, g->stride); \
    TH##Source##Storage_free(storage);                                                   \
    return s;                                                                            \
  }
PAIRS(NEW_SOURCE)

#define UPLOAD_STORAGE(Source, CudaSource, source)                                           \
  static THCuda##CudaSource##Storage *THTest_(uploadStorage##Source)(TH##Source##Storage *s) \
  {                                                                                          \
    THCuda##CudaSource##Storage *storage =                                                   \
        THCuda##CudaSource##Storage_newWithSize(thc_state(), s->size);                       \
    CHECK_CUDA(cudaMemcpy(storage->data, s->data, (size_t)s->size * sizeof(source),          \
                          cudaMemcpyHostToDevice));                                          \
    return storage;                                                                          \
  }
PAIRS(UPLOAD_STORAGE)

/* A copy of s on the device. */
#define UPLOAD(Source, CudaSource, source)                                             \
  static THCuda##CudaSource##Tensor *THTest_(upload##Source)(TH##Source##Tensor *s)    \
  {                                                                                    \
    THCuda##CudaSource##Tensor *d = THCuda##CudaSource##Tensor_new(thc_state());       \
    THCuda##CudaSource##Storage *storage = THTest_(uploadStorage##Source)(s->storage); \
    THCuda##CudaSource##Tensor_setStorageNd(thc_state(), d, storage, s->storageOffset, \
                                            s->nDimension, s->size, s->stride);        \
    THCuda##CudaSource##Storage_free(thc_state(), storage);                            \
    return d;                                                                          \
  }
PAIRS(UPLOAD)

/* The copies between t, of that layout, and a source in another one: TH's is the reference. */
typedef struct {
  int layout;
  THTensor *t, *expected;
  real *values; /* expected */
} Copied;

static Copied THTest_(beginCopies)(int layout)
{
  return (Copied){layout, THTest_(tensor)(layout, 2, TH_SHAPE(3, 5, 7)),
                  THTest_(tensor)(layout, 2, TH_SHAPE(3, 5, 7)), NULL};
}

/* Checks a copy to d, which was uploaded from t, and frees d. */
static void THTest_(checkUploaded)(const Copied *c, THCTensor *d)
{
  real *before = THTest_(storageValues)(c->t);
  THTensor *twin = THCTest_(twin)(d);
  CHECK_VALUES(twin, c->values);
  if (c->layout != TH_EMPTY)
    CHECK_OUTSIDE(twin, before);
  free(before);
  THTensor_(free)(twin);
  THCTensor_(free)(thc_state(), d);
}

/* Checks the copy from the device to t. */
static void THTest_(endCopies)(Copied *c)
{
  CHECK_VALUES(c->t, c->values);
  free(c->values);
  THTensor_(free)(c->expected);
  THTensor_(free)(c->t);
}

/* Host to device, device to device, device to host. */
#define COPIES(Source, CudaSource, source)                                                   \
  static void THTest_(copies##Source)(TH##Source##Tensor *s, THCuda##CudaSource##Tensor *ds, \
                                      Copied *c)                                             \
  {                                                                                          \
    THCTensor *first = THCTest_(upload)(c->t), *second = THCTest_(upload)(c->t);             \
    THCTensor_(copy##Source)(thc_state(), first, s);                                         \
    THTest_(checkUploaded)(c, first);                                                        \
    THCTensor_(copyCuda##Source)(thc_state(), second, ds);                                   \
    THTest_(checkUploaded)(c, second);                                                       \
    TH_CONCAT_2(THTensor_(copyCuda), Source)(thc_state(), c->t, ds);                         \
  }
PAIRS(COPIES)

#define COPY_LAYOUT(Source, CudaSource, source)                      \
  static void THTest_(copyLayout##Source)(Copied *c, th_geometry *g) \
  {                                                                  \
    TH##Source##Tensor *s = THTest_(newSource##Source)(g);           \
    THCuda##CudaSource##Tensor *ds = THTest_(upload##Source)(s);     \
    THTensor_(copy##Source)(c->expected, s);                         \
    c->values = THTest_(values)(c->expected);                        \
    THTest_(copies##Source)(s, ds, c);                               \
    THCuda##CudaSource##Tensor_free(thc_state(), ds);                \
    TH##Source##Tensor_free(s);                                      \
  }
PAIRS(COPY_LAYOUT)

/* Copies in all pairs of layouts. */
static void THTest_(copyLayouts)(void (*copy)(Copied *c, th_geometry *g))
{
  for (int lt = 0; lt < TH_LAYOUTS; lt++)
    for (int ls = 0; ls < TH_LAYOUTS; ls++) {
      if (!th_layouts_agree(lt, ls) || !th_layout_is_writable(lt))
        continue;
      th_note("%s to %s", th_layout_names[ls], th_layout_names[lt]);
      th_geometry g = th_layout_geometry(ls, TH_SHAPE(3, 5, 7));
      Copied c = THTest_(beginCopies)(lt);
      copy(&c, &g);
      THTest_(endCopies)(&c);
    }
}

#define COPY_LAYOUTS(Source, CudaSource, source)       \
  static void THTest_(copyLayouts##Source)(void)       \
  {                                                    \
    THTest_(copyLayouts)(THTest_(copyLayout##Source)); \
  }
PAIRS(COPY_LAYOUTS)

/* More than a block, at every alignment, with a remainder that fills no pack. */
static void THTest_(copyLarge)(void)
{
  THCState *state = thc_state();
  static const int64_t sizes[] = {1, 5, 16, 63, 64, 1000, 4099, 100003};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int offset = 0; offset < 3; offset++) {
      th_note("%lld elements from %d on", (long long)sizes[k], offset);
      THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, 1, (int64_t[]){sizes[k] + offset});
      THTensor *s = THTensor_(newNarrow)(t, 0, offset, sizes[k]);
      real *values = THTest_(values)(s);
      THCTensor *all = THCTest_(upload)(t);
      THCTensor *d = THCTensor_(newNarrow)(state, all, 0, offset, sizes[k]);
      THCudaLongTensor *longs = THCudaLongTensor_newWithSize1d(state, sizes[k] + 1);
      THCudaLongTensor *view = THCudaLongTensor_newNarrow(state, longs, 0, 1, sizes[k]);
      THCTensor *r = THCTensor_(newWithSize1d)(state, sizes[k]);
      THCudaLongTensor_copyCuda(state, view, view); /* itself: nothing happens */
      THCTensor_(copy)(state, r, d);
      CHECK_DEVICE_VALUES(r, values);
#if !defined(TH_REAL_IS_FLOAT) && !defined(TH_REAL_IS_DOUBLE) && !defined(TH_REAL_IS_HALF)
      TH_CONCAT_2(THCudaLongTensor_copyCuda, Real)(state, view, d);
      THCTensor_(copyCudaLong)(state, r, view); /* and back */
      CHECK_DEVICE_VALUES(r, values);
#endif
      THCTensor_(free)(state, r);
      THCudaLongTensor_free(state, view);
      THCudaLongTensor_free(state, longs);
      THCTensor_(free)(state, d);
      THCTensor_(free)(state, all);
      free(values);
      THTensor_(free)(s);
      THTensor_(free)(t);
    }
}

/* Copies between shapes with the same number of elements, also without a common refinement. */
static void THTest_(copyShapes)(void)
{
  static const int64_t shapes[][3] = {{6, 4, 5}, {4, 6, 5}, {3, 8, 5}, {1, 120, 1}, {2, 3, 20}};
  THCState *state = thc_state();
  for (int a = 0; a < 5; a++)
    for (int b = 0; b < 5; b++)
      for (int la = 0; la < TH_WITH_ONES; la++)
        for (int lb = 0; lb < TH_WITH_ONES; lb++) {
          th_note("%s %s to %s %s", th_layout_names[la], _THSizeDesc(shapes[a], 3).str,
                  th_layout_names[lb], _THSizeDesc(shapes[b], 3).str);
          THTensor *s = THTest_(tensor)(la, 5, 3, shapes[a]);
          real *values = THTest_(values)(s);
          THCTensor *ds = THCTest_(upload)(s), *d = THCTest_(tensor)(lb, 6, 3, shapes[b]);
          THCTensor_(copy)(state, d, ds);
          CHECK_DEVICE_VALUES(d, values);
          THCTensor_(free)(state, d);
          THCTensor_(free)(state, ds);
          THTensor_(free)(s);
          free(values);
        }
}

/* Between two devices, with access to each other and without, whichever is current. */
static void THTest_(copyDevices)(void)
{
  THCState *state = thc_state();
  if (thc_devices() < 2)
    return;
  int can;
  CHECK_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
  for (int direct = 0; direct <= can; direct++)
    for (int current = 0; current < 2; current++)
      for (int lt = 0; lt < TH_WITH_ONES; lt++)
        for (int ls = 0; ls < TH_WITH_ONES; ls++) {
          th_note("%s to %s, %s access, device %d", th_layout_names[ls], th_layout_names[lt],
                  direct ? "with" : "without", current);
          THCState_setPeerToPeerAccess(state, 0, 1, direct);
          THCState_setPeerToPeerAccess(state, 1, 0, direct);
          THTensor *s = THTest_(tensor)(ls, 5, TH_SHAPE(3, 5, 7));
          real *values = THTest_(values)(s);
          CHECK_CUDA(cudaSetDevice(1));
          THCTensor *d = THCTest_(tensor)(lt, 6, TH_SHAPE(3, 5, 7));
          CHECK_CUDA(cudaSetDevice(0));
          THCTensor *ds = THCTest_(upload)(s);
          THCudaShortTensor *shorts = THCudaShortTensor_newWithSize3d(state, 3, 5, 7);
          CHECK_CUDA(cudaSetDevice(current));
          CHECK_EQ(THCTensor_(getDevice)(state, d), 1);
          CHECK_EQ(THCTensor_(getDevice)(state, ds), 0);

          THCTensor_(copy)(state, d, ds);
          CHECK_DEVICE_VALUES(d, values);

          TH_CONCAT_2(THCudaShortTensor_copyCuda, Real)(state, shorts, d); /* converted, back */
          THShortTensor *expected = THShortTensor_newWithSize3d(3, 5, 7);
          THShortTensor *actual = THShortTensor_newWithSize3d(3, 5, 7);
          TH_CONCAT_2(THShortTensor_copy, Real)(expected, s);
          THShortTensor_copyCudaShort(state, actual, shorts);
          for (int i = 0; i < 105; i++)
            CHECK_EQ(actual->storage->data[i], expected->storage->data[i]);
          int after;
          CHECK_CUDA(cudaGetDevice(&after));
          CHECK_EQ(after, current);

          THShortTensor_free(actual);
          THShortTensor_free(expected);
          THCudaShortTensor_free(state, shorts);
          THCTensor_(free)(state, ds);
          THCTensor_(free)(state, d);
          free(values);
          THTensor_(free)(s);
        }
  CHECK_CUDA(cudaSetDevice(0));
}

/* A copy between devices runs after the work queued on the streams of both. */
static void THTest_(copyOrder)(void)
{
  THCState *state = thc_state();
  if (thc_devices() < 2)
    return;
  THCStream *streams[2];
  THCTensor *a[2], *b[2];
  for (int k = 0; k < 2; k++) {
    CHECK_CUDA(cudaSetDevice(k));
    streams[k] = THCStream_new(cudaStreamNonBlocking);
    THCState_setStream(state, streams[k]);
    a[k] = THCTensor_(newWithSize1d)(state, 1000);
    b[k] = THCTensor_(newWithSize1d)(state, 1000);
  }
  CHECK_CUDA(cudaSetDevice(0));
  THCStorage_(fill)(state, a[0]->storage, THTest_(value)(1, 1));
  THCStorage_(fill)(state, a[1]->storage, THTest_(value)(2, 2));
  THCTensor_(copy)(state, b[1], a[0]);                           /* the first fill */
  THCStorage_(fill)(state, a[0]->storage, THTest_(value)(3, 3)); /* later than that copy */
  THCTensor_(copy)(state, b[0], b[1]);
  THCStorage_(fill)(state, b[1]->storage, THTest_(value)(4, 4));
  CHECK_CUDA(cudaStreamSynchronize(streams[0]->stream));
  real *host = malloc(1000 * sizeof *host);
  CHECK_CUDA(cudaMemcpy(host, b[0]->storage->data, 1000 * sizeof *host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 1000; i++)
    CHECK_EQ(host[i], THTest_(value)(1, 1));
  free(host);
  for (int k = 0; k < 2; k++) {
    THCTensor_(free)(state, a[k]);
    THCTensor_(free)(state, b[k]);
    THCState_setStream(state, THCStream_defaultStream(k));
    THCStream_free(streams[k]);
  }
}

/* Pinned memory, copied while the host goes on, and freed before the copies are done. */
static void THTest_(copyAsync)(void)
{
  THCState *state = thc_state();
  THCStream *stream = THCStream_new(cudaStreamNonBlocking);
  THCState_setStream(state, stream);
  THStorage *pinned = THStorage_(newWithAllocator)(500, &THCCachingHostAllocator, NULL);
  THStorage *back = THStorage_(newWithAllocator)(500, &THCCachingHostAllocator, NULL);
  for (int i = 0; i < 500; i++)
    pinned->data[i] = THTest_(value)(7, i);
  memset(back->data, 0, 500 * sizeof(real));
  THTensor *s = THTensor_(newWithStorage1d)(pinned, 0, 500, 1);
  THTensor *r = THTensor_(newWithStorage1d)(back, 0, 500, 1);
  THCTensor *d = THCTensor_(newWithSize1d)(state, 500);
  real *const memory = pinned->data;

  THCTensor_(copyAsyncCPU)(state, d, s);
  THTensor_(copyAsyncCuda)(state, r, d);
  THTensor_(free)(s);
  THStorage_(free)(pinned);
  THStorage *other = THStorage_(newWithAllocator)(500, &THCCachingHostAllocator, NULL);
  if (THCState_isCachingAllocatorEnabled(state) && other->data == memory)
    CHECK_EQ((int)cudaStreamQuery(stream->stream), (int)cudaSuccess); /* reused: it was done */
  CHECK_CUDA(cudaStreamSynchronize(stream->stream));
  for (int i = 0; i < 500; i++)
    CHECK_EQ(back->data[i], THTest_(value)(7, i));

  THTensor *wide = THTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(50, 10));
  THTensor *few = THTensor_(newWithSize1d)(3);
  CHECK_RAISES(2, "not contiguous", THCTensor_(copyAsyncCPU)(state, d, wide));
  CHECK_RAISES(2, "3 elements", THCTensor_(copyAsyncCPU)(state, d, few));
  CHECK_RAISES(1, "not contiguous", THTensor_(copyAsyncCuda)(state, wide, d));
  THTensor_(free)(few);
  THTensor_(free)(wide);
  THStorage_(free)(other);
  THStorage_(free)(back);
  THTensor_(free)(r);
  THCTensor_(free)(state, d);
  THCState_setStream(state, THCStream_defaultStream(0));
  THCStream_free(stream);
}

static void THTest_(copyOverlap)(void)
{
  THCState *state = thc_state();
  for (int shift = -3; shift <= 3; shift++) {
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(400));
    THCTensor *d = THCTest_(upload)(t);
    THTensor *s = THTensor_(newNarrow)(t, 0, 10, 300);
    real *values = THTest_(values)(s);
    THCTensor *from = THCTensor_(newNarrow)(state, d, 0, 10, 300);
    THCTensor *to = THCTensor_(newNarrow)(state, d, 0, 10 + shift, 300);
    THCTensor_(copy)(state, to, from);
    CHECK_DEVICE_VALUES(to, values);
    THCTensor_(free)(state, to);
    THCTensor_(free)(state, from);
    THCTensor_(free)(state, d);
    free(values);
    THTensor_(free)(s);
    THTensor_(free)(t);
  }
  THTensor *square = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(20, 20));
  THTensor *turned = THTensor_(newTranspose)(square, 0, 1);
  real *values = THTest_(values)(turned);
  THCTensor *d = THCTest_(upload)(square), *dt = THCTensor_(newTranspose)(state, d, 0, 1);
  THCTensor_(copy)(state, d, dt);
  CHECK_DEVICE_VALUES(d, values);
  free(values);
  THCTensor_(free)(state, dt);
  THCTensor_(free)(state, d);
  THTensor_(free)(turned);
  THTensor_(free)(square);
}

static void THTest_(copyErrors)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(3, 4));
  THCTensor *wide = THCTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(3, 4));
  THCTensor *few = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(3));
  THTensor *host = THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(5));
  CHECK_RAISES(2, "src has 3 elements ([3]), self has 12 ([3 x 4])",
               THCTensor_(copy)(state, d, few));
  CHECK_RAISES(2, "src has 5 elements ([5]), self has 12 ([3 x 4])",
               THCTensor_(copyCPU)(state, d, host));
  CHECK_RAISES(2, "src has 12 elements", THTensor_(copyCuda)(state, host, d));
  CHECK_RAISES(1, "share memory", THCTensor_(copy)(state, wide, d));
  CHECK_RAISES(0, "state is NULL", THCTensor_(copy)(NULL, d, d));
  thc_allow_races(1);
  THCTensor_(copyIgnoringOverlaps)(state, wide, d);
  CHECK_CUDA(cudaDeviceSynchronize());
  thc_allow_races(0);
  /* Interleaved rows: their address ranges overlap, but no element is shared. */
  THCTensor *between = THCTensor_(new)(state),
            *six = THCTest_(tensor)(TH_STRIDED, 8, TH_SHAPE(2, 3));
  THCTensor_(setStorage2d)(state, between, d->storage, 0, 2, 3, 3, 2);
  THCTensor_(copyIgnoringOverlaps)(state, between, six);
  THTensor *twin = THCTest_(twin)(six);
  real *values = THTest_(values)(twin);
  CHECK_DEVICE_VALUES(between, values);
  free(values);
  THTensor_(free)(twin);
  THCTensor_(free)(state, six);
  THCTensor_(free)(state, between);
  THTensor_(free)(host);
  THCTensor_(free)(state, few);
  THCTensor_(free)(state, wide);
  THCTensor_(free)(state, d);
}

TH_TESTS(THTest_(copyLayoutsByte), THTest_(copyLayoutsChar), THTest_(copyLayoutsShort),
         THTest_(copyLayoutsInt), THTest_(copyLayoutsLong), THTest_(copyLayoutsFloat),
         THTest_(copyLayoutsDouble), THTest_(copyLayoutsHalf), THTest_(copyLarge),
         THTest_(copyShapes), THTest_(copyDevices), THTest_(copyOrder), THTest_(copyAsync),
         THTest_(copyOverlap), THTest_(copyErrors))
