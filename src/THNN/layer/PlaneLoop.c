/* Layers that compute each plane of an image by itself: checks, and the loop over planes. */
#include "TH/index/THIndex.h"
#include "TH/loop/THStream.h"

#include "Template.h"

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

#ifndef TH_TEMPLATE_DEVICE /* devices share only the checks */

/* Planes are cut into as many chunks as there are threads, each with scratch memory of its own. */
typedef struct {
  const THNN_(Work) * work;
  ptrdiff_t chunks;
  char *scratch;
  int *strange; /* set if an index is out of range */
} THNN_(Chunks);

static ptrdiff_t THNN_(firstOf)(const THNN_(Chunks) * c, ptrdiff_t chunk)
{
  const ptrdiff_t count = c->work->planes->count;
  return chunk * (count / c->chunks) + THMin(chunk, count % c->chunks);
}

static void THNN_(lookAtIndices)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Chunks) *c = context;
  const THNN_(Work) *work = c->work;
  const ptrdiff_t each = work->planes->output, first = THNN_(firstOf)(c, begin) * each;
  const ptrdiff_t count = THNN_(firstOf)(c, end) * each - first;
  if (!THIndex_areInside(work->from + first, count, work->base, work->limit))
    __atomic_store_n(c->strange, 1, __ATOMIC_RELAXED);
}

/* Each thread checks the indices that it is going to use, which are then in its caches. */
static void THNN_(checkIndices)(THNN_(Chunks) * chunks)
{
  const THNN_(Work) *work = chunks->work;
  const THNNPlanes *p = work->planes;
  const ptrdiff_t count = p->count * p->output;
  int strange = 0;
  chunks->strange = &strange;
  THParallel_for(chunks->chunks, 1, THNN_(lookAtIndices), chunks);
  if (!strange)
    return;
  for (ptrdiff_t i = 0; i < count; i++)
    if (work->from[i] < work->base || work->from[i] - work->base >= work->limit)
      THError("indices holds %lld, which is not an index from %lld to %lld, for input of size %s",
              (long long)work->from[i], (long long)work->base,
              (long long)(work->base + work->limit - 1), _THSizeDesc(p->inSize, p->dims).str);
}

static void THNN_(workChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Chunks) *c = context;
  for (ptrdiff_t chunk = begin; chunk < end; chunk++) {
    const ptrdiff_t next = THNN_(firstOf)(c, chunk + 1);
    for (ptrdiff_t plane = THNN_(firstOf)(c, chunk); plane < next; plane++)
      c->work->plane(c->work, plane, c->scratch + (size_t)chunk * c->work->scratch);
  }
  if (c->work->streams)
    THStream_finish();
}

void THNN_(work)(const THNNPlanes *planes, THNN_(Work) * work)
{
  work->planes = planes;
  work->scratch = (work->scratch + 63) / 64 * 64; /* threads do not share cache lines */
  THNN_(Chunks) chunks = {.work = work};
  chunks.chunks = THParallel_threads(planes->count, THMax(1, TH_LOOP_GRAIN / THMax(1, work->cost)));
  THNN_(Call) call;
  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  THIndexTensor *given = THNN_Longsource(&longCall, work->given), *index = NULL;
  if (given) {
    THNN_Longready(&longCall);
    work->from = THIndexTensor_(data)(given);
    THNN_(checkIndices)(&chunks);
  }
  if (work->indices)
    index = THNN_Longresult(&longCall, work->indices, planes->dims, planes->outSize);

  THNN_(beginPart)(&call, longCall.memory);
  THTensor *source = THNN_(source)(&call, work->source), *with[2];
  for (int i = 0; i < 2; i++)
    with[i] = THNN_(source)(&call, work->with[i]);
  THTensor *result = THNN_(result)(&call, work->result, planes->dims,
                                   work->back ? planes->inSize : planes->outSize);
  if (work->scratch)
    chunks.scratch =
        (char *)THNN_(scratch)(&call, chunks.chunks * (ptrdiff_t)(work->scratch / sizeof(real)));

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
  THParallel_for(chunks.chunks, 1, THNN_(workChunks), &chunks);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

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
