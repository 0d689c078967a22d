/* LAPACK's functions on memory of the current device, by cuSOLVER and cuBLAS, of real and complex numbers.
 *
 * Matrices lie column by column and without gaps.  All is queued on the current stream, but for eigen; status, an
 * int on the device, becomes 0, or above 0 where the problem has no solution.  Sizes are above 0. */
#ifndef THC_DEVICE_LAPACK_H
#define THC_DEVICE_LAPACK_H

#include <stdint.h>

#include "THGeneral.h"

typedef struct THCDeviceLapack {
  /* A = P L U for m x n matrices, in a; pivots has min(m, n). */
  void (*lu)(int m, int n, void *a, int *pivots, int *status);
  void (*cholesky)(int upper, int n, void *a, int *status);
  /* L D L' of the lower triangle of a symmetric matrix, and solutions with it. */
  void (*indefinite)(int n, void *a, int *pivots, int *status);
  void (*indefiniteSolve)(int n, int columns, const void *a, const int64_t *pivots, void *b,
                          int *status);
  /* b (n x columns) becomes the solution, also of a triangle with zeros on its diagonal. */
  void (*triangular)(int upper, int transposes, int unit, int n, int columns, const void *a,
                     void *b);
  /* The functions from here on are NULL for real numbers.
   * QR: reflectors in a and tau, the first n columns of Q from k of them, and products with Q. */
  void (*reflectors)(int m, int n, void *a, void *tau, int *status);
  void (*orthogonal)(int m, int n, int k, void *a, const void *tau, int *status);
  void (*orthogonalTimes)(int left, int adjoint, int m, int n, int k, void *a, const void *tau,
                          void *c, int *status);
  /* Eigenvectors in a, real eigenvalues. */
  void (*hermitian)(int upper, int n, void *a, void *values, int *status);
  void (*eigen)(int n, void *a, void *values, void *vectors, int *status);
  /* a = u s v^H: of all columns of u and v, or the first min(m, n). */
  void (*singular)(int all, int m, int n, void *a, void *s, void *u, void *v, int *status);
} THCDeviceLapack;

/* The functions of Float or Double, or of complex numbers of such parts. */
TH_API const THCDeviceLapack *THCDeviceLapack_of(int isDouble, int isComplex);

#endif
