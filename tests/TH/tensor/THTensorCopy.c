/* Copies between all types, layouts and overlaps, against the obvious loop. */
#include "THTemplate.h"

#include "th_layouts.h"

/* --- one element ---------------------------------------------------------------------------- */

/* The value of x as this type, by the rules of the header, computed with integers of 128 bits and
 * long double. */
static real THTest_(converted)(long double x)
{
#if defined(TH_REAL_IS_HALF)
  return TH_float2half((float)x);
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  return (real)x;
#else
  if (x != x)
    return 0;
  if (x >= 0x1p63L)
    return (real)INT64_MAX;
  if (x < -0x1p63L)
    return (real)INT64_MIN;
  return (real)(uint64_t)(int64_t)x;
#endif
}

/* A whole of 64 bits goes to a floating type with one rounding, which long double has bits enough
 * not to add to. */
#define CHECK_CONVERTED(Source, VALUE)                                   \
  do {                                                                   \
    TH##Source##Storage *from = TH##Source##Storage_newWithSize1(VALUE); \
    THStorage *to = THStorage_(newWithSize)(1);                          \
    THStorage_(copy##Source)(to, from);                                  \
    CHECK_EQ(to->data[0], THTest_(converted)(VALUE));                    \
    TH##Source##Storage_free(from);                                      \
    THStorage_(free)(to);                                                \
  } while (0)

static const double doubles[] = {0,        -0.0,      0.5,    -0.5,    1.5,  -1.0,         -1.5,
                                 127.9,    128,       255.9,  256,     300,  -129,         32768,
                                 -32769.7, 65504,     65520,  1e5,     -3e9, 2147483648.0, 4e9,
                                 -1e10,    9.2e18,    9.3e18, -9.3e18, 1e19, -1e300,       1e300,
                                 INFINITY, -INFINITY, NAN,    1e-9};

static void THTest_(conversionRules)(void)
{
  for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
    th_note("from %g", doubles[i]);
    CHECK_CONVERTED(Double, doubles[i]);
    CHECK_CONVERTED(Float, (float)doubles[i]);
  }
  static const int64_t wholes[] = {
      0,         1,         -1,       127,       128,       -128,
      -129,      255,       256,      300,       32767,     32768,
      -32769,    65535,     65536,    INT32_MAX, INT32_MIN, (int64_t)INT32_MAX + 1,
      INT64_MAX, INT64_MIN, 16777217, -16777219};
  for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
    th_note("from %lld", (long long)wholes[i]);
    CHECK_CONVERTED(Long, wholes[i]);
    CHECK_CONVERTED(Int, (int32_t)wholes[i]);
    CHECK_CONVERTED(Short, (int16_t)wholes[i]);
    CHECK_CONVERTED(Char, (int8_t)wholes[i]);
    CHECK_CONVERTED(Byte, (uint8_t)wholes[i]);
  }
#if defined(TH_REAL_IS_BYTE) /* the examples of the header */
  CHECK_EQ(THTest_(converted)(-1.0L), (uint8_t)255);
  CHECK_EQ(THTest_(converted)(300.0L), (uint8_t)44);
#endif
}

