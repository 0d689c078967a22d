/* Factors of complex matrices, whose phases are free: they give back the matrix, and what does not depend on
 * phases has the gradient that differences show. */
#include <math.h>

#include "ATen.h"
#include "th_test.h"

static double most(at_tensor *t)
{
  return at_numel(t) > 0 ? at_item_double(at_max(at_abs(t))) : 0;
}

static at_tensor *draw(int64_t batch, int64_t rows, int64_t columns, at_scalar_type type)
{
  const at_type *const real = AT_CPU(AT_DOUBLE);
  at_tensor *const re = at_randn(AT_SHAPE(batch, rows, columns), .type = real);
  at_tensor *const im = at_randn(AT_SHAPE(batch, rows, columns), .type = real);
  return at_to(at_complex(re, im), AT_CPU(type));
}

/* How far t's columns are from orthonormal ones. */
static double skew(at_tensor *t)
{
  return most(at_sub(at_matmul(at_mH(t), t), at_eye(at_size(t, -1), .type = at_typeOf(t))));
}

static void give_back(int64_t rows, int64_t columns, at_scalar_type type, double near)
{
  const int64_t least = rows < columns ? rows : columns;
  at_tensor *const a = draw(2, rows, columns, type);
  for (int full = 0; full < 2; full++) {
    const __auto_type r = at_linalg_svd(a, .full_matrices = full);
    at_tensor *const u = at_narrow(r.U, -1, 0, least), *const vh = at_narrow(r.Vh, -2, 0, least);
    CHECK(most(at_sub(at_matmul(at_mul(u, at_unsqueeze(r.S, -2)), vh), a)) < near);
    CHECK(skew(r.U) < near && skew(at_mH(r.Vh)) < near);
    CHECK(!at_is_complex(r.S) && at_size(r.U, -1) == (full ? rows : least));
    CHECK(at_item_long(at_all(at_ge(at_neg(at_diff(r.S)), 0))));
  }
  const __auto_type q = at_linalg_qr(a);
  CHECK(most(at_sub(at_matmul(q.Q, q.R), a)) < near && skew(q.Q) < near);
  CHECK(most(at_tril(q.R, .diagonal = -1)) == 0);
  const __auto_type lu = at_linalg_lu(a);
  CHECK(most(at_sub(at_matmul(lu.P, at_matmul(lu.L, lu.U)), a)) < near);
  const __auto_type one = at_svd(at_select(a, 0, 0));
  at_tensor *const left = at_mul(one.U, at_unsqueeze(one.S, -2));
  CHECK(most(at_sub(at_matmul(left, at_mH(one.V)), at_select(a, 0, 0))) < near);
}

static void decomposed(void **state)
{
  at_manualSeed(7);
  for (int wide = 0; wide < 2; wide++)
    AT_SCOPE
    {
      const at_scalar_type type = wide ? AT_COMPLEX_DOUBLE : AT_COMPLEX_FLOAT;
      const double near = wide ? 1e-11 : 1e-3;
      give_back(5, 5, type, near);
      give_back(7, 3, type, near);
      give_back(3, 7, type, near);
      give_back(40, 40, type, near);
      at_tensor *const a = draw(2, 6, 6, type), *const h = at_add(a, at_mH(a));
      const __auto_type e = at_linalg_eig(a);
      CHECK(most(at_sub(at_matmul(a, e.eigenvectors),
                        at_mul(e.eigenvectors, at_unsqueeze(e.eigenvalues, -2)))) < near);
      for (int upper = 0; upper < 2; upper++) {
        at_tensor *const read = upper ? at_triu(h) : at_tril(h);
        const __auto_type s = at_linalg_eigh(read, .UPLO = upper ? "U" : "L");
        CHECK(most(at_sub(at_matmul(h, s.eigenvectors),
                          at_mul(s.eigenvectors, at_unsqueeze(s.eigenvalues, -2)))) < near);
        CHECK(skew(s.eigenvectors) < near && !at_is_complex(s.eigenvalues));
      }
    }
}

