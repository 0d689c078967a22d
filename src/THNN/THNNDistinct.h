/* Indices, each once. */
#ifndef THNN_DISTINCT_H
#define THNN_DISTINCT_H

#include "THGeneral.h"

/* Leaves of index, in order, the first of those that are equal, and returns how many there are.
 * Each is at least 0, and seen has room beyond the largest; what it holds does not matter, so that
 * only as much of it is touched as there are indices. */
ptrdiff_t THNN_uniqueIndices(int64_t *index, ptrdiff_t count, int64_t *seen);

#endif
