/* Statistics, searches and scans. */
#ifndef ATEN_STATISTICS_H
#define ATEN_STATISTICS_H

#include "ATen/core/ATenCore.h"
#include "ATen/ops/reduce.h"

/* --- statistics (statistics.c) ---------------------------------------------------------------- */

/* out: the variance (or with AT_STD its root) and the mean. */
void at_momentsOf(at_tensor **out, at_reducing name, at_tensor *self, at_ints dims,
                  at_scalar correction, bool keepdim);
/* out: minimum and maximum. */
void at_extremesOf(at_tensor **out, at_tensor *self, int64_t dim, bool keepdim);
/* Sums and means without NaN. */
at_tensor *at_sumWithoutNaN(at_tensor *out, at_tensor *self, at_ints dims, bool keepdim,
                            const at_type *type);
at_tensor *at_quantileOf(at_tensor *out, at_tensor *self, at_tensor *q, int64_t dim, bool keepdim,
                         const char *interpolation, bool ignoresNaN);
at_tensor *at_quantileAt(at_tensor *out, at_tensor *self, double q, int64_t dim, bool keepdim,
                         const char *interpolation, bool ignoresNaN);

/* --- norms and distances (distances.c) -------------------------------------------------------- */

at_tensor *at_vectorNorm(at_tensor *out, at_tensor *self, at_scalar ord, at_ints dim, bool keepdim,
                         const at_type *type);
at_tensor *at_cosineBetween(at_tensor *x, at_tensor *y, int64_t dim, double eps);
at_tensor *at_pairDistance(at_tensor *x, at_tensor *y, double p, double eps, bool keepdim);
/* The p-norms of the differences of all rows of x and y, or of all pairs of rows of x. */
at_tensor *at_distances(at_tensor *x, at_tensor *y, double p);

/* --- searches and scans (search.c) ------------------------------------------------------------ */

/* side: "left", "right", or "none", where right decides; sorter may be NULL. */
at_tensor *at_searchSorted(at_tensor *out, at_tensor *sorted, at_tensor *values, bool out_int32,
                           bool right, const char *side, at_tensor *sorter);
at_tensor *at_areIn(at_tensor *out, at_tensor *elements, at_tensor *test, bool invert);

/* out: the largest (or smallest) elements up to each, and their indices. */
void at_extremesUpTo(at_tensor **out, at_tensor *self, int64_t dim, bool smallest);

/* --- hashes (hash.c) -------------------------------------------------------------------------- */

/* The exclusive or of the bits of all elements along dim, or of all; mode is 0. */
at_tensor *at_hashOf(at_tensor *self, at_ints dim, bool keepdim, int64_t mode);

/* --- reductions by indices (scatterReduce.c) -------------------------------------------------- */

at_tensor *at_scatterReduce(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                            at_tensor *src, const char *reduce, bool include_self);

#endif
