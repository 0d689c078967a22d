/* The interface of libATenCUDA, which is loaded at the first use of CUDA.  libATenCUDA is linked
 * with THC and THCUNN, so that libATen is not, and defines one symbol, at_cudaDevice. */
#ifndef ATEN_DEVICE_TABLE_H
#define ATEN_DEVICE_TABLE_H

#include "ATenCUDA.h"
#include "ATenCore.h"
#include "ATen/cuda/kernels.h"
#include "ATen/optim/numbers.h"

/* --- NCCL: collective calls on memory of devices ------------------------------------------------ */

enum { AT_NCCL_ID = 128 }; /* bytes */

typedef enum at_nccl_kind {
  AT_NCCL_BROADCAST,
  AT_NCCL_ALL_REDUCE,
  AT_NCCL_REDUCE,
  AT_NCCL_ALL_GATHER,
  AT_NCCL_REDUCE_SCATTER
} at_nccl_kind;

/* NCCL's operations, in the order of at_comm_op. */
typedef enum at_nccl_op {
  AT_NCCL_SUM,
  AT_NCCL_PRODUCT,
  AT_NCCL_MIN,
  AT_NCCL_MAX,
  AT_NCCL_AVG
} at_nccl_op;

/* in and out are contiguous; count: elements of t, or of a rank's part. */
typedef struct at_nccl_call {
  at_nccl_kind kind;
  const void *in;
  void *out;
  int64_t count;
  size_t element; /* bytes of one */
  at_scalar_type type;
  int op, root;
} at_nccl_call;

/* What fails says why in message.  Of one thread. */
typedef struct at_nccl {
  /* A name for a new communicator; NULL only asks whether NCCL is there. */
  bool (*newId)(char *id, char *message, size_t size);
  /* Whether elements of the type can be combined so. */
  bool (*takes)(at_scalar_type type, int op);
  /* Joins the others, with the current device; NULL after an error. */
  void *(*open)(const char *id, int rank, int count, char *message, size_t size);
  /* Queues a call on the current stream of that device. */
  bool (*run)(void *comm, const at_nccl_call *call, char *message, size_t size);
  /* 1: the call is done; 0: not yet; -1: it failed. */
  int (*poll)(void *comm, char *message, size_t size);
  void (*close)(void *comm, bool orderly);
} at_nccl;

/* ------------------------------------------------------------------------------------------------ */

struct THCBiased;
struct THCDeviceLapack;
struct THCDnnConvolution;

/* Settings of THC's state. */
typedef enum at_cuda_flag {
  AT_CUDA_TF32,
  AT_CUDA_DETERMINISTIC,
  AT_CUDA_DNN,
  AT_CUDA_BENCHMARK_DNN,
  AT_CUDA_FLAGS
} at_cuda_flag;

typedef struct at_device {
  size_t size;                  /* of the tables together: detects another build */
  const char *(*version)(void); /* the address of THVersion in that library: detects another TH */
  const at_memory *memory[THScalarTypes];
  const at_functions *functions[THScalarTypes];
  void (*start)(void); /* finds the devices; raises if there is none */
  int (*count)(void);
  int (*current)(void);
  void (*use)(int device); /* makes the device current; cannot fail if it was current before */
  int (*of)(const void *storage);
  /* A storage of that many elements of the size at data; release(context) when nothing uses the memory any more. */
  void *(*adopt)(void *data, int device, int64_t count, size_t element, void (*release)(void *),
                 void *context);
  void (*seed)(uint64_t seed); /* seeds the generators of all devices */
  /* A generator of the current device's, with the initial seed of its default one. */
  void *(*newGenerator)(void);
  void (*freeGenerator)(void *generator);
  /* Draws of this thread, and the next functions, are of that generator, or for NULL of the current device's
   * default one.  Returns the generator before. */
  void *(*chooseGenerator)(void *generator);
  void (*manualSeed)(uint64_t seed);
  uint64_t (*randomSeed)(void); /* from the system's entropy; returns it */
  uint64_t (*initialSeed)(void);
  void (*getState)(
      void *bytes); /* a TH tensor of Byte, which gets PyTorch's 16 bytes: seed and offset */
  void (*setState)(void *bytes);
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
  void (*updateMany)(int name, at_scalar_type type, const at_update_many *many);
  void (*powers)(at_scalar_type type, const at_powers *powers);
  /* Takes the next part of the stream of random words, up to words for each thread of a kernel. */
  void (*draw)(uint64_t words, uint64_t *seed, uint64_t *offset);
  /* Makes that part the next one of the current device's stream. */
  void (*drawFrom)(uint64_t seed, uint64_t offset);
  /* Looks for an index, in a TH tensor of Long, that is not one of least ... last (at_findOutside). */
  bool (*findOutside)(void *index, int64_t least, int64_t last, int64_t *outside);
  /* A product with a bias in one call; false if there is none for it. */
  bool (*multiplyBiased)(const struct THCBiased *product);
  /* A convolution by cuDNN; false, and nothing is queued, where it does not compute it. */
  bool (*convolve)(const struct THCDnnConvolution *c, void *x, void *weight, void *y);
  int64_t (*versionDnn)(void);
  /* LAPACK's functions of the elements of a floating or complex type. */
  const struct THCDeviceLapack *(*lapack)(at_scalar_type type);
  void (*setFlag)(at_cuda_flag flag, bool value);
  bool (*flag)(at_cuda_flag flag);
  void (*synchronize)(void);
  void (*emptyCache)(void);
  at_cuda_stream *(*newStream)(int priority);
  void (*freeStream)(at_cuda_stream *stream);
  at_cuda_stream *(*currentStream)(void);
  void (*useStream)(at_cuda_stream *stream);
  void (*waitFor)(at_cuda_stream *stream); /* the host waits */
  /* Graphs of calls: a recorded one from begin and end on. */
  at_cuda_graph *(*beginGraph)(void);
  void (*endGraph)(at_cuda_graph *graph);
  void (*replayGraph)(at_cuda_graph *graph);
  void (*freeGraph)(at_cuda_graph *graph);
  const at_nccl *nccl;
} at_device;

AT_API const at_device at_cudaDevice;

/* The table of the loaded library, or NULL. */
AT_API const at_device *at_cuda(void);

/* Loads the library; returns false and the reason in message if that is not possible. */
bool at_loadCUDA(char *message, size_t size);

/* Fills in the Types of the CUDA backend. */
void at_setCUDATypes(const at_device *device);

#endif
