/* Singular values of matrices of low rank, from products with random vectors: the method of Halko,
 * Martinsson and Tropp, Finding structure with randomness (2011), algorithms 4.4 and 5.1. */
#include "ATen/autograd/Formulas.h"
#include "Factors.h"

static at_tensor *adjoint(at_tensor *t)
{
  at_tensor *const transposed = at_transpose(t, -2, -1);
  return at_defined(t) && at_isComplex(t->type->scalarType) ? at_conj(transposed) : transposed;
}

/* (a - m) b; m may be NULL. */
static at_tensor *product(at_tensor *a, at_tensor *m, at_tensor *b)
{
  at_tensor *const ab = at_matmul(a, b);
  return m ? at_sub(ab, at_matmul(m, b)) : ab;
}

/* More change nothing that counts; a recorded call keeps all of them for its gradient. */
enum { MOST_ITERATIONS = 100 };

/* One power iteration: a basis of (a - m) (a - m)' basis.  What lies between is released at once. */
static at_tensor *iterated(at_tensor *a, at_tensor *m, at_tensor *basis)
{
  AT_SCOPE_GUARD;
  at_tensor *const back = at_linalg_qr(product(adjoint(a), m ? adjoint(m) : NULL, basis)).Q;
  return at_escape(at_linalg_qr(product(a, m, back)).Q);
}

/* q orthonormal columns that nearly span those of a - m. */
static at_tensor *basis_of(at_tensor *a, at_tensor *m, int64_t q, int64_t niter)
{
  at_tensor *const random = at_randn(AT_INTS(at_size(a, -1), q), .type = at_typeOf(a));
  at_tensor *basis = at_linalg_qr(product(a, m, random)).Q;
  for (int64_t i = 0; i < niter && at_defined(basis); i++) {
    at_tensor *const last = basis;
    basis = iterated(a, m, last);
    at_release(last);
  }
  return basis;
}

at_U_S_V at_lowRankSingulars(const char *name, at_tensor *a, int64_t q, int64_t niter, at_tensor *m)
{
  const at_U_S_V none = {at_undefined(), at_undefined(), at_undefined()};
  if (!at_areMatrices(name, "A", a, false))
    return none;
  if (q < 0 || niter < 0) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: q is %lld and niter %lld: one is negative", name,
            (long long)q, (long long)niter);
    return none;
  }
  if (niter > MOST_ITERATIONS) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: niter is %lld, and may be up to %d", name,
            (long long)niter, MOST_ITERATIONS);
    return none;
  }
  at_tensor *const mean = m ? at_expand(m, at_sizes(a)) : NULL;
  if (m && !at_defined(mean))
    return none;
  const bool isWide = at_size(a, -2) < at_size(a, -1);
  at_tensor *const tall = isWide ? adjoint(a) : a;
  at_tensor *const tallMean = mean && isWide ? adjoint(mean) : mean;
  at_tensor *const basis = basis_of(tall, tallMean, q, niter);
  at_tensor *const small =
      adjoint(product(adjoint(tall), tallMean ? adjoint(tallMean) : NULL, basis));
  const at_U_S_Vh s = at_linalg_svd(small, .full_matrices = false);
  at_tensor *const left = at_matmul(basis, s.U), *const right = adjoint(s.Vh);
  return isWide ? (at_U_S_V){right, s.S, left} : (at_U_S_V){left, s.S, right};
}

at_U_S_V at_principalParts(at_tensor *a, int64_t q, bool center, int64_t niter)
{
  static const char name[] = "pca_lowrank";
  const at_U_S_V none = {at_undefined(), at_undefined(), at_undefined()};
  if (!at_areMatrices(name, "A", a, false))
    return none;
  const int64_t most = THMin(at_size(a, -2), at_size(a, -1));
  if (q == AT_NONE)
    q = THMin(most, 6);
  if (q > most) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: q is %lld, and A of size %s has no more than %lld parts",
            name, (long long)q, at_sizeDesc(at_sizes(a)).str, (long long)most);
    return none;
  }
  at_tensor *const centred = center ? at_sub(a, at_mean_dim(a, AT_INTS(-2), .keepdim = true)) : a;
  return at_defined(centred) ? at_lowRankSingulars(name, centred, q, niter, NULL) : none;
}