/* The weighted sum of the absolute values of vectors. */
static at_tensor *of_vectors(at_tensor *a, int which)
{
  at_tensor *v[2];
  if (which == 0)
    v[0] = v[1] = at_linalg_eig(a).eigenvectors;
  if (which == 1)
    v[0] = v[1] = at_linalg_eigh(at_add(a, at_mH(a))).eigenvectors;
  if (which == 2) {
    const __auto_type r = at_linalg_svd(a, .full_matrices = false);
    v[0] = at_matmul(r.U, at_mul(at_unsqueeze(r.S, -1), r.Vh));
    v[1] = r.U;
  }
  at_tensor *const weights =
      at_reshape(at_arange(at_numel(v[1]), .type = AT_CPU(AT_DOUBLE)), at_sizes(v[1]));
  return at_sum(at_mul(at_abs(at_mul(v[1], v[1])), weights));
}

static void slopes(void **state)
{
  enum { N = 3 };
  at_manualSeed(8);
  for (int which = 0; which < 3; which++)
    AT_SCOPE
    {
      at_tensor *const a = at_clone(at_select(draw(1, N, N, AT_COMPLEX_DOUBLE), 0, 0));
      at_requires_grad_(a);
      at_backward(of_vectors(a, which));
      at_tensor *const grad = at_clone(at_view_as_real(at_grad(a)));
      const double *const is = at_data(grad);
      at_tensor *const plain = at_detach(a);
      double *const data = at_data(plain);
      for (int i = 0; i < 2 * N * N; i++) {
        const double at = data[i], step = 1e-6;
        double f[2];
        for (int k = 0; k < 2; k++) {
          data[i] = k ? at + step : at - step;
          f[k] = at_item_double(of_vectors(plain, which));
        }
        data[i] = at;
        const double want = (f[1] - f[0]) / (2 * step);
        CHECK_MSG(fabs(is[i] - want) < 1e-5 * fmax(1, fabs(want)), "%d, %d: %.9g and %.9g", which,
                  i, is[i], want);
      }
    }
}

/* What LAPACK cannot have. */
static void refused(void **state)
{
  AT_SCOPE
  {
    at_tensor *const nan = at_full(AT_SHAPE(2, 2), (double)NAN, .type = AT_CPU(AT_COMPLEX_FLOAT));
    at_tensor *const half = at_zeros(AT_SHAPE(2, 3), .type = AT_CPU(AT_COMPLEX_FLOAT));
    CHECK(!at_defined(at_linalg_svd(nan).S) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_defined(at_linalg_eig(nan).eigenvalues) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_defined(at_linalg_eigh(nan).eigenvalues) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_defined(at_linalg_eigh(half).eigenvalues) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_defined(at_orgqr(half, at_zeros(AT_SHAPE(1), .type = AT_CPU(AT_COMPLEX_FLOAT)))) &&
          at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
  }
}

/* A triangle with a 0 on its diagonal has no solution, and no error says so, as in PyTorch; the inverse is an error. */
static void singular(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_COMPLEX_FLOAT, AT_COMPLEX_DOUBLE};
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      at_tensor *const t = at_triu(at_ones(AT_SHAPE(2, 2), .type = AT_CPU(types[i])));
      at_fill_(at_select(at_select(t, 0, 1), 0, 1), 0);
      at_tensor *const b = at_ones(AT_SHAPE(2, 3), .type = AT_CPU(types[i]));
      at_tensor *const pivots = at_to(at_arange_start(1, 3), AT_CPU(AT_INT));
      at_tensor *const made[] = {at_linalg_solve_triangular(t, b, true),
                                 at_linalg_solve_triangular(at_t(t), b, false),
                                 at_linalg_lu_solve(t, pivots, b), at_cholesky_solve(b, at_t(t))};
      for (int k = 0; k < 4; k++) {
        CHECK_MSG(at_defined(made[k]), "%s", at_error_message());
        CHECK(!at_item_long(at_all(at_isfinite(made[k]))));
      }
      CHECK(!at_defined(at_cholesky_inverse(at_t(t))) && at_error() != AT_OK);
      at_error_clear();
      CHECK(at_equal(at_linalg_solve_triangular(t, b, true, .unitriangular = true),
                     at_matmul(at_inverse(at_add(t,
                                                 at_diag(at_select(at_eye(2,
                                                                          .type = AT_CPU(types[i])),
                                                                   0, 1)))),
                               b)));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(decomposed), cmocka_unit_test(slopes),
                                     cmocka_unit_test(refused), cmocka_unit_test(singular)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
