/* Interface of integers.cu: products of matrices and vectors of integers, which wrap around. */
#ifndef THC_INTEGERS_H
#define THC_INTEGERS_H

#include <cuda_runtime_api.h>

#include "THTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* count products c = alpha * a b + beta * c; a is m x k, b is k x n.  Steps are in elements; c is
 * not read if beta is 0. */
typedef struct THCIntegerProduct {
  int64_t m, n, k, count;
  int64_t alpha, beta;
  const void *a, *b;
  void *c;
  int64_t rowA, columnA, rowB, columnB, rowC, columnC; /* strides to the next row or column */
  int64_t strideA, strideB, strideC; /* strides to the matrix of the next product */
} THCIntegerProduct;

/* Queues them, for elements of so many bytes: 1, 2, 4 or 8. */
void THCKernel_multiplyIntegers(const THCIntegerProduct *product, size_t elementSize,
                                cudaStream_t stream);

/* Queues *sum += the sum of products of n > 0 integers of that type. */
void THCKernel_dotIntegers(THScalarType type, ptrdiff_t n, const void *x, int64_t incx,
                           const void *y, int64_t incy, int64_t *sum, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
