/* Products of groups of rows, each with a matrix of its own, as the experts of a mixture need, and of groups of terms,
 * as their gradients need. */
#include "linear.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

/* The sizes of a call: offs are ends of groups of rows, or where mat2 is one matrix of terms. */
typedef struct Groups {
  int64_t count, rows, depth, columns, divided;
  bool dividesDepth;
} Groups;

static Groups check(const at_tensor *self, const at_tensor *mat2, const at_tensor *offs)
{
  const at_ints rows = at_sizesOf(self), right = at_sizesOf(mat2), ends = at_sizesOf(offs);
  const bool dividesDepth = right.count == 2;
  if (rows.count != 2 || (right.count != 3 && !dividesDepth) || ends.count != 1 ||
      rows.data[1] != right.data[right.count - 2] ||
      (!dividesDepth && ends.data[0] != right.data[0]))
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), mat2 (%s) and offs (%s): they have to be rows x depth, groups x "
             "depth x columns or depth x columns, and groups",
             at_sizeDesc(rows).str, at_sizeDesc(right).str, at_sizeDesc(ends).str);
  if (self->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of Bool");
  if (at_isFloating(offs->type->scalarType) || at_isComplex(offs->type->scalarType))
    at_raise(AT_ERROR_TYPE, "offs is of %s, and has to be of integers",
             at_scalarTypeName(offs->type->scalarType));
  at_checkType(mat2, "mat2", self->type);
  return (Groups){.count = ends.data[0],
                  .rows = rows.data[0],
                  .depth = rows.data[1],
                  .columns = right.data[right.count - 1],
                  .divided = rows.data[dividesDepth],
                  .dividesDepth = dividesDepth};
}

TH_NO_RETURN static void raise_end(const Groups *g, int64_t group, int64_t end, int64_t start)
{
  at_raise(AT_ERROR_ARGUMENT, "offs[%lld] is %lld, after %lld, of %lld %s", (long long)group,
           (long long)end, (long long)start, (long long)g->divided,
           g->dividesDepth ? "terms" : "rows");
}

static int64_t end_of(const Groups *g, const at_tensor *offs, int64_t group, int64_t start)
{
  const int64_t end =
      at_scalar_toLong(at_elementAt(offs, offs->th->storageOffset +
                                              (ptrdiff_t)(group * offs->th->stride[0])));
  if (end < start || end > g->divided)
    raise_end(g, group, end, start);
  return end;
}

/* The products one after another. */
static void multiply_here(const Groups *g, at_tensor *result, at_tensor *self, at_tensor *mat2,
                          at_tensor *offs)
{
  const at_scalar zero = at_scalar_long(0), one = at_scalar_long(1);
  int64_t start = 0;
  for (int64_t i = 0; i < g->count; i++) {
    const int64_t end = end_of(g, offs, i, start), count = end - start;
    at_pool pool;
    at_pool_enter(&pool);
    at_tensor *const left = at_hold(&pool, at_viewNarrow(self, g->dividesDepth, start, count));
    at_tensor *const right = at_hold(&pool, g->dividesDepth ? at_viewNarrow(mat2, 0, start, count)
                                                            : at_viewSelect(mat2, 0, i));
    at_tensor *const part =
        at_hold(&pool, g->dividesDepth ? at_viewSelect(result, 0, i)
                                       : at_viewNarrow(result, 0, start, count));
    if (count > 0)
      at_product(part, AT_MATRIX_MATRIX, NULL, left, right, zero, one);
    at_pool_leave(&pool);
    start = end;
  }
}

/* All in one kernel, which reads the ends and reports wrong ones. */
static void multiply_there(at_pool *pool, const Groups *g, at_tensor *result, at_tensor *self,
                           at_tensor *mat2, at_tensor *offs)
{
  const at_scalar_type type = self->type->scalarType;
  const int64_t *const strides = mat2->th->stride + !g->dividesDepth;
  at_tensor *const ends = at_cast(pool, offs, at_toScalarType(offs->type, AT_LONG));
  at_grouped_work work = {.groups = g->count,
                          .rows = g->rows,
                          .depth = g->depth,
                          .columns = g->columns,
                          .dividesDepth = g->dividesDepth,
                          .isFloating = at_isFloating(type),
                          .isHalf = type == AT_HALF,
                          .elementSize = self->type->elementSize,
                          .offs = at_data(ends),
                          .next = ends->th->stride[0],
                          .a = at_data(self),
                          .b = at_data(mat2),
                          .c = at_data(result),
                          .rowA = self->th->stride[0],
                          .columnA = self->th->stride[1],
                          .rowB = strides[0],
                          .columnB = strides[1],
                          .groupB = g->dividesDepth ? 0 : mat2->th->stride[0]};
  const bool isNarrow = work.isFloating && type != AT_DOUBLE;
  const THScalarType kernels = isNarrow ? THScalarFloat : THScalarDouble;
  THCFault fault;
  work.report.fault.function = "_grouped_mm";
  if (at_cuda()->check(AT_KERNEL_groupedProduct, kernels, &work, &work.report, &fault))
    raise_end(g, fault.at, fault.value, fault.first);
  if (!work.report.word)
    at_cuda()->launch(AT_KERNEL_groupedProduct, kernels, &work);
}

at_tensor *at_groupedProduct(at_tensor *self, at_tensor *mat2, at_tensor *offs)
{
  const Groups g = check(self, mat2, offs);
  const int64_t sizes[] = {g.count, g.rows, g.columns};
  const at_ints made = g.dividesDepth ? (at_ints){sizes, 3} : (at_ints){sizes + 1, 2};
  const bool isHere = at_isOnHost(self->type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const result =
      at_hold(&pool, isHere ? at_makeFilled(self->type, made, at_scalar_long(0))
                            : at_newShape(self->type, made));
  if (isHere)
    multiply_here(&g, result, self, mat2, offs);
  else if (g.count > 0 || at_numel(result) > 0)
    multiply_there(&pool, &g, result, self, mat2, offs);
  return at_pool_keep(&pool, result);
}
