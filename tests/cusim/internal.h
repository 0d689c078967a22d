/* Private declarations that the parts of the simulator share. */
#ifndef CUSIM_INTERNAL_H
#define CUSIM_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "cusim_calls.h"

/* --- report.c ----------------------------------------------------------------------------- */

/* Prints an error with the kernel, block and thread, and aborts. */
void cusim_complain(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* A whole number from the environment. */
long cusim_setting(const char *name, long otherwise);

/* Pseudo-random numbers below n, from CUSIM_SEED. */
uint32_t cusim_random(uint32_t n);

/* --- device.c ----------------------------------------------------------------------------- */

enum { CUSIM_MOST_DEVICES = 16 };

/* One thread at a time is in the simulator. */
void cusim_lock(void);
void cusim_unlock(void);
void cusim_wait(pthread_cond_t *condition);

/* Set while the program's own function runs in a stream, which may not call the runtime. */
extern _Thread_local bool cusim_in_host_function;

/* Around every function of the runtime: enter takes the lock, leave gives it back and remembers an
 * error for cudaGetLastError. */
void cusim_enter(void);
cudaError_t cusim_leave(cudaError_t status);
cudaError_t cusim_remember(cudaError_t status);

int cusim_device_count(void);
int cusim_device(void); /* the current one */
bool cusim_is_device(int device);

/* Whether kernels of device may use the other device's memory. */
bool cusim_reaches(int device, int other);

size_t cusim_device_memory(void);

/* --- memory.c ----------------------------------------------------------------------------- */

typedef struct CusimBlock {
  char *base;
  size_t size;
  int device;
  enum cudaMemoryType type; /* cudaMemoryTypeHost, ...Device, ...Managed */
  bool registered;          /* the program's own memory */
  unsigned flags;
  uint64_t serial;
} CusimBlock;

/* The block that contains an address, or NULL.  Valid until the next allocation. */
CusimBlock *cusim_find(const void *address);

/* The number of allocations and frees so far. */
extern uint64_t cusim_block_changes;

/* --- protect.c ---------------------------------------------------------------------------- */

/* Whether the program may not reach memory of devices. */
bool cusim_protects(void);

void *cusim_obtain_protected(size_t bytes);
void cusim_release_protected(void *memory);

/* Around what the simulator does with that memory; calls nest. */
void cusim_show(void);
void cusim_hide(void);

/* While the program's own function runs; returns what show_again takes. */
int cusim_hide_all(void);
void cusim_show_again(int depth);

/* --- stream.c ----------------------------------------------------------------------------- */

/* A point in a stream: after a number of its operations. */
typedef struct CusimPoint {
  struct CUstream_st *stream;
  uint64_t number;
} CusimPoint;

/* An operation in a queue.  run is called when the operation runs; its arguments follow in
 * memory. */
typedef struct CusimOp {
  struct CusimOp *next;
  void (*run)(struct CusimOp *op);
  struct CUstream_st *stream;
  uint64_t number;
  uint32_t queued_after; /* see race.c */
  size_t size;           /* of all of it */
} CusimOp;

struct CUstream_st {
  struct CUstream_st *next; /* of all */
  bool alive;               /* not destroyed */
  bool busy;                /* runs a host function */
  int device;
  unsigned flags;
  int priority;
  unsigned id;
  CusimOp *first, **last;
  uint64_t queued, done;
  unsigned asked;         /* how often whether it is done */
  bool captures, spoiled; /* spoiled: by a call that cannot be captured */
  CusimOp *captured, **last_captured;
};

/* The stream of a handle, or NULL if it is none. */
struct CUstream_st *cusim_stream(cudaStream_t handle);
struct CUstream_st *cusim_null_stream(int device);

/* Memory for an operation, of which the first part is a CusimOp. */
void *cusim_op(size_t size, void (*run)(CusimOp *op));

/* Appends the operation, behind operations that the stream has to wait for; returns its number. */
uint64_t cusim_queue(struct CUstream_st *stream, void *op);

/* Runs the stream's operations up to a point, and the operations of other streams that they wait
 * for. */
void cusim_run(struct CUstream_st *stream, uint64_t number);
void cusim_run_stream(struct CUstream_st *stream);
void cusim_run_device(int device);

/* An error, and the end of the capture, where the stream captures (graph.c). */
cudaError_t cusim_refuse_capture(struct CUstream_st *stream);

/* Lets the operation that runs call the program's own function. */
void cusim_call_host(CusimOp *op, void (*function)(void *data), void *data);

/* --- cublas.c ----------------------------------------------------------------------------- */

/* The stream that a handle of cuBLAS is set to, or NULL. */
struct CUstream_st *cusim_blas_stream(void *handle);

/* --- launch.c ----------------------------------------------------------------------------- */

/* The kernel that runs, or NULL. */
extern const CusimKernel *cusim_kernel;

/* Whether an address is in its dynamic shared memory. */
bool cusim_is_dynamic(const char *address);

#endif
