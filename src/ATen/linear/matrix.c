/* Diagonals and triangles of matrices, and cross products. */
#include "ATen/complex/complex.h"
#include "ATen/core/ATenOperations.h"
#include "TH/tensor/THTriangle.h"

/* --- diagonals -------------------------------------------------------------------------------- */

/* A view of the k-th diagonal of the matrix t. */
static at_tensor *new_diagonal(at_tensor *t, int64_t k)
{
  const int64_t *size = t->th->size, *stride = t->th->stride;
  const int64_t row = k < 0 ? (k < -size[0] ? size[0] : -k) : 0;
  const int64_t column = k > 0 ? THMin(k, size[1]) : 0;
  const int64_t count = THMin(size[0] - row, size[1] - column), step = stride[0] + stride[1];
  const ptrdiff_t offset =
      count > 0 ? t->th->storageOffset + row * stride[0] + column * stride[1] : 0;
  return at_newView(t, offset, (at_ints){&count, 1}, &step);
}

at_tensor *at_identity(at_tensor *out, const at_type *type, int64_t n, int64_t m)
{
  const int64_t buffer[] = {n, m == AT_NONE ? n : m};
  const at_ints sizes = {buffer, 2};
  if (buffer[0] < 0 || buffer[1] < 0)
    at_raise(AT_ERROR_ARGUMENT, "n is %lld and m %lld", (long long)buffer[0], (long long)buffer[1]);
  if (out && type)
    at_checkType(out, "result", type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = at_hold(&pool, at_makeFilled(out ? out->type : type, sizes, at_scalar_long(0)));
  at_fillWith(at_hold(&pool, new_diagonal(made, 0)), at_scalar_long(1));
  return at_finishOne(&pool, out, made);
}

at_tensor *at_diagonalMatrix(at_tensor *out, at_tensor *self, int64_t diagonal)
{
  const at_ints own = at_sizesOf(self);
  if (own.count < 1 || own.count > 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to be a vector or a matrix",
             at_sizeDesc(own).str);
  if (out)
    at_checkType(out, "result", self->type);
  at_pool pool;
  at_pool_enter(&pool);
  if (own.count == 2) {
    at_tensor *view = at_hold(&pool, new_diagonal(self, diagonal));
    return at_finishOne(&pool, out, at_hold(&pool, at_newCast(view, self->type)));
  }
  int64_t size;
  const int64_t away = diagonal < 0 ? -(uint64_t)diagonal : diagonal;
  if (away < 0 || __builtin_add_overflow(own.data[0], away, &size))
    at_raise(AT_ERROR_ARGUMENT, "diagonal is %lld", (long long)diagonal);
  const int64_t buffer[] = {size, size};
  at_tensor *made =
      at_hold(&pool, at_makeFilled(self->type, (at_ints){buffer, 2}, at_scalar_long(0)));
  if (own.data[0] > 0)
    at_convert(at_hold(&pool, new_diagonal(made, diagonal)), self);
  return at_finishOne(&pool, out, made);
}

at_tensor *at_traceOf(at_tensor *self)
{
  const at_scalar_type type = self->type->scalarType;
  if (at_sizesOf(self).count != 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to be a matrix",
             at_sizeDesc(at_sizesOf(self)).str);
  if (type == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "self is of Bool");
  const at_type *result =
      at_isFloating(type) || at_isComplex(type) ? self->type : at_toScalarType(self->type, AT_LONG);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const view = at_hold(&pool, new_diagonal(self, 0));
  return at_finishOne(&pool, NULL,
                      at_hold(&pool, at_reduce(NULL, AT_SUM, view, (at_ints){NULL, 0}, false,
                                               result, at_scalar_long(0))));
}

/* --- triangles -------------------------------------------------------------------------------- */

/* Clears triangles on a device, matrix by matrix. */
static void clear_each(at_tensor *contiguous, int64_t diagonal, bool below)
{
  const at_type *const moves = at_movesAs(contiguous->type);
  const at_ints sizes = at_sizesOf(contiguous), matrix = {sizes.data + sizes.count - 2, 2};
  const int64_t size = matrix.data[0] * matrix.data[1], strides[] = {matrix.data[1], 1};
  const int64_t edge = THMin(THMax(diagonal, -matrix.data[0]), matrix.data[1]);
  for (int64_t at = 0; at < at_numel(contiguous); at += size) {
    at_pool pool;
    at_pool_enter(&pool);
    void *th =
        at_hold(&pool, at_newView(contiguous, contiguous->th->storageOffset + at, matrix, strides))
            ->th;
    (below ? AT_OF(moves, tril) : AT_OF(moves, triu))(th, th, edge);
    at_pool_leave(&pool);
  }
}

/* Clears triangles of complex numbers on a device: the other triangle of ones is a mask of what becomes 0. */
static void clear_complex(at_tensor *t, int64_t diagonal, bool below)
{
  const at_ints sizes = at_sizesOf(t), matrix = {sizes.data + sizes.count - 2, 2};
  const int64_t edge = THMin(THMax(diagonal, -matrix.data[0]), matrix.data[1]);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const ones =
      at_hold(&pool, at_makeFilled(at_toScalarType(t->type, AT_BOOL), matrix, at_scalar_long(1)));
  at_tensor *const mask = at_hold(&pool, at_triangle(NULL, ones, edge + (below ? 1 : -1), !below));
  at_maskedFill(t, t, mask, at_scalar_long(0));
  at_pool_leave(&pool);
}

/* Copies the triangles of from to made, which may be from itself.  Both have the same sizes and are
 * contiguous. */
static void keep(at_tensor *made, at_tensor *from, int64_t diagonal, bool below)
{
  if (!at_isOnHost(made->type)) {
    if (at_isComplex(made->type->scalarType))
      clear_complex(made, diagonal, below);
    else
      clear_each(made, diagonal, below);
    return;
  }
  const at_ints sizes = at_sizesOf(made);
  const int64_t rows = sizes.data[sizes.count - 2], columns = sizes.data[sizes.count - 1];
  const size_t size = made->type->elementSize;
  const THTriangle triangle = {.to = at_hostData(made),
                               .from = at_hostData(from),
                               .toJump = columns * (ptrdiff_t)size,
                               .fromJump = columns * (ptrdiff_t)size,
                               .rows = rows,
                               .columns = columns,
                               .diagonal = diagonal,
                               .itemSize = size,
                               .upper = !below};
  THTriangle_run(&triangle, at_numel(made) / columns);
}

/* Whether the triangle may be written to out while self, which is contiguous, is read. */
static bool takes_triangle(const at_tensor *out, const at_tensor *self)
{
  return out && at_isContiguous(out) && at_sameSizes(at_sizesOf(out), at_sizesOf(self)) &&
         at_overlap(out, self) != TH_OVERLAP_MIXED;
}

at_tensor *at_triangle(at_tensor *out, at_tensor *self, int64_t diagonal, bool below)
{
  if (at_sizesOf(self).count < 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to be a matrix, or several",
             at_sizeDesc(at_sizesOf(self)).str);
  if (out)
    at_checkType(out, "result", self->type);
  at_pool pool;
  at_pool_enter(&pool);
  const bool straight = at_isOnHost(self->type) && at_isContiguous(self);
  at_tensor *made = out;
  if (!straight)
    made = at_hold(&pool, at_newCast(self, self->type));
  else if (!takes_triangle(out, self))
    made = at_hold(&pool, at_newShape(self->type, at_sizesOf(self)));
  if (at_numel(made) > 0)
    keep(made, straight ? self : made, diagonal, below);
  return at_finishOne(&pool, out, made);
}

/* --- vector products -------------------------------------------------------------------------- */

/* The cross product of complex vectors, from those of their real and imaginary parts. */
static void cross_pairs(at_tensor *made, at_tensor *x, at_tensor *y, int dim)
{
  at_tensor *products[2][2];
  at_pool pool;
  at_pool_enter(&pool);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      at_tensor *const a = at_hold(&pool, at_viewPart(x, i)), *const b =
                                                                  at_hold(&pool, at_viewPart(y, k));
      at_tensor *const product = at_hold(&pool, at_newShape(a->type, at_sizesOf(made)));
      AT_OF(a->type, cross)(product->th, a->th, b->th, dim);
      products[i][k] = product;
    }
  const at_scalar one = at_scalar_long(1);
  at_subtracted(at_hold(&pool, at_viewPart(made, 0)), products[0][0], products[1][1], one);
  at_binary(at_hold(&pool, at_viewPart(made, 1)), AT_ROW_cadd, products[0][1], products[1][0], one);
  at_pool_leave(&pool);
}

