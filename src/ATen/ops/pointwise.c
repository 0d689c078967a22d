/* Elementwise operations: operands are converted to one type and broadcast, a row of
 * ops/pointwise.h computes, and the result is delivered in its type. */
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "TH/pointwise/THPointwise.h"

/* --- shapes ---------------------------------------------------------------------------------- */

at_ints at_broadcastSizes(int count, const at_ints *sizes, int64_t *buffer)
{
  at_ints result = {buffer, 0};
  for (int i = 0; i < count; i++)
    result.count = THMax(result.count, sizes[i].count);
  for (int d = 0; d < result.count; d++)
    buffer[d] = 1;
  for (int i = 0; i < count; i++) {
    const int missing = result.count - sizes[i].count;
    for (int d = 0; d < sizes[i].count; d++) {
      const int64_t size = sizes[i].data[d];
      if (buffer[missing + d] == 1)
        buffer[missing + d] = size;
      else if (size != 1 && size != buffer[missing + d])
        at_raise(AT_ERROR_ARGUMENT,
                 "a tensor of size %s does not broadcast with one of size %s: dimension %d is "
                 "%lld and %lld",
                 at_sizeDesc(sizes[i]).str, at_sizeDesc(result).str, missing + d, (long long)size,
                 (long long)buffer[missing + d]);
    }
  }
  return result;
}

at_ints at_broadcast(int count, at_tensor *const *in, int64_t *buffer)
{
  at_ints sizes[AT_INPUTS] = {{NULL, 0}};
  for (int i = 0; i < count; i++)
    sizes[i] = at_sizesOf(in[i]);
  return at_broadcastSizes(count, sizes, buffer);
}

void at_checkBroadcast(at_tensor *t, at_ints sizes)
{
  const at_ints own = at_sizesOf(t);
  bool fits = own.count <= sizes.count;
  for (int d = 1; fits && d <= own.count; d++)
    fits = own.data[own.count - d] == 1 || own.data[own.count - d] == sizes.data[sizes.count - d];
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT, "a tensor of size %s does not broadcast to %s",
             at_sizeDesc(own).str, at_sizeDesc(sizes).str);
}

at_tensor *at_newExpanded(at_tensor *t, at_ints sizes)
{
  int64_t strides[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(t);
  for (int d = sizes.count - 1, e = own.count - 1; d >= 0; d--, e--)
    strides[d] = e >= 0 && (own.data[e] == sizes.data[d]) ? t->th->stride[e] : 0;
  return at_newView(t, t->th->storageOffset, sizes, strides);
}

/* --- a call ---------------------------------------------------------------------------------- */

/* Rows that PyTorch does not have for booleans. */
static bool not_for_bool(at_row row)
{
  switch (row->index) {
    case TH_POINTWISE_csub:
    case TH_POINTWISE_sub_scaled:
    case TH_POINTWISE_neg:
    case TH_POINTWISE_cfmod:
    case TH_POINTWISE_fmod:
    case TH_POINTWISE_cremainder:
    case TH_POINTWISE_remainder:
    case TH_POINTWISE_clshift:
    case TH_POINTWISE_crshift:
    case TH_POINTWISE_cpow:
      return true;
    default:
      return false;
  }
}

/* The type whose row computes for operands of type: Byte for Bool; for a type without the row a
 * wider one, such as Float for Half, as in PyTorch on the CPU. */
static const at_type *computes_in(const at_type *like, at_scalar_type type, at_row row)
{
  const at_type *own = at_toScalarType(like, type == AT_BOOL ? AT_BYTE : type);
  if (type == AT_BOOL && not_for_bool(row))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of Bool");
  if (at_rowOf(own, row))
    return own;
  const at_type *wider = at_toScalarType(like, at_isFloating(type) ? AT_FLOAT : AT_SHORT);
  if (!at_rowOf(wider, row))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s",
             at_scalarTypeName(type));
  return wider;
}

