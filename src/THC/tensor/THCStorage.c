/* Storages: owning and sharing device memory. */
#include "THCTemplate.h"

#include "THC/core/THCPrivate.h"
#include "THC/core/thc_kernels.h"
#include "TH/core/THReference.h"

real *THCStorage_(data)(THCState *state, const THCStorage *self)
{
  return self->data;
}

ptrdiff_t THCStorage_(size)(THCState *state, const THCStorage *self)
{
  return self->size;
}

int THCStorage_(elementSize)(THCState *state)
{
  return sizeof(real);
}

int THCStorage_(getDevice)(THCState *state, const THCStorage *storage)
{
  return storage->device;
}

/* --- one element ---------------------------------------------------------------------------- */

/* Copies between the host and the storage's device, on its current stream, and waits. */
static void THCStorage_(move)(THCState *state, const THCStorage *self, ptrdiff_t at, void *host,
                              ptrdiff_t count, enum cudaMemcpyKind kind)
{
  THCOnDevice on;
  THCOnDevice_enter(&on, self->device);
  THCStream *stream = THC_streamOn(state, self->device);
  void *device = self->data + at;
  const int in = kind == cudaMemcpyHostToDevice;
  THCudaCheck(cudaMemcpyAsync(in ? device : host, in ? host : device, (size_t)count * sizeof(real),
                              kind, stream->stream));
  THC_waitFor(stream);
  THCOnDevice_leave(&on);
}

void THCStorage_(set)(THCState *state, THCStorage *self, ptrdiff_t idx, real value)
{
  THC_enter(state);
  THArgCheck(idx >= 0 && idx < self->size, 2,
             "index %td is out of range: the storage has %td elements", idx, self->size);
  THCStorage_(move)(state, self, idx, &value, 1, cudaMemcpyHostToDevice);
}

real THCStorage_(get)(THCState *state, const THCStorage *self, ptrdiff_t idx)
{
  THC_enter(state);
  THArgCheck(idx >= 0 && idx < self->size, 2,
             "index %td is out of range: the storage has %td elements", idx, self->size);
  real value;
  THCStorage_(move)(state, self, idx, &value, 1, cudaMemcpyDeviceToHost);
  return value;
}

/* --- making one ----------------------------------------------------------------------------- */

static ptrdiff_t THCStorage_(bytes)(ptrdiff_t size)
{
  ptrdiff_t bytes;
  if (size < 0 || __builtin_mul_overflow(size, (ptrdiff_t)sizeof(real), &bytes))
    THError("a storage cannot have %td elements", size);
  return bytes;
}

THCStorage *THCStorage_(new)(THCState *state)
{
  return THCStorage_(newWithSize)(state, 0);
}

THCStorage *THCStorage_(newWithSize)(THCState *state, ptrdiff_t size)
{
  THC_enter(state);
  THCDeviceAllocator *allocator = state->cudaDeviceAllocator;
  return THCStorage_(newWithAllocator)(state, size, allocator, allocator ? allocator->state : NULL);
}

/* The storage is made before it takes the data: if making it fails, data still belongs to the
 * caller. */
THCStorage *THCStorage_(newWithAllocator)(THCState *state, ptrdiff_t size,
                                          THCDeviceAllocator *allocator, void *allocatorContext)
{
  const ptrdiff_t bytes = THCStorage_(bytes)(size);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  THCStorage *storage = guard.what =
      THCStorage_(newWithDataAndAllocator)(state, NULL, size, allocator, allocatorContext);
  THCHeapUpdate(state, bytes);
  storage->data = THC_allocate(state, allocator, allocatorContext, (size_t)bytes);
  THGuard_keep(&guard);
  return storage;
}

THCStorage *THCStorage_(newWithData)(THCState *state, real *data, ptrdiff_t size)
{
  THC_enter(state);
  THCDeviceAllocator *allocator = state->cudaDeviceAllocator;
  return THCStorage_(newWithDataAndAllocator)(state, data, size, allocator,
                                              allocator ? allocator->state : NULL);
}

THCStorage *THCStorage_(newWithDataAndAllocator)(THCState *state, real *data, ptrdiff_t size,
                                                 THCDeviceAllocator *allocator,
                                                 void *allocatorContext)
{
  THC_enter(state);
  THArgCheck(allocator, 3, "the allocator is NULL: THCudaInit gives the state one");
  THCStorage_(bytes)(size);
  const int device = THC_currentDevice();
  /* All bytes are 0: ATen uses those behind flag. */
  THCStorage *storage = memset(THAlloc(sizeof *storage), 0, sizeof *storage);
  storage->data = data;
  storage->size = size;
  storage->refcount = 1;
  storage->flag = TH_STORAGE_REFCOUNTED | TH_STORAGE_RESIZABLE | TH_STORAGE_FREEMEM;
  storage->allocator = allocator;
  storage->allocatorContext = allocatorContext;
  storage->device = device;
  return storage;
}

/* Every public function that calls this has set THC_using to the state. */
static void THCStorage_(release)(void *storage)
{
  THCStorage_(free)(THC_using, storage);
}

static THCStorage *THCStorage_(newWithValues)(THCState *state, ptrdiff_t size, real *values)
{
  THGuard guard;
  THGuard_enter(&guard, THCStorage_(release));
  THCStorage *storage = guard.what = THCStorage_(newWithSize)(state, size);
  THCStorage_(move)(state, storage, 0, values, size, cudaMemcpyHostToDevice);
  return THGuard_keep(&guard);
}

THCStorage *THCStorage_(newWithSize1)(THCState *state, real a)
{
  return THCStorage_(newWithValues)(state, 1, (real[]){a});
}

