/* Masks, and subscripts of nonzero elements. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THIndex.h"
#include "TH/tensor/THTensorCore.h"

#ifdef TH_TEMPLATE_DEVICE
#include "THC/index/THCIndexRun.h"
#else
TH_DISPATCH(THKernel, THTensor_(TH_MASK_fill))
TH_DISPATCH(THKernel, THTensor_(TH_MASK_select))
TH_DISPATCH(THKernel, THTensor_(TH_MASK_copy))
TH_DISPATCH(THKernel, THTensor_(TH_NONZERO_count))
TH_DISPATCH(THKernel, THTensor_(TH_NONZERO_list))
#endif

static void THTensor_(checkMaskCount)(THTensor *t, const char *name, THByteTensor *mask, int arg)
{
  const ptrdiff_t n = THTensor_(nElement)(t), nmask = THByteTensor_nElement(mask);
  THArgCheck(n == nmask, arg, "mask has %td elements (%s), %s has %td (%s)", nmask,
             THByteTensor_sizeDesc(mask).str, name, n, THTensor_(sizeDesc)(t).str);
}

/* --- the steps with elements ----------------------------------------------------------------- */

#ifdef TH_TEMPLATE_DEVICE

/* Returns mask, or a contiguous copy. */
static THByteTensor *THTensor_(openMask)(THGuard *guard, THByteTensor *mask, int copies)
{
  return THByteTensor_copiedIf(guard, mask, copies || !THByteTensor_isContiguous(mask));
}

/* Prepares operand i of the loop for being changed. */
static void THTensor_(orderChanged)(THLoop *loop, int i, const THTensor *tensor)
{
  THView_checkWritable(TH_VIEW(tensor), 1);
}

static void THTensor_(runFill)(THTensor *tensor, THByteTensor *mask, real value)
{
  THCIndexed work = {0};
  memcpy(&work.value, &value, sizeof value);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  THLoop_tensor(&loop, mask);
  THTensor_(orderChanged)(&loop, 0, tensor);
  THC_runIndices(&loop, INDEX_KERNEL(TH_MASK_fill), &work);
}

static void THTensor_(runSelection)(THLoop *loop, IndexKernel kernel, THSelection *selection)
{
  THCSelection_run(selection, loop, kernel);
}

#else

#define THSelection_countMaskUpTo(SELECTION, LOOP, MASK, ARG, MOST) \
  THSelection_countMask(SELECTION, LOOP, MASK, ARG)

static THByteTensor *THTensor_(openMask)(THGuard *guard, THByteTensor *mask, int copies)
{
  return THByteTensor_copiedIf(guard, mask, copies);
}

static void THTensor_(orderChanged)(THLoop *loop, int i, const THTensor *tensor)
{
  THLoop_order(loop, i);
}

static void THTensor_(runFill)(THTensor *tensor, THByteTensor *mask, real value)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  THLoop_tensor(&loop, mask);
  THTensor_(orderChanged)(&loop, 0, tensor);
  THLoop_run(&loop, INDEX_KERNEL(TH_MASK_fill), &value);
}

static void THTensor_(runSelection)(THLoop *loop, IndexKernel kernel, THSelection *selection)
{
  THLoop_run(loop, kernel, selection);
}

#endif

/* --- masks ------------------------------------------------------------------------------------ */

void THTensor_(maskedFill)(THTensor *tensor, THByteTensor *mask, real value)
{
  THTensor_(checkMaskCount)(tensor, "tensor", mask, 2);
  THIndex_checkMask(mask, 2);
  THGuard guard;
  mask = THTensor_(openMask)(&guard, mask,
                             THView_overlap(TH_VIEW(tensor), TH_VIEW(mask)) == TH_OVERLAP_MIXED);
  THTensor_(runFill)(tensor, mask, value);
  THGuard_leave(&guard);
}

