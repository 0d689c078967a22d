/* Storages: owning and sharing memory. */
#include "THTemplate.h"
#include "TH/core/THReference.h"
#include "TH/tensor/THStoragePool.h"

real *THStorage_(data)(const THStorage *self)
{
  return self->data;
}

ptrdiff_t THStorage_(size)(const THStorage *self)
{
  return self->size;
}

size_t THStorage_(elementSize)(void)
{
  return sizeof(real);
}

void THStorage_(set)(THStorage *self, ptrdiff_t idx, real value)
{
  THArgCheck(idx >= 0 && idx < self->size, 2,
             "index %td is out of range: the storage has %td elements", idx, self->size);
  self->data[idx] = value;
}

real THStorage_(get)(const THStorage *self, ptrdiff_t idx)
{
  THArgCheck(idx >= 0 && idx < self->size, 2,
             "index %td is out of range: the storage has %td elements", idx, self->size);
  return self->data[idx];
}

/* --- making one ------------------------------------------------------------------------------ */

static ptrdiff_t THStorage_(bytes)(ptrdiff_t size)
{
  ptrdiff_t bytes;
  if (size < 0 || __builtin_mul_overflow(size, (ptrdiff_t)sizeof(real), &bytes))
    THError("a storage cannot have %td elements", size);
  return bytes;
}

THStorage *THStorage_(new)(void)
{
  return THStorage_(newWithSize)(0);
}

THStorage *THStorage_(newWithSize)(ptrdiff_t size)
{
  THStoragePool *const pool = THStoragePool_current();
  return pool ? THStorage_(newWithAllocator)(size, &THStoragePoolAllocator, pool)
              : THStorage_(newWithAllocator)(size, &THDefaultAllocator, NULL);
}

/* The storage is made first, so that data still belongs to the caller (or does not exist) when that
 * fails. */
THStorage *THStorage_(newWithAllocator)(ptrdiff_t size, THAllocator *allocator,
                                        void *allocatorContext)
{
  const ptrdiff_t bytes = THStorage_(bytes)(size);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  THStorage *storage = guard.what =
      THStorage_(newWithDataAndAllocator)(NULL, size, allocator, allocatorContext);
  if (bytes > 0 || (allocator != &THDefaultAllocator && allocator != &THStoragePoolAllocator))
    storage->data = allocator->malloc(allocatorContext, bytes);
  THGuard_keep(&guard);
  return storage;
}

THStorage *THStorage_(newWithData)(real *data, ptrdiff_t size)
{
  return THStorage_(newWithDataAndAllocator)(data, size, &THDefaultAllocator, NULL);
}

THStorage *THStorage_(newWithDataAndAllocator)(real *data, ptrdiff_t size, THAllocator *allocator,
                                               void *allocatorContext)
{
  THStorage_(bytes)(size);
  /* All bytes are 0: ATen uses those behind flag. */
  THStorage *storage = memset(THAlloc(sizeof *storage), 0, sizeof *storage);
  storage->data = data;
  storage->size = size;
  storage->refcount = 1;
  storage->flag = TH_STORAGE_REFCOUNTED | TH_STORAGE_RESIZABLE | TH_STORAGE_FREEMEM;
  storage->allocator = allocator;
  storage->allocatorContext = allocatorContext;
  return storage;
}

static THStorage *THStorage_(newWithValues)(ptrdiff_t size, const real *values)
{
  THStorage *storage = THStorage_(newWithSize)(size);
  memcpy(storage->data, values, (size_t)size * sizeof(real));
  return storage;
}

THStorage *THStorage_(newWithSize1)(real a)
{
  return THStorage_(newWithValues)(1, (real[]){a});
}

THStorage *THStorage_(newWithSize2)(real a, real b)
{
  return THStorage_(newWithValues)(2, (real[]){a, b});
}

THStorage *THStorage_(newWithSize3)(real a, real b, real c)
{
  return THStorage_(newWithValues)(3, (real[]){a, b, c});
}

