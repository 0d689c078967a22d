/* Selecting, gathering and scattering along a dimension. */
#include "THTemplate.h"
#include "THKernel.h"

#include "TH/core/THCpu.h"
#include "THIndex.h"
#include "TH/tensor/THTensorCore.h"

#ifdef TH_TEMPLATE_DEVICE
#include "THC/index/THCIndexRun.h"
#else
TH_DISPATCH(THKernel, THTensor_(TH_INDEX_gather))
TH_DISPATCH(THKernel, THTensor_(TH_INDEX_copy))
TH_DISPATCH(THKernel, THTensor_(TH_INDEX_add))
TH_DISPATCH(THKernel, THTensor_(TH_INDEX_fill))
#endif

/* --- operands of one shape ------------------------------------------------------------------- */

/* The indexed tensor with stride 0 along dim, and the indices with their strides. */
typedef struct {
  THShape shape, indices;
  THLongTensor *index;
  int dim;
} Layout;

static void THTensor_(openLayout)(Layout *layout, THTensor *indexed, int dim, THLongTensor *index,
                                  const int64_t *size)
{
  layout->index = index;
  layout->dim = dim;
  THShape_openAs(&layout->shape, indexed->nDimension, size, indexed->stride);
  layout->shape.stride[dim] = 0;
  THShape_openAs(&layout->indices, indexed->nDimension, size, NULL);
}

/* An index for each slice. */
static void THTensor_(openSlices)(Layout *layout, THTensor *indexed, int dim, THLongTensor *index)
{
  THTensor_(openLayout)(layout, indexed, dim, index, indexed->size);
  layout->shape.size[dim] = layout->indices.size[dim] = THLongTensor_nElement(index);
  for (int d = 0; d < indexed->nDimension; d++)
    layout->indices.stride[d] = 0;
  if (index->nDimension)
    layout->indices.stride[dim] = index->stride[0];
}

/* An index for each element. */
static void THTensor_(openElements)(Layout *layout, THTensor *indexed, int dim, THLongTensor *index)
{
  THTensor_(openLayout)(layout, indexed, dim, index, index->size);
  for (int d = 0; d < indexed->nDimension; d++)
    layout->indices.stride[d] = index->stride[d];
}

static void close_layout(Layout *layout)
{
  THShape_close(&layout->indices);
  THShape_close(&layout->shape);
}

#ifdef TH_TEMPLATE_DEVICE

static void THTensor_(addLayout)(THLoop *loop, const Layout *layout, real *data,
                                 const int64_t *stride)
{
  THLoop_operand(loop, data, sizeof(real), layout->shape.nDimension, layout->shape.size, stride);
}

static void THTensor_(addIndices)(THLoop *loop, const Layout *layout)
{
  THLoop_operand(loop, THLongTensor_data(layout->index), sizeof(int64_t), layout->shape.nDimension,
                 layout->shape.size, layout->indices.stride);
}

static void THTensor_(runGather)(THTensor *r, const Layout *layout, THTensor *src)
{
  const THCIndexed work = {.stride = src->stride[layout->dim], .size = src->size[layout->dim]};
  THLoop loop;
  THLoop_init(&loop);
  THTensor_(addLayout)(&loop, layout, THTensor_(data)(r), r->stride);
  THTensor_(addIndices)(&loop, layout);
  THTensor_(addLayout)(&loop, layout, THTensor_(data)(src), layout->shape.stride);
  THC_runIndices(&loop, INDEX_KERNEL(TH_INDEX_gather), &work);
}

static void THTensor_(checkChanged)(const THTensor *tensor)
{
  THView_checkWritable(TH_VIEW(tensor), 1);
}

static void THTensor_(runScatter)(IndexKernel kernel, THTensor *tensor, const Layout *layout,
                                  THTensor *src, const int64_t *srcStride, real value)
{
  THCIndexed work = {.stride = tensor->stride[layout->dim], .size = tensor->size[layout->dim]};
  memcpy(&work.value, &value, sizeof value);
  THLoop loop;
  THLoop_init(&loop);
  THTensor_(addLayout)(&loop, layout, THTensor_(data)(tensor), layout->shape.stride);
  THTensor_(addIndices)(&loop, layout);
  if (src)
    THTensor_(addLayout)(&loop, layout, THTensor_(data)(src), srcStride);
  THC_runIndices(&loop, kernel, &work);
}

#else

