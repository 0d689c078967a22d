/* Kernels on the elements of matrices for LAPACK's functions (matrix.cu). */
#ifndef THC_MATRIX_H
#define THC_MATRIX_H

#include "THC/core/thc_fault.h"
#include "THC/core/thc_kernels.h"

/* Which elements are copied; the others become 0, but for MIRROR: there those of the triangle stay,
 * and the others become a copy of it. */
typedef enum THCMatrixPart {
  THC_MATRIX_ALL,
  THC_MATRIX_UPPER,
  THC_MATRIX_LOWER,
  THC_MATRIX_EYE, /* ones on the diagonal: nothing is copied */
  THC_MATRIX_MIRROR_UPPER,
  THC_MATRIX_MIRROR_LOWER
} THCMatrixPart;

/* r(i, j) = t(i, j), with strides in elements; t NULL is zeros. */
typedef struct THCMatrixCopy {
  void *r;
  const void *t;
  int64_t rows, columns, rowR, columnR, rowT, columnT;
  THCMatrixPart part;
} THCMatrixCopy;

/* Looks for an element of the matrix, by columns, that is not finite, or for a zero on its diagonal;
 * *found, which is UINT64_MAX before, becomes the least index. */
typedef struct THCMatrixSearch {
  const void *t;
  int64_t rows, columns;
  char triangle; /* 'A', 'U' or 'L'; 'D' looks for zeros on the diagonal */
  uint64_t *found;
} THCMatrixSearch;

/* Reports pivots of count LU factors, n x n by columns, that are none of the rows 1 to n, and replaces them; and zeros
 * on the diagonal of U, as those of an argument. */
typedef struct THCMatrixFactors {
  const void *factors;
  int *pivots;
  int64_t count, n;
  int argument;
  THCReport report; /* of the pivots */
} THCMatrixFactors;

#ifdef __cplusplus
extern "C" {
#endif

#define THC_MATRIX_KERNELS(Type)                                                    \
  void THCMatrix_copy_##Type(const THCMatrixCopy *copy, cudaStream_t stream);       \
  void THCMatrix_search_##Type(const THCMatrixSearch *search, cudaStream_t stream); \
  void THCMatrix_checkFactors_##Type(const THCMatrixFactors *factors, cudaStream_t stream);
THC_MATRIX_KERNELS(Float)
THC_MATRIX_KERNELS(Double)

#ifdef __cplusplus
}
#endif

#endif
