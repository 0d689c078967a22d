/* Planes whose elements come from given places of another plane. */
#include "THNNTemplate.h"

TH_DISPATCH(THNN_(ResampleKernel), THNN_(resample))

void THNN_(reservePlaces)(THNN_(Places) * places, const THNNPlanes *p, int weighted, THGuard *guard)
{
  const size_t one = weighted ? 2 * sizeof(int64_t) + sizeof(real) : sizeof(int64_t);
  int64_t all = 0;
  ptrdiff_t bytes;
  THGuard_enter(guard, THFree);
  for (int a = 0; a < 3; a++)
    if (__builtin_add_overflow(all, p->out[a], &all))
      THError("%lld places are too many", (long long)p->out[a]);
  if (__builtin_mul_overflow(all, (ptrdiff_t)one, &bytes))
    THError("%lld places are too many", (long long)all);
  int64_t *from = guard->what = THAlloc(bytes), *next = from + all;
  real *weight = (real *)(next + all);
  places->weighted = weighted;
  for (int a = 0; a < 3; a++) {
    places->from[a] = from;
    places->next[a] = weighted ? next : NULL;
    places->weight[a] = weighted ? weight : NULL;
    from += p->out[a];
    next += p->out[a];
    weight += p->out[a];
  }
}

/* The longest run of neighbours: all of a row but its padding. */
static void THNN_(findRun)(THNN_(Places) * places, int64_t count)
{
  const int64_t *from = places->from[2];
  places->begin = places->end = count;
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = begin + 1;
    while (end < count && from[end] == from[end - 1] + 1)
      end++;
    if (end - begin > places->end - places->begin || places->begin == count) {
      places->begin = begin;
      places->end = end;
    }
  }
}

static void THNN_(resamplePlane)(const THNN_(Work) * work, ptrdiff_t plane, void *row)
{
  const THNNPlanes *p = work->planes;
  THNN_(resample)
  [work->back ? THNN_SCATTER : THNN_GATHER](
      p, work->layer, work->x + plane * (work->back ? p->output : p->input),
      work->y + plane * (work->back ? p->input : p->output), row);
}

void THNN_(resamplePlanes)(const THNNPlanes *p, THNN_(Places) * places, int back, THTensor *source,
                           THTensor *result)
{
  THNN_(findRun)(places, p->out[2]);
  THNN_(Work)
  work = {.plane = THNN_(resamplePlane),
          .layer = places,
          .back = back,
          .source = source,
          .result = result,
          .cost = places->weighted ? 4 * p->output : p->output,
          .scratch = places->weighted ? (size_t)p->in[2] * sizeof(real) : 0};
  THNN_(work)(p, &work);
}
