/* Resampling: planes whose elements come from given elements of another plane. */
#include "THNN/layer/Template.h"
#include "THKernel.h"
#include "ResampleLayers.h"
#include "ResampleGeneric.h"

#ifndef TH_TEMPLATE_DEVICE
#include "TH/loop/THPlan.h"
#endif

void THNN_(reserveIndices)(THNN_(SourceIndices) * indices, const THNNPlanes *p, int weighted,
                           THGuard *guard)
{
  const size_t one = weighted ? 2 * sizeof(int64_t) + sizeof(THNN_real) : sizeof(int64_t);
  int64_t all = 0;
  ptrdiff_t bytes;
  THGuard_enter(guard, THFree);
  for (int a = 0; a < 3; a++)
    if (__builtin_add_overflow(all, p->out[a], &all))
      THError("%lld indices are too many", (long long)p->out[a]);
  if (__builtin_mul_overflow(all, (ptrdiff_t)one, &bytes))
    THError("%lld indices are too many", (long long)all);
  int64_t *from = guard->what = THAlloc(bytes), *next = from + all;
  THNN_real *weight = (THNN_real *)(next + all);
  indices->weighted = weighted;
  for (int a = 0; a < 3; a++) {
    indices->from[a] = from;
    indices->next[a] = weighted ? next : NULL;
    indices->weight[a] = weighted ? weight : NULL;
    from += p->out[a];
    next += p->out[a];
    weight += p->out[a];
  }
}

#ifndef TH_TEMPLATE_DEVICE /* a device has a kernel */

TH_DISPATCH(THNN_(ResampleKernel), THNN_(resample))

/* Finds the longest run of consecutive source indices: all of a row but its padding. */
static void THNN_(findRun)(THNN_(SourceIndices) * indices, int64_t count)
{
  const int64_t *from = indices->from[2];
  indices->begin = indices->end = count;
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = begin + 1;
    while (end < count && from[end] == from[end - 1] + 1)
      end++;
    if (end - begin > indices->end - indices->begin || indices->begin == count) {
      indices->begin = begin;
      indices->end = end;
    }
  }
}

/* Finds the first source of each element of an axis' band, and how many taps the band has.  from
 * never decreases along the axis, and next is from or from + 1. */
static void THNN_(findFirst)(const THNN_(SourceIndices) * indices, int axis, int backward,
                             THNN_(Band) * b)
{
  const int64_t *from = indices->from[axis], *next = indices->next[axis];
  const int64_t count = backward ? b->from : b->to;
  const real *weight = indices->weight[axis];
  for (ptrdiff_t k = 0; k < b->to; k++)
    b->first[k] = backward ? -1 : from[k];
  for (int64_t k = 0; k < count; k++)
    for (int second = 0; second <= (weight[k] != 0); second++) {
      int64_t *first = &b->first[backward ? second ? next[k] : from[k] : k];
      if (*first < 0)
        *first = k;
      b->taps = THMax(b->taps, (backward ? k - *first : second) + 1);
    }
  for (ptrdiff_t k = 0; k < b->to; k++) {
    if (b->first[k] < 0) /* no output comes from this element */
      b->first[k] = k ? b->first[k - 1] : 0;
    b->first[k] = THMin(b->first[k], b->from - b->taps);
  }
}

/* Fills in the band's weights, which were all 0. */
static void THNN_(findWeights)(const THNN_(SourceIndices) * indices, int axis, int backward,
                               THNN_(Band) * b)
{
  const int64_t *from = indices->from[axis], *next = indices->next[axis];
  const int64_t count = backward ? b->from : b->to;
  const real *weight = indices->weight[axis];
  for (int64_t k = 0; k < count; k++)
    for (int second = 0; second <= (weight[k] != 0); second++) {
      const int64_t in = second ? next[k] : from[k], to = backward ? in : k;
      const int64_t tap = (backward ? k : in) - b->first[to];
      b->weight[tap * b->to + to] = second ? weight[k] : 1 - weight[k];
    }
  b->moves = b->taps == 1;
  for (ptrdiff_t k = 0; k < b->to && b->moves; k++)
    b->moves = b->weight[k] == 1;
}