/* Gathers elements of src by the indices to r, which has the shape of the layout. */
static void THTensor_(runGather)(THTensor *r, const Layout *layout, THTensor *src)
{
  const THShape *shape = &layout->shape;
  const ptrdiff_t stride = src->stride[layout->dim];
  const double reach = (double)src->size[layout->dim] * (double)stride * sizeof(real);
  const THIndexed work = {.stride = stride, .far = reach > (double)THCpu_l2Cache()};
  THLoop loop;
  THLoop_init(&loop);
  loop.grain = TH_LOOP_GRAIN / 4;
  THLoop_operand(&loop, THTensor_(data)(r), sizeof(real), shape->nDimension, shape->size,
                 r->stride);
  THLoop_operand(&loop, THLongTensor_data(layout->index), sizeof(int64_t), shape->nDimension,
                 shape->size, layout->indices.stride);
  THLoop_operand(&loop, THTensor_(data)(src), sizeof(real), shape->nDimension, shape->size,
                 shape->stride);
  THLoop_run(&loop, INDEX_KERNEL(TH_INDEX_gather), &work);
}

static void THTensor_(checkChanged)(const THTensor *tensor)
{
}

/* Scatters the elements of src, or value, to the elements of tensor given by the indices. */
static void THTensor_(runScatter)(IndexKernel kernel, THTensor *tensor, const Layout *layout,
                                  THTensor *src, const int64_t *srcStride, real value)
{
  const THShape *shape = &layout->shape;
  for (int d = 0; d < shape->nDimension; d++)
    if (shape->size[d] == 0)
      return;
  const THIndexed work = {.stride = tensor->stride[layout->dim], .value = &value};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  if (THLoop_order(&loop, 0)) { /* in the order of the indices */
    loop.operands = 0;
    THLoop_operand(&loop, THTensor_(data)(tensor), sizeof(real), shape->nDimension, shape->size,
                   shape->stride);
    THLoop_operand(&loop, THLongTensor_data(layout->index), sizeof(int64_t), shape->nDimension,
                   shape->size, layout->indices.stride);
    if (src)
      THLoop_operand(&loop, THTensor_(data)(src), sizeof(real), shape->nDimension, shape->size,
                     srcStride);
    THLoop_run(&loop, kernel, &work);
    return;
  }
  THLines lines;
  THLines_init(&lines, shape->nDimension, shape->size, layout->dim);
  THLines_operand(&lines, shape->stride, 0);
  THLines_operand(&lines, layout->indices.stride, 0);
  if (src)
    THLines_operand(&lines, srcStride, 0);
  THLines_merge(&lines);
  char *const data[] = {(char *)THTensor_(data)(tensor), (char *)THLongTensor_data(layout->index),
                        src ? (char *)THTensor_(data)(src) : NULL};
  static const size_t itemSize[] = {sizeof(real), sizeof(int64_t), sizeof(real)};
  const int across = lines.size[0] > 1 && lines.stride[0][0] < work.stride;
  THLines_run(&lines, data, itemSize, across, kernel, &work);
}

#endif

/* --- slices ---------------------------------------------------------------------------------- */

static void THTensor_(checkSlices)(THTensor *indexed, int dim, int dimArg, THLongTensor *index,
                                   int indexArg)
{
  THTensor_(checkAlong)(indexed, dim, dimArg);
  THArgCheck(index->nDimension <= 1, indexArg, "index of size %s is no vector",
             THLongTensor_sizeDesc(index).str);
  THIndex_check(index, indexArg, dim, indexed->size[dim]);
}

void THTensor_(indexSelect)(THTensor *tensor, THTensor *src, int dim, THLongTensor *index)
{
  THTensor_(checkSlices)(src, dim, 3, index, 4);
  THShape shape;
  THShape_openAs(&shape, src->nDimension, src->size, NULL);
  shape.size[dim] = THLongTensor_nElement(index);
  THShape_setStrides(&shape, NULL);
  THStandIn standIn;
  tensor = THTensor_(openStandIn)(&standIn, tensor, &shape, -1, 1);
  const THView result = TH_VIEW(tensor);

  THGuard guard, guardIndex;
  src = THTensor_(copiedIf)(&guard, src,
                            THResult_overlap(result, &shape, TH_VIEW(src)) != TH_OVERLAP_NONE);
  index =
      THLongTensor_copiedIf(&guardIndex, index,
                            THResult_overlap(result, &shape, TH_VIEW(index)) != TH_OVERLAP_NONE);
  Layout layout;
  THTensor_(openSlices)(&layout, src, dim, index);
  THTensor_(resizeResult)(tensor, &shape);
  THTensor_(runGather)(tensor, &layout, src);
  close_layout(&layout);
  THGuard_leave(&guardIndex);
  THGuard_leave(&guard);
  THTensor_(closeStandIn)(&standIn);
  THShape_close(&shape);
}

/* Slices of src, which have another shape, as slices of tensor: a copy; stride becomes its strides
 * along the dimensions of tensor. */