#define CHECK_LINES(Source)                                          \
  static void THTest_(checkLines##Source)(TH##Source##Storage *from) \
  {                                                                  \
    THStorage *to = THStorage_(newWithSize)(from->size);             \
    THStorage_(copy##Source)(to, from);                              \
    for (ptrdiff_t i = 0; i < from->size; i++)                       \
      CHECK_EQ(to->data[i], THTest_(converted)(from->data[i]));      \
    THStorage_(free)(to);                                            \
  }
CHECK_LINES(Float)
CHECK_LINES(Double)

/* Many near numbers of either sign, and among them, in the second block, one of the list above. */
#define CONVERTED_LINES(Source, source)                                              \
  static void THTest_(convertedLines##Source)(double one)                            \
  {                                                                                  \
    enum { COUNT = 1237, INDEX = 300 };                                              \
    TH##Source##Storage *from = TH##Source##Storage_newWithSize(COUNT);              \
    for (int i = 0; i < COUNT; i++)                                                  \
      from->data[i] = (source)(i == INDEX ? one : (i * 7919 % 70001 - 35000) / 8.0); \
    THTest_(checkLines##Source)(from);                                               \
    TH##Source##Storage_free(from);                                                  \
  }
CONVERTED_LINES(Float, float)
CONVERTED_LINES(Double, double)

static void THTest_(convertedLines)(void)
{
  for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
    th_note("%g among others", doubles[i]);
    THTest_(convertedLinesFloat)(doubles[i]);
    THTest_(convertedLinesDouble)(doubles[i]);
  }
}

/* --- every layout --------------------------------------------------------------------------- */

typedef void THTest_(Copy)(THTensor *t, th_geometry *g);

static uint8_t THTest_(number)(ptrdiff_t offset)
{
  return (uint8_t)(offset * 37 % 101);
}

/* A storage of type Source whose elements are numbered. */
#define NUMBERED(Source, source, unused)                                    \
  static TH##Source##Storage *THTest_(numbered##Source)(ptrdiff_t length)   \
  {                                                                         \
    TH##Source##Storage *storage = TH##Source##Storage_newWithSize(length); \
    THByteStorage *bytes = THByteStorage_newWithSize(length);               \
    for (ptrdiff_t i = 0; i < length; i++)                                  \
      bytes->data[i] = THTest_(number)(i);                                  \
    TH##Source##Storage_copyByte(storage, bytes);                           \
    THByteStorage_free(bytes);                                              \
    return storage;                                                         \
  }
TH_FOR_EACH_TYPE(NUMBERED)

/* Copies a tensor of type Source with the layout of the geometry to t. */
#define COPY_FROM(Source, source, unused)                                                  \
  static void THTest_(copyFrom##Source)(THTensor *t, th_geometry *g)                       \
  {                                                                                        \
    TH##Source##Tensor *s = TH##Source##Tensor_new();                                      \
    TH##Source##Storage *storage = THTest_(numbered##Source)(g->length);                   \
    if (g->dims)                                                                           \
      TH##Source##Tensor_setStorageNd(s, storage, g->offset, g->dims, g->size, g->stride); \
    TH##Source##Storage_free(storage);                                                     \
    THTensor_(copy##Source)(t, s);                                                         \
    TH##Source##Tensor_free(s);                                                            \
  }
TH_FOR_EACH_TYPE(COPY_FROM)

static void THTest_(checkCopy)(THTensor *t, const th_geometry *g)
{
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++) {
    ptrdiff_t rest = i, offset = g->offset;
    for (int d = g->dims - 1; d >= 0; d--) {
      offset += rest % g->size[d] * g->stride[d];
      rest /= g->size[d];
    }
    CHECK_EQ(*THTest_(at)(t, i), THTest_(converted)((long double)THTest_(number)(offset)));
  }
}

static void THTest_(copyShapes)(THTest_(Copy) * copy, const char *source, const int64_t *shape,
                                const int64_t *from, int layouts)
{
  for (int lt = 0; lt < layouts; lt++)
    for (int ls = 0; ls < layouts; ls++) {
      if (!th_layouts_agree(lt, ls) || !th_layout_is_writable(lt))
        continue;
      th_note("from %s, %s to %s", source, th_layout_names[ls], th_layout_names[lt]);
      THTensor *t = THTest_(tensor)(lt, 2, 3, shape);
      th_geometry g = th_layout_geometry(ls, 3, from);
      real *before = THTest_(storageValues)(t);
      copy(t, &g);
      THTest_(checkCopy)(t, &g);
      CHECK_OUTSIDE(t, before);
      free(before);
      THTensor_(free)(t);
    }
}

static void THTest_(copyLayouts)(THTest_(Copy) * copy, const char *source)
{
  static const int64_t small[] = {6, 5, 4}, other[] = {4, 6, 5};
  static const int64_t large[] = {3, 70, 90}, few[] = {1, 3, 2001};
  THTest_(copyShapes)(copy, source, small, other, TH_LAYOUTS);
  THTest_(copyShapes)(copy, source, large, large, TH_WITH_ONES); /* squares, bands and buffers */
  THTest_(copyShapes)(copy, source, few, few, TH_WITH_ONES);
}

#define COPY_LAYOUTS(Source, source, unused)                  \
  static void THTest_(copyLayouts##Source)(void)              \
  {                                                           \
    THTest_(copyLayouts)(THTest_(copyFrom##Source), #Source); \
  }
TH_FOR_EACH_TYPE(COPY_LAYOUTS)

/* Large enough for tiles, blocks and threads; both orders of dimensions. */
static void THTest_(copyLarge)(void)
{
  static const int64_t shapes[][3] = {{1, 317, 301}, {3, 65, 130}, {7, 100, 33}, {32, 3, 70}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int lt = 0; lt < TH_WITH_ONES; lt++)
      for (int ls = 0; ls < TH_ONE; ls++) {
        th_note("%s to %s, %s", th_layout_names[ls], th_layout_names[lt],
                _THSizeDesc(shapes[k], 3).str);
        THTensor *t = THTest_(tensor)(lt, 2, 3, shapes[k]),
                 *s = THTest_(tensor)(ls, 5, 3, shapes[k]);
        real *expected = THTest_(values)(s);
        THTensor_(copy)(t, s);
        real *actual = THTest_(values)(t);
        CHECK(!memcmp(actual, expected, (size_t)THTest_(count)(s) * sizeof(real)));
        free(actual);
        free(expected);
        THTensor_(free)(s);
        THTensor_(free)(t);
      }
}

/* --- overlap -------------------------------------------------------------------------------- */

/* Two windows of one storage at every distance, lying in it in different orders. */
static void THTest_(copyOverlap)(void)
{
  for (int shift = 0; shift < 14; shift++)
    for (int across = 0; across < 3; across++) {
      th_note("shift %d, across %d", shift, across);
      THTensor *whole = THTest_(tensor)(TH_CONTIGUOUS, 8, TH_SHAPE(40));
      int64_t size[] = {3, 3}, rows[] = {3, 1}, columns[] = {1, 3};
      THTensor *t = THTensor_(new)(), *s = THTensor_(new)();
      THTensor_(setStorageNd)(t, whole->storage, 5, 2, size, across == 1 ? columns : rows);
      THTensor_(setStorageNd)(s, whole->storage, shift, 2, size, across == 2 ? columns : rows);
      real *expected = THTest_(values)(s);
      THTensor_(copy)(t, s);
      CHECK_VALUES(t, expected);
      free(expected);
      THTensor_(free)(t);
      THTensor_(free)(s);
      THTensor_(free)(whole);
    }
}

static void THTest_(copyErrors)(void)
{
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(2, 3));
  THTensor *s = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(7));
  THTensor *empty = THTensor_(new)();
  CHECK_RAISES(2, "src has 7 elements ([7]), tensor has 6 ([2 x 3])", THTensor_(copy)(t, s));
  CHECK_RAISES(2, "", THTensor_(copy)(t, empty));
  CHECK_RAISES(2, "", THTensor_(copy)(empty, t));
  THTensor_(copy)(empty, empty);
  THTensor_(copy)(t, t);
  CHECK_EQ(THTest_(at)(t, 4)[0], THTest_(value)(2, 4));

  THStorage *small = THStorage_(newWithSize)(2);
  CHECK_RAISES(2, "src has 7 elements, storage has 2", THStorage_(copy)(small, s->storage));
  CHECK_RAISES(2, "src has 2 elements, storage has 7", THStorage_(copy)(s->storage, small));
  THStorage_(free)(small);
  THTensor_(free)(empty);
  THTensor_(free)(s);
  THTensor_(free)(t);
}

static void THTest_(rawCopy)(void)
{
  const real values[3] = {THTest_(value)(1, 0), THTest_(value)(1, 1), THTest_(value)(1, 2)};
  THStorage *s = THStorage_(newWithSize)(3);
  THStorage_(rawCopy)(s, (real *)values);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(s->data[i], values[i]);
  THStorage_(free)(s);
  THStorage *none = THStorage_(new)();
  THStorage_(rawCopy)(none, NULL);
  THStorage_(free)(none);
}

static void THTest_(newCloneAndContiguous)(void)
{
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(tensor)(layout, 4, TH_SHAPE(3, 4, 5));
    real *expected = THTest_(values)(t);
    THTensor *clone = THTensor_(newClone)(t);
    CHECK(THTensor_(isContiguous)(clone));
    CHECK(THTensor_(isSameSizeAs)(clone, t));
    CHECK_VALUES(clone, expected);
    CHECK(!t->nDimension || clone->storage != t->storage);
    THTensor *contiguous = THTensor_(newContiguous)(t);
    CHECK_EQ(contiguous == t, THTensor_(isContiguous)(t));
    CHECK_VALUES(contiguous, expected);

    THTensor *dst = THTest_(tensor)(th_layout_is_writable(layout) ? layout : TH_CONTIGUOUS, 6,
                                    TH_SHAPE(3, 4, 5));
    THTensor_(freeCopyTo)(contiguous, dst);
    CHECK_VALUES(dst, expected);
    THTensor_(free)(dst);
    THTensor_(free)(clone);
    THTensor_(free)(t);
    free(expected);
  }
}

TH_TESTS(THTest_(copyLayoutsByte), THTest_(copyLayoutsChar), THTest_(copyLayoutsShort),
         THTest_(copyLayoutsInt), THTest_(copyLayoutsLong), THTest_(copyLayoutsFloat),
         THTest_(copyLayoutsDouble), THTest_(copyLayoutsHalf), THTest_(conversionRules),
         THTest_(convertedLines), THTest_(copyLarge), THTest_(copyOverlap), THTest_(copyErrors),
         THTest_(rawCopy), THTest_(newCloneAndContiguous))
