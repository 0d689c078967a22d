/* What is checked about a result before it is given a shape and written.
 *
 * A function that computes results lays out their shape, checks, allocates what it needs, resizes
 * the results as the last step that can fail, and only then writes. */
#ifndef TH_RESULT_H
#define TH_RESULT_H

#include "THLoop.h"
#include "THShape.h"

/* A tensor of any type, and the memory of its storage. */
typedef struct THView {
  void *memory, *data; /* NULL where there is no storage */
  size_t bytes, itemSize;
  int nDimension;
  const int64_t *size, *stride;
} THView;

#define TH_VIEW(T)                                                                      \
  ((THView){(T)->storage ? (T)->storage->data : NULL,                                   \
            (T)->storage ? (T)->storage->data + (T)->storageOffset : NULL,              \
            (T)->storage ? (size_t)(T)->storage->size * sizeof *(T)->storage->data : 0, \
            sizeof *(T)->storage->data, (T)->nDimension, (T)->size, (T)->stride})

/* How the elements of a relate to those of b. */
TH_API THOverlap THView_overlap(THView a, THView b);

/* Anything of a's storage lies in b's. */
TH_API int THView_sharesStorage(THView a, THView b);

/* An error about argument arg, if elements of the view share memory with each other. */
TH_API void THView_checkWritable(THView view, int arg);

/* Nothing about the view changes when it is resized to the shape. */
TH_API int THResult_hasShape(THView result, const THShape *shape);

/* How the memory of the result, once it has the shape, relates to that of the operand. */
TH_API THOverlap THResult_overlap(THView result, const THShape *shape, THView operand);

/* An error about argument arg, if elements of the result would share memory with each other. */
TH_API void THResult_check(THView result, const THShape *shape, int arg);

/* An error about argument arg, if the two results would share memory. */
TH_API void THResult_checkBoth(THView result, THView other, const THShape *shape, int arg);

/* What a tensor was before it was resized; see THTensor_(resizeForNow). */
typedef struct THBefore {
  void *tensor, *storage;
  ptrdiff_t storageSize;
  THShape shape;
  THGuard guard;
} THBefore;

/* The tensor stays as it is now. */
static inline void THBefore_forget(THBefore *before)
{
  THGuard_keep(&before->guard);
  THShape_close(&before->shape);
}

#endif
