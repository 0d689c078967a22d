/* Indices and masks on the device against TH, over layouts, sizes and dimensions. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_compare.h"

static THCudaLongTensor *THTest_(uploadIndex)(THLongTensor *index)
{
  THCudaLongTensor *d = THCudaLongTensor_new(thc_state());
  THCudaLongTensor_resizeNd(thc_state(), d, index->nDimension, index->size, NULL);
  if (index->nDimension)
    THCudaLongTensor_copyLong(thc_state(), d, index);
  return d;
}

static THCudaByteTensor *THTest_(uploadMask)(THByteTensor *mask)
{
  THCudaByteTensor *d = THCudaByteTensor_new(thc_state());
  THCudaByteTensor_resizeNd(thc_state(), d, mask->nDimension, mask->size, NULL);
  if (mask->nDimension)
    THCudaByteTensor_copyByte(thc_state(), d, mask);
  return d;
}

/* Operands of TH and the same ones on the device: what is indexed, what goes there, the indices,
 * and a result. */
typedef struct {
  THTensor *t, *src;
  THLongTensor *index;
  RTensor *rt, *rsrc, *r;
  THCTensor *dt, *dsrc, *dr;
  THCudaLongTensor *dindex;
} THTest_(Both);

/* Takes over the tensors. */
static THTest_(Both) THTest_(open)(THTensor *t, THTensor *src, THLongTensor *index)
{
  return (THTest_(Both)){.t = t,
                         .src = src,
                         .index = index,
                         .rt = THCTest_(reference)(t),
                         .rsrc = THCTest_(reference)(src),
                         .r = RTensor_(new)(),
                         .dt = THCTest_(upload)(t),
                         .dsrc = THCTest_(upload)(src),
                         .dr = THCTensor_(new)(thc_state()),
                         .dindex = THTest_(uploadIndex)(index)};
}

static void THTest_(close)(THTest_(Both) * b)
{
  THCState *state = thc_state();
  THCudaLongTensor_free(state, b->dindex);
  THCTensor_(free)(state, b->dr);
  THCTensor_(free)(state, b->dsrc);
  THCTensor_(free)(state, b->dt);
  RTensor_(free)(b->r);
  RTensor_(free)(b->rsrc);
  RTensor_(free)(b->rt);
  THLongTensor_free(b->index);
  THTensor_(free)(b->src);
  THTensor_(free)(b->t);
}

/* --- slices ----------------------------------------------------------------------------------- */

static void THTest_(slicesOf)(int layout, int layoutSrc, int dim)
{
  THCState *state = thc_state();
  static const int64_t shape[] = {4, 6, 7};
  for (int spread = 0; spread < 2; spread++) {
    THTensor *t = THTest_(tensor)(layout, 3, 3, shape);
    const int64_t size = t->size[dim], n = spread ? size - 1 : size + 3;
    int64_t slices[] = {4, 6, 7};
    slices[dim] = n;
    THLongTensor *index = THLongTensor_newWithSize1d(n);
    for (int64_t i = 0; i < n; i++)
      index->storage->data[i] = (spread ? size - 1 - i : i * i % size) + TH_INDEX_BASE;
    THTest_(Both) b = THTest_(open)(t, THTest_(tensor)(layoutSrc, 9, 3, slices), index);

    RTensor_(indexSelect)(b.r, b.rt, dim, index);
    THCTensor_(indexSelect)(state, b.dr, b.dt, dim, b.dindex);
    CHECK_LIKE(b.dr, b.r, 0, 0);
    THCTensor_(indexSelect_long)(state, b.dr, b.dt, dim, index);
    CHECK_LIKE(b.dr, b.r, 0, 0);

    RTensor_(indexAdd)(b.rt, dim, index, b.rsrc);
    THCTensor_(indexAdd)(state, b.dt, dim, b.dindex, b.dsrc);
    CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);
    if (spread) {
      RTensor_(indexCopy)(b.rt, dim, index, b.rsrc);
      THCTensor_(indexCopy)(state, b.dt, dim, b.dindex, b.dsrc);
      CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);
      THCTensor_(indexCopy_long)(state, b.dt, dim, index, b.dsrc);
      THCTensor_(indexAdd_long)(state, b.dt, dim, index, b.dsrc);
      RTensor_(indexAdd)(b.rt, dim, index, b.rsrc);
      CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);
    }
    RTensor_(indexFill)(b.rt, dim, index, (reference)7);
    THCTensor_(indexFill)(state, b.dt, dim, b.dindex, TO_REAL(7));
    CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);
    THCTensor_(indexFill_long)(state, b.dt, dim, index, TO_REAL(9));
    RTensor_(indexFill)(b.rt, dim, index, (reference)9);
    CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);
    THTest_(close)(&b);
  }
}

