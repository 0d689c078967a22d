/* Formulas of linear algebra, for the rows of src/ops/aten; see Formulas.h. */
#ifndef ATEN_MATRICES_H
#define ATEN_MATRICES_H

#include "Node.h"

/* --- factorizations --------------------------------------------------------------------------- */

/* Symmetric, where the operand is: of each triangle's element half of what the read one has. */
at_tensor *at_choleskyGrad(at_tensor *grad, at_tensor *factor, bool upper);
at_tensor *at_choleskySolveOf(at_tensor *b, at_tensor *factor, bool upper);
at_tensor *at_choleskyInverseOf(at_tensor *factor, bool upper);

/* The gradient of a matrix from the gradients of eigenvalues and eigenvectors; vectors NULL:
 * there is none, and lambda is not read. */
at_tensor *at_eighGrad(at_tensor *values, at_tensor *vectors, at_tensor *lambda, at_tensor *v);
at_tensor *at_eigvalshGrad(at_tensor *grad, at_tensor *self, bool upper);

/* The gradient of a matrix from the gradients of U, S and V, of which the first columns count. */
at_tensor *at_svdGrad(at_tensor *ofU, at_tensor *ofS, at_tensor *ofV, at_tensor *u, at_tensor *s,
                      at_tensor *v);
at_tensor *at_svdvalsGrad(at_tensor *grad, at_tensor *a);
at_tensor *at_qrGrad(at_tensor *ofQ, at_tensor *ofR, at_tensor *a, at_tensor *q, at_tensor *r);

at_tensor *at_orgqrOf(at_tensor *factors, at_tensor *tau);
at_tensor *at_ormqrOf(at_tensor *factors, at_tensor *tau, at_tensor *c, bool left, bool transpose);

/* --- determinants and solutions --------------------------------------------------------------- */

at_tensor *at_detGrad(at_tensor *grad, at_tensor *a, at_tensor *det);
at_tensor *at_slogdetGrad(at_tensor *ofSign, at_tensor *ofLog, at_tensor *a, at_tensor *sign);

/* The gradients of A and B; of a triangular A and B; of trtrs's and gesv's B and A. */
at_several at_solveGrad(at_tensor *grad, at_tensor *a, at_tensor *b, at_tensor *x, bool left);
at_several at_triangularGrad(at_tensor *grad, at_tensor *a, at_tensor *x, bool upper, bool left,
                             bool unit);
at_several at_trtrsGrad(at_tensor *grad, at_tensor *copy, at_tensor *a, at_tensor *x, bool upper,
                        bool transpose, bool unit);
at_several at_gesvGrad(at_tensor *grad, at_tensor *b, at_tensor *a, at_tensor *x);

/* The gradient of a; p is the pseudoinverse of a. */
at_tensor *at_pinvGrad(at_tensor *grad, at_tensor *a, at_tensor *p);

/* at_pinvGrad of symmetric matrices, of which a has the lower triangles, by their eigenvalues; so it is
 * exact also if p leaves out some eigenvalues that are not 0. */
at_tensor *at_symmetricPinvGrad(at_tensor *grad, at_tensor *a, at_tensor *p);

/* --- functions and norms of matrices ---------------------------------------------------------- */

at_tensor *at_matrixExpGrad(at_tensor *grad, at_tensor *self);
at_tensor *at_matrixPowerOf(at_tensor *self, int64_t n);
at_tensor *at_multiDotOf(at_tensors tensors);
at_tensor *at_vanderOf(at_tensor *x, int64_t count);
at_tensor *at_matrixNormOf(at_tensor *a, at_scalar ord, at_ints dims, bool keepdim);
at_tensor *at_matrixNormByName(at_tensor *a, const char *ord, at_ints dims, bool keepdim);
at_tensor *at_linalgNormOf(at_tensor *a, at_scalar ord, at_ints dims, bool keepdim,
                           const at_type *type);

/* --- of composed operations ---------------------------------------------------------------------- */

at_tensor *at_luGrad(at_tensor *grad, at_tensor *lu, at_tensor *pivots);
at_tensor *at_luSolveOf(at_tensor *self, at_tensor *lu, at_tensor *pivots); /* as btrisolve */
at_tensor *at_eigGrad(at_tensor *ofValues, at_tensor *ofVectors, at_tensor *lambda, at_tensor *v,
                      bool ofComplex); /* of a complex operand */

/* The gradient of the real eig: values, and if hasVectors vectors, are its results.  Eigenvectors have a gradient
 * where all eigenvalues are real. */
at_tensor *at_realEigGrad(at_tensor *ofValues, at_tensor *ofVectors, at_tensor *self,
                          at_tensor *values, at_tensor *vectors, bool hasVectors);
at_several at_lstsqGrad(at_tensor *ofX, at_tensor *ofResiduals, at_tensor *a, at_tensor *b,
                        at_tensor *x, at_scalar rcond);

/* The gradients of gels's B and A; x has the solution in its first rows, which alone have a gradient. */
at_several at_gelsGrad(at_tensor *grad, at_tensor *b, at_tensor *a, at_tensor *x);
at_tensor *at_symmetricRootGrad(at_tensor *grad, at_tensor *root);

#endif
