/* Counted streams, and the memory and handles that belong to each. */
#include "THCPrivate.h"

#include "THC/conv/THCDnnPlan.h"
#include "THC/linear/THCSolver.h"
#include "TH/core/THReference.h"

/* The public struct, followed by private fields. */
typedef struct Stream {
  THCStream stream;
  void *memory[THC_STREAM_MEMORIES];
  void *handles[THC_STREAM_LIBRARIES];
  pthread_mutex_t mutexes[THC_STREAM_LIBRARIES]; /* of the handles; zeros are an open mutex */
  struct Stream *next;                           /* in the list of streams with an error word */
} Stream;

static pthread_mutex_t memory_mutex = PTHREAD_MUTEX_INITIALIZER;
static Stream *with_words;

static void destroy(void *what)
{
  THCudaCheckWarn(cudaStreamDestroy(what));
}

static THCStream *new_stream(int flags, int has_priority, int priority)
{
  const int device = THC_currentDevice();
  cudaStream_t made;
  THCudaCheck(has_priority ? cudaStreamCreateWithPriority(&made, (unsigned)flags, priority)
                           : cudaStreamCreateWithFlags(&made, (unsigned)flags));
  THGuard guard;
  THGuard_enter(&guard, destroy);
  guard.what = made;
  Stream *self = THAlloc(sizeof *self);
  *self = (Stream){.stream = {.stream = made, .device = device, .refcount = 1}};
  THGuard_keep(&guard);
  return &self->stream;
}

THCStream *THCStream_new(int flags)
{
  return new_stream(flags, 0, 0);
}

THCStream *THCStream_newWithPriority(int flags, int priority)
{
  return new_stream(flags, 1, priority);
}

/* --- the default streams -------------------------------------------------------------------- */

enum { MOST_DEVICES = 64 };
static Stream default_streams[MOST_DEVICES];

THCStream *THCStream_defaultStream(int device)
{
  int count = 0;
  if (device < 0 || device >= MOST_DEVICES || cudaGetDeviceCount(&count) != cudaSuccess ||
      device >= count) {
    cudaGetLastError();
    THArgError(1, "there is no device %d: there are %d", device, count);
  }
  THCStream *self = &default_streams[device].stream;
  __atomic_store_n(&self->device, device, __ATOMIC_RELAXED);
  return self;
}

/* --- counts --------------------------------------------------------------------------------- */

/* A default stream is not counted. */
void THCStream_retain(THCStream *self)
{
  if (self->stream)
    THReference_add(&self->refcount);
}

/* Frees the error word of a stream, which may be written until the stream is done. */
static void free_word(Stream *self)
{
  void *word = self->memory[THC_STREAM_FAULT];
  if (!word)
    return;
  pthread_mutex_lock(&memory_mutex);
  Stream **at = &with_words;
  while (*at != self)
    at = &(*at)->next;
  *at = self->next;
  pthread_mutex_unlock(&memory_mutex);
  THCudaCheckWarn(cudaStreamSynchronize(self->stream.stream));
  THCudaCheckWarn(cudaFreeHost(word));
  self->memory[THC_STREAM_FAULT] = NULL;
}

void THCStream_free(THCStream *self)
{
  if (!self || !self->stream)
    return;
  if (!THReference_drop(&self->refcount))
    return;
  THCStream_freeHandles(self);
  free_word((Stream *)self);
  for (int i = 0; i < THC_STREAM_MEMORIES; i++)
    if (((Stream *)self)->memory[i])
      THCudaCheckWarn(cudaFree(((Stream *)self)->memory[i]));
  THCudaCheckWarn(cudaStreamDestroy(self->stream));
  THFree(self);
}

/* --- memory of streams ---------------------------------------------------------------------- */

