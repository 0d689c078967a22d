/* Random numbers that differ from PyTorch's, or that no file of cases can hold: Half and BFloat16,
 * the default generator, moments of many numbers. */
#include <math.h>

#include "ATen.h"
#include "th_test.h"

enum { COUNT = 20000, SEED = 1234 };

/* The mean and the mean square of t's elements. */
static void moments(at_tensor *t, double *mean, double *square)
{
  *mean = *square = 0;
  at_tensor *wide = at_to(t, AT_CPU(AT_DOUBLE));
  for (int64_t i = 0; i < at_numel(wide); i++) {
    const double x = ((double *)at_data(wide))[i];
    *mean += x / (double)at_numel(wide);
    *square += x * x / (double)at_numel(wide);
  }
  at_release(wide);
}

/* Checks the moments within five standard deviations. */
static void check_moments(const char *name, at_tensor *t, double mean, double variance,
                          double fourth)
{
  double is, square;
  CHECK_MSG(at_defined(t), "%s: %s", name, at_error_message());
  moments(t, &is, &square);
  const double off = 5 * sqrt(variance / COUNT), offSquare = 5 * sqrt(fourth / COUNT);
  CHECK_MSG(fabs(is - mean) < off, "%s (seed %d): mean %g, not %g", name, SEED, is, mean);
  const double wanted = variance + mean * mean;
  CHECK_MSG(fabs(square - wanted) < offSquare, "%s (seed %d): mean square %g, not %g", name, SEED,
            square, wanted);
}

/* fourth: the variance of squares, with a margin for rounding. */
static void small_types(void **state)
{
  for (int i = 0; i < 2; i++) {
    const at_type *type = AT_CPU(i ? AT_BFLOAT16 : AT_HALF);
    at_manualSeed(SEED);
    AT_SCOPE
    {
      at_tensor *u = at_rand(AT_SHAPE(COUNT), .type = type);
      check_moments("rand", u, 0.498, 1.0 / 12, 0.25);
      CHECK(at_numel(at_nonzero(at_ge(u, 1))) == 0); /* never rounded up to 1 */
      check_moments("randn", at_randn(AT_SHAPE(COUNT), .type = type), 0, 1, 2.1);
      check_moments("randn_like", at_randn_like(u), 0, 1, 2.1);
      check_moments("exponential_", at_exponential_(at_empty_like(u)), 1, 1, 21);
      check_moments("bernoulli", at_bernoulli(at_full_like(u, at_scalar(0.25))), 0.25, 3.0 / 16,
                    3.0 / 16);
      check_moments("geometric_", at_geometric_(at_empty_like(u), 0.5), 2, 2, 90);
      check_moments("poisson", at_poisson(at_full_like(u, at_scalar(4))), 4, 4, 350);
      check_moments("normal", at_normal_mean(at_full_like(u, at_scalar(1)), .std = 2), 1, 4, 50);
      check_moments("random_", at_random_to_(at_empty_like(u), 3), 1, 2.0 / 3, 3);
      CHECK(at_typeOf(at_randperm(9, .type = type)) == type);
      at_tensor *chances = at_full(AT_SHAPE(4), at_scalar(0.25), .type = type);
      check_moments("multinomial", at_multinomial(chances, COUNT, .replacement = true), 1.5, 1.25,
                    12.25);
    }
  }
}

/* Rates below and above the change of the method, and shapes below and above 1. */
static void distributions(void **state)
{
  at_generator *generator = at_generator_new(AT_BACKEND_CPU);
  at_generator_manualSeed(generator, SEED);
  static const double rates[] = {0.3, 3, 9.9, 10, 50, 1000};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    AT_SCOPE
    {
      const double a = rates[i];
      at_tensor *t = at_full(AT_SHAPE(COUNT), at_scalar(a), .type = AT_CPU(AT_DOUBLE));
      const double third = a * a * a, slack = 1 + 4 * third + 6 * a * a + a;
      check_moments("poisson", at_poisson(t, .generator = generator), a, a, slack);
      check_moments("_standard_gamma", at__standard_gamma(t, .generator = generator), a, a,
                    4 * third + 10 * a * a + 6 * a);
    }
  at_generator_free(generator);
}

