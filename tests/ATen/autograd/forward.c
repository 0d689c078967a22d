/* Derivatives along a direction.  The expected values are derivatives on paper. */
#include <math.h>
#include <string.h>

#include "ATen.h"
#include "th_fail.h"
#include "th_test.h"

static at_tensor *numbers(double a, double b, double c)
{
  const double x[] = {a, b, c};
  return at_fromArray(AT_CPU(AT_DOUBLE), x, AT_INTS(3));
}

static void check(at_tensor *t, double a, double b, double c)
{
  const double expected[] = {a, b, c};
  CHECK_MSG(at_defined(t) && at_numel(t) == 3, "%s", at_error_message());
  const double *const x = at_data(at_contiguous(t));
  for (int i = 0; i < 3; i++)
    CHECK_MSG(fabs(x[i] - expected[i]) < 1e-12, "%d: %g", i, x[i]);
}

static void check_error(const char *text)
{
  CHECK_MSG(at_error() != AT_OK && strstr(at_error_message(), text), "%s", at_error_message());
  at_error_clear();
}

/* Forward gradients of a b^2 and 5 a, and of what no gradient goes to. */
static void products(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = at_requires_grad_(numbers(1, 2, 3)), *b = at_requires_grad_(numbers(4, 5, 6));
    at_tensor *y = at_mul(a, at_mul(b, b)), *z = at_mul(a, 5), *other = numbers(7, 7, 7);
    const at_tensors *const made = at_jvp(AT_TENSORS(y, z, other), AT_TENSORS(a, b),
                                          AT_TENSORS(numbers(1, 0, 2), numbers(0, 1, 1)), false);
    CHECK_EQ(made->count, 3);
    check(made->data[0], 16, 2 * 2 * 5, 2 * 36 + 2 * 3 * 6); /* b^2 s + 2 a b t */
    check(made->data[1], 5, 0, 10);
    check(made->data[2], 0, 0, 0);
    CHECK(!at_requiresGrad(made->data[0]) && !at_grad(a));
    CHECK_MSG(at_backward(at_sum(y)), "%s", at_error_message()); /* the graph is still there */
    check(at_grad(a), 16, 25, 36);
    /* an input that is no leaf, and one that was not used */
    const at_tensors *const inner =
        at_jvp(AT_TENSORS(at_exp(z)), AT_TENSORS(z, b), AT_TENSORS(numbers(1, 2, 3), b), false);
    check(at_div(inner->data[0], at_exp(z)), 1, 2, 3);
  }
}

/* The derivative of the derivative of a^3 along 1 is 6 a. */
static void again(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = at_requires_grad_(numbers(1, 2, 3)), *one = numbers(1, 1, 1);
    const at_tensors *const first =
        at_jvp(AT_TENSORS(at_pow(a, 3)), AT_TENSORS(a), AT_TENSORS(one), true);
    check(first->data[0], 3, 12, 27);
    const at_tensors *const twice =
        at_jvp(*first, AT_TENSORS(a), AT_TENSORS(numbers(1, 0, 2)), true);
    check(twice->data[0], 6, 0, 36);
    CHECK(at_backward(at_sum(at_mul(twice->data[0], one))));
    check(at_grad(a), 6, 0, 12);
  }
}

/* z^2 along t is 2 z t. */
static void complex_numbers(void **state)
{
  AT_SCOPE
  {
    at_tensor *z = at_requires_grad_(at_complex(numbers(1, 2, 3), numbers(-1, 0, 2)));
    at_tensor *t = at_complex(numbers(0, 1, 1), numbers(2, 1, 0));
    const at_tensors *const made =
        at_jvp(AT_TENSORS(at_mul(z, z)), AT_TENSORS(z), AT_TENSORS(t), false);
    check(at_real(made->data[0]), 4, 4, 6);
    check(at_imag(made->data[0]), 4, 4, 4);
  }
}

static void errors(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = at_requires_grad_(numbers(1, 2, 3)), *y = at_mul(a, a);
    const bool wasOn = at_grad_isOn();
    CHECK_EQ(at_jvp(AT_TENSORS(y), AT_TENSORS(a), AT_TENSORS(a, a), false)->count, 0);
    check_error("1 inputs and 2 tangents");
    CHECK_EQ(at_jvp(AT_TENSORS(y), AT_TENSORS(a), AT_TENSORS(at_ones(AT_SHAPE(3))), false)->count,
             0);
    check_error("inputs[0] is a CPUDoubleType of size [3], and its tangent a CPUFloatType");
    CHECK_EQ(at_jvp(AT_TENSORS(y), AT_TENSORS(a), AT_TENSORS(at_narrow(a, 0, 0, 2)), false)->count,
             0);
    check_error("tangent a CPUDoubleType of size [2]");
    CHECK_EQ(at_jvp(AT_TENSORS(y), AT_TENSORS(numbers(1, 1, 1)), AT_TENSORS(a), false)->count, 0);
    check_error("inputs[0] wants no gradient");
    CHECK_EQ(at_jvp(AT_TENSORS((at_tensor *)NULL), AT_TENSORS(a), AT_TENSORS(a), false)->count, 0);
    check_error("outputs[0]");
    CHECK_EQ(at_jvp(AT_TENSORS(y), AT_TENSORS(a), AT_TENSORS((at_tensor *)NULL), false)->count, 0);
    check_error("tangents[0]");
    CHECK(wasOn && at_grad_isOn());
    CHECK_EQ(at_jvp(AT_TENSORS(y), ((at_tensors){NULL, 0}), ((at_tensors){NULL, 0}), false)->count,
             1);
    CHECK_EQ(at_jvp(((at_tensors){NULL, 0}), AT_TENSORS(a), AT_TENSORS(a), false)->count, 0);
    CHECK_EQ(at_error(), AT_OK);
  }
}

/* --- every allocation fails ------------------------------------------------------------------- */

typedef struct {
  at_tensor *a, *y, *tangent;
  bool isDone;
} Direction;

static void make(void *context)
{
  Direction *const d = context;
  AT_SCOPE
  {
    d->a = at_keep(at_requires_grad_(numbers(1, 2, 3)));
    d->y = at_keep(at_mul(d->a, at_sin(d->a)));
    d->tangent = at_keep(numbers(1, 1, 1));
    d->isDone = false;
  }
}

static void derive(void *context)
{
  Direction *const d = context;
  AT_SCOPE
  {
    d->isDone =
        at_jvp(AT_TENSORS(d->y), AT_TENSORS(d->a), AT_TENSORS(d->tangent), false)->count == 1;
  }
}

static void check_direction(void *context, int raised)
{
  Direction *const d = context;
  (void)raised;
  CHECK(d->isDone != (at_error() != AT_OK) && at_grad_isOn());
  at_error_clear();
  AT_SCOPE
  {
    CHECK_MSG(at_backward(at_sum(d->y)), "%s", at_error_message());
    check(at_grad(d->a), sin(1) + cos(1), sin(2) + 2 * cos(2), sin(3) + 3 * cos(3));
  }
}

static void release(void *context)
{
  Direction *const d = context;
  at_release(d->tangent);
  at_release(d->y);
  at_release(d->a);
}

static void failing(void **state)
{
  static const THFailCase stages = {make, derive, check_direction, release};
  Direction direction;
  CHECK(th_fail(&stages, &direction) > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(again),
                                     cmocka_unit_test(complex_numbers), cmocka_unit_test(errors),
                                     cmocka_unit_test(failing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
