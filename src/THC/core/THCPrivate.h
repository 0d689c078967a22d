/* Private declarations that THC's files share. */
#ifndef THC_PRIVATE_H
#define THC_PRIVATE_H

#include "THC.h"
#include "THLoop.h"

#include "THCFault.h"

/* --- the state of this thread's call ---------------------------------------------------------- */

/* The state of this thread's call.  TH's templates compiled for the device, and guards that free
 * device memory, take no state: every public function that may call them sets THC_using. */
extern _Thread_local THCState *THC_using __attribute__((tls_model("initial-exec")));

TH_NO_RETURN void THC_noState(void);

/* The last public function that has checked its tensors: where a kernel finds a bad index, the error names it. */
extern _Thread_local const char *THC_function __attribute__((tls_model("initial-exec")));

static inline void THC_enter(THCState *state)
{
  if (TH_UNLIKELY(!state))
    THC_noState();
  THC_using = state;
}

/* Functions that TH's templates define for the device (THCDevice.h): THCudaDevice_free(tensor)
 * ... */
#define THCDevice_(NAME) TH_CONCAT_4(TH, CReal, Device_, NAME)

/* The text of a status.  (The runtime's own text for a missing driver says that it is too old.) */
const char *THC_describe(cudaError_t status);

/* --- the current device ----------------------------------------------------------------------- */

int THC_currentDevice(void);

/* Makes device the current one until THCOnDevice_leave; an error in between restores the current
 * device too. */
typedef struct THCOnDevice {
  THGuard guard;
  int before;
} THCOnDevice;

void THCOnDevice_enter(THCOnDevice *on, int device);
void THCOnDevice_leave(THCOnDevice *on);

/* An error about argument arg unless the state has that device. */
void THC_checkDevice(THCState *state, int device, int arg);

/* --- locks ------------------------------------------------------------------------------------ */

/* Locks mutex until the guard is left, or an error is raised. */
void THC_lock(THGuard *guard, pthread_mutex_t *mutex);

/* --- memory ----------------------------------------------------------------------------------- */

/* Calls the allocator's malloc on the current device and stream; if that fails, once more after
 * the collector has run.  Returns NULL for size 0; raises an error if both calls fail. */
void *THC_allocate(THCState *state, THCDeviceAllocator *allocator, void *context, size_t size);

/* Whether freed memory of devices, and pinned memory, is kept. */
int THC_keepsMemory(void);

/* Memory of the current device for the time of a call; leaving the guard frees it. */
void *THC_scratch(THGuard *guard, size_t bytes);

/* Whether what is allocated on the stream is kept for it alone, also by THCCachingAllocator_emptyCache: a graph
 * uses it. */
void THC_holdMemory(THCStream *stream, int holds);

/* An error if the stream records a graph; what is the call. */
void THC_refuseCapture(THCStream *stream, const char *what);

/* --- streams ---------------------------------------------------------------------------------- */

/* The current stream of the device, counted by the thread and not by the caller. */
struct THCStream *THC_streamOn(THCState *state, int device);

/* A key whose values are streams, which are freed with their thread. */
THCThreadLocal THC_newStreamLocal(void);

/* Work queued on `stream` from now on waits for the work already queued on `after`. */
void THC_orderStreams(THCStream *stream, THCStream *after);

/* Enters a guard around work of the stream on memory of another device, until the other device's
 * stream is ordered after this work.  An error in between waits for the work, because freeing the
 * memory does not wait. */
void THC_waitOnError(THGuard *guard, THCStream *stream);

/* Memory of `bytes` that belongs to the stream, allocated at its first use: scratch space of
 * kernels, or cuBLAS's workspace. */
typedef enum THCStreamMemory {
  THC_STREAM_SCRATCH,
  THC_STREAM_BLAS,
  THC_STREAM_FAULT, /* the error word */
  THC_STREAM_MEMORIES
} THCStreamMemory;
void *THCStream_memory(THCStream *stream, THCStreamMemory which, size_t bytes);

/* A library's handle that belongs to the stream: `made` makes it at its first use, set to the stream.  Other threads
 * on the same stream wait until the guard is left; those on other streams do not. */
typedef enum THCStreamLibrary {
  THC_STREAM_CUBLAS,
  THC_STREAM_CUSOLVER,
  THC_STREAM_CUDNN,
  THC_STREAM_LIBRARIES
} THCStreamLibrary;
void *THCStream_handle(THGuard *locked, THCStream *stream, THCStreamLibrary library,
                       void *(*make)(THCStream *stream));

/* Gives the handles of a stream back. */
void THCStream_freeHandles(THCStream *stream);

/* The memory that THCStream_memory has made for the stream, or NULL. */
void *THCStream_hasMemory(THCStream *stream, THCStreamMemory which);

/* An error word of a stream of the device that has been filled in, or NULL. */
THCFault *THCStream_findFault(int device);

/* --- copies --------------------------------------------------------------------------------- */

/* A tensor of any type on a device. */
typedef struct THCOperand {
  THScalarType type;
  size_t itemSize;
  void *data;
  int device; /* -1 without memory */
  int nDimension;
  const int64_t *size, *stride;
} THCOperand;

#define THC_OPERAND(TYPE, T)                                                          \
  ((THCOperand){TH_CONCAT_2(THScalar, TYPE), sizeof *(T)->storage->data,              \
                (T)->storage ? (T)->storage->data + (T)->storageOffset : NULL,        \
                (T)->storage ? (T)->storage->device : -1, (T)->nDimension, (T)->size, \
                (T)->stride})

/* The name of a device's tensor or storage of Source (TH/tensor/THEachSource.h): THCudaTensor of Float,
 * THCudaByteTensor of Byte. */
#define THCSource_(NAME) TH_CONCAT_3(TH, TH_CONCAT_2(THC_CUDA_, Source), NAME)
#define THC_CUDA_Byte    CudaByte
#define THC_CUDA_Char    CudaChar
#define THC_CUDA_Short   CudaShort
#define THC_CUDA_Int     CudaInt
#define THC_CUDA_Long    CudaLong
#define THC_CUDA_Float   Cuda
#define THC_CUDA_Double  CudaDouble
#define THC_CUDA_Half    CudaHalf

/* How many elements it has, and whether they lie in row-major order without gaps. */
ptrdiff_t THCOperand_count(const THCOperand *operand);
int THCOperand_isContiguous(const THCOperand *operand);

/* Queues a copy with conversion on `device`, which has access to both tensors.  Returns 0, and
 * queues nothing, if the shapes have no common refinement: the caller then makes one of the
 * tensors contiguous. */
int THCOperand_copy(THCState *state, const THCOperand *to, const THCOperand *from, int device);

/* --- what is pending: memory that may be reused once events have happened ------------------- */

typedef struct THCPending {
  struct THCPendingEvent *first, **end;
} THCPending;

/* Records an event on the stream and remembers block under it. */
cudaError_t THCPending_add(THCPending *pending, cudaStream_t stream, int device, void *block);

/* Calls done(block) for events that have happened, in order, or for all of them after waiting. */
cudaError_t THCPending_collect(THCPending *pending, int wait, void (*done)(void *block));

#endif
