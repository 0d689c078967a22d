/* Systems of equations, factorisations and eigenvalues of matrices of Float and Double: those of
 * THTensorLapack.h, whose shapes, strides and errors they have.
 *
 * They compute on the device, by cuSOLVER, which is loaded at the first call: libcusolver.so of the
 * CUDA that THC was built with, or what TH_CUSOLVER_LIBRARY names (an absolute path, or a name for
 * the loader).  Without it they are errors that say so; geev needs a cuSOLVER of CUDA 12.6 or later.
 * Each waits for the device, to find out whether the matrix is singular, or not finite.  Singular
 * values are found by Jacobi's method, and vectors of eigenvalues and singular values may have other
 * signs than LAPACK's.  Where the operand a_ or b_ is NULL it is the result ra_ or rb_ (in syev and
 * geev, rv_). */
#if defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)

THC_API void THCTensor_(gesv)(THCState *state, THCTensor *rb_, THCTensor *ra_, THCTensor *b_,
                              THCTensor *a_);
THC_API void THCTensor_(trtrs)(THCState *state, THCTensor *rb_, THCTensor *ra_, THCTensor *b_,
                               THCTensor *a_, const char *uplo, const char *trans,
                               const char *diag);
THC_API void THCTensor_(gels)(THCState *state, THCTensor *rb_, THCTensor *ra_, THCTensor *b_,
                              THCTensor *a_);
THC_API void THCTensor_(syev)(THCState *state, THCTensor *re_, THCTensor *rv_, THCTensor *a_,
                              const char *jobz, const char *uplo);
THC_API void THCTensor_(geev)(THCState *state, THCTensor *re_, THCTensor *rv_, THCTensor *a_,
                              const char *jobvr);
THC_API void THCTensor_(gesvd)(THCState *state, THCTensor *ru_, THCTensor *rs_, THCTensor *rv_,
                               THCTensor *a, const char *jobu);
THC_API void THCTensor_(gesvd2)(THCState *state, THCTensor *ru_, THCTensor *rs_, THCTensor *rv_,
                                THCTensor *ra_, THCTensor *a, const char *jobu);
THC_API void THCTensor_(getri)(THCState *state, THCTensor *ra_, THCTensor *a);
THC_API void THCTensor_(potrf)(THCState *state, THCTensor *ra_, THCTensor *a, const char *uplo);
THC_API void THCTensor_(potri)(THCState *state, THCTensor *ra_, THCTensor *a, const char *uplo);
THC_API void THCTensor_(potrs)(THCState *state, THCTensor *rb_, THCTensor *b_, THCTensor *a_,
                               const char *uplo);
THC_API void THCTensor_(qr)(THCState *state, THCTensor *rq_, THCTensor *rr_, THCTensor *a);
THC_API void THCTensor_(geqrf)(THCState *state, THCTensor *ra_, THCTensor *rtau_, THCTensor *a_);
THC_API void THCTensor_(orgqr)(THCState *state, THCTensor *ra_, THCTensor *a, THCTensor *tau);
THC_API void THCTensor_(ormqr)(THCState *state, THCTensor *ra_, THCTensor *a, THCTensor *tau,
                               THCTensor *c, const char *side, const char *trans);

#endif
