/* Tensors of a given shape in every layout, and a naive way to read them.
 *
 *     for (int layout = 0; layout < TH_LAYOUTS; layout++) {
 *       THTensor *t = THTest_(tensor)(layout, 9, TH_SHAPE(7, 5, 3));         seed 9
 *       real *before = THTest_(values)(t);                    in row-major order, to free()
 *       THTensor_(fill)(t, 2);
 *       ...
 *
 * The tensors are put together from a storage, sizes and strides, not by the functions under test.
 * Every element of the storage has a value of its own, within the view or not. */
#ifndef TH_LAYOUTS_H
#define TH_LAYOUTS_H

#include "th_test.h"

typedef enum th_layout {
  TH_CONTIGUOUS,
  TH_OFFSET,        /* contiguous, from the fourth element of the storage on */
  TH_TRANSPOSED,    /* the first dimension runs fastest */
  TH_PERMUTED,      /* the second dimension runs fastest, as in NHWC; else row-major */
  TH_NARROWED,      /* out of a tensor that is larger by 2 in every dimension */
  TH_STRIDED,       /* every second element of a contiguous tensor */
  TH_WITH_ONES,     /* contiguous, with dimensions of size 1 in front, between and behind */
  TH_EXPANDED,      /* the first dimension repeated, with stride 0 */
  TH_EXPANDED_LAST, /* the last dimension repeated */
  TH_WINDOWS,       /* every stride 1: neighbours overlap */
  TH_ONE,           /* of size 1, whatever the shape */
  TH_EMPTY,         /* no dimensions */
  TH_LAYOUTS
} th_layout;

static const char *const th_layout_names[TH_LAYOUTS] = {
    [TH_CONTIGUOUS] = "contiguous",
    [TH_OFFSET] = "offset",
    [TH_TRANSPOSED] = "transposed",
    [TH_PERMUTED] = "permuted",
    [TH_NARROWED] = "narrowed",
    [TH_STRIDED] = "strided",
    [TH_WITH_ONES] = "with ones",
    [TH_EXPANDED] = "expanded",
    [TH_EXPANDED_LAST] = "expanded last",
    [TH_WINDOWS] = "windows",
    [TH_ONE] = "one element",
    [TH_EMPTY] = "empty",
};

/* Two tensors made from one shape have the same number of elements. */
static inline int th_layouts_agree(int a, int b)
{
  return a == b || (a < TH_ONE && b < TH_ONE);
}

/* The tensor has exactly the shape it was asked for. */
static inline int th_layout_keeps_shape(int layout)
{
  return layout < TH_ONE && layout != TH_WITH_ONES;
}

/* No two elements share memory (for a shape with more than one element in every dimension). */
static inline int th_layout_is_writable(int layout)
{
  return layout != TH_EXPANDED && layout != TH_EXPANDED_LAST && layout != TH_WINDOWS;
}

/* A shape as the two arguments (number of dimensions, sizes). */
#define TH_SHAPE(...) \
  (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), ((const int64_t[]){__VA_ARGS__})

/* index / size, both positive.  Divisions are what tests wait for, and those of 32 bits take a third of the time. */
static inline ptrdiff_t th_quotient(ptrdiff_t index, int64_t size)
{
  if (index <= UINT32_MAX && size <= UINT32_MAX)
    return (uint32_t)index / (uint32_t)size;
  return index / size;
}

enum { TH_TEST_DIMS = 32 };

typedef struct th_geometry {
  int dims;
  int64_t size[TH_TEST_DIMS], stride[TH_TEST_DIMS];
  ptrdiff_t offset, length; /* the first element, and how many the storage needs */
} th_geometry;

/* Gives the dimensions strides in the given order, the last of which runs fastest; extent says how
 * much memory each takes.  Returns the elements taken. */
static inline ptrdiff_t th_lay_out(th_geometry *g, const int *order, const int64_t *extent)
{
  ptrdiff_t taken = 1;
  for (int i = g->dims - 1; i >= 0; i--) {
    g->stride[order[i]] = taken;
    taken *= extent[order[i]];
  }
  return taken;
}