/* Rows whose results of booleans are booleans. */
static bool keeps_booleans(at_row row)
{
  switch (row->index) {
    case TH_POINTWISE_cbitand:
    case TH_POINTWISE_cbitor:
    case TH_POINTWISE_cbitxor:
    case TH_POINTWISE_cmul:
    case TH_POINTWISE_cmax:
    case TH_POINTWISE_cmin:
      return true;
    default:
      return false;
  }
}

at_tensor *at_cast(at_pool *pool, at_tensor *t, const at_type *type)
{
  return t->type == type ? t : at_hold(pool, at_newCast(t, type));
}

const at_type *at_computesIn(const at_type *type)
{
  const bool isSmall = type->scalarType == AT_HALF || type->scalarType == AT_BFLOAT16;
  return isSmall ? at_toScalarType(type, AT_FLOAT) : type;
}

at_tensor *at_brought(at_pool *pool, at_tensor *t, at_ints sizes, const at_type *type)
{
  const bool isByte = t->type->scalarType == AT_BOOL && type->scalarType == AT_BYTE;
  if (!isByte)
    t = at_cast(pool, t, type);
  return at_sameSizes(at_sizesOf(t), sizes) ? t : at_hold(pool, at_newExpanded(t, sizes));
}

/* At most so many elements are computed by one call of a kernel: planning a loop takes longer than
 * computing them. */
enum { SMALL = 1024 };

/* Computes few elements of floats, where r is new and all are contiguous.  Returns false if there are many,
 * or of another type. */
static bool compute_small(at_tensor *r, at_row row, int count, at_tensor *const *in, at_scalar a,
                          at_scalar b)
{
  const int64_t n = at_numel(r);
  const bool isFloat = r->type->scalarType == AT_FLOAT;
  if (n > SMALL || !(isFloat || r->type->scalarType == AT_DOUBLE) || !at_isOnHost(r->type) ||
      row->index == TH_POINTWISE_polygamma) /* whose scalar is no element */
    return false;
  const void *at[AT_INPUTS] = {NULL};
  for (int i = 0; i < count; i++)
    at[i] = at_data(in[i]);
  const double wide[2] = {at_scalar_toDouble(a), at_scalar_toDouble(b)};
  const float narrow[2] = {(float)wide[0], (float)wide[1]};
  THPointwise_kernel(row->kernels, r->type->held)(n, at_data(r), at[0], at[1], at[2],
                                                  isFloat ? (const void *)narrow : wide, 0);
  return true;
}

/* The fast path for tensors of one size and of one type that has the row, without conversion.  NULL
 * if it does not apply. */
static at_tensor *pointwise_plain(at_tensor *out, at_row row, at_scalar_type type, int count,
                                  at_tensor *const *in, at_scalar a, at_scalar b)
{
  const at_type *const own = in[0]->type;
  const at_ints sizes = at_sizesOf(in[0]);
  const at_row_function compute = at_rowOf(own, row);
  if (own->scalarType != type || type == AT_BOOL || at_isUnsigned(type) || !compute ||
      row->compares)
    return NULL;
  if (out && (out->type != own || !at_sameSizes(at_sizesOf(out), sizes)))
    return NULL;
  void *th[AT_INPUTS] = {in[0]->th};
  for (int i = 1; i < count; i++) {
    if (in[i]->type != own || !at_sameSizes(at_sizesOf(in[i]), sizes))
      return NULL;
    th[i] = in[i]->th;
  }
  for (int d = 0; d < sizes.count; d++)
    if (sizes.data[d] == 0)
      return out ? out : at_newFor(own, sizes, count, in);
  if (out) {
    at_checkWritable(out);
    compute(out->th, th[0], th[1], th[2], a, b);
    return out;
  }
  THGuard guard;
  at_guard(&guard);
  bool isInOrder = true;
  for (int i = 0; i < count && isInOrder; i++)
    isInOrder = at_isContiguous(in[i]);
  at_tensor *const r = guard.what =
      isInOrder ? at_newShape(own, sizes) : at_newFor(own, sizes, count, in);
  if (!isInOrder || !compute_small(r, row, count, in, a, b))
    compute(r->th, th[0], th[1], th[2], a, b);
  return THGuard_keep(&guard);
}

