/* Convolutions of images whose planes lie last in memory (batch, rows, columns, planes), as other
 * libraries' channels-last tensors do: views of them have the planes as their last dimension, and
 * the operations go along with them.  A result that lies so already is written as it lies. */
#include "THNN/layer/Template.h"

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
  const int slides = THNN_(isDepthWise)(c);
  if ((!slides && !THNN_(fillsLanes)((back ? c->planes : c->outputs) / c->groups)) ||
      !THNN_(liesLast)(c, to, back ? c->xSize : c->ySize))
    return 0;
  const THNNConvolution l = THNN_(withPlanesLast)(c);
  THGuard guard[2];
  from = THNN_(viewLast)(c, &guard[0], from);
  to = THNN_(viewLast)(c, &guard[1], to);
  if (slides)
    THNN_(convolveDepthWise)(&l, back, from, weight, bias, to);
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
  if (c->groups < 1 || c->depth < 1 || c->last ||
      (!THNN_(areWeightsImplicit)(c) && !THNN_(isDepthWise)(c)) ||
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
