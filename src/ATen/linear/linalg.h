/* Linear algebra of batches of matrices: the last two dimensions are a matrix, the others a
 * batch. */
#ifndef ATEN_LINALG_H
#define ATEN_LINALG_H

#include "ATen/core/ATenCore.h"

/* --- factorizations and systems (linalg.c) ---------------------------------------------------- */

/* Raises unless a is matrices of Float, Double or a complex type, if square of as many rows as columns. */
void at_checkMatrices(const at_tensor *a, const char *name, bool square);
at_tensor *at_determinants(at_tensor *out, at_tensor *a);
/* out: sign and logarithm of the absolute value. */
void at_signedLogs(at_tensor **out, at_tensor *a);
/* out: what geqrf leaves of each matrix. */
void at_reflectorsOfAll(at_tensor **out, at_tensor *a);
/* eig of complex matrices; out: values and vectors. */
void at_complexEigens(at_tensor **out, at_tensor *a);
at_tensor *at_complexEigenvalues(at_tensor *out, at_tensor *a);
at_tensor *at_inverses(at_tensor *out, at_tensor *a);
/* out: U, S and the transpose of V, or of complex matrices its adjoint. */
void at_singulars(at_tensor **out, at_tensor *a, bool full_matrices);
at_tensor *at_singularsOf(at_tensor *out, at_tensor *a);

/* --- functions of matrices (matrixFunctions.c) ------------------------------------------------ */

/* rtol is NaN for the default.  With hermitian only the lower triangle of a is read. */
at_tensor *at_pseudoInverses(at_tensor *a, double atol, double rtol, bool hermitian);

/* dims: two dimensions, the last ones if there are none. */
at_tensor *at_matrixNorm(at_tensor *out, at_tensor *a, at_scalar ord, at_ints dims, bool keepdim);
/* The norm of vectors or of matrices, by the number of dimensions. */
at_tensor *at_normBy(at_tensor *out, at_tensor *a, at_scalar ord, at_ints dims, bool keepdim,
                     const at_type *type);

#endif
