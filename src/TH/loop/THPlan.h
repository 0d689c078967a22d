/* The common shape of the operands of a loop: dimensions of size 1 are dropped, the others ordered
 * by stride, and adjacent dimensions merged where every operand's strides allow it.  THLoop walks
 * plans on the processor; THC hands them to kernels of a GPU. */
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

  /* How THLoop cuts the plan into blocks. */
  ptrdiff_t block[2]; /* sizes of a block in the two innermost dimensions */
  int downFirst;      /* blocks follow each other along dimension 1 first */
  int streams;
  int prefetches;     /* each block is prefetched while the one before it is computed */
  ptrdiff_t blocks;   /* the number of blocks */
  ptrdiff_t perBlock; /* small blocks that have the same number; 1 unless the loop is fixed */
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

/* Whether dimension a belongs inside b.  The first operand whose two strides differ decides;
 * broadcast operands (stride 0) do not. */
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

/* Merges adjacent dimensions that are one dimension to every operand. */
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

/* Results of so many bytes or more are written with non-temporal stores.  Half of the last-level
 * cache, since a larger result is evicted before it is read again; at most 16 MiB, since a cache of
 * hundreds of MiB is shared by many cores and gives one of them no more bandwidth than memory.
 * TH_STREAM_BYTES in the environment overrides the number. */
TH_API ptrdiff_t THPlan_streamBytes(void);

/* The same limit for results that are better written to the caches as long as they fit: 64 MiB at
 * most, about one core's share of a cache of hundreds of MiB. */
TH_API ptrdiff_t THPlan_cacheBytes(void);

/* The same limit for results whose lines are prefetched well before they are written: the size of
 * the last-level cache, 64 MiB at most. */
TH_API ptrdiff_t THPlan_prefetchedBytes(void);

#endif
