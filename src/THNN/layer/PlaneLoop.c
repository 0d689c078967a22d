/* Layers that compute each plane of an image by itself: checks, and the loop over planes. */
#include "Template.h"

#ifndef TH_TEMPLATE_DEVICE
#include "TH/index/THIndex.h"
#include "TH/loop/THStream.h"
#endif

THNNPlanes THNN_(planes)(THTensor *input, int argument, int axes, int least, int most,
                         const char *text)
{
  const int leading = input->nDimension - axes;
  THArgCheck(leading >= least && leading <= most, argument,
             "the tensor has size %s, and has to be %s", THTensor_(sizeDesc)(input).str, text);
  return THNNPlanes_of(input->nDimension, input->size, axes);
}

THNNPlanes THNN_(imagePlanes)(THTensor *input, int axes)
{
  static const char *const texts[] = {"planes x width, or a batch of that",
                                      "planes x height x width, or a batch of that",
                                      "planes x depth x height x width, or a batch of that"};
  return THNN_(planes)(input, 2, axes, 1, 2, texts[axes - 1]);
}

void THNN_(checkGradOutput)(const THNNPlanes *p, THTensor *gradOutput)
{
  if (!THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, p->outSize, p->dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, _THSizeDesc(p->inSize, p->dims).str,
            _THSizeDesc(p->outSize, p->dims).str);
}

void THNN_(resultOf)(THNNPlanes *p, THTensor *gradOutput)
{
  int64_t out[] = {1, 1, 1};
  if (gradOutput->nDimension != p->dims)
    THError("gradOutput has size %s, for input of %s it has to have %d dimensions",
            THTensor_(sizeDesc)(gradOutput).str, _THSizeDesc(p->inSize, p->dims).str, p->dims);
  memcpy(out + 3 - p->axes, gradOutput->size + p->dims - p->axes, (size_t)p->axes * sizeof *out);
  THNNPlanes_result(p, out);
  THNN_(checkGradOutput)(p, gradOutput);
}

#ifndef TH_TEMPLATE_DEVICE /* kernels compute all planes */

/* Planes are cut into as many chunks as there are threads, each with scratch memory of its own. */

static ptrdiff_t THNN_(firstOf)(const THNN_(Work) * work, ptrdiff_t chunk)
{
  const ptrdiff_t count = work->planes->count;
  return chunk * (count / work->chunks) + THMin(chunk, count % work->chunks);
}

typedef struct {
  const THNN_(Work) * work;
  int strange; /* set if an index is out of range */
} THNN_(Look);

static void THNN_(lookAtIndices)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  THNN_(Look) *look = context;
  const THNN_(Work) *work = look->work;
  const ptrdiff_t each = work->planes->output, first = THNN_(firstOf)(work, begin) * each;
  const ptrdiff_t count = THNN_(firstOf)(work, end) * each - first;
  if (!THIndex_areInside(work->from + first, count, work->base, work->limit))
    __atomic_store_n(&look->strange, 1, __ATOMIC_RELAXED);
}

/* Each thread checks the indices that it is going to use, which are then in its caches. */
int THNN_(findStrange)(const THNN_(Work) * work, int64_t *value)
{
  const ptrdiff_t count = work->planes->count * work->planes->output;
  THNN_(Look) look = {work, 0};
  THParallel_for(work->chunks, 1, THNN_(lookAtIndices), &look);
  for (ptrdiff_t i = 0; i < count && look.strange; i++) {
    *value = work->from[i];
    if (*value < work->base || *value - work->base >= work->limit)
      return 1;
  }
  return 0;
}

void THNN_(prepareChunks)(THNN_(Work) * work, THNN_(Call) * call)
{
  work->scratch = (work->scratch + 63) / 64 * 64; /* threads do not share cache lines */
  if (work->scratch)
    work->memory =
        (char *)THNN_(scratch)(call, work->chunks * (ptrdiff_t)(work->scratch / sizeof(real)));
}

