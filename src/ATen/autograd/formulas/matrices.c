/* Formulas of determinants, inverses, solutions and functions of matrices. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

static at_tensor *transposed(at_tensor *t)
{
  return at_transpose(t, -2, -1);
}

static at_tensor *by_matrix(at_tensor *t)
{
  return at_unsqueeze(at_unsqueeze(t, -1), -1);
}

/* --- determinants ----------------------------------------------------------------------------- */

/* The product of all elements of each line but that one. */
static at_tensor *products_of_others(at_tensor *s)
{
  const int64_t count = at_size(s, -1);
  at_tensor *const isOwn = at_eq(at_eye(count, .type = at_toScalarType(at_typeOf(s), AT_LONG)), 1);
  return at_prod_dim(at_where_self_scalar(isOwn, at_scalar_long(1), at_unsqueeze(s, -2)), -1);
}

/* The transposed adjugates, of singular matrices too. */
static at_tensor *cofactors(at_tensor *a)
{
  const at_linalg_svd_options options = {true};
  const at_U_S_Vh made = (at_linalg_svd)(a, &options);
  at_tensor *const sign = at_mul(at_linalg_det(made.U), at_linalg_det(made.Vh));
  at_tensor *const scaled = at_mul(at_conj(made.U), at_unsqueeze(products_of_others(made.S), -2));
  return at_mul(at_matmul(scaled, at_conj(made.Vh)), by_matrix(sign));
}

at_tensor *at_detGrad(at_tensor *grad, at_tensor *a, at_tensor *det)
{
  if (!at_defined(det) || at_numel(a) == 0)
    return at_zeros_like(a);
  at_tensor *const isSingular = at_any(at_eq(det, 0));
  if (at_defined(isSingular) && at_item_double(isSingular) != 0)
    return at_mul(by_matrix(grad), cofactors(a));
  return at_mul(by_matrix(at_mul(grad, det)), transposed(at_linalg_inv(a)));
}

/* The gradient of slogdet of complex numbers: the sign has a gradient too, for it turns with the determinant. */
static at_tensor *complex_slogdet_grad(at_tensor *ofSign, at_tensor *ofLog, at_tensor *a,
                                       at_tensor *sign)
{
  at_tensor *const turn = at_neg(at_imag(at_mul(at_conj(ofSign), sign)));
  at_tensor *const scale = by_matrix(at_complex(ofLog, turn));
  at_tensor *const isSingular = at_any(at_eq(sign, 0));
  if (at_defined(isSingular) && at_item_double(isSingular) != 0)
    return at_mul(scale, at_conj(at_div(cofactors(a), by_matrix(at_linalg_det(a)))));
  return at_mul(scale, at_mH(at_linalg_inv(a)));
}

at_tensor *at_slogdetGrad(at_tensor *ofSign, at_tensor *grad, at_tensor *a, at_tensor *sign)
{
  if (at_is_complex(a))
    return complex_slogdet_grad(ofSign, grad, a, sign);
  at_tensor *const isSingular = at_any(at_eq(sign, 0));
  if (at_defined(isSingular) && at_item_double(isSingular) != 0)
    return at_mul(by_matrix(at_div(grad, at_linalg_det(a))), cofactors(a));
  return at_mul(by_matrix(grad), transposed(at_linalg_inv(a)));
}

/* --- solutions -------------------------------------------------------------------------------- */

at_several at_solveGrad(at_tensor *grad, at_tensor *a, at_tensor *b, at_tensor *x, bool left)
{
  if (!at_defined(a) || !at_defined(b))
    return (at_several){{at_undefined(), at_undefined()}};
  const at_ints matrix = at_sizesOf(a), own = at_sizesOf(b);
  const bool isVector =
      own.count == 1 || at_sameSizes(own, (at_ints){matrix.data, matrix.count - 1});
  at_tensor *const g = isVector ? at_unsqueeze(grad, -1) : grad;
  at_tensor *const wide = isVector ? at_unsqueeze(x, -1) : x;
  at_tensor *const of = at_linalg_solve(transposed(a), g, .left = left);
  at_tensor *const made = left ? at_matmul(of, transposed(wide)) : at_matmul(transposed(wide), of);
  return (at_several){{at_neg(made), isVector ? at_squeeze_dim(of, -1) : of}};
}

