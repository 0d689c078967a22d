/* Hashes of the bits of elements. */
#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

/* Moves the dimensions that dim names, all if there is none, behind the others in order.  Returns how
 * many others there are. */
static int order_of(at_ints sizes, at_ints dim, int64_t *order)
{
  bool isReduced[AT_MOST_DIMS] = {false};
  int kept = 0, count = 0;
  for (int i = 0; i < dim.count; i++) {
    const int d = at_wrapDim(dim.data[i], sizes.count);
    if (isReduced[d])
      at_raise(AT_ERROR_ARGUMENT, "dim names dimension %d twice", d);
    isReduced[d] = true;
  }
  for (int d = 0; d < sizes.count; d++)
    if (dim.count > 0 && !isReduced[d])
      order[count++] = d;
  kept = count;
  for (int d = 0; d < sizes.count; d++)
    if (dim.count == 0 || isReduced[d])
      order[count++] = d;
  return kept;
}

/* Combines the bits of the elements of each of so many rows: of floating ones those of the double, of
 * others those of 64 bits. */
static void hash_rows(at_tensor *t, int64_t rows, at_tensor *made)
{
  const at_scalar_type wide = at_isFloating(t->type->scalarType) ? AT_DOUBLE : AT_LONG;
  at_pool pool;
  at_pool_enter(&pool);
  t = at_hold(&pool, at_newCast(t, at_toScalarType(t->type, wide)));
  const at_hash_work work = {rows, at_numel(t) / rows, at_data(t), at_data(made)};
  if (!at_isOnHost(t->type))
    at_cuda()->launch(AT_KERNEL_hash, THScalarDouble, &work);
  else
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < work.n; j++)
        work.to[i] ^= work.bits[i * work.n + j];
  at_pool_leave(&pool);
}

at_tensor *at_hashOf(at_tensor *self, at_ints dim, bool keepdim, int64_t mode)
{
  int64_t order[AT_MOST_DIMS], buffer[AT_MOST_DIMS], rows = 1;
  const at_ints own = at_sizesOf(self);
  if (mode != 0)
    at_raise(AT_ERROR_ARGUMENT, "mode is %lld, and has to be 0", (long long)mode);
  if (dim.count == 0 && at_numel(self) == 0)
    at_raise(AT_ERROR_ARGUMENT, "self has size %s, and dim is not given: there is nothing to hash",
             at_sizeDesc(own).str);
  for (int i = 0; i < dim.count && own.count > 0; i++)
    if (own.data[at_wrapDim(dim.data[i], own.count)] == 0)
      at_raise(AT_ERROR_ARGUMENT, "self has size %s, and dim %lld has no elements to hash",
               at_sizeDesc(own).str, (long long)dim.data[i]);
  const int kept = order_of(own, dim, order);
  at_ints sizes = {buffer, keepdim ? own.count : kept};
  for (int d = 0; d < sizes.count; d++)
    buffer[d] = keepdim ? 1 : own.data[order[d]];
  for (int i = 0; i < kept; i++) {
    rows *= own.data[order[i]];
    if (keepdim)
      buffer[order[i]] = own.data[order[i]];
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made =
      at_hold(&pool, at_newShape(at_toScalarType(self->type, AT_UINT64), sizes));
  at_fillWith(made, at_scalar_long(0));
  if (at_numel(self) > 0)
    hash_rows(at_hold(&pool, at_viewPermute(self, (at_ints){order, own.count})), rows, made);
  return at_finishOne(&pool, NULL, made);
}
