/* The kernels, as the host's files call them: functions in C that queue a launch. */
#ifndef THC_KERNELS_H
#define THC_KERNELS_H

#include <cuda_runtime_api.h>

#include "THLoop.h"
#include "THTypes.h"

#include "thc_walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queues the computation of all elements of the walk; scalars is what the kernel's family says.  A
 * launch that fails is told by cudaGetLastError. */
typedef void (*THCKernel)(const THCWalk *walk, const void *scalars, cudaStream_t stream);

/* --- kernels of elements -------------------------------------------------------------------- */

/* Copies operand 1, of type from, to operand 0, of type to: THC_converters[to][from]. */
extern const THCKernel THC_converters[THScalarTypes][THScalarTypes];

/* Fills operand 0 with *scalars, an element of its type. */
extern const THCKernel THC_fillers[THScalarTypes];

/* Sequences: operand 1 has places and no elements; its places are the numbers of the elements. */
typedef struct THCSequence {
  double first, last, step;
  ptrdiff_t count;
} THCSequence;
typedef struct THCWholeSequence {
  int64_t first, last, step;
  ptrdiff_t count;
} THCWholeSequence;

/* Products of 3-vectors: operands are the first elements, the others follow in these steps. */
typedef struct THCCross {
  int64_t r, a, b;
} THCCross;

/* r = from above (upper) or below the k-th diagonal and on it, else 0. */
typedef struct THCTriangle {
  int64_t rows, columns, k;
  int upper;
  void *r;
  const void *from;
  int64_t step[2], fromStep[2];
} THCTriangle;

/* --- other kernels -------------------------------------------------------------------------- */

void THCKernel_sleep(int64_t cycles, cudaStream_t stream);

/* MTGP32: parameters and THC_MTGP32_STATES states, in device memory; 0 where it fails.  Sizes of 0
 * say that cuRAND's headers were not there when this was compiled. */
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

/* Runs the kernel over the operands of the loop, which are on the current device, in as many
 * launches as it takes.  Elements correspond in row-major order; operands may have different shapes
 * with the same number of elements (another one is an error).
 *
 * Returns 0, and has queued nothing, where different shapes have no common refinement (2 x 3 and
 * 3 x 2, neither contiguous): a caller then takes contiguous copies of its inputs.
 *
 * Visible, for ATen's kernels (src/ATen/cuda). */
TH_API int THCWalk_run(const THLoop *loop, THCKernel kernel, const void *scalars,
                       cudaStream_t stream);

#endif
