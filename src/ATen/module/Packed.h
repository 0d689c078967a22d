/* Packed sequences: what their batch sizes say. */
#ifndef ATEN_PACKED_H
#define ATEN_PACKED_H

#include "ATen/core/ATenCore.h"

/* The elements of a vector of one or more integers; they belong to the scope.  NULL and an error for
 * what is none. */
const int64_t *at_integersOf(const char *operation, const char *name, at_tensor *t, int64_t *count);

/* The number of sequences at each of count steps; NULL and an error unless they are positive, do not
 * grow, and add up to the rows of data. */
const int64_t *at_batchSizes(const char *operation, at_tensor *data, at_tensor *batch_sizes,
                             int64_t *count);

/* Which of the caller's sequences is the first packed one, and so on, as a vector of Long: the inverse
 * of unsorted, or NULL for NULL.  The undefined tensor and an error unless unsorted has the numbers below
 * count. */
at_tensor *at_sortedIndices(const char *operation, at_tensor *unsorted, int64_t count);

/* A vector of Long on the CPU, without values, whose elements *to becomes; NULL for *to after an error. */
at_tensor *at_newIndices(int64_t count, int64_t **to);

#endif
