/* A tensor as a bundle of lines along one dimension: what is walked by reductions along a
 * dimension, by scans and by sorts.
 *
 *     THLines lines;
 *     THLines_init(&lines, t->nDimension, t->size, dim);
 *     THLines_operand(&lines, t->stride, 0);
 *     THLines_operand(&lines, r->stride, squeezed);            r may lack the dimension
 *     THLines_merge(&lines);
 *     for (ptrdiff_t k = 0; k < lines.count; k++)
 *       ... t's line k begins at element THLines_at(&lines, 0, k) and goes on in lines.step[0] ...
 *
 * Lines are numbered in the order that suits the first operand's memory. */
#ifndef TH_LINES_H
#define TH_LINES_H

#include "THLoop.h"

typedef struct THLines {
  int operands;
  int dim;
  ptrdiff_t length;                 /* elements of a line */
  ptrdiff_t step[TH_LOOP_OPERANDS]; /* from an element to the next; 0 where dim is lacking */
  ptrdiff_t count;                  /* lines: the product of what follows */
  int dims;                         /* the other dimensions, innermost first */
  ptrdiff_t size[TH_LOOP_DIMS];
  ptrdiff_t stride[TH_LOOP_OPERANDS][TH_LOOP_DIMS];
  int from[TH_LOOP_DIMS]; /* the tensor's dimension that each is, until merged */
} THLines;

TH_API void THLines_init(THLines *lines, int nDimension, const int64_t *size, int dim);

/* Adds an operand of the same sizes; squeezed: dimension dim is missing from it. */
TH_API void THLines_operand(THLines *lines, const int64_t *stride, int squeezed);

/* Orders and merges the other dimensions, after which there is at least one, perhaps of size 1. */
TH_API void THLines_merge(THLines *lines);

static inline ptrdiff_t THLines_at(const THLines *lines, int operand, ptrdiff_t line)
{
  ptrdiff_t at = 0;
  for (int d = 0; d < lines->dims - 1; d++) {
    at += line % lines->size[d] * lines->stride[operand][d];
    line /= lines->size[d];
  }
  return at + line * lines->stride[operand][lines->dims - 1];
}

/* Hands blocks of whole lines to the kernel, which sees operand i at data[i] plus its strides: so
 * the elements of a line are computed by one thread and in order.  A block is a row along each of
 * its lines or, with across set, a row across them for each element along.  Elements of operand i
 * have itemSize[i] bytes. */
TH_API void THLines_run(const THLines *lines, char *const *data, const size_t *itemSize, int across,
                        THKernel kernel, const void *scalars);

#endif