at_several at_triangularGrad(at_tensor *grad, at_tensor *a, at_tensor *x, bool upper, bool left,
                             bool unit)
{
  const at_linalg_solve_triangular_options options = {left, unit};
  at_tensor *const of = (at_linalg_solve_triangular)(transposed(a), grad, !upper, &options);
  at_tensor *const made =
      at_neg(left ? at_matmul(of, transposed(x)) : at_matmul(transposed(x), of));
  const int64_t diagonal = unit ? 1 : 0;
  return (at_several){
      {upper ? at_triu(made, .diagonal = diagonal) : at_tril(made, .diagonal = -diagonal), of}};
}

at_several at_trtrsGrad(at_tensor *grad, at_tensor *copy, at_tensor *a, at_tensor *x, bool upper,
                        bool transpose, bool unit)
{
  at_several r =
      at_triangularGrad(grad, transpose ? transposed(a) : a, x, upper != transpose, true, unit);
  at_tensor *const made = transpose ? transposed(r.of[0]) : r.of[0];
  return (at_several){{r.of[1], at_add(made, copy)}};
}

at_several at_gesvGrad(at_tensor *grad, at_tensor *b, at_tensor *a, at_tensor *x)
{
  at_tensor *const of = at_linalg_solve(transposed(a), grad);
  return (at_several){{at_reshape(of, at_sizes(b)), at_neg(at_matmul(of, transposed(x)))}};
}

at_tensor *at_pinvGrad(at_tensor *grad, at_tensor *a, at_tensor *p)
{
  at_tensor *const g = at_mH(grad), *const pt = at_mH(p);
  if (at_defined(a) && at_size(a, -2) <= at_size(a, -1)) {
    at_tensor *const k = at_matmul(g, p), *const kp = at_matmul(k, pt);
    at_tensor *const first = at_sub(kp, at_mH(at_matmul(p, k)));
    at_tensor *const second = at_matmul(at_matmul(a, p), kp);
    at_tensor *const third = at_matmul(at_matmul(pt, p), at_sub(g, at_matmul(k, a)));
    return at_add(at_sub(first, second), third);
  }
  at_tensor *const k = at_matmul(p, g), *const pk = at_matmul(pt, k);
  at_tensor *const first = at_sub(pk, at_mH(at_matmul(k, p)));
  at_tensor *const second = at_matmul(at_matmul(at_sub(g, at_matmul(a, k)), p), pt);
  return at_sub(at_add(first, second), at_matmul(at_matmul(pk, p), a));
}

/* The products of the columns of v, conjugated, and those of w. */
static at_tensor *own_products(at_tensor *v, at_tensor *w)
{
  return at_real(at_sum_dim(at_mul(at_conj(v), w), AT_INTS(-2)));
}

at_tensor *at_symmetricPinvGrad(at_tensor *grad, at_tensor *a, at_tensor *p)
{
  at_tensor *const whole = at_add(at_tril(a), at_mH(at_tril(a, .diagonal = -1)));
  const __auto_type e = at_linalg_eigh(whole);
  at_tensor *const lambda = e.eigenvalues, *const v = e.eigenvectors;
  /* p v is v / lambda for the eigenvalues that count, and 0 for the others. */
  at_tensor *const share = at_mul(own_products(v, at_matmul(p, v)), lambda);
  at_tensor *const f = at_where_other_scalar(at_gt(share, 0.5), at_reciprocal(lambda), 0);
  at_tensor *const both = at_matmul(at_add(grad, at_mH(grad)), v);
  at_tensor *const slope = at_mul(at_mul(f, f), -0.5);
  at_tensor *const ofValues = at_mul(own_products(v, both), slope);
  return at_eighGrad(ofValues, at_mul(both, at_unsqueeze(f, -2)), lambda, v);
}

/* --- functions -------------------------------------------------------------------------------- */

at_tensor *at_matrixExpGrad(at_tensor *grad, at_tensor *self)
{
  if (!at_defined(self))
    return at_undefined();
  const int64_t n = at_size(self, -1);
  at_tensor *const a = transposed(self);
  at_tensor *const above = at_cat(AT_TENSORS(a, grad), .dim = -1);
  at_tensor *const below = at_cat(AT_TENSORS(at_zeros_like(a), a), .dim = -1);
  at_tensor *const whole = at_linalg_matrix_exp(at_cat(AT_TENSORS(above, below), .dim = -2));
  return at_narrow(at_narrow(whole, -2, 0, n), -1, n, n);
}

