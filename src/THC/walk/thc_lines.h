/* A tensor as lines along one dimension (THLines.h), in the form that kernels take by value. */
#ifndef THC_LINES_H
#define THC_LINES_H

#include "thc_walk.h"

enum { THC_LINE_OPERANDS = 3 };

typedef struct THCLines {
  ptrdiff_t length, count;           /* elements of a line; number of lines */
  ptrdiff_t step[THC_LINE_OPERANDS]; /* from an element of a line to the next */
  int dims;                          /* of the lines: at least 1, innermost first */
  int narrow;                        /* count is below 2^31 */
  ptrdiff_t size[THC_WALK_DIMS];
  THCDivisor divisor[THC_WALK_DIMS]; /* if narrow */
  ptrdiff_t stride[THC_LINE_OPERANDS][THC_WALK_DIMS];
} THCLines;

/* The offset of the line's first element in an operand, in elements. */
THC_DEVICE ptrdiff_t THCLines_at(const THCLines *lines, int operand, ptrdiff_t line)
{
  ptrdiff_t at = 0;
  THC_ROLL
  for (int d = 0; d < lines->dims - 1; d++) {
    const ptrdiff_t rest = lines->narrow
                               ? (ptrdiff_t)THCDivisor_divide(&lines->divisor[d], (uint32_t)line)
                               : line / lines->size[d];
    at += (line - rest * lines->size[d]) * lines->stride[operand][d];
    line = rest;
  }
  return at + line * lines->stride[operand][lines->dims - 1];
}

#endif
