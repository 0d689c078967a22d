/* Copies and fills: queued like kernels, unless the function has to wait for the host's memory. */
#include "internal.h"

#include "race.h"

#include <stdlib.h>
#include <string.h>

/* --- descriptions of copies --------------------------------------------------------------- */

/* Rows of width bytes. */
typedef struct {
  char *to;
  const char *from;
  size_t to_pitch, from_pitch, width, height;
} Rows;

typedef struct {
  CusimOp op;
  Rows rows;
  int value;  /* of a fill, which has no source */
  char *copy; /* of the source, if it is pageable memory */
} Move;

static void run_move(CusimOp *op)
{
  Move *move = (Move *)op;
  const Rows *rows = &move->rows;
  cusim_race_begin(op, rows->from ? "a copy" : "a fill");
  for (size_t i = 0; cusim_racing && i < rows->height; i++) {
    cusim_touch(rows->to + i * rows->to_pitch, rows->width, CUSIM_WRITE, NULL);
    if (rows->from)
      cusim_touch(rows->from + i * rows->from_pitch, rows->width, CUSIM_READ, NULL);
  }
  for (size_t i = 0; i < rows->height; i++)
    if (rows->from)
      memmove(rows->to + i * rows->to_pitch, rows->from + i * rows->from_pitch, rows->width);
    else
      memset(rows->to + i * rows->to_pitch, move->value, rows->width);
  free(move->copy);
}

/* The bytes from the first to the last one. */
static size_t span(size_t pitch, size_t width, size_t height)
{
  return width && height ? (height - 1) * pitch + width : 0;
}

/* --- kinds of memory ---------------------------------------------------------------------- */

typedef enum { PAGEABLE, PINNED, MANAGED, DEVICE, NOWHERE } Where;

static Where where(const void *address, size_t size)
{
  const CusimBlock *block = cusim_find(address);
  if (!block)
    return address ? PAGEABLE : NOWHERE;
  if ((size_t)((const char *)address - block->base) > block->size ||
      size > block->size - (size_t)((const char *)address - block->base))
    return block->registered ? PAGEABLE : NOWHERE;
  return block->type == cudaMemoryTypeHost     ? PINNED
         : block->type == cudaMemoryTypeDevice ? DEVICE
                                               : MANAGED;
}

static bool fits(enum cudaMemcpyKind kind, Where to, Where from)
{
  const bool to_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
  const bool from_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
  if (kind == cudaMemcpyDefault)
    return true;
  return (to_host ? to != DEVICE : to != PAGEABLE) &&
         (from_host ? from != DEVICE : from != PAGEABLE);
}

/* Copies and returns as soon as the runtime would:
 *   a pageable source has been read when the function returns,
 *   a pageable destination has been written,
 *   pinned memory only when the stream is waited for,
 * and the functions without a stream (wait) return when the host's side is done. */
