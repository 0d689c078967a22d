/* Views of channels-last tensors (batch, rows, columns, channels) for the algorithms that compute in
 * that layout: the last dimension of a view is the channels.  A result that is channels-last before
 * the call stays channels-last. */
#include "THNN/layer/Template.h"

/* A tensor that is contiguous as well, because it has one plane or one position, is not taken for
 * channels-last. */
int THNN_(isNhwc)(const THNNConvolution *c, THTensor *t, const int64_t *size)
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

THTensor *THNN_(viewNhwc)(const THNNConvolution *c, THGuard *guard, THTensor *t)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  THTensor *view = guard->what = THTensor_(newWithTensor)(t);
  for (int d = c->batched; d + 1 < c->dims; d++)
    THTensor_(transpose)(view, NULL, d, d + 1);
  return view;
}

static void THNN_(toChannelsLast)(const THNNConvolution *c, int64_t *size)
{
  const int64_t planes = size[c->batched];
  for (int d = c->batched; d + 1 < c->dims; d++)
    size[d] = size[d + 1];
  size[c->dims - 1] = planes;
}

THNNConvolution THNN_(toNhwc)(const THNNConvolution *c)
{
  THNNConvolution l = *c;
  l.channelsLast = 1;
  THNN_(toChannelsLast)(&l, l.xSize);
  THNN_(toChannelsLast)(&l, l.ySize);
  return l;
}
