/* Joining tensors along a dimension. */
#include "THTemplate.h"

#include "THLoop.h"
#include "THTensorCore.h"
#ifndef TH_TEMPLATE_DEVICE
#include "THConvert.h"
#endif

/* A tensor counts as having size 1 in the dimensions behind its last. */
static int64_t THTensor_(sizeOrOne)(const THTensor *t, int d)
{
  return d < t->nDimension ? t->size[d] : 1;
}

/* Fills shape with the size of all inputs joined along dimension. */
static void THTensor_(joinedSize)(THShape *shape, THTensor **inputs, int numInputs, int dimension)
{
  THTensor *first = NULL;
  for (int i = 0; i < numInputs; i++) {
    THTensor *t = inputs[i];
    if (t->nDimension == 0)
      continue;
    for (int d = 0; d < shape->nDimension; d++) {
      const int64_t size = THTensor_(sizeOrOne)(t, d);
      if (!first) {
        shape->size[d] = size;
      } else if (d != dimension) {
        if (size != shape->size[d])
          THError("tensors of size %s and %s (number %d) do not join along dimension %d",
                  THTensor_(sizeDesc)(first).str, THTensor_(sizeDesc)(t).str, i + TH_INDEX_BASE,
                  dimension + TH_INDEX_BASE);
      } else if (__builtin_add_overflow(shape->size[d], size, &shape->size[d])) {
        THError("the tensors are too large to be joined along dimension %d",
                dimension + TH_INDEX_BASE);
      }
    }
    if (!first)
      first = t;
  }
}

#ifndef TH_TEMPLATE_DEVICE /* another device has its own */
/* The part of result that begins at offset along dimension and is as large as t becomes a copy of
 * t, whose dimensions are the first ones of result. */
static void THTensor_(copyPart)(THTensor *result, THTensor *t, int dimension, int64_t offset)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, THTensor_(data)(result) + offset * result->stride[dimension], sizeof(real),
                 t->nDimension, t->size, result->stride);
  THLoop_tensor(&loop, t);
  THLoop_run(&loop, THTensor_(convert)[TH_CONCAT_2(THScalar, Real)], NULL);
}
#endif

/* Whether writing to the result would change an input. */
static int THTensor_(sharesStorage)(const THTensor *result, THTensor **inputs, int numInputs)
{
  for (int i = 0; i < numInputs; i++)
    if (inputs[i]->storage && inputs[i]->storage == result->storage)
      return 1;
  return 0;
}

void THTensor_(catArray)(THTensor *result, THTensor **inputs, int numInputs, int dimension)
{
  THArgCheck(numInputs > 0, 3, "numInputs is %d", numInputs);
  int dims = 0;
  for (int i = 0; i < numInputs; i++)
    dims = THMax(dims, inputs[i]->nDimension);
  const int along = dimension == -1 - TH_INDEX_BASE ? THMax(dims - 1, 0) : dimension;
  THArgCheck(along >= 0 && along <= THMax(dims, TH_LOOP_DIMS), 4, "dimension %d is out of range",
             dimension + TH_INDEX_BASE);
  if (dims == 0) {
    THTensor_(resizeNd)(result, 0, NULL, NULL);
    return;
  }

  THShape shape;
  THShape_open(&shape, THMax(dims, along + 1));
  THTensor_(joinedSize)(&shape, inputs, numInputs, along);

  /* Where an input shares the result's memory, or the result's elements each other's, the tensors
   * are joined elsewhere: copying from there says what is wrong. */
  const int shares =
      THTensor_(sharesStorage)(result, inputs, numInputs) || !THTensor_(isContiguous)(result);
  THGuard elsewhere;
  THTensor_(guard)(&elsewhere);
  THTensor *joined = shares ? (elsewhere.what = THTensor_(newBare)()) : result;
  THTensor_(resizeNd)(joined, shape.nDimension, shape.size, NULL);

  int64_t offset = 0;
  for (int i = 0; i < numInputs; i++)
    if (inputs[i]->nDimension) {
      THTensor_(copyPart)(joined, inputs[i], along, offset);
      offset += THTensor_(sizeOrOne)(inputs[i], along);
    }
  if (shares) {
    THTensor_(resizeNd)(result, shape.nDimension, shape.size, NULL);
    THTensor_(copy)(result, joined);
  }
  THGuard_leave(&elsewhere);
  THShape_close(&shape);
}

void THTensor_(cat)(THTensor *r_, THTensor *ta, THTensor *tb, int dimension)
{
  THTensor_(catArray)(r_, (THTensor *[]){ta, tb}, 2, dimension);
}
