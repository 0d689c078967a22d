/* Eigenvalues of general matrices, conditions, least squares, and roots of symmetric matrices. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "ATen/autograd/Formulas.h"
#include "ATen/linear/linalg.h"

/* The adjoint matrices: of real ones the transposes, as views. */
static at_tensor *adjoint(at_tensor *t)
{
  return at_mH(t);
}

/* A matrix with v on its diagonal times m, for each vector. */
static at_tensor *rows_by(at_tensor *v, at_tensor *m)
{
  return at_mul(at_unsqueeze(v, -1), m);
}

static at_tensor *columns_by(at_tensor *m, at_tensor *v)
{
  return at_mul(m, at_unsqueeze(v, -2));
}

static int64_t least_of(at_tensor *a)
{
  return THMin(at_size(a, -2), at_size(a, -1));
}

/* --- eigenvalues ------------------------------------------------------------------------------ */

/* Columns j and j + 1 of vectors are the real and the imaginary part of a pair's, where the first
 * value of the pair has an imaginary part above 0. */
static at_tensor *eigenvectors_of(at_tensor *imaginary, at_tensor *vectors)
{
  at_tensor *const isFirst = at_unsqueeze(at_gt(imaginary, 0), -2);
  at_tensor *const isSecond = at_unsqueeze(at_lt(imaginary, 0), -2);
  at_tensor *const before = at_roll(vectors, AT_INTS(1), .dims = AT_INTS(-1));
  at_tensor *const after = at_roll(vectors, AT_INTS(-1), .dims = AT_INTS(-1));
  at_tensor *const none = at_zeros_like(vectors);
  at_tensor *const part = at_where(isSecond, at_neg(vectors), none);
  return at_complex(at_where(isSecond, before, vectors), at_where(isFirst, after, part));
}

at_eigenvalues_eigenvectors at_eigOf(const char *name, at_tensor *self)
{
  const at_eigenvalues_eigenvectors none = {at_undefined(), at_undefined()};
  const at_ints sizes = at_sizes(self);
  if (!at_defined(self) || sizes.count < 2 || at_size(self, -1) != at_size(self, -2)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: self is of size %s, and has to be square matrices", name,
            at_sizeDesc(sizes).str);
    return none;
  }
  const int64_t n = at_size(self, -1);
  if (at_numel(self) == 0) {
    at_tensor *const zeros = at_complex(at_zeros_like(self), at_zeros_like(self));
    return (at_eigenvalues_eigenvectors){at_sum_dim(zeros, AT_INTS(-1)), zeros};
  }
  const int64_t count = at_numel(self) / (n * n);
  at_tensor *const all = at_reshape(self, AT_INTS(count, n, n));
  const at_tensors *const values = at_listOf((int)THMin(count, INT_MAX));
  const at_tensors *const vectors = at_listOf(values->count);
  for (int i = 0; i < values->count && i < vectors->count; i++) {
    const at_values_vectors one = at_eig(at_select(all, 0, i), .eigenvectors = true);
    ((at_tensor **)values->data)[i] = at_retain(one.values);
    ((at_tensor **)vectors->data)[i] = at_retain(one.vectors);
    if (!at_defined(one.values))
      return none;
  }
  at_tensor *const pairs = at_stack(*values);
  at_tensor *const imaginary = at_select(pairs, -1, 1);
  at_tensor *const lambda = at_complex(at_select(pairs, -1, 0), imaginary);
  return (at_eigenvalues_eigenvectors){
      at_reshape(lambda, ((at_ints){sizes.data, sizes.count - 1})),
      at_reshape(eigenvectors_of(imaginary, at_stack(*vectors)), sizes)};
}

void at_eigens(at_tensor **out, at_tensor *self)
{
  if (at_isComplex(self->type->scalarType))
    at_complexEigens(out, self);
  else
    at_composedAll(out, at_eigOf("linalg_eig", self));
}

at_tensor *at_eigenvaluesOf(at_tensor *self)
{
  if (at_isComplex(self->type->scalarType))
    return at_complexEigenvalues(NULL, self);
  return at_composed(at_eigOf("linalg_eigvals", self).eigenvalues);
}

/* V^-H M V^H: M has the gradient of the values on its diagonal, and beside it what the vectors'
 * gradient, orthogonal to each vector, is over the differences of the values. */
