/* Private interface to products: those of cuBLAS, with one description for all element types, and
 * the dot product of integers. */
#ifndef THC_PRODUCT_H
#define THC_PRODUCT_H

#include "THC/core/THCPrivate.h"

/* count products c = alpha * a b + beta * c of column-major matrices; a is m x k if it is not
 * transposed.  alpha and beta are rounded to the type of sums: float or double. */
typedef struct THCProduct {
  cudaDataType type, resultType; /* of a and b, and of c */
  int transposesA, transposesB;
  int64_t m, n, k;
  double alpha, beta;
  const void *a, *b;
  void *c;
  int64_t lda, ldb, ldc;
  int64_t strideA, strideB, strideC, count; /* in elements */
  const void *const *as, *const *bs;        /* instead of a, b and c: addresses, on the device */
  void *const *cs;
} THCProduct;

/* Queues them on the current stream. */
void THC_multiply(THCState *state, const THCProduct *product);

/* y = alpha * a x + beta * y. */
void THC_multiplyVector(THCState *state, cudaDataType type, int transposes, int64_t m, int64_t n,
                        double alpha, const void *a, int64_t lda, const void *x, int64_t incx,
                        double beta, void *y, int64_t incy);

/* The sum of the products of n elements; waits for the device. */
double THC_dot(THCState *state, cudaDataType type, int64_t n, const void *x, int64_t incx,
               const void *y, int64_t incy);

/* The sum of the products of n integers of that type, in 64 bits; waits for the device. */
int64_t THC_dotIntegers(THCState *state, THScalarType type, ptrdiff_t n, const void *x,
                        int64_t incx, const void *y, int64_t incy);

/* Solves op(a) x = b for a triangle of n x n and b of n x columns, which becomes x; unit: the diagonal
 * is ones.  Also of complex numbers. */
void THC_solveTriangle(THCState *state, cudaDataType type, int upper, int transposes, int unit,
                       int n, int columns, const void *a, int lda, void *b, int ldb);

/* cuBLAS's handle of the current stream, until the guard is left; cuBLASLt takes it too.  bytes: of its workspace. */
void *THC_blasHandle(THGuard *locked, THCState *state, size_t *bytes);

/* Makes the handle and workspace of the current stream, so that a later product fails only if the
 * device fails. */
void THC_needBlas(THCState *state);

#endif
