/* Sorting and selecting on the device against TH's, whose order is the same. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_compare.h"

/* Values that occur often, zeros of either sign, NaN of either sign and infinities. */
static void THTest_(odd)(THTensor *t, int64_t values)
{
  for (ptrdiff_t i = 0; i < t->storage->size; i++) {
    const int64_t x = i * 7919 % 10007 * 31 % values;
    t->storage->data[i] = TO_REAL((double)x - (IS_FLOATING ? (double)values / 2 : 0));
    if (IS_FLOATING && i % 97 == 4)
      t->storage->data[i] = TO_REAL(i % 2   ? (i % 4 == 1 ? NAN : -NAN)
                                    : i % 4 ? INFINITY
                                            : -INFINITY);
    if (IS_FLOATING && i % 7 == 5)
      t->storage->data[i] = TO_REAL(i % 2 ? 0.0 : -0.0);
  }
}

/* The results of a function on the device, and of TH's. */
typedef struct THTest_(Pair) {
  THCTensor *r;
  THCudaLongTensor *indices;
  RTensor *expected;
  THLongTensor *positions;
} THTest_(Pair);

static void THTest_(open)(THTest_(Pair) * pair)
{
  *pair = (THTest_(Pair)){THCTensor_(new)(thc_state()), THCudaLongTensor_new(thc_state()),
                          RTensor_(new)(), THLongTensor_new()};
}

static void THTest_(close)(THTest_(Pair) * pair)
{
  THCTensor_(free)(thc_state(), pair->r);
  THCudaLongTensor_free(thc_state(), pair->indices);
  RTensor_(free)(pair->expected);
  THLongTensor_free(pair->positions);
}

static void THTest_(agree)(THTest_(Pair) * pair)
{
  if (TH_INDEX_BASE)
    THLongTensor_add(pair->positions, pair->positions, TH_INDEX_BASE);
  CHECK_LIKE(pair->r, pair->expected, 0, 0);
  CHECK_LONGS(pair->indices, pair->positions);
}

static void THTest_(compare)(THCTensor *d, RTensor *s, int dim)
{
  THCState *state = thc_state();
  THTest_(Pair) p;
  THTest_(open)(&p);
  for (int order = 0; order < 2; order++) {
    th_note("dimension %d, order %d", dim, order);
    THCTensor_(sort)(state, p.r, p.indices, d, dim, order);
    RTensor_(sort)(p.expected, p.positions, s, dim, order);
    THTest_(agree)(&p);
  }
  const int64_t n = d->nDimension ? d->size[dim] : 0;
  for (int keep = 0; n > 0 && keep < 2; keep++) {
    THCTensor_(mode)(state, p.r, p.indices, d, dim, keep);
    RTensor_(mode)(p.expected, p.positions, s, dim, keep);
    THTest_(agree)(&p);
    const int64_t k = keep ? n : (n + 2) / 3;
    THCTensor_(kthvalue)(state, p.r, p.indices, d, k, dim, keep);
    RTensor_(kthvalue)(p.expected, p.positions, s, k, dim, keep);
    THTest_(agree)(&p);
  }
  for (int kind = 0; n > 0 && kind < 8; kind++) {
    const int64_t k = kind & 4 ? n : (n + 4) / 5;
    th_note("dimension %d, the first %d, kind %d", dim, (int)k, kind);
    THCTensor_(topk)(state, p.r, p.indices, d, k, dim, kind & 1, kind & 2);
    RTensor_(topk)(p.expected, p.positions, s, k, dim, kind & 1, kind & 2);
    THTest_(agree)(&p);
  }
  THTest_(close)(&p);
}

static void THTest_(sortLayouts)(void)
{
  for (int layout = 0; layout < TH_EMPTY; layout++) {
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(5, 6, 7));
    THTest_(odd)(t, 11);
    THCTensor *d = THCTest_(upload)(t);
    RTensor *s = THCTest_(reference)(t);
    for (int dim = 0; dim < t->nDimension; dim++) {
      th_note("%s", th_layout_names[layout]);
      THTest_(compare)(d, s, dim);
    }
    RTensor_(free)(s);
    THCTensor_(free)(thc_state(), d);
    THTensor_(free)(t);
  }
}

