/* Views: other shapes of the same elements. */
#include "THTemplate.h"

#include "THTensorCore.h"

/* Each view is computed into a shape, checked and complete, and then taken.  arg is the number of
 * the first argument after the tensor: the functions that make views differ in it. */

static void THTensor_(checkDimension)(const THTensor *src, int dimension, int arg)
{
  THArgCheck(dimension >= 0 && dimension < src->nDimension, arg,
             "dimension %d is out of range of a tensor of size %s", dimension + TH_INDEX_BASE,
             THTensor_(sizeDesc)(src).str);
}

void THTensor_(set)(THTensor *self, THTensor *src)
{
  if (self == src)
    return;
  THShape shape;
  THShape_openAs(&shape, src->nDimension, src->size, src->stride);
  THTensor_(takeView)(self, src, src->storageOffset, &shape);
}

/* --- narrow ---------------------------------------------------------------------------------- */

static void THTensor_(narrowAt)(THTensor *self, THTensor *src, int dimension, int64_t first,
                                int64_t size, int arg)
{
  THTensor_(checkDimension)(src, dimension, arg);
  const int64_t extent = src->size[dimension];
  THArgCheck(first >= 0 && first < extent, arg + 1,
             "firstIndex %lld is out of range of dimension %d of size %lld",
             (long long)first + TH_INDEX_BASE, dimension + TH_INDEX_BASE, (long long)extent);
  THArgCheck(size > 0 && size <= extent - first, arg + 2,
             "%lld elements from %lld on do not fit in dimension %d of size %lld", (long long)size,
             (long long)first + TH_INDEX_BASE, dimension + TH_INDEX_BASE, (long long)extent);

  THShape shape;
  THShape_openAs(&shape, src->nDimension, src->size, src->stride);
  shape.size[dimension] = size;
  THTensor_(takeView)(self, src, src->storageOffset + first * src->stride[dimension], &shape);
}

void THTensor_(narrow)(THTensor *self, THTensor *src, int dimension_, int64_t firstIndex_,
                       int64_t size_)
{
  THTensor_(narrowAt)(self, src ? src : self, dimension_, firstIndex_, size_, 3);
}

THTensor *THTensor_(newNarrow)(THTensor *tensor, int dimension_, int64_t firstIndex_, int64_t size_)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(narrowAt)(self, tensor, dimension_, firstIndex_, size_, 2);
  return THGuard_keep(&guard);
}

/* --- select ---------------------------------------------------------------------------------- */

static void THTensor_(selectAt)(THTensor *self, THTensor *src, int dimension, int64_t index,
                                int arg)
{
  THArgCheck(src->nDimension > 1, arg - 1,
             "cannot select from a tensor of size %s: it has one dimension or none",
             THTensor_(sizeDesc)(src).str);
  THTensor_(checkDimension)(src, dimension, arg);
  THArgCheck(index >= 0 && index < src->size[dimension], arg + 1,
             "sliceIndex %lld is out of range of dimension %d of size %lld",
             (long long)index + TH_INDEX_BASE, dimension + TH_INDEX_BASE,
             (long long)src->size[dimension]);

  THShape shape;
  THShape_open(&shape, src->nDimension - 1);
  for (int d = 0; d < shape.nDimension; d++) {
    shape.size[d] = src->size[d + (d >= dimension)];
    shape.stride[d] = src->stride[d + (d >= dimension)];
  }
  THTensor_(takeView)(self, src, src->storageOffset + index * src->stride[dimension], &shape);
}

void THTensor_(select)(THTensor *self, THTensor *src, int dimension_, int64_t sliceIndex_)
{
  THTensor_(selectAt)(self, src ? src : self, dimension_, sliceIndex_, 3);
}

THTensor *THTensor_(newSelect)(THTensor *tensor, int dimension_, int64_t sliceIndex_)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(selectAt)(self, tensor, dimension_, sliceIndex_, 2);
  return THGuard_keep(&guard);
}

/* --- transpose ------------------------------------------------------------------------------- */

static void THTensor_(transposeAt)(THTensor *self, THTensor *src, int dimension1, int dimension2,
                                   int arg)
{
  THTensor_(checkDimension)(src, dimension1, arg);
  THTensor_(checkDimension)(src, dimension2, arg + 1);

  THShape shape;
  THShape_openAs(&shape, src->nDimension, src->size, src->stride);
  shape.size[dimension1] = src->size[dimension2];
  shape.size[dimension2] = src->size[dimension1];
  shape.stride[dimension1] = src->stride[dimension2];
  shape.stride[dimension2] = src->stride[dimension1];
  THTensor_(takeView)(self, src, src->storageOffset, &shape);
}