static THTensor *THTensor_(reshapeSlices)(THGuard *guard, THTensor *src, int dim, THTensor *tensor,
                                          int64_t *stride)
{
  THGuard view;
  THTensor_(guard)(guard);
  THTensor_(guard)(&view);
  THTensor *rows = view.what = THTensor_(newWithTensor)(src);
  for (int d = dim; d > 0; d--)
    THTensor_(transpose)(rows, NULL, d - 1, d);
  rows = guard->what = THTensor_(newClone)(rows);
  THGuard_leave(&view);

  int64_t step = 1;
  for (int d = tensor->nDimension - 1; d >= 0; d--)
    if (d != dim) {
      stride[d] = step;
      step *= tensor->size[d];
    }
  stride[dim] = step;
  return rows;
}

static int THTensor_(slicesAgree)(const THTensor *tensor, const THTensor *src, int dim)
{
  if (tensor->nDimension != src->nDimension)
    return 0;
  for (int d = 0; d < src->nDimension; d++)
    if (d != dim && tensor->size[d] != src->size[d])
      return 0;
  return 1;
}

static ptrdiff_t THTensor_(sliceCount)(const THTensor *t, int dim)
{
  ptrdiff_t count = 1;
  for (int d = 0; d < t->nDimension; d++)
    if (d != dim)
      count *= t->size[d];
  return count;
}

/* indexCopy and indexAdd. */
static void THTensor_(changeSlices)(IndexKernel kernel, THTensor *tensor, int dim,
                                    THLongTensor *index, THTensor *src)
{
  THTensor_(checkSlices)(tensor, dim, 2, index, 3);
  const ptrdiff_t n = THLongTensor_nElement(index);
  THTensor_(checkChanged)(tensor);
  if (n == 0 && THTensor_(nElement)(src) == 0)
    return;
  THArgCheck(dim < src->nDimension && src->size[dim] == n, 4,
             "src of size %s does not have %td slices along dimension %d, as many as index",
             THTensor_(sizeDesc)(src).str, n, dim + TH_INDEX_BASE);
  THArgCheck(THTensor_(sliceCount)(src, dim) == THTensor_(sliceCount)(tensor, dim), 4,
             "slices of src of size %s along dimension %d have %td elements, those of tensor of "
             "size %s have %td",
             THTensor_(sizeDesc)(src).str, dim + TH_INDEX_BASE, THTensor_(sliceCount)(src, dim),
             THTensor_(sizeDesc)(tensor).str, THTensor_(sliceCount)(tensor, dim));

  THGuard guard, guardIndex;
  Layout layout;
  THShape strides;
  index = THLongTensor_copiedIf(&guardIndex, index,
                                THView_overlap(TH_VIEW(tensor), TH_VIEW(index)) != TH_OVERLAP_NONE);
  THTensor_(openSlices)(&layout, tensor, dim, index);
  THShape_openAs(&strides, tensor->nDimension, tensor->size, NULL);
  if (THTensor_(slicesAgree)(tensor, src, dim)) {
    src = THTensor_(copiedIf)(&guard, src,
                              THView_overlap(TH_VIEW(tensor), TH_VIEW(src)) != TH_OVERLAP_NONE);
    memcpy(strides.stride, src->stride, (size_t)src->nDimension * sizeof *src->stride);
  } else {
    src = THTensor_(reshapeSlices)(&guard, src, dim, tensor, strides.stride);
  }
  THTensor_(runScatter)(kernel, tensor, &layout, src, strides.stride,
                        TH_CONVERT_ACCREAL_TO_REAL(0));
  THGuard_leave(&guard);
  THShape_close(&strides);
  close_layout(&layout);
  THGuard_leave(&guardIndex);
}

void THTensor_(indexCopy)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src)
{
  THTensor_(changeSlices)(INDEX_KERNEL(TH_INDEX_copy), tensor, dim, index, src);
}

void THTensor_(indexAdd)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src)
{
  THTensor_(changeSlices)(INDEX_KERNEL(TH_INDEX_add), tensor, dim, index, src);
}

void THTensor_(indexFill)(THTensor *tensor, int dim, THLongTensor *index, real val)
{
  THTensor_(checkSlices)(tensor, dim, 2, index, 3);
  THTensor_(checkChanged)(tensor);
  THGuard guardIndex;
  Layout layout;
  index = THLongTensor_copiedIf(&guardIndex, index,
                                THView_overlap(TH_VIEW(tensor), TH_VIEW(index)) != TH_OVERLAP_NONE);
  THTensor_(openSlices)(&layout, tensor, dim, index);
  THTensor_(runScatter)(INDEX_KERNEL(TH_INDEX_fill), tensor, &layout, NULL, NULL, val);
  close_layout(&layout);
  THGuard_leave(&guardIndex);
}

