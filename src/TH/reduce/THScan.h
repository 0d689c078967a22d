/* Kernels of cumulative sums and products, for each element type; totals have the type of sums. */
#ifndef TH_SCAN_H
#define TH_SCAN_H

#include "THKernel.h"

/* Where elements come from and where their totals go.  Strides are in elements. */
typedef struct THScanOperands {
  const void *from;
  void *to;         /* NULL: only the last total is wanted */
  ptrdiff_t dx, dr; /* from one element to the next */
  ptrdiff_t rowStrideX,
      rowStrideR; /* from a line to the next; for `across` from a row to the next */
  int streams;    /* contiguous totals are written with non-temporal stores */
} THScanOperands;

typedef struct THScanKernels {
  ptrdiff_t shortLine; /* shorter lines are faster several at a time */

  /* Continues a scan over n elements of a line: on entry *total is the total of the elements before
   * them, on return the total that includes them.  NULL for floating types, whose totals depend on
   * the order of additions: each is computed from the one before it, as in a plain loop.  Totals of
   * other types are computed from the first of the n elements on and added to the total before
   * them, so that the chunks of a line are independent. */
  void (*along)(void *total, const THScanOperands *operands, ptrdiff_t n);

  /* Scans whole lines of n elements. */
  void (*lines)(const THScanOperands *operands, ptrdiff_t lines, ptrdiff_t n);

  /* Continues the scans of adjacent lines, each with a total, over `rows` elements of each. */
  void (*across)(void *totals, const THScanOperands *operands, ptrdiff_t lines, ptrdiff_t rows);
} THScanKernels;

/* The rows of a table. */
enum { TH_SCAN_SUM, TH_SCAN_PRODUCT };

#endif