/* Forward only the last axis has a band, as rows are found by their source indices. */
static void THNN_(findBands)(THNN_(SourceIndices) * indices, const THNNPlanes *p, int backward,
                             THGuard guard[3])
{
  const int begin = backward ? 0 : 2;
  THNN_(Band) *band = indices->band;
  int64_t all = 0, one, bytes;
  for (int i = 0; i < 3; i++)
    THGuard_enter(&guard[i], THFree);
  for (int a = begin; a < 3; a++) {
    band[a] = (THNN_(Band)){.from = p->in[a], .to = p->out[a], .taps = 1};
    if (backward)
      band[a] = (THNN_(Band)){.from = p->out[a], .to = p->in[a], .taps = 1};
    if (__builtin_add_overflow(all, band[a].to, &all))
      THError("%td indices are too many", band[a].to);
  }
  if (__builtin_mul_overflow(all, (int64_t)sizeof *band->first, &bytes))
    THError("%lld indices are too many", (long long)all);
  int64_t *first = guard[0].what = THAlloc(bytes);
  all = 0;
  for (int a = begin; a < 3; a++) {
    band[a].first = first;
    THNN_(findFirst)(indices, a, backward, &band[a]);
    first += band[a].to;
    if (__builtin_mul_overflow(band[a].to, band[a].taps, &one) ||
        __builtin_add_overflow(all, one, &all))
      THError("%td taps of %td elements are too many", band[a].taps, band[a].to);
  }
  if (__builtin_mul_overflow(all, (int64_t)sizeof *band->weight, &bytes))
    THError("%lld weights are too many", (long long)all);
  real *weight = guard[1].what = THAlloc(bytes);
  memset(weight, 0, (size_t)bytes);
  for (int a = begin; a < 3; a++) {
    band[a].weight = weight;
    THNN_(findWeights)(indices, a, backward, &band[a]);
    weight += band[a].to * band[a].taps;
  }
  indices->groups = guard[2].what = TH_DISPATCHED(THNN_(resample))->find(&band[2]);
}

static void THNN_(resamplePlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *scratch)
{
  const THNNPlanes *p = loop->planes;
  const THNN_(SourceIndices) *indices = loop->layer;
  TH_DISPATCHED(THNN_(resample))
      ->plane[loop->backward ? THNN_SCATTER : THNN_GATHER](p, indices,
                                                           loop->x + plane * (loop->backward
                                                                                  ? p->output
                                                                                  : p->input),
                                                           loop->y + plane * (loop->backward
                                                                                  ? p->input
                                                                                  : p->output),
                                                           scratch);
}

static void THNN_(resampleRow)(const THNN_(PlaneLoop) * loop, ptrdiff_t row, void *scratch)
{
  const THNNPlanes *p = loop->planes;
  const ptrdiff_t planes = p->inSize[p->dims - 1];
  const int64_t *to = loop->backward ? p->in : p->out;
  const ptrdiff_t rows = to[0] * to[1];
  TH_DISPATCHED(THNN_(resample))
      ->row[loop->backward ? THNN_SCATTER : THNN_GATHER](p, loop->layer, planes,
                                                         loop->x + row / rows *
                                                                       (loop->backward ? p->output
                                                                                       : p->input) *
                                                                       planes,
                                                         row % rows, loop->y + row * to[2] * planes,
                                                         scratch);
}

static void THNN_(resampleNhwc)(const THNNPlanes *p, const THNN_(SourceIndices) * indices,
                                int backward, THTensor *source, THTensor *result)
{
  const ptrdiff_t planes = THNNPlanes_perImage(p);
  const int64_t *to = backward ? p->in : p->out;
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(resampleRow),
          .layer = indices,
          .backward = backward,
          .source = source,
          .result = result,
          .cost = 4 * planes * p->output / (to[0] * to[1]),
          .scratch = (size_t)(planes * (backward ? p->out[2] : p->in[2])) * sizeof(real)};
  THNN_(runRowsNhwc)(p, &loop);
}

static void THNN_(resampleNchw)(const THNNPlanes *p, const THNN_(SourceIndices) * indices,
                                int backward, THTensor *source, THTensor *result)
{
  THNN_(PlaneLoop)
  loop = {
      .plane = THNN_(resamplePlane),
      .layer = indices,
      .backward = backward,
      .streams = indices->streams,
      .source = source,
      .result = result,
      .cost = indices->weighted ? 4 * p->output : p->output,
      .scratch = indices->weighted ? (size_t)THNN_(resampleScratch)(p->out[2]) * sizeof(real) : 0};
  THNN_(runPlanes)(p, &loop);
}

void THNN_(resamplePlanes)(const THNNPlanes *p, THNN_(SourceIndices) * indices, int backward,
                           THTensor *source, THTensor *result)
{
  /* Rows are short: prefetched writes take less time than a buffer and non-temporal stores, unless
   * nothing of the result can be in a cache. */
  const ptrdiff_t bytes = p->output * (ptrdiff_t)sizeof(real);
  enum { MIN_NHWC_PLANES = 8 }; /* a channels-last image of fewer planes is better copied */
  THGuard guard[3];
  indices->streams = !backward && indices->weighted && bytes >= 2 * THNN_STREAM_BYTES &&
                     p->count * bytes >= THPlan_prefetchedBytes();
  if (indices->weighted)
    THNN_(findBands)(indices, p, backward, guard);
  else
    THNN_(findRun)(indices, p->out[2]);
  if (indices->weighted && THNNPlanes_perImage(p) >= MIN_NHWC_PLANES &&
      THNN_(areChannelsLast)(p, backward, source, result))
    THNN_(resampleNhwc)(p, indices, backward, source, result);
  else
    THNN_(resampleNchw)(p, indices, backward, source, result);
  for (int i = 2; indices->weighted && i >= 0; i--)
    THGuard_leave(&guard[i]);
}

#endif
