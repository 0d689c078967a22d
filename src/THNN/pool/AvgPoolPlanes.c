/* Average pooling on the processor: planes, channels-last images, and means of whole planes. */
#include "THNN/layer/Template.h"
#include "THKernel.h"
#include "AvgPoolLayers.h"

TH_DISPATCH(THNN_(WindowSumKernel), THNN_(windowSum))
TH_DISPATCH(THNN_(SumNhwcKernel), THNN_(sumNhwc))

static void THNN_(sumPlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *memory)
{
  const THNNPlanes *p = loop->planes;
  TH_DISPATCHED(THNN_(windowSum))
  [THNN_WINDOW_SUM](p, loop->layer, loop->x + plane * p->input, loop->y + plane * p->output,
                    memory);
}

static void THNN_(sumPlaneBackward)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *memory)
{
  const THNNPlanes *p = loop->planes;
  TH_DISPATCHED(THNN_(windowSum))
  [THNN_WINDOW_BACKWARD](p, loop->layer, loop->x + plane * p->output, loop->y + plane * p->input,
                         memory);
}

static void THNN_(sumRowNhwc)(const THNN_(PlaneLoop) * loop, ptrdiff_t row, void *memory)
{
  const THNNPlanes *p = loop->planes;
  const ptrdiff_t planes = p->inSize[p->dims - 1];
  const int64_t *to = loop->backward ? p->in : p->out;
  const ptrdiff_t rows = to[0] * to[1];
  TH_DISPATCHED(THNN_(sumNhwc))
  [loop->backward
       ? THNN_WINDOW_BACKWARD
       : THNN_WINDOW_SUM](p, loop->layer, planes,
                          loop->x + row / rows * (loop->backward ? p->output : p->input) * planes,
                          row % rows, loop->y + row * to[2] * planes, memory);
}

/* For channels-last images; the result is channels-last as well. */
static void THNN_(sumWindowsNhwc)(const THNNPlanes *p, const THNNSpans *spans, int backward,
                                  THTensor *source, THTensor *result)
{
  const ptrdiff_t planes = THNNPlanes_perImage(p);
  const int64_t *to = backward ? p->in : p->out;
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(sumRowNhwc),
          .layer = spans,
          .backward = backward,
          .source = source,
          .result = result,
          .cost = planes * (p->input + 4 * p->output) / (to[0] * to[1]),
          .scratch = backward ? THNN_SUM_MOST * (size_t)p->out[2] * sizeof(real) : 0};
  THNN_(runRowsNhwc)(p, &loop);
}

/* Whether each plane is one window, divided by all its elements, and planes are short and many:
 * long ones would gain nothing, and for fewer the set-up would take too long. */
static int THNN_(areMeans)(const THNNPlanes *p, const THNNSpans *spans)
{
  enum { MAX_ELEMENTS = 1024, MIN_PLANES = 16 };
  if (p->input > MAX_ELEMENTS || p->count < MIN_PLANES)
    return 0;
  for (int a = 0; a < 3; a++)
    if (p->out[a] != 1 || spans->of[a]->end - spans->of[a]->begin != p->in[a] ||
        spans->of[a]->count != p->in[a])
      return 0;
  return 1;
}

/* The mean of each plane as a row of a matrix: TH computes several rows at once. */
static void THNN_(meanOfPlanes)(const THNNPlanes *p, THTensor *source, THTensor *result)
{
  THGuard ofRows, ofMeans;
  THNN_(Call) call;
  THNN_(begin)(&call);
  source = THNN_(source)(&call, source);
  result = THNN_(result)(&call, result, p->dims, p->outSize);
  THNN_(ready)(&call);
  THGuard_enter(&ofRows, (THUndo)THTensor_(free));
  ofRows.what = THTensor_(newWithStorage2d)(source->storage, source->storageOffset, p->count,
                                            p->input, p->input, 1);
  THGuard_enter(&ofMeans, (THUndo)THTensor_(free));
  ofMeans.what = THTensor_(newWithStorage1d)(result->storage, result->storageOffset, p->count, 1);
  THNN_(start)(&call);
  THTensor_(mean)(ofMeans.what, ofRows.what, 1, 0);
  THGuard_leave(&ofMeans);
  THGuard_leave(&ofRows);
  THNN_(finish)(&call);
}

void THNN_(sumWindows)(const THNNPlanes *p, const THNNSpans *spans, int backward, THTensor *source,
                       THTensor *result)
{
  if ((!backward || THNNWindowSum_areFew(p, spans)) &&
      THNN_(areChannelsLast)(p, backward, source, result)) {
    THNN_(sumWindowsNhwc)(p, spans, backward, source, result);
    return;
  }
  if (!backward && THNN_(areMeans)(p, spans)) {
    THNN_(meanOfPlanes)(p, source, result);
    return;
  }
  const THNNWindowSum sum = THNNWindowSum_of(p, spans, backward);
  THNN_(PlaneLoop)
  loop = {.plane = backward ? THNN_(sumPlaneBackward) : THNN_(sumPlane),
          .layer = &sum,
          .backward = backward,
          .source = source,
          .result = result,
          .cost = p->input + 4 * p->output,
          .scratch = sum.bytes};
  THNN_(runPlanes)(p, &loop);
}

void THNN_(averageWindows)(const THNNPlanes *p, const THNNWindow axis[3], THNNDivide divide,
                           int backward, THTensor *source, THTensor *result)
{
  THGuard guard;
  THNNSpans spans;
  THNNSpans_divided(&spans, &guard, axis, divide);
  THNN_(sumWindows)(p, &spans, backward, source, result);
  THGuard_leave(&guard);
}
