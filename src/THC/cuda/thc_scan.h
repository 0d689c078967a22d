/* How the host asks for running sums and products (scan.cu). */
#ifndef THC_SCAN_H
#define THC_SCAN_H

#include "thc_kernels.h"
#include "thc_lines.h"

/* Operand 0 of the lines is what is read, operand 1 the result.  Lines are cut into pieces of
 * `piece` elements; totals has an accreal for each piece of each line. */
typedef struct THCScanWork {
  const void *from;
  void *to; /* NULL: only the totals of pieces are wanted */
  ptrdiff_t piece, pieces;
  void *totals; /* NULL: of one piece */
} THCScanWork;

/* One kind: of sums, or of products. */
typedef struct THCScan {
  size_t totalSize;
  void (*along)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
  /* Totals of pieces become what comes before each. */
  void (*between)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
  /* A thread for each line, without pieces. */
  void (*across)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
} THCScan;

#endif
