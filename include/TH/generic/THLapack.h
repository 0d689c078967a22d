/* Common to all of them: n, m, nrhs and k are numbers of rows and columns, ld... the leading
 * dimensions of matrices, at least their rows and at least 1.  Letters may be small or capital:
 * uplo is 'U' or 'L', the triangle that is used; trans is 'N' for the matrix and 'T' for its
 * transpose.  Rows in ipiv and piv count from 1.  work is scratch of lwork elements; with lwork -1
 * nothing is computed but work[0], the best lwork.  *info becomes 0, or -i where argument i is
 * illegal, or something above 0 where the problem has no solution.  (OpenBLAS says on stderr what
 * is illegal; other libraries may end the program then.) */

/* --- systems of equations -------------------------------------------------------------------- */

/* Solves a x = b: a (n x n) becomes its factors L and U, b (n x nrhs) becomes x.  Row i was swapped
 * with row ipiv[i].  info > 0: U(info,info) is zero. */
TH_API void THLapack_(gesv)(int n, int nrhs, real *a, int lda, int *ipiv, real *b, int ldb,
                            int *info);

/* Solves op(a) x = b with triangular a; diag 'U' takes its diagonal for ones.  info > 0:
 * a(info,info) is zero. */
TH_API void THLapack_(trtrs)(char uplo, char trans, char diag, int n, int nrhs, real *a, int lda,
                             real *b, int ldb, int *info);

/* Finds the x for which op(a) x is closest to b, or the shortest of several, with a of m x n and
 * full rank: x in the first rows of b, which has max(m, n). */
TH_API void THLapack_(gels)(char trans, int m, int n, int nrhs, real *a, int lda, real *b, int ldb,
                            real *work, int lwork, int *info);

/* --- eigenvalues, singular values ------------------------------------------------------------ */

/* The eigenvalues w of symmetric a, ascending; with jobz 'V' the eigenvectors in a. */
TH_API void THLapack_(syev)(char jobz, char uplo, int n, real *a, int lda, real *w, real *work,
                            int lwork, int *info);

/* The eigenvalues wr + i wi of a; left eigenvectors in vl with jobvl 'V', right ones in vr with
 * jobvr 'V'.  Of a pair of complex ones the first column is the real part, the second the
 * imaginary one.  a must be finite. */
TH_API void THLapack_(geev)(char jobvl, char jobvr, int n, real *a, int lda, real *wr, real *wi,
                            real *vl, int ldvl, real *vr, int ldvr, real *work, int lwork,
                            int *info);

/* a = u diag(s) vt with s descending; jobu and jobvt are 'A' (all columns of u, rows of vt), 'S'
 * (the first min(m, n)), 'O' (in a) or 'N' (none). */
TH_API void THLapack_(gesvd)(char jobu, char jobvt, int m, int n, real *a, int lda, real *s,
                             real *u, int ldu, real *vt, int ldvt, real *work, int lwork,
                             int *info);

/* --- general matrices ------------------------------------------------------------------------ */

/* a = P L U, in a and in ipiv of min(m, n).  info > 0: U(info,info) is zero. */
TH_API void THLapack_(getrf)(int m, int n, real *a, int lda, int *ipiv, int *info);

/* Solves op(a) x = b with the factors of a from getrf. */
TH_API void THLapack_(getrs)(char trans, int n, int nrhs, real *a, int lda, int *ipiv, real *b,
                             int ldb, int *info);

/* The inverse, from the factors of a from getrf. */
TH_API void THLapack_(getri)(int n, real *a, int lda, int *ipiv, real *work, int lwork, int *info);

/* --- positive definite matrices, of which one triangle is used ------------------------------- */

/* a = U' U or L L'.  info > 0: the leading minor of that order is not positive definite. */
TH_API void THLapack_(potrf)(char uplo, int n, real *a, int lda, int *info);

/* The inverse, from the factor of a from potrf. */
TH_API void THLapack_(potri)(char uplo, int n, real *a, int lda, int *info);

/* Solves a x = b with the factor of a from potrf. */
TH_API void THLapack_(potrs)(char uplo, int n, int nrhs, real *a, int lda, real *b, int ldb,
                             int *info);

/* P' a P = U' U or L L' for semidefinite a, where column i of P is 1 in row piv[i].  Stops when the
 * remaining diagonal is at most tol (tol < 0: a bound of its own); rank columns are computed.  work
 * has 2 n elements.  info 1: the rank is below n. */
TH_API void THLapack_(pstrf)(char uplo, int n, real *a, int lda, int *piv, int *rank, real tol,
                             real *work, int *info);

/* --- symmetric matrices, of which one triangle is used ---------------------------------------- */

/* a = U D U' or L D L', where D has blocks of 1 x 1 and 2 x 2.  ipiv[k] > 0: rows and columns k + 1
 * and ipiv[k] were exchanged; two equal negative ones are of a block of 2 x 2, of which row -ipiv[k]
 * was exchanged.  work has n elements or more.  info > 0: D(info,info) is zero. */
TH_API void THLapack_(sytrf)(char uplo, int n, real *a, int lda, int *ipiv, real *work, int lwork,
                             int *info);

/* Solves a x = b with the factors of a from sytrf, whose ipiv is not checked. */
TH_API void THLapack_(sytrs)(char uplo, int n, int nrhs, real *a, int lda, int *ipiv, real *b,
                             int ldb, int *info);

/* --- orthogonal matrices --------------------------------------------------------------------- */

/* a = Q R: R in the upper triangle, Q as min(m, n) reflectors below it and in tau. */
TH_API void THLapack_(geqrf)(int m, int n, real *a, int lda, real *tau, real *work, int lwork,
                             int *info);

/* The first n columns (n <= m) of the Q of k reflectors, as geqrf leaves them in a and tau. */
TH_API void THLapack_(orgqr)(int m, int n, int k, real *a, int lda, real *tau, real *work,
                             int lwork, int *info);

/* c = op(Q) c (side 'L') or c op(Q) (side 'R') for c of m x n and the Q of k reflectors. */
TH_API void THLapack_(ormqr)(char side, char trans, int m, int n, int k, real *a, int lda,
                             real *tau, real *c, int ldc, real *work, int lwork, int *info);