static void THTest_(slices)(void)
{
  for (int layout = 0; layout < TH_WITH_ONES; layout++)
    for (int layoutSrc = 0; layoutSrc < TH_WITH_ONES; layoutSrc += 2)
      for (int dim = 0; dim < 3; dim++) {
        th_note("%s, %s, dimension %d", th_layout_names[layout], th_layout_names[layoutSrc], dim);
        THTest_(slicesOf)(layout, layoutSrc, dim);
      }
}

/* --- elements --------------------------------------------------------------------------------- */

static void THTest_(elementsOf)(int layout, int dim, const int64_t *shape, const int64_t *indexed)
{
  THCState *state = thc_state();
  THLongTensor *index = THLongTensor_newWithSize2d(shape[0], shape[1]);
  for (int64_t i = 0; i < shape[0]; i++)
    for (int64_t j = 0; j < shape[1]; j++)
      THLongTensor_set2d(index, i, j,
                         ((dim ? j : i) * 7 + (dim ? i : j)) % indexed[dim] + TH_INDEX_BASE);
  /* indices along a line are all different where 7 and the size have no common divisor */
  THTest_(Both) b = THTest_(open)(THTest_(tensor)(layout, 3, 2, indexed),
                                  THTest_(tensor)(layout, 8, 2, shape), index);

  RTensor_(gather)(b.r, b.rt, dim, index);
  THCTensor_(gather)(state, b.dr, b.dt, dim, b.dindex);
  CHECK_LIKE(b.dr, b.r, 0, 0);
  THCudaLongTensor *turned = THCudaLongTensor_newTranspose(state, b.dindex, 0, 1);
  THCudaLongTensor *clone = THCudaLongTensor_newContiguous(state, turned);
  THCudaLongTensor_transpose(state, clone, NULL, 0,
                             1); /* clone: the indices with transposed strides */
  THCTensor_(gather)(state, b.dr, b.dt, dim, clone);
  CHECK_LIKE(b.dr, b.r, 0, 0);

  RTensor_(scatter)(b.rt, dim, index, b.rsrc);
  THCTensor_(scatter)(state, b.dt, dim, clone, b.dsrc);
  CHECK_LIKE(b.dt, b.rt, 0, 0);
  for (int again = 0; again < 2; again++) {
    RTensor_(scatterAdd)(b.rt, dim, index, b.rsrc);
    THCTensor_(scatterAdd)(state, b.dt, dim, b.dindex, b.dsrc);
  }
  CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);
  RTensor_(scatterFill)(b.rt, dim, index, (reference)5);
  THCTensor_(scatterFill)(state, b.dt, dim, b.dindex, TO_REAL(5));
  CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);

  THLongTensor_fill(index, TH_INDEX_BASE + 1);
  THCudaLongTensor_copyLong(state, b.dindex, index);
  RTensor_(scatterAdd)(b.rt, dim, index, b.rsrc); /* all at one index */
  THCTensor_(scatterAdd)(state, b.dt, dim, b.dindex, b.dsrc);
  CHECK_LIKE(b.dt, b.rt, 32 * EPSILON, 8 * EPSILON * 8 * (double)shape[dim] * (double)shape[dim]);

  THCudaLongTensor_free(state, clone);
  THCudaLongTensor_free(state, turned);
  THTest_(close)(&b);
}

static void THTest_(elements)(void)
{
  static const int64_t shapes[][2][2] = {
      {{3, 5}, {5, 5}}, {{1, 1}, {2, 2}}, {{31, 33}, {33, 36}}, {{60, 100}, {60, 101}}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int layout = 0; layout < TH_WITH_ONES; layout++)
      for (int dim = 0; dim < 2; dim++) {
        th_note("%lld x %lld, %s, dimension %d", (long long)shapes[k][0][0],
                (long long)shapes[k][0][1], th_layout_names[layout], dim);
        THTest_(elementsOf)(layout, dim, shapes[k][0], shapes[k][1]);
      }
}