at_tensor *at_eigGrad(at_tensor *ofValues, at_tensor *ofVectors, at_tensor *lambda, at_tensor *v,
                      bool ofComplex)
{
  if (!at_defined(v) || !at_defined(ofVectors) || !at_defined(ofValues))
    return at_undefined();
  if (at_numel(v) == 0)
    return at_zeros_like(ofComplex ? v : at_real(v));
  at_tensor *const vh = adjoint(v);
  at_tensor *const inner = at_matmul(vh, ofVectors);
  at_tensor *const own = at_real(at_diagonal(inner, .dim1 = -2, .dim2 = -1));
  at_tensor *const across = at_sub(inner, at_matmul(vh, columns_by(v, own)));
  at_tensor *const gaps = at_conj(at_sub(at_unsqueeze(lambda, -2), at_unsqueeze(lambda, -1)));
  at_tensor *const isOwn = at_eq(at_eye(at_size(v, -1), .type = at_typeOf(own)), 1);
  at_tensor *const safe = at_masked_fill(gaps, isOwn, 1);
  at_tensor *const middle = at_where(isOwn, at_diag_embed(ofValues), at_div(across, safe));
  at_tensor *const made = at_linalg_solve(vh, at_matmul(middle, vh));
  return ofComplex ? made : at_real(made);
}

at_tensor *at_realEigGrad(at_tensor *ofValues, at_tensor *ofVectors, at_tensor *self,
                          at_tensor *values, at_tensor *vectors, bool hasVectors)
{
  if (!at_defined(ofValues) || !at_defined(values) || !at_defined(self) || at_numel(self) == 0)
    return ofValues;
  at_tensor *const imaginary = at_select(values, -1, 1);
  const bool wantsVectors = hasVectors && at_item_long(at_any(at_ne(ofVectors, 0)));
  if (wantsVectors && at_item_long(at_any(at_ne(imaginary, 0)))) {
    at_fail(AT_ERROR_ARGUMENT, "eig",
            "the gradient of eig: eigenvectors of complex eigenvalues have none");
    return at_undefined();
  }
  at_tensor *const v = hasVectors ? vectors : at_eig(self, .eigenvectors = true).vectors;
  at_tensor *const none = at_zeros_like(self);
  return at_eigGrad(at_complex(at_select(ofValues, -1, 0), at_select(ofValues, -1, 1)),
                    at_complex(wantsVectors ? ofVectors : none, none),
                    at_complex(at_select(values, -1, 0), imaginary), eigenvectors_of(imaginary, v),
                    false);
}

/* --- conditions --------------------------------------------------------------------------------- */

/* No number for matrices without elements. */
static at_tensor *zeros_for(at_tensor *self)
{
  return at_zeros(((at_ints){at_sizes(self).data, at_dim(self) - 2}),
                  .type = at_typeOf(at_real(self)));
}

/* norm * the norm of the inverse, and infinity of a singular matrix. */
static at_tensor *condition(at_tensor *norm, at_tensor *ofInverse, at_tensor *info)
{
  return at_masked_fill(at_mul(norm, ofInverse), at_ne(info, 0), (double)INFINITY);
}

static bool is_square(at_tensor *self)
{
  if (at_defined(self) && at_dim(self) >= 2 && at_size(self, -1) == at_size(self, -2))
    return true;
  at_fail(AT_ERROR_ARGUMENT, "linalg_cond",
          "linalg_cond: self is of size %s, and has to be square matrices for this norm",
          at_sizeDesc(at_sizes(self)).str);
  return false;
}

/* The inverses, of the identity for singular matrices, and info as of linalg_lu_factor_ex.  An operation
 * for each step takes less stack than linalg_inv_ex, which is made of operations itself. */
static at_inverse_info inverse_of(at_tensor *self)
{
  at_tensor *const info = at_linalg_lu_factor_ex(at_detach(self)).info;
  at_tensor *const isSingular = at_unsqueeze(at_unsqueeze(at_ne(info, 0), -1), -1);
  at_tensor *const eye = at_eye(at_size(self, -1), .type = at_typeOf(self));
  return (at_inverse_info){at_linalg_inv(at_where(isSingular, eye, self)), info};
}

at_tensor *at_conditionOf(at_tensor *self, at_scalar p)
{
  const double ord = p.is_none ? 2 : at_scalar_toDouble(p);
  if (fabs(ord) == 2) {
    at_tensor *const s = at_linalg_svdvals(self);
    if (!at_defined(s))
      return s;
    if (at_size(s, -1) == 0)
      return zeros_for(self);
    at_tensor *const first = at_select(s, -1, 0), *const last = at_select(s, -1, -1);
    return ord > 0 ? at_div(first, last) : at_div(last, first);
  }
  if (!is_square(self))
    return at_undefined();
  if (at_numel(self) == 0)
    return zeros_for(self);
  const at_inverse_info made = inverse_of(self);
  return condition(at_linalg_matrix_norm(self, ord), at_linalg_matrix_norm(made.inverse, ord),
                   made.info);
}