at_tensor *at_crossed(at_tensor *out, at_tensor *self, at_tensor *other, int64_t dim)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {self, other};
  const at_type *type = self->type;
  at_checkType(other, "other", type);
  if (type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "self is of Bool");
  if (at_sizesOf(self).count != at_sizesOf(other).count)
    at_raise(AT_ERROR_ARGUMENT, "self has %d dimensions, other %d", at_sizesOf(self).count,
             at_sizesOf(other).count);
  const at_ints sizes = at_broadcast(2, in, buffer);
  int d = 0;
  if (dim != AT_NONE)
    d = at_wrapDim(dim, sizes.count);
  else
    while (d < sizes.count && at_sizesOf(self).data[d] != 3)
      d++;
  if (d >= sizes.count || at_sizesOf(self).data[d] != 3 || at_sizesOf(other).data[d] != 3)
    at_raise(AT_ERROR_ARGUMENT, "self of size (%s) and other of size (%s) have no size of 3%s",
             at_sizeDesc(at_sizesOf(self)).str, at_sizeDesc(at_sizesOf(other)).str,
             dim == AT_NONE ? "" : " there");
  if (out)
    at_checkResult(out, NULL, sizes, type->scalarType);
  const at_type *compute = at_addsAs(type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made = at_hold(&pool, at_newShape(compute, sizes));
  self = at_brought(&pool, self, sizes, compute);
  other = at_brought(&pool, other, sizes, compute);
  if (at_numel(made) > 0 && at_isComplex(compute->scalarType))
    cross_pairs(made, self, other, d);
  else if (at_numel(made) > 0)
    AT_OF(compute, cross)(made->th, self->th, other->th, d);
  if (compute != type)
    made = at_hold(&pool, at_newCast(made, type));
  return at_finishOne(&pool, out, made);
}
