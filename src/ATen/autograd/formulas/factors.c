/* Formulas of factorizations of matrices; those that need it assume a symmetric, or Hermitian, operand. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

/* The adjoint matrices: of real ones the transposes, as views. */
static at_tensor *adjoint(at_tensor *t)
{
  return at_mH(t);
}

static at_tensor *product(at_tensor *a, at_tensor *b, at_tensor *c)
{
  return at_matmul(at_matmul(a, b), c);
}

/* A matrix with v on its diagonal, for each vector. */
static at_tensor *columns_by(at_tensor *matrix, at_tensor *v)
{
  return at_mul(matrix, at_unsqueeze(v, -2));
}

/* t with the diagonal scaled by half and nothing above it. */
static at_tensor *lower_half(at_tensor *t)
{
  return at_mul(at_add(at_tril(t), at_tril(t, .diagonal = -1)), 0.5);
}

/* 1 / (v_j - v_i), and 0 on the diagonal. */
static at_tensor *reciprocal_gaps(at_tensor *v)
{
  at_tensor *const gaps = at_sub(at_unsqueeze(v, -2), at_unsqueeze(v, -1));
  at_tensor *const isNone = at_eq(gaps, 0);
  return at_masked_fill(at_reciprocal(at_masked_fill(gaps, isNone, 1)), isNone, 0);
}

/* --- Cholesky --------------------------------------------------------------------------------- */

at_tensor *at_choleskyGrad(at_tensor *grad, at_tensor *factor, bool upper)
{
  at_tensor *const l = upper ? adjoint(factor) : factor;
  at_tensor *const g = upper ? adjoint(grad) : grad;
  at_tensor *const half = lower_half(at_matmul(adjoint(l), g));
  at_tensor *const symmetric = at_mul(at_add(half, adjoint(half)), 0.5);
  at_tensor *const left = at_linalg_solve_triangular(adjoint(l), symmetric, true);
  return at_linalg_solve_triangular(adjoint(l), adjoint(left), true);
}

at_tensor *at_choleskySolveOf(at_tensor *b, at_tensor *factor, bool upper)
{
  at_tensor *const l = upper ? adjoint(at_triu(factor)) : at_tril(factor);
  at_tensor *const half = at_linalg_solve_triangular(l, b, false);
  return at_linalg_solve_triangular(adjoint(l), half, true);
}

at_tensor *at_choleskyInverseOf(at_tensor *factor, bool upper)
{
  at_tensor *const l = upper ? adjoint(at_triu(factor)) : at_tril(factor);
  return at_linalg_inv(at_matmul(l, adjoint(l)));
}

/* --- eigenvalues and singular values ---------------------------------------------------------- */

at_tensor *at_eighGrad(at_tensor *values, at_tensor *vectors, at_tensor *lambda, at_tensor *v)
{
  at_tensor *made = at_matmul(columns_by(v, values), adjoint(v));
  if (vectors) {
    at_tensor *const inner = at_mul(at_matmul(adjoint(v), vectors), reciprocal_gaps(lambda));
    made = at_add(made, product(v, inner, adjoint(v)));
  }
  return at_mul(at_add(made, adjoint(made)), 0.5);
}

at_tensor *at_eigvalshGrad(at_tensor *grad, at_tensor *self, bool upper)
{
  const at_linalg_eigh_options options = {upper ? "U" : "L"};
  return at_eighGrad(grad, NULL, NULL, (at_linalg_eigh)(self, &options).eigenvectors);
}

static at_tensor *skew(at_tensor *t)
{
  return at_sub(t, adjoint(t));
}

at_tensor *at_svdGrad(at_tensor *ofU, at_tensor *ofS, at_tensor *ofV, at_tensor *u, at_tensor *s,
                      at_tensor *v)
{
  if (!at_defined(s) || !at_defined(u) || !at_defined(v))
    return at_undefined();
  const int64_t k = at_size(s, -1), rows = at_size(u, -2), columns = at_size(v, -2);
  u = at_narrow(u, -1, 0, k);
  v = at_narrow(v, -1, 0, k);
  at_tensor *const gu = at_narrow(ofU, -1, 0, k), *const gv = at_narrow(ofV, -1, 0, k);
  at_tensor *const gaps = reciprocal_gaps(at_mul(s, s));
  at_tensor *const uu = at_matmul(adjoint(u), gu), *const vv = at_matmul(adjoint(v), gv);
  at_tensor *const skewed = skew(uu);
  at_tensor *const left = columns_by(at_mul(skewed, gaps), s);
  at_tensor *const right = at_mul(at_mul(skew(vv), gaps), at_unsqueeze(s, -1));
  at_tensor *const inverse = at_reciprocal(s);
  at_tensor *diagonal = ofS;
  if (at_is_complex(u)) { /* phases, of which only those of U and V together are free */
    at_tensor *const phases = at_diagonal(skewed, .dim1 = -2, .dim2 = -1);
    diagonal = at_add(at_mul(at_mul(phases, inverse), 0.5), ofS);
  }
  at_tensor *const inner = at_add(at_add(left, right), at_diag_embed(diagonal));
  at_tensor *made = at_matmul(u, inner);
  if (rows > k)
    made = at_add(made, columns_by(at_sub(gu, at_matmul(u, uu)), inverse));
  made = at_matmul(made, adjoint(v));
  if (columns > k) {
    at_tensor *const outside = columns_by(at_sub(gv, at_matmul(v, vv)), inverse);
    made = at_add(made, at_matmul(u, adjoint(outside)));
  }
  return made;
}

