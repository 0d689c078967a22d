/* Tensors: references, properties, creation. */
#include <stdio.h>
#include <string.h>

#include "ATenCore.h"
#include "TH/core/THReference.h"

/* The undefined tensor: its references are counted as those of others, but it is never freed. */
static at_tensor undefined = {.refcount = 1};
at_tensor *const at_undefinedTensor = &undefined;

/* Releases a tensor at the end of its scope. */
static void release(at_owned *owned)
{
  at_tensor *const t = (at_tensor *)owned;
  if (__atomic_load_n(&t->refcount, __ATOMIC_ACQUIRE) <= 0) /* another thread has released it */
    THFree(t);
  else
    at_release(t);
}

at_tensor *at_undefined(void)
{
  return &undefined;
}

bool at_defined(const at_tensor *t)
{
  return t && t != &undefined;
}

at_tensor *at_retain(at_tensor *t)
{
  if (at_defined(t))
    THReference_add(&t->refcount);
  return t;
}

/* --- making one ------------------------------------------------------------------------------ */

void at_guard(THGuard *guard)
{
  THGuard_enter(guard, (THUndo)at_release);
}

void at_checkDims(int dims)
{
  if (dims > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "a tensor has at most %d dimensions, not %d", AT_MOST_DIMS, dims);
}

at_tensor *at_wrap(const at_type *type, void *th, bool isScalar)
{
  THGuard guard;
  THGuard_enter(&guard, type->memory->free);
  guard.what = th;
  at_checkDims(((const THFloatTensor *)th)->nDimension);
  at_tensor *t = THAlloc(sizeof *t);
  *t = (at_tensor){
      .owned.release = release, .refcount = 1, .isScalar = isScalar, .type = type, .th = th};
  THGuard_keep(&guard);
  return t;
}

static const int64_t one[] = {1};

at_tensor *at_newShape(const at_type *type, at_ints sizes)
{
  const bool isScalar = sizes.count == 0;
  void *th = type->memory->newShape(NULL, 0, isScalar ? 1 : sizes.count,
                                    isScalar ? one : sizes.data, NULL);
  return at_wrap(type, th, isScalar);
}

at_tensor *at_newView(at_tensor *t, ptrdiff_t offset, at_ints sizes, const int64_t *strides)
{
  const bool isScalar = sizes.count == 0;
  at_checkDims(sizes.count); /* before the storage grows */
  void *th = t->type->memory->newShape(t->th, offset, isScalar ? 1 : sizes.count,
                                       isScalar ? one : sizes.data, isScalar ? one : strides);
  return at_wrap(t->type, th, isScalar);
}

at_tensor *at_newCast(at_tensor *t, const at_type *type)
{
  THGuard guard;
  at_guard(&guard);
  at_tensor *r = guard.what = at_newShape(type, at_sizesOf(t));
  if (at_numel(t) > 0)
    at_convert(r, t);
  return THGuard_keep(&guard);
}

at_tensor *at_fromTH(const at_type *type, void *th)
{
  static const int64_t none[] = {0};
  if (!at_acceptType("fromTH", "type", type, false))
    return at_undefined();
  at_call call;
  at_begin(&call, "fromTH");
  at_tensor *volatile t = NULL;
  TH_TRY(call.attempt)
  {
    if (!th)
      at_raise(AT_ERROR_NULL, "th is NULL");
    if (at_isComplex(type->scalarType))
      at_raise(AT_ERROR_TYPE, "TH has no tensors of %s", at_scalarTypeName(type->scalarType));
    THGuard guard;
    THGuard_enter(&guard, type->memory->free);
    guard.what = th;
    if (((THFloatTensor *)th)->nDimension == 0) /* TH's empty tensor */
      type->memory->setShape(th, 0, 1, none, NULL);
    t = at_wrap(type, THGuard_keep(&guard), false);
  }
  return at_return(&call, t, true);
}

