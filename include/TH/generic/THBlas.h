/* Vectors have n elements, inc apart; an increment below 0 runs from the vector's last element in
 * memory to its first, as in BLAS, and 0 is one element n times. */

/* Swaps x and y. */
TH_API void THBlas_(swap)(int64_t n, real *x, int64_t incx, real *y, int64_t incy);
/* x = a * x */
TH_API void THBlas_(scal)(int64_t n, real a, real *x, int64_t incx);
/* y = x */
TH_API void THBlas_(copy)(int64_t n, real *x, int64_t incx, real *y, int64_t incy);
/* y = y + a * x */
TH_API void THBlas_(axpy)(int64_t n, real a, real *x, int64_t incx, real *y, int64_t incy);

/* The sum of x[i] * y[i].  Float is within 1e-6 of the sum of the products' absolute values (its
 * partial sums of 8 are added up in double), and the same for any increments and threads. */
TH_API real THBlas_(dot)(int64_t n, real *x, int64_t incx, real *y, int64_t incy);

/* y = alpha * op(a) * x + beta * y with op(a) = a for trans 'n', its transpose for 't' or 'c'; a is
 * m x n.  With beta 0, y is not read.  y has no memory in common with a and x; incy is not 0. */
TH_API void THBlas_(gemv)(char trans, int64_t m, int64_t n, real alpha, real *a, int64_t lda,
                          real *x, int64_t incx, real beta, real *y, int64_t incy);

/* a = a + alpha * x * y', with a of m x n, x of m and y of n elements. */
TH_API void THBlas_(ger)(int64_t m, int64_t n, real alpha, real *x, int64_t incx, real *y,
                         int64_t incy, real *a, int64_t lda);

/* c = alpha * op(a) * op(b) + beta * c, with op(a) of m x k, op(b) of k x n, c of m x n.  With beta
 * 0, c is not read.  c has no memory in common with a and b.
 *
 * A negative size, or a leading dimension below the number of rows of the matrix as it lies in
 * memory, is an error; where that matrix has one column its leading dimension is not used. */
TH_API void THBlas_(gemm)(char transa, char transb, int64_t m, int64_t n, int64_t k, real alpha,
                          real *a, int64_t lda, real *b, int64_t ldb, real beta, real *c,
                          int64_t ldc);
