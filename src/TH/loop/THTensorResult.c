/* Shapes of results, and stand-ins for results. */
#include "THTemplate.h"
#include "THKernel.h"

#include "TH/tensor/THTensorCore.h"

#ifndef TH_TEMPLATE_DEVICE
#include "TH/tensor/THConvert.h"
#endif

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

static void THTensor_(restore)(void *what)
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
  THGuard_enter(&before->guard, THTensor_(restore));
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

/* --- in place of a result -------------------------------------------------------------------- */

/* Whether r has the given shape with dimension added, of size 1. */
static int THTensor_(hasToLose)(const THTensor *r, const THShape *shape, int dimension)
{
  int same = r->nDimension == shape->nDimension + 1 && r->size[dimension] == 1;
  for (int d = 0; same && d < shape->nDimension; d++)
    same = r->size[d + (d >= dimension)] == shape->size[d];
  return same;
}

int THTensor_(sharesItself)(const THTensor *r, int arg)
{
#ifdef TH_TEMPLATE_DEVICE
  THView_checkWritable(TH_VIEW(r), arg);
  return 0;
#else
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  return THLoop_order(&loop, 0);
#endif
}

THTensor *THTensor_(openStandIn)(THStandIn *standIn, THTensor *r, const THShape *shape,
                                 int dimension, int arg)
{
  standIn->result = r;
  THTensor_(guard)(&standIn->view);
  THTensor_(guard)(&standIn->own);
  standIn->squeezes = dimension >= 0 && THTensor_(hasToLose)(r, shape, dimension);
  if (standIn->squeezes) {
    r = standIn->view.what = THTensor_(newSelect)(r, dimension, 0);
    THShape_openAs(&standIn->shape, r->nDimension, r->size, r->stride);
  }
  if (THResult_hasShape(TH_VIEW(r), shape) && THTensor_(sharesItself)(r, arg))
    r = standIn->own.what = THTensor_(newClone)(r);
  return r;
}

void THTensor_(closeStandIn)(THStandIn *standIn)
{
  THTensor *result = standIn->result;
#ifndef TH_TEMPLATE_DEVICE
  if (standIn->own.what) {
    THLoop loop;
    THLoop_init(&loop);
    THLoop_tensor(&loop, result);
    THLoop_tensor(&loop, (THTensor *)standIn->own.what);
    loop.inOrder = TH_ONE_BY_ONE;
    THLoop_run(&loop, TH_DISPATCHED(THTensor_(convert))[TH_CONCAT_2(THScalar, Real)], NULL);
  }
#endif
  if (standIn->squeezes)
    THTensor_(takeShape)(result, &standIn->shape);
  THGuard_leave(&standIn->own);
  THGuard_leave(&standIn->view);
}

/* The result, or the view of it, that the stand-in is for. */
static THView THTensor_(standsFor)(const THStandIn *standIn)
{
  const THTensor *r = standIn->view.what ? standIn->view.what : standIn->result;
  return TH_VIEW(r);
}

/* --- along a dimension ----------------------------------------------------------------------- */

void THTensor_(checkAlong)(const THTensor *t, int dimension, int arg)
{
  THArgCheck(dimension >= 0 && dimension < t->nDimension, arg,
             "dimension %lld is out of range of a tensor of size %s",
             (long long)dimension + TH_INDEX_BASE, THTensor_(sizeDesc)(t).str);
}

THTensor *THTensor_(openAlong)(THAlong *along, THTensor **result, THLongTensor **indexResult,
                               THTensor *t, int dimension, int dimArg, int64_t size, int squeeze,
                               int inPlace)
{
  THTensor_(checkAlong)(t, dimension, dimArg);
  THShape *shape = &along->shape;
  THShape_open(shape, t->nDimension - squeeze);
  for (int d = 0; d < shape->nDimension; d++)
    shape->size[d] = t->size[d + (squeeze && d >= dimension)];
  if (!squeeze)
    shape->size[dimension] = size;
  THShape_setStrides(shape, NULL);

  const int lost = squeeze ? dimension : -1;
  const THTensor *r = *result = THTensor_(openStandIn)(&along->values, *result, shape, lost, 1);
  along->hasIndices = indexResult && *indexResult;
  const THLongTensor *indices = NULL;
  if (along->hasIndices)
    indices = *indexResult =
        THLongTensor_openStandIn(&along->indices, *indexResult, shape, lost, 2);

  const THView to = TH_VIEW(r), from = TH_VIEW(t);
  const THOverlap overlap = THResult_overlap(to, shape, from);
  int aside = overlap == TH_OVERLAP_MIXED || (overlap == TH_OVERLAP_SAME && !inPlace);
  if (indices) {
    const THLongTensor *given =
        along->indices.view.what ? along->indices.view.what : along->indices.result;
    THResult_checkBoth(THTensor_(standsFor)(&along->values), TH_VIEW(given), shape, 2);
    aside |= THResult_overlap(TH_VIEW(indices), shape, from) != TH_OVERLAP_NONE;
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
  if (along->hasIndices)
    THLongTensor_closeStandIn(&along->indices);
  THTensor_(closeStandIn)(&along->values);
  THShape_close(&along->shape);
}
