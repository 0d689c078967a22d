/* LAPACK for complex matrices, on the host, or with memory of a device.
 *
 * Matrices are pairs of reals, column by column and without gaps.  What is returned is LAPACK's status: 0,
 * or above 0 where the problem has no solution.  Scratch comes from a pool of the function's own. */
#ifndef ATEN_COMPLEX_LAPACK_H
#define ATEN_COMPLEX_LAPACK_H

#include "ATen/core/ATenCore.h"

typedef struct at_complex_lapack {
  /* A = P L U for m x n matrices, in a; pivots has min(m, n). */
  int (*lu)(int m, int n, void *a, int *pivots);
  int (*cholesky)(char uplo, int n, void *a);
  /* QR: reflectors in a and tau, the first n columns of Q from k of them, and products with Q. */
  int (*reflectors)(int m, int n, void *a, void *tau);
  int (*orthogonal)(int m, int n, int k, void *a, void *tau);
  int (*orthogonalTimes)(char side, char trans, int m, int n, int k, void *a, void *tau, void *c);
  /* Eigenvectors in a, real eigenvalues. */
  int (*hermitian)(char uplo, int n, void *a, void *values);
  int (*eigen)(int n, void *a, void *values, void *vectors);
  /* job is S or A; u has m rows, vh rowsOfVh. */
  int (*singular)(char job, int m, int n, void *a, void *s, void *u, void *vh, int rowsOfVh);
  /* L D L' of the lower triangle, of L D L^H with hermitian; and solutions with it. */
  int (*indefinite)(bool hermitian, int n, void *a, int *pivots);
  int (*indefiniteSolve)(bool hermitian, int n, int columns, void *a, int *pivots, void *b);
  bool (*isFinite)(int64_t count, const void *a);
} at_complex_lapack;

extern const at_complex_lapack at_complexLapackFloat, at_complexLapackDouble;

/* The functions on the current device.  singular leaves V where V^H would be, orthogonal
 * matrices do not wait; there is no Hermitian indefinite and no isFinite. */
extern const at_complex_lapack at_complexDeviceLapackFloat, at_complexDeviceLapackDouble;

/* The functions for a complex type. */
const at_complex_lapack *at_complexLapack(const at_type *type);

/* --- one matrix, like the functions of lapack.h ------------------------------------ */

/* Raises if there is a zero on the diagonal of a triangle. */
void at_checkComplexDiagonal(at_tensor *a, const char *name);
void at_complexHermitianEigen(at_tensor **out, at_tensor *a, bool upper);
void at_complexSingularValues(at_tensor **out, at_tensor *a, bool some);
void at_complexEigen(at_tensor **out, at_tensor *a);
at_tensor *at_complexCholesky(at_tensor *out, at_tensor *a, bool upper);
void at_complexOrthogonal(at_tensor **out, at_tensor *a);
void at_complexReflectors(at_tensor **out, at_tensor *a);
at_tensor *at_complexOrthogonalOf(at_tensor *out, at_tensor *a, at_tensor *tau);
at_tensor *at_complexOrthogonalTimes(at_tensor *out, at_tensor *a, at_tensor *tau, at_tensor *c,
                                     bool left, bool adjoint);

/* New tensors: the sign of the determinant, of size 1, and the logarithm of its absolute value; with
 * whole the determinant alone. */
void at_complexDeterminant(at_tensor **out, at_tensor *a, bool whole);

#endif