/* Sizes, strides, offset and length of a tensor of that layout and shape. */
static inline th_geometry th_layout_geometry(int layout, int dims, const int64_t *size)
{
  static const int64_t one = 1;
  if (layout == TH_EMPTY || layout == TH_ONE) {
    dims = layout == TH_ONE;
    size = &one;
  }
  th_geometry g = {.dims = dims};
  int order[TH_TEST_DIMS];
  int64_t extent[TH_TEST_DIMS];
  for (int d = 0; d < dims; d++) {
    g.size[d] = extent[d] = size[d];
    order[d] = layout == TH_TRANSPOSED ? dims - 1 - d : d;
  }
  if (layout == TH_PERMUTED && dims > 1) {
    for (int d = 1; d < dims - 1; d++)
      order[d] = d + 1;
    order[dims - 1] = 1;
  }
  if (layout == TH_NARROWED)
    for (int d = 0; d < dims; d++)
      extent[d] += 2;
  if (layout == TH_EXPANDED && dims > 0)
    extent[0] = 1;
  if (layout == TH_EXPANDED_LAST && dims > 0)
    extent[dims - 1] = 1;
  if (layout == TH_STRIDED && dims > 0)
    extent[dims - 1] *= 2;
  g.length = th_lay_out(&g, order, extent);

  if (layout == TH_NARROWED)
    for (int d = 0; d < dims; d++)
      g.offset += g.stride[d];
  if (layout == TH_OFFSET) {
    g.offset = 3;
    g.length += 5;
  }
  if (layout == TH_STRIDED && dims > 0)
    g.stride[dims - 1] = 2;
  if (layout == TH_EXPANDED && dims > 0)
    g.stride[0] = 0;
  if (layout == TH_EXPANDED_LAST && dims > 0)
    g.stride[dims - 1] = 0;
  if (layout == TH_WINDOWS)
    for (int d = 0; d < dims; d++)
      g.stride[d] = 1;
  if (layout == TH_WITH_ONES) {
    th_geometry wide = g;
    wide.dims = 2 * dims + 1;
    for (int d = 0; d < wide.dims; d++) {
      wide.size[d] = d % 2 ? g.size[d / 2] : 1;
      wide.stride[d] = d % 2 ? g.stride[d / 2] : 5 + d; /* a stride that nobody may use */
    }
    return wide;
  }
  return g;
}

#endif

/* --- per type ------------------------------------------------------------------------------- */

#if defined(Real) && !defined(TH_LAYOUTS_OF_TYPE)
#define TH_LAYOUTS_OF_TYPE

/* The value of element index of a storage filled from seed: like 2.385 and never 0; of integers the
 * sums and products of a few fit. */
TH_UNUSED static real THTest_(value)(uint64_t seed, ptrdiff_t index)
{
  th_random random = {seed * 0x2545f4914f6cdd1du + (uint64_t)index};
  const int64_t k = th_random_below(&random, 16000) - 8000, sign = k < 0 ? -1 : 1;
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
  return TH_CONVERT_ACCREAL_TO_REAL((accreal)(((double)k + 0.385 * (double)sign) / 1000));
#elif defined(TH_REAL_IS_BYTE)
  return (real)(k * sign % 200 + 1);
#elif defined(TH_REAL_IS_CHAR) || defined(TH_REAL_IS_SHORT)
  return (real)(k % 100 + sign);
#else
  return (real)(k + sign);
#endif
}

/* A tensor in that layout, which owns its storage; the values come from seed. */
TH_UNUSED static THTensor *THTest_(tensor)(int layout, uint64_t seed, int dims, const int64_t *size)
{
  const th_geometry g = th_layout_geometry(layout, dims, size);
  if (g.dims == 0)
    return THTensor_(new)();

  THStorage *storage = THStorage_(newWithSize)(g.length);
  for (ptrdiff_t i = 0; i < g.length; i++)
    storage->data[i] = THTest_(value)(seed, i);
  THLongStorage *sizes = THLongStorage_newWithSize(g.dims);
  THLongStorage *strides = THLongStorage_newWithSize(g.dims);
  memcpy(sizes->data, g.size, (size_t)g.dims * sizeof(int64_t));
  memcpy(strides->data, g.stride, (size_t)g.dims * sizeof(int64_t));

  THTensor *tensor = THTensor_(newWithStorage)(storage, g.offset, sizes, strides);
  THLongStorage_free(strides);
  THLongStorage_free(sizes);
  THStorage_(free)(storage);
  return tensor;
}

