/* Formulas of reductions. */
#include <math.h>
#include <string.h>

#include "ATen/autograd/Formulas.h"

/* Which dimensions a reduction over dims is over; all if there are none. */
static void find_reduced(bool *isReduced, int count, at_ints dims)
{
  for (int d = 0; d < count; d++)
    isReduced[d] = dims.count == 0;
  for (int i = 0; i < dims.count && count > 0; i++)
    isReduced[dims.data[i] < 0 ? dims.data[i] + count : dims.data[i]] = true;
}

/* t with the reduced dimensions as dimensions of size 1. */
static at_tensor *kept(at_tensor *t, at_ints sizes, at_ints dims, bool keepdim)
{
  int64_t wide[AT_MOST_DIMS];
  bool isReduced[AT_MOST_DIMS];
  find_reduced(isReduced, sizes.count, dims);
  for (int d = 0; d < sizes.count; d++)
    wide[d] = isReduced[d] ? 1 : sizes.data[d];
  return keepdim ? t : at_reshape(t, ((at_ints){wide, sizes.count}));
}

/* How many elements are reduced to one. */
static double reduced_count(at_ints sizes, at_ints dims)
{
  bool isReduced[AT_MOST_DIMS];
  double count = 1;
  find_reduced(isReduced, sizes.count, dims);
  for (int d = 0; d < sizes.count; d++)
    count *= isReduced[d] ? (double)sizes.data[d] : 1;
  return count;
}

at_tensor *at_unreduced(at_tensor *t, at_ints sizes, at_ints dims, bool keepdim)
{
  return at_expand(kept(t, sizes, dims, keepdim), sizes);
}

at_tensor *at_meanGrad(at_tensor *grad, at_ints sizes, at_ints dims, bool keepdim)
{
  return at_unreduced(at_div(grad, reduced_count(sizes, dims)), sizes, dims, keepdim);
}

at_tensor *at_nanmeanGrad(at_tensor *grad, at_tensor *self, at_ints dims, bool keepdim)
{
  if (!at_defined(self))
    return at_undefined();
  at_tensor *const isNumber = at_logical_not(at_isnan(self));
  at_tensor *const count = dims.count > 0 && at_dim(self) > 0
                               ? at_sum_dim(isNumber, dims, .keepdim = true)
                               : at_sum(isNumber);
  return at_mul(isNumber, at_div(kept(grad, at_sizes(self), dims, keepdim), count));
}

/* The product of all elements before each along dim. */
static at_tensor *products_before(at_tensor *t, int64_t dim)
{
  at_tensor *const one = at_ones_like(at_narrow(t, dim, 0, 1));
  at_tensor *const rest = at_narrow(t, dim, 0, at_size(t, dim) - 1);
  return at_cumprod(at_cat(AT_TENSORS(one, rest), .dim = dim), dim);
}

at_tensor *at_prodGrad(at_tensor *grad, at_tensor *self, int64_t dim)
{
  if (at_numel(self) == 0 || at_dim(self) == 0)
    return at_expand(grad, at_sizes(self));
  if (dim == AT_NONE) {
    at_tensor *const line = at_reshape(self, AT_INTS(-1));
    return at_reshape(at_prodGrad(at_expand(grad, at_sizes(line)), line, 0), at_sizes(self));
  }
  at_tensor *const behind =
      at_flip(products_before(at_flip(self, AT_INTS(dim)), dim), AT_INTS(dim));
  return at_mul(grad, at_mul(products_before(self, dim), behind));
}

at_tensor *at_varGrad(at_tensor *grad, at_tensor *self, at_ints dims, double correction,
                      bool keepdim)
{
  if (!at_defined(self))
    return at_undefined();
  const at_ints sizes = at_sizes(self);
  const double divisor = fmax(reduced_count(sizes, dims) - correction, 0);
  at_tensor *const mean =
      dims.count > 0 && sizes.count > 0 ? at_mean_dim(self, dims, .keepdim = true) : at_mean(self);
  at_tensor *const wide = at_unreduced(grad, sizes, dims, keepdim);
  return at_mul(at_mul(wide, 2 / divisor), at_sub(self, mean));
}

at_tensor *at_stdGrad(at_tensor *grad, at_tensor *std)
{
  return at_masked_fill(at_div(grad, at_mul(std, 2)), at_eq(std, 0), 0);
}

at_tensor *at_normGrad(at_tensor *grad, at_tensor *self, at_tensor *norm, at_scalar p, at_ints dims,
                       bool keepdim)
{
  if (!at_defined(self))
    return at_undefined();
  const at_ints sizes = at_sizes(self);
  const double power = p.is_none ? 2 : at_scalar_toDouble(p);
  at_tensor *const wide = kept(grad, sizes, dims, keepdim);
  at_tensor *const length = kept(norm, sizes, dims, keepdim);
  at_tensor *const isZero = at_eq(length, 0);
  if (power == 0)
    return at_mul(at_zeros_like(self), wide);
  if (power == 1)
    return at_mul(at_sgn(self), wide);
  if (power == 2)
    return at_mul(self, at_masked_fill(at_div(wide, length), isZero, 0));
  if (isinf(power)) {
    at_tensor *const isExtreme = at_eq(at_abs(self), length);
    at_tensor *const count = dims.count > 0 && sizes.count > 0
                                 ? at_sum_dim(isExtreme, dims, .keepdim = true)
                                 : at_sum(isExtreme);
    return at_mul(at_mul(at_sgn(self), isExtreme), at_div(wide, count));
  }
  at_tensor *const scale = at_masked_fill(at_div(wide, at_pow(length, power - 1)), isZero, 0);
  at_tensor *const slope = at_mul(at_sgn(self), at_pow(at_abs(self), power - 1));
  return at_mul(at_masked_fill(slope, at_eq(self, 0), 0), scale);
}

at_tensor *at_evenGrad(at_tensor *grad, at_tensor *self, at_tensor *result, at_ints dims,
                       bool keepdim)
{
  if (!at_defined(self))
    return at_undefined();
  const at_ints sizes = at_sizes(self);
  at_tensor *const isResult = at_eq(self, kept(result, sizes, dims, keepdim));
  at_tensor *const count = dims.count > 0 && sizes.count > 0
                               ? at_sum_dim(isResult, dims, .keepdim = true)
                               : at_sum(isResult);
  return at_mul(isResult, at_div(kept(grad, sizes, dims, keepdim), count));
}

at_tensor *at_indexedGrad(at_tensor *grad, at_ints sizes, int64_t dim, at_tensor *indices,
                          bool keepdim)
{
  if (sizes.count == 0)
    return at_reshape(grad, sizes);
  if (keepdim)
    return at_scatter_add(at_new_zeros(grad, sizes), dim, indices, grad);
  return at_scatter_add(at_new_zeros(grad, sizes), dim, at_unsqueeze(indices, dim),
                        at_unsqueeze(grad, dim));
}
