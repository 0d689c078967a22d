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

void THNN_(setOutputLike)(THNNPlanes *p, THTensor *gradOutput)
{
  int64_t out[] = {1, 1, 1};
  if (gradOutput->nDimension != p->dims)
    THError("gradOutput has size %s, for input of %s it has to have %d dimensions",
            THTensor_(sizeDesc)(gradOutput).str, _THSizeDesc(p->inSize, p->dims).str, p->dims);
  memcpy(out + 3 - p->axes, gradOutput->size + p->dims - p->axes, (size_t)p->axes * sizeof *out);
  THNNPlanes_setOutput(p, out);
  THNN_(checkGradOutput)(p, gradOutput);
}

#ifndef TH_TEMPLATE_DEVICE /* kernels compute all planes */

/* Planes are cut into as many chunks as there are threads, each with scratch memory of its own. */

static ptrdiff_t THNN_(firstOf)(const THNN_(PlaneLoop) * loop, ptrdiff_t chunk)
{
  const ptrdiff_t count = loop->planes->count;
  return chunk * (count / loop->chunks) + THMin(chunk, count % loop->chunks);
}

typedef struct {
  const THNN_(PlaneLoop) * loop;
  int isBad; /* set if an index is out of range */
} THNN_(IndexCheck);

static void THNN_(checkChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  THNN_(IndexCheck) *check = context;
  const THNN_(PlaneLoop) *loop = check->loop;
  const ptrdiff_t each = loop->planes->output, first = THNN_(firstOf)(loop, begin) * each;
  const ptrdiff_t count = THNN_(firstOf)(loop, end) * each - first;
  if (!THIndex_areInside(loop->indexIn + first, count, loop->base, loop->limit))
    __atomic_store_n(&check->isBad, 1, __ATOMIC_RELAXED);
}

/* Each thread checks the indices that it is going to use, which are then in its caches. */
int THNN_(findBadIndex)(const THNN_(PlaneLoop) * loop, int64_t *value)
{
  const ptrdiff_t count = loop->planes->count * loop->planes->output;
  THNN_(IndexCheck) check = {loop, 0};
  THParallel_for(loop->chunks, 1, THNN_(checkChunks), &check);
  for (ptrdiff_t i = 0; i < count && check.isBad; i++) {
    *value = loop->indexIn[i];
    if (*value < loop->base || *value - loop->base >= loop->limit)
      return 1;
  }
  return 0;
}

void THNN_(prepareChunks)(THNN_(PlaneLoop) * loop, THNN_(Call) * call)
{
  loop->scratch = (loop->scratch + 63) / 64 * 64; /* threads do not share cache lines */
  if (loop->scratch)
    loop->memory =
        (char *)THNN_(scratch)(call, loop->chunks * (ptrdiff_t)(loop->scratch / sizeof(real)));
}

static void THNN_(computeChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(PlaneLoop) *loop = context;
  for (ptrdiff_t chunk = begin; chunk < end; chunk++) {
    const ptrdiff_t next = THNN_(firstOf)(loop, chunk + 1);
    for (ptrdiff_t plane = THNN_(firstOf)(loop, chunk); plane < next; plane++)
      loop->plane(loop, plane, loop->memory + (size_t)chunk * loop->scratch);
  }
  if (loop->streams)
    THStream_finish();
}

void THNN_(runChunks)(THNN_(PlaneLoop) * loop)
{
  THParallel_for(loop->chunks, 1, THNN_(computeChunks), loop);
}

#endif

static void THNN_(checkIndices)(const THNN_(PlaneLoop) * loop)
{
  const THNNPlanes *p = loop->planes;
  int64_t value;
  if (loop->limit && THNN_(findBadIndex)(loop, &value))
    THError("indices holds %lld, which is not an index from %lld to %lld, for input of size %s",
            (long long)value, (long long)loop->base, (long long)(loop->base + loop->limit - 1),
            _THSizeDesc(p->inSize, p->dims).str);
}

void THNN_(runPlanes)(const THNNPlanes *planes, THNN_(PlaneLoop) * loop)
{
  loop->planes = planes;
  loop->chunks = THParallel_threads(planes->count, THMax(1, TH_LOOP_GRAIN / THMax(1, loop->cost)));
  THNN_(Call) call;
  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  THIndexTensor *given = THNN_Longsource(&longCall, loop->indicesIn), *index = NULL;
  if (given) {
    THNN_Longready(&longCall);
    loop->indexIn = THIndexTensor_(data)(given);
    THNN_(checkIndices)(loop);
  }
  if (loop->indicesOut)
    index = THNN_Longresult(&longCall, loop->indicesOut, planes->dims, planes->outSize);

  THNN_(beginPart)(&call, longCall.memory);
  THTensor *source = THNN_(source)(&call, loop->source), *with[2];
  for (int i = 0; i < 2; i++)
    with[i] = THNN_(source)(&call, loop->with[i]);
  THTensor *result = THNN_(result)(&call, loop->result, planes->dims,
                                   loop->backward ? planes->inSize : planes->outSize);
  THNN_(prepareChunks)(loop, &call);

  THNN_(ready)(&call);
  THNN_Longready(&longCall);
  THNN_(start)(&call);
  THNN_Longstart(&longCall);
  loop->x = THTensor_(data)(source);
  for (int i = 0; i < 2; i++)
    loop->w[i] = with[i] ? THTensor_(data)(with[i]) : NULL;
  loop->y = THTensor_(data)(result);
  if (given)
    loop->indexIn = THIndexTensor_(data)(given);
  if (index)
    loop->indexOut = THIndexTensor_(data)(index);
  THNN_(runChunks)(loop);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

#ifndef TH_TEMPLATE_DEVICE /* a device copies channels-last images */

int THNN_(areChannelsLast)(const THNNPlanes *p, int backward, THTensor *source, THTensor *result)
{
  const int64_t *from = backward ? p->outSize : p->inSize, *to = backward ? p->inSize : p->outSize;
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

void THNN_(runRowsNhwc)(const THNNPlanes *p, THNN_(PlaneLoop) * loop)
{
  THGuard ofSource, ofResult;
  const int64_t *to = loop->backward ? p->in : p->out;
  THNNPlanes last = THNNPlanes_channelsLast(p);
  last.count = p->count / THNNPlanes_perImage(p) * to[0] * to[1];
  loop->source = THNN_(viewChannelsLast)(p, &ofSource, loop->source);
  loop->result = THNN_(viewChannelsLast)(p, &ofResult, loop->result);
  THNN_(runPlanes)(&last, loop);
  THGuard_leave(&ofResult);
  THGuard_leave(&ofSource);
}

#endif
