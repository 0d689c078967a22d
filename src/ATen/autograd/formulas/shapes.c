/* Formulas that change shapes. */
#include "ATen/autograd/Formulas.h"
#include "ATen/autograd/Pass.h"

bool at_broadcastsTo(at_ints sizes, at_ints wide)
{
  const int more = wide.count - sizes.count;
  for (int d = 0; d < sizes.count; d++)
    if (more < 0 || (sizes.data[d] != 1 && sizes.data[d] != wide.data[d + more]))
      return false;
  return true;
}

at_tensor *at_sumToSize(at_tensor *t, at_ints sizes)
{
  if (!at_defined(t))
    return t;
  if (!at_broadcastsTo(sizes, at_sizesOf(t))) {
    at_fail(AT_ERROR_RUNTIME, "backward", "a gradient has size %s, and its operand %s",
            at_sizeDesc(at_sizesOf(t)).str, at_sizeDesc(sizes).str);
    return at_undefined();
  }
  int64_t dims[AT_MOST_DIMS];
  int count = 0;
  const at_ints own = at_sizesOf(t);
  const int more = own.count - sizes.count;
  for (int d = 0; d < own.count; d++)
    if (d < more || (sizes.data[d - more] == 1 && own.data[d] != 1))
      dims[count++] = d;
  at_tensor *const r = count > 0 ? at_sum_dim(t, ((at_ints){dims, count}), .keepdim = true) : t;
  return more > 0 ? at_reshape(r, sizes) : r;
}

at_tensor *at_select_backward(at_tensor *t, at_ints sizes, int64_t dim, int64_t index)
{
  return at_select_scatter(at_new_zeros(t, sizes), t, dim, index);
}

at_tensor *at_narrowGrad(at_tensor *t, at_ints sizes, int64_t dim, int64_t start, int64_t length)
{
  if (start < 0)
    start += sizes.data[dim < 0 ? dim + sizes.count : dim];
  return at_slice_scatter(at_new_zeros(t, sizes), t, .dim = dim, .start = start,
                          .end = start + length);
}

at_tensor *at_permuteGrad(at_tensor *t, at_ints dims)
{
  int64_t back[AT_MOST_DIMS];
  for (int d = 0; d < dims.count; d++)
    back[dims.data[d] < 0 ? dims.data[d] + dims.count : dims.data[d]] = d;
  return at_permute(t, ((at_ints){back, dims.count}));
}

/* --- moved elements --------------------------------------------------------------------------- */

at_tensor *at_positions(at_tensor *t, at_ints sizes)
{
  if (!at_defined(t))
    return at_undefined();
  const at_type *const type = at_toScalarType(t->type, AT_LONG);
  return at_reshape(at_arange(at_countIn(sizes), .type = type), sizes);
}

at_tensor *at_moved(at_tensor *t, at_ints sizes, at_tensor *where)
{
  at_tensor *const flat = at_new_zeros(t, AT_INTS(at_countIn(sizes)));
  at_tensor *const index = at_reshape(where, AT_INTS(-1));
  return at_reshape(at_index_add(flat, 0, index, at_reshape(t, AT_INTS(-1))), sizes);
}

at_tensor *at_padGrad(at_tensor *grad, at_ints pad)
{
  int64_t less[2 * AT_MOST_DIMS];
  for (int i = 0; i < pad.count; i++)
    less[i] = -pad.data[i];
  return at_constant_pad_nd(grad, ((at_ints){less, pad.count}));
}

at_tensor *at_padModeGrad(at_tensor *grad, at_ints sizes, at_ints pad, const char *mode)
{
  if (mode[0] == 'c' && mode[1] == 'o') /* constant */
    return at_padGrad(grad, pad);
  at_tensor *const from = at_positions(grad, sizes);
  at_tensor *const numbers = at_to(from, at_toScalarType(at_typeOf(from), AT_DOUBLE));
  return at_moved(grad, sizes, at_to(at_pad(numbers, pad, .mode = mode), at_typeOf(from)));
}

/* --- joined tensors --------------------------------------------------------------------------- */

const at_tensors *at_catGrad(at_tensor *grad, at_tensors tensors, int64_t dim)
{
  if (!at_defined(grad) || tensors.count == 0)
    return &at_noTensors;
  const int64_t all = at_numel(grad), size = at_size(grad, dim);
  const at_tensors *const made = at_listOf(tensors.count);
  int64_t begin = 0;
  for (int i = 0; i < made->count; i++) {
    at_tensor *const t = tensors.data[i];
    const int64_t length = all > 0 ? at_numel(t) / (all / size) : 0;
    at_tensor *const part = at_reshape(at_narrow(grad, dim, begin, length), at_sizes(t));
    ((at_tensor **)made->data)[i] = at_retain(part);
    begin += length;
  }
  return made;
}

at_tensor *at_diagGrad(at_tensor *grad, at_ints sizes, int64_t diagonal)
{
  if (sizes.count == 1)
    return at_diagonal(grad, .offset = diagonal);
  return at_diagonal_scatter(at_new_zeros(grad, sizes), grad, .offset = diagonal);
}

at_tensor *at_padTo(at_tensor *t, at_ints sizes)
{
  int64_t pad[2 * AT_MOST_DIMS];
  if (at_defined(t) && at_numel(t) == 0)
    return at_new_zeros(t, sizes);
  if (at_defined(t) && at_dim(t) != sizes.count) /* one counts as no dimensions */
    t = at_reshape(t, sizes.count == 1 ? AT_INTS(at_numel(t)) : sizes);
  if (!at_defined(t) || at_sameSizes(at_sizesOf(t), sizes))
    return t;
  for (int d = 0; d < sizes.count; d++) {
    pad[2 * d] = 0;
    pad[2 * d + 1] = sizes.data[sizes.count - 1 - d] - at_sizesOf(t).data[sizes.count - 1 - d];
  }
  return at_constant_pad_nd(t, ((at_ints){pad, 2 * sizes.count}));
}

at_tensor *at_shaped(at_tensor *t, at_ints sizes)
{
  return at_expand(at_new_zeros(t, AT_SCALAR_SHAPE), sizes);
}

at_tensor *at_typed(at_tensor *t, at_tensor *like)
{
  return at_defined(like) ? at_to(t, at_typeOf(like)) : like;
}
