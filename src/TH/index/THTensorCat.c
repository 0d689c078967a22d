/* Joining tensors along a dimension. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THLoop.h"
#include "TH/tensor/THTensorCore.h"
#include "TH/core/THBlockCache.h"
#ifdef TH_TEMPLATE_DEVICE
#include "THC/tensor/thc_join.h"
#else
#include "TH/tensor/THConvert.h"
#include "THJoin.h"
#endif

/* Dimensions after the last one count as size 1. */
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

#ifndef TH_TEMPLATE_DEVICE /* a device has its own functions */
/* Copies t to the part of result that begins at offset along dimension. */
static void THTensor_(copyPart)(THTensor *result, THTensor *t, int dimension, int64_t offset)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, THTensor_(data)(result) + offset * result->stride[dimension], sizeof(real),
                 t->nDimension, t->size, result->stride);
  THLoop_tensor(&loop, t);
  THLoop_run(&loop, TH_DISPATCHED(THTensor_(convert))[TH_CONCAT_2(THScalar, Real)], NULL);
}
#endif

/* Copies the inputs one after the other. */
static void THTensor_(joinParts)(THTensor *result, THTensor **inputs, int numInputs, int dimension)
{
  int64_t offset = 0;
  for (int i = 0; i < numInputs; i++)
    if (inputs[i]->nDimension) {
      THTensor_(copyPart)(result, inputs[i], dimension, offset);
      offset += THTensor_(sizeOrOne)(inputs[i], dimension);
    }
}

/* The common distance from each element to the next, in row-major order of dimensions first to end
 * - 1; -1 if distances differ.  *count becomes the number of elements. */
static ptrdiff_t THTensor_(evenStride)(const THTensor *t, int first, int end, ptrdiff_t *count)
{
  ptrdiff_t innerStride = 1;
  *count = 1;
  for (int d = end - 1; d >= first; d--) {
    if (t->size[d] == 1)
      continue;
    if (*count == 1)
      innerStride = t->stride[d];
    else if (t->stride[d] != *count * innerStride)
      return -1;
    *count *= t->size[d];
  }
  return innerStride;
}

/* Joins the inputs row by row if that is better, as it is for short rows, or on a device for any, in one
 * launch; returns whether it did. */
static int THTensor_(joinRows)(THTensor *result, THTensor **inputs, int numInputs, int dimension)
{
  enum { ON_STACK = 16 };
  THJoinPart onStack[ON_STACK], *parts = onStack;
  int count = 0, joins = 1;
  ptrdiff_t rows = 1, length, own;
  for (int d = 0; d < dimension; d++)
    rows *= result->size[d];
  THGuard guard;
  THGuard_enter(&guard, THFree);
  /* nothing may fail any more: without memory for a list, each input is copied by itself */
  if (numInputs > ON_STACK) {
    parts = guard.what = THMemory_try(numInputs * (ptrdiff_t)sizeof *parts);
    joins = parts != NULL;
  }
  for (int i = 0; i < numInputs && joins; i++) {
    const THTensor *t = inputs[i];
    if (t->nDimension == 0)
      continue;
    const int behind = THMin(dimension, t->nDimension);
    const ptrdiff_t rowStride = THTensor_(evenStride)(t, 0, behind, &own);
    const ptrdiff_t step = THTensor_(evenStride)(t, behind, t->nDimension, &length);
    joins = rowStride >= 0 && (step == 1 || (step >= 0 && rowStride == 1 && rows > 1)) &&
            length <= TH_JOIN_MOST / (ptrdiff_t)sizeof(real);
    parts[count++] =
        (THJoinPart){(const char *)THTensor_(data)(inputs[i]), rowStride * (ptrdiff_t)sizeof(real),
                     step * (ptrdiff_t)sizeof(real), (size_t)length * sizeof(real)};
  }
  if (joins)
    THJoin_rows((char *)THTensor_(data)(result), parts, count, rows, sizeof(real));
  THGuard_leave(&guard);
  return joins;
}

/* Whether writing to the result would change an input. */
static int THTensor_(sharesStorage)(const THTensor *result, THTensor **inputs, int numInputs)
{
  for (int i = 0; i < numInputs; i++)
    if (THView_sharesStorage(TH_VIEW(inputs[i]), TH_VIEW(result)))
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

  /* If an input shares the result's memory, or elements of the result share memory, the tensors are
   * joined in a new tensor first.  Copying it writes the elements in order, or on a device raises
   * the right error. */
  const int shares =
      THTensor_(sharesStorage)(result, inputs, numInputs) || !THTensor_(isContiguous)(result);
  THGuard elsewhere;
  THTensor_(guard)(&elsewhere);
  THTensor *joined = shares ? (elsewhere.what = THTensor_(newBare)()) : result;
  THTensor_(resizeNd)(joined, shape.nDimension, shape.size, NULL);

  if (!THTensor_(joinRows)(joined, inputs, numInputs, along))
    THTensor_(joinParts)(joined, inputs, numInputs, along);
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
