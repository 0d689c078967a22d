/* What device code calls in the simulator: launches, barriers, operations of a warp. */
#ifndef CUSIM_CALLS_H
#define CUSIM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who runs: set anew whenever another thread goes on. */
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

/* Checks and queues; what is wrong is said by cudaGetLastError, as after <<< >>>. */
void cusim_launch(const CusimKernel *kernel, dim3 grid, dim3 block, size_t dynamic,
                  cudaStream_t stream);

void *cusim_dynamic_shared(void);

/* Where in the source a thread waits; it is part of each complaint. */
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

/* Which other lanes happen to be along is for no program to rely on: the calling one alone. */
unsigned cusim_activemask(void);

/* From now on races are let pass (1), or not (0): for a function that leaves open which of several
 * elements ends up in one location.  A GPU's runtime has no such function. */
void cusim_allow_races(int allow) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
