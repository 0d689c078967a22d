/* Products of matrices and vectors: checks shapes and types, and calls TH. */
#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "THC/linear/THCBiased.h"

/* --- checks ---------------------------------------------------------------------------------- */

/* The dimensions of the operands; the last one of x must agree with dimension inner of y. */
static const struct {
  int x, y, inner;
} kinds[] = {
    [AT_MATRIX_MATRIX] = {2, 2, 0},  [AT_MATRIX_VECTOR] = {2, 1, 0},
    [AT_VECTOR_VECTOR] = {1, 1, -1}, [AT_BATCHES] = {3, 3, 1},
    [AT_SUM_OF_BATCHES] = {3, 3, 1},
};

static void check_dims(const at_tensor *t, int dims, const char *name)
{
  if (at_sizesOf(t).count != dims)
    at_raise(AT_ERROR_ARGUMENT, "%s has to have %d dimension%s, and its size is %s", name, dims,
             dims == 1 ? "" : "s", at_sizeDesc(at_sizesOf(t)).str);
}

/* The size of the product. */
static at_ints product_size(at_product_kind kind, at_tensor *x, at_tensor *y, int64_t *buffer)
{
  const int dx = kinds[kind].x, dy = kinds[kind].y, inner = kinds[kind].inner;
  check_dims(x, dx, "the first operand");
  check_dims(y, dy, "the second operand");
  const int64_t *sx = x->th->size, *sy = y->th->size;
  if ((inner >= 0 && sx[dx - 1] != sy[inner]) || (dx == 3 && sx[0] != sy[0]))
    at_raise(AT_ERROR_ARGUMENT, "sizes %s and %s do not fit for a product",
             at_sizeDesc(at_sizesOf(x)).str, at_sizeDesc(at_sizesOf(y)).str);
  int count = 0;
  if (kind == AT_BATCHES)
    buffer[count++] = sx[0];
  buffer[count++] = kind == AT_VECTOR_VECTOR ? sx[0] : sx[dx - 2];
  if (kind != AT_MATRIX_VECTOR)
    buffer[count++] = sy[dy - 1];
  return (at_ints){buffer, count};
}

static void check_same(const at_tensor *t, const at_type *type)
{
  if (t->type != type)
    at_raise(AT_ERROR_TYPE, "operands of a product are of one type, and these of %s and %s",
             at_scalarTypeName(type->scalarType), at_scalarTypeName(t->type->scalarType));
}

