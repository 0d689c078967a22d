/* Tensors on CUDA devices.
 *
 *     if (!at_lazyInitCUDA())
 *       puts(at_error_message());                               no driver, no device, no library
 *     at_tensor *x = at_to(a, AT_CUDA(AT_FLOAT));               a copy on the current device
 *     at_tensor *y = at_add(x, x);                              computed there
 *     printf("%g\n", at_item_double(at_sum(y)));                waits for it
 *
 * AT_CUDA(type) is the Type of such tensors; the first one loads libATenCUDA, which needs libTHC
 * and libTHCUNN.  Where it cannot be had, each call that needs it says so as an error, and all else
 * works.  A program that is linked statically is linked with libATenCUDA too; any other finds it
 * beside libATen or where libraries are, or the file that AT_CUDA_LIBRARY names in the environment.
 *
 * Operations run where their operands are.  All operands of one are on the same device (an error
 * names the one that is not), but for at_to, at_type_as and at_copy_, which copy from any to any.
 * What the device has no function for is an error that names the operation; nothing is copied to
 * the CPU instead. */
#ifndef ATEN_CUDA_H
#define ATEN_CUDA_H

#include "ATenContext.h"
#include "ATenTensor.h"

/* --- devices --------------------------------------------------------------------------------- */

/* How many there are; 0 where CUDA cannot be had, which is no error. */
AT_API int at_cuda_deviceCount(void);

/* The current device of the calling thread: where new tensors are made.  -1 and an error without
 * CUDA. */
AT_API int at_cuda_currentDevice(void);

/* Makes it the current one of the calling thread; false and an error if there is no such device. */
AT_API bool at_cuda_setDevice(int device);

/* The number of the device that t lies on; -1 on the CPU, and for tensors without memory. */
AT_API int at_deviceOf(const at_tensor *t);

/* AT_ON_DEVICE(1) { ... }: device 1 is the current one in the block, and the one before is so
 * behind it, however control leaves it.  Without such a device the block is left out, and there is
 * an error.  A break or continue in it leaves the block alone. */
typedef struct at_device_block {
  int before;
  bool running;
} at_device_block;

#define AT_ON_DEVICE(DEVICE)                                                \
  for (at_device_block at_this_device                                       \
       __attribute__((cleanup(at_device_leave))) = at_device_enter(DEVICE); \
       at_device_once(&at_this_device);)

AT_API at_device_block at_device_enter(int device);
AT_API void at_device_leave(at_device_block *block);

static inline bool at_device_once(at_device_block *block)
{
  const bool first = block && block->running;
  if (first)
    block->running = false;
  return first;
}

/* Waits until all that was queued on the current device is done; false and an error if something of
 * it has failed. */
AT_API bool at_cuda_synchronize(void);

/* Gives memory that waits for its next use back to the devices. */
AT_API void at_cuda_emptyCache(void);

/* --- streams --------------------------------------------------------------------------------- */

/* A queue of work on one device.  What is queued on one stream is done in order; a tensor that is
 * used on another stream than the one it was made on has to be waited for. */
typedef struct at_cuda_stream at_cuda_stream;

/* A stream of the current device, which does not wait for the default stream; a lower priority
 * goes first.  NULL and an error if there is none. */
AT_API at_cuda_stream *at_cuda_stream_new(int priority) AT_MUST_USE;

/* The reference goes back; what is queued is done all the same.  NULL is fine. */
AT_API void at_cuda_stream_free(at_cuda_stream *stream);

/* The stream of the current device that the calling thread queues on; one reference more.  NULL and
 * an error without CUDA. */
AT_API at_cuda_stream *at_cuda_currentStream(void) AT_MUST_USE;

/* stream becomes the current one of its device for the calling thread, until it is changed again;
 * false and an error if it cannot. */
AT_API bool at_cuda_setStream(at_cuda_stream *stream);

/* Waits until all that was queued on it is done; false and an error if something has failed. */
AT_API bool at_cuda_stream_synchronize(at_cuda_stream *stream);

#endif
