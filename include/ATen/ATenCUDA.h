/* Tensors on CUDA devices.
 *
 *     if (!at_lazyInitCUDA())
 *       puts(at_error_message());                               no driver, no device, no library
 *     at_tensor *x = at_to(a, AT_CUDA(AT_FLOAT));               a copy on the current device
 *     at_tensor *y = at_add(x, x);                              computed there
 *     printf("%g\n", at_item_double(at_sum(y)));                waits for it
 *
 * AT_CUDA(type) is the Type of such tensors.  Its first use loads libATenCUDA, which needs libTHC
 * and libTHCUNN.  If the library cannot be loaded, calls that need it are errors that say so, and
 * everything else works.  A program that is linked statically must be linked with libATenCUDA too.
 * Other programs find the library in the folder of libATen, or in the loader's path, or under the
 * path in the environment variable AT_CUDA_LIBRARY.
 *
 * Operations run on the device of their operands.  All operands of an operation must be on the same
 * device (an error names an operand that is not), except for at_to, at_type_as and at_copy_, which
 * copy between any two devices, and for what PyTorch takes from the CPU as well: operands without dimensions
 * of operations on elements, and indices.  An operation for which the device has no function is an error;
 * nothing is copied to the CPU instead. */
#ifndef ATEN_CUDA_H
#define ATEN_CUDA_H

#include "ATenContext.h"
#include "ATenTensor.h"

/* --- devices --------------------------------------------------------------------------------- */

/* The number of devices; 0, without an error, if CUDA is not available. */
AT_API int at_cuda_deviceCount(void);

/* The current device of the calling thread, on which new tensors are made.  -1 and an error without
 * CUDA. */
AT_API int at_cuda_currentDevice(void);

/* Makes the device current for the calling thread; false and an error if there is no such
 * device. */
AT_API bool at_cuda_setDevice(int device);

/* The index of the device that holds t; -1 for the CPU, and for tensors without memory. */
AT_API int at_deviceOf(const at_tensor *t);

/* AT_ON_DEVICE(1) { ... }: device 1 is current inside the block, and the former device is current
 * again after it, however control leaves the block.  If there is no such device, the block is
 * skipped, with an error.  A break or continue in the block leaves only the block. */
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

/* Waits until all work queued on the current device is done; false and an error if some of it
 * failed. */
AT_API bool at_cuda_synchronize(void);

/* Returns cached memory that is not in use to the devices. */
AT_API void at_cuda_emptyCache(void);

/* --- settings -------------------------------------------------------------------------------- */

/* Whether products of Float, and so convolutions, may round their operands to the 10 bits of TF32, which tensor
 * cores multiply: torch.backends.cuda.matmul.allow_tf32; at first they may not.  False and an error without CUDA.
 *
 *     at_cuda_setAllowTF32(bool allow) -> bool */
AT_API bool at_cuda_setAllowTF32(bool allow);
AT_API bool at_cuda_getAllowTF32(void);

/* Whether sums at repeated indices (index_add, scatter_add, index_put and put with accumulate, scatter_reduce,
 * index_reduce), which takes a sort, and convolutions by cuDNN have the same bits every time, as
 * torch.use_deterministic_algorithms has them.  All other operations are so anyway.  False and an error without CUDA.
 *
 *     at_cuda_setDeterministic(bool deterministic) -> bool */
AT_API bool at_cuda_setDeterministic(bool deterministic);
AT_API bool at_cuda_getDeterministic(void);

/* Whether cuDNN computes convolutions, where it is found and takes them: torch.backends.cudnn.enabled; at first it
 * does, unless TH_CUDNN=0 is in the environment.  False and an error without CUDA.
 *
 *     at_cuda_setUseCuDNN(bool use) -> bool */
AT_API bool at_cuda_setUseCuDNN(bool use);
AT_API bool at_cuda_getUseCuDNN(void);

/* Whether the ways in which cuDNN can compute a convolution are measured when its sizes are new to a stream, and the
 * fastest is kept: torch.backends.cudnn.benchmark; at first the way that cuDNN proposes is taken.  False and an error
 * without CUDA.
 *
 *     at_cuda_setBenchmarkCuDNN(bool measure) -> bool */
AT_API bool at_cuda_setBenchmarkCuDNN(bool measure);
AT_API bool at_cuda_getBenchmarkCuDNN(void);

/* The version of cuDNN, as 91900; 0 where there is none: torch.backends.cudnn.version.
 *
 *     at_cuda_versionCuDNN() -> int64_t */
AT_API int64_t at_cuda_versionCuDNN(void);

/* --- streams --------------------------------------------------------------------------------- */

/* A queue of work on one device.  Work on one stream is done in order.  Before a tensor is used on
 * another stream than the one it was made on, that stream must be synchronized. */
typedef struct at_cuda_stream at_cuda_stream;

/* A new stream of the current device, which does not wait for the default stream.  Streams with a
 * lower priority number go first.  NULL and an error on failure. */
AT_API at_cuda_stream *at_cuda_stream_new(int priority) AT_MUST_USE;

/* Releases the reference; queued work is still done.  NULL is accepted. */
AT_API void at_cuda_stream_free(at_cuda_stream *stream);

/* A new reference to the stream of the current device that the calling thread uses.  NULL and an
 * error without CUDA. */
AT_API at_cuda_stream *at_cuda_currentStream(void) AT_MUST_USE;

/* Makes stream the current one of its device for the calling thread; false and an error on
 * failure. */
AT_API bool at_cuda_setStream(at_cuda_stream *stream);

/* Waits until all work queued on the stream is done; false and an error if some of it failed. */
AT_API bool at_cuda_stream_synchronize(at_cuda_stream *stream);

/* --- graphs ----------------------------------------------------------------------------------
 *
 * Calls that are recorded once, and then queued together with one call, which spares what each costs:
 *
 *     at_forward(net, x);                                       once before: what is loaded and made at first use
 *     at_cuda_graph *graph = at_cuda_graph_begin();
 *     at_tensor *y = at_forward(net, x);                        recorded, and not computed
 *     at_cuda_graph_end(graph);
 *     for (...) {
 *       at_copy_(x, next);
 *       at_cuda_graph_replay(graph);                            y is what the net makes of it
 *     }
 *     at_cuda_graph_free(graph);
 *
 * The memory of what is made while recording is the graph's until it is freed; tensors of before that are used in the
 * graph have to live as long.  Each replay has the same random numbers.  What kernels find wrong at a replay
 * (TH_CUDA_CHECK_INDICES) is an error of at_cuda_synchronize. */
typedef struct at_cuda_graph at_cuda_graph;

/* Records this thread's calls on the current device from now on.  Calls that wait for the device (those that return
 * numbers, or results whose size depends on values), and copies from and to the CPU, are errors then, and nothing can
 * be replayed.  NULL and an error on failure. */
AT_API at_cuda_graph *at_cuda_graph_begin(void) AT_MUST_USE;

/* Ends the record, by the thread that began it; false and an error if a call could not be recorded. */
AT_API bool at_cuda_graph_end(at_cuda_graph *graph);

/* Queues all calls of the graph on the current stream of its device. */
AT_API bool at_cuda_graph_replay(at_cuda_graph *graph);

/* Frees the graph, when its device has done all work.  NULL is accepted. */
AT_API void at_cuda_graph_free(at_cuda_graph *graph);

#endif