void THTensor_(transpose)(THTensor *self, THTensor *src, int dimension1_, int dimension2_)
{
  THTensor_(transposeAt)(self, src ? src : self, dimension1_, dimension2_, 3);
}

THTensor *THTensor_(newTranspose)(THTensor *tensor, int dimension1_, int dimension2_)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(transposeAt)(self, tensor, dimension1_, dimension2_, 2);
  return THGuard_keep(&guard);
}

/* --- unfold ---------------------------------------------------------------------------------- */

static void THTensor_(unfoldAt)(THTensor *self, THTensor *src, int dimension, int64_t size,
                                int64_t step, int arg)
{
  THTensor_(checkDimension)(src, dimension, arg);
  const int64_t extent = src->size[dimension];
  THArgCheck(size > 0 && size <= extent, arg + 1,
             "windows of %lld elements do not fit in dimension %d of size %lld", (long long)size,
             dimension + TH_INDEX_BASE, (long long)extent);
  THArgCheck(step > 0, arg + 2, "step is %lld", (long long)step);

  THShape shape;
  const int n = src->nDimension;
  THShape_open(&shape, n + 1);
  memcpy(shape.size, src->size, (size_t)n * sizeof *shape.size);
  memcpy(shape.stride, src->stride, (size_t)n * sizeof *shape.stride);
  shape.size[dimension] = (extent - size) / step + 1;
  /* A step past the end leaves one window, whose stride is never used. */
  shape.stride[dimension] = shape.size[dimension] == 1
                                ? src->stride[dimension] * THMin(step, extent)
                                : src->stride[dimension] * step;
  shape.size[n] = size;
  shape.stride[n] = src->stride[dimension];
  THTensor_(takeView)(self, src, src->storageOffset, &shape);
}

void THTensor_(unfold)(THTensor *self, THTensor *src, int dimension_, int64_t size_, int64_t step_)
{
  THTensor_(unfoldAt)(self, src ? src : self, dimension_, size_, step_, 3);
}

THTensor *THTensor_(newUnfold)(THTensor *tensor, int dimension_, int64_t size_, int64_t step_)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(unfoldAt)(self, tensor, dimension_, size_, step_, 2);
  return THGuard_keep(&guard);
}

/* --- squeeze, unsqueeze ---------------------------------------------------------------------- */

void THTensor_(squeeze)(THTensor *self, THTensor *src)
{
  if (!src)
    src = self;
  THShape shape;
  THShape_open(&shape, src->nDimension);
  int n = 0;
  for (int d = 0; d < src->nDimension; d++)
    if (src->size[d] != 1) {
      shape.size[n] = src->size[d];
      shape.stride[n++] = src->stride[d];
    }
  if (n == 0 && src->nDimension > 0) { /* no dimensions would be an empty tensor */
    shape.size[0] = shape.stride[0] = 1;
    n = 1;
  }
  shape.stride = memmove(shape.size + n, shape.stride, (size_t)n * sizeof *shape.stride);
  shape.nDimension = n;
  THTensor_(takeView)(self, src, src->storageOffset, &shape);
}

void THTensor_(squeeze1d)(THTensor *self, THTensor *src, int dimension_)
{
  if (!src)
    src = self;
  THTensor_(checkDimension)(src, dimension_, 3);
  if (src->size[dimension_] == 1 && src->nDimension > 1)
    THTensor_(selectAt)(self, src, dimension_, 0, 3);
  else
    THTensor_(set)(self, src);
}

void THTensor_(unsqueeze1d)(THTensor *self, THTensor *src, int dimension_)
{
  if (!src)
    src = self;
  const int n = src->nDimension;
  THArgCheck(n > 0, 2, "cannot add a dimension to an empty tensor");
  THArgCheck(dimension_ >= 0 && dimension_ <= n, 3,
             "dimension %d is out of range: a tensor of size %s can take a new one from %d to %d",
             dimension_ + TH_INDEX_BASE, THTensor_(sizeDesc)(src).str, TH_INDEX_BASE,
             n + TH_INDEX_BASE);

  THShape shape;
  THShape_open(&shape, n + 1);
  for (int d = 0; d < n; d++) {
    shape.size[d + (d >= dimension_)] = src->size[d];
    shape.stride[d + (d >= dimension_)] = src->stride[d];
  }
  shape.size[dimension_] = 1;
  shape.stride[dimension_] = dimension_ < n ? src->size[dimension_] * src->stride[dimension_] : 1;
  THTensor_(takeView)(self, src, src->storageOffset, &shape);
}

