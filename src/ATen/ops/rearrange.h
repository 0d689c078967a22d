/* Functions that put the elements of tensors in another order or shape, by views and copies. */
#ifndef ATEN_REARRANGE_H
#define ATEN_REARRANGE_H

#include "ATen/core/ATenCore.h"

/* --- padding, rolling and flipping (rearrange.c) ---------------------------------------------- */

/* pad has two numbers for each dimension, the last one first; negative ones cut off. */
at_tensor *at_padConstant(at_tensor *out, at_tensor *self, at_ints pad, at_scalar value);
at_tensor *at_padBy(at_tensor *self, at_ints pad, const char *mode, at_scalar value);
at_tensor *at_padReflected(at_tensor *out, at_tensor *self, at_ints pad);

at_tensor *at_rolled(at_tensor *out, at_tensor *self, at_ints shifts, at_ints dims);
at_tensor *at_flipped(at_tensor *out, at_tensor *self, at_ints dims);
at_tensor *at_flipAlong(at_tensor *out, at_tensor *self, int64_t dim);
at_tensor *at_rotated(at_tensor *out, at_tensor *self, int64_t k, at_ints dims);
at_tensor *at_tiled(at_tensor *self, at_ints dims);
at_tensor *at_difference(at_tensor *out, at_tensor *self, int64_t n, int64_t dim,
                         at_tensor *prepend, at_tensor *append);
at_tensor *at_repeatedEach(at_tensor *self, int64_t repeats, int64_t dim, int64_t output_size);
at_tensor *at_repeatedBy(at_tensor *self, at_tensor *repeats, int64_t dim, int64_t output_size);
at_tensor *at_repeatIndices(at_tensor *repeats, int64_t output_size);
at_tensor *at_takenAlong(at_tensor *out, at_tensor *self, at_tensor *indices, int64_t dim);

/* --- other shapes (reshape.c) ----------------------------------------------------------------- */

/* A copy of a view, whose reference this takes over. */
at_tensor *at_copied(at_tensor *out, at_tensor *view);

at_tensor *at_viewMoved(at_tensor *self, at_ints source, at_ints destination);
at_tensor *at_viewUnflattened(at_tensor *self, int64_t dim, at_ints sizes);
at_tensor *at_viewDiagonal(at_tensor *self, int64_t offset, int64_t dim1, int64_t dim2);
at_tensor *at_diagonalsOf(at_tensor *out, at_tensor *self, int64_t offset, int64_t dim1,
                          int64_t dim2);
at_tensor *at_diagonalFlat(at_tensor *self, int64_t offset);
at_tensor *at_viewAtLeast(at_tensor *self, int dims);
const at_tensors *at_broadcastAll(at_tensors tensors);
const at_tensors *at_meshOf(at_tensors tensors, const char *indexing);

/* Joins along dimension dim tensors of at least dims dimensions; columns: vectors become columns. */
at_tensor *at_joinedAtLeast(at_tensor *out, at_tensors tensors, int dims, int dim, bool columns);

/* Splits into sections, nearly equal, or at indices. */
const at_tensors *at_sections(at_tensor *self, int64_t sections, int64_t dim);
const at_tensors *at_sectionsAt(at_tensor *self, at_ints indices, int64_t dim);

/* The dimension that hsplit (0), vsplit (1) and dsplit (2) cut; even: sections have to be equal. */
int at_dimToSplit(const at_tensor *self, int which, int64_t sections);

/* A copy of self with src in place of a view of it. */
at_tensor *at_scatterSelect(at_tensor *out, at_tensor *self, at_tensor *src, int64_t dim,
                            int64_t index);
at_tensor *at_scatterSlice(at_tensor *out, at_tensor *self, at_tensor *src, int64_t dim,
                           int64_t start, int64_t end, int64_t step);
at_tensor *at_scatterDiagonal(at_tensor *out, at_tensor *self, at_tensor *src, int64_t offset,
                              int64_t dim1, int64_t dim2);

/* Fills with a tensor without dimensions; a copy of src in self's type and size. */
at_tensor *at_filledBy(at_tensor *out, at_tensor *self, at_tensor *value);
at_tensor *at_copyLike(at_tensor *self, at_tensor *src);

at_tensor *at_triangleIndices(const at_type *type, int64_t row, int64_t col, int64_t offset,
                              bool upper);
at_tensor *at_oneHot(at_tensor *self, int64_t num_classes);
at_tensor *at_shuffledToSpace(at_tensor *self, int64_t factor);
at_tensor *at_shuffledToDepth(at_tensor *self, int64_t factor);
at_tensor *at_shuffledChannels(at_tensor *self, int64_t groups);

#endif
