/* Streams and events.  Work is queued and runs only as far as something waits for it: a program
 * that forgets to wait does not see the result. */
#define _GNU_SOURCE
#include "internal.h"

#include "race.h"

#include <stdlib.h>
#include <time.h>

/* The table keeps destroyed handles, so that their later use is reported. */
static struct CUstream_st *streams;
static unsigned nstreams;
static struct CUstream_st *null_stream[CUSIM_MOST_DEVICES];
static _Thread_local struct CUstream_st *thread_stream[CUSIM_MOST_DEVICES];

static struct CUstream_st *make(int device, unsigned flags, int priority)
{
  struct CUstream_st *stream = calloc(1, sizeof *stream);
  if (!stream)
    return NULL;
  *stream = (struct CUstream_st){.next = streams,
                                 .alive = true,
                                 .device = device,
                                 .flags = flags,
                                 .priority = priority,
                                 .id = ++nstreams};
  stream->last = &stream->first;
  return streams = stream;
}

struct CUstream_st *cusim_null_stream(int device)
{
  if (!null_stream[device] && !(null_stream[device] = make(device, cudaStreamDefault, 0)))
    abort();
  return null_stream[device];
}

struct CUstream_st *cusim_stream(cudaStream_t handle)
{
  const int device = cusim_device();
  if (!handle || handle == cudaStreamLegacy)
    return cusim_is_device(device) ? cusim_null_stream(device) : NULL;
  if (handle == cudaStreamPerThread) {
    if (!thread_stream[device])
      thread_stream[device] = make(device, cudaStreamDefault, 0);
    return thread_stream[device];
  }
  for (struct CUstream_st *stream = streams; stream; stream = stream->next)
    if (stream == handle)
      return stream->alive ? stream : NULL;
  return NULL;
}

/* --- queues ------------------------------------------------------------------------------- */

void *cusim_op(size_t size, void (*run)(CusimOp *op))
{
  CusimOp *op = calloc(1, size);
  if (!op)
    abort();
  op->run = run;
  op->size = size;
  return op;
}

static uint64_t append(struct CUstream_st *stream, CusimOp *op)
{
  op->stream = stream;
  cusim_race_queue(op);
  op->number = ++stream->queued;
  *stream->last = op;
  stream->last = &op->next;
  stream->asked = 0;
  return op->number;
}

/* Waiting for another stream. */
typedef struct {
  CusimOp op;
  CusimPoint point;
} Wait;

static void run_wait(CusimOp *op)
{
  const CusimPoint point = ((Wait *)op)->point;
  cusim_run(point.stream, point.number);
  cusim_race_wait(op->stream, point);
}

static void wait_for(struct CUstream_st *stream, CusimPoint point)
{
  if (point.stream == stream || point.stream->done >= point.number)
    return;
  Wait *wait = cusim_op(sizeof *wait, run_wait);
  wait->point = point;
  append(stream, &wait->op);
}

/* The null stream waits for the blocking streams of its device, and these wait for it. */
uint64_t cusim_queue(struct CUstream_st *stream, void *op)
{
  if (stream->captures) {
    *stream->last_captured = op;
    stream->last_captured = &((CusimOp *)op)->next;
    return stream->done;
  }
  struct CUstream_st *null = cusim_null_stream(stream->device);
  if (stream == null) {
    for (struct CUstream_st *other = streams; other; other = other->next)
      if (other->device == stream->device && !(other->flags & cudaStreamNonBlocking))
        wait_for(stream, (CusimPoint){other, other->queued});
  } else if (!(stream->flags & cudaStreamNonBlocking))
    wait_for(stream, (CusimPoint){null, null->queued});
  return append(stream, op);
}

static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;

void cusim_run(struct CUstream_st *stream, uint64_t number)
{
  while (stream->done < number) {
    if (stream->busy) { /* another thread is in a host function */
      cusim_wait(&idle);
      continue;
    }
    CusimOp *op = stream->first;
    stream->busy = true;
    cusim_show();
    op->run(op);
    cusim_hide();
    cusim_race_end();
    stream->busy = false;
    stream->first = op->next;
    if (!stream->first)
      stream->last = &stream->first;
    stream->done = op->number;
    free(op);
    pthread_cond_broadcast(&idle);
  }
}

