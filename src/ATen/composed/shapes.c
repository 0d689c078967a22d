/* Tensors that are made of parts of others. */
#include <string.h>

#include "ATen/autograd/Formulas.h"

at_tensor *at_asVector(at_tensor *self)
{
  return at_reshape(self, AT_INTS(at_numel(self)));
}

at_tensor *at_blockDiagonal(at_tensors tensors)
{
  int64_t rows = 0, columns = 0, row = 0, column = 0;
  const at_tensors *const blocks = at_listOf(tensors.count);
  const at_tensors *const parts = at_listOf(tensors.count);
  if (blocks->count != tensors.count || parts->count != tensors.count)
    return at_undefined();
  for (int i = 0; i < tensors.count; i++) {
    at_tensor *const t = tensors.data[i];
    if (at_dim(t) > 2) {
      at_fail(AT_ERROR_ARGUMENT, "block_diag",
              "block_diag: tensors[%d] has %d dimensions, and has to have at most 2", i, at_dim(t));
      return at_undefined();
    }
    at_tensor *const block = at_dim(t) == 2 ? t : at_reshape(t, AT_INTS(1, at_numel(t)));
    if (!at_defined(block))
      return at_undefined();
    ((at_tensor **)blocks->data)[i] = at_retain(block);
    rows += at_size(block, 0);
    columns += at_size(block, 1);
  }
  if (tensors.count == 0)
    return at_empty(AT_INTS(1, 0));
  for (int i = 0; i < tensors.count; i++) {
    at_tensor *const block = blocks->data[i];
    const int64_t height = at_size(block, 0), width = at_size(block, 1);
    at_tensor *const part =
        at_pad(block, AT_INTS(column, columns - column - width, row, rows - row - height));
    ((at_tensor **)parts->data)[i] = at_retain(part);
    if (!at_defined(part))
      return at_undefined();
    row += height;
    column += width;
  }
  at_tensor *sum = parts->data[0];
  for (int i = 1; i < tensors.count; i++)
    sum = at_add(sum, parts->data[i]);
  return tensors.count == 1 ? at_clone(sum) : sum;
}

at_tensor *at_cartesianOf(at_tensors tensors)
{
  for (int i = 0; i < tensors.count; i++)
    if (at_dim(tensors.data[i]) != 1) {
      at_fail(AT_ERROR_ARGUMENT, "cartesian_prod",
              "cartesian_prod: tensors[%d] has %d dimensions, and has to have 1", i,
              at_dim(tensors.data[i]));
      return at_undefined();
    }
  if (tensors.count == 1)
    return at_clone(tensors.data[0]);
  const at_tensors *const grid = at_meshgrid(tensors, .indexing = "ij");
  return at_reshape(at_stack(*grid, .dim = -1), AT_INTS(-1, tensors.count));
}

/* The indices of the `count` elements that are true.  On a device a sort finds them, for which nothing waits. */
static at_tensor *true_of(at_tensor *t, int64_t count)
{
  if (!at_defined(t) || at_isOnHost(at_typeOf(t)))
    return at_reshape(at_nonzero(t), AT_INTS(-1));
  at_tensor *const order =
      at_argsort(at_to(t, at_toScalarType(at_typeOf(t), AT_BYTE)), .descending = true);
  return at_narrow(order, 0, 0, count);
}

