/* Launches: the blocks run one after the other, in an order that depends on the seed.  So do the
 * threads of a block, each until it returns or has to wait. */
#include "block.h"

#include "race.h"

#include <stdlib.h>
#include <string.h>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

const CusimKernel *cusim_kernel;
CusimThreads cusim_threads;

/* --- threads ------------------------------------------------------------------------------ */

/* Idle fibers.  A thread that never waits is a function call on the fiber of the thread before. */
static CusimFiber *idle[CUSIM_MOST_THREADS + 1];
static int nidle;
static CusimFiber *here; /* the running fiber; NULL for the main one, which is launch's own */

static void number_threads(dim3 size)
{
  CusimThread *thread = cusim_threads.thread;
  cusim_threads.count = 0;
  for (unsigned z = 0; z < size.z; z++)
    for (unsigned y = 0; y < size.y; y++)
      for (unsigned x = 0; x < size.x; x++, thread++) {
        thread->index = cusim_threads.count++;
        thread->position = (uint3){x, y, z};
      }
}

void cusim_become(CusimThread *thread)
{
  cusim_threads.current = thread;
  threadIdx = thread->position;
}

/* Threads start in random order: a random first thread and a random stride that visits all. */
static unsigned turn, stride;

static unsigned greatest_common_divisor(unsigned a, unsigned b)
{
  return b ? greatest_common_divisor(b, a % b) : a;
}

static unsigned some_stride(unsigned n)
{
  unsigned chosen;
  do
    chosen = 1 + cusim_random(n);
  while (greatest_common_divisor(n, chosen) != 1);
  return chosen;
}

static void run_threads(void)
{
  CusimThreads *all = &cusim_threads;
  while (all->begun < all->count) {
    CusimThread *thread = &all->thread[turn];
    all->begun++;
    turn += stride;
    if (turn >= all->count)
      turn -= all->count;
    cusim_become(thread);
    cusim_kernel->call(cusim_kernel->arguments);
    thread = all->current;
    thread->state = CUSIM_LEFT;
    cusim_thread_left(thread);
    all->left++;
  }
}

static void fiber_body(void);

/* The next thread to run: new threads first; NULL if no thread can run. */
static CusimFiber *next_fiber(void)
{
  CusimThreads *all = &cusim_threads;
  if (all->begun < all->count)
    return nidle ? idle[--nidle] : cusim_fiber(fiber_body);
  CusimThread *thread = all->ready;
  if (!thread)
    return NULL;
  if (!(all->ready = thread->next))
    all->last_ready = &all->ready;
  return thread->fiber;
}

/* Lets the next fiber run, or the main one, which ends the block. */
static void give_way(CusimFiber *self)
{
  here = next_fiber();
  cusim_switch(self, here ? here : cusim_fiber_main());
}

static void fiber_body(void)
{
  for (;;) {
    CusimFiber *self = here;
    run_threads();
    idle[nidle++] = self;
    give_way(self);
  }
}

void cusim_park(CusimState state, const CusimLocation *location)
{
  CusimThread *self = cusim_threads.current;
  self->state = state;
  self->location = *location;
  self->fiber = here;
  cusim_threads.parked++;
  give_way(self->fiber);
  cusim_become(self);
}

void cusim_make_ready(CusimThread *thread)
{
  thread->state = CUSIM_READY;
  cusim_threads.parked--;
  thread->next = NULL;
  *cusim_threads.last_ready = thread;
  cusim_threads.last_ready = &thread->next;
}

/* --- shared memory ------------------------------------------------------------------------ */

/* With AddressSanitizer the memory has its exact size; otherwise guards detect writes behind it. */
#ifdef __SANITIZE_ADDRESS__
enum { GUARD = 0 };
#else
enum { GUARD = 256 };
#endif
enum { ALIGNMENT = 256, GUARD_BYTE = 0xA5 };

static char *dynamic, *dynamic_end;

void *cusim_dynamic_shared(void)
{
  return dynamic;
}

bool cusim_is_dynamic(const char *address)
{
  return dynamic && address >= dynamic && address < dynamic_end;
}

/* The variables may have gaps that AddressSanitizer guards: its memset would complain. */
__attribute__((no_sanitize("address"))) static void poison(char *begin, char *end)
{
#ifdef __SANITIZE_ADDRESS__
  for (volatile char *at = begin; at < end; at++)
    *at = (char)0xFF;
#else
  memset(begin, 0xFF, (size_t)(end - begin));
#endif
}

static void check_guards(size_t size)
{
  for (int i = 0; i < GUARD; i++) {
    if ((unsigned char)dynamic[-1 - i] != GUARD_BYTE)
      cusim_complain(
          "out of bounds: a thread of this block wrote %d bytes before the %zu bytes of "
          "dynamic shared memory",
          i + 1, size);
    if ((unsigned char)dynamic[size + (size_t)i] != GUARD_BYTE)
      cusim_complain(
          "out of bounds: a thread of this block wrote %d bytes behind the %zu bytes of "
          "dynamic shared memory",
          i, size);
  }
}

/* --- blocks ------------------------------------------------------------------------------- */

