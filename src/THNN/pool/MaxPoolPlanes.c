/* Max pooling on the processor: planes, channels-last images, sequences. */
#include "TH/loop/THPlan.h"
#include "THKernel.h"

#include "THNN/layer/Template.h"
#include "MaxPoolLayers.h"

TH_DISPATCH(THNN_(MaxPoolKernel), THNN_(maxPool))
TH_DISPATCH(THNN_(MaxPoolBackwardKernel), THNN_(maxPoolBackwardKernel))
TH_DISPATCH(THNN_(MaxNhwcKernel), THNN_(maxPoolNhwc))
TH_DISPATCH(THNN_(MaxSpansKernel), THNN_(maxSpans))

/* --- windows of any kind --------------------------------------------------------------------- */

/* Elements along an axis of the middle window, which is typical. */
static int64_t THNN_(elementsAlong)(const THNNPlanes *p, const THNNSpans *spans, int axis)
{
  const THNNSpan *middle = &spans->of[axis][p->out[axis] / 2];
  return (middle->end - middle->begin - 1) / spans->dilation[axis] + 1;
}

static int64_t THNN_(elementsOfWindow)(const THNNPlanes *p, const THNNSpans *spans)
{
  return THNN_(elementsAlong)(p, spans, 0) * THNN_(elementsAlong)(p, spans, 1) *
         THNN_(elementsAlong)(p, spans, 2);
}

/* Whether windows are so large that vectors of their rows are worth it. */
static int THNN_(areLarge)(const THNNPlanes *p, const THNNSpans *spans)
{
  enum { LARGE = 8 };
  return THNN_(elementsOfWindow)(p, spans) >= LARGE && THNN_(elementsAlong)(p, spans, 2) > 1;
}

void THNN_(maxOfSpans)(const THNNPlanes *p, const THNNSpans *spans, const real *x, real *y,
                       int64_t *index)
{
  /* In windows with so few elements a branch on the largest is often mispredicted: no branches. */
  enum { BRANCHLESS = 4 };
  const int64_t *dilation = spans->dilation;
  if (*TH_DISPATCHED(THNN_(maxSpans)) && p->input <= INT32_MAX && dilation[2] == 1 &&
      THNN_(areLarge)(p, spans)) {
    (*TH_DISPATCHED(THNN_(maxSpans)))(p, spans, x, y, index);
    return;
  }
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++)
      for (int64_t k = 0; k < p->out[2]; k++) {
        const THNNSpan t = spans->of[0][i], h = spans->of[1][j], w = spans->of[2][k];
        int64_t best = (t.begin * p->in[1] + h.begin) * p->in[2] + w.begin;
        real most = -(real)INFINITY;
        const int isSmall = (t.end - t.begin) * (h.end - h.begin) * (w.end - w.begin) <= BRANCHLESS;
        for (int64_t z = t.begin; z < t.end; z += dilation[0])
          for (int64_t r = h.begin; r < h.end; r += dilation[1]) {
            const int64_t row = (z * p->in[1] + r) * p->in[2];
            for (int64_t c = w.begin; c < w.end; c += dilation[2]) {
              const real value = x[row + c];
              const int64_t take = (value > most) | (value != value); /* NaN is larger than all */
              if (isSmall) {
                best ^= (best ^ (row + c)) & -take;
                most = x[best];
              } else if (take) {
                most = value;
                best = row + c;
              }
            }
          }
        *y++ = most;
        *index++ = best + TH_INDEX_BASE;
      }
}

static void THNN_(spansPlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *unused)
{
  const THNNPlanes *p = loop->planes;
  THNN_(maxOfSpans)(p, loop->layer, loop->x + plane * p->input, loop->y + plane * p->output,
                    loop->indexOut + plane * p->output);
}

/* --- channels-last images -------------------------------------------------------------------- */

static THIndexTensor *THNN_(viewIndicesNhwc)(const THNNPlanes *p, THGuard *guard, THIndexTensor *t)
{
  THGuard_enter(guard, (THUndo)THIndexTensor_(free));
  THIndexTensor *view = guard->what = THIndexTensor_(newWithTensor)(t);
  for (int d = p->dims - p->axes - 1; d + 1 < p->dims; d++)
    THIndexTensor_(transpose)(view, NULL, d, d + 1);
  return view;
}

/* Whether all three tensors are channels-last, and planes are small enough for the kernel. */
static int THNN_(canPoolNhwc)(const THNNPlanes *p, THTensor *input, THTensor *output,
                              THIndexTensor *indices)
{
  return p->input <= INT32_MAX && THNN_(areChannelsLast)(p, 0, input, output) &&
         THNNPlanes_areChannelsLast(p, p->outSize, indices->nDimension, indices->size,
                                    indices->stride);
}