/* The indices that increase from column to column of all rows of indices. */
at_tensor *at_combinationsOf(at_tensor *self, int64_t r, bool with_replacement)
{
  if (at_dim(self) != 1 || r < 0 || r > AT_MOST_DIMS) {
    at_fail(AT_ERROR_ARGUMENT, "combinations",
            "combinations: self has %d dimensions and r is %lld; they have to be 1 and from 0 to "
            "%d",
            at_dim(self), (long long)r, AT_MOST_DIMS);
    return at_undefined();
  }
  const at_type *const longs = at_toScalarType(at_typeOf(self), AT_LONG);
  if (r == 0)
    return at_empty(AT_INTS(0), .type = at_typeOf(self));
  const int64_t count = at_size(self, 0);
  at_tensor *const all = at_arange(count, .type = longs);
  at_tensor *rows = at_unsqueeze(all, 1);
  for (int64_t k = 1; k < r; k++) { /* extend each row by what may follow */
    const int64_t before = at_size(rows, 0);
    at_tensor *const last = at_narrow(rows, 1, k - 1, 1);
    at_tensor *const fits = with_replacement ? at_ge(all, last) : at_gt(all, last);
    at_tensor *const next =
        at_expand(at_reshape(all, AT_INTS(1, count, 1)), AT_INTS(before, count, 1));
    at_tensor *const head = at_expand(at_unsqueeze(rows, 1), AT_INTS(before, count, k));
    at_tensor *const both =
        at_reshape(at_cat(AT_TENSORS(head, next), .dim = 2), AT_INTS(before * count, k + 1));
    const int64_t rest = with_replacement ? count + k : THMax(count - k, 0);
    at_tensor *const chosen =
        true_of(at_reshape(fits, AT_INTS(before * count)), before * rest / (k + 1));
    rows = at_index_select(both, 0, chosen);
    if (!at_defined(rows))
      return rows;
  }
  return at_reshape(at_index_select(self, 0, at_reshape(rows, AT_INTS(at_numel(rows)))),
                    AT_INTS(at_size(rows, 0), r));
}

at_tensor *at_trapezoids(at_tensor *y, at_tensor *x, double dx, int64_t dim, bool isCumulative)
{
  const int count = at_dim(y);
  if (count == 0 || dim < -count || dim >= count) {
    at_fail(AT_ERROR_ARGUMENT, "trapezoid", "trapezoid: y has %d dimensions, and no dimension %lld",
            count, (long long)dim);
    return at_undefined();
  }
  const int64_t size = at_size(y, dim), pairs = size > 0 ? size - 1 : 0;
  at_tensor *const sums = at_add(at_narrow(y, dim, 0, pairs), at_narrow(y, dim, size > 0, pairs));
  at_tensor *areas;
  if (x) {
    at_tensor *width = at_dim(x) == 1 ? at_diff(x) : at_diff(x, .dim = dim);
    for (int64_t d = dim < 0 ? dim + count : dim; at_dim(x) == 1 && d < count - 1; d++)
      width = at_unsqueeze(width, -1);
    areas = at_div(at_mul(sums, width), 2);
  } else {
    areas = at_mul(sums, dx / 2);
  }
  return isCumulative ? at_cumsum(areas, dim) : at_sum_dim(areas, AT_INTS(dim));
}

at_tensor *at_summedTo(at_tensor *self, at_ints size)
{
  const int before = at_dim(self) - size.count;
  bool fits = before >= 0;
  for (int d = 0; fits && d < size.count; d++)
    fits = size.data[d] == 1 || size.data[d] == at_size(self, before + d);
  if (!fits) {
    at_fail(AT_ERROR_ARGUMENT, "sum_to_size",
            "sum_to_size: size has %d numbers, and does not "
            "broadcast to the sizes of self",
            size.count);
    return at_undefined();
  }
  at_tensor *const made = at_dim(self) == 0 ? at_sum(self) : at_sumToSize(self, size);
  return made == self ? at_contiguous(self) : made;
}

at_tensor *at_emptyPermuted(at_ints size, at_ints layout, const at_type *type)
{
  int64_t sizes[AT_MOST_DIMS], order[AT_MOST_DIMS];
  bool fits = size.count == layout.count && size.count <= AT_MOST_DIMS;
  for (int d = 0; fits && d < size.count; d++)
    order[d] = -1;
  for (int d = 0; fits && d < size.count; d++) {
    const int64_t dim = layout.data[d];
    fits = dim >= 0 && dim < size.count && order[dim] < 0;
    if (fits) {
      sizes[d] = size.data[dim];
      order[dim] = d;
    }
  }
  if (!fits) {
    at_fail(AT_ERROR_ARGUMENT, "empty_permuted",
            "empty_permuted: physical_layout is no order of the %d dimensions", size.count);
    return at_undefined();
  }
  at_tensor *const made =
      at_empty(((at_ints){sizes, size.count}), .type = type ? type : AT_DEFAULT_TYPE);
  return size.count ? at_permute(made, ((at_ints){order, size.count})) : made;
}