static cudaError_t copy(Rows rows, enum cudaMemcpyKind kind, cudaStream_t handle, bool wait)
{
  struct CUstream_st *stream = cusim_stream(handle);
  if (!stream)
    return cusim_device_count() ? cudaErrorInvalidResourceHandle : cudaErrorNoDevice;
  if ((unsigned)kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (!rows.width || !rows.height)
    return cudaSuccess;
  if (rows.height > 1 && (rows.width > rows.to_pitch || rows.width > rows.from_pitch))
    return cudaErrorInvalidPitchValue;
  const Where to = where(rows.to, span(rows.to_pitch, rows.width, rows.height));
  const Where from = where(rows.from, span(rows.from_pitch, rows.width, rows.height));
  if (to == NOWHERE || from == NOWHERE)
    return cudaErrorInvalidValue;
  if (!fits(kind, to, from))
    return cudaErrorInvalidMemcpyDirection;

  if ((from == PAGEABLE || to == PAGEABLE) && cusim_refuse_capture(stream))
    return cudaErrorStreamCaptureUnsupported; /* the memory may be gone when the graph runs */
  Move *move = cusim_op(sizeof *move, run_move);
  move->rows = rows;
  if (from == PAGEABLE && to != PAGEABLE) {
    if (wait)
      cusim_run_stream(stream);
    if (!(move->copy = malloc(rows.width * rows.height)))
      abort();
    for (size_t i = 0; i < rows.height; i++)
      memcpy(move->copy + i * rows.width, rows.from + i * rows.from_pitch, rows.width);
    move->rows.from = move->copy;
    move->rows.from_pitch = rows.width;
  }
  const uint64_t number = cusim_queue(stream, move);
  if (to == PAGEABLE || (wait && (to == PINNED || from == PINNED)))
    cusim_run(stream, number);
  return cudaSuccess;
}

static Rows line(void *to, const void *from, size_t size)
{
  return (Rows){to, from, size, size, size, 1};
}

/* --- copies ------------------------------------------------------------------------------- */

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
  cusim_enter();
  return cusim_leave(copy(line(to, from, size), kind, 0, true));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
  cusim_enter();
  return cusim_leave(copy(line(to, from, size), kind, stream, false));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
  cusim_enter();
  return cusim_leave(copy((Rows){to, from, to_pitch, from_pitch, width, height}, kind, 0, true));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
  cusim_enter();
  return cusim_leave(copy((Rows){to, from, to_pitch, from_pitch, width, height}, kind, stream,
                          false));
}

static bool is_on(const void *address, int device)
{
  const CusimBlock *block = cusim_find(address);
  return block && block->type != cudaMemoryTypeHost && block->device == device;
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream)
{
  cusim_enter();
  if (!cusim_is_device(to_device) || !cusim_is_device(from_device))
    return cusim_leave(cudaErrorInvalidDevice);
  if (size && (!is_on(to, to_device) || !is_on(from, from_device)))
    return cusim_leave(cudaErrorInvalidValue);
  return cusim_leave(copy(line(to, from, size), cudaMemcpyDeviceToDevice, stream, false));
}

/* A copy between devices waits for the work queued on both devices, and later work waits for it. */
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
  cusim_enter();
  if (cusim_is_device(to_device) && cusim_is_device(from_device)) {
    cusim_run_device(to_device);
    cusim_run_device(from_device);
  }
  const cudaError_t status = cudaMemcpyPeerAsync(to, to_device, from, from_device, size, 0);
  if (!status)
    cusim_run_stream(cusim_null_stream(cusim_device()));
  return cusim_leave(status);
}

/* __constant__ and __device__ variables are variables of the host here. */
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
  cusim_enter();
  (void)kind;
  cusim_run_device(cusim_device());
  memcpy((char *)symbol + offset, from, size);
  return cusim_leave(cudaSuccess);
}

/* --- fills -------------------------------------------------------------------------------- */

/* Only pinned memory makes the functions without a stream wait. */
static cudaError_t fill(Rows rows, int value, cudaStream_t handle, bool wait)
{
  struct CUstream_st *stream = cusim_stream(handle);
  if (!stream)
    return cusim_device_count() ? cudaErrorInvalidResourceHandle : cudaErrorNoDevice;
  if (!rows.width || !rows.height)
    return cudaSuccess;
  if (rows.height > 1 && rows.width > rows.to_pitch)
    return cudaErrorInvalidPitchValue;
  const Where to = where(rows.to, span(rows.to_pitch, rows.width, rows.height));
  if (to == NOWHERE || to == PAGEABLE)
    return cudaErrorInvalidValue;
  Move *move = cusim_op(sizeof *move, run_move);
  move->rows = rows;
  move->value = value;
  const uint64_t number = cusim_queue(stream, move);
  if (wait && to == PINNED)
    cusim_run(stream, number);
  return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
  cusim_enter();
  return cusim_leave(fill(line(to, NULL, size), value, 0, true));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
  cusim_enter();
  return cusim_leave(fill(line(to, NULL, size), value, stream, false));
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
  cusim_enter();
  return cusim_leave(fill((Rows){to, NULL, pitch, 0, width, height}, value, 0, true));
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
  cusim_enter();
  return cusim_leave(fill((Rows){to, NULL, pitch, 0, width, height}, value, stream, false));
}