static void THNN_(maxRowNhwc)(const THNN_(PlaneLoop) * loop, ptrdiff_t row, void *unused)
{
  const THNNPlanes *p = loop->planes;
  const ptrdiff_t planes = p->inSize[p->dims - 1];
  const ptrdiff_t rows = p->out[0] * p->out[1], each = p->out[2] * planes;
  (*TH_DISPATCHED(THNN_(maxPoolNhwc)))(p, loop->layer, planes,
                                       loop->x + row / rows * p->input * planes, row % rows,
                                       loop->y + row * each, loop->indexOut + row * each);
}

static void THNN_(maxOfSpansNhwc)(const THNNPlanes *p, const THNNSpans *spans, THTensor *input,
                                  THTensor *output, THIndexTensor *indices)
{
  THGuard ofIndices;
  const int64_t elements = THNN_(elementsOfWindow)(p, spans);
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(maxRowNhwc),
          .layer = spans,
          .source = input,
          .result = output,
          .cost = 4 * elements * p->out[2] * THNNPlanes_perImage(p)};
  loop.indicesOut = THNN_(viewIndicesNhwc)(p, &ofIndices, indices);
  THNN_(runRowsNhwc)(p, &loop);
  THGuard_leave(&ofIndices);
}

/* --- the gradient ---------------------------------------------------------------------------- */

static void THNN_(maxPoolPlaneBackward)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane,
                                        void *scratch)
{
  const THNNPlanes *p = loop->planes;
  const THNNWindow *axis = loop->layer;
  real *y = loop->y + plane * p->input;
  const real *x = loop->x + plane * p->output;
  const int64_t *index = loop->indexIn + plane * p->output;
  if (axis &&
      (*TH_DISPATCHED(THNN_(maxPoolBackwardKernel)))(axis, loop->streams, x, index, y, scratch))
    return;
  memset(y, 0, (size_t)p->input * sizeof *y);
  /* Neighbours often have the same source, and their additions then wait for each other.  So the
   * windows are cut into four parts, and one element of each is added in turn.  For the next plane,
   * eight indices and the elements of as many windows are prefetched at a time. */
  enum { LINE = 8, WRITTEN = 64 / sizeof *y }; /* indices and elements of a cache line */
  const ptrdiff_t part = p->output / THNN_POOL_PARTS, each = p->input / THMax(1, p->output);
  for (ptrdiff_t i = 0; i < part; i++) {
    if (i % LINE == 0)
      for (int k = 0; k < THNN_POOL_PARTS; k++) {
        const ptrdiff_t next = i + k * part, count = THMin(LINE, part - i) * each;
        __builtin_prefetch(index + p->output + next);
        __builtin_prefetch(x + p->output + next);
        for (ptrdiff_t to = 0; to < count; to += WRITTEN)
          __builtin_prefetch(y + p->input + next * each + to, 1);
      }
    for (int k = 0; k < THNN_POOL_PARTS; k++)
      y[index[i + k * part] - TH_INDEX_BASE] += x[i + k * part];
  }
  for (ptrdiff_t i = THNN_POOL_PARTS * part; i < p->output; i++)
    y[index[i] - TH_INDEX_BASE] += x[i];
}

static inline void THNN_(addWindowNhwc)(const THNN_(PlaneLoop) * loop, ptrdiff_t at,
                                        ptrdiff_t planes, real *y)
{
  for (ptrdiff_t k = 0; k < planes; k++)
    y[(loop->indexIn[at + k] - TH_INDEX_BASE) * planes + k] += loop->x[at + k];
}

/* Computes the gradient of a channels-last image, in the order of maxPoolPlaneBackward, so that sums have the
 * same bits. */
static void THNN_(maxPoolImageBackward)(const THNN_(PlaneLoop) * loop, ptrdiff_t image,
                                        void *unused)
{
  const THNNPlanes *p = loop->planes;
  const ptrdiff_t planes = p->inSize[p->dims - 1], begin = image * p->output;
  const ptrdiff_t windows = p->output / planes, part = windows / THNN_POOL_PARTS;
  real *y = loop->y + image * p->input;
  memset(y, 0, (size_t)p->input * sizeof *y);
  for (ptrdiff_t i = 0; i < part; i++)
    for (int k = 0; k < THNN_POOL_PARTS; k++)
      THNN_(addWindowNhwc)(loop, begin + (i + k * part) * planes, planes, y);
  for (ptrdiff_t i = THNN_POOL_PARTS * part; i < windows; i++)
    THNN_(addWindowNhwc)(loop, begin + i * planes, planes, y);
}

