/* Pointwise functions of floating types: operands of any types are converted block by block. */
#include "functions.h"
#include "THKernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ATen/composed/Composed.h"
#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

TH_DISPATCH(THKernel, at_functionKernelsFloat)
TH_DISPATCH(THKernel, at_functionKernelsDouble)

static const at_function_scalars none;

/* --- the engine ------------------------------------------------------------------------------- */

/* The type of the result: of a test Bool. */
static const at_type *result_type(at_function_kind kind, const at_type *like, at_scalar_type type)
{
  if (kind == AT_FLOATING && !at_isFloating(type))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s",
             at_scalarTypeName(type));
  if (kind == AT_TEST)
    return at_toScalarType(like, AT_BOOL);
  return at_toScalarType(like, at_isFloating(type) ? type : AT_FLOAT);
}

/* Computes on a device, in the type compute; the pool holds the result. */
static at_tensor *on_device(at_pool *pool, at_function_name name, const at_type *compute,
                            at_ints sizes, int count, at_tensor *const *in,
                            const at_function_scalars *scalars)
{
  at_tensor *const r = at_hold(pool, at_newFor(compute, sizes, count, in));
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, r);
  for (int i = 0; i < count; i++)
    at_addOperand(&loop, at_brought(pool, in[i], sizes, compute));
  if (at_numel(r) > 0)
    at_cuda()->function(name, compute->held, &loop, scalars);
  return r;
}

at_tensor *at_function(at_tensor *out, at_function_name name, at_function_kind kind, int count,
                       at_tensor *const *in, at_function_scalars scalars)
{
  const at_scalar_type type = at_resultType(count, in, NULL);
  if (at_isComplex(type))
    return at_complexFunction(out, name, in[0]);
  const at_type *const result = result_type(kind, in[0]->type, type);
  const bool isDouble = type == AT_DOUBLE;
  const at_type *const compute = at_toScalarType(result, isDouble ? AT_DOUBLE : AT_FLOAT);
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(count, in, buffer);
  if (out)
    at_checkResult(out, in[0], sizes, result->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  if (!at_isOnHost(compute)) {
    at_tensor *const r = on_device(&pool, name, compute, sizes, count, in, &scalars);
    return at_finishOne(&pool, out, at_cast(&pool, r, result));
  }
  at_tensor *expanded[AT_INPUTS] = {NULL};
  for (int i = 0; i < count; i++)
    expanded[i] = at_brought(&pool, in[i], sizes, in[i]->type);
  const bool direct = out && out->type == result && at_sameSizes(at_sizesOf(out), sizes);
  at_tensor *const r = direct ? out : at_hold(&pool, at_newFor(result, sizes, count, in));
  const THKernel *const kernels =
      isDouble ? TH_DISPATCHED(at_functionKernelsDouble) : TH_DISPATCHED(at_functionKernelsFloat);
  if (at_numel(r) > 0)
    at_layerMixed(r, kernels[name], &scalars, compute, count, expanded);
  return at_finishOne(&pool, out, r);
}

at_tensor *at_realOf(at_tensor *out, at_function_name name, at_tensor *x)
{
  return at_function(out, name, AT_REAL, 1, &x, none);
}

at_tensor *at_realOfTwo(at_tensor *out, at_function_name name, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  return at_function(out, name, AT_REAL, 2, in, none);
}

at_tensor *at_floatingOf(at_tensor *out, at_function_name name, at_tensor *x)
{
  return at_function(out, name, AT_FLOATING, 1, &x, none);
}

at_tensor *at_floatingOfTwo(at_tensor *out, at_function_name name, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  return at_function(out, name, AT_FLOATING, 2, in, none);
}

at_tensor *at_testOf(at_function_name name, at_tensor *x)
{
  return at_function(NULL, name, AT_TEST, 1, &x, none);
}

at_tensor *at_isInfinity(at_tensor *out, at_tensor *x, bool isNegative)
{
  const double infinity = (double)INFINITY;
  return at_compareScalar(out, AT_ROW_eqValue, x,
                          at_scalar_double(isNegative ? -infinity : infinity));
}

at_tensor *at_hasSignBit(at_tensor *out, at_tensor *x)
{
  if (at_isFloating(x->type->scalarType))
    return at_function(out, AT_FUNCTION_signbit, AT_TEST, 1, &x, none);
  return at_compareScalar(out, AT_ROW_ltValue, x, at_scalar_long(0));
}

at_tensor *at_squared(at_tensor *out, at_tensor *x)
{
  if (x->type->scalarType != AT_BOOL)
    return at_binary(out, AT_ROW_cmul, x, x, at_scalar_long(1));
  return at_powerScalar(out, x, at_scalar_long(2)); /* booleans become integers */
}

at_tensor *at_nextAfter(at_tensor *out, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  const at_scalar_type type = at_resultType(2, in, NULL);
  if (type == AT_HALF || type == AT_BFLOAT16)
    return at_finishComposed(out, at_composed(at_nextNarrow(x, y, type)));
  return at_floatingOfTwo(out, AT_FUNCTION_nextafter, x, y);
}

at_tensor *at_numberBeside(at_pool *pool, at_tensor *x, at_scalar number)
{
  const at_scalar_type type = at_resultType(1, &x, &number);
  return at_hold(pool, at_newScalar(at_toScalarType(x->type, type), number));
}

at_tensor *at_realOfNumber(at_tensor *out, at_function_name name, at_tensor *x, at_scalar y)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r = at_realOfTwo(out, name, x, at_numberBeside(&pool, x, y));
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_realAfterNumber(at_tensor *out, at_function_name name, at_scalar x, at_tensor *y)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r = at_realOfTwo(out, name, at_numberBeside(&pool, y, x), y);
  at_pool_leave(&pool);
  return r;
}

