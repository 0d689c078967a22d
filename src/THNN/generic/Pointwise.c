/* Layers and losses that compute element by element: the entries of the tables, and what they
 * share.
 */
#include "THNNTemplate.h"

TH_DISPATCH(THNN_(Activation), THNN_(activations))
TH_DISPATCH(THNN_(Loss), THNN_(losses))

/* --- element-wise loops ---------------------------------------------------------------------- */

/* x, or a copy of it where writing r in like's shape would change what is still to be read. */
static THTensor *THNN_(aside)(THGuard *guard, THTensor *r, THTensor *like, THTensor *x)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  if (!r->storage || r->storage != x->storage)
    return x;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  THLoop_tensor(&loop, x);
  if (THTensor_(isSameSizeAs)(r, like) && THLoop_overlap(&loop, 0, 1) != TH_OVERLAP_MIXED)
    return x;
  return guard->what = THTensor_(newClone)(x);
}

/* r takes the shape of like; an element of r is computed from those of the count operands. */
static void THNN_(map)(THKernel kernel, const THNN_(Scalars) * scalars, THTensor *r, THTensor *like,
                       THTensor **operands, int count)
{
  THGuard guard[3];
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  if (THTensor_(isSameSizeAs)(r, like) && THLoop_overlapsItself(&loop, 0))
    THError("a result of size %s has elements that share memory with each other",
            THTensor_(sizeDesc)(r).str);
  for (int i = 0; i < count; i++)
    operands[i] = THNN_(aside)(&guard[i], r, like, operands[i]);
  THTensor_(resizeAs)(r, like);

  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  for (int i = 0; i < count; i++)
    THLoop_tensor(&loop, operands[i]);
  THLoop_run(&loop, kernel, scalars);
  for (int i = count - 1; i >= 0; i--)
    THGuard_leave(&guard[i]);
}

/* --- activations ----------------------------------------------------------------------------- */

static void THNN_(activate)(int layer, THTensor *input, THTensor *output, accreal a, accreal b)
{
  const THNN_(Scalars) scalars = {.a = (real)a, .b = (real)b};
  THNN_(map)(THNN_(activations)[layer].forward, &scalars, output, input, &input, 1);
}

/* value is the layer's input or output, whichever its gradient is computed from. */
static void THNN_(activateBack)(int layer, THTensor *value, THTensor *gradOutput,
                                THTensor *gradInput, accreal a, accreal b)
{
  const THNN_(Scalars) scalars = {.a = (real)a, .b = (real)b};
  THTensor *operands[] = {gradOutput, value};
  THNN_(map)(THNN_(activations)[layer].gradient, &scalars, gradInput, value, operands, 2);
}

/* The in-place form: r becomes the same tensor as x, and x changes. */
static void THNN_(becomes)(THTensor *r, THTensor *x)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, x);
  if (THLoop_overlapsItself(&loop, 0))
    THError("a tensor of size %s whose elements share memory cannot be changed in place",
            THTensor_(sizeDesc)(x).str);
  THTensor_(set)(r, x);
}

void THNN_(Tanh_updateOutput)(THNNState *state, THTensor *input, THTensor *output)
{
  THNN_(activate)(THNN_Tanh, input, output, 0, 0);
}

void THNN_(Tanh_updateGradInput)(THNNState *state, THTensor *gradOutput, THTensor *gradInput,
                                 THTensor *output)
{
  THNN_CHECK_NELEMENT(output, gradOutput);
  THNN_(activateBack)(THNN_Tanh, output, gradOutput, gradInput, 0, 0);
}

void THNN_(Threshold_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                   accreal threshold, accreal val, bool inplace)
{
  if (inplace)
    THNN_(becomes)(output, input);
  THNN_(activate)(THNN_Threshold, input, inplace ? input : output, threshold, val);
}

void THNN_(Threshold_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                      THTensor *gradInput, accreal threshold, accreal val,
                                      bool inplace)
{
  THNN_CHECK_NELEMENT(input, gradOutput);
  if (inplace)
    THNN_(becomes)(gradInput, gradOutput);
  THNN_(activateBack)
  (THNN_Threshold, input, gradOutput, inplace ? gradOutput : gradInput, threshold, val);
}

/* --- losses ---------------------------------------------------------------------------------- */

/* The sum over all elements, in pieces that depend on their number alone. */
enum { PIECES = 256 };

typedef struct {
  accreal (*sum)(ptrdiff_t n, const real *x, const real *t, const THNN_(Scalars) * scalars);
  const THNN_(Scalars) * scalars;
  ptrdiff_t n, piece;
  const real *x, *t;
  accreal part[PIECES];
} THNN_(LossSum);

