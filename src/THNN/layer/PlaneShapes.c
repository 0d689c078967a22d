/* The shapes of planes. */
#include "PlaneLoop.h"
#include "THNN/pool/AvgPool.h"

static ptrdiff_t elements(const int64_t *size, int dims, const int64_t *all, int allDims)
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
  p.input = elements(p.in, 3, p.inSize, dims);
  return p;
}

void THNNPlanes_setOutput(THNNPlanes *p, const int64_t out[3])
{
  memcpy(p->out, out, sizeof p->out);
  memcpy(p->outSize + p->dims - p->axes, out + 3 - p->axes, (size_t)p->axes * sizeof *out);
  for (int axis = 0; axis < 3; axis++)
    if (out[axis] < 1)
      THError("output would have size %s, for input of %s", _THSizeDesc(p->outSize, p->dims).str,
              _THSizeDesc(p->inSize, p->dims).str);
  p->output = elements(p->out, 3, p->outSize, p->dims);
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
  THNNPlanes_setOutput(p, out);
}

int THNNPlanes_areChannelsLast(const THNNPlanes *p, const int64_t *wanted, int dims,
                               const int64_t *size, const int64_t *stride)
{
  if (!THSize_isSameSizeAs(size, dims, wanted, p->dims))
    return 0;
  const int planes = dims - p->axes - 1;
  int64_t all = size[planes];
  if (all < 2 || stride[planes] != 1)
    return 0;
  for (int d = dims - 1; d >= 0; d--) {
    if (d == planes || size[d] == 1)
      continue;
    if (stride[d] != all)
      return 0;
    all *= size[d];
  }
  return 1;
}

static void move_channels_last(const THNNPlanes *p, int64_t *size)
{
  const int planes = p->dims - p->axes - 1;
  const int64_t count = size[planes];
  memmove(size + planes, size + planes + 1, (size_t)p->axes * sizeof *size);
  size[p->dims - 1] = count;
}

THNNPlanes THNNPlanes_channelsLast(const THNNPlanes *p)
{
  THNNPlanes last = *p;
  last.count = p->count / THNNPlanes_perImage(p) * p->out[0] * p->out[1];
  move_channels_last(p, last.inSize);
  move_channels_last(p, last.outSize);
  return last;
}

/* The most windows along an axis that one position is in. */
static int64_t most_windows(const THNNSpan *span, int64_t count)
{
  int64_t most = 0;
  for (int64_t i = 0, first = 0; i < count; i++) {
    while (span[first].end <= span[i].begin)
      first++;
    most = THMax(most, i - first + 1);
  }
  return most;
}

int THNNWindowSum_areFew(const THNNPlanes *p, const THNNSpans *spans)
{
  double all = 1;
  for (int a = 0; a < 3; a++)
    all *= (double)most_windows(spans->of[a], p->out[a]);
  return all <= THNN_SUM_MOST;
}

/* Whether windows slide, and have so few elements that they are summed in vectors. */
static int are_small(const THNNSpans *spans, const int64_t *count)
{
  enum { WIDEST = 16, MOST = THNN_SUM_MOST };
  const THNNWindow *w = &spans->width;
  int64_t elements = w->size,
          overlapping = 1; /* elements of a window; rows of windows that a row is in */
  if (w->size < 1 || w->size > WIDEST || w->step > 2)
    return 0;
  for (int a = 0; a < 2; a++) {
    int64_t longest = 1;
    for (int64_t i = 0; i < count[a]; i++)
      longest = THMax(longest, spans->of[a][i].end - spans->of[a][i].begin);
    const int64_t most = most_windows(spans->of[a], count[a]);
    if (longest > MOST || most > MOST)
      return 0;
    elements *= longest;
    overlapping *= most;
  }
  return elements <= MOST && overlapping <= MOST;
}

THNNWindowSum THNNWindowSum_of(const THNNPlanes *p, const THNNSpans *spans, int back)
{
  enum { LANES = 16 };
  const THNNWindow *w = &spans->width;
  THNNWindowSum sum = {.spans = spans, .bytes = (size_t)p->in[2] * sizeof(double)};
  if (!are_small(spans, p->out))
    return sum;
  sum.size = w->size;
  sum.step = w->step;
  sum.pad = w->pad;
  sum.left = back ? w->pad : (w->pad + LANES - 1) / LANES * LANES;
  sum.front = back ? LANES : 0;
  sum.lines = THNN_SUM_BATCH;
  const int64_t reach = THMax(p->out[2], LANES) * w->step + w->size;
  sum.pitch = (THMax(p->in[2], reach) + sum.left + 3 * LANES - 1) / LANES * LANES;
  if (back) { /* lines become a power of two */
    const int64_t depth = most_windows(spans->of[0], p->out[0]);
    const int64_t lines = p->in[0] > 1
                              ? depth * p->out[1]
                              : (depth - 1) * p->out[1] + most_windows(spans->of[1], p->out[1]);
    while (sum.lines < lines + THNN_SUM_BATCH)
      sum.lines *= 2;
  }
  ptrdiff_t elements;
  if (__builtin_mul_overflow(sum.lines + THNN_SUM_BATCH, sum.front + sum.pitch, &elements) ||
      __builtin_add_overflow(elements, p->out[2] + 2 * LANES, &elements) ||
      __builtin_mul_overflow((size_t)elements, sizeof(double), &sum.bytes))
    THError("images of %s have too many windows", _THSizeDesc(p->inSize, p->dims).str);
  return sum;
}