static void not_bool(const at_type *type)
{
  if (type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of Bool");
}

/* The type that computes: Float for the smaller floating ones, Byte for Bool. */
static const at_type *computing(const at_type *type)
{
  if (type->scalarType == AT_HALF || type->scalarType == AT_BFLOAT16)
    return at_toScalarType(type, AT_FLOAT);
  return type->scalarType == AT_BOOL ? at_toScalarType(type, AT_BYTE) : type;
}

static at_tensor *brought(at_pool *pool, at_tensor *t, const at_type *type)
{
  return t->type == type ? t : at_hold(pool, at_newCast(t, type));
}

/* --- products -------------------------------------------------------------------------------- */

static bool is_zero(at_scalar s)
{
  return at_scalar_toDouble(s) == 0;
}

/* Whether a matrix lies by rows, or by columns, with elements of a row, or of a column, side by side. */
static bool has_lines(const at_tensor *t, int64_t *ld, int *transposes)
{
  const int64_t *const size = t->th->size, *const stride = t->th->stride;
  *transposes = stride[1] != 1 || (size[0] > 1 && stride[0] < size[1]);
  *ld = stride[*transposes];
  return stride[!*transposes] == 1 && *ld >= THMax(size[!*transposes], 1);
}

/* r = x y + t on a device in one call, where t is a row for all; false if it is not computed so. */
static bool multiply_biased(at_tensor *r, at_tensor *t, at_tensor *x, at_tensor *y, at_scalar beta,
                            at_scalar alpha)
{
  const at_scalar_type type = r->type->scalarType;
  if (at_isOnHost(r->type) || !t || (type != AT_FLOAT && type != AT_HALF) || at_numel(r) == 0 ||
      x->th->size[1] == 0 || t->th->stride[0] != 0 || t->th->stride[1] != 1 || t->th->size[0] < 2 ||
      at_scalar_toDouble(beta) != 1 || at_scalar_toDouble(alpha) != 1 || !at_isContiguous(r) ||
      at_overlap(r, t) != TH_OVERLAP_NONE || at_overlap(r, x) != TH_OVERLAP_NONE ||
      at_overlap(r, y) != TH_OVERLAP_NONE)
    return false;
  THCBiased product = {.isHalf = type == AT_HALF,
                       .rows = r->th->size[0],
                       .columns = r->th->size[1],
                       .depth = x->th->size[1],
                       .x = at_data(x),
                       .y = at_data(y),
                       .bias = at_data(t),
                       .r = at_data(r),
                       .ldr = r->th->size[1]};
  return has_lines(x, &product.ldx, &product.transposesX) &&
         has_lines(y, &product.ldy, &product.transposesY) && at_cuda()->multiplyBiased(&product);
}

/* Multiplies to r, of the product's size; t, which is added, has that size too, or is NULL. */
static void multiply(at_product_kind kind, at_tensor *r, at_tensor *t, at_tensor *x, at_tensor *y,
                     at_scalar beta, at_scalar alpha)
{
  void *const from = t ? t->th : r->th;
  switch (kind) {
    case AT_MATRIX_MATRIX:
      if (multiply_biased(r, t, x, y, beta, alpha))
        break;
      AT_OF(r->type, addmm)(r->th, beta, from, alpha, x->th, y->th);
      break;
    case AT_MATRIX_VECTOR:
      AT_OF(r->type, addmv)(r->th, beta, from, alpha, x->th, y->th);
      break;
    case AT_VECTOR_VECTOR:
      AT_OF(r->type, addr)(r->th, beta, from, alpha, x->th, y->th);
      break;
    case AT_BATCHES:
      AT_OF(r->type, baddbmm)(r->th, beta, from, alpha, x->th, y->th);
      break;
    case AT_SUM_OF_BATCHES:
      AT_OF(r->type, addbmm)(r->th, beta, from, alpha, x->th, y->th);
      break;
  }
}

/* Whether the product may be written to out while the operands are read: out must not overlap x and
 * y, and self only if both have the same elements. */
static bool can_write(at_tensor *out, at_tensor *self, at_tensor *x, at_tensor *y)
{
  at_tensor *const in[] = {x, y, self};
  for (int i = 0; i < (self ? 3 : 2); i++) {
    const THOverlap overlap = at_overlap(out, in[i]);
    if (overlap != TH_OVERLAP_NONE && !(in[i] == self && overlap == TH_OVERLAP_SAME))
      return false;
  }
  return true;
}

/* multiply for operands of BFloat16.  Returns out, or if it cannot be written directly a tensor
 * that the pool holds. */
static at_tensor *multiply_bfloats(at_pool *pool, at_tensor *out, at_ints sizes, at_tensor *self,
                                   at_tensor *x, at_tensor *y, at_scalar beta, at_scalar alpha)
{
  const bool direct = out && at_sameSizes(at_sizesOf(out), sizes) && at_isContiguous(out) &&
                      can_write(out, self, x, y);
  at_tensor *const r = direct ? out : at_hold(pool, at_newShape(x->type, sizes));
  at_multiplyBFloat(r, self, x, y, (float)at_scalar_toDouble(beta),
                    (float)at_scalar_toDouble(alpha));
  return r;
}

/* The product computed in type, of operands of any type. */
static at_tensor *product_in(const at_type *type, at_tensor *out, at_product_kind kind,
                             at_tensor *self, at_tensor *x, at_tensor *y, at_scalar beta,
                             at_scalar alpha)
{
  int64_t buffer[3];
  const at_ints sizes = product_size(kind, x, y, buffer);
  const at_type *compute = computing(type);
  if (self)
    at_checkBroadcast(self, sizes);
  if (out)
    at_checkResult(out, self, sizes, type->scalarType);

  at_pool pool;
  at_pool_enter(&pool);
  const bool has_own = kind != AT_VECTOR_VECTOR && kind != AT_SUM_OF_BATCHES && x->type == type &&
                       y->type == type && at_multipliesBFloat(type) && at_numel(x) > 0 &&
                       at_numel(y) > 0;
  if (is_zero(beta))
    self = NULL;
  if (self) {
    self = has_own && self->type == type ? self : brought(&pool, self, compute);
    if (!at_sameSizes(at_sizesOf(self), sizes))
      self = at_hold(&pool, at_newExpanded(self, sizes));
  }
  if (has_own)
    return at_finishOne(&pool, out, multiply_bfloats(&pool, out, sizes, self, x, y, beta, alpha));

  at_tensor *const cx = brought(&pool, x, compute), *const cy = brought(&pool, y, compute);
  const bool direct = out && out->type == compute && at_sameSizes(at_sizesOf(out), sizes);
  at_tensor *r = direct ? out : at_hold(&pool, at_newShape(compute, sizes));
  if (at_numel(r) > 0) {
    if (at_numel(x) > 0)
      multiply(kind, r, self, cx, cy, beta, alpha);
    else if (self) /* there are no terms: the product is 0 */
      at_binaryScalar(r, AT_ROW_mul, self, beta, at_scalar_long(1));
    else
      at_fillWith(r, at_scalar_long(0));
  }
  if (direct) {
    at_pool_leave(&pool);
    return out;
  }
  if (r->type != type)
    r = at_hold(&pool, at_newCast(r, type));
  return at_finishOne(&pool, out, r);
}

at_tensor *at_product(at_tensor *out, at_product_kind kind, at_tensor *self, at_tensor *x,
                      at_tensor *y, at_scalar beta, at_scalar alpha)
{
  if (at_isComplex(x->type->scalarType))
    return at_complexProduct(out, kind, self, x, y, beta, alpha);
  if (kind == AT_VECTOR_VECTOR) { /* addr computes element by element in PyTorch: types promote */
    at_tensor *const in[] = {self, x, y};
    const at_type *type = at_toScalarType(self->type, at_resultType(3, in, NULL));
    if (!at_isFloating(type->scalarType) && (beta.is_float || alpha.is_float))
      at_raise(AT_ERROR_ARGUMENT, "beta and alpha have to be integers for tensors of %s",
               at_scalarTypeName(type->scalarType));
    return product_in(type, out, kind, self, x, y, beta, alpha);
  }
  not_bool(x->type);
  check_same(y, x->type);
  if (self)
    check_same(self, x->type);
  if (out)
    check_same(out, x->type);
  return product_in(x->type, out, kind, self, x, y, beta, alpha);
}

at_tensor *at_outerProduct(at_tensor *out, at_tensor *x, at_tensor *y)
{
  check_dims(x, 1, "self");
  check_dims(y, 1, "vec2");
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const column = at_hold(&pool, at_viewUnsqueeze(x, 1));
  at_tensor *const r = at_binary(out, AT_ROW_cmul, column, y, at_scalar_long(1));
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_dotProduct(at_tensor *out, at_tensor *x, at_tensor *y)
{
  check_dims(x, 1, "self");
  check_dims(y, 1, "tensor");
  not_bool(x->type);
  check_same(y, x->type);
  if (x->th->size[0] != y->th->size[0])
    at_raise(AT_ERROR_ARGUMENT, "self has %lld elements, tensor has %lld",
             (long long)x->th->size[0], (long long)y->th->size[0]);
  if (at_isComplex(x->type->scalarType))
    return at_complexDot(out, x, y);
  if (out)
    check_same(out, x->type);
  const at_type *compute = computing(x->type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const cx = brought(&pool, x, compute), *const cy = brought(&pool, y, compute);
  if (!at_isOnHost(x->type) && at_numel(x) > 0) { /* the sum stays on the device */
    at_tensor *const products =
        at_hold(&pool, at_binary(NULL, AT_ROW_cmul, cx, cy, at_scalar_long(1)));
    at_tensor *const all = at_hold(&pool, at_reduce(NULL, AT_SUM, products, (at_ints){NULL, 0},
                                                    false, compute, at_scalar_long(0)));
    return at_finishOne(&pool, out, at_cast(&pool, all, x->type));
  }
  const at_scalar sum = at_numel(x) > 0 ? AT_OF(compute, dot)(cx->th, cy->th) : at_scalar_long(0);
  const at_type *wide = at_toScalarType(x->type, sum.is_float ? AT_DOUBLE : AT_LONG);
  at_tensor *r = at_hold(&pool, at_makeFilled(wide, (at_ints){NULL, 0}, sum));
  if (wide != x->type) /* integers wrap around */
    r = at_hold(&pool, at_newCast(r, x->type));
  return at_finishOne(&pool, out, r);
}

/* --- matmul ---------------------------------------------------------------------------------- */

/* The sizes of t without the last two: the batch. */
static at_ints batch_of(const at_tensor *t)
{
  return (at_ints){t->th->size, at_sizesOf(t).count - 2};
}

/* t, of at least two dimensions, with its batch expanded to batch, as b x n x m. */
static at_tensor *as_batch(at_pool *pool, at_tensor *t, at_ints batch)
{
  int64_t sizes[AT_MOST_DIMS], count = 1;
  const at_ints own = at_sizesOf(t);
  for (int d = 0; d < batch.count; d++) {
    sizes[d] = batch.data[d];
    count *= batch.data[d];
  }
  sizes[batch.count] = own.data[own.count - 2];
  sizes[batch.count + 1] = own.data[own.count - 1];
  at_tensor *const wide = at_hold(pool, at_newExpanded(t, (at_ints){sizes, batch.count + 2}));
  const int64_t three[] = {count, sizes[batch.count], sizes[batch.count + 1]};
  return at_hold(pool, at_reshaped(wide, (at_ints){three, 3}));
}

/* A product where only x has a batch: its matrices are stacked to one. */
static at_tensor *folded(at_pool *pool, at_tensor *x, at_tensor *y)
{
  const at_ints own = at_sizesOf(x);
  int64_t sizes[AT_MOST_DIMS], rows = 1;
  for (int d = 0; d < own.count - 1; d++) {
    sizes[d] = own.data[d];
    rows *= own.data[d];
  }
  const int64_t two[] = {rows, own.data[own.count - 1]};
  sizes[own.count - 1] = y->th->size[1];
  at_tensor *const lines = at_hold(pool, at_reshaped(x, (at_ints){two, 2}));
  at_tensor *const r = at_hold(pool, at_product(NULL, AT_MATRIX_MATRIX, NULL, lines, y,
                                                at_scalar_long(0), at_scalar_long(1)));
  return at_hold(pool, at_viewAs(r, (at_ints){sizes, own.count}));
}

static at_tensor *batched(at_pool *pool, at_tensor *x, at_tensor *y)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints batches[] = {batch_of(x), batch_of(y)};
  const at_ints batch = at_broadcastSizes(2, batches, buffer);
  at_tensor *const r =
      at_hold(pool, at_product(NULL, AT_BATCHES, NULL, as_batch(pool, x, batch),
                               as_batch(pool, y, batch), at_scalar_long(0), at_scalar_long(1)));
  buffer[batch.count] = r->th->size[1];
  buffer[batch.count + 1] = r->th->size[2];
  return at_hold(pool, at_viewAs(r, (at_ints){buffer, batch.count + 2}));
}

at_tensor *at_matrixProduct(at_tensor *out, at_tensor *x, at_tensor *y)
{
  const int dx = at_sizesOf(x).count, dy = at_sizesOf(y).count;
  if (dx == 0 || dy == 0)
    at_raise(AT_ERROR_ARGUMENT, "self has %d dimensions and other %d: both need at least one", dx,
             dy);
  if (dx + dy > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "self has %d dimensions and other %d, together more than %d", dx,
             dy, AT_MOST_DIMS);
  if (dx == 1 && dy == 1)
    return at_dotProduct(out, x, y);
  if (dx == 2 && dy <= 2)
    return at_product(out, dy == 2 ? AT_MATRIX_MATRIX : AT_MATRIX_VECTOR, NULL, x, y,
                      at_scalar_long(0), at_scalar_long(1));
  if (out)
    check_same(out, x->type);
  check_same(y, x->type);

  /* A vector is a row on the left or a column on the right; the result loses that dimension. */
  at_pool pool;
  at_pool_enter(&pool);
  if (dx == 1)
    x = at_hold(&pool, at_viewUnsqueeze(x, 0));
  if (dy == 1)
    y = at_hold(&pool, at_viewUnsqueeze(y, 1));
  at_tensor *r = dy <= 2 ? folded(&pool, x, y) : batched(&pool, x, y);
  if (dy == 1)
    r = at_hold(&pool, at_viewSqueezeDim(r, -1));
  if (dx == 1)
    r = at_hold(&pool, at_viewSqueezeDim(r, -2));
  return at_finishOne(&pool, out, r);
}