/* Around the sizes of warps, blocks, tiles, and lines that are sorted in shared memory. */
static void THTest_(sortSizes)(void)
{
  static const int64_t sizes[][2] = {{3, 1},    {40, 2},   {9, 33},   {2, 500}, {3, 1024},
                                     {2, 1025}, {1, 2048}, {2, 2049}, {1, 5000}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int across = 0; across < 2; across++) {
      const int64_t *size = sizes[i];
      THTensor *t =
          THTest_(tensor)(across ? TH_TRANSPOSED : TH_CONTIGUOUS, 3, TH_SHAPE(size[0], size[1]));
      THTest_(odd)(t, sizeof(real) == 1 ? 100 : across ? 1500 : 9973);
      THCTensor *d = THCTest_(upload)(t);
      RTensor *s = THCTest_(reference)(t);
      th_note("%d lines of %d elements", (int)size[0], (int)size[1]);
      THTest_(compare)(d, s, 1);
      RTensor_(free)(s);
      THCTensor_(free)(thc_state(), d);
      THTensor_(free)(t);
    }
}

/* Few lines that are so long that several blocks select from each: in memory, with NaN, and across it,
 * without. */
static void THTest_(selectLong)(void)
{
  THCState *state = thc_state();
  for (int kind = 0; kind < 4; kind += 3) {
    th_note("kind %d", kind);
    const int layout = kind & 1 ? TH_TRANSPOSED : TH_CONTIGUOUS;
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(2, 17001));
    THTest_(odd)(t, sizeof(real) == 1 ? 100 : kind & 2 ? 1500 : 9973);
    for (ptrdiff_t i = 0; kind > 1 && i < t->storage->size; i++)
      if (TO_NUMBER(t->storage->data[i]) != TO_NUMBER(t->storage->data[i]))
        t->storage->data[i] = TO_REAL(7);
    THCTensor *d = THCTest_(upload)(t);
    RTensor *s = THCTest_(reference)(t);
    THTest_(Pair) p;
    THTest_(open)(&p);
    const int64_t counts[] = {1, 8600, 17001};
    for (int c = 0; c < 3; c++) {
      const int sorted = c == 0;
      THCTensor_(topk)(state, p.r, p.indices, d, counts[c], 1, kind & 1, sorted);
      RTensor_(topk)(p.expected, p.positions, s, counts[c], 1, kind & 1, sorted);
      THTest_(agree)(&p);
      THCTensor_(kthvalue)(state, p.r, p.indices, d, counts[c], 1, 0);
      RTensor_(kthvalue)(p.expected, p.positions, s, counts[c], 1, 0);
      THTest_(agree)(&p);
    }
    THCTensor_(median)(state, p.r, p.indices, d, 1, 0);
    RTensor_(median)(p.expected, p.positions, s, 1, 0);
    THTest_(agree)(&p);
    THCTensor_(mode)(state, p.r, p.indices, d, 1, 0);
    RTensor_(mode)(p.expected, p.positions, s, 1, 0);
    THTest_(agree)(&p);
    CHECK_EQ(THCTensor_(medianall)(state, d), TO_REAL(RTensor_(medianall)(s)));
    THTest_(close)(&p);
    RTensor_(free)(s);
    THCTensor_(free)(state, d);
    THTensor_(free)(t);
  }
}

/* Results that are the operand, or its memory in another order; no indices. */
static void THTest_(sortInPlace)(void)
{
  THCState *state = thc_state();
  for (int64_t n = 70; n <= 2100; n += 2030) {
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(n, 3));
    THTest_(odd)(t, 90);
    RTensor *s = THCTest_(reference)(t), *expected = RTensor_(new)();
    RTensor_(sort)(expected, NULL, s, 0, 1);
    THCTensor *d = THCTest_(upload)(t), *other = THCTest_(upload)(t);
    THCTensor *view = THCTensor_(newTranspose)(state, other, 0, 1);
    THCTensor_(resize2d)(state, view, n, 3);
    THCTensor_(sort)(state, view, NULL, d, 0, 1);
    CHECK_LIKE(view, expected, 0, 0);
    THCTensor_(sort)(state, d, NULL, d, 0, 1);
    CHECK_LIKE(d, expected, 0, 0);
    THCTensor_(free)(state, view);
    THCTensor_(free)(state, other);
    THCTensor_(free)(state, d);
    RTensor_(free)(expected);
    RTensor_(free)(s);
    THTensor_(free)(t);
  }
}