/* --- functions with cases --------------------------------------------------------------------- */

at_tensor *at_extremeBesideNaN(at_tensor *out, bool smaller, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  if (!at_isFloating(at_resultType(2, in, NULL)))
    return at_binary(out, smaller ? AT_ROW_cmin : AT_ROW_cmax, x, y, at_scalar_long(1));
  return at_realOfTwo(out, smaller ? AT_FUNCTION_fmin : AT_FUNCTION_fmax, x, y);
}

/* Whether gelu is to be approximated. */
static bool by_tanh(const char *approximate)
{
  if (strcmp(approximate, "tanh") && strcmp(approximate, "none"))
    at_raise(AT_ERROR_ARGUMENT, "approximate is \"%s\", and has to be \"none\" or \"tanh\"",
             approximate);
  return approximate[0] == 't';
}

at_tensor *at_geluOf(at_tensor *out, at_tensor *self, const char *approximate)
{
  return at_floatingOf(out, by_tanh(approximate) ? AT_FUNCTION_gelu_tanh : AT_FUNCTION_gelu, self);
}

at_tensor *at_geluBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self,
                           const char *approximate)
{
  const bool approximates = by_tanh(approximate);
  return at_floatingOfTwo(out, approximates ? AT_FUNCTION_gelu_tanh_dx : AT_FUNCTION_gelu_dx,
                          grad_output, self);
}

at_tensor *at_eluScaled(at_tensor *out, at_tensor *self, at_scalar alpha, at_scalar scale,
                        at_scalar input_scale)
{
  const double factor = at_scalar_toDouble(scale);
  const at_function_scalars scalars = {at_scalar_toDouble(alpha) * factor, factor,
                                       at_scalar_toDouble(input_scale)};
  return at_function(out, AT_FUNCTION_elu_scaled, AT_FLOATING, 1, &self, scalars);
}

at_tensor *at_celuOf(at_tensor *out, at_tensor *self, at_scalar alpha)
{
  const at_function_scalars scalars = {.a = at_scalar_toDouble(alpha)};
  if (scalars.a == 0)
    at_raise(AT_ERROR_ARGUMENT, "alpha is 0, by which nothing is divided");
  return at_function(out, AT_FUNCTION_celu, AT_FLOATING, 1, &self, scalars);
}

/* The range from eps to 1 - eps, to which logit's argument is limited; without eps there is none.
 * c is the gradient outside of it. */
static at_function_scalars odds(at_scalar eps)
{
  if (eps.is_none || at_scalar_toDouble(eps) < 0)
    return (at_function_scalars){(double)-INFINITY, (double)INFINITY, 0};
  const double edge = at_scalar_toDouble(eps);
  return (at_function_scalars){edge, 1 - edge, 0};
}

at_tensor *at_logitOf(at_tensor *out, at_tensor *self, at_scalar eps)
{
  return at_function(out, AT_FUNCTION_logit, AT_REAL, 1, &self, odds(eps));
}

at_tensor *at_logitBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self, at_scalar eps)
{
  at_tensor *const in[] = {grad_output, self};
  at_function_scalars scalars = odds(eps);
  if (isinf(scalars.a)) /* then it is that of all numbers that are no probability */
    scalars = (at_function_scalars){0, 1, (double)NAN};
  return at_function(out, AT_FUNCTION_logit_dx, AT_FLOATING, 2, in, scalars);
}

/* The largest finite element of a floating type. */
static double largest(at_scalar_type type)
{
  return type == AT_HALF       ? 65504
         : type == AT_BFLOAT16 ? 0x1.fep127
         : type == AT_FLOAT    ? (double)FLT_MAX
                               : DBL_MAX;
}

at_tensor *at_withoutNaN(at_tensor *out, at_tensor *self, at_scalar nan, at_scalar posinf,
                         at_scalar neginf)
{
  const at_scalar_type type = self->type->scalarType;
  if (!at_isFloating(type)) { /* integers have no NaN */
    at_pool pool;
    at_pool_enter(&pool);
    if (out)
      at_checkResult(out, self, at_sizesOf(self), type);
    at_tensor *const same = out == self ? self : at_hold(&pool, at_newCastLike(self, self->type));
    return at_finishOne(&pool, out, same);
  }
  const at_function_scalars scalars = {
      nan.is_none ? 0 : at_scalar_toDouble(nan),
      posinf.is_none ? largest(type) : at_scalar_toDouble(posinf),
      neginf.is_none ? -largest(type) : at_scalar_toDouble(neginf)};
  return at_function(out, AT_FUNCTION_nan_to_num, AT_REAL, 1, &self, scalars);
}

void at_fractions(at_tensor **out, at_tensor *x)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const fraction = at_hold(&pool, at_floatingOf(NULL, AT_FUNCTION_fraction, x));
  at_tensor *const exponent = at_hold(&pool, at_floatingOf(NULL, AT_FUNCTION_exponent, x));
  at_tensor *const whole = at_cast(&pool, exponent, at_toScalarType(x->type, AT_INT));
  at_finish(&pool, 2, out, (at_tensor *[]){fraction, whole});
}