/* The number of elements: the product of the sizes, 0 without dimensions. */
TH_UNUSED static ptrdiff_t THTest_(count)(const THTensor *t)
{
  ptrdiff_t count = t->nDimension > 0;
  for (int d = 0; d < t->nDimension; d++)
    count *= t->size[d];
  return count;
}

/* Where element index, counted in row-major order, lies; reads nothing but the tensor's fields. */
TH_UNUSED static real *THTest_(at)(const THTensor *t, ptrdiff_t index)
{
  real *at = t->storage->data + t->storageOffset;
  for (int d = t->nDimension - 1; d > 0 && index > 0; d--) {
    const ptrdiff_t rest = th_quotient(index, t->size[d]);
    at += (index - rest * t->size[d]) * t->stride[d];
    index = rest;
  }
  return index > 0 ? at + index * t->stride[0] : at;
}

/* All elements in row-major order, in memory of malloc. */
TH_UNUSED static real *THTest_(values)(const THTensor *t)
{
  const ptrdiff_t count = THTest_(count)(t);
  real *values = malloc((size_t)(count + 1) * sizeof(real));
  for (ptrdiff_t i = 0; i < count; i++)
    values[i] = *THTest_(at)(t, i);
  return values;
}

/* The tensor's elements, in row-major order, are those of expected, exactly. */
TH_UNUSED static void THTest_(checkValues)(const char *file, int line, const THTensor *t,
                                           const real *expected)
{
  const ptrdiff_t count = THTest_(count)(t);
  for (ptrdiff_t i = 0; i < count; i++) {
    char actualText[32], expectedText[32];
    if (!memcmp(THTest_(at)(t, i), expected + i, sizeof *expected))
      continue; /* as nearly all are, in tests of large tensors */
    snprintf(actualText, sizeof actualText, "element %td", i);
    snprintf(expectedText, sizeof expectedText, "expected[%td]", i);
    th_check_equal(file, line, actualText, TH_NUMBER(*THTest_(at)(t, i)), expectedText,
                   TH_NUMBER(expected[i]));
  }
}
#define CHECK_VALUES(TENSOR, EXPECTED) \
  THTest_(checkValues)(__FILE__, __LINE__, (TENSOR), (EXPECTED))

/* A copy of the whole storage, in memory of malloc, to compare with later. */
TH_UNUSED static real *THTest_(storageValues)(const THTensor *t)
{
  const size_t bytes = t->storage ? (size_t)t->storage->size * sizeof(real) : 0;
  real *values = malloc(bytes + 1);
  if (bytes)
    memcpy(values, t->storage->data, bytes);
  return values;
}

/* Nothing of the storage but the tensor's own elements has changed since storageValues. */
TH_UNUSED static void THTest_(checkOutside)(const char *file, int line, const THTensor *t,
                                            const real *before)
{
  const ptrdiff_t count = THTest_(count)(t), length = t->storage ? t->storage->size : 0;
  char *inside = calloc((size_t)length + 1, 1);
  for (ptrdiff_t i = 0; i < count; i++)
    inside[THTest_(at)(t, i) - t->storage->data] = 1;
  ptrdiff_t changed = 0;
  while (changed < length &&
         (inside[changed] || !memcmp(t->storage->data + changed, before + changed, sizeof(real))))
    changed++;
  free(inside);
  if (changed < length)
    th_fail_at(file, line, "element %td of the storage is outside the tensor and was %s, now %s",
               changed, TH_TEXT(before[changed]), TH_TEXT(t->storage->data[changed]));
}
#define CHECK_OUTSIDE(TENSOR, BEFORE) THTest_(checkOutside)(__FILE__, __LINE__, (TENSOR), (BEFORE))

#endif
