/* Sequences, and diagonals and triangles of matrices.  The type is Float if type and out are
 * NULL. */
#ifndef ATEN_SEQUENCES_H
#define ATEN_SEQUENCES_H

#include "ATen/core/ATenCore.h"

at_tensor *at_arangeFrom(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                         at_scalar step);
at_tensor *at_identity(at_tensor *out, const at_type *type, int64_t n, int64_t m);
at_tensor *at_triangle(at_tensor *out, at_tensor *self, int64_t diagonal, bool below);

#endif
