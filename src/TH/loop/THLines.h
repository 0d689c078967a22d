/* A tensor as a set of lines along one dimension, for reductions along a dimension, scans and
 * sorts.
 *
 *     THLines lines;
 *     THLines_init(&lines, t->nDimension, t->size, dim);
 *     THLines_operand(&lines, t->stride, 0);
 *     THLines_operand(&lines, r->stride, squeezed);            r may lack the dimension
 *     THLines_merge(&lines);
 *     for (ptrdiff_t k = 0; k < lines.count; k++)
 *       ... t's line k begins at element THLines_at(&lines, 0, k) and goes on in lines.step[0] ...
 *
 * Lines are numbered in the memory order of the first operand. */
#ifndef TH_LINES_H
#define TH_LINES_H

#include "THLoop.h"

typedef struct THLines {
  int operands;
  int dim;
  ptrdiff_t length;                 /* elements of a line */
  ptrdiff_t step[TH_LOOP_OPERANDS]; /* from an element to the next; 0 where dim is lacking */
  ptrdiff_t count;                  /* the number of lines: the product of size */
  int dims;                         /* the other dimensions, innermost first */
  ptrdiff_t size[TH_LOOP_DIMS];
  ptrdiff_t stride[TH_LOOP_OPERANDS][TH_LOOP_DIMS];
  int from[TH_LOOP_DIMS]; /* the tensor's dimension that each of these was, until merged */
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

/* Hands blocks of whole lines to the kernel, where operand i starts at data[i].  One thread
 * computes the elements of a line, in order.  A row of a block is a line or, with across set, goes
 * across the lines, one row per element of a line.  Elements of operand i have itemSize[i]
 * bytes. */
TH_API void THLines_run(const THLines *lines, char *const *data, const size_t *itemSize, int across,
                        THKernel kernel, const void *scalars);

#endif
