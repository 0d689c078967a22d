/* Functions that put the elements of tensors in another order or shape, by views and copies. */
#ifndef ATEN_REARRANGE_H
#define ATEN_REARRANGE_H

#include "ATen/core/ATenCore.h"

/* --- padding, rolling and flipping (rearrange.c) ---------------------------------------------- */

/* pad has two numbers for each dimension, the last one first; negative ones cut off. */
at_tensor *at_padConstant(at_tensor *out, at_tensor *self, at_ints pad, at_scalar value);

at_tensor *at_flipAlong(at_tensor *out, at_tensor *self, int64_t dim);

/* --- other shapes (reshape.c) ----------------------------------------------------------------- */

/* A copy of a view, whose reference this takes over. */
at_tensor *at_copied(at_tensor *out, at_tensor *view);

at_tensor *at_viewMoved(at_tensor *self, at_ints source, at_ints destination);
at_tensor *at_viewDiagonal(at_tensor *self, int64_t offset, int64_t dim1, int64_t dim2);
at_tensor *at_viewAtLeast(at_tensor *self, int dims);

/* Joins along dimension dim tensors of at least dims dimensions; columns: vectors become columns. */
at_tensor *at_joinedAtLeast(at_tensor *out, at_tensors tensors, int dims, int dim, bool columns);

/* Splits into sections, nearly equal, or at indices. */
const at_tensors *at_sections(at_tensor *self, int64_t sections, int64_t dim);

/* The dimension that hsplit (0), vsplit (1) and dsplit (2) cut; even: sections have to be equal. */
int at_dimToSplit(const at_tensor *self, int which, int64_t sections);

/* A copy of self with src in place of a view of it. */
at_tensor *at_scatterSelect(at_tensor *out, at_tensor *self, at_tensor *src, int64_t dim,
                            int64_t index);

/* Fills with a tensor without dimensions; a copy of src in self's type and size. */
at_tensor *at_filledBy(at_tensor *out, at_tensor *self, at_tensor *value);

at_tensor *at_triangleIndices(const at_type *type, int64_t row, int64_t col, int64_t offset,
                              bool upper);

/* Puts next in place of the tensor that the guard holds. */
static inline void at_replaceHeld(THGuard *held, at_tensor *next)
{
  at_release(held->what);
  held->what = next;
}

#endif