at_tensor *at_conditionByName(at_tensor *self, const char *p)
{
  if (!is_square(self))
    return at_undefined();
  if (at_numel(self) == 0)
    return zeros_for(self);
  const at_inverse_info made = inverse_of(self);
  return condition(at_linalg_matrix_norm_name(self, .ord = p),
                   at_linalg_matrix_norm_name(made.inverse, .ord = p), made.info);
}

/* --- least squares ------------------------------------------------------------------------------ */

static bool is_vectors(at_tensor *a, at_tensor *b)
{
  const at_ints own = at_sizes(a), others = at_sizes(b);
  return others.count == 1 || (others.count == own.count - 1 &&
                               at_sameSizes(others, (at_ints){own.data, own.count - 1}));
}

/* The part of the largest singular value above which one counts. */
static double bound_of(at_tensor *a, at_scalar rcond)
{
  const bool isDouble = at_type_scalarType(at_typeOf(at_real(a))) == AT_DOUBLE;
  const double epsilon = isDouble ? ldexp(1, -52) : ldexp(1, -23);
  return rcond.is_none ? epsilon * (double)THMax(at_size(a, -2), at_size(a, -1))
                       : at_scalar_toDouble(rcond);
}

static bool can_fit(at_tensor *a, at_tensor *b, const char *driver)
{
  static const char name[] = "linalg_lstsq";
  if (strcmp(driver, "gels") && strcmp(driver, "gelsy") && strcmp(driver, "gelsd") &&
      strcmp(driver, "gelss")) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: driver is \"%s\", and has to be gels, gelsy, gelsd or gelss", name, driver);
    return false;
  }
  if (!at_defined(a) || !at_defined(b))
    return false;
  const int rows = is_vectors(a, b) ? -1 : -2;
  if (at_dim(a) >= 2 && at_dim(b) >= -rows && at_typeOf(a) == at_typeOf(b) &&
      at_size(a, -2) == at_size(b, rows))
    return true;
  at_fail(AT_ERROR_ARGUMENT, name,
          "%s: self is of size %s and b of %s; they have to be matrices of the same type with as "
          "many rows, or b vectors",
          name, at_sizeDesc(at_sizes(a)).str, at_sizeDesc(at_sizes(b)).str);
  return false;
}

/* The sums of squares of the columns of A X - B, or none. */
static at_tensor *residuals_of(at_tensor *a, at_tensor *b, at_tensor *x, at_tensor *rank)
{
  const int64_t m = at_size(a, -2), n = at_size(a, -1);
  at_tensor *const none = at_empty(AT_INTS(0), .type = at_typeOf(at_real(a)));
  if (m <= n || !at_defined(rank) || (at_numel(rank) > 0 && !at_item_long(at_all(at_eq(rank, n)))))
    return none;
  at_tensor *const left = at_sub(at_matmul(a, x), b);
  return at_sum_dim(at_real(at_mul(at_conj(left), left)), AT_INTS(-2));
}

at_solution_residuals_rank_singular_values at_lstsqOf(at_tensor *a, at_tensor *b, at_scalar rcond,
                                                      const char *driver)
{
  at_solution_residuals_rank_singular_values r = {at_undefined(), at_undefined(), at_undefined(),
                                                  at_undefined()};
  if (!can_fit(a, b, driver))
    return r;
  const bool isVector = is_vectors(a, b);
  at_tensor *const right = isVector ? at_unsqueeze(b, -1) : b;
  const at_U_S_Vh made = at_linalg_svd(a, .full_matrices = false);
  if (!at_defined(made.S))
    return r;
  const at_type *const longs = at_toScalarType(at_typeOf(a), AT_LONG);
  at_tensor *isKept = at_gt(made.S, 0);
  if (least_of(a) > 0)
    isKept = at_gt(made.S, at_mul(at_narrow(made.S, -1, 0, 1), bound_of(a, rcond)));
  at_tensor *const inverse = at_masked_fill(at_reciprocal(made.S), at_logical_not(isKept), 0);
  at_tensor *const x =
      at_matmul(adjoint(made.Vh), rows_by(inverse, at_matmul(adjoint(made.U), right)));
  at_tensor *const rank = at_sum_dim(at_to(isKept, longs), AT_INTS(-1));
  r.solution = isVector ? at_squeeze_dim(x, -1) : x;
  r.residuals = strcmp(driver, "gelsy") ? residuals_of(a, right, x, rank)
                                        : at_empty(AT_INTS(0), .type = at_typeOf(at_real(a)));
  r.rank = strcmp(driver, "gels") ? rank : at_empty(AT_INTS(0), .type = longs);
  r.singular_values = !strcmp(driver, "gelsd") || !strcmp(driver, "gelss")
                          ? made.S
                          : at_empty(AT_INTS(0), .type = at_typeOf(made.S));
  return r;
}

