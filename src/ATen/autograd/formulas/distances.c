/* Formulas of distances, norms of slices and covariances. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

/* --- distances -------------------------------------------------------------------------------- */

at_several at_cdistGrad(at_tensor *grad, at_tensor *x, at_tensor *y, at_tensor *result, double p)
{
  if (p == 2) { /* (x - y) / distance, without a tensor of all differences */
    at_tensor *const slope =
        at_masked_fill(at_div(grad, at_masked_fill(result, at_eq(result, 0), 1)), at_eq(result, 0),
                       0);
    at_tensor *const other = at_transpose(slope, -2, -1);
    return (at_several){{at_sub(at_mul(x, at_sumOver(slope, -1)), at_matmul(slope, y)),
                         at_sub(at_mul(y, at_sumOver(other, -1)), at_matmul(other, x))}};
  }
  at_tensor *const differences = at_sub(at_unsqueeze(x, -2), at_unsqueeze(y, -3));
  at_tensor *const made = at_normGrad(at_unsqueeze(grad, -1), differences, at_unsqueeze(result, -1),
                                      at_scalar_double(p), AT_INTS(-1), true);
  return (at_several){{at_sum_dim(made, AT_INTS(-2)), at_neg(at_sum_dim(made, AT_INTS(-3)))}};
}

at_tensor *at_pdistOf(at_tensor *self, double p)
{
  if (!at_defined(self) || at_dim(self) != 2) {
    at_fail(AT_ERROR_ARGUMENT, "pdist", "pdist: self has %d dimensions, and has to be a matrix",
            at_dim(self));
    return at_undefined();
  }
  const int64_t rows = at_size(self, 0), count = rows * (rows - 1) / 2;
  at_tensor *const first = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  at_tensor *const second = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  int64_t *const a = (int64_t *)at_data(first), *const b = (int64_t *)at_data(second);
  int64_t k = 0;
  for (int64_t i = 0; i < rows && a && b; i++)
    for (int64_t j = i + 1; j < rows; j++, k++) {
      a[k] = i;
      b[k] = j;
    }
  const at_type *const type = at_toScalarType(at_typeOf(self), AT_LONG);
  at_tensor *const differences = at_sub(at_index_select(self, 0, at_to(first, type)),
                                        at_index_select(self, 0, at_to(second, type)));
  return at_norm_dim(differences, p, AT_INTS(-1));
}

/* All dimensions but one. */
static at_ints others(int64_t *buffer, int dims, int64_t dim)
{
  int count = 0;
  for (int d = 0; d < dims; d++)
    if (d != (dim < 0 ? dim + dims : dim))
      buffer[count++] = d;
  return (at_ints){buffer, count};
}

/* The norms of the slices along dim, which keep their dimensions. */
static at_tensor *slice_norms(at_tensor *t, at_scalar p, int64_t dim)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints dims = others(buffer, at_dim(t), dim);
  return dims.count > 0 ? at_norm_dim(t, p, dims, .keepdim = true) : at_abs(t);
}

at_tensor *at_weightNormOf(at_tensor *v, at_tensor *g, int64_t dim)
{
  at_tensor *const norm = dim == -1 ? at_norm(v) : slice_norms(v, at_scalar_long(2), dim);
  return at_mul(v, at_div(g, norm));
}

at_tensor *at_renormGrad(at_tensor *grad, at_tensor *self, at_scalar p, int64_t dim, at_scalar most)
{
  int64_t buffer[AT_MOST_DIMS];
  if (!at_defined(self))
    return at_undefined();
  const at_ints dims = others(buffer, at_dim(self), dim);
  at_tensor *const norm = slice_norms(self, p, dim);
  at_tensor *const isLong = at_gt(norm, most);
  at_tensor *const scale = at_mul(at_reciprocal(at_add(norm, 1e-7)), most);
  at_tensor *const along = at_sum_dim(at_mul(grad, self), dims, .keepdim = true);
  at_tensor *const slope = at_neg(at_mul(along, at_div(scale, at_add(norm, 1e-7))));
  at_tensor *const turned =
      at_add(at_mul(grad, scale), at_normGrad(slope, self, norm, p, dims, true));
  return at_where(isLong, turned, grad);
}

/* --- covariances ------------------------------------------------------------------------------ */