static void THNN_(sumPieces)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  THNN_(LossSum) *s = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t first = i * s->piece;
    s->part[i] = s->sum(THMin(s->piece, s->n - first), s->x + first, s->t + first, s->scalars);
  }
}

static accreal THNN_(lossSum)(int loss, const THNN_(Scalars) * scalars, THTensor *input,
                              THTensor *target)
{
  THGuard first, second;
  THGuard_enter(&first, (THUndo)THTensor_(free));
  THGuard_enter(&second, (THUndo)THTensor_(free));
  input = first.what = THTensor_(newContiguous)(input);
  target = second.what = THTensor_(newContiguous)(target);

  const ptrdiff_t n = THTensor_(nElement)(input);
  THNN_(LossSum) s = {.sum = THNN_(losses)[loss].sum, .scalars = scalars, .n = n};
  s.piece = THMax(TH_LOOP_GRAIN, (n + PIECES - 1) / PIECES);
  s.x = THTensor_(data)(input);
  s.t = THTensor_(data)(target);
  const ptrdiff_t pieces = (n + s.piece - 1) / s.piece;
  THParallel_for(pieces, 1, THNN_(sumPieces), &s);
  accreal sum = 0;
  for (ptrdiff_t i = 0; i < pieces; i++)
    sum += s.part[i];
  THGuard_leave(&second);
  THGuard_leave(&first);
  return sum;
}

/* Writes the one element of a loss. */
static void THNN_(setTo)(THTensor *output, accreal value)
{
  THTensor_(resize1d)(output, 1);
  *THTensor_(data)(output) = (real)value;
}

static void THNN_(lose)(int loss, THTensor *input, THTensor *target, THTensor *output,
                        bool sizeAverage, bool reduce, accreal a)
{
  THNN_CHECK_NELEMENT(input, target);
  const THNN_(Scalars) scalars = {.a = (real)a};
  if (!reduce) {
    THTensor *operands[] = {input, target};
    THNN_(map)(THNN_(losses)[loss].forward, &scalars, output, input, operands, 2);
    return;
  }
  const accreal sum = THNN_(lossSum)(loss, &scalars, input, target);
  const ptrdiff_t n = THTensor_(nElement)(input);
  THNN_(setTo)(output, sizeAverage && n ? sum / (accreal)n : sum);
}

static void THNN_(loseBack)(int loss, THTensor *input, THTensor *target, THTensor *gradOutput,
                            THTensor *gradInput, bool sizeAverage, bool reduce, accreal a)
{
  THNN_CHECK_NELEMENT(input, target);
  if (!reduce) {
    THNN_CHECK_NELEMENT(input, gradOutput);
  } else if (THTensor_(nElement)(gradOutput) != 1) {
    THError("gradOutput has size %s, but a loss that is summed up is one element",
            THTensor_(sizeDesc)(gradOutput).str);
  }
  const ptrdiff_t n = THTensor_(nElement)(input);
  if (n == 0) {
    THTensor_(resizeAs)(gradInput, input);
    return;
  }
  const accreal scale = reduce && sizeAverage ? 1 / (accreal)n : 1;
  const THNN_(Scalars) scalars = {.a = (real)a, .scale = (real)scale};

  /* One element for all: repeated with stride 0. */
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THTensor_(free));
  THTensor *repeated = gradOutput;
  if (reduce) {
    int64_t strides[TH_LOOP_DIMS] = {0};
    repeated = guard.what = THTensor_(new)();
    THTensor_(setStorageNd)(repeated, gradOutput->storage, gradOutput->storageOffset,
                            input->nDimension, input->size, strides);
  }
  THTensor *operands[] = {repeated, input, target};
  THNN_(map)(THNN_(losses)[loss].gradient, &scalars, gradInput, input, operands, 3);
  THGuard_leave(&guard);
}

void THNN_(MSECriterion_updateOutput)(THNNState *state, THTensor *input, THTensor *target,
                                      THTensor *output, bool sizeAverage, bool reduce)
{
  THNN_(lose)(THNN_MSECriterion, input, target, output, sizeAverage, reduce, 0);
}

void THNN_(MSECriterion_updateGradInput)(THNNState *state, THTensor *input, THTensor *target,
                                         THTensor *gradOutput, THTensor *gradInput,
                                         bool sizeAverage, bool reduce)
{
  THNN_(loseBack)(THNN_MSECriterion, input, target, gradOutput, gradInput, sizeAverage, reduce, 0);
}
