/* Interface of scan.cu: cumulative sums and products. */
#ifndef THC_SCAN_H
#define THC_SCAN_H

#include "THC/core/thc_kernels.h"
#include "THC/walk/thc_lines.h"

/* Operand 0 of the lines is the input, operand 1 the result.  Lines are cut into chunks of `chunk`
 * elements; totals has an accreal for each chunk of each line. */
typedef struct THCScanWork {
  const void *from;
  void *to; /* NULL: compute only the totals of chunks */
  ptrdiff_t chunk, chunks;
  void *totals; /* NULL if there is one chunk */
} THCScanWork;

/* The launchers of one kind, sum or product. */
typedef struct THCScan {
  size_t totalSize;
  void (*along)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
  /* Replaces the total of each chunk by the total of all chunks before it. */
  void (*between)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
  /* Scans each line with one thread, without chunks. */
  void (*across)(const THCScanWork *work, const THCLines *lines, cudaStream_t stream);
} THCScan;

#endif
