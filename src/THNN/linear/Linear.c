/* output = input * weight' + bias, of one input or a batch. */
#include "THNN/layer/Template.h"

/* Returns the number of inputs of the batch: 1 for a vector. */
static int64_t THNN_(linearCheck)(THTensor *input, THTensor *gradOutput, THTensor *weight,
                                  THTensor *bias)
{
  THArgCheck(weight->nDimension == 2, 4, "weight has size %s, and has to be outputs x inputs",
             THTensor_(sizeDesc)(weight).str);
  THArgCheck((input->nDimension == 1 || input->nDimension == 2) &&
                 input->size[input->nDimension - 1] == weight->size[1],
             2, "input has size %s, weight has %s", THTensor_(sizeDesc)(input).str,
             THTensor_(sizeDesc)(weight).str);
  THArgCheck(!bias || THTensor_(nElement)(bias) == weight->size[0], 5,
             "bias has size %s, weight has %s", bias ? THTensor_(sizeDesc)(bias).str : "",
             THTensor_(sizeDesc)(weight).str);
  const int dims = input->nDimension;
  if (gradOutput)
    THArgCheck(gradOutput->nDimension == dims && gradOutput->size[dims - 1] == weight->size[0] &&
                   (dims == 1 || gradOutput->size[0] == input->size[0]),
               3, "gradOutput has size %s, input has %s and weight %s",
               THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
               THTensor_(sizeDesc)(weight).str);
  return dims == 1 ? 1 : input->size[0];
}

/* BLAS sees row-major matrices as their transposes: r = x * y is computed as r' = y' * x'. */

void THNN_(Linear_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                THTensor *weight, THTensor *bias, THTensor *addBuffer)
{
  const int64_t batch = THNN_(linearCheck)(input, NULL, weight, bias);
  const int64_t inputs = weight->size[1], outputs = weight->size[0];
  const int64_t size[] = {batch, outputs};
  const int single = input->nDimension == 1;

  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  THTensor *out = THNN_(result)(&call, output, 2 - single, size + single);
  THNN_(needBlas)();
  THNN_(start)(&call);

  real *y = THTensor_(data)(out);
  if (bias)
    for (int64_t i = 0; i < batch; i++)
      memcpy(y + i * outputs, THTensor_(data)(bias), (size_t)outputs * sizeof *y);
  THBlas_(gemm)('t', 'n', outputs, batch, inputs, 1, THTensor_(data)(weight), inputs,
                THTensor_(data)(input), inputs, bias ? 1 : 0, y, outputs);
  THNN_(finish)(&call);
}

void THNN_(Linear_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                   THTensor *gradInput, THTensor *weight)
{
  const int64_t batch = THNN_(linearCheck)(input, gradOutput, weight, NULL);
  const int64_t inputs = weight->size[1], outputs = weight->size[0];
  if (!gradInput)
    return;
  THNN_(Call) call;
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  weight = THNN_(source)(&call, weight);
  THTensor *grad = THNN_(result)(&call, gradInput, input->nDimension, input->size);
  THNN_(needBlas)();
  THNN_(start)(&call);
  THBlas_(gemm)('n', 'n', inputs, batch, outputs, 1, THTensor_(data)(weight), inputs,
                THTensor_(data)(gradOutput), outputs, 0, THTensor_(data)(grad), inputs);
  THNN_(finish)(&call);
}

void THNN_(Linear_accGradParameters)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                     THTensor *gradInput, THTensor *weight, THTensor *bias,
                                     THTensor *gradWeight, THTensor *gradBias, THTensor *addBuffer,
                                     accreal scale)
{
  if (!bias)
    gradBias = NULL;
  THArgCheck(gradWeight->nDimension == 2, 7,
             "gradWeight has size %s, and has to be outputs x inputs",
             THTensor_(sizeDesc)(gradWeight).str);
  const int64_t batch = THNN_(linearCheck)(input, gradOutput, gradWeight, gradBias);
  const int64_t inputs = gradWeight->size[1], outputs = gradWeight->size[0];

  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(needBlas)();
  THNN_(start)(&call);

  const real *g = THTensor_(data)(gradOutput);
  THBlas_(gemm)('n', 't', inputs, outputs, batch, (real)scale, THTensor_(data)(input), inputs,
                THTensor_(data)(gradOutput), outputs, 1, THTensor_(data)(gradWeight), inputs);
  if (gradBias)
    THNN_(addColumnSums)(g, batch, outputs, scale, THTensor_(data)(gradBias));
  THNN_(finish)(&call);
}
