/* DLPack: tensors handed to other libraries, and taken from them. */
#include "ATenDLPack.h"
#include "ATenDLPackTypes.h"
#include "ATenCUDA.h"
#include "ATen/core/device.h"
#include "ATen/files/Files.h"

/* --- to others -------------------------------------------------------------------------------- */

/* A struct handed to another library, and the view of the tensor that it describes.  The sizes and
 * strides of the view never change. */
typedef struct Handed {
  union {
    DLManagedTensor plain;
    DLManagedTensorVersioned versioned;
  } managed;
  at_tensor *view;
} Handed;

static void take_back(Handed *handed)
{
  at_release(handed->view);
  THFree(handed);
}

static void take_back_plain(DLManagedTensor *managed)
{
  take_back(managed->manager_ctx);
}

static void take_back_versioned(DLManagedTensorVersioned *managed)
{
  take_back(managed->manager_ctx);
}

static DLDevice device_of(const at_tensor *t)
{
  return at_isOnHost(t->type) ? (DLDevice){kDLCPU, 0}
                              : (DLDevice){kDLCUDA, THMax(at_deviceOf(t), 0)};
}

static void describe(DLTensor *d, at_tensor *t)
{
  const at_element *element = &at_elements[t->type->scalarType];
  *d = (DLTensor){.data = at_data(t),
                  .device = device_of(t),
                  .ndim = at_dim(t),
                  .dtype = {element->dlCode, element->dlBits, 1},
                  .shape = t->th->size,
                  .strides = t->th->stride};
}

static Handed *hand_out(at_tensor *t)
{
  THGuard guard;
  at_guard(&guard);
  guard.what = at_newDetached(t);
  Handed *handed = THAlloc(sizeof *handed);
  *handed = (Handed){.view = THGuard_keep(&guard)};
  if (t->th->storage) /* the memory must not be reallocated from now on */
    THFloatStorage_clearFlag(t->th->storage, TH_STORAGE_RESIZABLE);
  return handed;
}

DLManagedTensor *at_toDLPack(at_tensor *t)
{
  if (!at_accept("toDLPack", "t", t, false))
    return NULL;
  at_call call = {.operation = "toDLPack"};
  DLManagedTensor *volatile managed = NULL;
  TH_TRY(call.attempt)
  {
    Handed *handed = hand_out(t);
    managed = &handed->managed.plain;
    *managed = (DLManagedTensor){.manager_ctx = handed, .deleter = take_back_plain};
    describe(&managed->dl_tensor, handed->view);
  }
  at_failed(&call);
  return managed;
}

DLManagedTensorVersioned *at_toDLPackVersioned(at_tensor *t)
{
  if (!at_accept("toDLPackVersioned", "t", t, false))
    return NULL;
  at_call call = {.operation = "toDLPackVersioned"};
  DLManagedTensorVersioned *volatile managed = NULL;
  TH_TRY(call.attempt)
  {
    Handed *handed = hand_out(t);
    managed = &handed->managed.versioned;
    *managed = (DLManagedTensorVersioned){.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
                                          .manager_ctx = handed,
                                          .deleter = take_back_versioned};
    describe(&managed->dl_tensor, handed->view);
  }
  at_failed(&call);
  return managed;
}

/* --- from others ------------------------------------------------------------------------------ */

static void *never_allocate(void *managed, ptrdiff_t size)
{
  THError("the memory of another library cannot grow (to %td bytes)", size);
}

static void delete_plain(void *managed, void *data)
{
  DLManagedTensor *m = managed;
  if (m->deleter)
    m->deleter(m);
}

static void delete_versioned(void *managed, void *data)
{
  DLManagedTensorVersioned *m = managed;
  if (m->deleter)
    m->deleter(m);
}

static THAllocator plain = {never_allocate, NULL, delete_plain};
static THAllocator versioned = {never_allocate, NULL, delete_versioned};

static const at_type *type_of(const DLTensor *d)
{
  const int kind = (int)d->device.device_type;
  const bool isOnHost = kind == kDLCPU || kind == kDLCUDAHost || kind == kDLROCMHost;
  if (!isOnHost && kind != kDLCUDA && kind != kDLCUDAManaged)
    at_raise(AT_ERROR_TYPE, "the memory is that of a device of type %d, not the CPU's or CUDA's",
             kind);
  if (!isOnHost && (d->device.device_id < 0 || d->device.device_id >= at_cuda_deviceCount()))
    at_raise(AT_ERROR_ARGUMENT, "the memory is that of CUDA device %d, and there are %d",
             (int)d->device.device_id, at_cuda_deviceCount());
  for (int i = 0; i < AT_SCALAR_TYPES && d->dtype.lanes == 1; i++)
    if (at_elements[i].dlCode == d->dtype.code && at_elements[i].dlBits == d->dtype.bits)
      return at_getType(isOnHost ? AT_BACKEND_CPU : AT_BACKEND_CUDA, (at_scalar_type)i);
  at_raise(AT_ERROR_TYPE, "elements of type code %d with %d bits and %d lanes are not here",
           d->dtype.code, d->dtype.bits, d->dtype.lanes);
}

