/* Indexing with tensors, and masks. */
#ifndef ATEN_INDEX_H
#define ATEN_INDEX_H

#include "ATen/core/ATenCore.h"

at_tensor *at_indexed(at_tensor *out, at_tensor *self, at_tensors indices);
at_tensor *at_indexPut(at_tensor *out, at_tensor *self, at_tensors indices, at_tensor *values,
                       bool accumulate);
at_tensor *at_indexSelect(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index);
at_tensor *at_indexCopy(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                        at_tensor *source);
at_tensor *at_indexAdd(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                       at_tensor *source, at_scalar alpha);
at_tensor *at_gathered(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index);
at_tensor *at_scattered(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                        at_tensor *src, bool adds);
at_tensor *at_scatterFill(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                          at_scalar value);
at_tensor *at_maskedFill(at_tensor *out, at_tensor *self, at_tensor *mask, at_scalar value);

/* masked_fill with the element of a tensor without dimensions, which may be complex where self is. */
at_tensor *at_maskedFillBy(at_tensor *out, at_tensor *self, at_tensor *mask, at_tensor *value);
at_tensor *at_indexFillBy(at_tensor *out, at_tensor *self, int64_t dim, at_tensor *index,
                          at_tensor *value);
at_tensor *at_maskedScatter(at_tensor *out, at_tensor *self, at_tensor *mask, at_tensor *source);
at_tensor *at_nonzeros(at_tensor *out, at_tensor *self);

/* The value of a tensor without dimensions; the check for it; and whether the host need not know the value, since
 * self is on the device too. */
at_scalar at_numberIn(const at_tensor *value);
void at_checkNumber(const at_tensor *value);
bool at_staysOnDevice(const at_tensor *self, const at_tensor *value);

/* Whether an index is known to be outside of [least, end).  *outside becomes the first such index, or on a
 * device one of them.  There nobody waits, unless TH_CUDA_CHECK_INDICES=1 says so: the stream's next wait
 * raises the error, and what follows has to pass over such indices. */
bool at_findOutside(at_tensor *index, int64_t least, int64_t end, int64_t *outside);

/* Adds size to negative indices, then multiplies all by step, in place.  On a device those out of range become
 * negative numbers. */
void at_wrapIndices(at_tensor *contiguous, int64_t size, int64_t step);

/* Whether the tensor is of Long or Int. */
bool at_isIndex(const at_tensor *index);

#endif
