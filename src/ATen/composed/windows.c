/* Windows of signals, computed in Double. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

/* Checks the arguments; steps is how many steps a period or the symmetric window has. */
static bool begin(const char *name, int64_t count, bool isSymmetric, double *steps)
{
  if (count < 0) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: M is %lld, and has to be at least 0", name,
            (long long)count);
    return false;
  }
  *steps = isSymmetric && count > 1 ? (double)count - 1 : count > 1 ? (double)count : 1;
  return true;
}

static at_tensor *numbers(int64_t count, const at_type *like)
{
  return at_arange(count, .type = at_toScalarType(like, AT_DOUBLE));
}

static at_tensor *ended(at_tensor *window, const at_type *type)
{
  return at_defined(window) ? at_to(window, type) : window;
}

static at_tensor *kaiser(at_tensor *x, double beta, double steps)
{
  at_tensor *const at = at_sub(at_mul(x, 2 * beta / steps), beta);
  at_tensor *const rest = at_clamp_min(at_rsub(at_mul(at, at), beta * beta), 0);
  at_tensor *const end = at_i0(at_full_like(at_sum(x), beta));
  return at_div(at_i0(at_sqrt(rest)), end);
}

at_tensor *at_window(const char *name, at_window_kind kind, int64_t count, double number,
                     bool isSymmetric, const at_type *type)
{
  double steps;
  if (!begin(name, count, isSymmetric, &steps))
    return at_undefined();
  if (kind == AT_WINDOW_KAISER ? !(number >= 0) : kind >= AT_WINDOW_EXPONENTIAL && !(number > 0)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: the parameter is %g, and has to be %s 0", name, number,
            kind == AT_WINDOW_KAISER ? "at least" : "above");
    return at_undefined();
  }
  type = type ? type : at_getType(AT_BACKEND_CPU, at_defaultType());
  at_tensor *const x = numbers(count, type);
  const double middle = count > 1 ? steps / 2 : 0;
  at_tensor *const difference = at_sub(x, middle);
  switch (kind) {
    case AT_WINDOW_BARTLETT:
      return ended(at_rsub(at_abs(at_mul(difference, 2 / steps)), 1), type);
    case AT_WINDOW_COSINE:
      return ended(at_sin(at_mul(at_add(x, 0.5), M_PI / (count > 1 ? steps + 1 : 1))), type);
    case AT_WINDOW_EXPONENTIAL:
      return ended(at_exp(at_div(at_abs(difference), -number)), type);
    case AT_WINDOW_GAUSSIAN:
      return ended(at_exp(at_mul(at_mul(difference, difference), -0.5 / (number * number))), type);
    default:
      return ended(count > 1 ? kaiser(x, number, steps) : at_ones_like(x), type);
  }
}

at_tensor *at_exponentialWindow(int64_t count, at_scalar center, double tau, bool isSymmetric,
                                const at_type *type)
{
  static const char *const name = "signal_windows_exponential";
  if (center.is_none)
    return at_window(name, AT_WINDOW_EXPONENTIAL, count, tau, isSymmetric, type);
  double steps;
  if (!begin(name, count, isSymmetric, &steps))
    return at_undefined();
  if (isSymmetric || !(tau > 0)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: %s", name,
            isSymmetric ? "a symmetric window has no center" : "tau has to be above 0");
    return at_undefined();
  }
  type = type ? type : at_getType(AT_BACKEND_CPU, at_defaultType());
  at_tensor *const difference = at_sub(numbers(count, type), at_scalar_toDouble(center));
  return ended(at_exp(at_div(at_abs(difference), -tau)), type);
}

at_tensor *at_cosineWindow(const char *name, int64_t count, at_doubles weights, bool isSymmetric,
                           const at_type *type)
{
  double steps;
  if (!begin(name, count, isSymmetric, &steps))
    return at_undefined();
  if (weights.count == 0) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: a has no weights", name);
    return at_undefined();
  }
  type = type ? type : at_getType(AT_BACKEND_CPU, at_defaultType());
  at_tensor *const t = at_mul(numbers(count, type), 2 * M_PI / steps);
  at_tensor *sum = at_full_like(t, weights.data[0]);
  for (int j = 1; count > 1 && j < weights.count; j++)
    sum = at_add(sum,
                 at_mul(at_cos(at_mul(t, (double)j)), j % 2 ? -weights.data[j] : weights.data[j]));
  return ended(count > 1 ? sum : at_ones_like(t), type);
}
