/* The part of ATen that is loaded when CUDA is first asked for: libATenCUDA, which is linked with
 * THC and THCUNN, so that libATen is not.  It defines one symbol, at_cudaDevice. */
#ifndef ATEN_DEVICE_TABLE_H
#define ATEN_DEVICE_TABLE_H

#include "ATenCUDA.h"
#include "ATenCore.h"

typedef struct at_device {
  size_t size; /* of this table and of at_functions together: both are of one build */
  const char *(*version)(void); /* THVersion, as that library sees it: of the same TH */
  const at_functions *functions[THScalarTypes];
  void (*start)(void); /* finds the devices; an error where there is none */
  int (*count)(void);
  int (*current)(void);
  void (*use)(int device); /* makes it the current one; cannot fail for one that was it before */
  int (*of)(const void *storage);
  void (*seed)(uint64_t seed); /* of all devices */
  /* Queues a kernel of elementwise.h; the loop's first operand is the result. */
  void (*elementwise)(int name, const THLoop *loop, const void *scalars);
  void (*synchronize)(void);
  void (*emptyCache)(void);
  at_cuda_stream *(*newStream)(int priority);
  void (*freeStream)(at_cuda_stream *stream);
  at_cuda_stream *(*currentStream)(void);
  void (*useStream)(at_cuda_stream *stream);
  void (*waitFor)(at_cuda_stream *stream); /* the host waits */
} at_device;

AT_API const at_device at_cudaDevice;

/* What is loaded, or NULL. */
const at_device *at_cuda(void);

/* Loads it; false, and why not in message, if it cannot be had. */
bool at_loadCUDA(char *message, size_t size);

/* Fills in the types of CUDA. */
void at_setCUDATypes(const at_device *device);

#endif
