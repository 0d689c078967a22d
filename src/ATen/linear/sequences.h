/* Sequences, and diagonals and triangles of matrices.  The type is Float if type and out are
 * NULL. */
#ifndef ATEN_SEQUENCES_H
#define ATEN_SEQUENCES_H

#include "ATen/core/ATenCore.h"

at_tensor *at_arangeFrom(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                         at_scalar step);
at_tensor *at_rangeTo(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                      at_scalar step);
at_tensor *at_evenly(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                     int64_t steps);
at_tensor *at_evenPowers(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                         int64_t steps, double base);
at_tensor *at_identity(at_tensor *out, const at_type *type, int64_t n, int64_t m);
at_tensor *at_diagonalMatrix(at_tensor *out, at_tensor *self, int64_t diagonal);
at_tensor *at_triangle(at_tensor *out, at_tensor *self, int64_t diagonal, bool below);
at_tensor *at_traceOf(at_tensor *self);
at_tensor *at_crossed(at_tensor *out, at_tensor *self, at_tensor *other, int64_t dim);

#endif
