/* SoftMax and LogSoftMax over any dimension. */
#include "THCUNN/layer/THCUNNDevice.h"

#include "THCUNN/layer/thcunn_kernels.h"

/* Forward (g is NULL): y from the input x.  Backward: the gradient y from the output x and its
 * gradient g. */
static void THNN_(softMax)(THCState *state, int logarithm, THCTensor *g, THCTensor *x, THCTensor *y,
                           int dim, int arg)
{
  THCUNN_enter(state, __func__);
  THCUNN_SAME_DEVICE(3, g, x, y);
  if (g && !THTensor_(isSameSizeAs)(g, x))
    THError("output and gradOutput have different shapes: output has %s, gradOutput has %s",
            THTensor_(sizeDesc)(x).str, THTensor_(sizeDesc)(g).str);
  THArgCheck(dim >= 0 && dim < x->nDimension, arg,
             "dimension %lld is out of range of a tensor of size %s",
             (long long)dim + TH_INDEX_BASE, THTensor_(sizeDesc)(x).str);
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < dim; d++)
    outer *= x->size[d];
  for (int d = dim + 1; d < x->nDimension; d++)
    inner *= x->size[d];

  THNN_(Call) call;
  THNN_(begin)(&call);
  x = THNN_(source)(&call, x);
  g = THNN_(source)(&call, g);
  y = THNN_(result)(&call, y, x->nDimension, x->size);
  THNN_(start)(&call);
  TH_CONCAT_2(THCUNN_softMax_, Real)(logarithm, g ? THTensor_(data)(g) : NULL, THTensor_(data)(x),
                                     THTensor_(data)(y), outer, x->size[dim], inner, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
}

void THNN_(SoftMax_updateOutput)(THCState *state, THCTensor *input, THCTensor *output, int dim)
{
  THNN_(softMax)(state, 0, NULL, input, output, dim, 4);
}

void THNN_(SoftMax_updateGradInput)(THCState *state, THCTensor *input, THCTensor *gradOutput,
                                    THCTensor *gradInput, THCTensor *output, int dim)
{
  THNN_(softMax)(state, 0, gradOutput, output, gradInput, dim, 6);
}

void THNN_(LogSoftMax_updateOutput)(THCState *state, THCTensor *input, THCTensor *output, int dim)
{
  THNN_(softMax)(state, 1, NULL, input, output, dim, 4);
}

void THNN_(LogSoftMax_updateGradInput)(THCState *state, THCTensor *input, THCTensor *gradOutput,
                                       THCTensor *gradInput, THCTensor *output, int dim)
{
  THNN_(softMax)(state, 1, gradOutput, output, gradInput, dim, 6);
}