void THTensor_(maskedCopy)(THTensor *tensor, THByteTensor *mask, THTensor *src)
{
  THTensor_(checkMaskCount)(tensor, "tensor", mask, 2);
  THGuard guardMask, guard, contiguous;
  mask = THTensor_(openMask)(&guardMask, mask,
                             THView_overlap(TH_VIEW(tensor), TH_VIEW(mask)) != TH_OVERLAP_NONE);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, mask);
  THLoop_tensor(&loop, tensor);
  THTensor_(orderChanged)(&loop, 1, tensor);
  THSelection selection = {0};
  THSelection_countMaskUpTo(&selection, &loop, mask, 2, THTensor_(nElement)(src));
  THArgCheck(selection.total <= THTensor_(nElement)(src), 3,
             "src has %td elements (%s), mask has %td ones", THTensor_(nElement)(src),
             THTensor_(sizeDesc)(src).str, selection.total);

  src = THTensor_(copiedIf)(&guard, src,
                            THView_overlap(TH_VIEW(tensor), TH_VIEW(src)) != TH_OVERLAP_NONE);
  THTensor_(guard)(&contiguous);
  if (selection.total != 0) { /* a device does not wait for it */
    src = contiguous.what = THTensor_(newContiguous)(src);
    selection.data = (char *)THTensor_(data)(src);
    THTensor_(runSelection)(&loop, INDEX_KERNEL(TH_MASK_copy), &selection);
  }
  THGuard_leave(&contiguous);
  THGuard_leave(&guard);
  THSelection_close(&selection);
  THGuard_leave(&guardMask);
}

void THTensor_(maskedSelect)(THTensor *tensor, THTensor *src, THByteTensor *mask)
{
  THTensor_(checkMaskCount)(src, "src", mask, 3);
  THGuard guardMask, guard;
  mask =
      THTensor_(openMask)(&guardMask, mask, THView_sharesStorage(TH_VIEW(tensor), TH_VIEW(mask)));
  src = THTensor_(copiedIf)(&guard, src, THView_sharesStorage(TH_VIEW(tensor), TH_VIEW(src)));
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, mask);
  THLoop_tensor(&loop, src);
  THSelection selection = {0};
  THSelection_countMask(&selection, &loop, mask, 3);

  THShape shape;
  THShape_openAs(&shape, selection.total > 0, (int64_t[]){selection.total}, (int64_t[]){1});
  THStandIn standIn;
  tensor = THTensor_(openStandIn)(&standIn, tensor, &shape, -1, 1);
  THTensor_(resizeResult)(tensor, &shape);
  if (selection.total > 0) {
    selection.data = (char *)THTensor_(data)(tensor);
    selection.step = tensor->stride[0];
    THTensor_(runSelection)(&loop, INDEX_KERNEL(TH_MASK_select), &selection);
  }
  THTensor_(closeStandIn)(&standIn);
  THShape_close(&shape);
  THSelection_close(&selection);
  THGuard_leave(&guard);
  THGuard_leave(&guardMask);
}

#ifndef TH_TEMPLATE_DEVICE

/* Dimensions of size 1 are filled in here: their subscripts are all the same. */
static void list_ones(THLongTensor *subscript, const int64_t *size, int dims)
{
  for (int d = 0; d < dims; d++)
    if (size[d] == 1)
      for (int64_t k = 0; k < subscript->size[0]; k++)
        THTensor_fastSet2d(subscript, k, d, 0);
}

void THTensor_(nonzero)(THLongTensor *subscript, THTensor *tensor)
{
  THGuard guard;
  tensor = THTensor_(copiedIf)(&guard, tensor,
                               THView_sharesStorage(TH_VIEW(subscript), TH_VIEW(tensor)));
  int64_t size[TH_LOOP_DIMS] = {1}, to[TH_LOOP_DIMS] = {0};
  THSelection selection = {.size = size, .to = to, .first = THTensor_(data)(tensor)};
  if (THTensor_(isContiguous)(tensor))
    selection.words = (THTensor_(nElement)(tensor) + 63) / 64;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  THSelection_count(&selection, &loop, INDEX_KERNEL(TH_NONZERO_count));

  THShape shape;
  THShape_openAs(&shape, selection.total > 0 ? 2 : 0,
                 (int64_t[]){selection.total, tensor->nDimension}, NULL);
  THShape_setStrides(&shape, NULL);
  THStandIn standIn;
  subscript = THLongTensor_openStandIn(&standIn, subscript, &shape, -1, 1);
  THLongTensor_resizeResult(subscript, &shape);
  if (selection.total > 0) {
    for (int d = tensor->nDimension - 1; d >= 0; d--)
      if (tensor->size[d] > 1) {
        size[selection.dims] = tensor->size[d];
        to[selection.dims++] = d;
      }
    selection.dims = THMax(1, selection.dims);
    selection.data = (char *)THLongTensor_data(subscript);
    selection.rowStride = subscript->stride[0];
    selection.step = subscript->stride[1];
    THLoop_run(&loop, INDEX_KERNEL(TH_NONZERO_list), &selection);
    list_ones(subscript, tensor->size, tensor->nDimension);
  }
  THLongTensor_closeStandIn(&standIn);
  THShape_close(&shape);
  THSelection_close(&selection);
  THGuard_leave(&guard);
}

#endif
