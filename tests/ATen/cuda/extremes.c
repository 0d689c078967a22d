/* Numbers near the ends of their range on CUDA, against the CPU, whose own tests compare with PyTorch: complex
 * numbers whose squares overflow or vanish, numbers beside Half that Half does not hold, NaN that a formula does not
 * read. */
#include <float.h>
#include <math.h>

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

static void check_like(const char *name, at_tensor *device, at_tensor *host, double within)
{
  CHECK_MSG(at_defined(device) && at_defined(host), "%s: %s", name, at_error_message());
  at_tensor *const got = here(device);
  at_tensor *const same = at_isclose(got, host, .rtol = within, .atol = 0, .equal_nan = true);
  at_tensor *const wrong = at_nonzero(at_logical_not(same));
  for (int64_t i = 0; i < at_size(wrong, 0) && i < 4; i++) {
    const int64_t at = at_item_long(at_select(at_select(wrong, 0, i), 0, 0));
    at_print(at_select(got, 0, at));
    at_print(at_select(host, 0, at));
  }
  CHECK_MSG(at_size(wrong, 0) == 0, "%s: %d differ", name, (int)at_size(wrong, 0));
}

/* --- complex numbers ---------------------------------------------------------------------------- */

/* All pairs of these parts. */
static at_tensor *pairs(at_scalar_type type)
{
  const bool wide = type == AT_COMPLEX_DOUBLE;
  const double most = wide ? DBL_MAX : (double)FLT_MAX, least = wide ? DBL_MIN : (double)FLT_MIN;
  const double parts[] = {0,        1,     -1.5,   most,      -most,
                          most / 3, least, -least, least / 8, sqrt(most) * 4};
  enum { COUNT = sizeof parts / sizeof *parts };
  double both[COUNT * COUNT][2];
  for (int i = 0; i < COUNT * COUNT; i++)
    both[i][0] = parts[i / COUNT], both[i][1] = parts[i % COUNT];
  at_tensor *const made = at_fromArray(AT_CPU(AT_DOUBLE), both, AT_SHAPE(COUNT * COUNT, 2));
  return at_to(at_view_as_complex(made), AT_CPU(type));
}

/* X(name, function of x and y) */
#define COMPLEX(X)                \
  X(abs, at_abs(x))               \
  X(angle, at_angle(x))           \
  X(sgn, at_sgn(x))               \
  X(sqrt, at_sqrt(x))             \
  X(rsqrt, at_rsqrt(x))           \
  X(reciprocal, at_reciprocal(x)) \
  X(div, at_div(x, y))            \
  X(log, at_log(x))               \
  X(log1p, at_log1p(x))

#define FUNCTION(NAME, EXPRESSION)                                    \
  static at_tensor *call_##NAME(at_tensor *x, TH_UNUSED at_tensor *y) \
  {                                                                   \
    return EXPRESSION;                                                \
  }
COMPLEX(FUNCTION)

static const struct {
  const char *name;
  at_tensor *(*call)(at_tensor *x, at_tensor *y);
} functions[] = {
#define ENTRY(NAME, ...) {#NAME, call_##NAME},
    COMPLEX(ENTRY)
#undef ENTRY
};

static void complex_numbers(void **state)
{
  for (int wide = 0; wide < 2; wide++)
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
      AT_SCOPE
      {
        at_tensor *const x = pairs(wide ? AT_COMPLEX_DOUBLE : AT_COMPLEX_FLOAT),
                         *const y = at_roll(x, AT_INTS(37));
        th_note("%s, type %d", functions[i].name, wide);
        check_like(functions[i].name, functions[i].call(there(x), there(y)),
                   functions[i].call(x, y), wide ? 1e-14 : 1e-6);
      }
  CHECK_EQ(at_error(), AT_OK);
}

/* --- Half --------------------------------------------------------------------------------------- */