THCStorage *THCStorage_(newWithSize2)(THCState *state, real a, real b)
{
  return THCStorage_(newWithValues)(state, 2, (real[]){a, b});
}

THCStorage *THCStorage_(newWithSize3)(THCState *state, real a, real b, real c)
{
  return THCStorage_(newWithValues)(state, 3, (real[]){a, b, c});
}

THCStorage *THCStorage_(newWithSize4)(THCState *state, real a, real b, real c, real d)
{
  return THCStorage_(newWithValues)(state, 4, (real[]){a, b, c, d});
}

THCStorage *THCStorage_(newWithMapping)(THCState *state, const char *filename, ptrdiff_t size,
                                        int shared)
{
  THC_enter(state);
  THError("file %s cannot be mapped into the memory of a device", filename ? filename : "(NULL)");
}

/* --- flags and counts ----------------------------------------------------------------------- */

void THCStorage_(setFlag)(THCState *state, THCStorage *storage, const char flag)
{
  storage->flag |= flag;
}

void THCStorage_(clearFlag)(THCState *state, THCStorage *storage, const char flag)
{
  storage->flag &= (char)~flag;
}

void THCStorage_(retain)(THCState *state, THCStorage *storage)
{
  if (storage && (storage->flag & TH_STORAGE_REFCOUNTED))
    THReference_add(&storage->refcount);
}

void THCStorage_(free)(THCState *state, THCStorage *storage)
{
  if (!storage || !(storage->flag & TH_STORAGE_REFCOUNTED))
    return;
  if (!THReference_drop(&storage->refcount))
    return;
  THC_enter(state);
  cudaError_t status = cudaSuccess;
  if (storage->flag & TH_STORAGE_VIEW) {
    THCStorage_(free)(state, storage->view);
  } else if ((storage->flag & TH_STORAGE_FREEMEM) && storage->data) {
    THCHeapUpdate(state, -(storage->size * (ptrdiff_t)sizeof(real)));
    status = storage->allocator->free(storage->allocatorContext, storage->data);
  }
  THFree(storage);
  THCudaCheck(status);
}

/* --- contents ------------------------------------------------------------------------------- */

/* Device memory that a guard holds. */
typedef struct {
  const THCStorage *storage;
  void *data;
} THCStorage_(Memory);

static void THCStorage_(freeMemory)(void *what)
{
  const THCStorage_(Memory) *memory = what;
  memory->storage->allocator->free(memory->storage->allocatorContext, memory->data);
}

/* Copies the data to a new block on the stream that uses the old block.  Later work on this stream
 * may reuse the old block as soon as the copy is queued. */
static void THCStorage_(moveData)(THCState *state, THCStorage *storage, ptrdiff_t size,
                                  ptrdiff_t bytes)
{
  THCDeviceAllocator *allocator = storage->allocator;
  void *const context = storage->allocatorContext;
  THCStorage_(Memory) memory = {storage, THC_allocate(state, allocator, context, (size_t)bytes)};
  THGuard guard;
  THGuard_enter(&guard, THCStorage_(freeMemory));
  guard.what = memory.data ? &memory : NULL;
  const size_t kept = (size_t)THMin(size, storage->size) * sizeof(real);
  if (storage->data && memory.data && kept)
    THCudaCheck(cudaMemcpyAsync(memory.data, storage->data, kept, cudaMemcpyDeviceToDevice,
                                THC_streamOn(state, THC_currentDevice())->stream));
  THGuard_keep(&guard);
  real *old = storage->data;
  const int owned = old && (storage->flag & TH_STORAGE_FREEMEM);
  storage->flag |= TH_STORAGE_FREEMEM; /* the new data is the storage's own */
  storage->data = memory.data;
  storage->size = size;
  if (owned)
    THCudaCheck(allocator->free(context, old));
}

void THCStorage_(resize)(THCState *state, THCStorage *storage, ptrdiff_t size)
{
  THC_enter(state);
  const ptrdiff_t bytes = THCStorage_(bytes)(size);
  THArgCheck(storage->flag & TH_STORAGE_RESIZABLE, 1,
             "a storage of %td elements that is not resizable cannot hold %td", storage->size,
             size);
  const ptrdiff_t owned =
      storage->flag & TH_STORAGE_FREEMEM ? storage->size * (ptrdiff_t)sizeof(real) : 0;
  const int device = storage->data ? storage->device : THC_currentDevice();
  THCHeapUpdate(state, bytes - owned);
  THCOnDevice on;
  THCOnDevice_enter(&on, device);
  THCDeviceAllocator *allocator = storage->allocator;
  if (allocator->realloc && (storage->flag & TH_STORAGE_FREEMEM)) {
    void *data = storage->data;
    THCudaCheck(allocator->realloc(storage->allocatorContext, &data, (size_t)owned, (size_t)bytes,
                                   THC_streamOn(state, device)->stream));
    storage->data = data;
    storage->size = size;
  } else {
    THCStorage_(moveData)(state, storage, size, bytes);
  }
  storage->device = device;
  THCOnDevice_leave(&on);
}

void THCStorage_(fill)(THCState *state, THCStorage *storage, real value)
{
  THC_enter(state);
  if (storage->size == 0)
    return;
  const int64_t size = storage->size, stride = 1;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, storage->data, sizeof(real), 1, &size, &stride);
  THCOnDevice on;
  THCOnDevice_enter(&on, storage->device);
  THCWalk_run(&loop, THC_fillers[TH_CONCAT_2(THScalar, Real)], &value,
              THC_streamOn(state, storage->device)->stream);
  THCOnDevice_leave(&on);
}
