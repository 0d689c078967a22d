/* What operations compute of complex numbers where their kernels are of real ones alone. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

at_tensor *at_complexSilu(at_tensor *self)
{
  return at_mul(self, at_sigmoid(self));
}

at_tensor *at_complexSoftMax(at_tensor *self, bool log, int64_t dim, const at_type *type)
{
  if (!type || at_isComplex(type->scalarType))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s, unless type is real",
             at_scalarTypeName(at_typeOf(self)->scalarType));
  at_tensor *const real = at_real(self);
  return log ? at_log_softmax(real, dim, .type = type) : at_softmax(real, dim, .type = type);
}

at_tensor *at_complexSinc(at_tensor *self)
{
  at_tensor *const isZero = at_eq(self, 0);
  at_tensor *const x = at_mul(at_masked_fill(self, isZero, 1), M_PI); /* no gradient is NaN then */
  return at_masked_fill(at_div(at_sin(x), x), isZero, 1);
}

at_tensor *at_complexWithoutNaN(at_tensor *self, at_scalar nan, at_scalar posinf, at_scalar neginf)
{
  const at_nan_to_num_options numbers = {nan, posinf, neginf};
  return at_complex((at_nan_to_num)(at_real(self), &numbers),
                    (at_nan_to_num)(at_imag(self), &numbers));
}

static at_tensor *in_double(at_tensor *t)
{
  return at_to(t, at_toScalarType(t->type, AT_COMPLEX_DOUBLE));
}

at_tensor *at_complexFloatPower(at_tensor *self, at_tensor *exponent)
{
  return at_pow(in_double(self), in_double(exponent));
}

at_tensor *at_complexFloatPowerScalar(at_tensor *self, at_scalar exponent)
{
  return at_pow_scalar(in_double(self), exponent);
}

at_tensor *at_complexFloatPowerBase(at_scalar self, at_tensor *exponent)
{
  return at_pow_base(self, in_double(exponent));
}

at_tensor *at_complexScaledByPower(at_tensor *self, at_tensor *other)
{
  return at_mul(self, at_pow_base(2.0, other));
}

at_tensor *at_complexAddr(at_tensor *self, at_tensor *vec1, at_tensor *vec2, at_scalar beta,
                          at_scalar alpha)
{
  at_tensor *const product = at_mul_scalar(at_outer(vec1, vec2), alpha);
  /* Where beta is 0, self does not count, not even NaN. */
  return at_scalar_toDouble(beta) == 0 ? product : at_add(at_mul_scalar(self, beta), product);
}

/* t, a number that sums of exponentials are divided by, without infinite ones. */
static at_tensor *limited(at_tensor *t)
{
  return at_masked_fill(t, at_isinf(t), 0);
}

at_tensor *at_complexLogSums(at_tensor *self, at_ints dim, bool keepdim)
{
  if (at_numel(self) == 0)
    return at_log(at_sum_dim(at_exp(self), dim, .keepdim = keepdim));
  at_tensor *const most = limited(at_amax(at_detach(at_real(self)), .dim = dim, .keepdim = true));
  at_tensor *const sums = at_sum_dim(at_exp(at_sub(self, most)), dim, .keepdim = true);
  at_tensor *const made = at_add(at_log(sums), most);
  if (keepdim || !at_defined(made))
    return made;
  return dim.count > 0 ? at_squeeze_dims(made, dim) : at_reshape(made, AT_SCALAR_SHAPE);
}

at_tensor *at_complexLogAdd(at_tensor *self, at_tensor *other)
{
  at_tensor *const isLess = at_lt(at_real(self), at_real(other));
  at_tensor *const more = at_where(isLess, other, self), *const less =
                                                             at_where(isLess, self, other);
  return at_add(more, at_log1p(at_exp(at_sub(less, more))));
}

