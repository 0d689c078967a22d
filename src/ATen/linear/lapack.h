/* Linear systems and factorizations of matrices. */
#ifndef ATEN_LAPACK_H
#define ATEN_LAPACK_H

#include "ATen/core/ATenCore.h"

void at_solve(at_tensor **out, at_tensor *b, at_tensor *a);
void at_solveTriangular(at_tensor **out, at_tensor *b, at_tensor *a, bool upper, bool transpose,
                        bool ones);

/* A triangle by columns. */
typedef struct at_triangle_of {
  bool upper, transposes, unit;
} at_triangle_of;

/* b (n x columns), by columns, becomes the solution of op(a) x = b, also where there are zeros on the diagonal of a:
 * then it has infinities or NaN. */
void at_solveColumns(const at_type *type, const at_triangle_of *t, int n, int columns, void *a,
                     void *b);

void at_symmetricEigen(at_tensor **out, at_tensor *a, bool vectors, bool upper);
void at_singularValues(at_tensor **out, at_tensor *a, bool some);
at_tensor *at_inverted(at_tensor *out, at_tensor *a);
at_tensor *at_choleskyFactor(at_tensor *out, at_tensor *a, bool upper);
at_tensor *at_choleskyInverse(at_tensor *out, at_tensor *factor, bool upper);
at_tensor *at_choleskySolve(at_tensor *out, at_tensor *b, at_tensor *factor, bool upper);
void at_orthogonal(at_tensor **out, at_tensor *a);
void at_reflectors(at_tensor **out, at_tensor *a);
at_tensor *at_orthogonalTimes(at_tensor *out, at_tensor *a, at_tensor *tau, at_tensor *c, bool left,
                              bool transpose);

/* out: factors, pivots and, if results is 3, a status for each matrix. */
void at_factorBatch(at_tensor **out, at_tensor *a, bool pivot, int results);

at_tensor *at_determinant(at_tensor *out, at_tensor *a);

/* out: the signs of determinants, and the logarithms of their absolute values, by LU factors. */
void at_signedLogsOnDevice(at_tensor **out, at_tensor *a);

/* The row that became each row of matrices with so many rows, by pivots of Int on a device, of which the last dimension
 * has at most rows; name is the operation that reports a pivot that is no row. */
at_tensor *at_pivotOrder(const char *name, at_tensor *pivots, int64_t rows);

/* Whether count matrices of n x n on a device are factored by cuBLAS's function for batches: several small ones.
 * Others are each by cuSOLVER. */
static inline bool at_isSmallBatch(int64_t count, int64_t n)
{
  return count > 1 && n <= 512;
}

/* LAPACK's functions on a device, of the elements of a type. */
const struct THCDeviceLapack *at_deviceLapack(const at_type *type);

#endif
