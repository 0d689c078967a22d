/* Shapes under construction: sizes and strides that are complete before a tensor takes them.
 *
 * A tensor of a few dimensions keeps its sizes and strides in the same block as itself; larger ones
 * have a block of their own.  Either way tensor->size and tensor->stride point at them. */
#ifndef TH_SHAPE_H
#define TH_SHAPE_H

#include "THStorage.h"

enum { TH_INLINE_DIMS = 5 };

typedef struct THShape {
  int nDimension;
  int64_t *size, *stride;
  /* for sizes and strides, unless there are too many dimensions */
  int64_t buffer[2 * TH_INLINE_DIMS];
  THGuard guard; /* holds their block in that case, and is entered only then */
} THShape;

/* Opens a shape of nDimension sizes and strides, to be filled in by the caller; every shape that is
 * opened is closed or handed to a tensor. */
TH_API void THShape_open(THShape *shape, int nDimension);

/* As THShape_open, with the sizes and strides given (strides may be NULL). */
TH_API void THShape_openAs(THShape *shape, int nDimension, const int64_t *size,
                           const int64_t *stride);
TH_API void THShape_close(THShape *shape);

/* Closes the shape; its block, which is the caller's from now on, or NULL where it needs none. */
TH_API int64_t *THShape_take(THShape *shape);

/* Row-major strides where stride is NULL or has an entry below 0.  Checks for overflow. */
TH_API void THShape_setStrides(THShape *shape, const int64_t *stride);

/* How many elements a storage needs for the shape to fit at offset.  Checks for overflow. */
TH_API ptrdiff_t THShape_reach(const THShape *shape, ptrdiff_t offset);

/* Gives strides to size that view the same elements in the same order; 0 where there are none. */
TH_API int THShape_view(THShape *shape, int nDimension, const int64_t *size, const int64_t *stride);

/* Checks that size, one entry of which may be -1, is a shape of nElement elements; otherwise blames
 * argument arg.  Returns which dimension was -1, with what it must be in *inferred, or -1. */
TH_API ptrdiff_t THShape_unknownSize(const THLongStorage *size, ptrdiff_t nElement,
                                     int64_t *inferred, int arg);

#endif
