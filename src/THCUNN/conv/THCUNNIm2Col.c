/* Im2Col and Col2Im: THNN's template, compiled for the device, and their kernels. */
#define TH_TEMPLATE_DEVICE "THCUNN/layer/THCUNNDevice.h"
#include "THCUNN/layer/THCUNNDevice.h"

#include "THCUNN/layer/thcunn_kernels.h"

#include "THNN/conv/gemm/Im2Col.c"

static void THNN_(eachPlane)(THNN_(Columns) * w, THCTensor *image, THCTensor *columns)
{
  THCUNNWindows windows;
  for (int a = 0; a < 2; a++) {
    const THNNWindow *from = &w->at[a + 1];
    windows.input[a] = from->input;
    windows.output[a] = from->output;
    windows.size[a] = from->size;
    windows.step[a] = from->step;
    windows.pad[a] = from->pad;
    windows.dilation[a] = from->dilation;
  }
  const int64_t planes = w->batch * w->planes;
  if (w->fold)
    TH_CONCAT_2(THCUNN_col2im_, Real)(&windows, planes, THTensor_(data)(columns),
                                      THTensor_(data)(image), THCUNN_STREAM);
  else
    TH_CONCAT_2(THCUNN_im2col_, Real)(&windows, planes, THTensor_(data)(image),
                                      THTensor_(data)(columns), THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

#define LAYER THNNLayer_spatial(kW, kH, sW, sH, padW, padH, dW, dH)

void THNN_(Im2Col_updateOutput)(THCState *state, THCTensor *input, THCTensor *output, int kH,
                                int kW, int dH, int dW, int padH, int padW, int sH, int sW)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(2, input, output);
  const THNNLayer layer = LAYER;
  THNN_(imagesToColumns)(THNN_(columnsOfImages)(input, &layer), input, output);
}

void THNN_(Im2Col_updateGradInput)(THCState *state, THCTensor *gradOutput, THCTensor *gradInput,
                                   int inputHeight, int inputWidth, int kH, int kW, int dH, int dW,
                                   int padH, int padW, int sH, int sW)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(2, gradOutput, gradInput);
  const THNNLayer layer = LAYER;
  THNN_(columnsToImages)(THNN_(columnsOfColumns)(gradOutput, inputHeight, inputWidth, &layer,
                                                 "gradOutput"),
                         gradOutput, gradInput);
}

void THNN_(Col2Im_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                int outputHeight, int outputWidth, int kH, int kW, int dH, int dW,
                                int padH, int padW, int sH, int sW)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(2, input, output);
  const THNNLayer layer = LAYER;
  THNN_(columnsToImages)(THNN_(columnsOfColumns)(input, outputHeight, outputWidth, &layer, "input"),
                         input, output);
}

void THNN_(Col2Im_updateGradInput)(THCState *state, THCTensor *gradOutput, THCTensor *gradInput,
                                   int kH, int kW, int dH, int dW, int padH, int padW, int sH,
                                   int sW)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(2, gradOutput, gradInput);
  const THNNLayer layer = LAYER;
  THNN_(imagesToColumns)(THNN_(columnsOfImages)(gradOutput, &layer), gradOutput, gradInput);
}
