/* Shapes under construction. */
#include "THShape.h"

void THShape_open(THShape *shape, int nDimension)
{
  shape->nDimension = nDimension;
  shape->size = shape->buffer;
  if (nDimension > TH_INLINE_DIMS) {
    THGuard_enter(&shape->guard, THFree);
    shape->guard.what = shape->size = THAlloc(2 * (ptrdiff_t)sizeof(int64_t) * nDimension);
  }
  shape->stride = shape->size + nDimension;
}

void THShape_openAs(THShape *shape, int nDimension, const int64_t *size, const int64_t *stride)
{
  THShape_open(shape, nDimension);
  for (int d = 0; d < nDimension; d++) {
    shape->size[d] = size[d];
    if (stride)
      shape->stride[d] = stride[d];
  }
}

int64_t *THShape_take(THShape *shape)
{
  return shape->size == shape->buffer ? NULL : THGuard_keep(&shape->guard);
}

void THShape_close(THShape *shape)
{
  THFree(THShape_take(shape));
}

TH_NO_RETURN static void too_large(const THShape *shape)
{
  THError("a tensor of size %s is too large", _THSizeDesc(shape->size, shape->nDimension).str);
}

void THShape_setStrides(THShape *shape, const int64_t *stride)
{
  for (int d = shape->nDimension - 1; d >= 0; d--) {
    if (stride && stride[d] >= 0)
      shape->stride[d] = stride[d];
    else if (d == shape->nDimension - 1)
      shape->stride[d] = 1;
    else if (__builtin_mul_overflow(shape->size[d + 1], shape->stride[d + 1], &shape->stride[d]))
      too_large(shape);
  }
}

ptrdiff_t THShape_reach(const THShape *shape, ptrdiff_t offset)
{
  ptrdiff_t reach, count = 1;
  if (shape->nDimension == 0)
    return 0;
  if (__builtin_add_overflow(offset, 1, &reach))
    too_large(shape);
  for (int d = 0; d < shape->nDimension; d++) {
    int64_t most;
    if (__builtin_mul_overflow(shape->size[d] - 1, shape->stride[d], &most) ||
        __builtin_add_overflow(reach, most, &reach) ||
        __builtin_mul_overflow(count, shape->size[d], &count))
      too_large(shape);
  }
  return count > 0 ? reach : 0;
}

/* Walks both shapes from the last dimension on: a run of old dimensions that is contiguous as a
 * whole is split into new dimensions, which must divide it exactly. */
int THShape_view(THShape *shape, int nDimension, const int64_t *size, const int64_t *stride)
{
  int to = shape->nDimension - 1;
  int64_t step = stride[nDimension - 1]; /* of the innermost element of the run */
  int64_t run = 1, used = 1; /* elements of the run, and those given to new dimensions */
  for (int d = nDimension - 1; d >= 0; d--) {
    run *= size[d];
    if (d > 0 && (size[d - 1] == 1 || stride[d - 1] == run * step))
      continue;
    while (to >= 0 && (used < run || shape->size[to] == 1)) {
      shape->stride[to] = used * step;
      used *= shape->size[to];
      to--;
    }
    if (used != run)
      return 0;
    if (d > 0) {
      step = stride[d - 1];
      run = used = 1;
    }
  }
  return to == -1;
}

ptrdiff_t THShape_unknownSize(const THLongStorage *size, ptrdiff_t nElement, int64_t *inferred,
                              int arg)
{
  const ptrdiff_t dims = size->size;
  ptrdiff_t known = dims > 0, unknown = -1;
  for (ptrdiff_t d = 0; d < dims; d++) {
    if (size->data[d] == -1) {
      THArgCheck(unknown < 0, arg, "size %s has more than one -1: only one size can be inferred",
                 THLongStorage_sizeDesc(size).str);
      unknown = d;
    } else {
      THArgCheck(size->data[d] >= 0, arg, "size %s is negative in dimension %td",
                 THLongStorage_sizeDesc(size).str, d + TH_INDEX_BASE);
      THArgCheck(!__builtin_mul_overflow(known, size->data[d], &known), arg,
                 "size %s has too many elements", THLongStorage_sizeDesc(size).str);
    }
  }
  if (unknown < 0) {
    THArgCheck(known == nElement, arg, "size %s does not fit %td elements: it has %td",
               THLongStorage_sizeDesc(size).str, nElement, known);
    return -1;
  }
  THArgCheck(known > 0 && nElement >= 0 && nElement % known == 0, arg,
             "size %s does not fit %td elements: its known sizes multiply to %td",
             THLongStorage_sizeDesc(size).str, nElement, known);
  *inferred = nElement / known;
  return unknown;
}
