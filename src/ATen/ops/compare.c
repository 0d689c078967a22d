/* Comparisons, bitwise and logical operations, selection, and powers and limits. */
#include "ATen/core/ATenOperations.h"
#include "THKernel.h"
#include "ATen/core/device.h"
#include "elementwise.h"

#define OBJECT(NAME, name)                \
  TH_DISPATCH(THKernel, at_levels_##name) \
  const at_elementwise at_each_##name = {AT_##NAME, at_levels_##name};
AT_ELEMENTWISE_KERNELS(OBJECT)

static const at_scalar none;

/* --- scalars --------------------------------------------------------------------------------- */

/* On a device too it is filled and converted by kernels: a copy from the host would wait. */
at_tensor *at_newScalar(const at_type *type, at_scalar value)
{
  const at_ints sizes = {NULL, 0};
  const at_type *own = at_toScalarType(type, value.is_float ? AT_DOUBLE : AT_LONG);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *t = at_fillWith(at_hold(&pool, at_newShape(own, sizes)), value);
  return at_finishOne(&pool, NULL, at_cast(&pool, t, type));
}

/* The value of the scalar after conversion to an element of that type. */
static at_scalar as_element(const at_type *type, at_scalar a)
{
  type = at_hostType(type);
  if (type->scalarType == AT_FLOAT || type->scalarType == AT_DOUBLE ||
      at_isComplex(type->scalarType))
    return a;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *t = at_hold(&pool, at_newScalar(type, a));
  a = at_elementAt(t, 0);
  at_pool_leave(&pool);
  return a;
}

/* --- comparisons, bits and booleans ---------------------------------------------------------- */

at_tensor *at_compare(at_tensor *out, at_row row, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  return at_pointwise(out, row, at_resultType(2, in, NULL), 2, in, none, none);
}

at_tensor *at_compareScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a)
{
  const at_scalar_type type = at_resultType(1, &x, &a);
  return at_pointwise(out, row, type, 1, &x, as_element(at_toScalarType(x->type, type), a), none);
}

static void check_integer(at_scalar_type type)
{
  if (at_isFloating(type))
    at_raise(AT_ERROR_TYPE, "the operands compute in %s, and only integers and booleans have bits",
             at_scalarTypeName(type));
}

at_tensor *at_bits(at_tensor *out, at_row row, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  const at_scalar_type type = at_resultType(2, in, NULL);
  check_integer(type);
  return at_pointwise(out, row, type, 2, in, none, none);
}

