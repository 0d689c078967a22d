/* Activations with a second operand: a weight for PReLU, random slopes for RReLU, and the other
 * half of the input for GatedLinear. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

/* --- PReLU ----------------------------------------------------------------------------------- */

/* The dimension of the planes, which have a weight each. */
static int THNN_(preluDim)(THTensor *input)
{
  return input->nDimension > 1;
}

/* Returns whether the planes share one weight. */
static int THNN_(preluCheck)(THTensor *input, THTensor *weight, int arg)
{
  const ptrdiff_t count = THTensor_(nElement)(weight);
  const int dim = THNN_(preluDim)(input);
  THArgCheck(count == 1 || (input->nDimension > 0 && input->size[dim] == count), arg,
             "weight has size %s, input has %s: one weight, or one for each plane is expected",
             THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(input).str);
  return count == 1;
}

/* A view of weight, expanded to input's shape; guards own the views. */
static THTensor *THNN_(repeated)(THGuard guard[3], THTensor *weight, THTensor *input)
{
  THGuard_enter(&guard[0], THFree);
  THGuard_enter(&guard[1], (THUndo)THTensor_(free));
  THGuard_enter(&guard[2], (THUndo)THTensor_(free));
  const size_t dims = (size_t)input->nDimension;
  int64_t *stride = guard[0].what = THAlloc((ptrdiff_t)(dims * sizeof *stride));
  if (dims > 0) {
    memset(stride, 0, dims * sizeof *stride);
    stride[THNN_(preluDim)(input)] = THTensor_(nElement)(weight) > 1;
  }
  weight = guard[1].what = THTensor_(newContiguous)(weight);
  THTensor *view = guard[2].what = THTensor_(new)();
  THTensor_(setStorageNd)(view, weight->storage, weight->storageOffset, input->nDimension,
                          input->size, stride);
  return view;
}

/* PReLU with a weight that all planes share is LeakyReLU.  Returns 1 if it has computed output.  On a device
 * it returns 0, because the host cannot read the weight. */
static int THNN_(leaky)(THTensor *weight, THTensor *input, THTensor *output)
{
#ifdef TH_TEMPLATE_DEVICE
  return 0;
#else
  THNN_(activate)(THNN_LeakyReLU, input, output, *THTensor_(data)(weight), 0, false);
  return 1;
#endif
}

/* The gradient of leaky, with the same return values. */
static int THNN_(leakyBackward)(THTensor *weight, THTensor *input, THTensor *gradOutput,
                                THTensor *gradInput)
{
#ifdef TH_TEMPLATE_DEVICE
  return 0;
#else
  THNN_(activateBackward)(THNN_LeakyReLU, input, gradOutput, gradInput, *THTensor_(data)(weight), 0,
                          false);
  return 1;
#endif
}

void THNN_(PReLU_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                               THTensor *weight)
{
  THNN_ENTER(state, input, output, weight);
  if (THNN_(preluCheck)(input, weight, 4) && THNN_(leaky)(weight, input, output))
    return;
  const THNN_(Scalars) scalars = {.scale = 1};
  THGuard guard[3];
  THTensor *operands[] = {input, THNN_(repeated)(guard, weight, input)};
  THNN_(map)(TH_DISPATCHED(THNN_(pointwise))[THNN_PReLU].forward, &scalars, output, input, NULL,
             operands, 2);
  for (int i = 2; i >= 0; i--)
    THGuard_leave(&guard[i]);
}

void THNN_(PReLU_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                  THTensor *gradInput, THTensor *weight)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight);
  THNN_CHECK_NELEMENT(input, gradOutput);
  if (THNN_(preluCheck)(input, weight, 5) &&
      THNN_(leakyBackward)(weight, input, gradOutput, gradInput))
    return;
  const THNN_(Scalars) scalars = {.scale = 1};
  THGuard guard[3];
  THTensor *operands[] = {gradOutput, input, THNN_(repeated)(guard, weight, input)};
  THNN_(map)(TH_DISPATCHED(THNN_(pointwise))[THNN_PReLU].gradient, &scalars, gradInput, input, NULL,
             operands, 3);
  for (int i = 2; i >= 0; i--)
    THGuard_leave(&guard[i]);
}

