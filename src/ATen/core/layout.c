/* Layouts of results: in which order the dimensions of a new tensor lie in memory, by PyTorch's rule. */
#include <string.h>

#include "ATenOperations.h"

/* --- the order of dimensions ------------------------------------------------------------------ */

/* The stride of dimension d of t, broadcast to sizes. */
static int64_t stride_of(const at_tensor *t, at_ints sizes, int d)
{
  const at_ints own = at_sizesOf(t);
  const int e = d - (sizes.count - own.count);
  return e < 0 || own.data[e] != sizes.data[d] ? 0 : t->th->stride[e];
}

/* Whether dimension a lies outside of b in memory: > 0, < 0 if b lies outside of a, 0 if the operands
 * leave that open. */
static int is_outside(at_ints sizes, int count, at_tensor *const *in, int64_t a, int64_t b)
{
  for (int i = 0; i < count; i++) {
    const int64_t x = stride_of(in[i], sizes, (int)a), y = stride_of(in[i], sizes, (int)b);
    if (x == 0 || y == 0)
      continue;
    if (x != y)
      return x > y ? 1 : -1;
    if (sizes.data[a] > sizes.data[b])
      return 1;
  }
  return 0;
}

at_ints at_memoryOrder(at_ints sizes, int count, at_tensor *const *in, int64_t *buffer)
{
  for (int i = sizes.count - 1; i >= 0; i--) {
    buffer[i] = i;
    for (int at = i, inner = i + 1; inner < sizes.count; inner++) {
      const int outside = is_outside(sizes, count, in, buffer[inner], buffer[at]);
      if (outside < 0)
        break;
      if (outside > 0) {
        const int64_t moved = buffer[inner];
        buffer[inner] = buffer[at];
        buffer[at] = moved;
        at = inner;
      }
    }
  }
  return (at_ints){buffer, sizes.count};
}

/* --- strides ---------------------------------------------------------------------------------- */

/* The strides of a tensor of those sizes without gaps whose dimensions lie in that order.  Returns
 * false if its elements are too many. */
static bool dense_strides(at_ints sizes, at_ints order, int64_t *strides)
{
  int64_t step = 1;
  for (int i = sizes.count - 1; i >= 0; i--) {
    strides[order.data[i]] = step;
    if (__builtin_mul_overflow(step, THMax(sizes.data[order.data[i]], 1), &step))
      return false;
  }
  return true;
}

/* Whether all operands are of those sizes and have the strides of the first. */
static bool are_alike(at_ints sizes, int count, at_tensor *const *in)
{
  for (int i = 0; i < count; i++)
    if (!at_sameSizes(at_sizesOf(in[i]), sizes) ||
        memcmp(in[i]->th->stride, in[0]->th->stride, (size_t)sizes.count * sizeof *sizes.data) != 0)
      return false;
  return true;
}

/* Stores the strides of a result of those sizes; returns false if there are too many elements. */
static bool strides_for(at_ints sizes, int count, at_tensor *const *in, int64_t *strides)
{
  int64_t buffer[AT_MOST_DIMS];
  if (!dense_strides(sizes, at_memoryOrder(sizes, count, in, buffer), strides))
    return false;
  if (!are_alike(sizes, count, in))
    return true;
  for (int d = 0; d < sizes.count; d++)
    if (sizes.data[d] != 1 && strides[d] != in[0]->th->stride[d])
      return true;
  /* There are no gaps.  The strides of dimensions of size 1, which no element tells, are kept too. */
  memcpy(strides, in[0]->th->stride, (size_t)sizes.count * sizeof *strides);
  return true;
}

/* --- new tensors ------------------------------------------------------------------------------ */

static at_tensor *new_in_order(const at_type *type, at_ints sizes, int count, at_tensor *const *in)
{
  int64_t strides[AT_MOST_DIMS];
  if (sizes.count < 2 || !strides_for(sizes, count, in, strides))
    return at_newShape(type, sizes);
  return at_wrap(type, type->memory->newShape(NULL, 0, sizes.count, sizes.data, strides), false);
}

at_tensor *at_newFor(const at_type *type, at_ints sizes, int count, at_tensor *const *in)
{
  for (int i = 0; i < count; i++)
    if (!at_isContiguous(in[i]))
      return new_in_order(type, sizes, count, in);
  return at_newShape(type, sizes);
}

at_tensor *at_newLike(const at_type *type, at_tensor *t)
{
  return new_in_order(type, at_sizesOf(t), 1, &t);
}

at_tensor *at_newCastLike(at_tensor *t, const at_type *type)
{
  THGuard guard;
  at_guard(&guard);
  at_tensor *r = guard.what = at_newLike(type, t);
  if (at_numel(t) > 0)
    at_convert(r, t);
  return THGuard_keep(&guard);
}

at_tensor *at_viewInOrder(at_tensor *t)
{
  int64_t buffer[AT_MOST_DIMS];
  return at_viewPermute(t, at_memoryOrder(at_sizesOf(t), 1, &t, buffer));
}
