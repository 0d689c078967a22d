/* Formulas of what repeats, spreads and joins elements. */
#include "ATen/autograd/Formulas.h"

at_tensor *at_stridedGrad(at_tensor *grad, at_tensor *self, at_ints sizes, at_ints strides,
                          int64_t offset)
{
  if (!at_defined(self) || !at_defined(grad))
    return at_undefined();
  const at_ints own = at_sizesOf(self);
  const int64_t begin = self->th->storageOffset, first = offset == AT_NONE ? begin : offset;
  /* positions in memory, from the first element of either on */
  const int64_t low = THMin(begin, first);
  int64_t high = THMax(begin, first);
  for (int i = 0; i < 2; i++) {
    const at_ints size = i == 0 ? own : sizes;
    const int64_t *const step = i == 0 ? self->th->stride : strides.data;
    int64_t end = i == 0 ? begin : first;
    for (int d = 0; d < size.count; d++)
      end += size.data[d] > 0 ? (size.data[d] - 1) * step[d] : 0;
    high = THMax(high, end);
  }
  if (at_numel(self) == 0 || at_numel(grad) == 0)
    return at_zeros_like(self);
  const at_type *const type = at_toScalarType(at_typeOf(grad), AT_LONG);
  at_tensor *const memory = at_arange(high - low + 1, .type = type);
  const at_ints step = {self->th->stride, own.count};
  at_tensor *const to = at_as_strided(memory, sizes, strides, .storage_offset = first - low);
  at_tensor *const from = at_as_strided(memory, own, step, .storage_offset = begin - low);
  at_tensor *const elements = at_moved(grad, AT_INTS(high - low + 1), to);
  return at_reshape(at_index_select(elements, 0, at_reshape(from, AT_INTS(-1))), own);
}

at_tensor *at_diffOf(at_tensor *self, int64_t n, int64_t dim, at_tensor *before, at_tensor *behind)
{
  at_tensor *t = self;
  if (before)
    t = at_cat(AT_TENSORS(before, t), .dim = dim);
  if (behind)
    t = at_cat(AT_TENSORS(t, behind), .dim = dim);
  for (int64_t i = 0; i < n && at_defined(t) && at_dim(t) > 0 && at_size(t, dim) > 0; i++) {
    const int64_t size = at_size(t, dim), length = THMax(size - 1, 0);
    t = at_sub(at_narrow(t, dim, size - length, length), at_narrow(t, dim, 0, length));
  }
  return t == self ? at_alias(self) : t;
}

const at_tensors *at_meshGrad(at_tensors grads, at_tensors tensors, const char *indexing)
{
  const at_tensors *const made = at_listOf(tensors.count);
  for (int i = 0; i < made->count; i++) {
    int64_t dims[AT_MOST_DIMS];
    int count = 0;
    const int own = indexing[0] == 'x' && i < 2 && tensors.count > 1 ? 1 - i : i;
    for (int d = 0; d < tensors.count; d++)
      if (d != own)
        dims[count++] = d;
    at_tensor *const sum =
        count > 0 ? at_sum_dim(grads.data[i], ((at_ints){dims, count})) : grads.data[i];
    ((at_tensor **)made->data)[i] = at_retain(at_reshape(sum, at_sizes(tensors.data[i])));
  }
  return made;
}

at_tensor *at_repeatGrad(at_tensor *grad, at_ints sizes, at_tensor *repeats, int64_t dim)
{
  if (!at_defined(repeats))
    return at_undefined();
  int64_t count = 1;
  for (int d = 0; d < sizes.count; d++)
    count *= sizes.data[d];
  if (sizes.count == 0)
    dim = AT_NONE;
  const int64_t along = dim == AT_NONE ? 0 : dim;
  const int64_t length = dim == AT_NONE ? count : sizes.data[dim < 0 ? dim + sizes.count : dim];
  at_tensor *const each = at_numel(repeats) == 1
                              ? at_expand(at_reshape(repeats, AT_INTS(1)), AT_INTS(length))
                              : repeats;
  at_tensor *const index = at_repeat_interleave_tensor(each);
  const at_ints flat = AT_INTS(count);
  at_tensor *const made =
      at_index_add(at_new_zeros(grad, dim == AT_NONE ? flat : sizes), along, index, grad);
  return at_reshape(made, sizes);
}

