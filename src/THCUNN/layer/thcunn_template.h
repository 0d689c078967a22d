/* Included first by THCUNN's kernels: element types (thc_math.h), indices, and sums of a block. */
#ifndef THCUNN_CU_TEMPLATE_H
#define THCUNN_CU_TEMPLATE_H

#include "THC/pointwise/thc_math.h"

#include "thcunn_kernels.h"

#define THCUNN_(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

/* --- elements ------------------------------------------------------------------------------- */

THC_DEVICE real load(const void *x, int64_t i)
{
  return THC_LOAD(((const element *)x)[i]);
}

THC_DEVICE void store(void *y, int64_t i, real value)
{
  ((element *)y)[i] = THC_STORE(value);
}

/* --- indices of elements -------------------------------------------------------------------- */

/* The tap at which a window has the position, or -1. */
THC_DEVICE int64_t tap_of(const THNNWindow &w, int64_t window, int64_t position)
{
  const int64_t distance = position + w.pad - window * w.step, tap = distance / w.dilation;
  return tap * w.dilation == distance ? tap : -1;
}

enum { MAX_COORDINATES = 7 };

/* Splits the row-major index of an element into a coordinate for each dimension, innermost first.  The
 * quotient that remains is the index in the outer dimensions. */
typedef struct IndexSplit {
  int narrow; /* all indices are below 2^31 */
  int64_t size[MAX_COORDINATES];
  THCDivisor divisor[MAX_COORDINATES];
} IndexSplit;

/* The split of indices below count into n coordinates, whose sizes are given innermost first. */
static inline IndexSplit index_split(int64_t count, int n, const int64_t *size)
{
  IndexSplit split = {};
  split.narrow = count <= INT32_MAX;
  for (int k = 0; k < n; k++) {
    split.size[k] = size[k];
    if (split.narrow && count > 0)
      split.divisor[k] = THCDivisor_of((uint32_t)size[k]);
  }
  return split;
}

/* Returns coordinate k of the index *number, which becomes the index in the outer dimensions. */
THC_DEVICE int64_t next_coordinate(const IndexSplit &split, int k, int64_t *number)
{
  const int64_t rest = split.narrow
                           ? (int64_t)THCDivisor_divide(&split.divisor[k], (uint32_t)*number)
                           : *number / split.size[k];
  const int64_t coordinate = *number - rest * split.size[k];
  *number = rest;
  return coordinate;
}

/* --- sums of blocks ------------------------------------------------------------------------- */

template <class T>
THC_DEVICE T joined_by(T a, T b, int largest)
{
  return !largest ? a + b : b > a ? b : a;
}

/* The sum, or the maximum, of the values of a block's THC_BLOCK threads: of each warp by shuffles, then of the
 * warps.  All threads get it. */
template <class T>
static __device__ inline T block_reduce(T value, T *shared, int largest)
{
  enum { WARP = 32 };
  for (int offset = WARP / 2; offset > 0; offset /= 2)
    value = joined_by(value, __shfl_xor_sync(0xFFFFFFFFu, value, offset), largest);
  if (threadIdx.x % WARP == 0)
    shared[threadIdx.x / WARP] = value;
  __syncthreads();
  value = shared[0];
  for (int warp = 1; warp < THC_BLOCK / WARP; warp++)
    value = joined_by(value, shared[warp], largest);
  __syncthreads(); /* before shared is used again */
  return value;
}

/* The terms begin ... end - 1 of a block's part of a sum: line blockIdx.x / parts of as many parts. */
typedef struct Part {
  int64_t line, number, begin, end;
} Part;

THC_DEVICE Part part_of(int64_t block, int64_t parts, int64_t length)
{
  const int64_t line = block / parts, number = block - line * parts;
  const int64_t size = (length + parts - 1) / parts, begin = number * size;
  const Part part = {line, number, begin < length ? begin : length,
                     begin + size < length ? begin + size : length};
  return part;
}

/* The sum over a line's parts of the first of their two numbers (sums + 1: of the second), for all threads of a
 * block. */
static __device__ inline double join_parts(const double *sums, int64_t parts, double *shared)
{
  double sum = 0;
  for (int64_t p = threadIdx.x; p < parts; p += THC_BLOCK)
    sum += sums[2 * p];
  return block_reduce(sum, shared, 0);
}

#endif
