/* Reductions of elements that an index assigns to one of self, for the host and for kernels.  Elements are Double or,
 * of integers, Long. */
#ifndef ATEN_INDEX_REDUCE_H
#define ATEN_INDEX_REDUCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define AT_INDEX_REDUCE static __host__ __device__ __forceinline__
#else
#define AT_INDEX_REDUCE static inline
#endif

typedef enum at_index_reduction {
  AT_INDEX_SUM,
  AT_INDEX_PROD,
  AT_INDEX_MEAN,
  AT_INDEX_AMAX,
  AT_INDEX_AMIN,
  AT_INDEX_REDUCTIONS
} at_index_reduction;

/* What a reduction begins with where self is left out. */
AT_INDEX_REDUCE double at_firstDouble(at_index_reduction how)
{
  return how == AT_INDEX_PROD   ? 1
         : how == AT_INDEX_AMAX ? -(double)INFINITY
         : how == AT_INDEX_AMIN ? (double)INFINITY
                                : 0;
}

AT_INDEX_REDUCE int64_t at_firstLong(at_index_reduction how)
{
  return how == AT_INDEX_PROD   ? 1
         : how == AT_INDEX_AMAX ? INT64_MIN
         : how == AT_INDEX_AMIN ? INT64_MAX
                                : 0;
}

/* What x makes of the result so far; NaN remains. */
AT_INDEX_REDUCE double at_reducedDouble(at_index_reduction how, double to, double x)
{
  return how == AT_INDEX_PROD   ? to * x
         : how == AT_INDEX_AMAX ? (x > to || x != x ? x : to)
         : how == AT_INDEX_AMIN ? (x < to || x != x ? x : to)
                                : to + x;
}

/* Integers wrap around. */
AT_INDEX_REDUCE int64_t at_reducedLong(at_index_reduction how, int64_t to, int64_t x)
{
  return how == AT_INDEX_PROD   ? (int64_t)((uint64_t)to * (uint64_t)x)
         : how == AT_INDEX_AMAX ? (x > to ? x : to)
         : how == AT_INDEX_AMIN ? (x < to ? x : to)
                                : (int64_t)((uint64_t)to + (uint64_t)x);
}

/* Divides by the number of elements, rounding down. */
AT_INDEX_REDUCE int64_t at_meanLong(int64_t sum, int64_t count)
{
  const int64_t q = sum / count;
  return q - (sum % count != 0 && sum < 0);
}

enum { AT_INDEX_DIMS = 64 }; /* as many as a tensor has at most */

/* Element i of index, of a part of src, is the position along dim of an element of self.  counts has room for an
 * element for each of self, all 0. */
typedef struct at_index_reduce_work {
  int64_t count, elements; /* of index, of self */
  int dims, dim;
  at_index_reduction how;
  bool floats, includes; /* includes: what is in self counts */
  int64_t indexSize[AT_INDEX_DIMS], indexStride[AT_INDEX_DIMS], selfSize[AT_INDEX_DIMS],
      srcSize[AT_INDEX_DIMS];
  const int64_t *index;
  const void *src;
  void *self;
  int64_t *counts;
  int64_t *keys;                 /* of positionsByIndex: where each element goes, or INT64_MAX */
  const int64_t *sorted, *order; /* of reduceInOrder: the same, sorted, and which they were */
} at_index_reduce_work;

/* The elements of self and src that element i of the index is for; false if it is no position in self. */
AT_INDEX_REDUCE bool at_positionsOf(const at_index_reduce_work *w, int64_t i, int64_t *to,
                                    int64_t *from)
{
  int64_t rest = i, offset = 0, toStep = 1, fromStep = 1, step = 1;
  *to = *from = 0;
  for (int e = w->dims - 1; e >= 0; e--) {
    const int64_t at = rest % w->indexSize[e];
    step = e == w->dim ? toStep : step; /* along dim in self */
    *to += e == w->dim ? 0 : at * toStep;
    *from += at * fromStep;
    offset += at * w->indexStride[e];
    rest /= w->indexSize[e];
    toStep *= w->selfSize[e];
    fromStep *= w->srcSize[e];
  }
  const int64_t position = w->dims > 0 ? w->index[offset] : 0;
  *to += position * step;
  return w->dims == 0 || (position >= 0 && position < w->selfSize[w->dim]);
}

/* Makes a mean of the sum in element i of self. */
AT_INDEX_REDUCE void at_makeMean(const at_index_reduce_work *w, int64_t i)
{
  const int64_t count = w->counts[i] + w->includes;
  if (w->floats)
    ((double *)w->self)[i] /= (double)count;
  else
    ((int64_t *)w->self)[i] = at_meanLong(((int64_t *)w->self)[i], count);
}

#endif
