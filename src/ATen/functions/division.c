/* Division with rounding, and other arithmetic that takes more than one row. */
#include "division.h"

#include <string.h>

#include "ATen/core/ATenOperations.h"

static const at_scalar one = {.value.integer = 1};

/* --- division --------------------------------------------------------------------------------- */

typedef enum { EXACT, TRUNC, FLOOR } Rounding;

static Rounding rounding_of(const char *mode)
{
  if (strcmp(mode, "none") && strcmp(mode, "trunc") && strcmp(mode, "floor"))
    at_raise(AT_ERROR_ARGUMENT,
             "rounding_mode is \"%s\", and has to be \"none\", \"trunc\" or \"floor\"", mode);
  return mode[0] == 'n' ? EXACT : mode[0] == 't' ? TRUNC : FLOOR;
}

/* The quotient of floats, rounded down, which the remainder makes exact. */
static at_tensor *floored(at_tensor *out, at_tensor *x, at_tensor *y)
{
  return at_realOfTwo(out, AT_FUNCTION_floor_divide, x, y);
}

/* The quotient of integers: (x - remainder) / y is exact, and rounded down since the remainder has
 * the sign of y. */
static at_tensor *floored_integers(at_tensor *out, at_tensor *x, at_tensor *y, at_scalar_type type)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const in[] = {x, y};
  at_tensor *const rest = at_hold(&pool, at_binary(NULL, AT_ROW_cremainder, x, y, one));
  at_tensor *const multiple[] = {at_hold(&pool, at_binary(NULL, AT_ROW_csub, x, rest, one)), in[1]};
  at_tensor *const r =
      at_pointwise(out, AT_ROW_cdiv, type, 2, multiple, (at_scalar){0}, (at_scalar){0});
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_quotient(at_tensor *out, at_tensor *x, at_tensor *y, const char *rounding_mode)
{
  const Rounding rounding = rounding_of(rounding_mode);
  at_tensor *const in[] = {x, y};
  const at_scalar_type type = at_resultType(2, in, NULL);
  if (rounding == EXACT)
    return at_binaryFloat(out, AT_ROW_cdiv, x, y);
  if (type == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of Bool");
  if (rounding == FLOOR)
    return at_isFloating(type) ? floored(out, x, y) : floored_integers(out, x, y, type);
  if (!at_isFloating(type))
    return at_pointwise(out, AT_ROW_cdiv, type, 2, in, (at_scalar){0}, (at_scalar){0});
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const exact = at_hold(&pool, at_binaryFloat(NULL, AT_ROW_cdiv, x, y));
  return at_finishOne(&pool, out, at_unary(exact, AT_ROW_trunc, exact));
}

at_tensor *at_quotientScalar(at_tensor *out, at_tensor *x, at_scalar y, const char *rounding_mode)
{
  if (rounding_of(rounding_mode) == EXACT)
    return at_binaryFloatScalar(out, AT_ROW_div, x, y);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r = at_quotient(out, x, at_numberBeside(&pool, x, y), rounding_mode);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_subtractedFrom(at_tensor *out, at_tensor *x, at_scalar y, at_scalar alpha)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r = at_subtracted(out, at_numberBeside(&pool, x, y), x, alpha);
  at_pool_leave(&pool);
  return r;
}

/* --- bits and powers -------------------------------------------------------------------------- */

at_tensor *at_bitwiseNot(at_tensor *out, at_tensor *x)
{
  if (x->type->scalarType == AT_BOOL)
    return at_logicalNot(out, x);
  return at_bitsScalar(out, AT_ROW_cbitxor, x, at_scalar_long(-1));
}

/* Raises unless a result of Double can be stored in out. */
static void check_double(const at_tensor *out)
{
  if (out && out->type->scalarType != AT_DOUBLE)
    at_raise(AT_ERROR_TYPE, "the result is of %s, and has to be of Double",
             at_scalarTypeName(out->type->scalarType));
}

static at_tensor *in_double(at_pool *pool, at_tensor *t)
{
  return at_cast(pool, t, at_toScalarType(t->type, AT_DOUBLE));
}

at_tensor *at_floatPower(at_tensor *out, at_tensor *x, at_tensor *exponent)
{
  check_double(out);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r = at_power(out, in_double(&pool, x), in_double(&pool, exponent));
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_floatPowerScalar(at_tensor *out, at_tensor *x, at_scalar exponent)
{
  check_double(out);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r =
      at_powerScalar(out, in_double(&pool, x), at_scalar_double(at_scalar_toDouble(exponent)));
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_floatPowerBase(at_tensor *out, at_scalar base, at_tensor *exponent)
{
  check_double(out);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r =
      at_powerBase(out, at_scalar_double(at_scalar_toDouble(base)), in_double(&pool, exponent));
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_scaledByPower(at_tensor *out, at_tensor *x, at_tensor *exponent)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const power = at_hold(&pool, at_powerBase(NULL, at_scalar_double(2), exponent));
  at_tensor *r = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, x, power, one));
  const at_scalar_type type = x->type->scalarType;
  if (at_isFloating(type) && !at_isFloating(exponent->type->scalarType))
    r = at_cast(&pool, r, x->type);
  return at_finishOne(&pool, out, r);
}

at_tensor *at_step(at_tensor *out, at_tensor *x, at_tensor *values)
{
  if (values->type != x->type)
    at_raise(AT_ERROR_TYPE, "values is of %s, and has to be of %s as self",
             at_scalarTypeName(values->type->scalarType), at_scalarTypeName(x->type->scalarType));
  if (out && out->type != x->type)
    at_checkType(out, "result", x->type);
  at_pool pool;
  at_pool_enter(&pool);
  const at_scalar zero = at_scalar_long(0);
  at_tensor *const isZero = at_hold(&pool, at_logicalNot(NULL, x));
  at_tensor *const above = at_hold(&pool, at_compareScalar(NULL, AT_ROW_gtValue, x, zero));
  at_tensor *const step = at_cast(&pool, above, x->type);
  at_tensor *const r = at_choose(out, isZero, values, zero, step, zero);
  at_pool_leave(&pool);
  return r;
}

/* --- divisors --------------------------------------------------------------------------------- */

at_tensor *at_gcdOf(at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  for (int i = 0; i < 2; i++)
    if (in[i]->type->scalarType > AT_LONG)
      at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of integers", i ? "other" : "self",
               at_scalarTypeName(in[i]->type->scalarType));
  const at_scalar_type type = at_resultType(2, in, NULL);
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(2, in, buffer);
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *const longs = at_toScalarType(at_isOnHost(x->type) ? y->type : x->type, AT_LONG);
  at_tensor *wide[2];
  for (int i = 0; i < 2; i++)
    wide[i] = at_brought(&pool, in[i], sizes, longs);
  at_tensor *const r =
      at_hold(&pool, at_eachElement(NULL, longs, sizes, at_each_gcd, 2, wide, NULL));
  return at_finishOne(&pool, NULL, at_cast(&pool, r, at_toScalarType(longs, type)));
}