THStorage *THStorage_(newWithSize4)(real a, real b, real c, real d)
{
  return THStorage_(newWithValues)(4, (real[]){a, b, c, d});
}

static void THStorage_(freeMapContext)(void *context)
{
  THMapAllocatorContext_free(context);
}

THStorage *THStorage_(newWithMapping)(const char *filename, ptrdiff_t size, int flags)
{
  THGuard guard;
  THGuard_enter(&guard, THStorage_(freeMapContext));
  THMapAllocatorContext *context = guard.what = THMapAllocatorContext_new(filename, flags);
  THStorage *storage = THStorage_(newWithAllocator)(size, &THMapAllocator, context);
  THGuard_keep(&guard);

  if (size == 0)
    storage->size = THMapAllocatorContext_size(context) / (ptrdiff_t)sizeof(real);
  THStorage_(clearFlag)(storage, TH_STORAGE_RESIZABLE);
  return storage;
}

/* --- flags and counts ------------------------------------------------------------------------ */

/* Other threads may ask for one flag, to count a reference, while another flag changes. */
void THStorage_(setFlag)(THStorage *storage, const char flag)
{
  __atomic_or_fetch(&storage->flag, flag, __ATOMIC_RELAXED);
}

void THStorage_(clearFlag)(THStorage *storage, const char flag)
{
  __atomic_and_fetch(&storage->flag, (char)~flag, __ATOMIC_RELAXED);
}

static int THStorage_(hasFlag)(const THStorage *storage, char flag)
{
  return __atomic_load_n(&storage->flag, __ATOMIC_RELAXED) & flag;
}

void THStorage_(retain)(THStorage *storage)
{
  if (storage && THStorage_(hasFlag)(storage, TH_STORAGE_REFCOUNTED))
    THReference_add(&storage->refcount);
}

void THStorage_(free)(THStorage *storage)
{
  if (!storage || !THStorage_(hasFlag)(storage, TH_STORAGE_REFCOUNTED))
    return;
  if (!THReference_drop(&storage->refcount))
    return;
  if (storage->flag & TH_STORAGE_VIEW)
    THStorage_(free)(storage->view);
  else if ((storage->flag & TH_STORAGE_FREEMEM) && storage->data)
    storage->allocator->free(storage->allocatorContext, storage->data);
  THFree(storage);
}

void THStorage_(swap)(THStorage *storage1, THStorage *storage2)
{
  const THStorage first = *storage1, second = *storage2;
  const int count1 = first.refcount, count2 = second.refcount;
  *storage1 = second;
  *storage2 = first;
  storage1->refcount = count1;
  storage2->refcount = count2;
}

/* --- contents -------------------------------------------------------------------------------- */

void THStorage_(resize)(THStorage *storage, ptrdiff_t size)
{
  const ptrdiff_t bytes = THStorage_(bytes)(size);
  THArgCheck(storage->flag & TH_STORAGE_RESIZABLE, 1,
             "a storage of %td elements that is not resizable cannot hold %td", storage->size,
             size);
  THAllocator *allocator = storage->allocator;
  void *const context = storage->allocatorContext;

  if (allocator->realloc && (storage->flag & TH_STORAGE_FREEMEM)) {
    storage->data = allocator->realloc(context, storage->data, bytes);
  } else {
    real *data = bytes > 0 ? allocator->malloc(context, bytes) : NULL;
    if (storage->data && data)
      memcpy(data, storage->data, (size_t)THMin(size, storage->size) * sizeof(real));
    if (storage->data && (storage->flag & TH_STORAGE_FREEMEM))
      allocator->free(context, storage->data);
    storage->flag |= TH_STORAGE_FREEMEM; /* the new data is the storage's own */
    storage->data = data;
  }
  storage->size = size;
}

void THStorage_(fill)(THStorage *storage, real value)
{
  for (ptrdiff_t i = 0; i < storage->size; i++)
    storage->data[i] = value;
}
