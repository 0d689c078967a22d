/* Results take their shape. */
#include "THTemplate.h"

#include "THTensorCore.h"

void THTensor_(resizeResult)(THTensor *r, const THShape *shape)
{
  for (int d = 0; d < shape->nDimension; d++)
    if (shape->size[d] == 0) { /* no elements, no memory */
      THShape empty;
      THShape_openAs(&empty, shape->nDimension, shape->size, shape->stride);
      THTensor_(takeShape)(r, &empty);
      return;
    }
  THTensor_(resizeNd)(r, shape->nDimension, shape->size, NULL);
}

/* What a tensor was before it was resized. */
typedef struct {
  THTensor *tensor;
  THStorage *storage;
  ptrdiff_t storageSize;
  THShape shape;
} Before;

static void THTensor_(putBack)(void *what)
{
  Before *before = what;
  THTensor *tensor = before->tensor;
  THTensor_(takeShape)(tensor, &before->shape);
  if (tensor->storage != before->storage) {
    THStorage_(free)(tensor->storage);
    tensor->storage = before->storage;
  } else if (before->storage) {
    before->storage->size = before->storageSize; /* the rest of its memory is spare */
  }
}

void THTensor_(resizeResults)(THTensor *r, THLongTensor *indices, const THShape *shape)
{
  Before before = {r, r->storage, r->storage ? r->storage->size : 0};
  THShape_openAs(&before.shape, r->nDimension, r->size, r->stride);
  THGuard guard;
  THGuard_enter(&guard, THTensor_(putBack));
  guard.what = &before;
  THTensor_(resizeResult)(r, shape);
  THLongTensor_resizeResult(indices, shape);
  THGuard_keep(&guard);
  THShape_close(&before.shape);
}