at_tensor *at_maskedSourceGrad(at_tensor *grad, at_tensor *mask, at_ints sizes)
{
  int64_t count = 1;
  for (int d = 0; d < sizes.count; d++)
    count *= sizes.data[d];
  at_tensor *const used = at_masked_select(grad, mask);
  return at_reshape(at_padTo(used, AT_INTS(count)), sizes);
}

/* --- sums of products ------------------------------------------------------------------------- */

/* The order in which the dimensions dims come last, in their order; returns how many are before. */
static int find_order(int64_t *order, int count, at_ints dims)
{
  bool isLast[AT_MOST_DIMS] = {false};
  int before = 0;
  for (int i = 0; i < dims.count; i++) {
    const int64_t d = dims.data[i] < 0 ? dims.data[i] + count : dims.data[i];
    isLast[d] = true;
    order[count - dims.count + i] = d;
  }
  for (int d = 0; d < count; d++)
    if (!isLast[d])
      order[before++] = d;
  return before;
}

/* sizes with those of others in the dimensions whose own size is 1. */
static at_ints matched(int64_t *buffer, at_ints sizes, at_ints dims, at_ints others,
                       at_ints otherDims)
{
  for (int d = 0; d < sizes.count; d++)
    buffer[d] = sizes.data[d];
  for (int i = 0; i < dims.count && sizes.count > 0 && others.count > 0; i++) {
    const int64_t d = dims.data[i] < 0 ? dims.data[i] + sizes.count : dims.data[i];
    const int64_t e = otherDims.data[i] < 0 ? otherDims.data[i] + others.count : otherDims.data[i];
    if (buffer[d] == 1)
      buffer[d] = others.data[e];
  }
  return (at_ints){buffer, sizes.count};
}

at_tensor *at_tensordotGrad(at_tensor *grad, at_tensor *other, at_ints sizes, at_ints dims,
                            at_ints otherDims, bool isFirst)
{
  int64_t order[AT_MOST_DIMS], own[AT_MOST_DIMS];
  if (!at_defined(grad) || !at_defined(other))
    return at_undefined();
  /* One of size 1 stands for all of the other's. */
  int64_t buffer[AT_MOST_DIMS], wide[AT_MOST_DIMS];
  const at_ints asked = sizes;
  sizes = matched(buffer, sizes, dims, at_sizes(other), otherDims);
  other = at_expand(other, matched(wide, at_sizes(other), otherDims, asked, dims));
  int64_t rest = 1, rows = 1;
  const int before = find_order(order, at_dim(other), otherDims);
  for (int d = 0; d < before; d++)
    rest *= at_size(other, order[d]);
  at_tensor *const last = at_permute(other, ((at_ints){order, at_dim(other)}));
  at_tensor *const matrix = at_reshape(last, AT_INTS(rest, rest > 0 ? at_numel(other) / rest : 0));
  const int kept = find_order(order, sizes.count, dims);
  for (int d = 0; d < sizes.count; d++) {
    own[d] = sizes.data[order[d]];
    rows *= d < kept ? own[d] : 1;
  }
  at_tensor *const g =
      isFirst ? at_reshape(grad, AT_INTS(rows, rest)) : at_t(at_reshape(grad, AT_INTS(rest, rows)));
  at_tensor *const made = at_reshape(at_mm(g, matrix), ((at_ints){own, sizes.count}));
  return at_sum_to_size(at_permuteGrad(made, ((at_ints){order, sizes.count})), asked);
}

at_tensor *at_kronOf(at_tensor *self, at_tensor *other)
{
  int64_t a[2 * AT_MOST_DIMS], b[2 * AT_MOST_DIMS], sizes[AT_MOST_DIMS];
  const int dims = THMax(at_dim(self), at_dim(other));
  for (int d = 0; d < dims; d++) {
    const int i = d - dims + at_dim(self), k = d - dims + at_dim(other);
    a[2 * d] = i < 0 ? 1 : at_size(self, i);
    b[2 * d + 1] = k < 0 ? 1 : at_size(other, k);
    a[2 * d + 1] = b[2 * d] = 1;
    sizes[d] = a[2 * d] * b[2 * d + 1];
  }
  at_tensor *const product = at_mul(at_reshape(self, ((at_ints){a, 2 * dims})),
                                    at_reshape(other, ((at_ints){b, 2 * dims})));
  return at_reshape(product, ((at_ints){sizes, dims}));
}
