/* Pointwise operations of complex tensors. */
#include "complex.h"

#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

static const at_scalar none;

/* --- a row ----------------------------------------------------------------------------------- */

static const at_complex_row *row_of(int name, at_scalar_type type)
{
  const at_complex_row *row =
      (type == AT_COMPLEX_DOUBLE ? at_complexRowsDouble : at_complexRowsFloat) + name;
  if (!row->kernel)
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s",
             at_scalarTypeName(type));
  return row;
}

static const at_type *written_by(const at_complex_row *row, const at_type *compute)
{
  if (row->writes == AT_BOOLEANS)
    return at_toScalarType(compute, AT_BOOL);
  return row->writes == AT_REALS ? at_realType(compute) : compute;
}

/* Whether r may be written while the operands are read. */
static bool can_write(const at_tensor *r, const at_type *type, at_ints sizes, int count,
                      at_tensor *const *in)
{
  if (!r || r->type != type || !at_sameSizes(at_sizesOf(r), sizes))
    return false;
  for (int i = 0; i < count; i++) {
    const THOverlap overlap = at_overlap(r, in[i]);
    if (overlap != TH_OVERLAP_NONE && (overlap != TH_OVERLAP_SAME || in[i]->type != type))
      return false;
  }
  return true;
}

at_tensor *at_complexRow(at_tensor *out, int name, at_scalar_type type, int count,
                         at_tensor *const *in, at_scalar a, at_scalar b)
{
  const at_complex_row *const row = row_of(name, type);
  const at_type *const compute = at_toScalarType(in[0]->type, type);
  const at_type *const written = written_by(row, compute);
  const double scalars[2] = {at_scalar_toDouble(a), at_scalar_toDouble(b)};
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(count, in, buffer);
  if (out)
    at_checkResult(out, in[0], sizes, written->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *operands[AT_INPUTS] = {NULL};
  for (int i = 0; i < count; i++)
    operands[i] = at_brought(&pool, in[i], sizes, row->readsReals ? at_realType(compute) : compute);
  const bool direct = can_write(out, written, sizes, count, operands);
  at_tensor *const r = direct ? out : at_hold(&pool, at_newFor(written, sizes, count, in));
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, r);
  for (int i = 0; i < count; i++)
    at_addOperand(&loop, operands[i]);
  if (at_isOnHost(compute))
    THLoop_run(&loop, row->kernel, scalars);
  else
    at_cuda()->complexRow(name, compute->held, &loop, scalars);
  return at_finishOne(&pool, out, r);
}

at_tensor *at_complexFunction(at_tensor *out, at_function_name name, at_tensor *x)
{
  return at_complexRow(out, AT_ROWS + (int)name, x->type->scalarType, 1, &x, none, none);
}

/* --- operations ------------------------------------------------------------------------------ */

/* out, or if that is NULL a view of x: what an operation does that changes nothing. */
static at_tensor *unchanged(at_tensor *out, at_tensor *x)
{
  if (!out)
    return at_newAlias(x);
  return out == x ? out : at_deliver(out, x);
}

at_tensor *at_conjugated(at_tensor *out, at_tensor *x)
{
  const at_scalar_type type = x->type->scalarType;
  if (!at_isComplex(type))
    return unchanged(out, x);
  return at_complexRow(out, AT_COMPLEX_conj, type, 1, &x, none, none);
}

at_tensor *at_directionOf(at_tensor *out, at_tensor *x)
{
  const at_scalar_type type = x->type->scalarType;
  if (!at_isComplex(type))
    return at_unary(out, AT_ROW_sign, x);
  return at_complexRow(out, AT_COMPLEX_sgn, type, 1, &x, none, none);
}

/* The angle: of a real number 0 or pi; NaN stays. */
at_tensor *at_angleOf(at_tensor *out, at_tensor *x)
{
  const at_scalar_type type = x->type->scalarType;
  if (at_isComplex(type))
    return at_complexRow(out, AT_COMPLEX_angle, type, 1, &x, none, none);
  const at_scalar zero = at_scalar_long(0);
  const at_type *result = at_isFloating(type) ? x->type : at_toScalarType(x->type, AT_FLOAT);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *isNegative = at_hold(&pool, at_compareScalar(NULL, AT_ROW_ltValue, x, zero));
  at_tensor *r = at_hold(&pool, at_newCastLike(isNegative, result));
  at_pointwise(r, AT_ROW_mul, result->scalarType, 1, &r, at_scalar_double(M_PI), none);
  if (at_isFloating(type)) {
    at_tensor *isNaN = at_hold(&pool, at_compare(NULL, AT_ROW_neTensor, x, x));
    r = at_hold(&pool, at_choose(NULL, isNaN, x, none, r, none));
  }
  return at_finishOne(&pool, out, r);
}

at_tensor *at_areReal(at_tensor *x)
{
  if (!at_isComplex(x->type->scalarType))
    return at_makeFilled(at_toScalarType(x->type, AT_BOOL), at_sizesOf(x), at_scalar_long(1));
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *im = at_hold(&pool, at_viewPart(x, 1));
  return at_pool_keep(&pool, at_hold(&pool, at_compareScalar(NULL, AT_ROW_eqValue, im,
                                                             at_scalar_long(0))));
}

bool at_areEqualPairs(const at_tensor *x, const at_tensor *y)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *difference =
      at_hold(&pool, at_compare(NULL, AT_ROW_neTensor, (at_tensor *)x, (at_tensor *)y));
  difference = at_hold(&pool, at_reduce(NULL, AT_ANY, difference, (at_ints){0}, false, NULL, none));
  const bool equal = !at_isTrue(difference);
  at_pool_leave(&pool);
  return equal;
}

at_tensor *at_adjointOf(at_tensor *x)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_hold(&pool, at_viewMatricesTransposed(x));
  return at_pool_keep(&pool, at_hold(&pool, at_conjugated(NULL, r)));
}

/* A row of two real operands of one type. */
static at_tensor *from_parts(at_tensor *out, int name, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  if ((x->type->scalarType != AT_FLOAT && x->type->scalarType != AT_DOUBLE) || y->type != x->type)
    at_raise(AT_ERROR_TYPE, "the operands are of %s and %s, and have to be both of Float or Double",
             at_scalarTypeName(x->type->scalarType), at_scalarTypeName(y->type->scalarType));
  const at_type *type = at_complexType(x->type);
  if (out)
    at_checkType(out, "result", type);
  return at_complexRow(out, name, type->scalarType, 2, in, none, none);
}

at_tensor *at_complexFrom(at_tensor *out, at_tensor *re, at_tensor *im)
{
  return from_parts(out, AT_COMPLEX_pair, re, im);
}

at_tensor *at_fromPolar(at_tensor *out, at_tensor *abs, at_tensor *angle)
{
  return from_parts(out, AT_COMPLEX_polar, abs, angle);
}