/* --- take and put ---------------------------------------------------------------------------- */

static void THTest_(takePut)(void)
{
  THCState *state = thc_state();
  for (int layout = 0; layout < TH_EMPTY; layout++)
    for (int other = 0; other < 2; other++) {
      th_note("%s, %d", th_layout_names[layout], other);
      THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(3, 5, 7));
      const ptrdiff_t count = THTensor_(nElement)(t);
      const int64_t n = count == 1 ? 1 : 12;
      THTensor *src =
          THTest_(tensor)(TH_CONTIGUOUS, 8, TH_SHAPE(n / (count == 1 ? 1 : 2), count == 1 ? 1 : 2));
      THLongTensor *index = other && n > 1 ? THLongTensor_newWithSize2d(4, 3)
                                           : THLongTensor_newWithSize2d(src->size[0], src->size[1]);
      for (int64_t i = 0; i < n; i++)
        index->storage->data[i] = i % 2 ? -1 - i * 4 % count : i * 3 % count + TH_INDEX_BASE;
      THTest_(Both) b = THTest_(open)(t, src, index);
      RTensor_(take)(b.r, b.rt, index);
      THCTensor_(take)(state, b.dr, b.dt, b.dindex);
      CHECK_LIKE(b.dr, b.r, 0, 0);
      if (th_layout_is_writable(layout)) {
        RTensor_(put)(b.rt, index, b.rsrc, 1);
        THCTensor_(put)(state, b.dt, b.dindex, b.dsrc, 1);
        CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);
        for (int64_t i = 0; i < n; i++)
          index->storage->data[i] = i * 3 % count + TH_INDEX_BASE;
        THCudaLongTensor_copyLong(state, b.dindex, index);
        RTensor_(put)(b.rt, index, b.rsrc, 0);
        THCTensor_(put)(state, b.dt, b.dindex, b.dsrc, 0);
        CHECK_LIKE(b.dt, b.rt, 8 * EPSILON, 32 * EPSILON);
      } else {
        CHECK_RAISES(1, "share memory", THCTensor_(put)(state, b.dt, b.dindex, b.dsrc, 0));
      }
      THTest_(close)(&b);
    }
}

/* --- masks ------------------------------------------------------------------------------------ */

/* kind 0: none; 1: all; 2: about half; 3: only the last. */
static int THTest_(bit)(int kind, ptrdiff_t i, ptrdiff_t n)
{
  return kind == 1 || (kind == 2 && i * i % 7 < 3) || (kind == 3 && i == n - 1);
}

static void THTest_(maskOf)(THTensor *t, int kind, int turned)
{
  THCState *state = thc_state();
  const ptrdiff_t n = THTensor_(nElement)(t);
  THByteTensor *mask = THByteTensor_new();
  THByteTensor_resizeNd(mask, t->nDimension, t->size, NULL);
  for (ptrdiff_t i = 0; i < n; i++)
    mask->storage->data[i] = (uint8_t)THTest_(bit)(kind, i, n);
  THCudaByteTensor *dmask = THTest_(uploadMask)(mask);
  if (turned) { /* the mask with transposed strides */
    const int last = dmask->nDimension - 1;
    THCudaByteTensor *view = THCudaByteTensor_newTranspose(state, dmask, 0, last);
    THCudaByteTensor *clone = THCudaByteTensor_newClone(state, view);
    THCudaByteTensor_transpose(state, clone, NULL, 0, last);
    THCudaByteTensor_free(state, view);
    THCudaByteTensor_free(state, dmask);
    dmask = clone;
  }
  RTensor *rt = THCTest_(reference)(t), *r = RTensor_(new)();
  THCTensor *dt = THCTest_(upload)(t), *dr = THCTensor_(new)(state);
  RTensor_(maskedSelect)(r, rt, mask);
  THCTensor_(maskedSelect)(state, dr, dt, dmask);
  CHECK_LIKE(dr, r, 0, 0);
  THCTensor_(maskedSelectByte)(state, dr, dt, mask);
  CHECK_LIKE(dr, r, 0, 0);
  if (dr->nDimension == 1) { /* a result of the right size keeps its strides */
    const int64_t total = dr->size[0];
    THCTensor_(resize1d)(state, dr, 3 * total);
    THCTensor_(setStorage1d)(state, dr, dr->storage, 0, total, 3);
    THCTensor_(maskedSelect)(state, dr, dt, dmask);
    CHECK_EQ(dr->stride[0], 3);
    CHECK_LIKE(dr, r, 0, 0);
  }

  THTensor *src = THTest_(tensor)(TH_STRIDED, 12, 1, (int64_t[]){n + 3});
  RTensor *rsrc = THCTest_(reference)(src);
  THCTensor *dsrc = THCTest_(upload)(src);
  RTensor_(maskedCopy)(rt, mask, rsrc);
  THCTensor_(maskedCopy)(state, dt, dmask, dsrc);
  CHECK_LIKE(dt, rt, 0, 0);
  RTensor_(maskedFill)(rt, mask, (reference)3);
  THCTensor_(maskedFill)(state, dt, dmask, TO_REAL(3));
  CHECK_LIKE(dt, rt, 0, 0);
  THCTensor_(maskedCopyByte)(state, dt, mask, dsrc);
  THCTensor_(maskedFillByte)(state, dt, mask, TO_REAL(4));
  RTensor_(maskedFill)(rt, mask, (reference)4);
  CHECK_LIKE(dt, rt, 0, 0);

  THCTensor_(free)(state, dsrc);
  RTensor_(free)(rsrc);
  THTensor_(free)(src);
  THCTensor_(free)(state, dr);
  THCTensor_(free)(state, dt);
  RTensor_(free)(r);
  RTensor_(free)(rt);
  THCudaByteTensor_free(state, dmask);
  THByteTensor_free(mask);
}