/* Computes the gradient of channels-last images.  Returns 0 if a tensor is not channels-last, or if there are
 * fewer images than threads: an image is not divided among threads. */
static int THNN_(maxPoolNhwcBackward)(const THNNPlanes *p, THTensor *gradOutput,
                                      THTensor *gradInput, THIndexTensor *indices)
{
  const ptrdiff_t planes = THNNPlanes_perImage(p), images = p->count / planes;
  if (images < THParallel_threads(p->count * (p->input + p->output), TH_LOOP_GRAIN) ||
      !THNNPlanes_areChannelsLast(p, p->outSize, gradOutput->nDimension, gradOutput->size,
                                  gradOutput->stride) ||
      !THNNPlanes_areChannelsLast(p, p->outSize, indices->nDimension, indices->size,
                                  indices->stride) ||
      !THNNPlanes_areChannelsLast(p, p->inSize, gradInput->nDimension, gradInput->size,
                                  gradInput->stride))
    return 0;
  THGuard ofOutput, ofInput, ofIndices;
  THNNPlanes nhwc = THNNPlanes_channelsLast(p);
  nhwc.count = images;
  nhwc.input *= planes;
  nhwc.output *= planes;
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(maxPoolImageBackward),
          .backward = 1,
          .source = THNN_(viewChannelsLast)(p, &ofOutput, gradOutput),
          .limit = p->input,
          .base = TH_INDEX_BASE,
          .cost = nhwc.input + nhwc.output};
  loop.result = THNN_(viewChannelsLast)(p, &ofInput, gradInput);
  loop.indicesIn = THNN_(viewIndicesNhwc)(p, &ofIndices, indices);
  THNN_(runPlanes)(&nhwc, &loop);
  THGuard_leave(&ofIndices);
  THGuard_leave(&ofInput);
  THGuard_leave(&ofOutput);
  return 1;
}

void THNN_(maxPoolBackward)(const THNNPlanes *p, const THNNWindow axis[3], THTensor *gradOutput,
                            THTensor *gradInput, THIndexTensor *indices)
{
  if (THNN_(maxPoolNhwcBackward)(p, gradOutput, gradInput, indices))
    return;
  enum { LANES = 64 / sizeof(real) };
  const int wide = p->out[2] >= 3 * LANES / 4; /* rows of windows that fill most of a vector */
  const int gathers = axis[2].kind == THNN_SLIDES && wide &&
                      *TH_DISPATCHED(THNN_(maxPoolBackwardKernel)) && p->input <= INT32_MAX / 4;
  const ptrdiff_t most = THPlan_cacheBytes() / (ptrdiff_t)sizeof(real);
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(maxPoolPlaneBackward),
          .layer = gathers ? axis : NULL,
          .backward = 1,
          .streams = gathers && p->count * p->input >= most,
          .source = gradOutput,
          .result = gradInput,
          .indicesIn = indices,
          .limit = p->input,
          .base = TH_INDEX_BASE,
          .cost = p->input + p->output,
          .scratch = gathers ? (size_t)THNN_(maxPoolBackwardScratch)(axis) * sizeof(real) : 0};
  THNN_(runPlanes)(p, &loop);
}

/* --- windows that slide ---------------------------------------------------------------------- */

static void THNN_(maxPoolPlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *unused)
{
  const THNNPlanes *p = loop->planes;
  (*TH_DISPATCHED(THNN_(maxPool)))(loop->layer, loop->x + plane * p->input,
                                   loop->y + plane * p->output, loop->indexOut + plane * p->output);
}

/* Max pooling by windows that slide, by one of three kernels: for rows of channels-last images
 * (maxOfSpansNhwc), for one window at a time (spansPlane), or for a whole plane (MaxPoolKernels.c).  A span is
 * the part of a window inside the image along one axis. */
