/* Joining and splitting tensors, and changing their shapes and storages. */
#ifndef ATEN_SHAPES_H
#define ATEN_SHAPES_H

#include "ATen/core/ATenCore.h"

/* The result of a function that makes a view: the view itself if self is NULL (the function form),
 * else self, which becomes the view (the form in place).  Takes over the reference to view, which
 * is of self's type; cannot fail. */
at_tensor *at_become(at_tensor *self, at_tensor *view);

at_tensor *at_viewMatrixTransposed(at_tensor *self);
at_tensor *at_viewMatricesTransposed(at_tensor *self);
at_tensor *at_viewSqueezeDims(at_tensor *self, at_ints dims);

/* Raises unless there are as many strides as sizes, none of them negative. */
void at_checkStrides(at_ints sizes, at_ints strides);

at_tensor *at_newNothing(const at_type *type);
at_tensor *at_newStrided(at_tensor *self, at_ints sizes, at_ints strides);
at_tensor *at_makeStrided(const at_type *type, at_ints sizes, at_ints strides);
at_tensor *at_newOnStorage(const at_type *type, at_storage *storage, int64_t offset, at_ints sizes,
                           at_ints strides);
bool at_isSetTo(const at_tensor *self, const at_tensor *tensor);

at_tensor *at_joined(at_tensor *out, at_tensors tensors, int64_t dim);
at_tensor *at_stacked(at_tensor *out, at_tensors tensors, int64_t dim);
at_tensor *at_repeated(at_tensor *self, at_ints repeats);

/* The list with copies instead of its views. */
const at_tensors *at_copiesOf(const at_tensors *views);

#endif
