/* The algorithm depthwise_nchw: depthwise convolutions of contiguous images; a filter slides over its
 * plane. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"

/* --- which ones ------------------------------------------------------------------------------ */

/* Groups have one plane of x each (backward data, also one of y).  Filters are 3 x 3 or 5 x 5 without
 * dilation, with stride 1, or forward 2. */
int THNN_(supportsDepthwiseNchw)(const THNNConvolution *c, THNNPass pass)
{
  const THNNWindow *w = c->at;
  if (!TH_DISPATCHED(THNN_(direct))->slide || c->channelsLast || c->groups < 1 ||
      c->planes != c->groups || (pass == THNN_BACKWARD_DATA && c->outputs != c->groups) ||
      (pass == THNN_BACKWARD_WEIGHTS && !THNN_(fitSets)(c)))
    return 0;
  const int64_t mostSteps = pass == THNN_FORWARD ? 2 : 1;
  for (int d = 1; d < 3; d++)
    if (w[d].step > mostSteps || w[d].step != w[1].step || w[d].dilation != 1 ||
        w[d].pad >= w[d].size)
      return 0;
  return w[0].input == 1 && w[0].size == 1 && w[0].step == 1 && w[0].pad == 0 &&
         w[1].size == w[2].size && (w[1].size == 3 || w[1].size == 5);
}

/* Planes whose rows fill less than half a vector are left to depthwise_nhwc if that supports them; pairs of
 * planes may be half as wide. */
double THNN_(costOfDepthwiseNchw)(const THNNConvolution *c, THNNPass pass,
                                  THNN_(WinogradPlan) * plan)
{
  const int isTransposed = THNN_(supportsDepthwiseNhwc)(c, pass) &&
                           THNN_(costOfDepthwiseNhwc)(c, pass, plan) < THNN_NEVER;
  const int isInPairs = pass != THNN_BACKWARD_WEIGHTS && c->outputs == c->groups;
  const int isShort = (isInPairs ? 4 : 2) * c->at[2].output < TH_DISPATCHED(THNN_(implicit))->lanes;
  return isTransposed && isShort ? THNN_NEVER : THNN_ALWAYS;
}

/* --- forward and backward data ---------------------------------------------------------------- */

/* A call of depthwise_nchw. */
typedef struct {
  const THNNConvolution *c;
  THNN_(Operands) data;
  int backward;
  const THNNActivation *activation; /* or NULL */
} THNN_(DepthwiseNchw);

/* Forward: results [begin, end) of an image, whose filters are those of some planes, or some of one. */
static void THNN_(depthwiseNchwForward)(const THNN_(DepthwiseNchw) * s, ptrdiff_t image,
                                        ptrdiff_t begin, ptrdiff_t end)
{
  const THNNConvolution *c = s->c;
  const ptrdiff_t outputs = c->outputs / c->groups;
  for (ptrdiff_t i = begin, count; i < end; i += count) {
    const ptrdiff_t plane = i / outputs, left = (plane + 1) * outputs - i;
    const int isWhole = left == outputs && end - i >= outputs;
    const ptrdiff_t planes = isWhole ? (end - i) / outputs : 1;
    count = isWhole ? planes * outputs : THMin(left, end - i);
    TH_DISPATCHED(THNN_(direct))
        ->slide(c->at, planes, s->data.from + (image * c->planes + plane) * c->image,
                count / planes, s->data.weight + i * c->taps,
                s->data.bias ? s->data.bias + i : NULL, s->activation,
                s->data.to + (image * c->outputs + i) * c->positions);
  }
}

/* Backward: planes [begin, end) of an image; flipped filters slide over y. */
static void THNN_(depthwiseNchwBackward)(const THNN_(DepthwiseNchw) * s, ptrdiff_t image,
                                         ptrdiff_t begin, ptrdiff_t end)
{
  enum { LARGEST = 25, AT_ONCE = 32 };
  const THNNConvolution *c = s->c;
  THNNWindow axis[3] = {c->at[0], c->at[1], c->at[2]};
  for (int d = 1; d < 3; d++) {
    axis[d].input = c->at[d].output;
    axis[d].output = c->at[d].input;
    axis[d].pad = axis[d].size - 1 - axis[d].pad;
  }
  for (ptrdiff_t i = begin, count; i < end; i += count) {
    count = THMin(AT_ONCE, end - i);
    const real *const weight = s->data.weight + i * c->taps;
    real flipped[AT_ONCE * LARGEST];
    for (ptrdiff_t k = 0; k < count; k++)
      for (ptrdiff_t tap = 0; tap < c->taps; tap++)
        flipped[k * c->taps + tap] = weight[(k + 1) * c->taps - 1 - tap];
    TH_DISPATCHED(THNN_(direct))
        ->slide(axis, count, s->data.from + (image * c->outputs + i) * c->positions, 1, flipped,
                s->data.bias ? s->data.bias + i : NULL, NULL,
                s->data.to + (image * c->planes + i) * c->image);
  }
}