at_tensor *at_matrixPowerOf(at_tensor *self, int64_t n)
{
  if (n == 0)
    return at_add(at_mul(self, 0), at_eye(at_size(self, -1), .type = at_typeOf(self)));
  at_tensor *square = n < 0 ? at_linalg_inv(self) : self, *r = NULL;
  for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left > 0; left >>= 1) {
    if (left & 1)
      r = r ? at_matmul(r, square) : square;
    if (left > 1)
      square = at_matmul(square, square);
  }
  return r == self ? at_clone(self) : r;
}

at_tensor *at_multiDotOf(at_tensors tensors)
{
  at_tensor *r = tensors.count > 0 ? tensors.data[0] : at_undefined();
  for (int i = 1; i < tensors.count; i++)
    r = at_matmul(r, tensors.data[i]);
  return tensors.count == 1 ? at_clone(r) : r;
}

at_tensor *at_groupedGrad(at_tensor *grad, at_tensor *mat2, at_tensor *offs)
{
  if (at_defined(mat2) && at_dim(mat2) == 2)
    return at_t(at__grouped_mm(mat2, transposed(grad), offs));
  return at__grouped_mm(grad, transposed(mat2), offs);
}

at_tensor *at_vanderOf(at_tensor *x, int64_t count)
{
  if (at_defined(x) && at_dim(x) == 0) /* a number is a vector of one */
    x = at_unsqueeze(x, 0);
  if (count == 0 || !at_defined(x))
    return at_narrow(at_unsqueeze(x, -1), -1, 0, 0);
  const at_tensors *const powers = at_listOf(count == AT_NONE ? (int)at_size(x, -1) : (int)count);
  at_tensor *power = at_ones_like(x);
  for (int i = 0; i < powers->count; i++) {
    ((at_tensor **)powers->data)[i] = at_retain(power);
    power = at_mul(power, x);
  }
  return at_stack(*powers, .dim = -1);
}

/* --- norms ------------------------------------------------------------------------------------ */

/* The two dimensions of matrices, which come last. */
static at_tensor *with_last(at_tensor *a, at_ints dims)
{
  return dims.count == 2 ? at_movedim(a, dims, AT_INTS(-2, -1)) : a;
}

static at_tensor *kept(at_tensor *norm, at_tensor *a, at_ints dims, bool keepdim)
{
  if (!keepdim)
    return norm;
  return dims.count == 2 ? at_movedim(by_matrix(norm), AT_INTS(-2, -1), dims) : by_matrix(norm);
}

at_tensor *at_matrixNormOf(at_tensor *a, at_scalar ord, at_ints dims, bool keepdim)
{
  const double p = at_scalar_toDouble(ord), which = fabs(p);
  at_tensor *const t = with_last(a, dims);
  at_tensor *const sums =
      which == 2 ? at_linalg_svdvals(t) : at_sum_dim(at_abs(t), AT_INTS(isinf(which) ? -1 : -2));
  if (p > 0 && at_defined(sums) && at_size(sums, -1) == 0) /* the largest of none is 0 */
    return kept(at_sum_dim(sums, AT_INTS(-1)), a, dims, keepdim);
  return kept(p > 0 ? at_amax(sums, .dim = AT_INTS(-1)) : at_amin(sums, .dim = AT_INTS(-1)), a,
              dims, keepdim);
}

at_tensor *at_matrixNormByName(at_tensor *a, const char *ord, at_ints dims, bool keepdim)
{
  at_tensor *const t = with_last(a, dims);
  return kept(ord[0] == 'f' ? at_norm_dim(t, 2, AT_INTS(-2, -1))
                            : at_sum_dim(at_linalg_svdvals(t), AT_INTS(-1)),
              a, dims, keepdim);
}

at_tensor *at_linalgNormOf(at_tensor *a, at_scalar ord, at_ints dims, bool keepdim,
                           const at_type *type)
{
  at_tensor *const t = type ? at_to(a, type) : a;
  const double p = ord.is_none ? 2 : at_scalar_toDouble(ord);
  if (ord.is_none || dims.count == 1 || (dims.count == 0 && at_dim(a) < 2))
    return at_linalg_vector_norm(t, .ord = p, .dim = dims, .keepdim = keepdim);
  return at_matrixNormOf(t, ord, dims, keepdim);
}