at_tensor *at_stridedScatter(at_tensor *self, at_tensor *src, at_ints size, at_ints stride,
                             int64_t offset)
{
  const at_type *const longs = at_toScalarType(at_typeOf(self), AT_LONG);
  at_tensor *const all = at_arange(at_numel(self), .type = longs);
  at_tensor *const where =
      at_as_strided(all, size, stride, .storage_offset = offset == AT_NONE ? 0 : offset);
  at_tensor *const flat = at_reshape(self, AT_INTS(at_numel(self)));
  const at_ints count = AT_INTS(at_numel(where));
  at_tensor *const values = at_reshape(at_expand(src, size), count);
  return at_reshape(at_scatter(flat, 0, at_reshape(where, count), values), at_sizes(self));
}

at_tensor *at_hermitian(at_tensor *self, at_ints s, at_ints dim, const char *norm, bool isForward)
{
  const char *other = norm;
  if (!strcmp(norm, "none") || !strcmp(norm, "backward"))
    other = "forward";
  else if (!strcmp(norm, "forward"))
    other = "backward";
  if (isForward)
    return at_fft_irfftn(at_is_complex(self) ? at_conj_physical(self) : self, .s = s, .dim = dim,
                         .norm = other);
  return at_conj_physical(at_fft_rfftn(self, .s = s, .dim = dim, .norm = other));
}

/* On a device, without the host knowing how many elements are not 0: each of them is put where the sum of those before
 * says, and those without a position behind the result. */
static at_tensor *nonzero_on_device(at_tensor *self, int64_t size, int64_t value)
{
  const at_type *const type = at_toScalarType(at_typeOf(self), AT_LONG);
  const int64_t n = at_numel(self);
  const int dims = at_dim(self);
  at_tensor *const isPlaced = at_reshape(at_ne(self, 0), AT_INTS(n));
  at_tensor *const position = at_sub(at_cumsum(at_to(isPlaced, type), 0), 1);
  at_tensor *const has = at_logical_and(isPlaced, at_lt(position, size));
  at_tensor *const to = at_where_other_scalar(has, position, at_scalar_long(size));
  at_tensor *const numbers = at_arange(at_scalar_long(n), .type = type);
  at_tensor *flat = at_scatter(at_full(AT_INTS(size + 1), -1, .type = type), 0, to, numbers);
  flat = at_narrow(flat, 0, 0, size);
  at_tensor *const isFilled = at_lt(flat, 0);
  at_tensor *rows[AT_MOST_DIMS];
  for (int d = dims - 1; d >= 0; d--) {
    rows[d] = at_masked_fill(at_remainder(flat, at_size(self, d)), isFilled, value);
    flat = at_floor_divide_scalar(flat, at_scalar_long(at_size(self, d)));
  }
  return at_stack(((at_tensors){rows, dims}), .dim = 1);
}

at_tensor *at_nonzeroStatic(at_tensor *self, int64_t size, int64_t value)
{
  if (size < 0) {
    at_fail(AT_ERROR_ARGUMENT, "nonzero_static",
            "nonzero_static: size is %lld, and has to be at least 0", (long long)size);
    return at_undefined();
  }
  if (at_defined(self) && !at_isOnHost(self->type) && at_dim(self) > 0 && at_numel(self) > 0 &&
      size < INT64_MAX)
    return nonzero_on_device(self, size, value);
  at_tensor *const all = at_nonzero(self);
  if (!at_defined(all))
    return all;
  const int64_t count = at_size(all, 0);
  if (count >= size)
    return at_narrow(all, 0, 0, size);
  at_tensor *const rest =
      at_full(AT_INTS(size - count, at_dim(self)), value, .type = at_typeOf(all));
  return at_cat(AT_TENSORS(all, rest), .dim = 0);
}