at_tensor *at_svdvalsGrad(at_tensor *grad, at_tensor *a)
{
  const at_linalg_svd_options options = {false};
  const at_U_S_Vh made = (at_linalg_svd)(a, &options);
  return at_matmul(columns_by(made.U, grad), made.Vh);
}

/* --- QR --------------------------------------------------------------------------------------- */

/* The gradient of QR of a matrix with no more columns than rows. */
static at_tensor *tall_grad(at_tensor *ofQ, at_tensor *ofR, at_tensor *q, at_tensor *r)
{
  at_tensor *const m = at_sub(at_matmul(r, adjoint(ofR)), at_matmul(adjoint(ofQ), q));
  at_tensor *const half = lower_half(m);
  at_tensor *const both = at_add(half, adjoint(half));
  at_tensor *const inner = at_add(ofQ, at_matmul(q, both));
  return adjoint(at_linalg_solve_triangular(r, adjoint(inner), true));
}

at_tensor *at_qrGrad(at_tensor *ofQ, at_tensor *ofR, at_tensor *a, at_tensor *q, at_tensor *r)
{
  if (!at_defined(a) || !at_defined(q) || !at_defined(r))
    return at_undefined();
  const int64_t rows = at_size(a, -2), columns = at_size(a, -1), k = THMin(rows, columns);
  if (at_size(q, -1) != k) {
    at_fail(AT_ERROR_ARGUMENT, "qr",
            "qr: Q has %lld columns, and the matrix %lld x %lld: there is a gradient in the mode "
            "reduced only",
            (long long)at_size(q, -1), (long long)rows, (long long)columns);
    return at_undefined();
  }
  if (columns == k)
    return tall_grad(ofQ, ofR, q, r);
  at_tensor *const behind = at_narrow(a, -1, k, columns - k);
  at_tensor *const first = at_narrow(ofR, -1, 0, k);
  at_tensor *const last = at_narrow(ofR, -1, k, columns - k);
  at_tensor *const gq = at_add(ofQ, at_matmul(behind, adjoint(last)));
  return at_cat(AT_TENSORS(tall_grad(gq, first, q, at_narrow(r, -1, 0, k)), at_matmul(q, last)),
                .dim = -1);
}

/* The product of the reflectors that geqrf left, or of its adjoint, and c, one after the other. */
static at_tensor *reflected(at_tensor *factors, at_tensor *tau, at_tensor *c, bool isAdjoint)
{
  if (!at_defined(factors) || !at_defined(tau))
    return at_undefined();
  const int64_t rows = at_size(factors, -2), count = at_size(tau, -1);
  at_tensor *const below = at_tril(factors, .diagonal = -1);
  at_tensor *const unit = at_eye(rows, .type = at_typeOf(factors));
  at_tensor *r = c;
  for (int64_t k = 0; k < count; k++) {
    const int64_t i = isAdjoint ? k : count - 1 - k;
    at_tensor *const v = at_add(at_narrow(below, -1, i, 1), at_narrow(unit, -1, i, 1));
    at_tensor *const factor = at_unsqueeze(at_narrow(tau, -1, i, 1), -1);
    r = at_sub(r, at_mul(at_matmul(v, at_matmul(adjoint(v), r)),
                         isAdjoint ? at_conj(factor) : factor));
  }
  return r;
}

at_tensor *at_orgqrOf(at_tensor *factors, at_tensor *tau)
{
  if (!at_defined(factors))
    return at_undefined();
  return reflected(factors, tau,
                   at_eye(at_size(factors, -2), .m = at_size(factors, -1),
                          .type = at_typeOf(factors)),
                   false);
}

at_tensor *at_ormqrOf(at_tensor *factors, at_tensor *tau, at_tensor *c, bool left, bool transpose)
{
  if (left)
    return reflected(factors, tau, c, transpose);
  return adjoint(reflected(factors, tau, adjoint(c), !transpose));
}
