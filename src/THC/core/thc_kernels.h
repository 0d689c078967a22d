/* The launchers of kernels: C functions that queue a launch, for the host's files. */
#ifndef THC_KERNELS_H
#define THC_KERNELS_H

#include <cuda_runtime_api.h>

#include "THLoop.h"
#include "THTypes.h"

#include "THC/walk/thc_walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queues the computation of all elements of the walk.  The type of scalars depends on the kernel.
 * cudaGetLastError reports a failed launch. */
typedef void (*THCKernel)(const THCWalk *walk, const void *scalars, cudaStream_t stream);

/* --- elementwise kernels --------------------------------------------------------------------- */

/* Copies operand 1, of type from, to operand 0, of type to: THC_converters[to][from]. */
extern const THCKernel THC_converters[THScalarTypes][THScalarTypes];

/* Fills operand 0 with *scalars, an element of its type. */
extern const THCKernel THC_fillers[THScalarTypes];

/* Sequences: operand 1 has no elements; its offsets are the row-major indices of the elements. */
typedef struct THCSequence {
  double first, last, step;
  ptrdiff_t count;
} THCSequence;
typedef struct THCWholeSequence {
  int64_t first, last, step;
  ptrdiff_t count;
} THCWholeSequence;

/* Cross products of 3-vectors: the operands are first elements; these are the steps to the next. */
typedef struct THCCross {
  int64_t r, a, b;
} THCCross;

/* r = from on the k-th diagonal and above it (upper) or below it; elsewhere 0. */
typedef struct THCTriangle {
  int64_t rows, columns, k;
  int upper;
  void *r;
  const void *from;
  int64_t step[2], fromStep[2];
} THCTriangle;

/* --- other kernels -------------------------------------------------------------------------- */

void THCKernel_sleep(int64_t cycles, cudaStream_t stream);

/* MTGP32: parameters and THC_MTGP32_STATES states, in device memory.  The functions that write them
 * return 0 on failure.  Sizes are 0 if this was compiled without cuRAND's headers. */
enum { THC_MTGP32_STATES = 64 };
struct curandStateMtgp32;
struct mtgp32_kernel_params;
size_t THCKernel_mtgp32StateBytes(void);
size_t THCKernel_mtgp32ParameterBytes(void);
int THCKernel_mtgp32Parameters(struct mtgp32_kernel_params *parameters);
int THCKernel_mtgp32States(struct curandStateMtgp32 *states,
                           struct mtgp32_kernel_params *parameters, uint64_t seed);

#ifdef __cplusplus
}
#endif

/* --- on the host (THCWalk.c) ---------------------------------------------------------------- */

/* Runs the kernel over the operands of the loop, which are on the current device, in one or more
 * launches.  Elements correspond in row-major order.  Operands may have different shapes, but an
 * error is raised unless they have the same number of elements.
 *
 * Returns 0, and queues nothing, if the shapes have no common refinement (2 x 3 and 3 x 2, neither
 * contiguous).  The caller then makes contiguous copies of the inputs.
 *
 * Exported for ATen's kernels (src/ATen/cuda). */
TH_API int THCWalk_run(const THLoop *loop, THCKernel kernel, const void *scalars,
                       cudaStream_t stream);

#endif
