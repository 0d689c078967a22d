/* Decompositions of low rank, whose random vectors PyTorch's cases cannot hold: they give back a matrix
 * of that rank.  And LDL factors with pivots that LAPACK could not follow, and in larger batches. */
#include "ATen.h"
#include "th_test.h"

static double most(at_tensor *t)
{
  return at_item_double(at_max(at_abs(t)));
}

static at_tensor *adjoint(at_tensor *t)
{
  return at_conj(at_transpose(t, -1, -2));
}

/* How far t's columns are from orthonormal ones. */
static double skew(at_tensor *t)
{
  at_tensor *const eye = at_eye(at_size(t, -1), .type = at_typeOf(t));
  return most(at_sub(at_matmul(adjoint(t), t), eye));
}

/* U diag(S) V^H minus a. */
static double distance(at_U_S_V r, at_tensor *a)
{
  at_tensor *const left = at_mul(r.U, at_unsqueeze(r.S, -2));
  return most(at_sub(at_matmul(left, adjoint(r.V)), a));
}

static void decomposed(void **state)
{
  at_manualSeed(5);
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      const at_type *const type = i < 2 ? AT_CPU(AT_DOUBLE) : AT_CPU(AT_COMPLEX_DOUBLE);
      const bool wide = i % 2 == 1;
      const int64_t rows = wide ? 7 : 12, columns = wide ? 12 : 7;
      at_tensor *const a = at_matmul(at_randn(AT_SHAPE(2, rows, 3), .type = type),
                                     at_randn(AT_SHAPE(2, 3, columns), .type = type));
      const at_U_S_V r = at_svd_lowrank(a, .q = 3);
      CHECK_EQ(at_size(r.U, 1), rows);
      CHECK_EQ(at_size(r.S, 1), 3);
      CHECK_EQ(at_size(r.V, 1), columns);
      CHECK(distance(r, a) < 1e-10 && skew(r.U) < 1e-12 && skew(r.V) < 1e-12);
      at_tensor *const s = at_narrow(at_linalg_svd(a, .full_matrices = false).S, -1, 0, 3);
      CHECK(most(at_sub(r.S, s)) < 1e-10);

      at_tensor *const mean = at_randn(AT_SHAPE(columns), .type = type);
      CHECK(distance(at_svd_lowrank(at_add(a, mean), .q = 3, .M = mean), a) < 1e-10);
      const at_U_S_V parts = at_pca_lowrank(at_add(a, mean), .q = 3);
      CHECK(distance(parts, at_sub(a, at_mean_dim(a, AT_INTS(-2), .keepdim = true))) < 1e-10);
      CHECK_EQ(at_size(at_pca_lowrank(a).S, -1), 6);
      CHECK(distance(at_pca_lowrank(a, .q = 3, .center = false), a) < 1e-10);
      CHECK(!at_defined(at_svd_lowrank(a, .q = -1).U) && at_error() == AT_ERROR_ARGUMENT);
      at_error_clear();
      CHECK(!at_defined(at_svd_lowrank(a, .niter = 101).U) && at_error() == AT_ERROR_ARGUMENT);
      at_error_clear();
    }
}

static void solved(void **state)
{
  const at_type *const type = AT_CPU(AT_DOUBLE);
  at_manualSeed(6);
  AT_SCOPE
  {
    at_tensor *const half = at_randn(AT_SHAPE(3, 70, 70), .type = type);
    at_tensor *const a = at_add(half, at_transpose(half, -1, -2));
    const at_LD_pivots f = at_linalg_ldl_factor(a);
    CHECK(at_item_long(at_any(at_lt(f.pivots, 0)))); /* there are blocks of two */
    at_tensor *const b = at_randn(AT_SHAPE(2, 1, 70, 4), .type = type);
    at_tensor *const x = at_linalg_ldl_solve(f.LD, f.pivots, b);
    CHECK_EQ(at_dim(x), 4);
    CHECK_EQ(at_size(x, 1), 3);
    CHECK(most(at_sub(at_matmul(a, x), b)) < 1e-9);
    at_tensor *const steps = at_select(at_stack(AT_TENSORS(f.LD, f.LD), .dim = -1), -1, 1);
    CHECK(most(at_sub(at_linalg_ldl_solve(steps, f.pivots, b), x)) == 0);
  }
}

/* Pivots that are none of n rows, or half of a block of two. */
static void wrong_pivots(void **state)
{
  static const int64_t wrong[][3] = {{0, 2, 3},  {1, 2, 4},   {1, 2, -3},
                                     {-2, 3, 3}, {-4, -4, 3}, {-1, -1, -1}};
  AT_SCOPE
  {
    at_tensor *const ld = at_eye(3), *const b = at_ones(AT_SHAPE(3, 1));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      at_tensor *const pivots = at_empty(AT_SHAPE(3), .type = AT_CPU(AT_LONG));
      for (int k = 0; k < 3; k++)
        ((int64_t *)at_data(pivots))[k] = wrong[i][k];
      CHECK(!at_defined(at_linalg_ldl_solve(ld, pivots, b)) && at_error() == AT_ERROR_ARGUMENT);
      at_error_clear();
    }
    at_tensor *const right = at_arange_start(1, 4, .type = AT_CPU(AT_INT));
    CHECK(at_equal(at_linalg_ldl_solve(ld, right, b), b));
    CHECK(!at_defined(at_linalg_ldl_solve(ld, at_narrow(right, 0, 0, 2), b)));
    at_error_clear();
    CHECK(!at_defined(at_linalg_ldl_solve(ld, at_to(right, AT_CPU(AT_FLOAT)), b)));
    at_error_clear();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(decomposed), cmocka_unit_test(solved),
                                     cmocka_unit_test(wrong_pivots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
