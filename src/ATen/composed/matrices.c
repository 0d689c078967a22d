/* Linear algebra of tensors as matrices. */
#include "ATen/autograd/Formulas.h"

static int64_t product(at_ints sizes, int first, int last)
{
  int64_t count = 1; /* at most the tensor's number of elements, unless a size is 0 */
  for (int d = first; d < last; d++)
    count = sizes.data[d] == 0 ? 0 : count * sizes.data[d];
  return count;
}

at_tensor *at_tensorInverse(at_tensor *self, int64_t ind)
{
  const int dims = at_dim(self);
  const at_ints sizes = at_sizes(self);
  if (ind < 1 || ind >= dims || product(sizes, 0, (int)ind) != product(sizes, (int)ind, dims)) {
    at_fail(AT_ERROR_ARGUMENT, "linalg_tensorinv",
            "linalg_tensorinv: ind is %lld; self has %d dimensions, and the first ones and the "
            "others "
            "have to have the same number of elements",
            (long long)ind, dims);
    return at_undefined();
  }
  int64_t swapped[AT_MOST_DIMS];
  for (int d = 0; d < dims; d++)
    swapped[d] = sizes.data[(d + ind) % dims];
  const int64_t n = product(sizes, 0, (int)ind);
  at_tensor *const inverse = at_linalg_inv(at_reshape(self, AT_INTS(n, n)));
  return at_reshape(inverse, ((at_ints){swapped, dims}));
}

at_tensor *at_tensorSolution(at_tensor *self, at_tensor *other, at_ints dims)
{
  int64_t last[AT_MOST_DIMS];
  const int count = at_dim(self);
  for (int i = 0; i < dims.count && dims.count <= count; i++)
    last[i] = i - dims.count;
  at_tensor *const a = dims.count ? at_movedim(self, dims, ((at_ints){last, dims.count})) : self;
  const int first = at_dim(other);
  const at_ints sizes = at_sizes(a);
  const int64_t n = at_numel(other);
  if (!at_defined(a) || first > count || product(sizes, first, count) != n ||
      at_numel(a) != n * n) {
    at_fail(AT_ERROR_ARGUMENT, "linalg_tensorsolve",
            "linalg_tensorsolve: self has %lld elements and other %lld, whose square these have to "
            "be",
            (long long)at_numel(self), (long long)n);
    return at_undefined();
  }
  at_tensor *const x = at_linalg_solve(at_reshape(a, AT_INTS(n, n)), at_reshape(other, AT_INTS(n)));
  return at_reshape(x, ((at_ints){sizes.data + first, count - first}));
}