at_tensor *at_fromArray(const at_type *type, const void *elements, at_ints sizes)
{
  const char *const name = "fromArray";
  if (!at_acceptType(name, "type", type, false) || !at_acceptInts(name, "sizes", sizes, 0))
    return at_undefined();
  at_call call;
  at_begin(&call, name);
  at_tensor *volatile t = NULL;
  TH_TRY(call.attempt)
  {
    const bool isOnHost = at_isOnHost(type);
    THGuard guard;
    at_guard(&guard);
    at_tensor *const made = guard.what =
        at_newShape(isOnHost ? type : at_getType(AT_BACKEND_CPU, type->scalarType), sizes);
    if (at_numel(made) > 0 && !elements)
      at_raise(AT_ERROR_NULL, "elements is NULL");
    if (at_numel(made) > 0)
      memcpy(at_data(made), elements, (size_t)at_numel(made) * made->type->elementSize);
    t = isOnHost ? THGuard_keep(&guard) : at_newCast(made, type);
    if (!isOnHost)
      THGuard_leave(&guard);
  }
  return at_return(&call, t, true);
}

/* --- what it is ------------------------------------------------------------------------------ */

void *at_unsafeGetTH(const at_tensor *t)
{
  return at_defined(t) ? t->th : NULL;
}

const at_type *at_typeOf(const at_tensor *t)
{
  return at_defined(t) ? t->type : &at_noType;
}

at_ints at_sizes(const at_tensor *t)
{
  const at_ints none = {NULL, 0};
  return at_defined(t) ? at_sizesOf(t) : none;
}

at_ints at_strides(const at_tensor *t)
{
  at_ints strides = at_sizes(t);
  if (strides.count > 0)
    strides.data = t->th->stride;
  return strides;
}

int at_dim(const at_tensor *t)
{
  return at_sizes(t).count;
}

int64_t at_numel(const at_tensor *t)
{
  if (!at_defined(t))
    return 0;
  int64_t count = 1;
  for (int d = 0; d < t->th->nDimension; d++)
    count *= t->th->size[d];
  return t->th->nDimension > 0 ? count : 0;
}

int64_t at_storageOffset(const at_tensor *t)
{
  return at_defined(t) ? t->th->storageOffset : 0;
}

/* Entry dim of sizes or strides; a negative dim counts from the end. */
static int64_t entry(const at_tensor *t, at_ints of, int64_t dim, const char *operation)
{
  if (!at_accept(operation, "t", t, false))
    return -1;
  if (dim < -of.count || dim >= of.count) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: dimension %lld is out of range of %d dimensions",
            operation, (long long)dim, of.count);
    return -1;
  }
  return of.data[dim < 0 ? dim + of.count : dim];
}

int64_t at_size(const at_tensor *t, int64_t dim)
{
  return entry(t, at_sizes(t), dim, "size");
}

int64_t at_stride(const at_tensor *t, int64_t dim)
{
  return entry(t, at_strides(t), dim, "stride");
}

bool at_isContiguous(const at_tensor *t)
{
  if (!at_defined(t))
    return false;
  int64_t count = 1;
  for (int d = t->th->nDimension - 1; d >= 0; d--) {
    if (t->th->size[d] != 1 && t->th->stride[d] != count)
      return at_numel(t) == 0;
    count *= t->th->size[d];
  }
  return true;
}

void *at_data(const at_tensor *t)
{
  if (at_numel(t) == 0)
    return NULL;
  return (char *)t->th->storage->data + (size_t)t->th->storageOffset * t->type->elementSize;
}

void *at_hostData(const at_tensor *t)
{
  if (t && !at_isOnHost(t->type))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s: it computes on the CPU",
             t->type->name);
  return at_data(t);
}

const at_tensor *at_onHost(THGuard *guard, const at_tensor *t)
{
  at_guard(guard);
  if (at_isOnHost(t->type))
    return t;
  return guard->what = at_newCast((at_tensor *)t, at_hostType(t->type));
}

THDescBuff at_sizeDesc(at_ints sizes)
{
  if (sizes.count > 0)
    return _THSizeDesc(sizes.data, sizes.count);
  THDescBuff none;
  strcpy(none.str, "[]");
  return none;
}
