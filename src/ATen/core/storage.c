/* Storages: references to storages of TH. */
#include "ATenStorage.h"

#include "ATenCore.h"
#include "TH/core/THReference.h"

/* A storage that wraps th.  It takes over the reference to th, also if it raises. */
static at_storage *wrap(const at_type *type, void *th)
{
  THGuard guard;
  THGuard_enter(&guard, type->memory->freeStorage);
  guard.what = th;
  at_storage *storage = THAlloc(sizeof *storage);
  *storage = (at_storage){.refcount = 1, .type = type, .th = th};
  THGuard_keep(&guard);
  return storage;
}

at_storage *at_storage_new(const at_type *type, int64_t count)
{
  if (!at_acceptType("storage_new", "type", type, false))
    return NULL;
  at_call call;
  at_begin(&call, "storage_new");
  at_storage *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    THArgCheck(count >= 0, 2, "count is %lld", (long long)count);
    made = wrap(type, type->memory->newStorage(count));
  }
  return at_failed(&call) ? NULL : made;
}

at_storage *at_storageOf(const at_tensor *t)
{
  if (!at_accept("storageOf", "t", t, false))
    return NULL;
  at_call call;
  at_begin(&call, "storageOf");
  at_storage *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    THArgCheck(t->th->storage != NULL, 1, "t of size %s has no storage",
               at_sizeDesc(at_sizesOf(t)).str);
    THFloatStorage_retain(t->th->storage); /* all storages have the same fields */
    made = wrap(t->type, t->th->storage);
  }
  return at_failed(&call) ? NULL : made;
}

at_storage *at_storage_retain(at_storage *storage)
{
  if (storage)
    THReference_add(&storage->refcount);
  return storage;
}

void at_storage_release(at_storage *storage)
{
  if (!storage || !THReference_drop(&storage->refcount))
    return;
  storage->type->memory->freeStorage(storage->th);
  THFree(storage);
}

const at_type *at_storage_type(const at_storage *storage)
{
  return storage ? storage->type : &at_noType;
}

int64_t at_storage_size(const at_storage *storage)
{
  return storage ? ((const THFloatStorage *)storage->th)->size / at_partsOf(storage->type) : 0;
}

void *at_storage_data(const at_storage *storage)
{
  return storage ? ((const THFloatStorage *)storage->th)->data : NULL;
}

void *at_storage_unsafeGetTH(const at_storage *storage)
{
  return storage ? storage->th : NULL;
}
