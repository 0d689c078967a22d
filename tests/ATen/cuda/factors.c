/* Factors L D L^H of Hermitian matrices on CUDA, by kernels that follow LAPACK's steps: of sizes around those of warps
 * and blocks, with the CPU's pivots; solutions, by the equations; pivots that are none; exponentials of matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ATen.h"
#include "th_test.h"

static at_tensor *there(at_tensor *t)
{
  return at_to(t, AT_CUDA(at_type_scalarType(at_typeOf(t))));
}

static at_tensor *here(at_tensor *t)
{
  return at_to(t, AT_CPU(at_type_scalarType(at_typeOf(t))));
}

/* Two indefinite matrices, of which the second has zeros on its diagonal, so that its blocks are of 2 x 2. */
static at_tensor *hermitian(int64_t n, at_scalar_type type)
{
  at_tensor *const parts = at_to(at_randn(AT_SHAPE(2, n, n, 2)), AT_CPU(AT_DOUBLE));
  at_tensor *const any = at_view_as_complex(parts), *const both = at_add(any, at_mH(any));
  at_tensor *const second = at_select(both, 0, 1);
  at_tensor *const bare = at_sub(second, at_diag(at_diagonal(second)));
  return at_to(at_stack(AT_TENSORS(at_select(both, 0, 0), n > 1 ? bare : second)), AT_CPU(type));
}

static void check_near(at_tensor *got, at_tensor *want, double tolerance)
{
  CHECK_MSG(at_defined(got) && at_defined(want), "%s", at_error_message());
  CHECK(at_allclose(here(got), want, .rtol = tolerance, .atol = tolerance));
}

