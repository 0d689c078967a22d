/* Elementwise layers and losses: the functions of the rows of src/ops/activations.h, and functions
 * of single layers. */
#include "THCUNN/layer/THCUNNDevice.h"

#include "THCUNN/layer/thcunn_kernels.h"

#define SCALARS TH_CONCAT_3(THCUNN, Real, Scalars)
#define ROWS    TH_CONCAT_2(THCUNN_pointwise_, Real)

/* x, or a copy of x if x would change before it is read: because r, resized to like's shape,
 * shares memory with x, or because x is `becomes`. */
static THCTensor *THNN_(aside)(THGuard *guard, THCTensor *r, THCTensor *like, THCTensor *becomes,
                               THCTensor *x)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  if (x == becomes && x != r)
    x = guard->what = THTensor_(newWithTensor)(x);
  if (THResult_overlapSized(TH_VIEW(r), like->nDimension, like->size, TH_VIEW(x)) !=
      TH_OVERLAP_MIXED)
    return x;
  THCTensor *copy = THTensor_(newClone)(x);
  THTensor_(free)(guard->what);
  return guard->what = copy;
}

/* Adds x as an operand; a single element is expanded to like's shape. */
static void THNN_(addOperand)(THLoop *loop, THCTensor *x, THCTensor *like)
{
  static const int64_t none[TH_LOOP_DIMS];
  if (THTensor_(nElement)(x) == THTensor_(nElement)(like))
    THLoop_tensor(loop, x);
  else
    THLoop_operand(loop, THTensor_(data)(x), sizeof(real), like->nDimension, like->size, none);
}

/* Resizes r to like's shape and runs the kernel.  An operand of a single element is expanded.  If
 * the layer works in place (becomes is not NULL), r and like are the same tensor, and becomes is
 * set to it. */
static void THNN_(map)(THCKernel kernel, const SCALARS *scalars, THCTensor *r, THCTensor *like,
                       THCTensor *becomes, THCTensor **operands, int count)
{
  THGuard guard[3], straight[3];
  THCTensor *from[3];
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  if (THTensor_(isSameSizeAs)(r, like) && THLoop_overlapsItself(&loop, 0))
    THError(becomes ? "a tensor of size %s whose elements share memory cannot be changed in place"
                    : "a result of size %s has elements that share memory with each other",
            THTensor_(sizeDesc)(r).str);
  THArgCheck(like->nDimension <= TH_LOOP_DIMS, 2, "a tensor of size %s has too many dimensions",
             THTensor_(sizeDesc)(like).str);
  for (int i = 0; i < count; i++)
    from[i] = THNN_(aside)(&guard[i], r, like, becomes, operands[i]);
  if (becomes)
    THTensor_(set)(becomes, r);
  else
    THTensor_(resizeAs)(r, like);

  for (int attempt = 0; attempt < 2; attempt++) {
    THLoop_init(&loop);
    THLoop_tensor(&loop, r);
    for (int i = 0; i < count; i++)
      THNN_(addOperand)(&loop, from[i], r);
    if (THCWalk_run(&loop, kernel, scalars, THCUNN_STREAM))
      break;
    THAssert(attempt == 0); /* no common refinement: contiguous operands always have one */
    for (int i = 0; i < count; i++) {
      THGuard_enter(&straight[i], (THUndo)THTensor_(free));
      from[i] = straight[i].what = THTensor_(newContiguous)(from[i]);
    }
    THLoop_init(&loop);
    THLoop_tensor(&loop, r);
    for (int i = 0; i < count; i++)
      THNN_(addOperand)(&loop, from[i], r);
    THAssert(THCWalk_run(&loop, kernel, scalars, THCUNN_STREAM));
    for (int i = count - 1; i >= 0; i--)
      THGuard_leave(&straight[i]);
    break;
  }
  for (int i = count - 1; i >= 0; i--)
    THGuard_leave(&guard[i]);
}

/* --- activations ---------------------------------------------------------------------------- */

