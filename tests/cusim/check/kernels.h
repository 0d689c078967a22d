/* Launchers of kernels.cu, one kernel of each kind. */
#ifndef CUSIM_CHECK_KERNELS_H
#define CUSIM_CHECK_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "THHalf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether accesses that nothing orders end the program. */
int check_has_race_hooks(void);

/* y += a * x */
cudaError_t check_axpy(float *y, float a, const float *x, ptrdiff_t n, cudaStream_t stream);

/* Four elements at a time; n is a multiple of 4. */
cudaError_t check_axpy4(float *y, float a, const float *x, ptrdiff_t n, cudaStream_t stream);

/* *sum += every x, by shuffles and one atomic function per warp. */
cudaError_t check_sum(float *sum, const float *x, ptrdiff_t n, cudaStream_t stream);

/* sums[i] = the sum of the i-th 1024 elements, by a tree in dynamic shared memory. */
cudaError_t check_tree(double *sums, const float *x, ptrdiff_t n, cudaStream_t stream);

/* counts[v] += how often v is among x. */
cudaError_t check_histogram(unsigned counts[256], const uint8_t *x, ptrdiff_t n,
                            cudaStream_t stream);

/* r (n x m) = the transpose of x (m x n), by tiles. */
cudaError_t check_transpose(float *r, const float *x, int m, int n, cudaStream_t stream);

/* r = 2 * x */
cudaError_t check_double_half(THHalf *r, const THHalf *x, ptrdiff_t n, cudaStream_t stream);

/* What each thread of a block of 64 finds by the operations of its warp and block; see kernels.cu.
 */
cudaError_t check_warp(uint32_t *found, cudaStream_t stream);
enum { CHECK_WARP_VALUES = 14 };

/* sums[i] += 1 for i = 0 ... 6, each as often as there are threads: 1000. */
#define CHECK_FOR_EACH_TYPE(X) \
  X(Byte, unsigned char)       \
  X(Char, signed char)         \
  X(Short, int16_t)            \
  X(Int, int32_t)              \
  X(Long, int64_t)             \
  X(Float, float)              \
  X(Double, double)
#define CHECK_DECLARE(Real, real) cudaError_t check_count##Real(real *sums, cudaStream_t stream);
CHECK_FOR_EACH_TYPE(CHECK_DECLARE)
cudaError_t check_countHalf(THHalf *sums, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
