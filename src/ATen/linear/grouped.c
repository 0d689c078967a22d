/* Products of groups of rows, each with a matrix of its own, as the experts of a mixture need. */
#include "linear.h"

#include "ATen/core/ATenOperations.h"

static void check(const at_tensor *self, const at_tensor *mat2, const at_tensor *offs)
{
  const at_ints rows = at_sizesOf(self), matrices = at_sizesOf(mat2), ends = at_sizesOf(offs);
  if (rows.count != 2 || matrices.count != 3 || ends.count != 1 ||
      rows.data[1] != matrices.data[1] || ends.data[0] != matrices.data[0])
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), mat2 (%s) and offs (%s): they have to be rows x depth, groups x "
             "depth x columns, and groups",
             at_sizeDesc(rows).str, at_sizeDesc(matrices).str, at_sizeDesc(ends).str);
  if (self->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of Bool");
  if (at_isFloating(offs->type->scalarType) || at_isComplex(offs->type->scalarType))
    at_raise(AT_ERROR_TYPE, "offs is of %s, and has to be of integers",
             at_scalarTypeName(offs->type->scalarType));
}

static int64_t end_of(const at_tensor *self, const at_tensor *offs, int64_t group, int64_t start)
{
  const int64_t end =
      at_scalar_toLong(at_elementAt(offs, offs->th->storageOffset +
                                              (ptrdiff_t)(group * offs->th->stride[0])));
  if (end < start || end > at_sizesOf(self).data[0])
    at_raise(AT_ERROR_ARGUMENT, "offs[%lld] is %lld, after %lld, of %lld rows", (long long)group,
             (long long)end, (long long)start, (long long)at_sizesOf(self).data[0]);
  return end;
}

at_tensor *at_groupedProduct(at_tensor *self, at_tensor *mat2, at_tensor *offs)
{
  check(self, mat2, offs);
  at_checkType(mat2, "mat2", self->type);
  const at_scalar zero = at_scalar_long(0), one = at_scalar_long(1);
  const int64_t sizes[] = {at_sizesOf(self).data[0], at_sizesOf(mat2).data[2]};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const result = at_hold(&pool, at_makeFilled(self->type, (at_ints){sizes, 2}, zero));
  int64_t start = 0;
  for (int64_t i = 0; i < at_sizesOf(offs).data[0]; i++) {
    const int64_t end = end_of(self, offs, i, start);
    at_pool inner;
    at_pool_enter(&inner);
    at_tensor *const rows = at_hold(&inner, at_viewNarrow(self, 0, start, end - start)),
                     *const matrix = at_hold(&inner, at_viewSelect(mat2, 0, i)),
                     *const part = at_hold(&inner, at_viewNarrow(result, 0, start, end - start));
    if (end > start)
      at_product(part, AT_MATRIX_MATRIX, NULL, rows, matrix, zero, one);
    at_pool_leave(&inner);
    start = end;
  }
  return at_pool_keep(&pool, result);
}