static void THNN_(activate)(THCState *state, int row, THCTensor *input, THCTensor *output,
                            accreal a, accreal b, bool inplace)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(2, input, output);
  const SCALARS scalars = {.a = a, .b = b};
  THNN_(map)(ROWS[row].forward, &scalars, inplace ? input : output, input, inplace ? output : NULL,
             &input, 1);
}

static void THNN_(activateBackward)(THCState *state, int row, THCTensor *value, const char *name,
                                    THCTensor *gradOutput, THCTensor *gradInput, accreal a,
                                    accreal b, bool inplace)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(3, value, gradOutput, gradInput);
  if (THTensor_(nElement)(value) != THTensor_(nElement)(gradOutput))
    THError("%s and gradOutput have different numbers of elements: %s has %s, gradOutput has %s",
            name, name, THTensor_(sizeDesc)(value).str, THTensor_(sizeDesc)(gradOutput).str);
  const SCALARS scalars = {.a = a, .b = b, .scale = 1};
  THCTensor *operands[] = {gradOutput, value};
  THNN_(map)(ROWS[row].gradient, &scalars, inplace ? gradOutput : gradInput,
             inplace ? gradOutput : value, inplace ? gradInput : NULL, operands, 2);
}

/* The two functions of a row whose parameters, ", accreal a ..." or nothing, are at the end. */
#define FORWARD(Name, A, B, INPLACE, ...)                                \
  void THNN_(Name##_updateOutput)(THCState *state, THCTensor *input,     \
                                  THCTensor *output __VA_ARGS__)         \
  {                                                                      \
    THNN_(activate)(state, THCUNN_##Name, input, output, A, B, INPLACE); \
  }
#define BACKWARD(Name, A, B, INPLACE, ...)                                                     \
  void THNN_(Name##_updateGradInput)(THCState *state, THCTensor *input, THCTensor *gradOutput, \
                                     THCTensor *gradInput __VA_ARGS__)                         \
  {                                                                                            \
    THNN_(activateBackward)(state, THCUNN_##Name, input, "input", gradOutput, gradInput, A, B, \
                            INPLACE);                                                          \
  }
#define BACKWARD_OF_OUTPUT(Name, A, B)                                                           \
  {                                                                                              \
    THNN_(activateBackward)(state, THCUNN_##Name, output, "output", gradOutput, gradInput, A, B, \
                            false);                                                              \
  }
#define BOTH(...)       FORWARD(__VA_ARGS__) BACKWARD(__VA_ARGS__)
#define OF_INPUT(Name)  BOTH(Name, 0, 0, false, )
#define OF_INPUT1(Name) BOTH(Name, a, 0, false, , accreal a)
#define IN_PLACE1(Name) BOTH(Name, a, 0, inplace, , accreal a, bool inplace)
#define IN_PLACE2(Name) BOTH(Name, a, b, inplace, , accreal a, accreal b, bool inplace)
#define OF_OUTPUT(Name)                                                                            \
  FORWARD(Name, 0, 0, false, )                                                                     \
  void THNN_(Name##_updateGradInput)(THCState *state, THCTensor *gradOutput, THCTensor *gradInput, \
                                     THCTensor *output) BACKWARD_OF_OUTPUT(Name, 0, 0)
#define OWN(Name)
#define FUNCTIONS(KIND, Name, ...) KIND(Name)
TH_FOR_EACH_ACTIVATION(FUNCTIONS)

FORWARD(ELU, alpha, scale, inplace, , accreal alpha, accreal scale, bool inplace)

void THNN_(ELU_updateGradInput)(THCState *state, THCTensor *gradOutput, THCTensor *gradInput,
                                THCTensor *output, accreal alpha,
                                accreal scale) BACKWARD_OF_OUTPUT(ELU, alpha, scale)

    FORWARD(LogSigmoid, 0, 0, false, , THCTensor *buffer)
        BACKWARD(LogSigmoid, 0, 0, false, , THCTensor *buffer)

            FORWARD(SoftPlus, beta, threshold, false, , accreal beta, accreal threshold)
                BACKWARD(SoftPlus, beta, threshold, false, , THCTensor *output, accreal beta,
                         accreal threshold)

                    FORWARD(Sqrt, 0, 0, false, , accreal eps)

                        void THNN_(Sqrt_updateGradInput)(THCState *state, THCTensor *input,
                                                         THCTensor *gradOutput,
                                                         THCTensor *gradInput, THCTensor *output)
                            BACKWARD_OF_OUTPUT(Sqrt, 0, 0)

    /* --- losses ----------------------------------------------------------------------------- */

    static void THNN_(checkPair)(THCTensor *input, THCTensor *target)
{
  if (THTensor_(nElement)(input) != THTensor_(nElement)(target))
    THError("input and target have different numbers of elements: input has %s, target has %s",
            THTensor_(sizeDesc)(input).str, THTensor_(sizeDesc)(target).str);
}

static void THNN_(loss)(THCState *state, int row, THCTensor *input, THCTensor *target,
                        THCTensor *output, bool sizeAverage, bool reduce)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(3, input, target, output);
  THNN_(checkPair)(input, target);
  if (!reduce) {
    const SCALARS scalars = {.scale = 1};
    THCTensor *operands[] = {input, target};
    THNN_(map)(ROWS[row].forward, &scalars, output, input, NULL, operands, 2);
    return;
  }
  const int64_t n = THTensor_(nElement)(input), one = 1;
  const int parts = (int)THMax(1, THMin(THCUNN_PARTS, (n + 1023) / 1024));
  THGuard guard;
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  target = THNN_(source)(&call, target);
  THCTensor *out = THNN_(result)(&call, output, 1, &one);
  void *sums = THCUNN_allocate(&guard, (ptrdiff_t)sizeof(accreal) * parts);
  THNN_(ready)(&call);
  THNN_(start)(&call);
  ROWS[row].sum(THTensor_(data)(input), THTensor_(data)(target), n, parts, sums, THCUNN_STREAM);
  TH_CONCAT_2(THCUNN_addParts_, Real)(sums, parts, sizeAverage && n ? 1 / (double)n : 1,
                                      THTensor_(data)(out), THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THGuard_leave(&guard);
  THNN_(finish)(&call);
}

static void THNN_(lossBackward)(THCState *state, int row, THCTensor *input, THCTensor *target,
                                THCTensor *gradOutput, THCTensor *gradInput, bool sizeAverage,
                                bool reduce)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(4, input, target, gradOutput, gradInput);
  THNN_(checkPair)(input, target);
  const ptrdiff_t n = THTensor_(nElement)(input), g = THTensor_(nElement)(gradOutput);
  if (g != (reduce ? 1 : n))
    THError(reduce
                ? "gradOutput has size %s, but a loss of input %s that is summed up is one element"
                : "gradOutput has size %s, input has %s: they have different numbers of elements",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str);
  const SCALARS scalars = {.scale = reduce && sizeAverage && n ? 1 / (accreal)n : 1};
  THCTensor *operands[] = {gradOutput, input, target};
  THNN_(map)(ROWS[row].gradient, &scalars, gradInput, input, NULL, operands, 3);
}

#define LOSS_OUTPUT(Name)                                                               \
  void THNN_(Name##_updateOutput)(THCState *state, THCTensor *input, THCTensor *target, \
                                  THCTensor *output, bool sizeAverage, bool reduce)     \
  {                                                                                     \
    THNN_(loss)(state, THCUNN_##Name, input, target, output, sizeAverage, reduce);      \
  }
#define LOSS_GRADIENT(Name)                                                                      \
  void THNN_(Name##_updateGradInput)(THCState *state, THCTensor *input, THCTensor *target,       \
                                     THCTensor *gradOutput, THCTensor *gradInput,                \
                                     bool sizeAverage, bool reduce)                              \
  {                                                                                              \
    THNN_(lossBackward)(state, THCUNN_##Name, input, target, gradOutput, gradInput, sizeAverage, \
                        reduce);                                                                 \
  }
#define LOSS(Name) LOSS_OUTPUT(Name) LOSS_GRADIENT(Name)
#define OWN_LOSS(Name)
#define WEIGHTED(Name)
TH_FOR_EACH_LOSS(FUNCTIONS)
