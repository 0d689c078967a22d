/* Convolutions of images whose planes lie last in memory (batch, rows, columns, planes), as other
 * libraries' channels-last tensors do: views of them have the planes as their last dimension, and
 * the operations go along with them.  A result that lies so already is written as it lies. */
#include "THNNTemplate.h"

/* Whether t, of that size, lies so, and not in order as well. */
static int THNN_(liesLast)(const THNNConvolution *c, THTensor *t, const int64_t *size)
{
  if (!THSize_isSameSizeAs(t->size, t->nDimension, size, c->dims) || THTensor_(isContiguous)(t))
    return 0;
  const int planes = c->batched;
  if (size[planes] > 1 && t->stride[planes] != 1)
    return 0;
  int64_t stride = size[planes];
  for (int d = c->dims - 1; d >= 0; d--) {
    if (d == planes)
      continue;
    if (size[d] > 1 && t->stride[d] != stride)
      return 0;
    stride *= size[d];
  }
  return 1;
}

/* The planes become the last dimension. */
static THTensor *THNN_(viewLast)(const THNNConvolution *c, THGuard *guard, THTensor *t)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  THTensor *view = guard->what = THTensor_(newWithTensor)(t);
  for (int d = c->batched; d + 1 < c->dims; d++)
    THTensor_(transpose)(view, NULL, d, d + 1);
  return view;
}

static void THNN_(moveLast)(const THNNConvolution *c, int64_t *size)
{
  const int64_t planes = size[c->batched];
  for (int d = c->batched; d + 1 < c->dims; d++)
    size[d] = size[d + 1];
  size[c->dims - 1] = planes;
}

static THNNConvolution THNN_(withPlanesLast)(const THNNConvolution *c)
{
  THNNConvolution l = *c;
  l.last = 1;
  THNN_(moveLast)(&l, l.xSize);
  THNN_(moveLast)(&l, l.ySize);
  return l;
}

/* --- a window for each plane ----------------------------------------------------------------- */

/* Each plane by itself makes one, back too: then windows have to be one apart, so that what they
 * add to an image slides over it. */
static int THNN_(slidesLast)(const THNNConvolution *c, int back)
{
  for (int d = 0; back && d < 3; d++)
    if (c->at[d].step != 1)
      return 0;
  return c->groups > 1 && c->planes == c->groups && c->outputs == c->groups;
}

typedef struct {
  const THNNConvolution *c;
  THNNWindow axis[3];
  const real *from, *weights, *bias;
  real *to;
} THNN_(SlidLast);

static void THNN_(slidRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(SlidLast) *s = context;
  const THNNWindow *w = s->axis;
  const ptrdiff_t rows = w[0].output * w[1].output, planes = s->c->groups;
  const ptrdiff_t source = w[0].input * w[1].input * w[2].input * planes;
  for (ptrdiff_t i = begin; i < end; i++)
    THNN_(direct)->slideLast(w, planes, s->from + i / rows * source, s->weights, s->bias, i % rows,
                             s->to + i / rows * rows * w[2].output * planes);
}

static void THNN_(convolveSlidingLast)(const THNNConvolution *c, int back, THTensor *from,
                                       THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, back, &from, &weight, &bias, &to);
  THNN_(SlidLast) s = {.c = c};
  for (int d = 0; d < 3; d++) {
    s.axis[d] = c->at[d];
    if (back) {
      s.axis[d].input = c->at[d].output;
      s.axis[d].output = c->at[d].input;
      s.axis[d].pad = (c->at[d].size - 1) * c->at[d].dilation - c->at[d].pad;
    }
  }
  real *weights = THNN_(scratch)(&call, c->groups * c->window);
  THNN_(start)(&call);
  const real *given = THTensor_(data)(weight);
  for (ptrdiff_t k = 0; k < c->window; k++)
    for (ptrdiff_t p = 0; p < c->groups; p++)
      weights[k * c->groups + p] = given[p * c->window + (back ? c->window - 1 - k : k)];
  s.weights = weights;
  s.from = THTensor_(data)(from);
  s.bias = bias ? THTensor_(data)(bias) : NULL;
  s.to = THTensor_(data)(to);
  THParallel_for(c->batch * s.axis[0].output * s.axis[1].output,
                 THMax(1, TH_LOOP_GRAIN / (s.axis[2].output * c->groups)), THNN_(slidRows), &s);
  THNN_(finish)(&call);
}

/* --- which ones ------------------------------------------------------------------------------ */

/* Fewer results than half a vector are better computed with positions in the lanes. */
static int THNN_(fillsLanes)(ptrdiff_t results)
{
  return 2 * results >= THNN_(implicit)->lanes;
}

int THNN_(convolveLast)(const THNNConvolution *c, int back, THTensor *from, THTensor *weight,
                        THTensor *bias, THTensor *to)
{
  if (c->groups < 1 || c->batch < 1 || c->depth < 1)
    return 0;
  const int slides = THNN_(slidesLast)(c, back);
  if ((!slides && !THNN_(fillsLanes)((back ? c->planes : c->outputs) / c->groups)) ||
      !THNN_(liesLast)(c, to, back ? c->xSize : c->ySize))
    return 0;
  const THNNConvolution l = THNN_(withPlanesLast)(c);
  THGuard guard[2];
  from = THNN_(viewLast)(c, &guard[0], from);
  to = THNN_(viewLast)(c, &guard[1], to);
  if (slides)
    THNN_(convolveSlidingLast)(&l, back, from, weight, bias, to);
  else if (THNN_(isWinograd)(&l, back))
    THNN_(convolveWinograd)(&l, back, from, weight, bias, to);
  else
    THNN_(convolveImplicit)(&l, back, from, weight, bias, to);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
  return 1;
}

int THNN_(convolveWeightsLast)(const THNNConvolution *c, THTensor *x, THTensor *y,
                               THTensor *gradWeight, THTensor *gradBias, int biasOfX, accreal scale)
{
  if (c->groups < 1 || c->depth < 1 || c->last || !THNN_(areWeightsImplicit)(c) ||
      (!THNN_(liesLast)(c, x, c->xSize) && !THNN_(liesLast)(c, y, c->ySize)))
    return 0;
  const THNNConvolution l = THNN_(withPlanesLast)(c);
  THGuard guard[2];
  x = THNN_(viewLast)(c, &guard[0], x);
  y = THNN_(viewLast)(c, &guard[1], y);
  THNN_(convolveWeights)(&l, x, y, gradWeight, gradBias, biasOfX, scale);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
  return 1;
}