/* --- view ------------------------------------------------------------------------------------ */

THTensor *THTensor_(newView)(THTensor *tensor, THLongStorage *size)
{
  int64_t inferred;
  THArgCheck(size->size <= INT_MAX, 2, "size has %td entries", size->size);
  const ptrdiff_t unknown = THShape_unknownSize(size, THTensor_(nElement)(tensor), &inferred, 2);

  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THShape shape;
  THShape_openAs(&shape, (int)size->size, size->data, NULL);
  if (unknown >= 0)
    shape.size[unknown] = inferred;
  if (tensor->nDimension > 0)
    THArgCheck(THShape_view(&shape, tensor->nDimension, tensor->size, tensor->stride), 2,
               "a tensor of size %s with these strides cannot be viewed as %s: call newContiguous "
               "first",
               THTensor_(sizeDesc)(tensor).str, THLongStorage_sizeDesc(size).str);
  THTensor_(takeView)(self, tensor, tensor->storageOffset, &shape);
  return THGuard_keep(&guard);
}

/* --- expand ---------------------------------------------------------------------------------- */

void THTensor_(expand)(THTensor *r, THTensor *tensor, THLongStorage *size)
{
  char problem[256];
  int64_t *sizes, *strides;
  THArgCheck(size->size <= INT_MAX, 3, "size has %td entries", size->size);
  THGuard guard_sizes, guard_strides;
  THGuard_enter(&guard_sizes, THFree);
  THGuard_enter(&guard_strides, THFree);
  if (THLongStorage_inferExpandGeometry(tensor->size, tensor->stride, tensor->nDimension, size,
                                        &sizes, &strides, problem, sizeof problem))
    THError("%s", problem);
  guard_sizes.what = sizes;
  guard_strides.what = strides;

  THShape shape;
  THShape_openAs(&shape, (int)size->size, sizes, strides);
  THTensor_(takeView)(r, tensor, tensor->storageOffset, &shape);
  THGuard_leave(&guard_strides);
  THGuard_leave(&guard_sizes);
}

THTensor *THTensor_(newExpand)(THTensor *tensor, THLongStorage *size)
{
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *self = guard.what = THTensor_(newBare)();
  THTensor_(expand)(self, tensor, size);
  return THGuard_keep(&guard);
}

/* All shapes are complete before the first of rets changes; rets[i] may be ops[i]. */
void THTensor_(expandNd)(THTensor **rets, THTensor **ops, int count)
{
  char problem[256];
  THArgCheck(count > 0, 3, "count is %d", count);
  for (int i = 0; i < count; i++)
    THArgCheck(ops[i]->nDimension > 0, 2, "tensor %d is empty", i + TH_INDEX_BASE);

  THGuard arrays, common_size, block;
  THGuard_enter(&arrays, THFree);
  THGuard_enter(&common_size, (THUndo)THLongStorage_free);
  THGuard_enter(&block, THFree);
  int64_t **sizes = arrays.what = THAlloc(count * (ptrdiff_t)(sizeof *sizes + sizeof(int64_t)));
  int64_t *dims = (int64_t *)(sizes + count);
  for (int i = 0; i < count; i++) {
    sizes[i] = ops[i]->size;
    dims[i] = ops[i]->nDimension;
  }
  THLongStorage *common = common_size.what = THLongStorage_new();
  if (THLongStorage_inferSizeN(common, count, sizes, dims, problem, sizeof problem))
    THError("%s", problem);

  THShape *shapes = block.what = THAlloc(count * (ptrdiff_t)sizeof *shapes);
  for (int i = 0; i < count; i++) {
    THShape_openAs(&shapes[i], (int)common->size, common->data, NULL);
    for (int d = 0; d < common->size; d++) {
      const int from = d - (int)(common->size - ops[i]->nDimension);
      const int repeated = from < 0 || (ops[i]->size[from] == 1 && common->data[d] != 1);
      shapes[i].stride[d] = repeated ? 0 : ops[i]->stride[from];
    }
  }
  for (int i = count - 1; i >= 0; i--) /* guards are left in reverse order */
    THTensor_(takeView)(rets[i], ops[i], ops[i]->storageOffset, &shapes[i]);
  THGuard_leave(&block);
  THGuard_leave(&common_size);
  THGuard_leave(&arrays);
}