at_tensor *at_bitsScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a)
{
  const at_scalar_type type = at_resultType(1, &x, &a);
  check_integer(type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const in[] = {x, at_hold(&pool, at_newScalar(at_toScalarType(x->type, type), a))};
  at_tensor *r = at_pointwise(out, row, type, 2, in, none, none);
  at_pool_leave(&pool);
  return r;
}

/* Whether the elements are not 0. */
static at_tensor *booleans_of(at_pool *pool, at_tensor *x)
{
  if (x->type->scalarType == AT_BOOL)
    return x;
  return at_hold(pool, at_compareScalar(NULL, AT_ROW_neValue, x, at_scalar_long(0)));
}

/* Whether both operands are converted to booleans block by block.  Elements of 8 bytes are not:
 * memory delivers one stream of them faster than two at a time. */
static bool converts_blockwise(const at_type *x, const at_type *y)
{
  return at_isOnHost(x) && x->elementSize < 8 && y->elementSize < 8;
}

at_tensor *at_logical(at_tensor *out, at_row row, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  const bool areBooleans = x->type->scalarType == AT_BOOL && y->type->scalarType == AT_BOOL;
  if (areBooleans)
    return at_pointwise(out, row, AT_BOOL, 2, in, none, none);
  if (converts_blockwise(x->type, y->type))
    return at_pointwiseBooleans(out, row, 2, in);
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(2, in, buffer);
  if (out)
    at_checkResult(out, x, sizes, AT_BOOL);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const booleans[] = {booleans_of(&pool, x), booleans_of(&pool, y)};
  at_tensor *r = at_pointwise(out, row, AT_BOOL, 2, booleans, none, none);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_logicalNot(at_tensor *out, at_tensor *x)
{
  const at_scalar zero = at_scalar_long(0);
  if (x->type->scalarType ==
      AT_BOOL) /* with a scalar, at_compareScalar would promote it to an integer */
    return at_pointwise(out, AT_ROW_eqValue, AT_BOOL, 1, &x, zero, none);
  return at_compareScalar(out, AT_ROW_eqValue, x, zero);
}

bool at_areEqual(const at_tensor *x, const at_tensor *y)
{
  at_tensor *const in[] = {(at_tensor *)x, (at_tensor *)y};
  if (!at_sameSizes(at_sizesOf(x), at_sizesOf(y)))
    return false;
  if (at_numel(x) == 0)
    return true;
  const at_scalar_type type = at_promoteTypes(x->type->scalarType, y->type->scalarType);
  if (type == AT_SCALAR_TYPES || at_isComplex(type))
    return at_areEqualPairs(x, y);
  const at_type *compute = at_toScalarType(x->type, type == AT_BOOL ? AT_BYTE : type);
  if (!AT_OF(compute, equal)) /* Half and BFloat16 */
    compute = at_toScalarType(compute, AT_FLOAT);
  at_pool pool;
  at_pool_enter(&pool);
  void *th[2];
  for (int i = 0; i < 2; i++)
    th[i] = at_brought(&pool, in[i], at_sizesOf(x), compute)->th;
  const bool equal = AT_OF(compute, equal)(th[0], th[1]);
  at_pool_leave(&pool);
  return equal;
}

/* --- loops of several operands --------------------------------------------------------------- */

/* Whether a result of that type and size can be written to out while the operands are read. */
static bool is_direct(const at_tensor *out, const at_type *type, at_ints sizes, int count,
                      at_tensor *const *in)
{
  if (!out || out->type != type || !at_isOnHost(type) || !at_sameSizes(at_sizesOf(out), sizes))
    return false;
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, out);
  if (THLoop_overlapsItself(&loop, 0))
    return false;
  for (int i = 0; i < count; i++)
    if (at_overlap(out, in[i]) == TH_OVERLAP_MIXED)
      return false;
  return true;
}

at_tensor *at_eachElement(at_tensor *out, const at_type *type, at_ints sizes, at_elementwise kernel,
                          int count, at_tensor *const *in, const void *scalars)
{
  at_pool pool;
  at_pool_enter(&pool);
  const bool direct = is_direct(out, type, sizes, count, in);
  at_tensor *r = direct ? out : at_hold(&pool, at_newFor(type, sizes, count, in));
  THLoop loop;
  THLoop_init(&loop);
  if (kernel.name >= AT_POLYGAMMA && kernel.name <= AT_DIRICHLET_GRADIENT)
    loop.grain = TH_LOOP_GRAIN / 64;
  at_addOperand(&loop, r);
  for (int i = 0; i < count; i++)
    at_addOperand(&loop, in[i]);
  if (at_isOnHost(type))
    THLoop_run(&loop, *TH_DISPATCHED(kernel.levels), scalars);
  else if (at_numel(r) > 0)
    at_cuda()->elementwise(kernel.name, &loop, scalars);
  return at_finishOne(&pool, out, r);
}

at_tensor *at_areClose(at_tensor *x, at_tensor *y, double rtol, double atol, bool equalNaN)
{
  if (x->type != y->type)
    at_raise(AT_ERROR_TYPE, "self is of %s, and other of %s",
             at_scalarTypeName(x->type->scalarType), at_scalarTypeName(y->type->scalarType));
  if (!(rtol >= 0) || !(atol >= 0))
    at_raise(AT_ERROR_ARGUMENT, "rtol is %g and atol %g: one is negative", rtol, atol);
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {x, y};
  const at_ints sizes = at_broadcast(2, in, buffer);
  const at_closeness closeness = {rtol, atol, equalNaN};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *doubles[2];
  for (int i = 0; i < 2; i++)
    doubles[i] = at_brought(&pool, in[i], sizes, at_toScalarType(x->type, AT_DOUBLE));
  at_tensor *r = at_eachElement(NULL, at_toScalarType(x->type, AT_BOOL), sizes, at_each_is_close, 2,
                                doubles, &closeness);
  at_pool_leave(&pool);
  return r;
}

bool at_areAllClose(const at_tensor *x, const at_tensor *y, double rtol, double atol, bool equalNaN)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *close =
      at_hold(&pool, at_areClose((at_tensor *)x, (at_tensor *)y, rtol, atol, equalNaN));
  const at_type *const type = at_toScalarType(x->type, AT_BYTE);
  const bool all = at_numel(close) == 0 || AT_OF(type, logicalall)(close->th);
  at_pool_leave(&pool);
  return all;
}

