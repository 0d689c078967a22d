/* SpatialCrossMapLRN: each element divided by a power of the mean square of its neighbours in other
 * planes. */
#include "THCUNN/layer/THCUNNDevice.h"

static THCUNNCrossMap THNN_(crossMap)(THCTensor *input, int arg, int size, accreal alpha,
                                      accreal beta, accreal k)
{
  const int dims = input->nDimension, batched = dims == 4;
  THArgCheck(dims == 3 || batched, 2,
             "input has size %s, and has to be planes x height x width, or a batch of that",
             THTensor_(sizeDesc)(input).str);
  THArgCheck(size > 0, arg, "size is %d, and has to be at least 1", size);
  return (THCUNNCrossMap){.batch = batched ? input->size[0] : 1,
                          .planes = input->size[batched],
                          .inner = input->size[dims - 2] * input->size[dims - 1],
                          .size = size,
                          .alpha = alpha,
                          .beta = beta,
                          .k = k};
}

void THNN_(SpatialCrossMapLRN_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                            THCTensor *scale, int size, accreal alpha, accreal beta,
                                            accreal k)
{
  THNN_ENTER(state, input, output, scale);
  THCUNNCrossMap c = THNN_(crossMap)(input, 5, size, alpha, beta, k);
  THNN_(Call) call;
  THNN_(begin)(&call);
  THCTensor *x = THNN_(source)(&call, input);
  THCTensor *y = THNN_(result)(&call, output, x->nDimension, x->size);
  THCTensor *s = THNN_(result)(&call, scale, x->nDimension, x->size);
  THNN_(start)(&call);
  c.x = THTensor_(data)(x);
  c.y = THTensor_(data)(y);
  c.scale = THTensor_(data)(s);
  TH_CONCAT_2(THCUNN_crossMap_, Real)(&c, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
}

void THNN_(SpatialCrossMapLRN_updateGradInput)(THCState *state, THCTensor *input,
                                               THCTensor *gradOutput, THCTensor *gradInput,
                                               THCTensor *scale, THCTensor *output, int size,
                                               accreal alpha, accreal beta, accreal k)
{
  THNN_ENTER(state, input, gradOutput, gradInput, scale, output);
  THCUNNCrossMap c = THNN_(crossMap)(input, 7, size, alpha, beta, k);
  THNN_CHECK_SHAPE(input, gradOutput);
  THNN_CHECK_SHAPE(input, scale);
  THNN_CHECK_SHAPE(input, output);
  THNN_(Call) call;
  THNN_(begin)(&call);
  THCTensor *x = THNN_(source)(&call, input), *g = THNN_(source)(&call, gradOutput);
  THCTensor *s = THNN_(source)(&call, scale), *y = THNN_(source)(&call, output);
  THCTensor *d = THNN_(result)(&call, gradInput, x->nDimension, x->size);
  THNN_(start)(&call);
  c.x = THTensor_(data)(x);
  c.g = THTensor_(data)(g);
  c.scale = THTensor_(data)(s);
  c.y = THTensor_(data)(y);
  c.dx = THTensor_(data)(d);
  TH_CONCAT_2(THCUNN_crossMapBackward_, Real)(&c, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
}
