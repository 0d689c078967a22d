/* Activations: the functions of the table's rows, and the checks that some rows need. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

void THNN_(activate)(int row, THTensor *input, THTensor *output, accreal a, accreal b, bool inplace)
{
  const THNN_(Scalars) scalars = {.a = (THNN_real)a, .b = (THNN_real)b};
  THNN_(map)(TH_DISPATCHED(THNN_(pointwise))[row].forward, &scalars, inplace ? input : output,
             input, inplace ? output : NULL, &input, 1);
}

void THNN_(activateBackward)(int row, THTensor *value, THTensor *gradOutput, THTensor *gradInput,
                             accreal a, accreal b, bool inplace)
{
  const THNN_(Scalars) scalars = {.a = (THNN_real)a, .b = (THNN_real)b, .scale = 1};
  THTensor *operands[] = {gradOutput, value};
  THNN_(map)(TH_DISPATCHED(THNN_(pointwise))[row].gradient, &scalars,
             inplace ? gradOutput : gradInput, inplace ? gradOutput : value,
             inplace ? gradInput : NULL, operands, 2);
}

/* Defines the two functions of a row; its own parameters (", accreal a ..." or nothing) come
 * last. */
/* clang-format off */
#define FORWARD(Name, A, B, INPLACE, ...)                                                           \
  void THNN_(Name##_updateOutput)(THNNState *state, THTensor *input, THTensor *output __VA_ARGS__)  \
  { THNN_ENTER(state, input, output); THNN_(activate)(THNN_##Name, input, output, A, B, INPLACE); }
/* clang-format on */
#define BACKWARD(Name, A, B, INPLACE, ...)                                                    \
  void THNN_(Name##_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput, \
                                     THTensor *gradInput __VA_ARGS__)                         \
  {                                                                                           \
    THNN_ENTER(state, input, gradOutput, gradInput);                                          \
    THNN_CHECK_NELEMENT(input, gradOutput);                                                   \
    THNN_(activateBackward)(THNN_##Name, input, gradOutput, gradInput, A, B, INPLACE);        \
  }
#define BOTH(...)       FORWARD(__VA_ARGS__) BACKWARD(__VA_ARGS__)
#define OF_INPUT(Name)  BOTH(Name, 0, 0, false, )
#define OF_INPUT1(Name) BOTH(Name, a, 0, false, , accreal a)
#define IN_PLACE1(Name) BOTH(Name, a, 0, inplace, , accreal a, bool inplace)
#define IN_PLACE2(Name) BOTH(Name, a, b, inplace, , accreal a, accreal b, bool inplace)
#define OF_OUTPUT(Name)                                                                           \
  FORWARD(Name, 0, 0, false, )                                                                    \
  void THNN_(Name##_updateGradInput)(THNNState *state, THTensor *gradOutput, THTensor *gradInput, \
                                     THTensor *output)                                            \
  {                                                                                               \
    THNN_ENTER(state, gradOutput, gradInput, output);                                             \
    THNN_CHECK_NELEMENT(output, gradOutput);                                                      \
    THNN_(activateBackward)(THNN_##Name, output, gradOutput, gradInput, 0, 0, false);             \
  }
#define OWN(Name)
#define ACTIVATION(KIND, Name, ...) KIND(Name)
#include "ops/activations.h"

FORWARD(ELU, alpha, scale, inplace, , accreal alpha, accreal scale, bool inplace)

void THNN_(ELU_updateGradInput)(THNNState *state, THTensor *gradOutput, THTensor *gradInput,
                                THTensor *output, accreal alpha, accreal scale)
{
  THNN_ENTER(state, gradOutput, gradInput, output);
  THNN_CHECK_NELEMENT(output, gradOutput);
  THNN_(activateBackward)(THNN_ELU, output, gradOutput, gradInput, alpha, scale, false);
}

FORWARD(LogSigmoid, 0, 0, false, , THTensor *buffer)
BACKWARD(LogSigmoid, 0, 0, false, , THTensor *buffer)

FORWARD(SoftPlus, beta, threshold, false, , accreal beta, accreal threshold)
BACKWARD(SoftPlus, beta, threshold, false, , THTensor *output, accreal beta, accreal threshold)

FORWARD(Sqrt, 0, 0, false, , accreal eps)

void THNN_(Sqrt_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                 THTensor *gradInput, THTensor *output)
{
  THNN_ENTER(state, input, gradOutput, gradInput, output);
  THNN_CHECK_NELEMENT(output, gradOutput);
  THNN_(activateBackward)(THNN_Sqrt, output, gradOutput, gradInput, 0, 0, false);
}