void cusim_run_stream(struct CUstream_st *stream)
{
  cusim_run(stream, stream->queued);
}

/* Runs operations one at a time, in an order that depends on the seed. */
void cusim_run_device(int device)
{
  for (;;) {
    uint32_t waiting = 0;
    struct CUstream_st *chosen = NULL;
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
      if (stream->device == device && stream->done < stream->queued && !cusim_random(++waiting))
        chosen = stream;
    if (!chosen)
      return;
    cusim_run(chosen, chosen->done + 1);
  }
}

void cusim_call_host(CusimOp *op, void (*function)(void *data), void *data)
{
  (void)op;
  const int depth = cusim_hide_all();
  cusim_in_host_function = true;
  cusim_unlock();
  function(data);
  cusim_lock();
  cusim_in_host_function = false;
  cusim_show_again(depth);
}

/* --- streams ------------------------------------------------------------------------------ */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *result, unsigned flags, int priority)
{
  cusim_enter();
  if (!cusim_device_count())
    return cusim_leave(cudaErrorNoDevice);
  if (!result || flags & ~(unsigned)cudaStreamNonBlocking)
    return cusim_leave(cudaErrorInvalidValue);
  *result = make(cusim_device(), flags, priority > 0 ? 0 : priority < -5 ? -5 : priority);
  return cusim_leave(*result ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *result, unsigned flags)
{
  return cudaStreamCreateWithPriority(result, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *result)
{
  return cudaStreamCreateWithPriority(result, cudaStreamDefault, 0);
}

/* A destroyed stream's operations still run when the device is synchronized. */
cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
  cusim_enter();
  struct CUstream_st *stream = handle ? cusim_stream(handle) : NULL;
  if (!stream || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  stream->alive = false;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(handle);
  if (!stream)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  if (cusim_refuse_capture(stream))
    return cusim_leave(cudaErrorStreamCaptureUnsupported);
  if (stream == cusim_null_stream(stream->device)) { /* and those that it waits for */
    for (struct CUstream_st *other = streams; other; other = other->next)
      if (other->device == stream->device && !(other->flags & cudaStreamNonBlocking))
        cusim_run_stream(other);
  } else
    cusim_run_stream(stream);
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void)
{
  cusim_enter();
  if (!cusim_device_count())
    return cusim_leave(cudaErrorNoDevice);
  cusim_run_device(cusim_device());
  return cusim_leave(cudaSuccess);
}

/* Nothing runs by itself, so that a program that polls would wait for ever: the third query runs
 * the work. */
enum { PATIENCE = 3 };

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(handle);
  if (!stream)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  if (stream->done < stream->queued && ++stream->asked >= PATIENCE)
    cusim_run_stream(stream);
  return cusim_leave(stream->done < stream->queued ? cudaErrorNotReady : cudaSuccess);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
  cusim_enter();
  const struct CUstream_st *stream = cusim_stream(handle);
  if (stream)
    *flags = stream->flags;
  return cusim_leave(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
  cusim_enter();
  const struct CUstream_st *stream = cusim_stream(handle);
  if (stream)
    *priority = stream->priority;
  return cusim_leave(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
  cusim_enter();
  const struct CUstream_st *stream = cusim_stream(handle);
  if (stream)
    *device = stream->device;
  return cusim_leave(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
  cusim_enter();
  const struct CUstream_st *stream = cusim_stream(handle);
  if (stream)
    *id = stream->id;
  return cusim_leave(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* --- host functions ----------------------------------------------------------------------- */

typedef struct {
  CusimOp op;
  cudaHostFn_t function;
  cudaStreamCallback_t callback; /* or this */
  cudaStream_t handle;
  void *data;
} HostCall;

static void call_back(void *given)
{
  const HostCall *call = given;
  call->callback(call->handle, cudaSuccess, call->data);
}

static void run_host_call(CusimOp *op)
{
  HostCall *call = (HostCall *)op;
  if (call->callback)
    cusim_call_host(op, call_back, call);
  else
    cusim_call_host(op, call->function, call->data);
}

static cudaError_t queue_host_call(HostCall given)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(given.handle);
  if (!stream)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  if (!given.function && !given.callback)
    return cusim_leave(cudaErrorInvalidValue);
  HostCall *call = cusim_op(sizeof *call, run_host_call);
  given.op = call->op;
  *call = given;
  cusim_queue(stream, call);
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
  return queue_host_call((HostCall){.handle = stream, .function = function, .data = data});
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags)
{
  (void)flags;
  return queue_host_call((HostCall){.handle = stream, .callback = callback, .data = data});
}

/* --- events ------------------------------------------------------------------------------- */

struct CUevent_st {
  struct CUevent_st *next; /* of all */
  bool alive;
  int device;
  unsigned flags;
  CusimPoint point; /* where it was last recorded; no stream: it was not */
  double time;      /* when that was reached, in milliseconds */
  unsigned asked;
};

static struct CUevent_st *events;

static bool known(const struct CUevent_st *event)
{
  return event && event->alive;
}

static bool reached(const struct CUevent_st *event)
{
  return !event->point.stream || event->point.stream->done >= event->point.number;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *result, unsigned flags)
{
  cusim_enter();
  if (!cusim_device_count())
    return cusim_leave(cudaErrorNoDevice);
  if (!result ||
      flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess) ||
      (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))
    return cusim_leave(cudaErrorInvalidValue);
  struct CUevent_st *event = calloc(1, sizeof *event);
  if (!event)
    return cusim_leave(cudaErrorMemoryAllocation);
  *event =
      (struct CUevent_st){.next = events, .alive = true, .device = cusim_device(), .flags = flags};
  *result = events = event;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *result)
{
  return cudaEventCreateWithFlags(result, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
  cusim_enter();
  if (!known(event))
    return cusim_leave(cudaErrorInvalidResourceHandle);
  event->alive = false;
  return cusim_leave(cudaSuccess);
}

typedef struct {
  CusimOp op;
  cudaEvent_t event;
} Record;

static void run_record(CusimOp *op)
{
  struct CUevent_st *event = ((Record *)op)->event;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (event->point.stream == op->stream && event->point.number == op->number)
    event->time = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(handle);
  if (!known(event) || !stream || stream->device != event->device)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  if (cusim_refuse_capture(stream)) /* one stream alone is captured */
    return cusim_leave(cudaErrorStreamCaptureUnsupported);
  Record *record = cusim_op(sizeof *record, run_record);
  record->event = event;
  event->point.number = cusim_queue(stream, record);
  event->point.stream = stream;
  event->asked = 0;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags)
{
  (void)flags;
  return cudaEventRecord(event, handle);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(handle);
  if (!known(event) || !stream)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  if (cusim_refuse_capture(stream))
    return cusim_leave(cudaErrorStreamCaptureIsolation);
  if (flags)
    return cusim_leave(cudaErrorInvalidValue);
  if (event->point.stream)
    wait_for(stream, event->point);
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
  cusim_enter();
  if (!known(event))
    return cusim_leave(cudaErrorInvalidResourceHandle);
  if (!reached(event) && ++event->asked >= PATIENCE)
    cusim_run(event->point.stream, event->point.number);
  return cusim_leave(reached(event) ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
  cusim_enter();
  if (!known(event))
    return cusim_leave(cudaErrorInvalidResourceHandle);
  if (event->point.stream)
    cusim_run(event->point.stream, event->point.number);
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
  cusim_enter();
  if (!known(start) || !known(end) || (start->flags | end->flags) & cudaEventDisableTiming ||
      !start->point.stream || !end->point.stream || start->device != end->device)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  if (!reached(start) || !reached(end))
    return cusim_leave(cudaErrorNotReady);
  *milliseconds = (float)(end->time - start->time);
  return cusim_leave(cudaSuccess);
}
