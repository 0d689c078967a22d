/* Masks: TH's template, compiled for the device; and nonzero. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorIndex.h"

#include "THC/core/THCCalls.h"

#include "TH/index/THTensorMask.c"

#define MASK THC_DEFINE_CALL
#include "THCIndexCalls.h"

/* Operand 0, without memory, is contiguous: so the walk keeps row-major order. */
static void THTensor_(openOrder)(THLoop *loop, THShape *order, THTensor *tensor)
{
  THShape_openAs(order, tensor->nDimension, tensor->size, NULL);
  THShape_setStrides(order, NULL);
  THLoop_init(loop);
  THLoop_operand(loop, NULL, 1, order->nDimension, order->size, order->stride);
  THLoop_tensor(loop, tensor);
}

void THCTensor_(nonzero)(THCState *state, THCudaLongTensor *subscript, THCTensor *tensor)
{
  THC_enter(state);
  THC_CHECK_TENSORS(2, subscript, tensor);
  const int dims = tensor->nDimension;
  THGuard guard, guardSize;
  tensor = THTensor_(copiedIf)(&guard, tensor,
                               THView_sharesStorage(TH_VIEW(subscript), TH_VIEW(tensor)));
  THLoop loop;
  THShape order, shape;
  THSelection selection = {0};
  THTensor_(openOrder)(&loop, &order, tensor);
  int64_t *size = THC_scratch(&guardSize, (size_t)(dims + 1) * sizeof *size);
  THCSelection_count(&selection, &loop, INDEX_KERNEL(TH_NONZERO_count));

  THShape_openAs(&shape, selection.total > 0 ? 2 : 0, (int64_t[]){selection.total, dims}, NULL);
  THShape_setStrides(&shape, NULL);
  THResult_check(TH_VIEW(subscript), &shape, 1);
  if (selection.total > 0)
    THCudaCheck(cudaMemcpyAsync(size, tensor->size, (size_t)dims * sizeof *size,
                                cudaMemcpyHostToDevice, THCState_getCurrentStream(state)));
  THLongTensor_resizeResult(subscript, &shape);
  if (selection.total > 0) {
    selection.selecting.dims = dims;
    selection.selecting.size = size;
    selection.data = THLongTensor_data(subscript);
    selection.jump = subscript->stride[0];
    selection.step = subscript->stride[1];
    THCSelection_run(&selection, &loop, INDEX_KERNEL(TH_NONZERO_list));
  }
  THShape_close(&shape);
  THCSelection_close(&selection);
  THGuard_leave(&guardSize);
  THShape_close(&order);
  THGuard_leave(&guard);
}
