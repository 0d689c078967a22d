/* RReLU: slopes are drawn from the generator of the current device. */
#include "THCUNN/layer/THCUNNDevice.h"

#include "THC/random/THCRandomDraw.h"

/* The device has its own generator: the argument is not used. */
void THNN_(RReLU_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                               THCTensor *noise, double lower, double upper, bool train,
                               bool inplace, void *generator)
{
  THNN_ENTER(state, input, output, noise);
  THNN_(rreluCheck)(lower, upper, 5);
  if (!train) {
    THNN_(activate)(THNN_LeakyReLU, input, output, (accreal)((lower + upper) / 2), 0, inplace);
    return;
  }
  THNN_(Call) call;
  THNN_(begin)(&call);
  THCTensor *x = inplace ? THNN_(sum)(&call, input) : THNN_(source)(&call, input);
  THCTensor *slopes = THNN_(result)(&call, noise, input->nDimension, input->size);
  THCTensor *out = inplace ? x : THNN_(result)(&call, output, input->nDimension, input->size);
  if (inplace) {
    THNN_(ready)(&call);
    THTensor_(set)(output, input);
  }
  THNN_(start)(&call);
  const ptrdiff_t n = THTensor_(nElement)(x);
  if (n > 0) {
    const THCDraw draw = THCRandom_draw(state, 1);
    TH_CONCAT_2(THCUNN_rrelu_, Real)(n, draw.seed, draw.offset, lower, upper, THTensor_(data)(x),
                                     THTensor_(data)(slopes), THTensor_(data)(out), THCUNN_STREAM);
    THCudaCheck(cudaGetLastError());
  }
  THNN_(finish)(&call);
}