/* The solution is P B with the pseudoinverse P of A.  The residuals' gradient does not come by the
 * solution, for which they are least. */
at_several at_lstsqGrad(at_tensor *ofX, at_tensor *ofResiduals, at_tensor *a, at_tensor *b,
                        at_tensor *x, at_scalar rcond)
{
  if (!at_defined(a) || !at_defined(b) || !at_defined(x))
    return (at_several){{at_undefined(), at_undefined()}};
  const bool isVector = is_vectors(a, b);
  at_tensor *const right = isVector ? at_unsqueeze(b, -1) : b;
  at_tensor *const wide = isVector ? at_unsqueeze(x, -1) : x;
  at_tensor *const g = isVector ? at_unsqueeze(ofX, -1) : ofX;
  at_tensor *const p = at_linalg_pinv(a, bound_of(a, rcond));
  at_tensor *ofA = at_pinvGrad(at_matmul(g, adjoint(right)), a, p);
  at_tensor *ofB = at_matmul(adjoint(p), g);
  if (at_defined(ofResiduals) && at_numel(ofResiduals) > 0) {
    at_tensor *const left = at_mul(at_sub(at_matmul(a, wide), right), 2);
    at_tensor *const scaled = at_mul(left, at_unsqueeze(ofResiduals, -2));
    ofA = at_add(ofA, at_matmul(scaled, adjoint(wide)));
    ofB = at_sub(ofB, scaled);
  }
  ofB = isVector ? at_squeeze_dim(ofB, -1) : ofB;
  return (at_several){{at_sum_to_size(ofA, at_sizes(a)), at_sum_to_size(ofB, at_sizes(b))}};
}

at_several at_gelsGrad(at_tensor *grad, at_tensor *b, at_tensor *a, at_tensor *x)
{
  const int64_t n = at_defined(a) ? at_size(a, 1) : 0;
  const at_several made = at_lstsqGrad(at_narrow(grad, 0, 0, n), at_undefined(), a, b,
                                       at_narrow(x, 0, 0, n), at_scalar_none());
  return (at_several){{made.of[1], made.of[0]}};
}

/* --- polar factors and roots -------------------------------------------------------------------- */

at_U_H at_polarOf(at_tensor *a)
{
  if (!at_defined(a) || at_dim(a) < 2 || at_size(a, -2) < at_size(a, -1)) {
    at_fail(AT_ERROR_ARGUMENT, "linalg_polar",
            "linalg_polar: A is of size %s, and has to be matrices with no more columns than rows",
            at_sizeDesc(at_sizes(a)).str);
    return (at_U_H){at_undefined(), at_undefined()};
  }
  const at_U_S_Vh made = at_linalg_svd(a, .full_matrices = false);
  at_tensor *const v = adjoint(made.Vh);
  return (at_U_H){at_matmul(made.U, made.Vh), at_matmul(columns_by(v, made.S), made.Vh)};
}

at_tensor *at_symmetricRoot(at_tensor *self)
{
  const at_eigenvalues_eigenvectors made = at_linalg_eigh(self);
  if (!at_defined(made.eigenvalues))
    return at_undefined();
  at_tensor *const roots = at_sqrt(at_clamp_min(made.eigenvalues, 0));
  return at_matmul(columns_by(made.eigenvectors, roots), adjoint(made.eigenvectors));
}

/* The Y of R Y + Y R = grad for the root R. */
at_tensor *at_symmetricRootGrad(at_tensor *grad, at_tensor *root)
{
  const at_eigenvalues_eigenvectors made = at_linalg_eigh(root);
  at_tensor *const v = made.eigenvectors, *const w = made.eigenvalues;
  at_tensor *const both = at_mul(at_add(grad, adjoint(grad)), 0.5);
  at_tensor *const inner = at_matmul(at_matmul(adjoint(v), both), v);
  at_tensor *const sums = at_add(at_unsqueeze(w, -2), at_unsqueeze(w, -1));
  return at_matmul(at_matmul(v, at_div(inner, sums)), adjoint(v));
}
