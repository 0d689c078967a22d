/* Resampling on a device: lists of the sources of each element along each axis, and a kernel that
 * sums over them. */
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/resample/ResampleLayers.h"

/* The lists of an axis, on the host: the terms of element k are first[k] ... first[k + 1] - 1. */
typedef struct {
  int64_t elements, terms;
  int64_t *first, *index;
  accreal *weight;
} THNN_(Terms);

/* How many terms output i has along an axis: an element with weight 0 does not count. */
static int THNN_(termsOf)(const THNN_(SourceIndices) * indices, int axis, int64_t i)
{
  return indices->weighted && indices->weight[axis][i] != 0 ? 2 : 1;
}

/* Counts the terms of the elements; backward, those of the input's elements, which outputs came
 * from. */
static void THNN_(countTerms)(const THNN_(SourceIndices) * indices, int axis, int64_t outputs,
                              int backward, THNN_(Terms) * t)
{
  memset(t->first, 0, (size_t)(t->elements + 1) * sizeof *t->first);
  for (int64_t i = 0; i < outputs; i++)
    for (int k = 0; k < THNN_(termsOf)(indices, axis, i); k++)
      t->first[backward ? (k ? indices->next : indices->from)[axis][i] + 1 : i + 1]++;
  for (int64_t e = 0; e < t->elements; e++)
    t->first[e + 1] += t->first[e];
}

/* Fills in the terms.  first moves on by one element meanwhile, and back in the end. */
static void THNN_(fillTerms)(const THNN_(SourceIndices) * indices, int axis, int64_t outputs,
                             int backward, THNN_(Terms) * t)
{
  for (int64_t i = 0; i < outputs; i++) {
    const accreal second = indices->weighted ? indices->weight[axis][i] : 0;
    for (int k = 0; k < THNN_(termsOf)(indices, axis, i); k++) {
      const int64_t in = (k ? indices->next : indices->from)[axis][i];
      const int64_t term = t->first[backward ? in : i]++;
      t->index[term] = backward ? i : in;
      t->weight[term] = k ? second : 1 - second;
    }
  }
  memmove(t->first + 1, t->first, (size_t)t->elements * sizeof *t->first);
  t->first[0] = 0;
}

/* All lists in one block of memory, which the guard frees; its bytes. */
static ptrdiff_t THNN_(makeLists)(const THNNPlanes *p, const THNN_(SourceIndices) * indices,
                                  int backward, THNN_(Terms) lists[3], THGuard *guard)
{
  int64_t words = 0, terms = 0, bytes, weights;
  THGuard_enter(guard, THFree);
  for (int a = 0; a < 3; a++) {
    const int64_t elements = backward ? p->in[a] : p->out[a], most = indices->weighted ? 2 : 1;
    lists[a] = (THNN_(Terms)){.elements = elements, .terms = most * p->out[a]};
    terms += lists[a].terms;
    words += elements + 1 + lists[a].terms;
  }
  if (__builtin_mul_overflow(words, (int64_t)sizeof(int64_t), &bytes) ||
      __builtin_mul_overflow(terms, (int64_t)sizeof(accreal), &weights) ||
      __builtin_add_overflow(bytes, weights, &bytes))
    THError("images of %s have too many elements", _THSizeDesc(p->outSize, p->dims).str);
  int64_t *word = guard->what = THAlloc(bytes);
  accreal *weight = (accreal *)(word + words);
  for (int a = 0; a < 3; a++) {
    lists[a].first = word;
    lists[a].index = word + lists[a].elements + 1;
    lists[a].weight = weight;
    word = lists[a].index + lists[a].terms;
    weight += lists[a].terms;
    THNN_(countTerms)(indices, a, p->out[a], backward, &lists[a]);
    THNN_(fillTerms)(indices, a, p->out[a], backward, &lists[a]);
  }
  return bytes;
}

typedef struct {
  THNN_(Terms) lists[3];
  ptrdiff_t bytes;
} THNN_(Lists);

static void THNN_(launchGather)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *scratch)
{
  const THNNPlanes *p = loop->planes;
  const THNN_(Lists) *l = loop->layer;
  const char *host = (const char *)l->lists[0].first, *there = scratch;
  THCUNNGather gather = {.planes = p->count, .x = loop->x, .y = loop->y};
  for (int a = 0; a < 3; a++) {
    gather.from[a] = loop->backward ? p->out[a] : p->in[a];
    gather.to[a] = loop->backward ? p->in[a] : p->out[a];
    gather.first[a] = (const void *)(there + ((const char *)l->lists[a].first - host));
    gather.index[a] = (const void *)(there + ((const char *)l->lists[a].index - host));
    gather.weight[a] = there + ((const char *)l->lists[a].weight - host);
  }
  THCudaCheck(cudaMemcpyAsync(scratch, host, (size_t)l->bytes, cudaMemcpyHostToDevice,
                              THCUNN_STREAM)); /* from pageable memory: it has been read */
  TH_CONCAT_2(THCUNN_gather_, Real)(&gather, THCUNN_STREAM);
}

void THNN_(resamplePlanes)(const THNNPlanes *p, THNN_(SourceIndices) * indices, int backward,
                           THCTensor *source, THCTensor *result)
{
  THGuard guard;
  THNN_(Lists) l;
  l.bytes = THNN_(makeLists)(p, indices, backward, l.lists, &guard);
  THNN_(PlaneLoop)
  loop = {.plane = THNN_(launchGather),
          .layer = &l,
          .backward = backward,
          .source = source,
          .result = result,
          .scratch = (size_t)l.bytes};
  THNN_(runPlanes)(p, &loop);
  THGuard_leave(&guard);
}
