/* The shapes of planes. */
#include "THNNPlanes.h"

static ptrdiff_t places(const int64_t *size, int dims, const int64_t *all, int allDims)
{
  ptrdiff_t product;
  if (!THSize_product(allDims, all, &product) || !THSize_product(dims, size, &product))
    THError("there is no tensor of size %s: its number of elements is negative or too large",
            _THSizeDesc(all, allDims).str);
  return product;
}

THNNPlanes THNNPlanes_of(int dims, const int64_t *size, int axes)
{
  THNNPlanes p = {.dims = dims, .axes = axes, .count = 1, .in = {1, 1, 1}, .out = {1, 1, 1}};
  const int leading = dims - axes;
  memcpy(p.inSize, size, (size_t)dims * sizeof *size);
  memcpy(p.outSize, size, (size_t)leading * sizeof *size);
  for (int d = 0; d < leading; d++)
    p.count *= size[d];
  memcpy(p.in + 3 - axes, size + leading, (size_t)axes * sizeof *size);
  p.input = places(p.in, 3, p.inSize, dims);
  return p;
}

void THNNPlanes_result(THNNPlanes *p, const int64_t out[3])
{
  memcpy(p->out, out, sizeof p->out);
  memcpy(p->outSize + p->dims - p->axes, out + 3 - p->axes, (size_t)p->axes * sizeof *out);
  for (int axis = 0; axis < 3; axis++)
    if (out[axis] < 1)
      THError("output would have size %s, for input of %s", _THSizeDesc(p->outSize, p->dims).str,
              _THSizeDesc(p->inSize, p->dims).str);
  p->output = places(p->out, 3, p->outSize, p->dims);
}

void THNNPlanes_slide(THNNPlanes *p, THNNWindow axis[3], bool ceil_mode)
{
  static const char *const names[] = {"T", "H", "W"};
  int64_t out[3];
  for (int a = 0; a < 3; a++) {
    THNNWindow *w = &axis[a];
    w->input = p->in[a];
    THNNWindow_check(w, names[a]);
    if (w->pad > w->size / 2)
      THError("pad%s is %lld, more than half of windows of %lld", names[a], (long long)w->pad,
              (long long)w->size);
    THNNWindow_count(w, ceil_mode);
    if (w->output < 1)
      THError("input of size %s is too small for windows of k%s = %lld with pad%s = %lld",
              _THSizeDesc(p->inSize, p->dims).str, names[a], (long long)w->size, names[a],
              (long long)w->pad);
    for (int64_t i = 0; i < w->output; i++) {
      const THNNSpan span = THNNWindow_span(w, i);
      if (span.begin >= span.end)
        THError("input of size %s has no element in window %lld of k%s = %lld, dilation%s = %lld",
                _THSizeDesc(p->inSize, p->dims).str, (long long)i, names[a], (long long)w->size,
                names[a], (long long)w->dilation);
    }
    out[a] = w->output;
  }
  THNNPlanes_result(p, out);
}
