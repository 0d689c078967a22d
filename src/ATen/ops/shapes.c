/* Functions that change the shape or storage of a tensor. */
#include "ATen/core/ATenOperations.h"

at_tensor *at_newNothing(const at_type *type)
{
  const int64_t none = 0;
  return at_makeEmpty(type, (at_ints){&none, 1});
}

/* A tensor of that type on part of the storage, or if that is NULL on a new one. */
static at_tensor *new_on(const at_type *type, void *storage, int64_t offset, at_ints sizes,
                         const int64_t *strides)
{
  static const int64_t one[] = {1};
  const bool isScalar = sizes.count == 0;
  THFloatTensor of = {.storage = storage}; /* no other field is read */
  at_checkDims(sizes.count);
  void *th = type->memory->newShape(&of, offset, isScalar ? 1 : sizes.count,
                                    isScalar ? one : sizes.data, isScalar ? one : strides);
  return at_wrap(type, th, isScalar);
}

at_tensor *at_newStrided(at_tensor *self, at_ints sizes, at_ints strides)
{
  at_checkStrides(sizes, strides);
  return new_on(self->type, self->th->storage, self->th->storageOffset, sizes, strides.data);
}

at_tensor *at_makeStrided(const at_type *type, at_ints sizes, at_ints strides)
{
  at_checkStrides(sizes, strides);
  return new_on(type ? type : at_getType(AT_BACKEND_CPU, at_defaultType()), NULL, 0, sizes,
                strides.data);
}

/* Raises unless there is a storage, and if type is not NULL one of that type. */
static void check_storage(const at_type *type, const at_storage *storage)
{
  if (!storage)
    at_raise(AT_ERROR_NULL, "storage is NULL");
  if (type && storage->type != type)
    at_raise(AT_ERROR_TYPE, "storage is of %s, and has to be of %s",
             at_scalarTypeName(storage->type->scalarType), at_scalarTypeName(type->scalarType));
}

at_tensor *at_newOnStorage(const at_type *type, at_storage *storage, int64_t offset, at_ints sizes,
                           at_ints strides)
{
  check_storage(type, storage);
  if (strides.data || strides.count > 0)
    at_checkStrides(sizes, strides);
  return new_on(storage->type, storage->th, offset, sizes, strides.data);
}

at_tensor *at_resizedTo(at_tensor *self, at_ints sizes)
{
  if (!at_sameSizes(at_sizesOf(self), sizes))
    at_resizeTo(self, sizes);
  return self;
}

at_tensor *at_setTo(at_tensor *self, at_tensor *source)
{
  at_checkType(source, "source", self->type);
  return at_become(self, at_newAlias(source));
}

at_tensor *at_setToStorage(at_tensor *self, at_storage *storage)
{
  check_storage(self->type, storage);
  const int64_t count = at_storage_size(storage);
  return at_become(self, new_on(self->type, storage->th, 0, (at_ints){&count, 1}, NULL));
}

bool at_isSetTo(const at_tensor *self, const at_tensor *tensor)
{
  return self->type == tensor->type && self->th->storage == tensor->th->storage &&
         self->th->storageOffset == tensor->th->storageOffset &&
         at_sameSizes(at_sizesOf(self), at_sizesOf(tensor)) &&
         at_sameSizes(at_strides(self), at_strides(tensor));
}

at_tensor *at_pinned(at_tensor *self)
{
  at_raise(AT_ERROR_TYPE, "a %s cannot be pinned: there are no such tensors yet", self->type->name);
}