static void THTest_(nonzeroOf)(THTensor *t, int kind)
{
  THCState *state = thc_state();
  const ptrdiff_t n = THTensor_(nElement)(t);
  for (ptrdiff_t i = 0; i < n; i++)
    if (!THTest_(bit)(kind, i, n))
      *THTest_(at)(t, i) = TO_REAL(i % 2 ? 0 : -0.0);
  RTensor *rt = THCTest_(reference)(t);
  THCTensor *dt = THCTest_(upload)(t);
  THLongTensor *positions = THLongTensor_new();
  THCudaLongTensor *dpositions = THCudaLongTensor_new(state);
  RTensor_(nonzero)(positions, rt);
  THLongTensor_add(positions, positions, TH_INDEX_BASE);
  THCTensor_(nonzero)(state, dpositions, dt);
  CHECK_LONGS(dpositions, positions);
  THCudaLongTensor_free(state, dpositions);
  THLongTensor_free(positions);
  THCTensor_(free)(state, dt);
  RTensor_(free)(rt);
}

static void THTest_(masks)(void)
{
  static const int64_t sizes[] = {1, 31, 32, 33, 256, 1000, 2048, 2049, 10003};
  for (int kind = 0; kind < 4; kind++) {
    for (int layout = 0; layout < TH_EMPTY; layout++) {
      th_note("%s, kind %d", th_layout_names[layout], kind);
      if (!th_layout_is_writable(layout))
        continue;
      for (int turned = 0; turned < 2; turned++) {
        THTensor *t = THTest_(tensor)(layout, 5, TH_SHAPE(3, 5, 7));
        THTest_(maskOf)(t, kind, turned);
        THTest_(nonzeroOf)(t, kind);
        THTensor_(free)(t);
      }
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
      for (int layout = 0; layout <= TH_STRIDED; layout += TH_STRIDED) {
        th_note("%lld elements, %s, kind %d", (long long)sizes[k], th_layout_names[layout], kind);
        THTensor *t = THTest_(tensor)(layout, 5, 1, &sizes[k]);
        THTest_(maskOf)(t, kind, 0);
        THTest_(nonzeroOf)(t, kind);
        THTensor_(free)(t);
      }
  }
  /* More blocks than the block that sums up their counts has threads. */
  if (sizeof(real) == 1) {
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(530001));
    THTest_(maskOf)(t, 2, 0);
    THTest_(nonzeroOf)(t, 2);
    THTensor_(free)(t);
  }
  THTensor *wide = THTest_(tensor)(TH_TRANSPOSED, 6, TH_SHAPE(70, 61));
  THTest_(maskOf)(wide, 2, 1);
  THTest_(nonzeroOf)(wide, 2);
  THTensor_(free)(wide);
}

