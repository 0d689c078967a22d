/* Memory of devices and of the host.  A table knows every block: pointers are looked up in it, as
 * the driver does. */
#define _GNU_SOURCE
#include "internal.h"

#include "race.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <string.h>
#include <unistd.h>

/* --- the table ---------------------------------------------------------------------------- */

/* All blocks, in the order of addresses. */
static CusimBlock *blocks;
static size_t nblocks, capacity;
uint64_t cusim_block_changes;
static size_t used[CUSIM_MOST_DEVICES];

/* The first block that begins after an address. */
static size_t after(const void *address)
{
  size_t low = 0, high = nblocks;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (blocks[middle].base <= (const char *)address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* An empty block's address is its own, too. */
CusimBlock *cusim_find(const void *address)
{
  const size_t at = after(address);
  if (!at)
    return NULL;
  CusimBlock *block = &blocks[at - 1];
  const size_t offset = (size_t)((const char *)address - block->base);
  return offset < block->size || !offset ? block : NULL;
}

static bool add(CusimBlock block)
{
  if (nblocks == capacity) {
    const size_t more = capacity ? 2 * capacity : 256;
    CusimBlock *larger = realloc(blocks, more * sizeof *blocks);
    if (!larger)
      return false;
    blocks = larger;
    capacity = more;
  }
  const size_t at = after(block.base);
  memmove(blocks + at + 1, blocks + at, (nblocks - at) * sizeof *blocks);
  block.serial = ++cusim_block_changes;
  blocks[at] = block;
  nblocks++;
  return true;
}

static void drop(CusimBlock *block)
{
  const size_t at = (size_t)(block - blocks);
  memmove(blocks + at, blocks + at + 1, (nblocks - at - 1) * sizeof *blocks);
  nblocks--;
  cusim_block_changes++;
}

/* --- blocks ------------------------------------------------------------------------------- */

/* cudaMalloc aligns to at least 256 bytes.  With AddressSanitizer the block has its exact size;
 * otherwise it has a guard on each side, which is checked when the block is freed. */
enum { ALIGNMENT = 512 };
#ifdef __SANITIZE_ADDRESS__
enum { GUARD = 0 };
#else
enum { GUARD = ALIGNMENT };
#endif
enum { GUARD_BYTE = 0xA5 };

/* LARGE blocks: only the pages that are used take memory, so that tests reach far offsets; what is
 * not initialised reads as 0 there. */
#define LARGE ((size_t)1 << 30)

static char *obtain_large(size_t size)
{
  char *memory = mmap(NULL, size + 2 * GUARD, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  memset(memory, GUARD_BYTE, GUARD);
  memset(memory + GUARD + size, GUARD_BYTE, GUARD);
  return memory + GUARD;
}

static bool is_protected(enum cudaMemoryType type)
{
  return type == cudaMemoryTypeDevice && cusim_protects();
}

static char *obtain(size_t size, enum cudaMemoryType type)
{
  void *memory = NULL;
  if (size > SIZE_MAX / 2)
    return NULL;
  if (is_protected(type))
    memory = cusim_obtain_protected(size + 2 * GUARD);
  else if (size > LARGE)
    return obtain_large(size);
  else if (posix_memalign(&memory, ALIGNMENT, size + 2 * GUARD))
    return NULL;
  if (!memory)
    return NULL;
  char *base = (char *)memory + GUARD;
  memset(base - GUARD, GUARD_BYTE, GUARD);
  memset(base + size, GUARD_BYTE, GUARD);
  if (size <= LARGE)
    memset(base, 0xFF, size); /* uninitialised memory reads as NaN, or -1 */
  return base;
}

static void give_back(const CusimBlock *block)
{
  for (int i = 0; i < GUARD; i++) {
    if ((unsigned char)block->base[-1 - i] != GUARD_BYTE)
      cusim_complain("something was written %d bytes before a block of %zu bytes", i + 1,
                     block->size);
    if ((unsigned char)block->base[block->size + (size_t)i] != GUARD_BYTE)
      cusim_complain("something was written %d bytes behind a block of %zu bytes", i, block->size);
  }
  cusim_race_forget(block->base, block->size);
  if (is_protected(block->type))
    cusim_release_protected(block->base - GUARD);
  else if (block->size > LARGE)
    munmap(block->base - GUARD, block->size + 2 * GUARD);
  else
    free(block->base - GUARD);
}

static cudaError_t allocate(void **result, size_t size, enum cudaMemoryType type, unsigned flags)
{
  const int device = cusim_device();
  const bool on_device = type != cudaMemoryTypeHost;
  if (!cusim_device_count())
    return cudaErrorNoDevice;
  if (!result)
    return cudaErrorInvalidValue;
  *result = NULL;
  if (!size)
    return cudaSuccess;
  if (on_device && size > cusim_device_memory() - used[device])
    return cudaErrorMemoryAllocation;
  cusim_show();
  const CusimBlock block = {
      .base = obtain(size, type), .size = size, .device = device, .type = type, .flags = flags};
  const bool added = block.base && add(block);
  if (block.base && !added)
    give_back(&block);
  cusim_hide();
  if (!added)
    return cudaErrorMemoryAllocation;
  if (on_device)
    used[device] += size;
  *result = block.base;
  return cudaSuccess;
}

/* As in CUDA, freeing waits for the device. */
static cudaError_t release(void *address, bool host)
{
  if (!address)
    return cudaSuccess;
  CusimBlock *block = cusim_find(address);
  if (!block || block->base != address || block->registered ||
      host != (block->type == cudaMemoryTypeHost))
    return cudaErrorInvalidValue;
  if (host)
    for (int device = 0; device < cusim_device_count(); device++)
      cusim_run_device(device);
  else
    cusim_run_device(block->device);
  block = cusim_find(address); /* a host function may have allocated */
  const CusimBlock gone = *block;
  drop(block);
  if (!host)
    used[gone.device] -= gone.size;
  cusim_show();
  give_back(&gone);
  cusim_hide();
  return cudaSuccess;
}

/* --- the interface ------------------------------------------------------------------------ */

cudaError_t cudaMalloc(void **result, size_t size)
{
  cusim_enter();
  return cusim_leave(allocate(result, size, cudaMemoryTypeDevice, 0));
}

cudaError_t cudaMallocManaged(void **result, size_t size, unsigned flags)
{
  cusim_enter();
  return cusim_leave(size ? allocate(result, size, cudaMemoryTypeManaged, flags)
                          : cudaErrorInvalidValue);
}

cudaError_t cudaHostAlloc(void **result, size_t size, unsigned flags)
{
  cusim_enter();
  return cusim_leave(allocate(result, size, cudaMemoryTypeHost, flags));
}

cudaError_t cudaMallocHost(void **result, size_t size)
{
  return cudaHostAlloc(result, size, cudaHostAllocDefault);
}

cudaError_t cudaMallocPitch(void **result, size_t *pitch, size_t width, size_t height)
{
  cusim_enter();
  const size_t row = (width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  size_t size;
  if (row < width || __builtin_mul_overflow(row, height, &size))
    return cusim_leave(cudaErrorMemoryAllocation);
  const cudaError_t status = allocate(result, size, cudaMemoryTypeDevice, 0);
  if (!status)
    *pitch = row;
  return cusim_leave(status);
}

cudaError_t cudaFree(void *address)
{
  cusim_enter();
  return cusim_leave(release(address, false));
}

cudaError_t cudaFreeHost(void *address)
{
  cusim_enter();
  return cusim_leave(release(address, true));
}

cudaError_t cudaHostRegister(void *address, size_t size, unsigned flags)
{
  cusim_enter();
  if (!address || !size)
    return cusim_leave(cudaErrorInvalidValue);
  const size_t next = after((char *)address + size - 1);
  if (cusim_find(address) || (next && blocks[next - 1].base >= (char *)address))
    return cusim_leave(cudaErrorHostMemoryAlreadyRegistered);
  const CusimBlock block = {.base = address,
                            .size = size,
                            .device = cusim_device(),
                            .type = cudaMemoryTypeHost,
                            .registered = true,
                            .flags = flags};
  return cusim_leave(add(block) ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *address)
{
  cusim_enter();
  CusimBlock *block = cusim_find(address);
  if (!block || block->base != address || !block->registered)
    return cusim_leave(cudaErrorHostMemoryNotRegistered);
  for (int device = 0; device < cusim_device_count(); device++)
    cusim_run_device(device);
  cusim_race_forget(address, cusim_find(address)->size);
  drop(cusim_find(address));
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaHostGetDevicePointer(void **result, void *address, unsigned flags)
{
  cusim_enter();
  const CusimBlock *block = cusim_find(address);
  if (flags || !block || block->type != cudaMemoryTypeHost)
    return cusim_leave(cudaErrorInvalidValue);
  *result = address;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *address)
{
  cusim_enter();
  const CusimBlock *block = cusim_find(address);
  if (!block || block->type != cudaMemoryTypeHost)
    return cusim_leave(cudaErrorInvalidValue);
  *flags = block->flags;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
  cusim_enter();
  *total = cusim_device_memory();
  *available = *total - used[cusim_device()];
  return cusim_leave(cusim_device_count() ? cudaSuccess : cudaErrorNoDevice);
}

/* Memory that the runtime does not know is no error. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *address)
{
  cusim_enter();
  const CusimBlock *block = cusim_find(address);
  *attributes = (struct cudaPointerAttributes){
      .type = cudaMemoryTypeUnregistered, .device = -2, .hostPointer = (void *)address};
  if (block) {
    attributes->type = block->type;
    attributes->device = block->device;
    attributes->devicePointer = (void *)address;
    if (block->type == cudaMemoryTypeDevice)
      attributes->hostPointer = NULL;
  }
  return cusim_leave(cusim_device_count() ? cudaSuccess : cudaErrorNoDevice);
}

/* --- memory of another process ------------------------------------------------------------ */

/* A handle names a block of this process, which is all that can be opened: the simulator's devices
 * belong to the process. */
typedef struct {
  char *base;
  uint64_t serial;
  pid_t process;
} Handle;

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *result, void *address)
{
  cusim_enter();
  const CusimBlock *block = cusim_find(address);
  if (!block || block->type != cudaMemoryTypeDevice)
    return cusim_leave(cudaErrorInvalidValue);
  const Handle handle = {block->base, block->serial, getpid()};
  memset(result, 0, sizeof *result);
  memcpy(result, &handle, sizeof handle);
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaIpcOpenMemHandle(void **result, cudaIpcMemHandle_t given, unsigned flags)
{
  cusim_enter();
  Handle handle;
  memcpy(&handle, &given, sizeof handle);
  const CusimBlock *block = cusim_find(handle.base);
  if (flags != cudaIpcMemLazyEnablePeerAccess)
    return cusim_leave(cudaErrorInvalidValue);
  if (handle.process != getpid())
    return cusim_leave(cudaErrorNotSupported);
  if (!block || block->serial != handle.serial)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  *result = block->base;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaIpcCloseMemHandle(void *address)
{
  cusim_enter();
  return cusim_leave(cusim_find(address) ? cudaSuccess : cudaErrorInvalidValue);
}
