/* Delivery of results to the tensors that are given for them. */
#include "ATenOperations.h"

/* Whether results of type from may be stored in type to: not in a lower category. */
static bool can_cast(at_scalar_type from, at_scalar_type to)
{
  return at_category(from) <= at_category(to);
}

void at_checkResult(at_tensor *out, at_tensor *self, at_ints sizes, at_scalar_type type)
{
  if (!can_cast(type, out->type->scalarType))
    at_raise(AT_ERROR_TYPE, "a result of type %s cannot be stored in a tensor of type %s",
             at_scalarTypeName(type), at_scalarTypeName(out->type->scalarType));
  if (out == self && !at_sameSizes(at_sizesOf(out), sizes))
    at_raise(AT_ERROR_ARGUMENT, "self has size %s, and the operands broadcast to %s",
             at_sizeDesc(at_sizesOf(out)).str, at_sizeDesc(sizes).str);
  if (at_sameSizes(at_sizesOf(out), sizes))
    at_checkWritable(out);
}

/* A row-major tensor of that size on t's storage, which grows if necessary. */
static at_tensor *reshaped(at_tensor *t, at_ints sizes)
{
  static const int64_t one[] = {1};
  const bool isScalar = sizes.count == 0;
  at_checkDims(sizes.count); /* before the storage grows */
  void *th = t->type->memory->newShape(t->th, t->th->storageOffset, isScalar ? 1 : sizes.count,
                                       isScalar ? one : sizes.data, NULL);
  return at_wrap(t->type, th, isScalar);
}

void at_exchange(at_tensor *a, at_tensor *b)
{
  const bool isScalar = a->isScalar;
  a->type->memory->exchange(a->th, b->th);
  a->isScalar = b->isScalar;
  b->isScalar = isScalar;
}

void at_deliverAll(int count, at_tensor *const *out, at_tensor *const *made)
{
  for (int i = 0; i < count; i++) {
    at_checkResult(out[i], NULL, at_sizesOf(made[i]), made[i]->type->scalarType);
    for (int k = 0; k < i; k++)
      if (at_touch(out[i], at_sizesOf(made[i]), out[k], at_sizesOf(made[k])))
        at_raise(AT_ERROR_ARGUMENT,
                 "results %d and %d, of size (%s) and (%s), share memory with each other", k, i,
                 at_sizeDesc(at_sizesOf(made[k])).str, at_sizeDesc(at_sizesOf(made[i])).str);
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *to[AT_RESULTS];
  for (int i = 0; i < count; i++)
    to[i] = at_sameSizes(at_sizesOf(out[i]), at_sizesOf(made[i]))
                ? out[i]
                : at_hold(&pool, reshaped(out[i], at_sizesOf(made[i])));
  for (int i = 0; i < count; i++)
    if (at_numel(made[i]) > 0)
      at_convert(to[i], made[i]);
  for (int i = 0; i < count; i++)
    if (to[i] != out[i])
      at_exchange(to[i], out[i]);
  at_pool_leave(&pool);
}

at_tensor *at_deliver(at_tensor *out, at_tensor *made)
{
  at_deliverAll(1, &out, &made);
  return out;
}

void at_resizeTo(at_tensor *t, at_ints sizes)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_exchange(t, at_hold(&pool, reshaped(t, sizes)));
  at_pool_leave(&pool);
}

void at_finish(at_pool *pool, int count, at_tensor **out, at_tensor *const *made)
{
  if (out[0]) {
    at_deliverAll(count, out, made);
  } else {
    for (int i = 0; i < count; i++)
      out[i] = at_retain(made[i]);
  }
  at_pool_leave(pool);
}

at_tensor *at_finishOne(at_pool *pool, at_tensor *out, at_tensor *made)
{
  if (!out)
    return at_pool_keep(pool, made);
  if (out == made)
    at_pool_leave(pool);
  else
    at_finish(pool, 1, &out, &made);
  return out;
}

at_tensor *at_finishComposed(at_tensor *out, at_tensor *made)
{
  if (!out || !at_defined(made))
    return made;
  at_pool pool;
  at_pool_enter(&pool);
  return at_finishOne(&pool, out, at_hold(&pool, made));
}
