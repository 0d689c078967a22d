/* Factors of matrices, whose signs and phases are free: they give back the matrix, and what does not depend on
 * signs and phases has the gradient that differences show. */
#include <math.h>

#include "ATen.h"
#include "th_test.h"

static double most(at_tensor *t)
{
  return at_numel(t) > 0 ? at_item_double(at_max(at_abs(t))) : 0;
}

static bool is_complex(at_scalar_type type)
{
  return type == AT_COMPLEX_FLOAT || type == AT_COMPLEX_DOUBLE;
}

static at_tensor *draw(int64_t batch, int64_t rows, int64_t columns, at_scalar_type type)
{
  const at_type *const real = AT_CPU(AT_DOUBLE);
  at_tensor *const re = at_randn(AT_SHAPE(batch, rows, columns), .type = real);
  if (!is_complex(type))
    return at_to(re, AT_CPU(type));
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
  for (int some = 0; some < 2; some++) {
    const __auto_type r = at_svd(at_select(a, 0, 0), .some = some);
    at_tensor *const left = at_mul(at_narrow(r.U, -1, 0, least), at_unsqueeze(r.S, -2));
    at_tensor *const right = at_mH(at_narrow(r.V, -1, 0, least));
    CHECK(most(at_sub(at_matmul(left, right), at_select(a, 0, 0))) < near);
    CHECK(skew(r.U) < near && skew(r.V) < near);
    CHECK(at_size(r.U, -1) == (some ? least : rows) &&
          at_size(r.V, -1) == (some ? least : columns));
  }
}

/* Eigenvectors of the matrix h, of which one triangle is read. */
static void of_symmetric(at_tensor *h, double near)
{
  for (int upper = 0; upper < 2; upper++) {
    at_tensor *const read = upper ? at_triu(h) : at_tril(h);
    const __auto_type s = at_linalg_eigh(read, .UPLO = upper ? "U" : "L");
    CHECK(most(at_sub(at_matmul(h, s.eigenvectors),
                      at_mul(s.eigenvectors, at_unsqueeze(s.eigenvalues, -2)))) < near);
    CHECK(skew(s.eigenvectors) < near && !at_is_complex(s.eigenvalues));
    if (at_is_complex(h))
      continue;
    at_tensor *const first = at_select(read, 0, 0);
    const __auto_type r = at_symeig(first, .eigenvectors = true, .upper = upper);
    CHECK(most(at_sub(at_matmul(at_select(h, 0, 0), r.vectors), at_mul(r.vectors, r.values))) <
          near);
    CHECK(skew(r.vectors) < near && at_item_long(at_all(at_ge(at_diff(r.values), 0))));
  }
}

static void decomposed(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_COMPLEX_FLOAT, AT_COMPLEX_DOUBLE};
  at_manualSeed(7);
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      const at_scalar_type type = types[i];
      const double near = i % 2 ? 1e-11 : 1e-3;
      give_back(5, 5, type, near);
      give_back(7, 3, type, near);
      give_back(3, 7, type, near);
      give_back(40, 40, type, near);
      at_tensor *const a = draw(2, 6, 6, type);
      const __auto_type e = at_linalg_eig(a);
      CHECK(most(at_sub(at_matmul(at_to(a, at_typeOf(e.eigenvectors)), e.eigenvectors),
                        at_mul(e.eigenvectors, at_unsqueeze(e.eigenvalues, -2)))) < near);
      of_symmetric(at_add(a, at_mH(a)), near);
    }
}

/* What has vectors, and of what numbers: real ones, complex ones. */
static const struct {
  const char *name;
  bool isReal, isComplex;
} kinds[] = {{"linalg_eig", false, true}, {"linalg_eigh", true, true},
             {"linalg_svd", true, true},  {"svd", true, true},
             {"symeig", true, false},     {"_det_with_svd", true, false}};
enum { EIG, EIGH, LINALG_SVD, SVD, SYMEIG, DET, KINDS };

/* A weighted sum of the squares of the absolute values of the elements.  Weights that are sums of one of the row and
 * one of the column would say little of a matrix with orthonormal columns. */
static at_tensor *weighted(at_tensor *t)
{
  at_tensor *const weights = at_sin(at_arange(at_numel(t), .type = AT_CPU(AT_DOUBLE)));
  return at_sum(at_mul(at_abs(at_mul(t, t)), at_reshape(weights, at_sizes(t))));
}

static at_tensor *of_three(at_tensor *u, at_tensor *s, at_tensor *v)
{
  return at_add(weighted(u), at_add(weighted(s), weighted(at_mul(v, 2))));
}

/* Of the factors of a, what does not depend on signs and phases. */
static at_tensor *of_factors(at_tensor *a, int which)
{
  if (which == EIG)
    return weighted(at_linalg_eig(a).eigenvectors);
  if (which == EIGH)
    return weighted(at_linalg_eigh(at_add(a, at_mH(a))).eigenvectors);
  if (which == LINALG_SVD) {
    const __auto_type r = at_linalg_svd(a, .full_matrices = false);
    return of_three(r.U, r.S, r.Vh);
  }
  if (which == SVD) {
    const __auto_type r = at_svd(a);
    return of_three(r.U, r.S, r.V);
  }
  if (which == SYMEIG) {
    const __auto_type r = at_symeig(at_add(a, at_t(a)), .eigenvectors = true);
    return at_add(weighted(r.vectors), weighted(r.values));
  }
  const __auto_type r = at__det_with_svd(a);
  return at_add(r.det, of_three(r.U, r.S, r.V));
}

static void compare_slopes(int which, int64_t rows, int64_t columns, at_scalar_type type)
{
  const double step = 1e-6;
  at_tensor *const a = at_clone(at_select(draw(1, rows, columns, type), 0, 0));
  at_requires_grad_(a);
  CHECK_MSG(at_backward(of_factors(a, which)), "%s", at_error_message());
  at_tensor *const grad = at_contiguous(at_grad(a)), *const plain = at_detach(a);
  const double *const is = at_data(grad); /* and that of the imaginary part behind the real one's */
  double *const data = at_data(plain);
  for (int i = 0; i < (is_complex(type) ? 2 : 1) * rows * columns; i++) {
    const double at = data[i];
    double f[2];
    for (int k = 0; k < 2; k++) {
      data[i] = k ? at + step : at - step;
      f[k] = at_item_double(of_factors(plain, which));
    }
    data[i] = at;
    const double want = (f[1] - f[0]) / (2 * step);
    CHECK_MSG(fabs(is[i] - want) < 1e-5 * fmax(1, fabs(want)), "%s, %d: %.9g and %.9g",
              kinds[which].name, i, is[i], want);
  }
}

static void slopes(void **state)
{
  static const int64_t shapes[][2] = {{3, 3}, {4, 3}, {3, 4}};
  at_manualSeed(8);
  for (int which = 0; which < KINDS; which++)
    for (int k = 0; k < (which == LINALG_SVD || which == SVD ? 3 : 1); k++)
      AT_SCOPE
      {
        if (kinds[which].isReal)
          compare_slopes(which, shapes[k][0], shapes[k][1], AT_DOUBLE);
        if (kinds[which].isComplex)
          compare_slopes(which, shapes[k][0], shapes[k][1], AT_COMPLEX_DOUBLE);
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