at_tensor *at_covOf(at_tensor *self, int64_t correction, at_tensor *repeats, at_tensor *weights)
{
  if (!at_defined(self))
    return at_undefined();
  at_tensor *const x = at_dim(self) < 2 ? at_reshape(self, AT_INTS(1, -1)) : self;
  const at_type *const numbers = at_is_complex(x) ? at_typeOf(at_real(x)) : at_typeOf(x);
  at_tensor *w = repeats ? at_to(repeats, numbers) : NULL;
  if (weights)
    w = w ? at_mul(w, weights) : weights;
  const double count = (double)at_size(x, 1);
  at_tensor *const total = w ? at_sum(w) : at_full(AT_SCALAR_SHAPE, count, .type = numbers);
  at_tensor *const mean = at_div(at_sum_dim(at_weighted(x, w), AT_INTS(1), .keepdim = true), total);
  at_tensor *const less =
      weights ? at_mul(at_div(at_sum(at_mul(w, weights)), total), (double)correction)
              : at_full_like(total, (double)correction);
  at_tensor *const centered = at_sub(x, mean);
  at_tensor *const products = at_mm(at_weighted(centered, w), at_conj(at_t(centered)));
  return at_squeeze(at_div(products, at_clamp_min(at_sub(total, less), 0)));
}

at_tensor *at_corrcoefOf(at_tensor *self)
{
  at_tensor *const c = at_covOf(self, 1, NULL, NULL);
  if (at_dim(c) == 0)
    return at_div(c, c);
  const bool isComplex = at_is_complex(c);
  at_tensor *const variances = at_diagonal(c);
  at_tensor *const deviations = at_sqrt(isComplex ? at_real(variances) : variances);
  at_tensor *const r = at_div(at_div(c, at_unsqueeze(deviations, 1)), at_unsqueeze(deviations, 0));
  if (!isComplex)
    return at_clamp(r, .min = -1, .max = 1);
  at_tensor *const re = at_clamp(at_real(r), .min = -1, .max = 1);
  return at_complex(re, at_clamp(at_imag(r), .min = -1, .max = 1));
}

/* --- quantiles -------------------------------------------------------------------------------- */

/* The index between two elements that interpolation chooses. */
static at_tensor *chosen(at_tensor *ranks, const char *interpolation)
{
  switch (interpolation[0]) {
    case 'h':
      return at_ceil(ranks);
    case 'n':
      return at_round(ranks);
    case 'm':
      return at_mul(at_add(at_floor(ranks), at_ceil(ranks)), 0.5);
    default:
      return interpolation[1] == 'o' ? at_floor(ranks) : ranks;
  }
}

at_tensor *at_quantileOfRanks(at_tensor *self, at_tensor *q, int64_t dim, bool keepdim,
                              const char *interpolation, bool skipsNaN)
{
  if (!at_defined(self) || !at_defined(q))
    return at_undefined();
  const int dims = at_dim(self);
  const bool isFlat = dim == AT_NONE || dims == 0;
  at_tensor *const lines =
      isFlat ? at_reshape(self, AT_INTS(-1)) : at_movedim(self, AT_INTS(dim), AT_INTS(-1));
  at_tensor *const sorted = (at_sort)(lines, NULL).values;
  at_tensor *const isNumber = at_logical_not(at_isnan(sorted));
  at_tensor *const last =
      skipsNaN ? at_typed(at_sub(at_sumOver(isNumber, -1), 1), sorted)
               : at_full(AT_SHAPE(1), (double)(at_size(sorted, -1) - 1), .type = at_typeOf(sorted));
  at_tensor *const each = at_reshape(q, AT_INTS(-1));
  at_tensor *const ranks = chosen(at_mul(each, last), interpolation);
  at_tensor *const end = at_narrow(sorted, -1, at_size(sorted, -1) - 1, 1); /* where NaN is */
  at_tensor *wide = at_add(ranks, at_zeros_like(end));
  if (!skipsNaN)
    wide = at_masked_fill(wide, at_isnan(end), (double)(at_size(sorted, -1) - 1));
  const at_type *const longs = at_toScalarType(at_typeOf(sorted), AT_LONG);
  at_tensor *const low = at_detach(at_floor(wide));
  at_tensor *const below = at_gather(sorted, -1, at_clamp_min(at_to(low, longs), 0));
  at_tensor *const above =
      at_gather(sorted, -1, at_clamp_min(at_to(at_detach(at_ceil(wide)), longs), 0));
  at_tensor *r = at_add(below, at_mul(at_sub(above, below), at_sub(wide, low)));
  r = at_movedim(r, AT_INTS(-1), AT_INTS(0)); /* q's, the others */
  if (keepdim && dim == AT_NONE) {
    int64_t shape[AT_MOST_DIMS + 1] = {at_size(r, 0)};
    for (int d = 0; d < dims; d++)
      shape[d + 1] = 1;
    r = at_reshape(r, ((at_ints){shape, dims + 1}));
  } else if (keepdim && dims > 0) {
    r = at_unsqueeze(r, 1 + (dim < 0 ? dim + dims : dim));
  }
  return at_dim(q) == 0 ? at_squeeze_dim(r, 0) : r;
}