/* --- in parts -------------------------------------------------------------------------------- */

/* Split into several launches, as large tensors are. */
static void THTest_(indexParts)(void)
{
  const ptrdiff_t most = THCWalk_most;
  THCWalk_most = 40;
  THTest_(slicesOf)(TH_TRANSPOSED, TH_CONTIGUOUS, 1);
  THTest_(elementsOf)(TH_TRANSPOSED, 0, (int64_t[]){31, 33}, (int64_t[]){33, 36});
  THCWalk_most = 700;
  for (int turned = 0; turned < 2; turned++) {
    THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 6, TH_SHAPE(70, 61));
    THTest_(maskOf)(t, 2, turned);
    THTest_(nonzeroOf)(t, 2);
    THTensor_(free)(t);
  }
  THCWalk_most = most;
}

/* --- advanced indices ----------------------------------------------------------------------- */

static void THTest_(offsets)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTest_(tensor)(TH_PERMUTED, 1, TH_SHAPE(3, 4, 5, 2));
  THLongTensor *a = THLongTensor_newWithSize2d(2, 3), *b = THLongTensor_newWithSize2d(2, 3);
  for (int i = 0; i < 6; i++) {
    a->storage->data[i] = i % 4 + TH_INDEX_BASE;
    b->storage->data[i] = i % 2 ? -1 - i % 5 : i % 5 + TH_INDEX_BASE;
  }
  THCudaLongTensor *da = THTest_(uploadIndex)(a), *db = THTest_(uploadIndex)(b);
  THCudaLongTensor *indexers[] = {NULL, da, db, NULL}, *output = THCudaLongTensor_new(state);
  THCTensor_(calculateAdvancedIndexingOffsets)(state, output, d, 11, indexers);
  THLongTensor *expected = THLongTensor_newWithSize1d(3 * 6 * 2);
  int64_t *at = expected->storage->data;
  for (int64_t i = 0; i < 3; i++)
    for (int64_t k = 0; k < 6; k++)
      for (int64_t j = 0; j < 2; j++) {
        const int64_t ka = a->storage->data[k] - TH_INDEX_BASE;
        const int64_t kb = k % 2 ? 5 - 1 - k % 5 : k % 5;
        *at++ = 11 + i * d->stride[0] + ka * d->stride[1] + kb * d->stride[2] + j * d->stride[3];
      }
  CHECK_LONGS(output, expected);
  THCudaLongTensor_set2d(state, da, 1, 2, 4 + TH_INDEX_BASE);
  CHECK_RAISES(4, "is out of range",
               THCTensor_(calculateAdvancedIndexingOffsets)(state, output, d, 11, indexers));
  THLongTensor_free(expected);
  THCudaLongTensor_free(state, output);
  THCudaLongTensor_free(state, db);
  THCudaLongTensor_free(state, da);
  THLongTensor_free(b);
  THLongTensor_free(a);
  THCTensor_(free)(state, d);
}

/* --- errors: nothing has changed then ------------------------------------------------------- */

