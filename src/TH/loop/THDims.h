/* Orders and merges the dimensions in which several operands are walked together.
 *
 * Dimensions are innermost first; size[d] is common to all operands, stride[i][d] is operand i's, in
 * any unit. */
#ifndef TH_DIMS_H
#define TH_DIMS_H

#include "THLoop.h"

typedef ptrdiff_t THDimStrides[TH_LOOP_DIMS];

static inline void THDims_swap(int operands, ptrdiff_t *size, THDimStrides *stride, int a, int b)
{
  const ptrdiff_t other = size[a];
  size[a] = size[b];
  size[b] = other;
  for (int i = 0; i < operands; i++) {
    const ptrdiff_t step = stride[i][a];
    stride[i][a] = stride[i][b];
    stride[i][b] = step;
  }
}

/* Whether dimension a belongs inside b.  The first operand whose two strides differ decides;
 * broadcast operands (stride 0) do not. */
static inline int THDims_belongsInside(int operands, THDimStrides *stride, int a, int b)
{
  for (int i = 0; i < operands; i++) {
    const ptrdiff_t sa = stride[i][a], sb = stride[i][b];
    if (sa && sb && sa != sb)
      return sa < sb;
  }
  return 0;
}

/* Orders dimensions by stride.  Insertion sort: a handful of dimensions, mostly in order. */
static inline void THDims_order(int dims, int operands, ptrdiff_t *size, THDimStrides *stride)
{
  for (int d = 1; d < dims; d++)
    for (int e = d; e > 0 && THDims_belongsInside(operands, stride, e, e - 1); e--)
      THDims_swap(operands, size, stride, e, e - 1);
}

/* Whether every operand walks dimension `outer` as the continuation of `inner`. */
static inline int THDims_continues(int operands, const ptrdiff_t *size, THDimStrides *stride,
                                   int inner, int outer)
{
  for (int i = 0; i < operands; i++)
    if (stride[i][outer] != stride[i][inner] * size[inner])
      return 0;
  return 1;
}

/* Merges adjacent dimensions that are one dimension to every operand.  Returns how many are left. */
static inline int THDims_merge(int dims, int operands, ptrdiff_t *size, THDimStrides *stride)
{
  int left = dims > 0;
  for (int d = 1; d < dims; d++) {
    if (THDims_continues(operands, size, stride, left - 1, d)) {
      size[left - 1] *= size[d];
    } else {
      size[left] = size[d];
      for (int i = 0; i < operands; i++)
        stride[i][left] = stride[i][d];
      left++;
    }
  }
  return left;
}

#endif