static void run_block(size_t dynamic_size)
{
  CusimThreads *all = &cusim_threads;
  for (unsigned i = 0; i < all->count; i++)
    all->thread[i].state = CUSIM_NEW, all->thread[i].warp_barriers = 0;
  all->barriers = 0;
  all->begun = all->left = all->waiting = all->parked = 0;
  all->sum = 0;
  all->ready = NULL;
  all->last_ready = &all->ready;
  turn = cusim_random(all->count);
  stride = some_stride(all->count);
  if (cusim_kernel->shared)
    poison(cusim_kernel->shared, cusim_kernel->shared_end);
  if (dynamic)
    memset(dynamic, 0xFF, dynamic_size);

  give_way(cusim_fiber_main());
  if (all->left < all->count)
    cusim_complain_of_deadlock();
  if (dynamic)
    check_guards(dynamic_size);
}

typedef struct {
  CusimOp op;
  CusimKernel kernel;
  dim3 grid, block;
  size_t dynamic;
  _Alignas(16) char arguments[];
} Launch;

static void run_launch(CusimOp *op)
{
  Launch *launch = (Launch *)op;
  launch->kernel.arguments = launch->arguments;
  cusim_race_begin(op, launch->kernel.name);
  cusim_kernel = &launch->kernel;
  gridDim = launch->grid;
  blockDim = launch->block;
  number_threads(blockDim);

  char *buffer = NULL;
  if (launch->dynamic) {
    void *obtained;
    if (posix_memalign(&obtained, ALIGNMENT, launch->dynamic + 2 * GUARD))
      abort();
    buffer = obtained;
    memset(buffer, GUARD_BYTE, launch->dynamic + 2 * GUARD);
    dynamic = buffer + GUARD;
    dynamic_end = dynamic + launch->dynamic;
  }

  const uint64_t count = (uint64_t)gridDim.x * gridDim.y * gridDim.z;
  const uint32_t most = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
  const uint64_t step = count > UINT32_MAX ? 1 : some_stride(most);
  uint64_t at = cusim_random(most);
  for (uint64_t i = 0; i < count; i++) {
    blockIdx.x = (unsigned)(at % gridDim.x);
    blockIdx.y = (unsigned)(at / gridDim.x % gridDim.y);
    blockIdx.z = (unsigned)(at / gridDim.x / gridDim.y);
    run_block(launch->dynamic);
    at = (at + step) % count;
  }
  if (dynamic)
    cusim_race_forget(dynamic, launch->dynamic);
  free(buffer);
  dynamic = NULL;
  cusim_kernel = NULL;
}

/* --- launches ----------------------------------------------------------------------------- */

/* Kernels that may have more dynamic shared memory than the 48 KB that all may have. */
static struct {
  const void *kernel;
  int bytes;
} *opted;
static size_t nopted;

static size_t dynamic_limit(const void *kernel)
{
  for (size_t i = 0; i < nopted; i++)
    if (opted[i].kernel == kernel)
      return (size_t)opted[i].bytes;
  return 48 << 10;
}

static cudaError_t check(const CusimKernel *kernel, dim3 grid, dim3 block, size_t dynamic_size,
                         const struct CUstream_st *stream)
{
  if (!cusim_device_count())
    return cudaErrorNoDevice;
  if (!stream || stream->device != cusim_device())
    return cudaErrorInvalidResourceHandle;
  if (!grid.x || !grid.y || !grid.z || grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (!block.x || !block.y || !block.z || block.x > 1024 || block.y > 1024 || block.z > 64 ||
      block.x * block.y * block.z > CUSIM_MOST_THREADS)
    return cudaErrorInvalidConfiguration;
  return dynamic_size > dynamic_limit(kernel->address) ? cudaErrorInvalidValue : cudaSuccess;
}

void cusim_launch(const CusimKernel *kernel, dim3 grid, dim3 block, size_t dynamic_size,
                  cudaStream_t handle)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(handle);
  const cudaError_t status = check(kernel, grid, block, dynamic_size, stream);
  if (!status) {
    Launch *launch = cusim_op(sizeof *launch + kernel->size, run_launch);
    launch->kernel = *kernel;
    launch->grid = grid;
    launch->block = block;
    launch->dynamic = dynamic_size;
    memcpy(launch->arguments, kernel->arguments, kernel->size);
    cusim_queue(stream, launch);
  }
  cusim_leave(status);
}

/* --- attributes of kernels ---------------------------------------------------------------- */

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
  cusim_enter();
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
    return cusim_leave(cudaSuccess);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > 232448)
    return cusim_leave(cudaErrorInvalidValue);
  void *more = realloc(opted, (nopted + 1) * sizeof *opted);
  if (!more)
    return cusim_leave(cudaErrorMemoryAllocation);
  opted = more;
  memmove(opted + 1, opted, nopted++ * sizeof *opted); /* the newest counts */
  opted[0].kernel = kernel;
  opted[0].bytes = value;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
  *attributes =
      (struct cudaFuncAttributes){.maxThreadsPerBlock = CUSIM_MOST_THREADS,
                                  .numRegs = 32,
                                  .ptxVersion = 90,
                                  .binaryVersion = 90,
                                  .maxDynamicSharedSizeBytes = (int)dynamic_limit(kernel)};
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int block_size, size_t dynamic_size)
{
  if (block_size <= 0 || block_size > CUSIM_MOST_THREADS || dynamic_size > dynamic_limit(kernel))
    return cusim_remember(cudaErrorInvalidValue);
  *blocks = 2048 / block_size > 32 ? 32 : 2048 / block_size;
  return cudaSuccess;
}
