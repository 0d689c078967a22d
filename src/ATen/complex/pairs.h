/* What the functions of both complex Types share, and more that operations call for complex operands. */
#ifndef ATEN_COMPLEX_PAIRS_H
#define ATEN_COMPLEX_PAIRS_H

#include "complex.h"

/* A shape in units of reals, with one more dimension, the last, of size 2. */
typedef struct at_reals {
  ptrdiff_t offset;
  int64_t size[AT_MOST_DIMS + 1], stride[AT_MOST_DIMS + 1];
} at_reals;

/* The shape in units of reals of a tensor that counts pairs.  Without strides r has no strides either: TH's
 * row-major order is that of pairs too. */
void at_realsOf(at_reals *r, ptrdiff_t offset, int dims, const int64_t *size,
                const int64_t *stride);

/* Makes th, a tensor of reals, count pairs. */
void at_countPairs(void *th);

/* 2x; raises if that is too large. */
int64_t at_twice(int64_t x);

/* Like the functions without Pairs. */
at_tensor *at_scatterFillPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                               at_scalar value);
at_tensor *at_indexFillPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                             at_scalar value);
at_tensor *at_indexFillByPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                               at_tensor *value);
at_tensor *at_maskedScatterPairs(at_tensor *out, at_tensor *self, at_tensor *mask,
                                 at_tensor *source);
at_tensor *at_putPairs(at_tensor *out, at_tensor *self, at_tensor *index, at_tensor *source,
                       bool accumulate);

#endif