/* Without a generator the default one is used; otherwise only the given one changes. */
static void generators(void **state)
{
  at_generator *own = at_generator_new(AT_BACKEND_CPU);
  at_generator_manualSeed(own, SEED);
  at_manualSeed(SEED);
  AT_SCOPE
  {
    at_tensor *a = at_rand(AT_SHAPE(7)), *b = at_rand(AT_SHAPE(7), .generator = own);
    CHECK(at_equal(a, b));
    at_manualSeed(SEED);
    CHECK(at_equal(b, at_rand(AT_SHAPE(7))));
    CHECK(!at_equal(b, at_rand(AT_SHAPE(7), .generator = own)));
    at_tensor *expanded = at_expand(at_zeros(AT_SHAPE(1)), AT_SHAPE(4));
    CHECK(!at_defined(at_uniform_(expanded)) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_defined(at_exponential_(a, .lambd = -1)));
    at_error_clear();
    CHECK(at_equal(a, b)); /* nothing was written */
  }
  at_generator_free(own);
}

/* A generator continues from a state, also in the middle of a pair of normal numbers. */
static void states(void **state)
{
  at_generator *own = at_generator_new(AT_BACKEND_CPU);
  at_generator_manualSeed(own, 7);
  AT_SCOPE
  {
    CHECK(at_defined(at_rand(AT_SHAPE(5), .generator = own)));
    at_tensor *now = at_generator_state(own), *bytes = at_to(now, AT_CPU(AT_LONG));
    at_tensor *weights =
        at_add(at_remainder(at_arange(at_numel(now), .type = AT_CPU(AT_LONG)), 251), 1);
    CHECK_EQ(at_numel(now), 5056);
    CHECK_EQ(at_item_long(at_sum(at_mul(bytes, weights))), 40691363); /* torch.get_rng_state() */

    const at_type *const type = AT_CPU(AT_DOUBLE);
    CHECK(at_defined(at_randn(AT_SHAPE(3), .type = type, .generator = own)));
    at_tensor *middle = at_generator_state(own);
    at_tensor *next = at_randn(AT_SHAPE(4), .type = type, .generator = own);
    CHECK(at_generator_setState(own, middle));
    at_tensor *again = at_randn(AT_SHAPE(4), .type = type, .generator = own);
    CHECK(at_allclose(next, again, .rtol = 1e-14, .atol = 0));
    CHECK(at_generator_setState(own, now));

    CHECK(!at_generator_setState(own, bytes) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_generator_setState(own, at_zeros_like(now)) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_generator_setState(own, at_narrow(now, 0, 1, 5055)));
    at_error_clear();
    CHECK(!at_defined(at_generator_state(NULL)) && !at_generator_setState(NULL, now));
    at_error_clear();
    CHECK(at_equal(at_generator_state(own), now)); /* errors change nothing */
  }
  at_generator_free(own);
}

/* The gradient of gamma distributed numbers, also in the tails and for large parameters, where it
 * is close to sqrt(x / a). */
static void gradients(void **state)
{
  static const double cases[][3] = {
      {1, 1, 1.1736212}, {2e4, 2e4, 1.0000083}, {4e5, 4e5, 1.0000004}, {2e4, 20400, 1.0099837}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    AT_SCOPE
    {
      at_tensor *a = at_full(AT_SHAPE(1), at_scalar(cases[i][0]), .type = AT_CPU(AT_DOUBLE));
      at_tensor *x = at_full(AT_SHAPE(1), at_scalar(cases[i][1]), .type = AT_CPU(AT_DOUBLE));
      const double got = at_item_double(at__standard_gamma_grad(a, x));
      CHECK_MSG(fabs(got - cases[i][2]) < 1e-4, "%g and %g: %.9g, not %.9g", cases[i][0],
                cases[i][1], got, cases[i][2]);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_types), cmocka_unit_test(distributions),
                                     cmocka_unit_test(generators), cmocka_unit_test(states),
                                     cmocka_unit_test(gradients)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