/* Computes each sum from the one before: what is far below the maximum of all may count among the first ones. */
at_tensor *at_complexLogSumsUpTo(at_tensor *self, int64_t dim)
{
  if (at_dim(self) == 0 || at_numel(self) == 0)
    return at_cumsum(self, dim);            /* self, and what is said of a dim that is not there */
  const int64_t count = at_size(self, dim); /* -1 after an error */
  if (count > INT32_MAX)
    at_fail(AT_ERROR_ARGUMENT, "logcumsumexp", "logcumsumexp: self has %lld numbers along dim %lld",
            (long long)count, (long long)dim);
  if (count < 0 || count > INT32_MAX)
    return at_undefined();
  const at_tensors *const sums = at_listOf((int)count);
  at_tensor **const made = (at_tensor **)sums->data;
  for (int64_t i = 0; i < sums->count; i++) {
    at_tensor *const next = at_select(self, dim, i);
    at_tensor *const sum = i == 0 ? next : at_complexLogAdd(made[i - 1], next);
    if (!at_defined(sum))
      return sum;
    made[i] = at_retain(sum);
  }
  return sums->count == count ? at_stack(*sums, .dim = dim) : at_undefined();
}

at_tensor *at_complexL1(at_tensor *self, at_tensor *target, int64_t reduction)
{
  return at_reducedLoss(at_abs(at_sub(self, target)), reduction);
}

at_tensor *at_complexRenormed(at_tensor *self, at_scalar p, int64_t dim, at_scalar maxnorm)
{
  int64_t dims[AT_MOST_DIMS];
  int count = 0;
  const int own = at_dim(self);
  for (int d = 0; d < own; d++)
    if (d != (dim < 0 ? dim + own : dim))
      dims[count++] = d;
  const double most = at_scalar_toDouble(maxnorm), order = at_scalar_toDouble(p);
  if (own < 2 || count != own - 1 || !(order > 0) || !(most >= 0)) {
    at_fail(AT_ERROR_ARGUMENT, "renorm",
            "renorm: self has %d dimensions, p is %g, dim is %lld and maxnorm is %g; self has to "
            "have 2 or more, of which dim is one, and p has to be positive, maxnorm not negative",
            own, order, (long long)dim, most);
    return at_undefined();
  }
  at_tensor *const norms =
      at_linalg_vector_norm(self, .ord = order, .dim = ((at_ints){dims, count}), .keepdim = true);
  at_tensor *const factors = at_div(at_full_like(norms, most), at_add(norms, 1e-7));
  return at_mul(self, at_where(at_gt(norms, most), factors, at_ones_like(norms)));
}

at_tensor *at_complexRootNormalized(at_tensor *input, at_ints shape, at_tensor *weight,
                                    at_scalar eps)
{
  const int own = at_dim(input);
  int64_t dims[AT_MOST_DIMS];
  bool fits = shape.count > 0 && shape.count <= own;
  for (int d = 0; d < shape.count && fits; d++) {
    dims[d] = own - shape.count + d;
    fits = at_size(input, dims[d]) == shape.data[d];
  }
  if (!fits) {
    at_fail(AT_ERROR_ARGUMENT, "rms_norm",
            "rms_norm: input has size (%s), which does not end with normalized_shape (%s)",
            at_sizeDesc(at_sizes(input)).str, at_sizeDesc(shape).str);
    return at_undefined();
  }
  const bool isDouble = input->type->scalarType == AT_COMPLEX_DOUBLE;
  const double epsilon = eps.is_none ? (isDouble ? 0x1p-52 : 0x1p-23) : at_scalar_toDouble(eps);
  at_tensor *const squares =
      at_mean_dim(at_mul(input, input), ((at_ints){dims, shape.count}), .keepdim = true);
  at_tensor *const made = at_mul(input, at_rsqrt(at_add(squares, epsilon)));
  return weight ? at_mul(made, weight) : made;
}

at_tensor *at_complexColumns(at_tensor *self, at_windows w)
{
  at_tensor *const re = at_im2col(at_real(self), w.size, w.dilation, w.padding, w.stride);
  return at_complex(re, at_im2col(at_imag(self), w.size, w.dilation, w.padding, w.stride));
}

at_tensor *at_complexImages(at_tensor *self, at_ints output_size, at_windows w)
{
  at_tensor *const re =
      at_col2im(at_real(self), output_size, w.size, w.dilation, w.padding, w.stride);
  return at_complex(re,
                    at_col2im(at_imag(self), output_size, w.size, w.dilation, w.padding, w.stride));
}

at_tensor *at_complexDropout(at_tensor *self, double p)
{
  at_tensor *const kept = at_dropout(at_ones_like(at_detach(at_real(self))), p, true);
  return at_mul(self, kept);
}
