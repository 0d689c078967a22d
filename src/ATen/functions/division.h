/* Division with rounding, and other arithmetic that takes more than one row. */
#ifndef ATEN_DIVISION_H
#define ATEN_DIVISION_H

#include "ATen/core/ATenCore.h"

/* The quotient, rounded as rounding_mode says: "none", "trunc" or "floor". */
at_tensor *at_quotient(at_tensor *out, at_tensor *x, at_tensor *y, const char *rounding_mode);

/* y - alpha * x. */
at_tensor *at_subtractedFrom(at_tensor *out, at_tensor *x, at_scalar y, at_scalar alpha);

/* The greatest common divisor of each two integers. */
at_tensor *at_gcdOf(at_tensor *x, at_tensor *y);

/* Powers in Double. */
at_tensor *at_floatPower(at_tensor *out, at_tensor *x, at_tensor *exponent);

/* x times 2 to the power of exponent. */
at_tensor *at_scaledByPower(at_tensor *out, at_tensor *x, at_tensor *exponent);

/* 0 below 0, values at 0, 1 above. */
at_tensor *at_step(at_tensor *out, at_tensor *x, at_tensor *values);

#endif