#ifndef TH_TEMPLATE_DEVICE /* a device sums up by its own kernels */
void THNN_(preluAccumulate)(THTensor *input, THTensor *gradOutput, THTensor *gradWeight, int dim,
                            accreal scale)
{
  const ptrdiff_t count = THTensor_(nElement)(gradWeight);
  THGuard guard[3];
  THGuard_enter(&guard[0], THFree);
  THGuard_enter(&guard[1], (THUndo)THTensor_(free));
  THGuard_enter(&guard[2], (THUndo)THTensor_(free));
  accreal *sums = guard[0].what = THAlloc(count * (ptrdiff_t)sizeof *sums);
  const THNN_(Scalars) scalars = {.scale = 1};
  THTensor *g = gradOutput, *x = input;
  if (dim >= 0) { /* a view of the first plane, moved from plane to plane below */
    g = guard[1].what = THTensor_(newNarrow)(gradOutput, dim, 0, 1);
    x = guard[2].what = THTensor_(newNarrow)(input, dim, 0, 1);
  }
  for (ptrdiff_t p = 0; p < count; p++) {
    const int64_t n = THTensor_(nElement)(x);
    THLoop loop;
    THLoop_init(&loop);
    THNN_(operand)(&loop, g, x, &n);
    THNN_(operand)(&loop, x, x, &n);
    THNN_(operand)(&loop, NULL, x, &n);
    sums[p] = THNN_(total)(TH_DISPATCHED(THNN_(pointwise))[THNN_PReLU].sum, scalars, &loop);
    if (dim >= 0) {
      g->storageOffset += g->stride[dim];
      x->storageOffset += x->stride[dim];
    }
  }

  THNN_(Call) call;
  THNN_(begin)(&call);
  THTensor *out = THNN_(sum)(&call, gradWeight);
  THNN_(start)(&call);
  real *w = THTensor_(data)(out);
  for (ptrdiff_t p = 0; p < count; p++)
    w[p] = (real)((accreal)w[p] + scale * sums[p]);
  THNN_(finish)(&call);
  for (int i = 2; i >= 0; i--)
    THGuard_leave(&guard[i]);
}
#endif

void THNN_(PReLU_accGradParameters)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                    THTensor *gradInput, THTensor *weight, THTensor *gradWeight,
                                    accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, gradWeight);
  const int shared = THNN_(preluCheck)(input, weight, 5);
  THNN_CHECK_NELEMENT(weight, gradWeight);
  if (shared)
    THNN_CHECK_NELEMENT(input, gradOutput);
  else
    THNN_CHECK_SHAPE(input, gradOutput);

  THNN_(preluAccumulate)(input, gradOutput, gradWeight, shared ? -1 : THNN_(preluDim)(input),
                         scale);
}

/* --- RReLU ----------------------------------------------------------------------------------- */

void THNN_(rreluCheck)(double lower, double upper, int arg)
{
  THArgCheck(lower <= upper && isfinite(upper - lower), arg,
             "slopes from lower = %g to upper = %g are no range", lower, upper);
}

#ifndef TH_TEMPLATE_DEVICE /* a device has a generator of its own */

/* Slopes for the n elements of x: 1 for elements above 0, random for the others, in their order.
 * Random numbers are drawn in blocks of up to DRAWS. */
enum { DRAWS = 1024 };

static void THNN_(drawSlopes)(ptrdiff_t n, const real *x, real *slope, THDoubleTensor *block,
                              THGenerator *generator, accreal lower, accreal upper)
{
  for (ptrdiff_t from = 0; from < n; from += DRAWS) {
    const ptrdiff_t end = THMin(n, from + DRAWS);
    ptrdiff_t count = 0, k = 0;
    for (ptrdiff_t i = from; i < end; i++)
      count += x[i] <= 0;
    block->size[0] = count;
    if (count > 0)
      THDoubleTensor_uniform(block, generator, lower, upper);
    const double *draw = THDoubleTensor_data(block);
    for (ptrdiff_t i = from; i < end; i++) {
      const double drawn = draw[k]; /* draw has one element more than are drawn */
      slope[i] = x[i] <= 0 ? (real)drawn : 1;
      k += x[i] <= 0;
    }
  }
}

void THNN_(RReLU_updateOutput)(THNNState *state, THTensor *input, THTensor *output, THTensor *noise,
                               accreal lower, accreal upper, bool train, bool inplace,
                               THGenerator *generator)
{
  THNN_ENTER(state, input, output, noise);
  THNN_(rreluCheck)(lower, upper, 5);
  if (!train) {
    THNN_(activate)(THNN_LeakyReLU, input, output, (lower + upper) / 2, 0, inplace);
    return;
  }
  THArgCheck(generator && THGenerator_isValid(generator), 9, "the generator was not seeded");
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THDoubleTensor_free);
  THDoubleTensor *block = guard.what = THDoubleTensor_newWithSize1d(DRAWS + 1);
  THDoubleTensor_zero(block);

  THNN_(Call) call;
  THNN_(begin)(&call);
  THTensor *x = inplace ? THNN_(sum)(&call, input) : THNN_(source)(&call, input);
  THTensor *slopes = THNN_(result)(&call, noise, input->nDimension, input->size);
  THTensor *out = inplace ? x : THNN_(result)(&call, output, input->nDimension, input->size);
  if (inplace) {
    THNN_(ready)(&call);
    THTensor_(set)(output, input);
  }
  THNN_(start)(&call);

  const ptrdiff_t n = THTensor_(nElement)(x);
  if (n > 0)
    THNN_(drawSlopes)(n, THTensor_(data)(x), THTensor_(data)(slopes), block, generator, lower,
                      upper);
  const THNN_(Scalars) scalars = {.scale = 1};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, out);
  THLoop_tensor(&loop, x);
  THLoop_tensor(&loop, slopes);
  THLoop_run(&loop, TH_DISPATCHED(THNN_(pointwise))[THNN_RReLU].forward, &scalars);
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}