static void THNN_(slidingMax)(const THNNPlanes *p, THNNWindow axis[3], THTensor *input,
                              THTensor *output, THIndexTensor *indices)
{
  for (int a = 0; a < 3; a++) /* cuts off taps that lie beyond the plane in every window */
    axis[a].size = THMin(axis[a].size, (axis[a].input - 1 + axis[a].pad) / axis[a].dilation + 1);
  const int huge = p->input > INT32_MAX; /* indices do not fit into the kernels' vectors */
  const int nhwc = THNN_(canPoolNhwc)(p, input, output, indices);
  THGuard guard;
  THNNSpans spans;
  const THNNWindow *w = &axis[2];
  /* The windows are long and overlap little, or rows have few windows. */
  const int isDisjoint = *TH_DISPATCHED(THNN_(maxSpans)) && (w->step > 2 || w->output == 1) &&
                         w->dilation == 1 && (w->size > 5 || (w->output < 4 && w->size > 1));
  const int bySpans = huge || isDisjoint || nhwc;
  THNNSpans_reserve(&spans, &guard, bySpans ? p->out : (int64_t[]){0, 0, 0});
  for (int a = 0; a < 3; a++) {
    spans.dilation[a] = axis[a].dilation;
    for (int64_t i = 0; bySpans && i < p->out[a]; i++)
      spans.of[a][i] = THNNWindow_span(&axis[a], i);
  }
  THNN_(PlaneLoop)
  loop = {.plane = bySpans ? THNN_(spansPlane) : THNN_(maxPoolPlane),
          .layer = bySpans ? (const void *)&spans : axis,
          .source = input,
          .result = output,
          .indicesOut = indices,
          .cost = 4 * p->output * axis[0].size * axis[1].size * axis[2].size};
  if (nhwc)
    THNN_(maxOfSpansNhwc)(p, &spans, input, output, indices);
  else
    THNN_(runPlanes)(p, &loop);
  THGuard_leave(&guard);
}

/* --- windows that divide the image among a number of outputs --------------------------------- */

static void THNN_(adaptiveMax)(const THNNPlanes *p, const THNNWindow axis[3], THTensor *input,
                               THTensor *output, THIndexTensor *indices)
{
  THGuard guard;
  THNNSpans spans;
  THNNSpans_divided(&spans, &guard, axis, THNN_BY_INSIDE);
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(spansPlane),
          .layer = &spans,
          .source = input,
          .result = output,
          .indicesOut = indices,
          .cost = 4 * (p->input + p->output)};
  if (THNN_(canPoolNhwc)(p, input, output, indices))
    THNN_(maxOfSpansNhwc)(p, &spans, input, output, indices);
  else
    THNN_(runPlanes)(p, &loop);
  THGuard_leave(&guard);
}

void THNN_(maxPoolForward)(const THNNPlanes *p, THNNWindow axis[3], THTensor *input,
                           THTensor *output, THIndexTensor *indices)
{
  if (axis[2].kind == THNN_SLIDES)
    THNN_(slidingMax)(p, axis, input, output, indices);
  else
    THNN_(adaptiveMax)(p, axis, input, output, indices);
}

/* --- sequences ------------------------------------------------------------------------------- */

static void THNN_(framesPlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *unused)
{
  const THNNPlanes *p = loop->planes;
  const THNNWindow *axis = loop->layer;
  THNN_(maxPoolPlane)(loop, plane, unused);
  int64_t *index = loop->indexOut + plane * p->output;
  for (int64_t frame = 0; frame < p->out[1]; frame++)
    for (int64_t i = 0; i < p->out[2]; i++, index++)
      *index = (*index - TH_INDEX_BASE) / p->in[2] - frame * axis[1].step;
}

static void THNN_(framesPlaneBackward)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *unused)
{
  const THNNPlanes *p = loop->planes;
  const THNNWindow *axis = loop->layer;
  real *y = loop->y + plane * p->input;
  const real *x = loop->x + plane * p->output;
  const int64_t *index = loop->indexIn + plane * p->output;
  memset(y, 0, (size_t)p->input * sizeof *y);
  for (int64_t frame = 0; frame < p->out[1]; frame++)
    for (int64_t i = 0; i < p->out[2]; i++)
      y[(frame * axis[1].step + *index++) * p->in[2] + i] += *x++;
}

void THNN_(maxFrames)(const THNNPlanes *p, const THNNWindow axis[3], THTensor *input,
                      THTensor *output, THIndexTensor *indices)
{
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(framesPlane),
          .layer = axis,
          .source = input,
          .result = output,
          .indicesOut = indices,
          .cost = 4 * p->output * axis[1].size};
  THNN_(runPlanes)(p, &loop);
}

void THNN_(maxFramesBackward)(const THNNPlanes *p, const THNNWindow axis[3], THTensor *gradOutput,
                              THTensor *gradInput, THIndexTensor *indices)
{
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(framesPlaneBackward),
          .layer = axis,
          .backward = 1,
          .source = gradOutput,
          .result = gradInput,
          .indicesIn = indices,
          .limit = axis[1].size,
          .base = 0,
          .cost = p->input + p->output};
  THNN_(runPlanes)(p, &loop);
}
