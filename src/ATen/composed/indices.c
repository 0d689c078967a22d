/* Selections by indices of which a mask says which count, and chunks of several tensors together. */
#include "ATen/autograd/Formulas.h"

/* Indices limited to those of self's dimensions; empty after an error. */
static at_tensors limited(const char *name, at_tensor *self, at_tensors indices)
{
  if (indices.count > at_dim(self)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: there are %d indices, and self has %d dimensions", name,
            indices.count, at_dim(self));
    return at_noTensors;
  }
  const at_tensors *const made = at_listOf(indices.count);
  for (int d = 0; d < made->count; d++) {
    at_tensor *const t = indices.data[d];
    if (!t)
      continue;
    const at_scalar_type type = at_type_scalarType(at_typeOf(t));
    if (type != AT_LONG && type != AT_INT) {
      at_fail(AT_ERROR_TYPE, name, "%s: indices[%d] is of %s, and has to be of Long or Int", name,
              d, at_scalarTypeName(type));
      return at_noTensors;
    }
    const int64_t size = at_size(self, d);
    ((at_tensor **)made->data)[d] = at_retain(at_clamp(t, .min = -size, .max = size - 1));
  }
  return *made;
}

at_tensor *at_maskedIndexed(at_tensor *self, at_tensor *mask, at_tensors indices, at_scalar fill)
{
  const at_tensors within = limited("_unsafe_masked_index", self, indices);
  if (within.count != indices.count)
    return at_undefined();
  if (at_numel(self) == 0) { /* nothing can be selected: only the size counts */
    at_tensor *const empty = at_new_zeros(self, AT_SCALAR_SHAPE);
    return at_masked_fill(at_expand(empty, at_sizes(mask)), at_ones_like(mask), fill);
  }
  return at_masked_fill(at_index(self, within), at_logical_not(mask), fill);
}

at_tensor *at_maskedAdded(at_tensor *self, at_tensor *mask, at_tensors indices, at_tensor *values)
{
  const at_tensors within = limited("_unsafe_masked_index_put_accumulate", self, indices);
  if (within.count != indices.count)
    return at_undefined();
  if (at_numel(self) == 0)
    return at_clone(self);
  at_tensor *const counted = at_masked_fill(values, at_logical_not(mask), 0);
  return at_index_put(self, within, counted, .accumulate = true);
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* t as matrices: what lies before dim, which has to be as in first, then chunks of dim and all behind
 * it, filled up with zeros. */
static at_tensor *in_chunks(at_tensor *t, at_tensor *first, int64_t dim, int64_t chunks)
{
  int64_t sizes[AT_MOST_DIMS + 2], pad[2 * AT_MOST_DIMS] = {0};
  const at_ints own = at_sizes(t), others = at_sizes(first);
  for (int d = 0; d < dim; d++) {
    if (own.data[d] != others.data[d]) {
      at_fail(AT_ERROR_ARGUMENT, "_chunk_cat",
              "_chunk_cat: tensors of size %s and %s differ in dimension %d",
              at_sizeDesc(others).str, at_sizeDesc(own).str, d);
      return at_undefined();
    }
    sizes[d] = own.data[d];
  }
  const int64_t rest = own.data[dim] % chunks;
  const int behind = own.count - 1 - (int)dim;
  pad[2 * behind + 1] = rest == 0 ? 0 : chunks - rest;
  sizes[dim] = chunks;
  sizes[dim + 1] = -1;
  at_tensor *const whole = rest == 0 ? t : at_pad(t, ((at_ints){pad, 2 * behind + 2}));
  return at_reshape(whole, ((at_ints){sizes, (int)dim + 2}));
}

at_tensor *at_chunksJoined(at_tensors tensors, int64_t dim, int64_t chunks)
{
  static const char name[] = "_chunk_cat";
  if (tensors.count < 1 || chunks < 1) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: there are %d tensors and %lld chunks", name,
            tensors.count, (long long)chunks);
    return at_undefined();
  }
  const at_tensors *const parts = at_listOf(tensors.count);
  const int64_t at = dim < 0 ? dim + at_dim(tensors.data[0]) : dim;
  for (int i = 0; i < parts->count; i++) {
    at_tensor *const t = tensors.data[i];
    const bool fits = dim >= 0 || at_dim(t) == at_dim(tensors.data[0]);
    if (!fits || at < 0 || at >= at_dim(t) || at_numel(t) == 0) {
      at_fail(AT_ERROR_ARGUMENT, name,
              "%s: tensors[%d] is of size %s, and has to have elements and the dimension %lld",
              name, i, at_sizeDesc(at_sizes(t)).str, (long long)dim);
      return at_undefined();
    }
    at_tensor *const part = in_chunks(t, tensors.data[0], at, chunks);
    if (!at_defined(part))
      return at_undefined();
    ((at_tensor **)parts->data)[i] = at_retain(part);
  }
  return parts->count == tensors.count ? at_cat(*parts, .dim = at + 1) : at_undefined();
}
