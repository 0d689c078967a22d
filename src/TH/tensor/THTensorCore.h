/* Functions on tensors of the current type that TH's templates share, beyond the public
 * interface. */
#include "TH/loop/THLines.h"
#include "TH/loop/THResult.h"
#include "THShape.h"

#ifndef TH_TEMPLATE_DEVICE
/* The element at this offset in the tensor's storage. */
static inline void THTensor_(putAt)(THTensor *tensor, ptrdiff_t offset, real value)
{
  tensor->storage->data[offset] = value;
}

static inline real THTensor_(getAt)(const THTensor *tensor, ptrdiff_t offset)
{
  return tensor->storage->data[offset];
}
#endif

/* A tensor without a storage. */
THTensor *THTensor_(newBare)(void);

/* Enters a guard that frees the tensor it will hold. */
void THTensor_(guard)(THGuard *guard);

/* Enters a guard and returns t, or a contiguous copy of t that the guard holds. */
THTensor *THTensor_(copiedIf)(THGuard *guard, THTensor *t, int copies);
THLongTensor *THLongTensor_copiedIf(THGuard *guard, THLongTensor *t, int copies);
THByteTensor *THByteTensor_copiedIf(THGuard *guard, THByteTensor *t, int copies);

/* self takes the shape, which is emptied.  Cannot fail. */
void THTensor_(takeShape)(THTensor *self, THShape *shape);

/* self (perhaps src itself) becomes a view of src's storage.  Cannot fail. */
void THTensor_(takeView)(THTensor *self, THTensor *src, ptrdiff_t offset, THShape *shape);

/* The result takes the shape: as resizeNd, but for sizes of 0, which are kept. */
void THTensor_(resizeResult)(THTensor *r, const THShape *shape);
void THLongTensor_resizeResult(THLongTensor *r, const THShape *shape);

/* r takes the shape and its strides; a later error takes them back, unless THBefore_forget was
 * called. */
void THTensor_(resizeForNow)(THBefore *before, THTensor *r, const THShape *shape);

/* Both results take the shape, or neither does. */
void THTensor_(resizeResults)(THTensor *r, THLongTensor *indices, const THShape *shape);

/* Whether elements of r, which has the shape that a result is to get, may share memory; for devices
 * that is an error about argument arg. */
int THTensor_(sharesItself)(const THTensor *r, int arg);

/* The tensor to compute in place of the result r (argument arg), which is to get the shape.  That
 * is r itself, but for two cases.  Where shape is that of a reduction, which lacks dimension (else
 * that is -1), and r still has it, with size 1, and otherwise the sizes of the shape: then it is a
 * view of r's elements where they are.  And where r's elements share memory: see THResult.h.  r
 * changes no more than by being written to until closeStandIn, which cannot fail. */
THTensor *THTensor_(openStandIn)(THStandIn *standIn, THTensor *r, const THShape *shape,
                                 int dimension, int arg);
void THTensor_(closeStandIn)(THStandIn *standIn);
THLongTensor *THLongTensor_openStandIn(THStandIn *standIn, THLongTensor *r, const THShape *shape,
                                       int dimension, int arg);
void THLongTensor_closeStandIn(THStandIn *standIn);

/* The common part of functions with a dimension: results, whose size in this dimension may differ
 * from t's, or which lack it, and the lines along it. */
typedef struct THAlong {
  THShape shape;             /* of the results */
  THLines lines;             /* operand 0 is read, 1 is the result, 2 the indices (if any) */
  THGuard aside;             /* holds a copy of t where writing results would change it */
  THStandIn values, indices; /* computed instead of the results */
  int hasIndices;
} THAlong;

/* Checks and prepares; changes nothing but along.  The results, arguments 1 and 2 (indices may be
 * NULL), get size elements along dimension (argument dimArg), or lose it (squeeze, with size 1);
 * they are replaced by the stand-ins to compute.  A result that is the operand itself, element for
 * element, is written in place if inPlace is set.  Returns the tensor to read: t, or a copy. */
THTensor *THTensor_(openAlong)(THAlong *along, THTensor **r, THLongTensor **indices, THTensor *t,
                               int dimension, int dimArg, int64_t size, int squeeze, int inPlace);
void THTensor_(closeAlong)(THAlong *along);

/* An error about argument arg unless dimension is one of t's. */
void THTensor_(checkAlong)(const THTensor *t, int dimension, int arg);
