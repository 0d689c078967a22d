/* The simulator's functions for device code: launches, barriers, warp operations. */
#ifndef CUSIM_CALLS_H
#define CUSIM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The thread that runs: set before a thread continues. */
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

typedef struct CusimKernel {
  const char *name;
  const void *address;                 /* as cudaFuncSetAttribute is given it */
  void (*call)(const void *arguments); /* the kernel, for the thread of threadIdx */
  const void *arguments;
  size_t size;               /* of the arguments, which are copied */
  char *shared, *shared_end; /* the __shared__ variables of its source file */
} CusimKernel;

/* Checks and queues a launch.  cudaGetLastError returns its error, as after <<< >>>. */
void cusim_launch(const CusimKernel *kernel, dim3 grid, dim3 block, size_t dynamic,
                  cudaStream_t stream);

void *cusim_dynamic_shared(void);

/* The source location at which a thread waits, for complaints. */
typedef struct CusimLocation {
  const char *name; /* of the function */
  const char *file;
  int line;
} CusimLocation;

typedef enum CusimBarrier {
  CUSIM_BARRIER,
  CUSIM_BARRIER_COUNT,
  CUSIM_BARRIER_AND,
  CUSIM_BARRIER_OR
} CusimBarrier;

/* Waits until every thread of the block is there. */
int cusim_barrier(CusimBarrier kind, int predicate, const CusimLocation *location);

/* What lanes exchange. */
typedef enum CusimWarpOp {
  CUSIM_SYNC,
  CUSIM_SHFL, /* the value of the lane that each one names */
  CUSIM_BALLOT,
  CUSIM_ALL,
  CUSIM_ANY,
  CUSIM_MATCH_ANY,
  CUSIM_MATCH_ALL,
  CUSIM_REDUCE_ADD,
  CUSIM_REDUCE_MIN_S,
  CUSIM_REDUCE_MAX_S,
  CUSIM_REDUCE_MIN_U,
  CUSIM_REDUCE_MAX_U,
  CUSIM_REDUCE_AND,
  CUSIM_REDUCE_OR,
  CUSIM_REDUCE_XOR
} CusimWarpOp;

/* Waits until every lane of mask is there.  source is the lane whose value is wanted. */
uint64_t cusim_warp(CusimWarpOp op, unsigned mask, uint64_t value, int source,
                    const CusimLocation *location);

int cusim_lane(void);

/* The mask of the calling lane alone: programs must not rely on other lanes being active. */
unsigned cusim_activemask(void);

/* Turns the detection of races off (1) or on (0), for a function that does not define which of
 * several values an element gets.  A GPU's runtime has no such function. */
void cusim_allow_races(int allow) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
