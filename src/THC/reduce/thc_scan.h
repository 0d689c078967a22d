/* Interface of scan.cu: cumulative sums and products. */
#ifndef THC_SCAN_H
#define THC_SCAN_H

#include "THC/core/thc_kernels.h"
#include "THC/walk/thc_lines.h"

/* Operand 0 of the lines is the input, operand 1 the result.  Lines are cut into pieces of `piece`
 * elements; totals has an accreal for each piece of each line. */
typedef struct THCScanWork {
  const void *from;
  void *to; /* NULL: compute only the totals of pieces */
  ptrdiff_t piece, pieces;
  void *totals; /* NULL if there is one piece */
} THCScanWork;

/* The launchers of one kind, sum or product. */
typedef struct THCScan {
  size_t totalSize;
  void (*along)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
  /* Replaces the total of each piece by the total of all pieces before it. */
  void (*between)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
  /* Scans each line with one thread, without pieces. */
  void (*across)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
} THCScan;

#endif