/* The sizes and strides; row-major ones where there are none. */
static at_ints shape_of(const DLTensor *d, int64_t *strides, int64_t *end)
{
  const at_ints sizes = {d->shape, d->ndim};
  if (d->ndim < 0 || d->ndim > AT_MOST_DIMS || (d->ndim > 0 && !d->shape))
    at_raise(AT_ERROR_ARGUMENT, "there are %d dimensions, at most %d are possible", (int)d->ndim,
             AT_MOST_DIMS);
  int64_t step = 1;
  for (int i = sizes.count - 1; i >= 0; i--) {
    strides[i] = d->strides ? d->strides[i] : step;
    if (__builtin_mul_overflow(step, THMax(sizes.data[i], 1), &step))
      at_raise(AT_ERROR_ARGUMENT, "the shape (%s) has too many elements", at_sizeDesc(sizes).str);
    if (sizes.data[i] <= 1) /* a stride that is never used may have any value */
      strides[i] = THMax(strides[i], 0);
  }
  if (!at_reach(sizes, strides, 0, end))
    at_raise(AT_ERROR_ARGUMENT, "size (%s) with strides (%s) is no shape", at_sizeDesc(sizes).str,
             at_sizeDesc((at_ints){strides, sizes.count}).str);
  return sizes;
}

/* Frees a storage of a device. */
static void free_there(void *storage)
{
  at_getType(AT_BACKEND_CUDA, AT_BYTE)->memory->freeStorage(storage);
}

typedef struct There {
  void *managed;
  THAllocator *allocator;
  bool isTaken;
} There;

static void release_there(void *what)
{
  There *const there = what;
  if (there->isTaken)
    there->allocator->free(there->managed, NULL);
  THFree(there);
}

/* A tensor on the memory of a device that d describes: count elements at d's data. */
static at_tensor *take_there(const at_type *type, const DLTensor *d, int64_t count, at_ints sizes,
                             const int64_t *strides, void *managed, THAllocator *allocator)
{
  THGuard guard, memory;
  THGuard_enter(&guard, THFree);
  There *const there = guard.what = THAlloc(sizeof *there);
  *there = (There){managed, allocator, false};
  THGuard_enter(&memory, free_there);
  void *const storage =
      at_cuda()->adopt((char *)d->data + d->byte_offset, d->device.device_id, count,
                       type->elementSize / (size_t)at_partsOf(type), release_there, there);
  guard.what = NULL; /* the storage frees it */
  memory.what = storage;
  at_tensor *const t = at_newOnMemory(type, storage, sizes, strides);
  there->isTaken = true;
  THGuard_leave(&memory);
  THGuard_leave(&guard);
  return t;
}

/* Takes over managed in the last step, which cannot fail. */
static at_tensor *take(const DLTensor *d, void *managed, THAllocator *allocator)
{
  int64_t strides[AT_MOST_DIMS], end;
  const at_type *type = type_of(d);
  const at_ints sizes = shape_of(d, strides, &end);
  if (end == 0) {
    at_tensor *t = at_newShape(type, sizes);
    allocator->free(managed, NULL);
    return t;
  }
  char *data = (char *)d->data + d->byte_offset;
  int64_t bytes;
  if (!d->data)
    at_raise(AT_ERROR_NULL, "there is no data for size (%s)", at_sizeDesc(sizes).str);
  const size_t aligned = type->elementSize / (size_t)at_partsOf(type);
  if ((uintptr_t)data % aligned != 0)
    at_raise(AT_ERROR_ARGUMENT, "the data, at %p, is not aligned for elements of %zu bytes",
             (void *)data, aligned);
  if (__builtin_mul_overflow(end, (int64_t)type->elementSize, &bytes))
    at_raise(AT_ERROR_ARGUMENT, "size (%s) with strides (%s) is no shape", at_sizeDesc(sizes).str,
             at_sizeDesc((at_ints){strides, sizes.count}).str);
  if (!at_isOnHost(type))
    return take_there(type, d, end * at_partsOf(type), sizes, strides, managed, allocator);

  THGuard guard;
  THGuard_enter(&guard, (THUndo)THByteStorage_free);
  THByteStorage *storage = guard.what =
      THByteStorage_newWithDataAndAllocator((uint8_t *)data, bytes, allocator, managed);
  storage->size = end * at_partsOf(type);
  storage->flag = TH_STORAGE_REFCOUNTED; /* the storage does not own the data yet */
  at_tensor *t = at_newOnMemory(type, storage, sizes, strides);
  THGuard_leave(&guard);
  storage->flag |= TH_STORAGE_FREEMEM;
  return t;
}

at_tensor *at_fromDLPack(DLManagedTensor *managed)
{
  at_call call = {.operation = "fromDLPack"};
  at_tensor *volatile t = NULL;
  TH_TRY(call.attempt)
  {
    if (!managed)
      at_raise(AT_ERROR_NULL, "managed is NULL");
    t = take(&managed->dl_tensor, managed, &plain);
  }
  return at_return(&call, t, true);
}

at_tensor *at_fromDLPackVersioned(DLManagedTensorVersioned *managed)
{
  at_call call = {.operation = "fromDLPackVersioned"};
  at_tensor *volatile t = NULL;
  TH_TRY(call.attempt)
  {
    if (!managed)
      at_raise(AT_ERROR_NULL, "managed is NULL");
    if (managed->version.major != DLPACK_MAJOR_VERSION) /* no other field may be read */
      at_raise(AT_ERROR_ARGUMENT, "it is of version %u.%u of DLPack; %d is known",
               managed->version.major, managed->version.minor, DLPACK_MAJOR_VERSION);
    if (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY)
      at_raise(AT_ERROR_ARGUMENT,
               "the memory is read-only, and every tensor here can be written to");
    t = take(&managed->dl_tensor, managed, &versioned);
  }
  return at_return(&call, t, true);
}
