/* Operations in which elements do not count where a mask is false. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

static const at_type *asked(const at_type *type)
{
  return type ? type : AT_DEFAULT_TYPE;
}

/* self with a number where it does not count. */
static at_tensor *filled(at_tensor *self, at_tensor *mask, double number)
{
  return mask ? at_masked_fill(self, at_logical_not(mask), number) : self;
}

/* The dimensions in the list, or all. */
static at_ints dims_of(const at_tensor *self, at_ints dim)
{
  static const int64_t all[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
  _Static_assert(sizeof all / sizeof *all == AT_MOST_DIMS, "all dimensions have numbers");
  return dim.count > 0 ? dim : (at_ints){all, at_dim(self)};
}

static bool is_integral(const at_tensor *t)
{
  return !at_isFloating(at_type_scalarType(at_typeOf(t))) && !at_is_complex(t);
}

/* The least (or largest) number of a type; of Long the double next to it. */
static at_tensor *beyond(at_tensor *self, at_tensor *mask, bool isMaximum)
{
  if (!mask)
    return self;
  if (!is_integral(self))
    return filled(self, mask, isMaximum ? -(double)INFINITY : (double)INFINITY);
  const at_scalar_type type = at_type_scalarType(at_typeOf(self));
  const int bits = 8 * (int)at_type_elementSize(at_typeOf(self));
  const bool isUnsigned = type == AT_BYTE || type == AT_BOOL;
  const int64_t most = type == AT_BOOL ? 1 : isUnsigned ? 255 : INT64_MAX >> (64 - bits);
  const int64_t least = isUnsigned ? 0 : -most - 1;
  return at_masked_fill(self, at_logical_not(mask), at_scalar_long(isMaximum ? least : most));
}

static at_tensor *product(at_tensor *t, at_ints dims, bool keepdim, const at_type *type)
{
  bool isReduced[AT_MOST_DIMS] = {false};
  const int count = at_dim(t);
  if (type)
    t = at_to(t, type);
  if (count == 0)
    return dims.count > 0 ? at_prod_dim(t, dims.data[0]) : at_prod(t);
  for (int i = 0; i < dims.count; i++) {
    const int64_t own = dims.data[i], d = own < 0 && own >= -count ? own + count : own;
    if (d < 0 || d >= count)
      return at_prod_dim(t, own); /* the error says what is wrong */
    isReduced[d] = true;
  }
  for (int d = count - 1; d >= 0; d--)
    if (isReduced[d])
      t = at_prod_dim(t, d, .keepdim = keepdim);
  return t;
}

at_tensor *at_maskedReduction(at_masked_kind kind, at_tensor *self, at_ints dim, bool keepdim,
                              const at_type *type, at_tensor *mask)
{
  const at_ints dims = dims_of(self, dim);
  at_tensor *made;
  switch (kind) {
    case AT_MASKED_SUM:
      return at_sum_dim(filled(self, mask, 0), dims, .keepdim = keepdim, .type = asked(type));
    case AT_MASKED_PROD:
      return product(filled(self, mask, 1), dims, keepdim, type);
    case AT_MASKED_AMAX:
      made = at_amax(beyond(self, mask, true), .dim = dims, .keepdim = keepdim);
      break;
    default:
      made = at_amin(beyond(self, mask, false), .dim = dims, .keepdim = keepdim);
  }
  return type && at_defined(made) ? at_to(made, type) : made;
}

at_tensor *at_maskedScan(bool isProduct, at_tensor *self, int64_t dim, const at_type *type,
                         at_tensor *mask)
{
  at_tensor *const t = filled(self, mask, isProduct);
  const at_type *const result = type ? type : at_typeOf(self);
  return isProduct ? at_cumprod(t, dim, .type = result) : at_cumsum(t, dim, .type = result);
}

at_tensor *at_maskedIndex(bool isMinimum, at_tensor *self, int64_t dim, bool keepdim,
                          const at_type *type, at_tensor *mask)
{
  at_tensor *const t = beyond(self, mask, !isMinimum);
  at_tensor *const made = isMinimum ? at_argmin(t, .dim = dim, .keepdim = keepdim)
                                    : at_argmax(t, .dim = dim, .keepdim = keepdim);
  return at_defined(made) ? at_to(made, type ? type : at_typeOf(self)) : made;
}

/* How many elements count in each sum, of the type of like. */
static at_tensor *counted(at_tensor *self, at_tensor *mask, at_ints dims, bool keepdim,
                          at_tensor *like)
{
  at_tensor *const ones = at_ones_like(self, .type = at_typeOf(like));
  return at_sum_dim(filled(ones, mask, 0), dims, .keepdim = keepdim);
}

at_tensor *at_maskedMean(at_tensor *self, at_ints dim, bool keepdim, const at_type *type,
                         at_tensor *mask)
{
  const at_ints dims = dims_of(self, dim);
  if (!mask)
    return at_mean_dim(self, dims, .keepdim = keepdim, .type = asked(type));
  at_tensor *const total =
      at_sum_dim(filled(self, mask, 0), dims, .keepdim = keepdim, .type = asked(type));
  return at_defined(total) ? at_div(total, counted(self, mask, dims, keepdim, total)) : total;
}

at_values_indices at_nanMedianOf(at_tensor *self, int64_t dim, bool keepdim)
{
  const at_values_indices none = {at_undefined(), at_undefined()};
  const at_values_indices sorted = at_sort(self, .dim = dim); /* NaN is last */
  if (!at_defined(sorted.values))
    return none;
  at_tensor *const count =
      at_sum_dim(at_logical_not(at_isnan(self)), AT_INTS(dim), .keepdim = true);
  at_tensor *const middle =
      at_clamp_min(at_div_mode(at_sub(count, 1), at_full_like(count, 2), .rounding_mode = "floor"),
                   0);
  if (at_dim(self) == 0)
    return at_defined(sorted.indices) ? sorted : none;
  at_tensor *values = at_gather(sorted.values, dim, middle);
  at_tensor *indices = at_gather(sorted.indices, dim, middle);
  if (!keepdim) {
    values = at_squeeze_dim(values, dim);
    indices = at_squeeze_dim(indices, dim);
  }
  return at_defined(values) && at_defined(indices) ? (at_values_indices){values, indices} : none;
}

at_tensor *at_maskedMedian(at_tensor *self, int64_t dim, bool keepdim, at_tensor *mask)
{
  return at_nanMedianOf(filled(self, mask, (double)NAN), dim, keepdim).values;
}

at_tensor *at_maskedVariance(at_tensor *self, at_ints dim, bool unbiased, bool keepdim,
                             const at_type *type, at_tensor *mask, bool isDeviation)
{
  const at_ints dims = dims_of(self, dim);
  const at_type *const own = at_typeOf(self);
  const at_type *const result = type                ? type
                                : is_integral(self) ? at_toScalarType(own, at_defaultType())
                                                    : own;
  at_tensor *const x = at_to(self, result);
  at_tensor *const total = at_sum_dim(filled(x, mask, 0), dims, .keepdim = true);
  at_tensor *const mean = at_div(total, counted(self, mask, dims, true, x));
  at_tensor *const difference = filled(at_sub(x, mean), mask, 0);
  const bool isComplex = at_is_complex(x);
  at_tensor *const other = isComplex ? at_conj(difference) : difference;
  at_tensor *const squares = at_sum_dim(at_mul(difference, other), dims, .keepdim = keepdim);
  at_tensor *const count = counted(self, mask, dims, keepdim, isComplex ? at_real(x) : x);
  at_tensor *const variance = at_div(squares, unbiased ? at_clamp_min(at_sub(count, 1), 0) : count);
  return isDeviation ? at_sqrt(variance) : variance;
}

at_tensor *at_maskedLogSum(at_tensor *self, at_ints dim, bool keepdim, at_tensor *mask)
{
  at_tensor *const own =
      !is_integral(self) ? self : at_to(self, at_toScalarType(self->type, AT_FLOAT));
  at_tensor *const made =
      at_logsumexp(filled(own, mask, -(double)INFINITY), dims_of(own, dim), .keepdim = keepdim);
  return at_defined(made) ? at_typed(made, self) : made;
}

at_tensor *at_maskedLogAdd(at_tensor *self, at_tensor *other, at_tensor *mask, at_tensor *otherMask)
{
  return at_logaddexp(filled(self, mask, -(double)INFINITY),
                      filled(other, otherMask, -(double)INFINITY));
}

at_tensor *at_maskedNorm(at_tensor *self, double ord, at_ints dim, bool keepdim,
                         const at_type *type, at_tensor *mask)
{
  at_tensor *const t = filled(self, mask, ord < 0 ? (double)INFINITY : 0);
  return at_linalg_vector_norm(t, .ord = ord, .dim = dims_of(self, dim), .keepdim = keepdim,
                               .type = asked(type));
}

at_tensor *at_maskedNormalized(at_tensor *self, double ord, int64_t dim, double eps,
                               at_tensor *mask)
{
  at_tensor *const norms = at_maskedNorm(self, ord, AT_INTS(dim), true, NULL, mask);
  return at_div(filled(self, mask, 0), at_clamp_min(norms, eps));
}

at_tensor *at_maskedSoftmax(at_tensor *self, int64_t dim, const at_type *type, at_tensor *mask,
                            bool isLog, bool isMinimum)
{
  at_tensor *const t = filled(isMinimum ? at_neg(self) : self, mask, -(double)INFINITY);
  return isLog ? at_log_softmax(t, dim, .type = asked(type))
               : at_softmax(t, dim, .type = asked(type));
}
