/* Max pooling.  The backward pass ignores indices that are outside of their window: only indices
 * that the caller made can be. */
#include "THCUNN/layer/THCUNNDevice.h"

#include "THCUNN/layer/thcunn_kernels.h"

static THCUNNWindows THNN_(windowsOf)(const THNNWindow *axis)
{
  THCUNNWindows w;
  for (int a = 0; a < 2; a++) {
    const THNNWindow *from = &axis[a + 1];
    w.input[a] = from->input;
    w.output[a] = from->output;
    w.size[a] = from->size;
    w.step[a] = from->step;
    w.pad[a] = from->pad;
    w.dilation[a] = from->dilation;
  }
  return w;
}

#define AXES                                                          \
  {THNNWindow_of(1, 1, 0, 1), THNNWindow_of(kH, dH, padH, dilationH), \
   THNNWindow_of(kW, dW, padW, dilationW)}

void THNN_(SpatialDilatedMaxPooling_updateOutput)(THCState *state, THCTensor *input,
                                                  THCTensor *output, THCIndexTensor *indices,
                                                  int kW, int kH, int dW, int dH, int padW,
                                                  int padH, int dilationW, int dilationH,
                                                  bool ceil_mode)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(3, input, output, indices);
  THNNPlanes p = THNN_(imagePlanes)(input, 2);
  THNNWindow axis[] = AXES;
  THNNPlanes_slide(&p, axis, ceil_mode);
  const THCUNNWindows w = THNN_(windowsOf)(axis);

  THNN_CudaLongCall indexCall;
  THNN_(Call) call;
  THNN_CudaLongbegin(&indexCall);
  THCIndexTensor *index = THNN_CudaLongresult(&indexCall, indices, p.dims, p.outSize);
  THNN_(beginPart)(&call, indexCall.memory);
  input = THNN_(source)(&call, input);
  THCTensor *out = THNN_(result)(&call, output, p.dims, p.outSize);
  THNN_(ready)(&call);
  THNN_CudaLongready(&indexCall);
  THNN_(start)(&call);
  THNN_CudaLongstart(&indexCall);
  TH_CONCAT_2(THCUNN_maxPool_, Real)(&w, p.count, THTensor_(data)(input), THTensor_(data)(out),
                                     THIndexTensor_(data)(index), TH_INDEX_BASE, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THNN_CudaLongfinish(&indexCall);
}

void THNN_(SpatialDilatedMaxPooling_updateGradInput)(THCState *state, THCTensor *input,
                                                     THCTensor *gradOutput, THCTensor *gradInput,
                                                     THCIndexTensor *indices, int kW, int kH,
                                                     int dW, int dH, int padW, int padH,
                                                     int dilationW, int dilationH, bool ceil_mode)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(4, input, gradOutput, gradInput, indices);
  THNNPlanes p = THNN_(imagePlanes)(input, 2);
  THNNWindow axis[] = AXES;
  THNNPlanes_slide(&p, axis, ceil_mode);
  const THCUNNWindows w = THNN_(windowsOf)(axis);
  THNN_(checkGradOutput)(&p, gradOutput);
  if (!THSize_isSameSizeAs(indices->size, indices->nDimension, p.outSize, p.dims))
    THError("gradOutput and indices have different shapes: gradOutput has %s, indices has %s",
            THTensor_(sizeDesc)(gradOutput).str, THIndexTensor_(sizeDesc)(indices).str);

  THNN_CudaLongCall indexCall;
  THNN_(Call) call;
  THNN_CudaLongbegin(&indexCall);
  indices = THNN_CudaLongsource(&indexCall, indices);
  THNN_(beginPart)(&call, indexCall.memory);
  gradOutput = THNN_(source)(&call, gradOutput);
  THCTensor *grad = THNN_(result)(&call, gradInput, p.dims, p.inSize);
  THNN_(start)(&call);
  THNN_CudaLongstart(&indexCall);
  TH_CONCAT_2(THCUNN_maxPoolBackward_, Real)(&w, p.count, THTensor_(data)(gradOutput),
                                             THIndexTensor_(data)(indices), THTensor_(data)(grad),
                                             TH_INDEX_BASE, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THNN_CudaLongfinish(&indexCall);
}

void THNN_(SpatialMaxPooling_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                           THCIndexTensor *indices, int kW, int kH, int dW, int dH,
                                           int padW, int padH, bool ceil_mode)
{
  THNN_(SpatialDilatedMaxPooling_updateOutput)(state, input, output, indices, kW, kH, dW, dH, padW,
                                               padH, 1, 1, ceil_mode);
}

void THNN_(SpatialMaxPooling_updateGradInput)(THCState *state, THCTensor *input,
                                              THCTensor *gradOutput, THCTensor *gradInput,
                                              THCIndexTensor *indices, int kW, int kH, int dW,
                                              int dH, int padW, int padH, bool ceil_mode)
{
  THNN_(SpatialDilatedMaxPooling_updateGradInput)(state, input, gradOutput, gradInput, indices, kW,
                                                  kH, dW, dH, padW, padH, 1, 1, ceil_mode);
}