bool at_isTrue(const at_tensor *t)
{
  if (at_numel(t) != 1)
    at_raise(AT_ERROR_ARGUMENT, "self has %lld elements, and has to have one",
             (long long)at_numel(t));
  return at_scalar_toDouble(at_elementAt(t, t->th->storageOffset)) != 0;
}

/* --- selection ------------------------------------------------------------------------------- */

at_tensor *at_choose(at_tensor *out, at_tensor *condition, at_tensor *x, at_scalar a, at_tensor *y,
                     at_scalar b)
{
  if (condition->type->scalarType != AT_BOOL && condition->type->scalarType != AT_BYTE)
    at_raise(AT_ERROR_TYPE, "condition is of %s, and has to be of Bool or Byte",
             at_scalarTypeName(condition->type->scalarType));
  at_tensor *const tensors[] = {x ? x : y, y};
  at_scalar_type type;
  if (x && y)
    type = at_resultType(2, tensors, NULL);
  else if (x || y)
    type = at_resultType(1, tensors, x ? &b : &a);
  else
    type = at_promoteTypes(at_resultType(0, NULL, &a), at_resultType(0, NULL, &b));
  const at_type *compute = at_toScalarType(condition->type, type);

  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const in[] = {condition, x ? x : at_hold(&pool, at_newScalar(compute, a)),
                           y ? y : at_hold(&pool, at_newScalar(compute, b))};
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(3, in, buffer);
  if (out)
    at_checkResult(out, NULL, sizes, type);
  at_tensor *const brought[] = {at_brought(&pool, in[0], sizes, in[0]->type),
                                at_brought(&pool, in[1], sizes, compute),
                                at_brought(&pool, in[2], sizes, compute)};
  static const at_elementwise *const bySize[] = {[1] = &at_each_select_1,
                                                 [2] = &at_each_select_2,
                                                 [4] = &at_each_select_4,
                                                 [8] = &at_each_select_8,
                                                 [16] = &at_each_select_16};
  const at_elementwise kernel = *bySize[compute->elementSize];
  at_tensor *r = at_eachElement(out, compute, sizes, kernel, 3, brought, NULL);
  at_pool_leave(&pool);
  return r;
}

/* --- functions ------------------------------------------------------------------------------- */

at_tensor *at_absoluteOf(at_tensor *out, at_tensor *x)
{
  const at_scalar_type own = x->type->scalarType;
  if (at_isComplex(own) && out == x)
    at_raise(AT_ERROR_TYPE, "self is of %s, and the sizes of its elements are real",
             at_scalarTypeName(own));
  if (at_isComplex(own))
    return at_complexRow(out, AT_COMPLEX_abs, own, 1, &x, none, none);
  if (x->type->scalarType == AT_BYTE || x->type->scalarType == AT_BOOL)
    return at_rounded(out, AT_ROW_abs, x); /* a copy of x, or an error */
  return at_unary(out, AT_ROW_abs, x);
}

at_tensor *at_fraction(at_tensor *out, at_tensor *x)
{
  at_checkFloating(x, "self");
  return at_unary(out, AT_ROW_frac, x);
}

at_tensor *at_power(at_tensor *out, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  return at_pointwise(out, AT_ROW_cpow, at_resultType(2, in, NULL), 2, in, none, none);
}