/* --- elements -------------------------------------------------------------------------------- */

/* index has as many dimensions as t and is no larger, but along the dimension except (or -1). */
static void THTensor_(checkFits)(THLongTensor *index, int indexArg, const THTensor *t,
                                 const char *name, int except)
{
  int fits = index->nDimension == t->nDimension;
  for (int d = 0; fits && d < t->nDimension; d++)
    fits = d == except || index->size[d] <= t->size[d];
  if (!fits && except >= 0)
    THArgError(indexArg, "index of size %s does not fit %s of size %s (dimension %d apart)",
               THLongTensor_sizeDesc(index).str, name, THTensor_(sizeDesc)(t).str,
               except + TH_INDEX_BASE);
  THArgCheck(fits, indexArg, "index of size %s does not fit %s of size %s",
             THLongTensor_sizeDesc(index).str, name, THTensor_(sizeDesc)(t).str);
}

void THTensor_(gather)(THTensor *tensor, THTensor *src, int dim, THLongTensor *index)
{
  THTensor_(checkAlong)(src, dim, 3);
  const int any = THLongTensor_nElement(index) > 0;
  if (any) {
    THTensor_(checkFits)(index, 4, src, "src", dim);
    THIndex_check(index, 4, dim, src->size[dim]);
  }
  THShape shape;
  THShape_openAs(&shape, index->nDimension, index->size, NULL);
  THShape_setStrides(&shape, NULL);
  THStandIn standIn;
  tensor = THTensor_(openStandIn)(&standIn, tensor, &shape, -1, 1);
  const THView result = TH_VIEW(tensor);

  THGuard guard, guardIndex;
  Layout layout;
  src =
      THTensor_(copiedIf)(&guard, src,
                          any && THResult_overlap(result, &shape, TH_VIEW(src)) != TH_OVERLAP_NONE);
  index =
      THLongTensor_copiedIf(&guardIndex, index,
                            THResult_overlap(result, &shape, TH_VIEW(index)) != TH_OVERLAP_NONE);
  if (any)
    THTensor_(openElements)(&layout, src, dim, index);
  THTensor_(resizeResult)(tensor, &shape);
  if (any) {
    THTensor_(runGather)(tensor, &layout, src);
    close_layout(&layout);
  }
  THGuard_leave(&guardIndex);
  THGuard_leave(&guard);
  THTensor_(closeStandIn)(&standIn);
  THShape_close(&shape);
}

/* scatter, scatterAdd, and, without src, scatterFill. */
static void THTensor_(changeElements)(IndexKernel kernel, THTensor *tensor, int dim,
                                      THLongTensor *index, THTensor *src, real value)
{
  THTensor_(checkAlong)(tensor, dim, 2);
  THTensor_(checkChanged)(tensor);
  if (THLongTensor_nElement(index) == 0)
    return;
  THTensor_(checkFits)(index, 3, tensor, "tensor", dim);
  if (src)
    THTensor_(checkFits)(index, 3, src, "src", -1);
  THIndex_check(index, 3, dim, tensor->size[dim]);

  THGuard guard, guardIndex;
  Layout layout;
  index = THLongTensor_copiedIf(&guardIndex, index,
                                THView_overlap(TH_VIEW(tensor), TH_VIEW(index)) != TH_OVERLAP_NONE);
  THTensor_(guard)(&guard);
  if (src && THView_overlap(TH_VIEW(tensor), TH_VIEW(src)) != TH_OVERLAP_NONE)
    src = guard.what = THTensor_(newClone)(src);
  THTensor_(openElements)(&layout, tensor, dim, index);
  THTensor_(runScatter)(kernel, tensor, &layout, src, src ? src->stride : NULL, value);
  close_layout(&layout);
  THGuard_leave(&guard);
  THGuard_leave(&guardIndex);
}

void THTensor_(scatter)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src)
{
  THTensor_(changeElements)(INDEX_KERNEL(TH_INDEX_copy), tensor, dim, index, src,
                            TH_CONVERT_ACCREAL_TO_REAL(0));
}

void THTensor_(scatterAdd)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src)
{
  THTensor_(changeElements)(INDEX_KERNEL(TH_INDEX_add), tensor, dim, index, src,
                            TH_CONVERT_ACCREAL_TO_REAL(0));
}

void THTensor_(scatterFill)(THTensor *tensor, int dim, THLongTensor *index, real val)
{
  THTensor_(changeElements)(INDEX_KERNEL(TH_INDEX_fill), tensor, dim, index, NULL, val);
}