/* X(name, function of x and y), with numbers that Half rounds, or does not reach. */
#define HALF(X)                                                    \
  X(mul, at_mul(x, 0.1))                                           \
  X(mul_far, at_mul(at_mul(x, 1e-4), 7e4))                         \
  X(add, at_add(x, 0.123456))                                      \
  X(add_scaled, at_add(x, y, .alpha = 0.3333))                     \
  X(sub, at_sub(x, y, .alpha = 1.7777))                            \
  X(div, at_div(x, 0.3))                                           \
  X(pow, at_pow(at_abs(x), 0.3))                                   \
  X(rdiv, at_mul(at_reciprocal(x), 1e5))                           \
  X(addcmul, at_addcmul(x, x, y, .value = 0.1))                    \
  X(addcdiv, at_addcdiv(x, x, at_add(at_abs(y), 1), .value = 0.1)) \
  X(lerp, at_lerp(x, y, 0.3))                                      \
  X(clamp, at_clamp(x, .min = -0.7777, .max = 0.3333))             \
  X(leaky, at_leaky_relu(x, .negative_slope = 0.3))                \
  X(remainder, at_remainder(x, 0.3))
#define HALF_FUNCTION(NAME, EXPRESSION)                               \
  static at_tensor *half_##NAME(at_tensor *x, TH_UNUSED at_tensor *y) \
  {                                                                   \
    return EXPRESSION;                                                \
  }
HALF(HALF_FUNCTION)

static const struct {
  const char *name;
  at_tensor *(*call)(at_tensor *x, at_tensor *y);
} halves[] = {
#define ENTRY(NAME, ...) {#NAME, half_##NAME},
    HALF(ENTRY)
#undef ENTRY
};

static void numbers_beside_half(void **state)
{
  AT_SCOPE
  {
    at_tensor *const line = at_linspace(-2.2, 3.1, .steps = 300, .type = AT_CPU(AT_FLOAT));
    at_tensor *const x = at_to(line, AT_CPU(AT_HALF)), *const y = at_flip(x, AT_INTS(0));
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
      check_like(halves[i].name, halves[i].call(there(x), there(y)), halves[i].call(x, y), 0);
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* --- NaN ---------------------------------------------------------------------------------------- */

/* Gradients of an evaluation are products of those of the output, whatever the input is. */
static void gradients_beside_nan(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x =
        there(at_full(AT_SHAPE(2, 3, 5), at_scalar((double)NAN), .type = AT_CPU(AT_FLOAT)));
    at_tensor *const ones = at_ones(AT_SHAPE(3), .type = at_typeOf(x));
    at_tensor *const grad =
        at_thnn_batch_norm_backward(at_ones_like(x), x, ones, ones, ones, false, 0, NULL, NULL)
            .grad_input;
    CHECK(at_equal(grad, at_ones_like(x)));
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* --- results and dimensions --------------------------------------------------------------------- */

/* Determinants in a tensor of a wider type, of complex matrices in as many dimensions as tensors have. */
static void many_dimensions(void **state)
{
  enum { DIMS = 64 };
  int64_t sizes[DIMS];
  for (int d = 0; d < DIMS; d++)
    sizes[d] = d < DIMS - 2 ? 1 : 3;
  AT_SCOPE
  {
    at_tensor *const a = at_rand(AT_SHAPE(2, 3, 3)), *const out =
                                                         there(at_empty(AT_SHAPE(0),
                                                                        .type = AT_CPU(AT_DOUBLE)));
    check_like("linalg_det_out", at_linalg_det_out(out, there(a)),
               at_to(at_linalg_det(a), AT_CPU(AT_DOUBLE)), 1e-4);
    at_tensor *const one = at_view_as_complex(at_rand(AT_SHAPE(3, 3, 2)));
    at_tensor *const z = at_view(one, ((at_ints){sizes, DIMS}));
    const at_LU_pivots_info got = at_linalg_lu_factor_ex(there(z)),
                            want = at_linalg_lu_factor_ex(z);
    CHECK_MSG(at_defined(got.LU), "%s", at_error_message());
    CHECK(at_equal(here(got.pivots), want.pivots));
    check_like("lu_factor_ex", at_view(got.LU, AT_SHAPE(3, 3)), at_view(want.LU, AT_SHAPE(3, 3)),
               1e-4);
  }
  CHECK_EQ(at_error(), AT_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(complex_numbers), cmocka_unit_test(numbers_beside_half),
      cmocka_unit_test(gradients_beside_nan), cmocka_unit_test(many_dimensions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
