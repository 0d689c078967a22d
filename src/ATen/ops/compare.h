/* The functions that the rows of ops/aten/compare.ops and ops/aten/functions.ops call. */
#ifndef ATEN_COMPARE_H
#define ATEN_COMPARE_H

#include "ATen/core/ATenCore.h"
#include "ATen/ops/elementwise.h"

/* Runs a kernel of elementwise.h.  The operands have the shape of the result, which is of that
 * type. */
at_tensor *at_eachElement(at_tensor *out, const at_type *type, at_ints sizes, at_elementwise kernel,
                          int count, at_tensor *const *in, const void *scalars);

/* --- scalars --------------------------------------------------------------------------------- */

/* A tensor without dimensions; value is converted as elements are: integers wrap around. */
at_tensor *at_newScalar(const at_type *type, at_scalar value);

/* --- comparisons, bits and booleans ---------------------------------------------------------- */

/* Runs a comparison, such as row eqTensor or eqValue.  A scalar is first converted to the type that
 * both operands promote to. */
at_tensor *at_compare(at_tensor *out, at_row row, at_tensor *x, at_tensor *y);
at_tensor *at_compareScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a);

/* Runs a bitwise operation of integers, such as row cbitand. */
at_tensor *at_bits(at_tensor *out, at_row row, at_tensor *x, at_tensor *y);
at_tensor *at_bitsScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a);

/* Runs a bitwise row on booleans: whether each element is nonzero. */
at_tensor *at_logical(at_tensor *out, at_row row, at_tensor *x, at_tensor *y);
at_tensor *at_logicalNot(at_tensor *out, at_tensor *x);

bool at_areEqual(const at_tensor *x, const at_tensor *y);
at_tensor *at_areClose(at_tensor *x, at_tensor *y, double rtol, double atol, bool equalNaN);
bool at_areAllClose(const at_tensor *x, const at_tensor *y, double rtol, double atol,
                    bool equalNaN);
bool at_isTrue(const at_tensor *t);

static inline bool at_hasSign(const at_tensor *t)
{
  return t->type->scalarType != AT_BYTE && t->type->scalarType != AT_BOOL;
}

/* --- selection ------------------------------------------------------------------------------- */

/* x where condition is nonzero, else y; where x or y is NULL, the scalar a or b. */
at_tensor *at_choose(at_tensor *out, at_tensor *condition, at_tensor *x, at_scalar a, at_tensor *y,
                     at_scalar b);

/* --- functions ------------------------------------------------------------------------------- */

at_tensor *at_absoluteOf(at_tensor *out, at_tensor *x);
at_tensor *at_power(at_tensor *out, at_tensor *x, at_tensor *y);
at_tensor *at_powerScalar(at_tensor *out, at_tensor *x, at_scalar exponent);
at_tensor *at_powerBase(at_tensor *out, at_scalar base, at_tensor *x);

/* Linear interpolation between tensors of one floating type; a weight without dimensions may be of
 * any type. */
at_tensor *at_between(at_tensor *out, at_tensor *x, at_tensor *end, at_scalar weight);

/* Limits elements to a range; one of min and max may be left out. */
at_tensor *at_clamped(at_tensor *out, at_tensor *x, at_scalar min, at_scalar max);

#endif
