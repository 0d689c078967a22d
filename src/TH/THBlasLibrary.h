/* The library that computes large matrix products: OpenBLAS, loaded when one of its functions is
 * first needed. */
#ifndef TH_BLAS_LIBRARY_H
#define TH_BLAS_LIBRARY_H

#include "THGeneral.h"

/* X(name, arguments): the functions in use, by their Fortran names without the underscore.  The
 * lengths of character arguments come last, as gfortran passes them. */
#define TH_FOR_EACH_BLAS_FUNCTION(X)                                                               \
  X(sgemm, (const char *transa, const char *transb, const int *m, const int *n, const int *k,      \
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,    \
            const float *beta, float *c, const int *ldc, size_t, size_t))                          \
  X(dgemm, (const char *transa, const char *transb, const int *m, const int *n, const int *k,      \
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb, \
            const double *beta, double *c, const int *ldc, size_t, size_t))                        \
  X(sgemv, (const char *trans, const int *m, const int *n, const float *alpha, const float *a,     \
            const int *lda, const float *x, const int *incx, const float *beta, float *y,          \
            const int *incy, size_t))                                                              \
  X(dgemv, (const char *trans, const int *m, const int *n, const double *alpha, const double *a,   \
            const int *lda, const double *x, const int *incx, const double *beta, double *y,       \
            const int *incy, size_t))

typedef struct THBlasLibrary {
#define TH_BLAS_FIELD(NAME, ARGUMENTS) void(*NAME) ARGUMENTS;
  TH_FOR_EACH_BLAS_FUNCTION(TH_BLAS_FIELD)
#undef TH_BLAS_FIELD
} THBlasLibrary;

/* Loads the library if it is not there yet; an error that names it if it cannot be.  From any
 * thread, but not inside a parallel region unless an earlier call has returned. */
const THBlasLibrary *THBlasLibrary_get(void);

/* Around each call: under THSetDeterministic(1) it runs on one thread.
 *
 *     const int threads = THBlasLibrary_begin();
 *     library->sgemm(...);
 *     THBlasLibrary_end(threads); */
int THBlasLibrary_begin(void);
void THBlasLibrary_end(int threads);

#endif
