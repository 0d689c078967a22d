/* Functions of numbers. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

at_tensor *at_mvlgammaOf(at_tensor *self, int64_t p)
{
  if (p < 1) {
    at_fail(AT_ERROR_ARGUMENT, "mvlgamma", "mvlgamma: p is %lld, and has to be at least 1",
            (long long)p);
    return at_undefined();
  }
  at_tensor *const x = at_mul(self, 1.0);
  at_tensor *const halves = at_mul(at_arange(p, .type = at_typeOf(x)), 0.5);
  at_tensor *const all = at_lgamma(at_sub(at_unsqueeze(x, -1), halves));
  return at_add(at_sum_dim(all, AT_INTS(-1)), (double)p * (double)(p - 1) / 4 * log(M_PI));
}

at_tensor *at_lcmOf(at_tensor *self, at_tensor *other)
{
  at_tensor *const divisor = at_gcd(self, other); /* an error if they are not of integers */
  at_tensor *const safe = at_masked_fill(divisor, at_eq(divisor, 0), 1);
  return at_abs(at_mul(at_div_mode(self, safe, .rounding_mode = "trunc"), other));
}

at_tensor *at_roundedTo(at_tensor *self, int64_t decimals)
{
  if (decimals == 0)
    return at_round(self);
  const double scale = pow(10, fabs((double)decimals));
  return decimals > 0 ? at_div(at_round(at_mul(self, scale)), scale)
                      : at_mul(at_round(at_div(self, scale)), scale);
}