/* Runs at_pointwiseMixed.  Returns out if the result can be written there, else a tensor that the
 * pool holds. */
static at_tensor *compute_mixed(at_pool *pool, at_tensor *out, at_row row, const at_type *result,
                                const at_type *compute, const at_type *written, at_ints sizes,
                                int count, at_tensor *const *in, at_scalar a, at_scalar b)
{
  at_tensor *expanded[AT_INPUTS] = {NULL};
  for (int i = 0; i < count; i++)
    expanded[i] = at_brought(pool, in[i], sizes, in[i]->type);
  const bool direct = out && out->type == result && at_sameSizes(at_sizesOf(out), sizes);
  at_tensor *const r = direct ? out : at_hold(pool, at_newFor(result, sizes, count, in));
  if (at_numel(r) > 0)
    at_pointwiseMixed(r, row, compute, written, count, expanded, a, b);
  return r;
}

at_tensor *at_pointwise(at_tensor *out, at_row row, at_scalar_type type, int count,
                        at_tensor *const *in, at_scalar a, at_scalar b)
{
  if (at_isComplex(type))
    return at_complexRow(out, (int)row->index, type, count, in, a, b);
  at_tensor *const done = pointwise_plain(out, row, type, count, in, a, b);
  if (done)
    return done;
  if (at_isUnsigned(type)) /* the rows are those of the signed type */
    a = at_unsignedElement(at_toScalarType(in[0]->type, type), a);
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(count, in, buffer);
  const at_type *compute = computes_in(in[0]->type, type, row);
  const bool isBoolean = row->compares || (type == AT_BOOL && keeps_booleans(row));
  const at_type *written = isBoolean ? at_toScalarType(compute, AT_BOOL) : compute;
  const at_type *result = at_toScalarType(compute, isBoolean ? AT_BOOL : type);
  if (out)
    at_checkResult(out, in[0], sizes, result->scalarType);

  at_pool pool;
  at_pool_enter(&pool);
  if (at_isMixed(row, compute, result != written, count, in)) {
    at_tensor *const r =
        compute_mixed(&pool, out, row, result, compute, written, sizes, count, in, a, b);
    if (r != out)
      return at_finishOne(&pool, out, r);
    at_pool_leave(&pool);
    return out;
  }
  void *operands[AT_INPUTS] = {NULL};
  for (int i = 0; i < count; i++)
    operands[i] = at_brought(&pool, in[i], sizes, compute)->th;

  /* Directly to out only if it needs no resizing, so that out keeps its shape after an error; and not if
   * the elements are to be rounded first. */
  const bool rounds =
      result != written && (at_isFloating(result->scalarType) || result->scalarType == AT_BOOL);
  const bool direct =
      out && !rounds && out->type == written && at_sameSizes(at_sizesOf(out), sizes);
  at_tensor *r = direct ? out : at_hold(&pool, at_newFor(written, sizes, count, in));
  if (at_numel(r) > 0)
    at_rowOf(compute, row)(r->th, operands[0], operands[1], operands[2], a, b);
  if (rounds || (!out && result != written))
    r = at_hold(&pool, at_newCastLike(r, result));
  if (!direct)
    return at_finishOne(&pool, out, r);
  at_pool_leave(&pool);
  return out;
}

at_tensor *at_pointwiseBooleans(at_tensor *out, at_row row, int count, at_tensor *const *in)
{
  const at_scalar none = {0};
  const at_type *const boolean = at_toScalarType(in[0]->type, AT_BOOL);
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(count, in, buffer);
  if (out)
    at_checkResult(out, in[0], sizes, AT_BOOL);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r =
      compute_mixed(&pool, out, row, boolean, boolean, boolean, sizes, count, in, none, none);
  if (r != out)
    return at_finishOne(&pool, out, r);
  at_pool_leave(&pool);
  return out;
}

/* --- the ways operations call rows ----------------------------------------------------------- */

static const at_scalar none;

