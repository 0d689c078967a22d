/* THMath.h and THLogAdd.h against mpmath, and at their poles. */
#include "th_golden.h"

static THGoldenFile *golden;

static void check_function(const char *name, double (*f)(double), double tolerance)
{
  const THGolden *x = th_golden(golden, "%s/x", name), *y = th_golden(golden, "%s/y", name);
  assert_true(x->count > 0);
  for (ptrdiff_t i = 0; i < x->count; i++) {
    th_note("%s at %.17g", name, x->values[i].number);
    CHECK_CLOSE(f(x->values[i].number), y->values[i].number, tolerance);
  }
}

static void digamma(void **state)
{
  check_function("digamma", TH_digamma, 6e-16);
  check_function("digammaNegative", TH_digamma, 6e-16);
  CHECK_EQ(TH_digamma(0.0), -INFINITY);
  CHECK_EQ(TH_digamma(-0.0), INFINITY);
  CHECK_EQ(TH_digamma(INFINITY), INFINITY);
  for (double x = -1; x > -1e300; x *= 3)
    CHECK_EQ(TH_digamma(x), NAN);
  CHECK_EQ(TH_digamma(-INFINITY), NAN);
  CHECK_EQ(TH_digamma(NAN), NAN);
  CHECK_EQ(TH_digammaf(0.0f), -INFINITY);
  CHECK_EQ(TH_digammaf(-2.0f), NAN);
  CHECK_NEAR(TH_digammaf(1.0f), -0.57721566490153286, 6e-8); /* minus Euler's constant */
}

static void trigamma(void **state)
{
  check_function("trigamma", TH_trigamma, 6e-16);
  CHECK_EQ(TH_trigamma(0.0), INFINITY);
  CHECK_EQ(TH_trigamma(-3.0), INFINITY);
  CHECK_EQ(TH_trigamma(INFINITY), 0.0);
  CHECK_EQ(TH_trigamma(NAN), NAN);
  CHECK_EQ(TH_trigammaf(-3.0f), INFINITY);
  CHECK_CLOSE(TH_trigammaf(1.0f), M_PI * M_PI / 6, 6e-8);
}

static void erfinv(void **state)
{
  check_function("erfinv", TH_erfinv, 1.2e-16);
  CHECK_EQ(TH_erfinv(1.0), INFINITY);
  CHECK_EQ(TH_erfinv(-1.0), -INFINITY);
  CHECK_EQ(TH_erfinv(1.0000000000000002), NAN);
  CHECK_EQ(TH_erfinv(-2.0), NAN);
  CHECK_EQ(TH_erfinv(INFINITY), NAN);
  CHECK_EQ(TH_erfinv(NAN), NAN);
  assert_true(TH_erfinv(0.0) == 0 && !signbit(TH_erfinv(0.0)));
  assert_true(TH_erfinv(-0.0) == 0 && signbit(TH_erfinv(-0.0)));
}

static void simple(void **state)
{
  check_function("sigmoid", TH_sigmoid, 4e-16);
  CHECK_EQ(TH_sigmoid(0), 0.5);
  CHECK_EQ(TH_sigmoid(-1000), 0.0);
  CHECK_EQ(TH_sigmoid(1000), 1.0);
  CHECK_CLOSE(TH_sigmoidf(-2.385f), 0.0843236964215, 2e-7);
  CHECK_EQ(TH_sigmoidf(-200.0f), 0.0f);
  CHECK_EQ(TH_frac(2.75), 0.75);
  CHECK_EQ(TH_frac(-2.75), -0.75);
  CHECK_EQ(TH_fracf(-7.5f), -0.5f);
  CHECK_EQ(TH_rsqrt(16), 0.25);
  CHECK_EQ(TH_rsqrt(0), INFINITY);
  CHECK_EQ(TH_rsqrtf(6.25f), 0.4f);
  CHECK_EQ(TH_lerp(2, 6, 0.25), 3.0);
  CHECK_EQ(TH_lerp(2, 6, 0.75), 5.0);
  CHECK_EQ(TH_lerp(0.1, 0.7, 0), 0.1);
  CHECK_EQ(TH_lerp(1e20, 0.7, 1), 0.7); /* exactly, where a + (b - a) is 0 */
  CHECK_EQ(TH_lerpf(2, 6, 1.5f), 8.0f);
  CHECK_EQ(TH_lerpf(1e20f, 0.7f, 1), 0.7f);
}

static void logarithms(void **state)
{
  const THGolden *a = th_golden(golden, "log/a"), *b = th_golden(golden, "log/b");
  const THGolden *add = th_golden(golden, "log/add"), *sub = th_golden(golden, "log/sub");
  for (ptrdiff_t i = 0; i < a->count; i++) {
    const double x = a->values[i].number, y = b->values[i].number;
    const double scale = 4e-16 * fmax(1, fabs(x));
    th_note("log_a %.17g, log_b %.17g", x, y);
    CHECK_NEAR(THLogAdd(x, y), add->values[i].number, scale);
    CHECK_NEAR(THLogAdd(y, x), add->values[i].number, scale);
    CHECK_NEAR(THLogSub(x, y), sub->values[i].number, 8 * scale);
  }
  CHECK_EQ(THLogZero, -DBL_MAX);
  CHECK_EQ(THLogOne, 0.0);
  CHECK_CLOSE(exp(THLog2Pi), 2 * M_PI, 1e-15);
  CHECK_EQ(THLogAdd(THLogZero, 3.25), 3.25);
  CHECK_EQ(THLogAdd(THLogZero, THLogZero), THLogZero);
  CHECK_EQ(THLogAdd(-INFINITY, -INFINITY), -INFINITY);
  CHECK_EQ(THLogAdd(-INFINITY, 1.5), 1.5);
  CHECK_EQ(THLogAdd(INFINITY, INFINITY), INFINITY);
  CHECK_EQ(THLogAdd(1, NAN), NAN);
  CHECK_EQ(THLogAdd(1000, 1000), 1000 + M_LN2);
  CHECK_EQ(THLogSub(3.25, 3.25), THLogZero);
  CHECK_EQ(THLogSub(3.25, THLogZero), 3.25);
  CHECK_EQ(THLogSub(3.25, -INFINITY), 3.25);
  CHECK_EQ(THLogSub(NAN, 1), NAN);
  CHECK_RAISES(2, "log_b is 3.5, more than log_a, which is 3.25", THLogSub(3.25, 3.5));
  CHECK_RAISES(2, "log_b is inf", THLogSub(3.25, INFINITY));
  for (double x = 0; x < 20; x += 0.37)
    CHECK_NEAR(THExpMinusApprox(x), exp(-x), 1e-16);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digamma), cmocka_unit_test(trigamma),   cmocka_unit_test(erfinv),
      cmocka_unit_test(simple),  cmocka_unit_test(logarithms),
  };
  golden = th_golden_open("special_functions.txt");
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  th_golden_close(golden);
  return failed;
}
