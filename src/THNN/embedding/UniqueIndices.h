/* Unique indices. */
#ifndef THNN_UNIQUE_INDICES_H
#define THNN_UNIQUE_INDICES_H

#include "THGeneral.h"

/* Removes all repetitions from index, keeping its order, and returns how many indices remain.
 * Indices are at least 0, and seen has an element for each index up to the largest.  seen need not
 * be initialized: only the elements of the given indices are touched. */
ptrdiff_t THNN_uniqueIndices(int64_t *index, ptrdiff_t count, int64_t *seen);

#endif
