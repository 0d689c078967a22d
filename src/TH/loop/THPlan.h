/* The common shape of the operands of a loop: dimensions of size 1 are dropped, the others ordered
 * by stride, and adjacent dimensions merged where every operand's strides allow it (THDims.h).
 * THLoop walks plans on the processor; THC hands them to kernels of a GPU. */
#ifndef TH_PLAN_H
#define TH_PLAN_H

#include "THDims.h"

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

/* The number of elements of operand i; *contiguous says whether they are contiguous in row-major
 * order. */
static inline ptrdiff_t THLoop_countOf(const THLoop *loop, int i, int *contiguous)
{
  const int64_t *size = loop->size[i], *stride = loop->stride[i];
  ptrdiff_t count = loop->nDimension[i] > 0;
  *contiguous = 1;
  for (int d = loop->nDimension[i] - 1; d >= 0; d--) {
    *contiguous &= size[d] == 1 || stride[d] == count;
    count *= size[d];
  }
  return count;
}

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

static inline void THPlan_order(THPlan *plan)
{
  THDims_order(plan->dims, plan->operands, plan->size, plan->stride);
}

static inline void THPlan_merge(THPlan *plan)
{
  plan->dims = THDims_merge(plan->dims, plan->operands, plan->size, plan->stride);
}

/* Results of so many bytes or more are written with non-temporal stores.  Half of the last-level
 * cache, since a larger result is evicted before it is read again; at most 16 MiB, since a cache of
 * hundreds of MiB is shared by many cores and gives one of them no more bandwidth than memory.
 * TH_STREAM_BYTES in the environment overrides the number. */
TH_API ptrdiff_t THPlan_streamBytes(void);

/* THPlan_streamBytes for results that are better written to the caches as long as they fit: 64 MiB at
 * most, about one core's share of a cache of hundreds of MiB. */
TH_API ptrdiff_t THPlan_cacheBytes(void);

/* THPlan_streamBytes for results whose lines are prefetched well before they are written: the size of
 * the last-level cache, 64 MiB at most. */
TH_API ptrdiff_t THPlan_prefetchedBytes(void);

/* Whether to write the result with non-temporal stores.  Not if it is also an input: then it is in
 * the cache when it is written.  If little is read (nothing, or bytes that become floats), the
 * processor recognises stores of whole lines by itself as long as they fit the cache. */
int THPlan_resultStreams(const THLoop *loop, ptrdiff_t count);

#endif
