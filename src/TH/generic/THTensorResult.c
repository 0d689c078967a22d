/* Results take their shape. */
#include "THTemplate.h"

#include "THTensorCore.h"

static int THTensor_(isWithout)(const THShape *shape)
{
  for (int d = 0; d < shape->nDimension; d++)
    if (shape->size[d] == 0)
      return 1;
  return 0;
}

void THTensor_(resizeResult)(THTensor *r, const THShape *shape)
{
  if (THTensor_(isWithout)(shape)) { /* no elements, no memory */
    THShape empty;
    THShape_openAs(&empty, shape->nDimension, shape->size, shape->stride);
    THTensor_(takeShape)(r, &empty);
    return;
  }
  THTensor_(resizeNd)(r, shape->nDimension, shape->size, NULL);
}

static void THTensor_(putBack)(void *what)
{
  THBefore *before = what;
  THTensor *tensor = before->tensor;
  THTensor_(takeShape)(tensor, &before->shape);
  if (tensor->storage != before->storage) {
    THStorage_(free)(tensor->storage);
    tensor->storage = before->storage;
  } else if (tensor->storage) {
    tensor->storage->size = before->storageSize; /* the rest of its memory is spare */
  }
}

static void THTensor_(openBefore)(THBefore *before, THTensor *r)
{
  *before = (THBefore){
      .tensor = r, .storage = r->storage, .storageSize = r->storage ? r->storage->size : 0};
  THShape_openAs(&before->shape, r->nDimension, r->size, r->stride);
  THGuard_enter(&before->guard, THTensor_(putBack));
  before->guard.what = before;
}

void THTensor_(resizeForNow)(THBefore *before, THTensor *r, const THShape *shape)
{
  THTensor_(openBefore)(before, r);
  if (THTensor_(isWithout)(shape))
    THTensor_(resizeResult)(r, shape);
  else
    THTensor_(resizeNd)(r, shape->nDimension, shape->size, shape->stride);
}

void THTensor_(resizeResults)(THTensor *r, THLongTensor *indices, const THShape *shape)
{
  THBefore before;
  THTensor_(openBefore)(&before, r);
  THTensor_(resizeResult)(r, shape);
  if (indices)
    THLongTensor_resizeResult(indices, shape);
  THBefore_forget(&before);
}

/* --- along a dimension ----------------------------------------------------------------------- */

void THTensor_(checkAlong)(const THTensor *t, int dimension, int arg)
{
  THArgCheck(dimension >= 0 && dimension < t->nDimension, arg,
             "dimension %lld is out of range of a tensor of size %s",
             (long long)dimension + TH_INDEX_BASE, THTensor_(sizeDesc)(t).str);
}

THTensor *THTensor_(openAlong)(THAlong *along, THTensor *r, THLongTensor *indices, THTensor *t,
                               int dimension, int dimArg, int64_t size, int squeeze, int inPlace)
{
  THTensor_(checkAlong)(t, dimension, dimArg);
  THShape *shape = &along->shape;
  THShape_open(shape, t->nDimension - squeeze);
  for (int d = 0; d < shape->nDimension; d++)
    shape->size[d] = t->size[d + (squeeze && d >= dimension)];
  if (!squeeze)
    shape->size[dimension] = size;
  THShape_setStrides(shape, NULL);

  const THView to = TH_VIEW(r), from = TH_VIEW(t);
  THResult_check(to, shape, 1);
  const THOverlap overlap = THResult_overlap(to, shape, from);
  int aside = overlap == TH_OVERLAP_MIXED || (overlap == TH_OVERLAP_SAME && !inPlace);
  if (indices) {
    const THView places = TH_VIEW(indices);
    THResult_check(places, shape, 2);
    THResult_checkBoth(to, places, shape, 2);
    aside |= THResult_overlap(places, shape, from) != TH_OVERLAP_NONE;
  }
  THTensor_(guard)(&along->aside);
  if (aside)
    t = along->aside.what = THTensor_(newClone)(t);

  THLines *lines = &along->lines;
  THLines_init(lines, t->nDimension, t->size, dimension);
  THLines_operand(lines, t->stride, 0);
  THLines_operand(lines, THResult_hasShape(to, shape) ? r->stride : shape->stride, squeeze);
  if (indices)
    THLines_operand(lines,
                    THResult_hasShape(TH_VIEW(indices), shape) ? indices->stride : shape->stride,
                    squeeze);
  THLines_merge(lines);
  return t;
}

void THTensor_(closeAlong)(THAlong *along)
{
  THGuard_leave(&along->aside);
  THShape_close(&along->shape);
}
