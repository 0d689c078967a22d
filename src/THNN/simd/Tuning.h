/* Tuning constants that several of THNN's files share.  Those of one file stay there. */
#ifndef THNN_TUNING_H
#define THNN_TUNING_H

/* Distances of software prefetches, in bytes from the element that is read.  Kernels that mostly
 * read use the near one: a page, as a processor's own prefetches stop at the end of a page.
 * Kernels that write as much as they read, by short rows, use the far one, as their reads wait for
 * writes. */
enum { THNN_PREFETCH_NEAR = 4096, THNN_PREFETCH_FAR = 8192 };

#endif
