/* The distinct elements, or slices, of a tensor on a device, by operations of the device: slices are
 * rows, a stable sort for each column orders them, and those that differ from the one before begin a
 * group.  The host waits for the number of groups alone. */
#include "uniqueDevice.h"

#include "ATen/core/ATenOperations.h"
#include "index.h"
#include "reduce.h"
#include "shapes.h"

static const at_scalar none;

static at_tensor *narrowed(at_pool *pool, at_tensor *t, int64_t from, int64_t count)
{
  return at_hold(pool, at_viewNarrow(t, 0, from, count));
}

/* The order in which rows ascend by columns, the first of which counts most. */
static at_tensor *order_of(at_pool *pool, at_tensor *rows, const at_type *longType)
{
  const int64_t n = at_sizesOf(rows).data[0], length = at_sizesOf(rows).data[1];
  const at_ints sizes = {&n, 1};
  at_tensor *order = NULL;
  for (int64_t c = length - 1; c >= 0; c--) {
    at_pool step;
    at_pool_enter(&step);
    at_tensor *keys = at_hold(&step, at_viewSelect(rows, 1, c));
    if (order)
      keys = at_hold(&step, at_indexSelect(NULL, keys, 0, order));
    at_tensor *const sorted = at_hold(&step, at_newShape(rows->type, sizes));
    at_tensor *by = at_hold(&step, at_newShape(longType, sizes));
    AT_OF(rows->type, sort)(sorted->th, (void *)by->th, keys->th, 0, 0);
    if (order)
      by = at_hold(&step, at_indexSelect(NULL, order, 0, by));
    by = at_pool_keep(&step, by);
    if (order)
      at_release(order);
    order = by;
  }
  return order ? at_hold(pool, order) : NULL;
}

/* The numbers of the rows that differ from the row before; those of each row's group in group. */
static at_tensor *groups_of(at_pool *pool, at_tensor *rows, const at_type *longType,
                            at_tensor **group)
{
  static const int64_t one = 1, columns = 1, all = -1;
  const int64_t n = at_sizesOf(rows).data[0];
  const at_type *const boolType = at_toScalarType(longType, AT_BOOL);
  const at_ints line = {&all, 1};
  at_tensor *starts = at_hold(pool, at_makeFilled(boolType, (at_ints){&one, 1}, at_scalar_long(1)));
  if (n > 1) {
    at_tensor *differ =
        at_hold(pool, at_compare(NULL, AT_ROW_neTensor, narrowed(pool, rows, 1, n - 1),
                                 narrowed(pool, rows, 0, n - 1)));
    differ =
        at_hold(pool, at_reduce(NULL, AT_ANY, differ, (at_ints){&columns, 1}, false, NULL, none));
    at_tensor *const both[] = {starts, differ};
    starts = at_hold(pool, at_joined(NULL, (at_tensors){both, 2}, 0));
  }
  at_tensor *const counted = at_hold(pool, at_accumulate(NULL, false, starts, 0, longType));
  *group =
      at_hold(pool, at_pointwise(NULL, AT_ROW_sub, AT_LONG, 1, &counted, at_scalar_long(1), none));
  at_tensor *const first = at_hold(pool, at_nonzeros(NULL, starts));
  return at_hold(pool, at_reshaped(first, line));
}

/* The rows in each group. */
static at_tensor *counts_of(at_pool *pool, at_tensor *first, int64_t n)
{
  static const int64_t one = 1;
  const int64_t count = at_numel(first);
  at_tensor *const end =
      at_hold(pool, at_makeFilled(first->type, (at_ints){&one, 1}, at_scalar_long(n)));
  at_tensor *const both[] = {narrowed(pool, first, 1, count - 1), end};
  at_tensor *const next = at_hold(pool, at_joined(NULL, (at_tensors){both, 2}, 0));
  return at_hold(pool, at_subtracted(NULL, next, first, at_scalar_long(1)));
}

void at_uniqueOnDevice(at_pool *pool, at_tensor *rows, bool sorted, bool inverse, bool counts,
                       at_tensor **made)
{
  const at_type *const longType = at_toScalarType(rows->type, AT_LONG);
  const int64_t n = at_sizesOf(rows).data[0], nothing = 0;
  if (n == 0) {
    made[0] = rows;
    made[1] = inverse ? at_hold(pool, at_newShape(longType, (at_ints){&nothing, 1})) : NULL;
    made[2] = counts ? at_hold(pool, at_newShape(longType, (at_ints){&nothing, 1})) : NULL;
    return;
  }
  at_tensor *const order = sorted ? order_of(pool, rows, longType) : NULL;
  if (order)
    rows = at_hold(pool, at_indexSelect(NULL, rows, 0, order));
  at_tensor *group, *const first = groups_of(pool, rows, longType, &group);
  made[0] = at_hold(pool, at_indexSelect(NULL, rows, 0, first));
  if (inverse)
    made[1] = order ? at_hold(pool, at_scattered(NULL, group, 0, order, group, false)) : group;
  if (counts)
    made[2] = counts_of(pool, first, n);
}