static void factors(void **state)
{
  static const int64_t sizes[] = {1, 2, 3, 31, 32, 33, 257, 300};
  at_manualSeed(1);
  for (int wide = 0; wide < 2; wide++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
      AT_SCOPE
      {
        const int64_t n = sizes[i];
        const double tolerance = (wide ? 1e-9 : 2e-3) * (n > 100 ? 20 : 1);
        at_tensor *const a = hermitian(n, wide ? AT_COMPLEX_DOUBLE : AT_COMPLEX_FLOAT);
        const at_LD_pivots_info want = at_linalg_ldl_factor_ex(a, .hermitian = true);
        const at_LD_pivots_info got = at_linalg_ldl_factor_ex(there(a), .hermitian = true);
        th_note("n %d, type %d", (int)n, wide);
        CHECK(at_equal(here(got.info), want.info));
        if (wide || n < 100) { /* later pivots of Float depend on rounding */
          CHECK(at_equal(here(got.pivots), want.pivots));
          check_near(got.LD, want.LD, tolerance);
        }
        at_tensor *const b =
            at_to(at_view_as_complex(at_randn(AT_SHAPE(2, n, 3, 2))), at_typeOf(a));
        at_tensor *const x = at_linalg_ldl_solve(got.LD, got.pivots, there(b), .hermitian = true);
        check_near(at_matmul(there(a), x), b, tolerance * 10);
      }
}

static void singular(void **state)
{
  AT_SCOPE
  {
    at_tensor *const zeros = at_zeros(AT_SHAPE(2, 3, 3), .type = AT_CPU(AT_COMPLEX_FLOAT));
    const at_LD_pivots_info want = at_linalg_ldl_factor_ex(zeros, .hermitian = true);
    const at_LD_pivots_info got = at_linalg_ldl_factor_ex(there(zeros), .hermitian = true);
    CHECK(at_equal(here(got.info), want.info) && at_item_long(at_select(want.info, 0, 0)) == 1);
    CHECK(at_equal(here(got.pivots), want.pivots));
    CHECK(!at_defined(at_linalg_ldl_factor(there(zeros), .hermitian = true).LD));
    at_error_clear();
    at_tensor *const none = at_zeros(AT_SHAPE(0, 2, 2), .type = AT_CUDA(AT_COMPLEX_FLOAT));
    CHECK_EQ(at_numel(at_linalg_ldl_factor_ex(none, .hermitian = true).LD), 0);
  }
}

/* X(pivots of a matrix of 3 rows). */
#define WRONG(X) X(1, 2, 4) X(0, 2, 3) X(1, 2, -3) X(-2, 3, 3) X(-4, -4, 3) X(1, -1, 3)

/* Wrong pivots exchange nothing, and are reported to the call that waits. */
static void check_reported(at_tensor *a, int64_t *pivots)
{
  at_tensor *const b = at_mul(a, 2), *const p = at_fromArray(AT_CPU(AT_LONG), pivots, AT_SHAPE(3));
  at_tensor *const x = at_linalg_ldl_solve(a, there(p), b, .hermitian = true);
  CHECK_MSG(at_defined(x), "%s", at_error_message());
  CHECK(!at_cuda_synchronize());
  CHECK_MSG(strstr(at_error_message(), "argument 2 of an earlier call of linalg_ldl_solve"), "%s",
            at_error_message());
  at_error_clear();
  CHECK(at_equal(x, b));
}

static void reported(void **state)
{
  AT_SCOPE
  {
    at_tensor *const real = at_eye(3, .type = AT_CUDA(AT_DOUBLE)),
                     *const complex = at_eye(3, .type = AT_CUDA(AT_COMPLEX_DOUBLE));
#define ROW(...)                                  \
  check_reported(real, (int64_t[]){__VA_ARGS__}); \
  check_reported(complex, (int64_t[]){__VA_ARGS__});
    WRONG(ROW)
#undef ROW
  }
}

/* --- exponentials ------------------------------------------------------------------------------- */

/* Rotations by angles, which are exponentials of matrices of that norm, scaled by exp(decay). */
static at_tensor *turns(const double *angle, int count, double decay, bool exponentials)
{
  double a[16][2][2];
  for (int i = 0; i < count; i++) {
    const double c = exponentials ? exp(decay) * cos(angle[i]) : decay;
    const double s = exponentials ? exp(decay) * sin(angle[i]) : angle[i];
    a[i][0][0] = a[i][1][1] = c;
    a[i][0][1] = -s;
    a[i][1][0] = s;
  }
  return at_fromArray(AT_CPU(AT_DOUBLE), a, AT_SHAPE(count, 2, 2));
}

/* Norms from 0 to those that take more products than are made of all matrices, side by side. */
static void exponentials(void **state)
{
  static const double angles[] = {0, 1e-9, 0.4, 0.6, 3, 100, 3e4, 4e4, 1e6, -3e9};
  enum { COUNT = sizeof angles / sizeof *angles };
  AT_SCOPE
  {
    for (int decays = 0; decays < 2; decays++) {
      at_tensor *const a = turns(angles, COUNT, -decays, false);
      at_tensor *const want = turns(angles, COUNT, -decays, true);
      check_near(at_linalg_matrix_exp(there(a)), want, 1e-5);
      CHECK(at_allclose(at_linalg_matrix_exp(a), want, .rtol = 1e-5, .atol = 1e-5));
      at_tensor *const z = at_to(a, AT_CPU(AT_COMPLEX_DOUBLE));
      check_near(at_linalg_matrix_exp(there(z)), at_to(want, at_typeOf(z)), 1e-5);
    }
    at_tensor *const few = at_randn(AT_SHAPE(3, 33, 33)), *const first = at_select(few, 0, 0);
    at_fill_(first, at_scalar((double)NAN)); /* which others have nothing to do with */
    at_tensor *const rest = at_narrow(few, 0, 1, 2), *const want = at_linalg_matrix_exp(rest);
    check_near(at_narrow(at_linalg_matrix_exp(there(few)), 0, 1, 2), want, 1e-4);
    CHECK(at_allclose(at_narrow(at_linalg_matrix_exp(few), 0, 1, 2), want, .rtol = 1e-6,
                      .atol = 1e-6));
    CHECK(at_item_double(at_all(at_isnan(at_select(at_linalg_matrix_exp(there(few)), 0, 0)))));
  }
  CHECK_EQ(at_error(), AT_OK);
}

int main(void)
{
  setenv("TH_CUDA_CHECK_INDICES", "", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(factors), cmocka_unit_test(singular),
                                     cmocka_unit_test(reported), cmocka_unit_test(exponentials)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
