/* Complex tensors.
 *
 * An element is a pair of reals in a TH storage of the real type, so that the parts of a complex
 * tensor are views of the same storage.  Sizes, strides and offsets count pairs.  TH has no
 * functions for such tensors: their Types have those of memory only, and what computes is here. */
#ifndef ATEN_COMPLEX_H
#define ATEN_COMPLEX_H

#include "ATen/core/ATenCore.h"
#include "ATen/functions/functions.h"
#include "ATen/linear/linear.h"
#include "ATen/ops/reduce.h"
#include "THKernel.h"

/* --- parts ----------------------------------------------------------------------------------- */

/* The real type of the parts of a complex Type, and the complex Type with parts of a real Type: that
 * of Double for Double, else that of Float. */
const at_type *at_realType(const at_type *type);
const at_type *at_complexType(const at_type *type);

/* A complex tensor as reals: a view with one more dimension, the last, of size 2. */
at_tensor *at_viewPairs(at_tensor *t);
at_tensor *at_pairsOf(at_tensor *t); /* raises if t is not complex */

/* The view of the real parts (part 0) or of the imaginary parts (part 1). */
at_tensor *at_viewPart(at_tensor *t, int part);

/* The inverse of at_viewPairs; raises unless the last dimension is 2 and its elements adjacent. */
at_tensor *at_viewComplex(at_tensor *t);

/* The parts of a tensor of any type: a real one is its own real part and has no imaginary one. */
at_tensor *at_realPart(at_tensor *t);

/* --- memory ---------------------------------------------------------------------------------- */

/* at_convert where one of the types is complex or unsigned. */
void at_convertFurther(at_tensor *to, at_tensor *from);

void at_convertUnsigned(at_tensor *to, at_tensor *from);

/* at_convert of a complex tensor to another one of that size, by reals. */
void at_convertPairs(at_tensor *to, at_tensor *from);

/* Fills a complex tensor. */
void at_fillComplex(at_tensor *t, double re, double im);

/* The scalar whose bits in the signed type that holds the unsigned type are those of value; raises if
 * the type cannot hold it, except that negative integers wrap around. */
at_scalar at_unsignedElement(const at_type *type, at_scalar value);

/* --- pointwise ------------------------------------------------------------------------------- */

/* Names of rows of ops/complex.h: the index of a row, the number of rows plus an at_function_name, or one of
 * these. */
typedef enum at_complex_name {
  AT_COMPLEX_LAST_OTHER = AT_ROWS + AT_FUNCTION_COUNT - 1,
#define NAME_ROW(NAME)
#define NAME_FUNCTION(NAME)
#define NAME_OWN(NAME)                       AT_COMPLEX_##NAME,
#define AT_COMPLEX(OF, WRITES, N, NAME, ...) NAME_##OF(NAME)
#include "ops/complex.h"
#undef NAME_ROW
#undef NAME_FUNCTION
#undef NAME_OWN
  AT_COMPLEX_NAMES
} at_complex_name;

typedef enum at_complex_writes { AT_PAIRS = 1, AT_REALS, AT_BOOLEANS } at_complex_writes;

typedef struct at_complex_row {
  THKernel kernel; /* its scalars are two doubles; NULL if complex numbers have no such row */
  at_complex_writes writes;
  bool readsReals;
} at_complex_row;

extern const at_complex_row at_complexRowsFloat[AT_COMPLEX_NAMES];
extern const at_complex_row at_complexRowsDouble[AT_COMPLEX_NAMES];

/* Runs the row of that name on operands that are broadcast, and converted to type, which is complex,
 * or to its real type. */
at_tensor *at_complexRow(at_tensor *out, int name, at_scalar_type type, int count,
                         at_tensor *const *in, at_scalar a, at_scalar b);

/* A function of ops/functions.h. */
at_tensor *at_complexFunction(at_tensor *out, at_function_name name, at_tensor *x);

/* --- operations ------------------------------------------------------------------------------ */

/* The following functions take real tensors too. */
at_tensor *at_conjugated(at_tensor *out, at_tensor *x);
at_tensor *at_directionOf(at_tensor *out, at_tensor *x); /* sgn */
at_tensor *at_adjointOf(at_tensor *x);                   /* matrices */
at_tensor *at_areReal(at_tensor *x);

/* Whether all elements are equal; x and y are of one size. */
bool at_areEqualPairs(const at_tensor *x, const at_tensor *y);

/* Complex tensors from their parts, or from lengths and angles, which are of one type. */
at_tensor *at_complexFrom(at_tensor *out, at_tensor *re, at_tensor *im);

/* --- what operations of any types call for complex operands ----------------------------------- */

/* Functions on elements by indices and masks, each like the function without Pairs. */
at_tensor *at_indexedPairs(at_tensor *out, at_tensor *self, at_tensors indices);
at_tensor *at_indexPutPairs(at_tensor *out, at_tensor *self, at_tensors indices, at_tensor *values,
                            bool accumulate);
at_tensor *at_indexSelectPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index);
at_tensor *at_indexCopyPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                             at_tensor *source);
at_tensor *at_indexAddPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                            at_tensor *source, at_scalar alpha);
at_tensor *at_gatheredPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index);
at_tensor *at_scatteredPairs(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                             at_tensor *src, bool adds);
at_tensor *at_takenPairs(at_tensor *out, at_tensor *self, at_tensor *index);
at_tensor *at_maskedFillPairs(at_tensor *out, at_tensor *self, at_tensor *mask, at_scalar value);
at_tensor *at_maskedFillByPairs(at_tensor *out, at_tensor *self, at_tensor *mask, at_tensor *value);
at_tensor *at_maskedSelectPairs(at_tensor *out, at_tensor *self, at_tensor *mask);

/* Reductions of complex numbers (ops/reduce.h): sums and means, products, norms, and whether all or any are not 0. */
at_tensor *at_complexSum(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                         bool keepdim, at_scalar p);
at_tensor *at_complexProductAlong(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                                  bool keepdim, at_scalar p);
at_tensor *at_complexNorm(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                          bool keepdim, at_scalar p);
at_tensor *at_complexTruth(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                           bool keepdim, at_scalar p);

/* The variance, or standard deviation, of complex numbers: real, from the sum of those of the parts. */
at_tensor *at_complexVariance(at_tensor *out, at_reducing name, at_tensor *self, at_ints dims,
                              at_scalar correction, bool keepdim);

/* linalg_solve and linalg_inv of complex matrices. */
at_tensor *at_complexSolutions(at_tensor *out, at_tensor *a, at_tensor *b, bool left);
at_tensor *at_complexInverses(at_tensor *out, at_tensor *a);

at_tensor *at_accumulateComplex(at_tensor *out, bool product, at_tensor *self, int dim,
                                const at_type *type);

/* Products of matrices and vectors; self may be NULL. */
at_tensor *at_complexProduct(at_tensor *out, at_product_kind kind, at_tensor *self, at_tensor *x,
                             at_tensor *y, at_scalar beta, at_scalar alpha);
at_tensor *at_complexDot(at_tensor *out, at_tensor *x, at_tensor *y);
at_tensor *at_conjugateDot(at_tensor *out, at_tensor *x, at_tensor *y); /* of x conjugated */

#endif