#endif

void THNN_(RReLU_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                  THTensor *gradInput, THTensor *noise, double lower, double upper,
                                  bool train, bool inplace)
{
  THNN_ENTER(state, input, gradOutput, gradInput, noise);
  THNN_CHECK_NELEMENT(input, gradOutput);
  THNN_(rreluCheck)(lower, upper, 6);
  if (!train || upper - lower <= 1e-6) {
    THNN_(activateBackward)(THNN_LeakyReLU, input, gradOutput, gradInput, (lower + upper) / 2, 0,
                            inplace);
    return;
  }
  THNN_CHECK_NELEMENT(input, noise);
  const THNN_(Scalars) scalars = {.scale = 1};
  THTensor *operands[] = {gradOutput, input, noise};
  THNN_(map)(TH_DISPATCHED(THNN_(pointwise))[THNN_RReLU].gradient, &scalars,
             inplace ? gradOutput : gradInput, inplace ? gradOutput : input,
             inplace ? gradInput : NULL, operands, 3);
}

/* --- GatedLinear ----------------------------------------------------------------------------- */

/* dim counted from 0. */
static int THNN_(gatedDim)(THTensor *input, int dim, int arg)
{
  THArgCheck(dim >= TH_INDEX_BASE && dim - TH_INDEX_BASE < input->nDimension, arg,
             "dimension %d is out of range of a tensor of size %s", dim,
             THTensor_(sizeDesc)(input).str);
  THArgCheck(input->size[dim - TH_INDEX_BASE] % 2 == 0, 2,
             "dimension %d of a tensor of size %s has no halves of equal size", dim,
             THTensor_(sizeDesc)(input).str);
  return dim - TH_INDEX_BASE;
}

/* The first half of t along dim, or the second. */
static THTensor *THNN_(half)(THGuard *guard, THTensor *t, int dim, int second)
{
  const int64_t half = t->size[dim] / 2;
  THGuard_enter(guard, (THUndo)THTensor_(free));
  return guard->what = THTensor_(newNarrow)(t, dim, second ? half : 0, half);
}

void THNN_(GatedLinear_updateOutput)(THNNState *state, THTensor *input, THTensor *output, int dim)
{
  THNN_ENTER(state, input, output);
  dim = THNN_(gatedDim)(input, dim, 4);
  THGuard guard[2];
  const THNN_(Scalars) scalars = {.scale = 1};
  THTensor *halves[] = {THNN_(half)(&guard[0], input, dim, 0),
                        THNN_(half)(&guard[1], input, dim, 1)};
  THNN_(map)(TH_DISPATCHED(THNN_(pointwise))[THNN_GatedLinear].forward, &scalars, output, halves[0],
             NULL, halves, 2);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
}

void THNN_(GatedLinear_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                        THTensor *gradInput, int dim)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  dim = THNN_(gatedDim)(input, dim, 5);
  THGuard guard;
  THTensor *first = THNN_(half)(&guard, input, dim, 0);
  THArgCheck(THTensor_(isSameSizeAs)(gradOutput, first), 3,
             "gradOutput has size %s, half of input has %s", THTensor_(sizeDesc)(gradOutput).str,
             THTensor_(sizeDesc)(first).str);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  THTensor *grad = THNN_(result)(&call, gradInput, input->nDimension, input->size);
  THNN_(start)(&call);

  /* Pairs of halves, one after the other, size[0] times. */
  int64_t size[2] = {1, THTensor_(nElement)(first)};
  for (int d = 0; d < dim; d++)
    size[0] *= input->size[d];
  size[1] /= size[0];
  const int64_t single[] = {size[1], 1}, both[] = {2 * size[1], 1};
  real *x = THTensor_(data)(input), *d = THTensor_(data)(grad);
  const THNN_(Scalars) scalars = {.scale = 1};
  for (int second = 0; second < 2; second++) {
    THLoop loop;
    THLoop_init(&loop);
    THLoop_operand(&loop, d + second * size[1], sizeof *d, 2, size, both);
    THLoop_operand(&loop, THTensor_(data)(gradOutput), sizeof *d, 2, size, single);
    THLoop_operand(&loop, x, sizeof *x, 2, size, both);
    THLoop_operand(&loop, x + size[1], sizeof *x, 2, size, both);
    THNN_(runLoop)(&loop,
                   second ? TH_DISPATCHED(THNN_(pointwise))[THNN_GatedLinear].gradient2
                          : TH_DISPATCHED(THNN_(pointwise))[THNN_GatedLinear].gradient,
                   &scalars);
  }
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}
