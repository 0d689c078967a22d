/* Kernels of running sums and products, for each element type; totals are of the type of sums. */
#ifndef TH_SCAN_H
#define TH_SCAN_H

#include "THKernel.h"

/* Where elements come from and where their totals go, in steps of so many elements. */
typedef struct THScanPlace {
  const void *from;
  void *to;               /* NULL: only the last total is wanted */
  ptrdiff_t dx, dr;       /* from one element to the next */
  ptrdiff_t jumpX, jumpR; /* lines: from one to the next; across: from one row to the next */
  int streams;            /* totals side by side go around the caches */
} THScanPlace;

typedef struct THScanKernels {
  ptrdiff_t few; /* lines of fewer elements than these are quicker side by side */

  /* Goes on along n elements of a line; *total is what came before and then what there is now.
   * NULL for floating types, whose totals depend on the order in which they are made: each is made
   * of the one before it, as in a plain loop.  Of others totals are counted anew from the first
   * element on and added to what came before, so that the pieces of a line can be computed by
   * themselves. */
  void (*along)(void *total, const THScanPlace *place, ptrdiff_t n);

  /* All of some lines of n elements. */
  void (*lines)(const THScanPlace *place, ptrdiff_t lines, ptrdiff_t n);

  /* Goes on along rows elements of lines that lie side by side, each with a total. */
  void (*across)(void *totals, const THScanPlace *place, ptrdiff_t lines, ptrdiff_t rows);
} THScanKernels;

/* The rows of a table. */
enum { TH_SCAN_SUM, TH_SCAN_PRODUCT };

#endif