static void THNN_(depthwiseNchwPlanes)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(DepthwiseNchw) *s = context;
  const ptrdiff_t outputs = s->c->outputs;
  for (ptrdiff_t image = begin / outputs; image * outputs < end; image++) {
    const ptrdiff_t first = THMax(begin - image * outputs, 0);
    const ptrdiff_t last = THMin(end - image * outputs, outputs);
    if (s->backward)
      THNN_(depthwiseNchwBackward)(s, image, first, last);
    else
      THNN_(depthwiseNchwForward)(s, image, first, last);
  }
}

void THNN_(convolveByDepthwiseNchw)(const THNNConvolution *c, int backward, THTensor *from,
                                    THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(DepthwiseNchw)
  s = {c, THNN_(startConvolution)(&call, from, weight, bias, to), backward,
       THNNConvolution_activate(c, backward)};
  THParallel_for(c->batch * c->outputs, THNNConvolution_grain(c, c->positions),
                 THNN_(depthwiseNchwPlanes), &s);
  THNN_(finish)(&call);
}

/* --- weights --------------------------------------------------------------------------------- */

/* A call of depthwise_nchw for the gradient of the weights. */
typedef struct {
  const THNNConvolution *c;
  const real *x, *y;
  real *sums;      /* sums of the weights for each set of images */
  accreal *totals; /* THNN_(totalsOfSets) */
  ptrdiff_t sets;
} THNN_(DepthwiseNchwSums);

static void THNN_(depthwiseNchwSets)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(DepthwiseNchwSums) *s = context;
  const THNNConvolution *c = s->c;
  const ptrdiff_t imagesAtOnce = THNN_(imagesThatFit)(2 * c->positions);
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t set = item / c->outputs, output = item % c->outputs;
    const ptrdiff_t plane = output / (c->outputs / c->groups);
    const ptrdiff_t first = set * c->batch / s->sets, last = (set + 1) * c->batch / s->sets;
    real *sums = s->sums + item * c->taps;
    memset(sums, 0, (size_t)c->taps * sizeof *sums);
    for (ptrdiff_t i = first; i < last; i += imagesAtOnce) {
      const ptrdiff_t images = THMin(imagesAtOnce, last - i);
      const real *y = s->y + (i * c->outputs + output) * c->positions;
      TH_DISPATCHED(THNN_(direct))
          ->slideSums(c->at, images, s->x + (i * c->planes + plane) * c->image,
                      c->planes * c->image, y, c->outputs * c->positions, sums);
      for (ptrdiff_t k = 0; s->totals && k < images; k++)
        THNN_(addToTotals)(1, y + k * c->outputs * c->positions, c->positions, s->totals + item);
    }
  }
}

void THNN_(weightsByDepthwiseNchw)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  const THNNConvolution *c = g->c;
  const ptrdiff_t all = c->outputs * c->terms;
  THNN_(DepthwiseNchwSums) s = {.c = c, .sets = THNN_(setsOf)(c)};
  s.sums = THNN_(scratch)(&g->call, s.sets * all);
  s.totals = THNN_(totalsOfSets)(g);
  THNN_(start)(&g->call);
  s.x = THTensor_(data)(g->x);
  s.y = THTensor_(data)(g->y);
  const ptrdiff_t items = s.sets * c->outputs;
  const ptrdiff_t each =
      THMax(1, THNN_(elementsOfLarger)(c) / THMax(1, items)); /* elements of an item */
  THParallel_for(items, THMax(1, TH_LOOP_GRAIN / 8 / each), THNN_(depthwiseNchwSets), &s);
  THNN_(addSets)(s.sums, s.sets, all, THTensor_(data)(g->gradWeight), g->scale);
}