/* Functions of real numbers compute in the default type for integers. */
static at_scalar_type floated(at_scalar_type type)
{
  return at_category(type) >= 2 ? type : at_defaultType();
}

/* A scalar that scales integers must be an integer, because the result is one. */
static void check_number(at_scalar_type type, at_scalar a, const char *name)
{
  if (a.is_float && at_category(type) < 2)
    at_raise(AT_ERROR_ARGUMENT, "%s is %g, and has to be an integer for tensors of %s", name,
             a.value.number, at_scalarTypeName(type));
}

at_tensor *at_binary(at_tensor *out, at_row row, at_tensor *x, at_tensor *y, at_scalar a)
{
  at_tensor *const in[] = {x, y};
  const at_scalar_type type = at_resultType(2, in, NULL);
  check_number(type, a, "alpha");
  return at_pointwise(out, row, type, 2, in, a, none);
}

static void not_of_bool(const at_tensor *t, const char *name)
{
  if (t->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "%s is of Bool, from which nothing is subtracted, nor it from anything",
             name);
}

at_tensor *at_subtracted(at_tensor *out, at_tensor *x, at_tensor *y, at_scalar alpha)
{
  not_of_bool(x, "self");
  not_of_bool(y, "other");
  return at_binary(out, AT_ROW_csub, x, y, alpha);
}

at_tensor *at_subtractScalar(at_tensor *out, at_tensor *x, at_scalar a, at_scalar alpha)
{
  not_of_bool(x, "self");
  return at_binaryScalar(out, AT_ROW_sub_scaled, x, a, alpha);
}

at_tensor *at_binaryScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a, at_scalar b)
{
  const at_scalar_type type = at_resultType(1, &x, &a);
  check_number(type, b, "alpha");
  return at_pointwise(out, row, type, 1, &x, a, b);
}

at_tensor *at_binaryFloat(at_tensor *out, at_row row, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y};
  return at_pointwise(out, row, floated(at_resultType(2, in, NULL)), 2, in, none, none);
}

at_tensor *at_binaryFloatScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a)
{
  return at_pointwise(out, row, floated(at_resultType(1, &x, &a)), 1, &x, a, none);
}

at_tensor *at_unary(at_tensor *out, at_row row, at_tensor *x)
{
  return at_pointwise(out, row, x->type->scalarType, 1, &x, none, none);
}

at_tensor *at_unaryFloat(at_tensor *out, at_row row, at_tensor *x)
{
  return at_pointwise(out, row, floated(x->type->scalarType), 1, &x, none, none);
}

at_tensor *at_rounded(at_tensor *out, at_row row, at_tensor *x)
{
  const at_scalar_type type = x->type->scalarType;
  if (type == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of Bool");
  if (at_isFloating(type))
    return at_unary(out, row, x);
  if (!out)
    return at_newCastLike(x, x->type);
  at_checkResult(out, x, at_sizesOf(x), type);
  if (out == x)
    return out;
  THGuard guard;
  at_guard(&guard);
  at_deliver(out, guard.what = at_newCastLike(x, x->type));
  THGuard_leave(&guard);
  return out;
}

at_tensor *at_ternary(at_tensor *out, at_row row, at_tensor *x, at_tensor *y, at_tensor *z,
                      at_scalar a)
{
  at_tensor *const in[] = {x, y, z};
  const at_scalar_type type = at_resultType(3, in, NULL);
  return at_pointwise(out, row, type, 3, in, a, none);
}

at_tensor *at_dividing(at_tensor *out, at_tensor *x, at_tensor *y, at_tensor *z, at_scalar a)
{
  at_tensor *const in[] = {x, y, z};
  const at_scalar_type type = at_resultType(3, in, NULL);
  if (at_category(y->type->scalarType) < 2 && at_category(z->type->scalarType) < 2)
    at_raise(AT_ERROR_TYPE, "tensor1 is of %s and tensor2 of %s: integers are not divided",
             at_scalarTypeName(y->type->scalarType), at_scalarTypeName(z->type->scalarType));
  return at_pointwise(out, AT_ROW_addcdiv, type, 3, in, a, none);
}
