/* Linear algebra of batches of matrices: the last two dimensions are a matrix, the others a
 * batch. */
#ifndef ATEN_LINALG_H
#define ATEN_LINALG_H

#include "ATen/core/ATenCore.h"

/* --- factorizations and systems (linalg.c) ---------------------------------------------------- */

/* Raises unless a is matrices of Float or Double, if square of as many rows as columns. */
void at_checkMatrices(const at_tensor *a, const char *name, bool square);
at_tensor *at_determinants(at_tensor *out, at_tensor *a);
/* out: sign and logarithm of the absolute value. */
void at_signedLogs(at_tensor **out, at_tensor *a);
at_tensor *at_logDeterminants(at_tensor *a);
at_tensor *at_inverses(at_tensor *out, at_tensor *a);
at_tensor *at_solutions(at_tensor *out, at_tensor *a, at_tensor *b, bool left);
at_tensor *at_triangularSolutions(at_tensor *out, at_tensor *a, at_tensor *b, bool upper, bool left,
                                  bool unitriangular);
void at_orthogonals(at_tensor **out, at_tensor *a, const char *mode);
/* out: U, S and the transpose of V. */
void at_singulars(at_tensor **out, at_tensor *a, bool full_matrices);
at_tensor *at_singularsOf(at_tensor *out, at_tensor *a);
void at_symmetricEigens(at_tensor **out, at_tensor *a, const char *triangle);
at_tensor *at_symmetricEigenvalues(at_tensor *out, at_tensor *a, const char *triangle);
at_tensor *at_choleskies(at_tensor *out, at_tensor *a, bool upper);
at_tensor *at_choleskySolutions(at_tensor *out, at_tensor *b, at_tensor *factor, bool upper);
at_tensor *at_choleskyInverses(at_tensor *out, at_tensor *factor, bool upper);

/* --- functions of matrices (matrixFunctions.c) ------------------------------------------------ */

/* rtol is NaN for the default.  With hermitian only the lower triangle of a is read. */
at_tensor *at_pseudoInverses(at_tensor *a, double atol, double rtol, bool hermitian);
at_tensor *at_matrixRanks(at_tensor *out, at_tensor *a, at_scalar tol, bool hermitian);
at_tensor *at_matrixPowers(at_tensor *out, at_tensor *a, int64_t n);
at_tensor *at_matrixExponentials(at_tensor *a);
at_tensor *at_productOfAll(at_tensor *out, at_tensors matrices);
at_tensor *at_vectorDots(at_tensor *out, at_tensor *x, at_tensor *y, int64_t dim);
at_tensor *at_powersOf(at_tensor *x, int64_t n);

/* dims: two dimensions, the last ones if there are none. */
at_tensor *at_matrixNorm(at_tensor *out, at_tensor *a, at_scalar ord, at_ints dims, bool keepdim);
at_tensor *at_matrixNormBy(at_tensor *out, at_tensor *a, const char *ord, at_ints dims,
                           bool keepdim);
/* Of vectors or matrices, by the number of dimensions. */
at_tensor *at_normBy(at_tensor *out, at_tensor *a, at_scalar ord, at_ints dims, bool keepdim,
                     const at_type *type);

#endif