at_tensor *at_powerScalar(at_tensor *out, at_tensor *x, at_scalar exponent)
{
  const at_scalar_type type = at_resultType(1, &x, &exponent);
  if (at_category(type) >= 2) {
    const double y =
        at_scalar_toDouble(exponent); /* sqrt is faster than pow; they differ at -0, -inf */
    const at_row row = y == 0.5    ? AT_ROW_sqrt
                       : y == -0.5 ? AT_ROW_rsqrt
                       : y == -1   ? AT_ROW_cinv
                                   : AT_ROW_pow;
    return at_pointwise(out, row, type, 1, &x, exponent, none);
  }
  if (exponent.value.integer < 0)
    at_raise(AT_ERROR_ARGUMENT, "the exponent is %lld: integers have no negative powers",
             (long long)exponent.value.integer);
  const at_ints sizes = {NULL, 0};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const in[] = {
      x, at_hold(&pool, at_makeFilled(at_toScalarType(x->type, type), sizes, exponent))};
  at_tensor *r = at_pointwise(out, AT_ROW_cpow, type, 2, in, none, none);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_powerBase(at_tensor *out, at_scalar base, at_tensor *x)
{
  const at_scalar_type type = at_resultType(1, &x, &base);
  if (at_category(type) >= 2)
    return at_pointwise(out, AT_ROW_tpow, type, 1, &x, base, none);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const in[] = {at_hold(&pool, at_newScalar(at_toScalarType(x->type, type), base)), x};
  at_tensor *r = at_pointwise(out, AT_ROW_cpow, type, 2, in, none, none);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_polygammaOf(at_tensor *out, int64_t n, at_tensor *x)
{
  const at_scalar_type own = x->type->scalarType,
                       type = at_isFloating(own) ? own : at_defaultType();
  if (n < 0)
    at_raise(AT_ERROR_ARGUMENT, "n is %lld, and has to be 0 or more", (long long)n);
  if (n < 2)
    return at_pointwise(out, AT_ROW_polygamma, type, 1, &x, at_scalar_long(n), none);
  if (out)
    at_checkResult(out, x, at_sizesOf(x), type);
  const double order = (double)n;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *wide = at_cast(&pool, x, at_toScalarType(x->type, AT_DOUBLE));
  at_tensor *r = at_hold(&pool, at_eachElement(NULL, wide->type, at_sizesOf(x), at_each_polygamma,
                                               1, &wide, &order));
  return at_finishOne(&pool, out, at_cast(&pool, r, at_toScalarType(x->type, type)));
}

static void check_same_type(const at_tensor *x, const at_tensor *t, const char *name)
{
  if (t->type != x->type)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of %s as self", name,
             at_scalarTypeName(t->type->scalarType), at_scalarTypeName(x->type->scalarType));
}

/* x + weight (end - x) of complex numbers. */
static at_tensor *between_complex(at_tensor *out, at_tensor *x, at_tensor *end, at_tensor *weight)
{
  const at_scalar one = at_scalar_long(1);
  at_checkType(end, "end", x->type);
  if (!weight->isScalar)
    at_checkType(weight, "weight", x->type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const way = at_hold(&pool, at_subtracted(NULL, end, x, one)),
                   *const part = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, way, weight, one));
  return at_finishOne(&pool, out, at_hold(&pool, at_binary(NULL, AT_ROW_cadd, x, part, one)));
}

at_tensor *at_betweenTensor(at_tensor *out, at_tensor *x, at_tensor *end, at_tensor *weight)
{
  at_tensor *const in[] = {x, end, weight};
  if (at_isComplex(x->type->scalarType))
    return between_complex(out, x, end, weight);
  at_checkFloating(x, "self");
  check_same_type(x, end, "end");
  if (!weight->isScalar)
    check_same_type(x, weight, "weight");
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(3, in, buffer);
  if (out)
    at_checkResult(out, x, sizes, x->type->scalarType);
  const bool isDouble = x->type->scalarType == AT_DOUBLE;
  const at_type *compute = at_toScalarType(x->type, isDouble ? AT_DOUBLE : AT_FLOAT);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *brought[3];
  for (int i = 0; i < 3; i++)
    brought[i] = at_brought(&pool, in[i], sizes, compute);
  const at_elementwise kernel = isDouble ? at_each_lerp_double : at_each_lerp_float;
  if (compute == x->type) {
    at_tensor *const r = at_eachElement(out, compute, sizes, kernel, 3, brought, NULL);
    at_pool_leave(&pool);
    return r;
  }
  at_tensor *r = at_hold(&pool, at_eachElement(NULL, compute, sizes, kernel, 3, brought, NULL));
  if (!out)
    r = at_hold(&pool, at_newCastLike(r, x->type));
  return at_finishOne(&pool, out, r);
}