static void THTest_(keysAndValues)(void)
{
  THCState *state = thc_state();
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(30, 4));
  THTest_(odd)(t, 17);
  THCTensor *d = THCTest_(upload)(t);
  RTensor *s = THCTest_(reference)(t), *expected = RTensor_(new)();
  THLongTensor *indices = THLongTensor_new(), *values = THLongTensor_newWithSize2d(30, 4);
  THLongTensor *moved = THLongTensor_new();
  THCudaLongTensor *onDevice = THCudaLongTensor_newWithSize2d(state, 30, 4);
  for (int i = 0; i < 120; i++)
    values->storage->data[i] = INT64_C(1) << 40 | i * i;
  THCudaLongTensor_copyLong(state, onDevice, values);
  THCTensor_(sortKeyValueInplace)(state, d, onDevice, 0, 1);
  RTensor_(sort)(expected, indices, s, 0, 1);
  THLongTensor_resizeAs(moved, values);
  for (int i = 0; i < 120; i++)
    THLongTensor_set2d(moved, i / 4, i % 4,
                       THLongTensor_get2d(values, THLongTensor_get2d(indices, i / 4, i % 4),
                                          i % 4));
  CHECK_LIKE(d, expected, 0, 0);
  CHECK_LONGS(onDevice, moved);
  THCudaLongTensor_resize2d(state, onDevice, 29, 4);
  CHECK_RAISES(2, "[29 x 4]", THCTensor_(sortKeyValueInplace)(state, d, onDevice, 0, 1));
  THCudaLongTensor_free(state, onDevice);
  THLongTensor_free(moved);
  THLongTensor_free(values);
  THLongTensor_free(indices);
  RTensor_(free)(expected);
  RTensor_(free)(s);
  THCTensor_(free)(state, d);
  THTensor_(free)(t);
}

static void THTest_(sortErrors)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(3, 4)), *r = THCTensor_(new)(state);
  THCTensor *wide = THCTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(3, 4));
  THCudaLongTensor *indices = THCudaLongTensor_new(state);
  CHECK_RAISES(4, "is out of range", THCTensor_(sort)(state, r, indices, d, 2, 0));
  CHECK_RAISES(1, "share memory", THCTensor_(sort)(state, wide, indices, d, 0, 0));
  CHECK_RAISES(4, "k is 5, dimension", THCTensor_(topk)(state, r, indices, d, 5, 1, 0, 0));
  CHECK_RAISES(4, "k is 0, dimension", THCTensor_(topk)(state, r, indices, d, 0, 1, 0, 0));
  CHECK_RAISES(5, "is out of range", THCTensor_(topk)(state, r, indices, d, 1, -1, 0, 0));
  CHECK_RAISES(4, "k is 4, dimension", THCTensor_(kthvalue)(state, r, indices, d, 4, 0, 0));
  CHECK_RAISES(5, "is out of range", THCTensor_(kthvalue)(state, r, indices, d, 1, 2, 0));
  CHECK_RAISES(4, "is out of range", THCTensor_(mode)(state, r, indices, d, 2, 0));
  CHECK_RAISES(0, "state is NULL", THCTensor_(sort)(NULL, r, indices, d, 0, 0));
  CHECK_EQ(r->nDimension, 0);
  CHECK_EQ(indices->nDimension, 0);
  THCudaLongTensor_free(state, indices);
  THCTensor_(free)(state, wide);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, d);
}

TH_TESTS(THTest_(sortLayouts), THTest_(sortSizes), THTest_(selectLong), THTest_(sortInPlace),
         THTest_(keysAndValues), THTest_(sortErrors))