/* Memory of a kind, the mutex being held; an error word is in the host's memory, where kernels reach it. */
static cudaError_t obtain(Stream *stream, THCStreamMemory which, size_t bytes, void **memory)
{
  if (which != THC_STREAM_FAULT)
    return cudaMalloc(memory, bytes);
  const cudaError_t status =
      cudaHostAlloc(memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
  if (status == cudaSuccess) {
    memset(*memory, 0, bytes);
    stream->next = with_words;
    with_words = stream;
  }
  return status;
}

void *THCStream_memory(THCStream *stream, THCStreamMemory which, size_t bytes)
{
  void **slot = &((Stream *)stream)->memory[which];
  void *memory = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (memory)
    return memory;
  THCOnDevice on;
  THCOnDevice_enter(&on, stream->device);
  pthread_mutex_lock(&memory_mutex);
  cudaError_t status = cudaSuccess;
  if (!*slot) {
    status = obtain((Stream *)stream, which, bytes, &memory);
    if (status == cudaSuccess)
      __atomic_store_n(slot, memory, __ATOMIC_RELEASE);
  }
  memory = *slot;
  pthread_mutex_unlock(&memory_mutex);
  THCudaCheck(status);
  THCOnDevice_leave(&on);
  return memory;
}

/* --- handles of streams ----------------------------------------------------------------------- */

void *THCStream_handle(THGuard *locked, THCStream *stream, THCStreamLibrary library,
                       void *(*make)(THCStream *stream))
{
  Stream *const self = (Stream *)stream;
  THC_lock(locked, &self->mutexes[library]);
  if (!self->handles[library]) {
    THCOnDevice on;
    THCOnDevice_enter(&on, stream->device);
    self->handles[library] = make(stream);
    THCOnDevice_leave(&on);
  }
  return self->handles[library];
}

void THCStream_freeHandles(THCStream *stream)
{
  Stream *const self = (Stream *)stream;
  for (int i = 0; i < THC_STREAM_LIBRARIES; i++) {
    pthread_mutex_lock(&self->mutexes[i]);
    void *const handle = self->handles[i];
    self->handles[i] = NULL;
    if (handle && i == THC_STREAM_CUBLAS)
      cublasDestroy(handle);
    else if (i == THC_STREAM_CUDNN)
      THCDnn_destroy(handle);
    else if (i == THC_STREAM_CUSOLVER)
      THCSolver_destroy(handle);
    pthread_mutex_unlock(&self->mutexes[i]);
  }
}

void *THCStream_hasMemory(THCStream *stream, THCStreamMemory which)
{
  return __atomic_load_n(&((Stream *)stream)->memory[which], __ATOMIC_ACQUIRE);
}

THCFault *THCStream_findFault(int device)
{
  THCFault *found = NULL;
  pthread_mutex_lock(&memory_mutex);
  for (Stream *s = with_words; s && !found; s = s->next) {
    THCFault *word = s->memory[THC_STREAM_FAULT];
    if (s->stream.device == device && __atomic_load_n(&word->found, __ATOMIC_ACQUIRE))
      found = word;
  }
  pthread_mutex_unlock(&memory_mutex);
  return found;
}

/* --- order ---------------------------------------------------------------------------------- */

static void destroy_event(void *event)
{
  THCudaCheckWarn(cudaEventDestroy(event));
}

void THC_orderStreams(THCStream *stream, THCStream *after)
{
  if (stream == after || (stream->device == after->device && stream->stream == after->stream))
    return;
  THCOnDevice on;
  THCOnDevice_enter(&on, after->device);
  cudaEvent_t event;
  THCudaCheck(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  THGuard guard;
  THGuard_enter(&guard, destroy_event);
  guard.what = event;
  THCudaCheck(cudaEventRecord(event, after->stream));
  THCudaCheck(cudaSetDevice(stream->device));
  on.guard.what = &on; /* leaving restores the device that was current at first */
  THCudaCheck(cudaStreamWaitEvent(stream->stream, event, 0));
  THGuard_leave(&guard);
  THCOnDevice_leave(&on);
}

static void wait_for_stream(void *what)
{
  const THCStream *stream = what;
  int before = stream->device;
  THCudaCheckWarn(cudaGetDevice(&before));
  THCudaCheckWarn(cudaSetDevice(stream
                                    ->device)); /* a default stream is that of the current device */
  THCudaCheckWarn(cudaStreamSynchronize(stream->stream));
  THCudaCheckWarn(cudaSetDevice(before));
}

void THC_waitOnError(THGuard *guard, THCStream *stream)
{
  THGuard_enter(guard, wait_for_stream);
  guard->what = stream;
}
