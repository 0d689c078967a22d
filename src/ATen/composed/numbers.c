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

/* Whether both are of integers: with NaN Euclid's algorithm would not end. */
static bool are_integers(const char *name, const at_tensor *self, const at_tensor *other)
{
  const at_tensor *const both[] = {self, other};
  for (int i = 0; i < 2; i++) {
    const at_scalar_type type = at_type_scalarType(at_typeOf(both[i]));
    if (type <= AT_LONG)
      continue;
    at_fail(AT_ERROR_TYPE, name, "%s: %s is of %s, and has to be of integers", name,
            i ? "other" : "self", at_scalarTypeName(type));
    return false;
  }
  return true;
}

/* Euclid's algorithm on all elements until the last one has ended. */
static at_tensor *divisor_of(at_tensor *self, at_tensor *other)
{
  at_tensor *a = at_mul(at_abs(self), at_ones_like(other));
  at_tensor *b = at_mul(at_abs(other), at_ones_like(self));
  while (at_defined(b) && at_item_long(at_any(b))) {
    at_tensor *const isLast = at_eq(b, 0);
    at_tensor *const rest = at_fmod(a, at_masked_fill(b, isLast, 1));
    a = at_where(isLast, a, b);
    b = at_masked_fill(rest, isLast, 0);
  }
  return at_abs(a);
}

at_tensor *at_gcdOf(at_tensor *self, at_tensor *other)
{
  return are_integers("gcd", self, other) ? divisor_of(self, other) : at_undefined();
}

at_tensor *at_lcmOf(at_tensor *self, at_tensor *other)
{
  if (!are_integers("lcm", self, other))
    return at_undefined();
  at_tensor *const divisor = divisor_of(self, other);
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