static void THTest_(indexErrors)(void)
{
  THCState *state = thc_state();
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(3, 4));
  real *values = THTest_(values)(t);
  THCTensor *d = THCTest_(upload)(t), *src = THCTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(3, 4));
  THCTensor *r = THCTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(2, 2));
  for (int wrong = 0; wrong < 3; wrong++) {
    const int64_t bad = wrong == 0 ? 3 + TH_INDEX_BASE : wrong == 1 ? TH_INDEX_BASE - 1 : INT64_MIN;
    th_note("index %lld", (long long)bad);
    THCudaLongTensor *index = THCudaLongTensor_newWithSize1d(state, 3);
    THCudaLongTensor *each = THCudaLongTensor_newWithSize2d(state, 3, 4);
    for (int i = 0; i < 12; i++)
      THCudaLongTensor_set2d(state, each, i / 4, i % 4, i == 5 ? bad : TH_INDEX_BASE);
    for (int i = 0; i < 3; i++)
      THCudaLongTensor_set1d(state, index, i, i == 1 ? bad : i + TH_INDEX_BASE);
    char text[100];
    snprintf(text, sizeof text, "index %lld (number %d) is out of range: dimension %d has size 3",
             (long long)bad, 1 + TH_INDEX_BASE, TH_INDEX_BASE);
    CHECK_RAISES(4, text, THCTensor_(indexSelect)(state, r, d, 0, index));
    CHECK_RAISES(3, text, THCTensor_(indexCopy)(state, d, 0, index, src));
    CHECK_RAISES(3, text, THCTensor_(indexAdd)(state, d, 0, index, src));
    CHECK_RAISES(3, text, THCTensor_(indexFill)(state, d, 0, index, TO_REAL(1)));
    CHECK_RAISES(4, "is out of range", THCTensor_(gather)(state, r, d, 0, each));
    CHECK_RAISES(3, "is out of range", THCTensor_(scatter)(state, d, 0, each, src));
    CHECK_RAISES(3, "is out of range", THCTensor_(scatterAdd)(state, d, 0, each, src));
    CHECK_RAISES(3, "is out of range", THCTensor_(scatterFill)(state, d, 0, each, TO_REAL(1)));
    if (wrong == 2 || (wrong == 1 && bad == 0)) { /* counted from 1 there is no number 0 */
      CHECK_RAISES(3, "is out of range", THCTensor_(take)(state, r, d, each));
      CHECK_RAISES(2, "is out of range", THCTensor_(put)(state, d, each, src, 1));
    }
    THCudaLongTensor_free(state, each);
    THCudaLongTensor_free(state, index);
  }
  THCudaByteTensor *mask = THCudaByteTensor_newWithSize2d(state, 3, 4);
  for (int i = 0; i < 12; i++)
    THCudaByteTensor_set2d(state, mask, i / 4, i % 4, i == 7 ? 2 : 1);
  char text[100];
  snprintf(text, sizeof text, "mask is 2 at element %d", 7 + TH_INDEX_BASE);
  CHECK_RAISES(2, text, THCTensor_(maskedFill)(state, d, mask, TO_REAL(1)));
  CHECK_RAISES(2, text, THCTensor_(maskedCopy)(state, d, mask, src));
  CHECK_RAISES(3, text, THCTensor_(maskedSelect)(state, r, d, mask));
  THCudaByteTensor_set2d(state, mask, 1, 3, 1);
  CHECK_RAISES(3, "mask has 12 ones", THCTensor_(maskedCopy)(state, d, mask, r));
  CHECK_EQ(r->nDimension, 2);
  CHECK_EQ(r->size[1], 2);
  CHECK_DEVICE_VALUES(d, values);
  THCudaByteTensor_free(state, mask);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, src);
  THCTensor_(free)(state, d);
  free(values);
  THTensor_(free)(t);
}

/* Results that are arguments too. */
static void THTest_(indexInPlace)(void)
{
  THCState *state = thc_state();
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(6, 4));
  THLongTensor *index = THLongTensor_newWithSize1d(4);
  for (int i = 0; i < 4; i++)
    index->storage->data[i] = (i * 5 + 2) % 6 + TH_INDEX_BASE;
  THCudaLongTensor *dindex = THTest_(uploadIndex)(index);
  RTensor *rt = THCTest_(reference)(t);
  THCTensor *d = THCTest_(upload)(t);
  RTensor_(indexSelect)(rt, rt, 0, index);
  THCTensor_(indexSelect)(state, d, d, 0, dindex);
  CHECK_LIKE(d, rt, 0, 0);
  THByteTensor *mask = THByteTensor_newWithSize2d(4, 4);
  THByteTensor_zero(mask);
  THByteTensor_set2d(mask, 2, 1, 1);
  THByteTensor_set2d(mask, 3, 3, 1);
  THCudaByteTensor *dmask = THTest_(uploadMask)(mask);
  RTensor_(maskedSelect)(rt, rt, mask);
  THCTensor_(maskedSelect)(state, d, d, dmask);
  CHECK_LIKE(d, rt, 0, 0);
  THCudaByteTensor_free(state, dmask);
  THByteTensor_free(mask);
  THCTensor_(free)(state, d);
  RTensor_(free)(rt);
  THCudaLongTensor_free(state, dindex);
  THLongTensor_free(index);
  THTensor_(free)(t);
}

TH_TESTS(THTest_(slices), THTest_(elements), THTest_(takePut), THTest_(masks), THTest_(indexParts),
         THTest_(offsets), THTest_(indexErrors), THTest_(indexInPlace))
