/* Checks of a result before it gets its shape and is written.  A function that computes results
 * determines their shape, checks, allocates what it needs, resizes the results as the last step
 * that can fail, and only then writes. */
#ifndef TH_RESULT_H
#define TH_RESULT_H

#include "THLoop.h"
#include "TH/tensor/THShape.h"

/* A tensor of any type, and the memory of its storage. */
typedef struct THView {
  void *memory, *data; /* NULL if there is no storage */
  size_t bytes, itemSize;
  int nDimension;
  const int64_t *size, *stride;
} THView;

#define TH_VIEW(T)                                                                      \
  ((THView){(T)->storage ? (T)->storage->data : NULL,                                   \
            (T)->storage ? (T)->storage->data + (T)->storageOffset : NULL,              \
            (T)->storage ? (size_t)(T)->storage->size * sizeof *(T)->storage->data : 0, \
            sizeof *(T)->storage->data, (T)->nDimension, (T)->size, (T)->stride})

/* All checks whether writing would change elements that are still to be read are here.  They
 * compare addresses: two storages may hold the same memory. */

/* Whether a's storage overlaps b's. */
static inline int THView_sharesStorage(THView a, THView b)
{
  const uintptr_t of_a = (uintptr_t)a.memory, of_b = (uintptr_t)b.memory;
  return of_a && of_b && of_a < of_b + b.bytes && of_b < of_a + a.bytes;
}

/* How the elements of a relate to those of b. */
TH_API THOverlap THView_overlap(THView a, THView b);

/* Whether elements of a share memory with elements of b.  Exact, and slow where THView_overlap
 * cannot say: for checks that are about to raise. */
TH_API int THView_touch(THView a, THView b);

/* An error about argument arg, if elements of the view share memory with each other. */
TH_API void THView_checkWritable(THView view, int arg);

/* Whether resizing to the shape would change nothing. */
TH_API int THResult_hasShape(THView result, const THShape *shape);

/* How the memory of the result, once it has that size or shape, relates to that of the operand. */
TH_API THOverlap THResult_overlapInStorage(THView result, int nDimension, const int64_t *size,
                                           THView operand);
static inline THOverlap THResult_overlapSized(THView result, int nDimension, const int64_t *size,
                                              THView operand)
{
  return THView_sharesStorage(result, operand)
             ? THResult_overlapInStorage(result, nDimension, size, operand)
             : TH_OVERLAP_NONE;
}
static inline THOverlap THResult_overlap(THView result, const THShape *shape, THView operand)
{
  return THResult_overlapSized(result, shape->nDimension, shape->size, operand);
}

/* An error about argument arg, if elements of the result would share memory with each other. */
TH_API void THResult_check(THView result, const THShape *shape, int arg);

/* An error about argument arg, if the two results would share memory. */
TH_API void THResult_checkBoth(THView result, THView other, const THShape *shape, int arg);

/* A result whose elements share memory with each other (an expanded view) is computed as classic TH
 * computes it: one element after the other, in row-major order, so that the last of the elements
 * that share memory counts, and additions to each of them accumulate.  There are two ways to do
 * that.
 *
 * Whoever changes a tensor where it is (pointwise operations, whose input may be the result;
 * copies; masks; indices) walks it with a loop whose inOrder is TH_ONE_BY_ONE.  What an element is
 * made of is then read after the ones before it were written, where that is the result, element for
 * element; an input that overlaps it in another way is read before.
 *
 * Whoever makes a result of other tensors (reductions, scans, sorting, selecting, products ...)
 * makes it in a stand-in, a tensor with memory of its own, whose elements then go to the result.
 *
 * On a device such a result is an error, because threads have no order. */
enum { TH_ONE_BY_ONE = 2 };

/* Sets inOrder so if elements of operand a share memory, or might.  Returns whether it did. */
TH_API int THLoop_order(THLoop *loop, int a);

/* A tensor that is computed instead of a result: see THTensor_(openStandIn). */
typedef struct THStandIn {
  void *result;  /* the caller's tensor */
  THGuard view;  /* holds a view of it without the dimension that it will lose */
  THGuard own;   /* holds a copy with memory of its own */
  int squeezes;  /* whether the result will take this shape: */
  THShape shape; /* its own without the dimension */
} THStandIn;

/* The state of a tensor before it was resized; see THTensor_(resizeForNow). */
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
