/* The functions that the rows of ops/aten/reduce.ops call. */
#ifndef ATEN_REDUCE_H
#define ATEN_REDUCE_H

#include "ATen/core/ATenCore.h"

typedef enum at_reducer_name {
  AT_REDUCTION_sum,
  AT_REDUCTION_prod,
  AT_REDUCTION_mean,
  AT_REDUCTION_var,
  AT_REDUCTION_std,
  AT_REDUCTION_norm,
  AT_REDUCTION_max,
  AT_REDUCTION_min,
  AT_REDUCTION_all,
  AT_REDUCTION_any,
  AT_REDUCTION_logsumexp
} at_reducer_name;

/* A reduction: one of the objects below, so that a static program has those that its operations name. */
typedef const struct at_reducer *at_reducing;

/* p of AT_VAR and AT_STD: whether the divisor is the number of elements n rather than n - 1; of AT_NORM: the exponent.
 * AT_LOG_SUM_EXP only where TH has it. */
extern const at_reducing AT_SUM, AT_PROD, AT_MEAN, AT_VAR, AT_STD, AT_NORM, AT_MAX, AT_MIN, AT_ALL,
    AT_ANY, AT_LOG_SUM_EXP;

/* A reduction of complex numbers, to a type of its own. */
typedef at_tensor *(*at_complexReduction)(at_tensor *out, at_reducing how, at_tensor *self,
                                          at_ints dims, bool keepdim, at_scalar p);

at_reducer_name at_reducer_nameOf(at_reducing reduction);

/* Reduces over the dimensions dims, or over all if the list is empty.  The result is of type, or if
 * that is NULL of the default type of the reduction. */
at_tensor *at_reduce(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims, bool keepdim,
                     const at_type *type, at_scalar p);

/* at_reduce for AT_ALL and AT_ANY, where an empty list stands for no dimension. */
at_tensor *at_reduceBooleans(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                             bool keepdim);

/* AT_VAR or AT_STD, with divisor n - correction for n elements. */
at_tensor *at_variance(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                       at_scalar correction, bool keepdim);

/* AT_NORM in a type that is not narrower than self's. */
at_tensor *at_normOf(at_tensor *out, at_tensor *self, at_scalar p, at_ints dims, bool keepdim,
                     const at_type *type);

/* The norm of x - y. */
at_tensor *at_distance(at_tensor *out, at_tensor *x, at_tensor *y, at_scalar p);

/* --- along a dimension ----------------------------------------------------------------------- */

/* What finds elements of lines: one of the objects below.  The option of AT_PICK_SORT, and of
 * AT_PICK_SORT_VALUES, which has no indices and one result, is descending; that of AT_PICK_TOP is
 * largest. */
typedef const struct at_picker *at_picking;

extern const at_picking AT_PICK_MAX, AT_PICK_MIN, AT_PICK_MEDIAN, AT_PICK_MODE, AT_PICK_KTH,
    AT_PICK_SORT, AT_PICK_SORT_VALUES, AT_PICK_TOP;

/* Result 0 is the values, result 1 their indices along dim. */
void at_pick(at_tensor **out, at_picking how, at_tensor *self, int64_t k, int64_t dim, bool keepdim,
             bool option, bool sorted);

/* The index of the maximum or minimum along dim, or over all elements if no dim is given. */
at_tensor *at_argReduce(at_tensor *out, at_picking how, at_tensor *self, int64_t dim, bool keepdim);

/* The distinct elements of self in ascending order, or if not sorted, the first of each run of
 * equal elements.  Result 1 is the index in result 0 of each element of self, result 2 the number
 * of occurrences.  These two are computed if inverse and counts ask for them or, in the out form,
 * if they are wanted. */
void at_uniqueOf(at_tensor **out, const bool *wanted, bool sorted, at_tensor *self, bool inverse,
                 bool counts);

/* at_uniqueOf for slices along a dimension. */
void at_uniqueSlices(at_tensor **out, const bool *wanted, bool sorted, at_tensor *self, int64_t dim,
                     bool inverse, bool counts);

/* The cumulative sum or product along dim. */
at_tensor *at_accumulate(at_tensor *out, bool product, at_tensor *self, int64_t dim,
                         const at_type *type);

#endif
