/* What the rows of ops/aten/reduce.ops call. */
#ifndef ATEN_REDUCE_H
#define ATEN_REDUCE_H

#include "ATenCore.h"

typedef enum at_reducing {
  AT_SUM,
  AT_PROD,
  AT_MEAN,
  AT_VAR, /* p: whether it divides by the number of elements rather than one less */
  AT_STD,
  AT_NORM, /* p: which */
  AT_MAX,
  AT_MIN,
  AT_ALL,
  AT_ANY,
  AT_LOG_SUM_EXP /* where THReduction_of(...) has it */
} at_reducing;

/* Over these dimensions, or all where there are none in the list.  In type, or where that is NULL
 * in the type that suits the reduction. */
at_tensor *at_reduce(at_tensor *out, at_reducing name, at_tensor *self, at_ints dims, bool keepdim,
                     const at_type *type, at_scalar p);

/* The same of AT_ALL and AT_ANY, an empty list being none of the dimensions. */
at_tensor *at_reduceBooleans(at_tensor *out, at_reducing name, at_tensor *self, at_ints dims,
                             bool keepdim);

/* AT_VAR or AT_STD, which divides by the number of elements less the correction. */
at_tensor *at_variance(at_tensor *out, at_reducing name, at_tensor *self, at_ints dims,
                       at_scalar correction, bool keepdim);

/* AT_NORM in a type that is not narrower than self's. */
at_tensor *at_normOf(at_tensor *out, at_tensor *self, at_scalar p, at_ints dims, bool keepdim,
                     const at_type *type);

/* The norm of x - y. */
at_tensor *at_distance(at_tensor *out, at_tensor *x, at_tensor *y, at_scalar p);

at_tensor *at_logOfSums(at_tensor *out, at_tensor *self, at_ints dims, bool keepdim);

/* --- along a dimension ----------------------------------------------------------------------- */

typedef enum at_picking {
  AT_PICK_MAX,
  AT_PICK_MIN,
  AT_PICK_MEDIAN,
  AT_PICK_MODE,
  AT_PICK_KTH,
  AT_PICK_SORT,        /* option: descending */
  AT_PICK_SORT_VALUES, /* the same without places: there is one result */
  AT_PICK_TOP          /* option: largest */
} at_picking;

/* Values and where they were found: those are results 0 and 1. */
void at_pick(at_tensor **out, at_picking name, at_tensor *self, int64_t k, int64_t dim,
             bool keepdim, bool option, bool sorted);

/* Where the maximum or minimum is, over all elements where no dim is given. */
at_tensor *at_argReduce(at_tensor *out, at_picking name, at_tensor *self, int64_t dim,
                        bool keepdim);

/* The different elements, in order or (not sorted) of each that are equal and follow each other;
 * their numbers, and how many there are of each.  Of those results the function makes the ones that
 * inverse and counts ask for, and the form with results those that are wanted. */
void at_uniqueOf(at_tensor **out, const bool *wanted, bool sorted, at_tensor *self, bool inverse,
                 bool counts);

/* The same of slices along a dimension. */
void at_uniqueSlices(at_tensor **out, const bool *wanted, bool sorted, at_tensor *self, int64_t dim,
                     bool inverse, bool counts);

at_tensor *at_medianOf(at_tensor *out, at_tensor *self);

/* Running sums, or products. */
at_tensor *at_accumulate(at_tensor *out, bool product, at_tensor *self, int64_t dim,
                         const at_type *type);

at_tensor *at_renormed(at_tensor *out, at_tensor *self, at_scalar p, int64_t dim,
                       at_scalar maxnorm);
at_tensor *at_histogram(at_tensor *out, at_tensor *self, int64_t bins, at_scalar min,
                        at_scalar max);

#endif
