/* One shape for the operands of a loop: dimensions of size 1 dropped, the others ordered by stride,
 * and neighbours merged that every operand walks as one.  THLoop walks plans on the processor; THC
 * hands them to kernels of a GPU. */
#ifndef TH_PLAN_H
#define TH_PLAN_H

#include "THLoop.h"

/* Dimensions are innermost first; strides in bytes. */
typedef struct THPlan {
  int operands, dims;
  ptrdiff_t size[TH_LOOP_DIMS];
  ptrdiff_t stride[TH_LOOP_OPERANDS][TH_LOOP_DIMS];
  ptrdiff_t itemSize[TH_LOOP_OPERANDS];
  char *data[TH_LOOP_OPERANDS];

  /* How THLoop cuts it. */
  ptrdiff_t block[2]; /* sizes of a block in the two innermost dimensions */
  int downFirst;      /* blocks follow each other along dimension 1 first */
  int streams;
  int fetches;        /* each block is fetched while the one before it is computed */
  ptrdiff_t blocks;   /* how many there are */
  ptrdiff_t together; /* of a fixed loop: how many small ones have the same number */
} THPlan;

/* The dimensions of operand i without those of size 1. */
static inline int THPlan_squeeze(const THLoop *loop, int i, ptrdiff_t *size, ptrdiff_t *stride)
{
  int dims = 0;
  for (int d = loop->nDimension[i] - 1; d >= 0; d--)
    if (loop->size[i][d] != 1) {
      size[dims] = loop->size[i][d];
      stride[dims++] = loop->stride[i][d] * loop->itemSize[i];
    }
  return dims;
}

/* Returns 0 where the operands have different shapes. */
static inline int THPlan_init(THPlan *plan, const THLoop *loop)
{
  ptrdiff_t size[TH_LOOP_DIMS];
  plan->operands = loop->operands;
  plan->dims = THPlan_squeeze(loop, 0, plan->size, plan->stride[0]);
  for (int i = 1; i < loop->operands; i++)
    if (THPlan_squeeze(loop, i, size, plan->stride[i]) != plan->dims ||
        memcmp(size, plan->size, (size_t)plan->dims * sizeof *size))
      return 0;

  for (int i = 0; i < loop->operands; i++) {
    plan->data[i] = loop->data[i];
    plan->itemSize[i] = loop->itemSize[i];
  }
  if (plan->dims == 0) { /* a single element */
    plan->dims = 1;
    plan->size[0] = 1;
    for (int i = 0; i < loop->operands; i++)
      plan->stride[i][0] = plan->itemSize[i];
  }
  return 1;
}

static inline void THPlan_move(THPlan *plan, int to, int from)
{
  plan->size[to] = plan->size[from];
  for (int i = 0; i < plan->operands; i++)
    plan->stride[i][to] = plan->stride[i][from];
}

static inline void THPlan_swap(THPlan *plan, int a, int b)
{
  const ptrdiff_t size = plan->size[a];
  plan->size[a] = plan->size[b];
  plan->size[b] = size;
  for (int i = 0; i < plan->operands; i++) {
    const ptrdiff_t stride = plan->stride[i][a];
    plan->stride[i][a] = plan->stride[i][b];
    plan->stride[i][b] = stride;
  }
}

/* Dimension a belongs inside b: the first operand with an opinion decides.  Broadcast ones have
 * none. */
static inline int THPlan_belongsInside(const THPlan *plan, int a, int b)
{
  for (int i = 0; i < plan->operands; i++) {
    const ptrdiff_t sa = plan->stride[i][a], sb = plan->stride[i][b];
    if (sa && sb && sa != sb)
      return sa < sb;
  }
  return 0;
}

/* Insertion sort: a handful of dimensions, mostly in order. */
static inline void THPlan_order(THPlan *plan)
{
  for (int d = 1; d < plan->dims; d++)
    for (int e = d; e > 0 && THPlan_belongsInside(plan, e, e - 1); e--)
      THPlan_swap(plan, e, e - 1);
}

static inline int THPlan_continues(const THPlan *plan, int inner, int outer)
{
  for (int i = 0; i < plan->operands; i++)
    if (plan->stride[i][outer] != plan->stride[i][inner] * plan->size[inner])
      return 0;
  return 1;
}

/* Neighbours that every operand walks as one become one. */
static inline void THPlan_merge(THPlan *plan)
{
  int last = 0;
  for (int d = 1; d < plan->dims; d++) {
    if (THPlan_continues(plan, last, d))
      plan->size[last] *= plan->size[d];
    else
      THPlan_move(plan, ++last, d);
  }
  plan->dims = last + 1;
}

/* Results of so many bytes or more go around the caches.  Half of the last one: what is larger will
 * have left it when it is read again; but 16 MiB at most, since a cache of hundreds of MiB belongs
 * to many and gives one of them no more than the memory does.  TH_STREAM_BYTES in the environment
 * says otherwise. */
TH_API ptrdiff_t THPlan_streamBytes(void);

/* The same for what is better written through the caches as long as it stays there: 64 MiB at most,
 * which is about what one of those to whom a cache of hundreds of MiB belongs has of it. */
TH_API ptrdiff_t THPlan_cacheBytes(void);

/* The same for results whose lines are fetched well before they are written: no fewer than the last
 * cache has, and 64 MiB at most. */
TH_API ptrdiff_t THPlan_fetchedBytes(void);

#endif