at_tensor *at_between(at_tensor *out, at_tensor *x, at_tensor *end, at_scalar weight)
{
  at_tensor *const in[] = {x, end};
  if (at_isComplex(x->type->scalarType)) {
    at_checkType(end, "end", x->type);
    at_pool parts;
    at_pool_enter(&parts);
    at_tensor *const way = at_hold(&parts, at_subtracted(NULL, end, x, at_scalar_long(1)));
    return at_finishOne(&parts, out, at_hold(&parts, at_binary(NULL, AT_ROW_cadd, x, way, weight)));
  }
  at_checkFloating(x, "self");
  check_same_type(x, end, "end");
  if (at_scalar_toDouble(weight) > -0.5)
    return at_pointwise(out, AT_ROW_lerp, x->type->scalarType, 2, in, weight, none);
  at_pool pool; /* TH's lerp would start from the other end, with another result for infinities */
  at_pool_enter(&pool);
  at_tensor *r = at_betweenTensor(out, x, end, at_hold(&pool, at_newScalar(x->type, weight)));
  at_pool_leave(&pool);
  return r;
}

/* The bound limited to the range of the integer type, which clamps the same elements.  It is an
 * error if no value of the type satisfies the bound. */
static at_scalar bound_for(at_scalar_type type, at_scalar bound, bool isMin)
{
  static const struct {
    int64_t least, most;
  } range[AT_SCALAR_TYPES] = {[AT_BYTE] = {0, UINT8_MAX},
                              [AT_CHAR] = {INT8_MIN, INT8_MAX},
                              [AT_SHORT] = {INT16_MIN, INT16_MAX},
                              [AT_INT] = {INT32_MIN, INT32_MAX},
                              [AT_LONG] = {INT64_MIN, INT64_MAX}};
  if (at_isFloating(type) || type == AT_BOOL)
    return bound;
  const int64_t least = range[type].least, most = range[type].most, value = bound.value.integer;
  if (isMin ? value > most : value < least)
    at_raise(AT_ERROR_ARGUMENT, "the bound %lld is outside of what %s can hold", (long long)value,
             at_scalarTypeName(type));
  return at_scalar_long(THMin(THMax(value, least), most));
}

at_tensor *at_clamped(at_tensor *out, at_tensor *x, at_scalar min, at_scalar max)
{
  if (min.is_none && max.is_none)
    at_raise(AT_ERROR_ARGUMENT, "neither min nor max is given");
  const at_scalar *const bounds[] = {min.is_none ? &max : &min, max.is_none ? &min : &max};
  const at_scalar_type type =
      at_promoteTypes(at_resultType(1, &x, bounds[0]), at_resultType(1, &x, bounds[1]));
  const at_scalar lower = min.is_none ? none : bound_for(type, min, true);
  const at_scalar upper = max.is_none ? none : bound_for(type, max, false);
  if (!min.is_none && !max.is_none)
    return at_pointwise(out, AT_ROW_clamp, type, 1, &x, lower, upper);
  return at_pointwise(out, min.is_none ? AT_ROW_cminValue : AT_ROW_cmaxValue, type, 1, &x,
                      min.is_none ? upper : lower, none);
}

at_tensor *at_clampedTensor(at_tensor *out, at_tensor *x, at_tensor *min, at_tensor *max)
{
  if (!min && !max)
    at_raise(AT_ERROR_ARGUMENT, "neither min nor max is given");
  at_tensor *const in[] = {x, min ? min : max, max};
  const int count = 1 + (min != NULL) + (max != NULL);
  const at_scalar_type type = at_resultType(count, in, NULL);
  if (count == 2)
    return at_pointwise(out, min ? AT_ROW_cmax : AT_ROW_cmin, type, 2, in, none, none);
  int64_t buffer[AT_MOST_DIMS], sizesOfTwo[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(3, in, buffer);
  if (out)
    at_checkResult(out, x, sizes, type);
  /* The maximum of x and min is written directly to out, if out does not overlap max and nothing
   * can fail afterwards. */
  const bool direct = at_sameSizes(sizes, at_broadcast(2, in, sizesOfTwo)) &&
                      is_direct(out, at_toScalarType(x->type, type), sizes, 0, NULL) &&
                      out->type == max->type && at_overlap(out, max) == TH_OVERLAP_NONE;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const larger = at_pointwise(direct ? out : NULL, AT_ROW_cmax, type, 2, in, none, none);
  at_tensor *const above[] = {direct ? out : at_hold(&pool, larger), max};
  at_tensor *r = at_pointwise(out, AT_ROW_cmin, type, 2, above, none, none);
  at_pool_leave(&pool);
  return r;
}
