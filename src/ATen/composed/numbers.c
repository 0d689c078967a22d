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

/* Six tenths of the way to the number after the next one are rounded to the next one, also where numbers are twice as
 * dense on that side. */
at_tensor *at_nextNarrow(at_tensor *self, at_tensor *other, at_scalar_type type)
{
  const bool isHalf = type == AT_HALF;
  const at_type *const narrow = at_toScalarType(at_typeOf(self), type),
                       *const wide = at_toScalarType(at_typeOf(self), AT_DOUBLE);
  const double part = isHalf ? 1.2 * 0x1p-11 : 1.2 * 0x1p-8,
               least = isHalf ? 0.6 * 0x1p-24 : 0.6 * 0x1p-133,
               infinity = isHalf ? 0x1p16 : 0x1p128;
  at_tensor *const x = at_to(self, narrow), *const y = at_to(other, narrow);
  at_tensor *const from = at_clamp(at_to(x, wide), .min = -infinity, .max = infinity);
  at_tensor *const step = at_clamp_min(at_mul(at_abs(from), part), least);
  at_tensor *const way = at_sign(at_sub(at_to(y, wide), from));
  at_tensor *const next = at_to(at_add(from, at_mul(way, step)), narrow);
  return at_where(at_logical_or(at_eq(x, y), at_isnan(y)), y, next);
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

at_tensor *at_complexClose(at_tensor *self, at_tensor *other, double rtol, double atol,
                           bool equalNaN)
{
  const bool isWrong = at_typeOf(self) != at_typeOf(other) || !(rtol >= 0) || !(atol >= 0);
  if (isWrong) {
    at_fail(AT_ERROR_ARGUMENT, "isclose",
            "isclose: self is a %s, other a %s, rtol %g and atol %g: the types have to be the same "
            "and the "
            "numbers 0 or more",
            at_type_toString(at_typeOf(self)), at_type_toString(at_typeOf(other)), rtol, atol);
    return at_undefined();
  }
  at_tensor *const difference = at_abs(at_sub(self, other));
  at_tensor *const allowed = at_add(at_mul(at_abs(other), rtol), atol);
  at_tensor *const within = at_logical_and(at_isfinite(difference), at_le(difference, allowed));
  at_tensor *const close = at_logical_or(at_eq(self, other), within);
  return equalNaN ? at_logical_or(close, at_logical_and(at_ne(self, self), at_ne(other, other)))
                  : close;
}

bool at_complexAllClose(const at_tensor *self, const at_tensor *other, double rtol, double atol,
                        bool equalNaN)
{
  AT_SCOPE_GUARD;
  at_tensor *const close =
      at_complexClose((at_tensor *)self, (at_tensor *)other, rtol, atol, equalNaN);
  return at_defined(close) && at_item_long((at_all)(close)) != 0;
}
