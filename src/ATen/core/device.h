/* The interface of libATenCUDA, which is loaded at the first use of CUDA.  libATenCUDA is linked
 * with THC and THCUNN, so that libATen is not, and defines one symbol, at_cudaDevice. */
#ifndef ATEN_DEVICE_TABLE_H
#define ATEN_DEVICE_TABLE_H

#include "ATenCUDA.h"
#include "ATenCore.h"
#include "ATen/cuda/kernels.h"

typedef struct at_device {
  size_t size;                  /* of this table plus at_functions: detects another build */
  const char *(*version)(void); /* the address of THVersion in that library: detects another TH */
  const at_functions *functions[THScalarTypes];
  void (*start)(void); /* finds the devices; raises if there is none */
  int (*count)(void);
  int (*current)(void);
  void (*use)(int device); /* makes the device current; cannot fail if it was current before */
  int (*of)(const void *storage);
  void (*seed)(uint64_t seed); /* seeds the generators of all devices */
  /* Queues a kernel of elementwise.h; the loop's first operand is the result. */
  void (*elementwise)(int name, const THLoop *loop, const void *scalars);
  /* Queues a function of ops/functions.h, of Float or Double. */
  void (*function)(int name, THScalarType type, const THLoop *loop, const void *scalars);
  /* Queues a row of ops/complex.h; type is that of the parts. */
  void (*complexRow)(int name, THScalarType type, const THLoop *loop, const void *scalars);
  /* Queues a conversion of which one side is BFloat16 and the other a type up to Bool; false, and
   * nothing is done, if the shapes have no common refinement. */
  bool (*convert)(at_scalar_type to, at_scalar_type from, const THLoop *loop);
  /* Queues a kernel of kernels.h, which copies what work describes. */
  void (*launch)(at_kernel kernel, THScalarType type, const void *work);
  /* Queues a kernel of kernels.h that checks values.  report, a part of work, says of which function,
   * and gets the error word.  Returns whether it is known that something
   * is wrong, and then what. */
  bool (*check)(at_kernel kernel, THScalarType type, const void *work, THCReport *report,
                THCFault *fault);
  /* Queues a row of src/ops/updates.h (optim/update.h); the loop's operands are those of a job. */
  void (*update)(int name, at_scalar_type type, const THLoop *loop, const void *numbers);
  /* Takes the next part of the stream of random words, up to words for each thread of a kernel. */
  void (*draw)(uint64_t words, uint64_t *seed, uint64_t *offset);
  /* Looks for an index, in a TH tensor of Long, that is not one of least ... last (at_findOutside). */
  bool (*findOutside)(void *index, int64_t least, int64_t last, int64_t *outside);
  void (*synchronize)(void);
  void (*emptyCache)(void);
  at_cuda_stream *(*newStream)(int priority);
  void (*freeStream)(at_cuda_stream *stream);
  at_cuda_stream *(*currentStream)(void);
  void (*useStream)(at_cuda_stream *stream);
  void (*waitFor)(at_cuda_stream *stream); /* the host waits */
} at_device;

AT_API const at_device at_cudaDevice;

/* The table of the loaded library, or NULL. */
const at_device *at_cuda(void);

/* Loads the library; returns false and the reason in message if that is not possible. */
bool at_loadCUDA(char *message, size_t size);

/* Fills in the Types of the CUDA backend. */
void at_setCUDATypes(const at_device *device);

#endif