static void THNN_(workChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Work) *work = context;
  for (ptrdiff_t chunk = begin; chunk < end; chunk++) {
    const ptrdiff_t next = THNN_(firstOf)(work, chunk + 1);
    for (ptrdiff_t plane = THNN_(firstOf)(work, chunk); plane < next; plane++)
      work->plane(work, plane, work->memory + (size_t)chunk * work->scratch);
  }
  if (work->streams)
    THStream_finish();
}

void THNN_(runChunks)(THNN_(Work) * work)
{
  THParallel_for(work->chunks, 1, THNN_(workChunks), work);
}

#endif

static void THNN_(checkIndices)(const THNN_(Work) * work)
{
  const THNNPlanes *p = work->planes;
  int64_t value;
  if (work->limit && THNN_(findStrange)(work, &value))
    THError("indices holds %lld, which is not an index from %lld to %lld, for input of size %s",
            (long long)value, (long long)work->base, (long long)(work->base + work->limit - 1),
            _THSizeDesc(p->inSize, p->dims).str);
}

void THNN_(work)(const THNNPlanes *planes, THNN_(Work) * work)
{
  work->planes = planes;
  work->chunks = THParallel_threads(planes->count, THMax(1, TH_LOOP_GRAIN / THMax(1, work->cost)));
  THNN_(Call) call;
  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  THIndexTensor *given = THNN_Longsource(&longCall, work->given), *index = NULL;
  if (given) {
    THNN_Longready(&longCall);
    work->from = THIndexTensor_(data)(given);
    THNN_(checkIndices)(work);
  }
  if (work->indices)
    index = THNN_Longresult(&longCall, work->indices, planes->dims, planes->outSize);

  THNN_(beginPart)(&call, longCall.memory);
  THTensor *source = THNN_(source)(&call, work->source), *with[2];
  for (int i = 0; i < 2; i++)
    with[i] = THNN_(source)(&call, work->with[i]);
  THTensor *result = THNN_(result)(&call, work->result, planes->dims,
                                   work->back ? planes->inSize : planes->outSize);
  THNN_(prepareChunks)(work, &call);

  THNN_(ready)(&call);
  THNN_Longready(&longCall);
  THNN_(start)(&call);
  THNN_Longstart(&longCall);
  work->x = THTensor_(data)(source);
  for (int i = 0; i < 2; i++)
    work->w[i] = with[i] ? THTensor_(data)(with[i]) : NULL;
  work->y = THTensor_(data)(result);
  if (given)
    work->from = THIndexTensor_(data)(given);
  if (index)
    work->to = THIndexTensor_(data)(index);
  THNN_(runChunks)(work);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

#ifndef TH_TEMPLATE_DEVICE /* which copies channels-last images */

int THNN_(areChannelsLast)(const THNNPlanes *p, int back, THTensor *source, THTensor *result)
{
  const int64_t *from = back ? p->outSize : p->inSize, *to = back ? p->inSize : p->outSize;
  return THNNPlanes_areChannelsLast(p, from, source->nDimension, source->size, source->stride) &&
         THNNPlanes_areChannelsLast(p, to, result->nDimension, result->size, result->stride);
}

THTensor *THNN_(viewChannelsLast)(const THNNPlanes *p, THGuard *guard, THTensor *t)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  THTensor *view = guard->what = THTensor_(newWithTensor)(t);
  for (int d = p->dims - p->axes - 1; d + 1 < p->dims; d++)
    THTensor_(transpose)(view, NULL, d, d + 1);
  return view;
}

void THNN_(workRowsNhwc)(const THNNPlanes *p, THNN_(Work) * work)
{
  THGuard ofSource, ofResult;
  const int64_t *to = work->back ? p->in : p->out;
  THNNPlanes last = THNNPlanes_channelsLast(p);
  last.count = p->count / THNNPlanes_ofImage(p) * to[0] * to[1];
  work->source = THNN_(viewChannelsLast)(p, &ofSource, work->source);
  work->result = THNN_(viewChannelsLast)(p, &ofResult, work->result);
  THNN_(work)(&last, work);
  THGuard_leave(&ofResult);
  THGuard_leave(&ofSource);
}

#endif
