/* Systems of equations, factorisations and eigenvalues of matrices, by LAPACK (THLapack.h).
 *
 *     THFloatTensor_gesv(x, lu, b, a);                                a x = b
 *     THFloatTensor_gesvd(u, s, v, a, "S");                           a = u diag(s) v'
 *
 * Operands have any strides.  Results are computed aside and take their shape at the end, so that a
 * result may be an operand or share memory with one, but not with another result; where the
 * operand a_ or b_ is NULL it is the result ra_ or rb_ (in syev and geev, rv_).
 *
 * A matrix that is a result comes back column by column, with strides 1 and its number of rows,
 * unless said otherwise.  It keeps its own strides where it has the shape already and is the
 * operand that it replaces, or is only a part of its storage, or is not contiguous.
 *
 * A b_ that is a vector is a matrix of one column, and so is its result.  Letters may be small or
 * capital: uplo is "U" or "L", the triangle of a that is used.  Pivots count from 1 in any build,
 * as LAPACK's do.
 *
 * Errors: shapes that do not fit, which the text shows; sizes beyond 2^31 - 1, which LAPACK cannot
 * count; a problem without a solution.  Results are then as they were.  NaN and infinities pass
 * through solutions and factorisations; gels, syev, geev and gesvd refuse them.  Matrices may have
 * no rows or no columns. */

/* --- systems of equations -------------------------------------------------------------------- */

/* Solves a x = b: n x n, and n x k.  rb_ becomes x, ra_ (n x n) the factors: U, and below its
 * diagonal L, whose own diagonal is ones.  Singular a is an error. */
TH_API void THTensor_(gesv)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_);

/* Solves a x = b with triangular a, or its transpose (trans "T"); diag "U" takes the diagonal of a
 * for ones, "N" does not.  rb_ becomes x, ra_ a copy of a.  A zero on the diagonal is an error. */
TH_API void THTensor_(trtrs)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_,
                             const char *uplo, const char *trans, const char *diag);

/* The x for which a x is closest to b, or where there are many the shortest: a of m x n and full
 * rank, b of m x k.  rb_ has max(m, n) rows: x in the first n, and for m > n then rows whose
 * squares add up, column by column, to the square of the distance (in a build for Torch7 rb_ has
 * the first n only).  ra_ (m x n) becomes the factors QR or LQ.  A rank below min(m, n) is an error
 * where it is exact, except that zeros give zeros. */
TH_API void THTensor_(gels)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_);

/* --- eigenvalues, singular values ------------------------------------------------------------ */

/* The eigenvalues re_ (n) of symmetric a_ (n x n), ascending, and with jobz "V" the eigenvectors,
 * columns of rv_ (n x n); with "N" rv_ becomes zeros. */
TH_API void THTensor_(syev)(THTensor *re_, THTensor *rv_, THTensor *a_, const char *jobz,
                            const char *uplo);

/* The eigenvalues of a_ (n x n): rows of re_ (n x 2, row by row), real and imaginary part.  With
 * jobvr "V" the eigenvectors are columns of rv_ (n x n), two columns for a complex pair: the real
 * part, and the imaginary part of the first of the pair.  With "N" rv_ stays as it is. */
TH_API void THTensor_(geev)(THTensor *re_, THTensor *rv_, THTensor *a_, const char *jobvr);

/* a (m x n) = ru_ diag(rs_) rv_', rs_ (k = min(m, n)) descending.  jobu "S": ru_ is m x k and rv_
 * is n x k; "A": m x m and n x n; "N": they stay as they are.  rv_ lies row by row. */
TH_API void THTensor_(gesvd)(THTensor *ru_, THTensor *rs_, THTensor *rv_, THTensor *a,
                             const char *jobu);

/* gesvd, where ra_ (m x n) is overwritten by LAPACK. */
TH_API void THTensor_(gesvd2)(THTensor *ru_, THTensor *rs_, THTensor *rv_, THTensor *ra_,
                              THTensor *a, const char *jobu);

/* --- inverses, positive definite matrices ---------------------------------------------------- */

/* ra_ becomes the inverse of a.  Singular a is an error. */
TH_API void THTensor_(getri)(THTensor *ra_, THTensor *a);

/* ra_ becomes the triangular U with U' U = a, or L with L L' = a; its other triangle is zeros.  a
 * that is not positive definite is an error. */
TH_API void THTensor_(potrf)(THTensor *ra_, THTensor *a, const char *uplo);

/* rb_ becomes the x with U' U x = b (or L L' x = b); a_ is U or L.  A zero on its diagonal is an
 * error. */
TH_API void THTensor_(potrs)(THTensor *rb_, THTensor *b_, THTensor *a_, const char *uplo);

/* ra_ becomes the inverse of U' U (or L L'), both triangles; a is U or L. */
TH_API void THTensor_(potri)(THTensor *ra_, THTensor *a, const char *uplo);

/* potrf with pivots: U' U (or L L') is a with its rows and columns in the order of rpiv_ (n).
 * Diagonal elements down to tol count as zero (tol < 0: LAPACK's own bound); one that does, so that
 * a has less than full rank or is not semidefinite, is an error. */
TH_API void THTensor_(pstrf)(THTensor *ra_, THIntTensor *rpiv_, THTensor *a, const char *uplo,
                             real tol);

/* --- orthogonal matrices --------------------------------------------------------------------- */

/* a (m x n) = rq_ rr_ with k = min(m, n): rq_ is m x k, its columns orthonormal; rr_ is k x n,
 * upper triangular, and lies row by row. */
TH_API void THTensor_(qr)(THTensor *rq_, THTensor *rr_, THTensor *a);

/* qr as LAPACK writes it: R in the upper triangle of ra_ (m x n), Q as reflectors below it
 * and in rtau_ (min(m, n)). */
TH_API void THTensor_(geqrf)(THTensor *ra_, THTensor *rtau_, THTensor *a);

/* From a and tau of geqrf: the first min(m, n) columns of ra_ (m x n) become those of Q.  Further
 * columns are a's. */
TH_API void THTensor_(orgqr)(THTensor *ra_, THTensor *a, THTensor *tau);

/* From a and tau of geqrf, ra_ becomes Q c (side "L") or c Q (side "R"), or with trans "T" the same
 * with Q's transpose.  c has as many rows (columns) as a has rows. */
TH_API void THTensor_(ormqr)(THTensor *ra_, THTensor *a, THTensor *tau, THTensor *c,
                             const char *side, const char *trans);

/* --- batches --------------------------------------------------------------------------------- */

/* The factors of each a[i] of a batch (N x n x n), as gesv's ra_, in ra_, and their pivots in
 * rpivots_ (N x n): row j was swapped with row rpivots_[i][j].  rinfo_ (N) becomes 0, or j where
 * U(j,j) of that matrix is zero; where it is NULL that is an error.  The results lie row by row.
 * pivot has to be true. */
TH_API void THTensor_(btrifact)(THTensor *ra_, THIntTensor *rpivots_, THIntTensor *rinfo_,
                                int pivot, THTensor *a);

/* rb_, row by row, becomes the x with a[i] x[i] = b[i] for each matrix of the batch, from atf and
 * pivots of btrifact.  b is N x n or N x n x k.  A zero on the diagonal of a factor is an error. */
TH_API void THTensor_(btrisolve)(THTensor *rb_, THTensor *b, THTensor *atf, THIntTensor *pivots);
