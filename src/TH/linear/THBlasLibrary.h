/* The library that computes matrix products and solves systems: OpenBLAS, loaded when one of its
 * functions is first needed. */
#ifndef TH_BLAS_LIBRARY_H
#define TH_BLAS_LIBRARY_H

#include "THGeneral.h"

/* The functions in use, each for float and for double: X(name, number of arguments that are
 * letters).  Without those of the first list there is no BLAS; a library may lack some of the
 * second. */
/* clang-format off */
#define TH_FOR_EACH_BLAS_FUNCTION(X) X(gemm, 2) X(gemv, 1)

#define TH_FOR_EACH_LAPACK_FUNCTION(X)                                                 \
  X(gesv, 0) X(trtrs, 3) X(gels, 1) X(syev, 2) X(syevd, 2) X(geev, 2) X(gesvd, 2)     \
  X(gesdd, 1) X(getrf, 0) X(getrs, 1) X(getri, 0) X(potrf, 1) X(potri, 1) X(potrs, 1) X(pstrf, 1)  \
  X(sytrf, 1) X(sytrs, 1) X(geqrf, 0) X(orgqr, 0) X(ormqr, 2) X(trsm, 4)

/* The arguments of these functions: A(kind, name), and Z(kind, name) for the last one.  A letter, a size and a value
 * are given by their address (value is a number of the type); input is an array that is only read, reals and ints are
 * arrays. */
#define TH_FORTRAN_gemm(A, Z)                                                                \
  A(letter, transa) A(letter, transb) A(size, m) A(size, n) A(size, k) A(value, alpha)       \
  A(input, a) A(size, lda) A(input, b) A(size, ldb) A(value, beta) A(reals, c) Z(size, ldc)
#define TH_FORTRAN_gemv(A, Z)                                                                \
  A(letter, trans) A(size, m) A(size, n) A(value, alpha) A(input, a) A(size, lda)            \
  A(input, x) A(size, incx) A(value, beta) A(reals, y) Z(size, incy)

#define TH_FORTRAN_gesv(A, Z)                                                                \
  A(size, n) A(size, nrhs) A(reals, a) A(size, lda) A(ints, ipiv) A(reals, b) A(size, ldb)   \
  Z(ints, info)
#define TH_FORTRAN_trtrs(A, Z)                                                               \
  A(letter, uplo) A(letter, trans) A(letter, diag) A(size, n) A(size, nrhs) A(reals, a)      \
  A(size, lda) A(reals, b) A(size, ldb) Z(ints, info)
#define TH_FORTRAN_gels(A, Z)                                                                \
  A(letter, trans) A(size, m) A(size, n) A(size, nrhs) A(reals, a) A(size, lda) A(reals, b)  \
  A(size, ldb) A(reals, work) A(size, lwork) Z(ints, info)
#define TH_FORTRAN_syev(A, Z)                                                                \
  A(letter, jobz) A(letter, uplo) A(size, n) A(reals, a) A(size, lda) A(reals, w)            \
  A(reals, work) A(size, lwork) Z(ints, info)
#define TH_FORTRAN_syevd(A, Z)                                                               \
  A(letter, jobz) A(letter, uplo) A(size, n) A(reals, a) A(size, lda) A(reals, w)            \
  A(reals, work) A(size, lwork) A(ints, iwork) A(size, liwork) Z(ints, info)
#define TH_FORTRAN_geev(A, Z)                                                                \
  A(letter, jobvl) A(letter, jobvr) A(size, n) A(reals, a) A(size, lda) A(reals, wr)         \
  A(reals, wi) A(reals, vl) A(size, ldvl) A(reals, vr) A(size, ldvr) A(reals, work)          \
  A(size, lwork) Z(ints, info)
#define TH_FORTRAN_gesvd(A, Z)                                                               \
  A(letter, jobu) A(letter, jobvt) A(size, m) A(size, n) A(reals, a) A(size, lda)            \
  A(reals, s) A(reals, u) A(size, ldu) A(reals, vt) A(size, ldvt) A(reals, work)             \
  A(size, lwork) Z(ints, info)
#define TH_FORTRAN_gesdd(A, Z)                                                               \
  A(letter, jobz) A(size, m) A(size, n) A(reals, a) A(size, lda) A(reals, s) A(reals, u)     \
  A(size, ldu) A(reals, vt) A(size, ldvt) A(reals, work) A(size, lwork) A(ints, iwork)       \
  Z(ints, info)
#define TH_FORTRAN_getrf(A, Z)                                                               \
  A(size, m) A(size, n) A(reals, a) A(size, lda) A(ints, ipiv) Z(ints, info)
#define TH_FORTRAN_getrs(A, Z)                                                               \
  A(letter, trans) A(size, n) A(size, nrhs) A(reals, a) A(size, lda) A(ints, ipiv)           \
  A(reals, b) A(size, ldb) Z(ints, info)
#define TH_FORTRAN_getri(A, Z)                                                               \
  A(size, n) A(reals, a) A(size, lda) A(ints, ipiv) A(reals, work) A(size, lwork)            \
  Z(ints, info)
#define TH_FORTRAN_potrf(A, Z)                                                               \
  A(letter, uplo) A(size, n) A(reals, a) A(size, lda) Z(ints, info)
#define TH_FORTRAN_potri(A, Z)                                                               \
  A(letter, uplo) A(size, n) A(reals, a) A(size, lda) Z(ints, info)
#define TH_FORTRAN_potrs(A, Z)                                                               \
  A(letter, uplo) A(size, n) A(size, nrhs) A(reals, a) A(size, lda) A(reals, b)              \
  A(size, ldb) Z(ints, info)
#define TH_FORTRAN_pstrf(A, Z)                                                               \
  A(letter, uplo) A(size, n) A(reals, a) A(size, lda) A(ints, piv) A(ints, rank)             \
  A(value, tol) A(reals, work) Z(ints, info)
#define TH_FORTRAN_sytrf(A, Z)                                                               \
  A(letter, uplo) A(size, n) A(reals, a) A(size, lda) A(ints, ipiv) A(reals, work)           \
  A(size, lwork) Z(ints, info)
#define TH_FORTRAN_sytrs(A, Z)                                                               \
  A(letter, uplo) A(size, n) A(size, nrhs) A(reals, a) A(size, lda) A(ints, ipiv)            \
  A(reals, b) A(size, ldb) Z(ints, info)
#define TH_FORTRAN_geqrf(A, Z)                                                               \
  A(size, m) A(size, n) A(reals, a) A(size, lda) A(reals, tau) A(reals, work)                \
  A(size, lwork) Z(ints, info)
#define TH_FORTRAN_orgqr(A, Z)                                                               \
  A(size, m) A(size, n) A(size, k) A(reals, a) A(size, lda) A(reals, tau) A(reals, work)     \
  A(size, lwork) Z(ints, info)
#define TH_FORTRAN_ormqr(A, Z)                                                               \
  A(letter, side) A(letter, trans) A(size, m) A(size, n) A(size, k) A(reals, a)              \
  A(size, lda) A(reals, tau) A(reals, c) A(size, ldc) A(reals, work) A(size, lwork)          \
  Z(ints, info)
#define TH_FORTRAN_trsm(A, Z)                                                                \
  A(letter, side) A(letter, uplo) A(letter, trans) A(letter, diag) A(size, m) A(size, n)     \
  A(value, alpha) A(reals, a) A(size, lda) A(reals, b) Z(size, ldb)

/* The functions of complex matrices, of float (c) and of double (z): X(name, arguments of which of
 * those here, letters).  An array of reals has pairs of them, except rwork and the singular values and
 * eigenvalues that are called s and w of heev. */
#define TH_FOR_EACH_COMPLEX_LAPACK_FUNCTION(X)                                               \
  X(trsm, complex_trsm, 4) X(getrf, getrf, 0) X(potrf, potrf, 1) X(geqrf, geqrf, 0)          \
  X(ungqr, orgqr, 0) X(unmqr, ormqr, 2) X(sytrf, sytrf, 1) X(sytrs, sytrs, 1)                \
  X(hetrf, sytrf, 1) X(hetrs, sytrs, 1) X(heev, heev, 2) X(geev, complex_geev, 2)            \
  X(gesdd, complex_gesdd, 1)

#define TH_FORTRAN_complex_trsm(A, Z)                                                        \
  A(letter, side) A(letter, uplo) A(letter, trans) A(letter, diag) A(size, m) A(size, n)     \
  A(reals, alpha) A(reals, a) A(size, lda) A(reals, b) Z(size, ldb)
#define TH_FORTRAN_heev(A, Z)                                                                \
  A(letter, jobz) A(letter, uplo) A(size, n) A(reals, a) A(size, lda) A(reals, w)            \
  A(reals, work) A(size, lwork) A(reals, rwork) Z(ints, info)
#define TH_FORTRAN_complex_geev(A, Z)                                                        \
  A(letter, jobvl) A(letter, jobvr) A(size, n) A(reals, a) A(size, lda) A(reals, w)          \
  A(reals, vl) A(size, ldvl) A(reals, vr) A(size, ldvr) A(reals, work) A(size, lwork)        \
  A(reals, rwork) Z(ints, info)
#define TH_FORTRAN_complex_gesdd(A, Z)                                                       \
  A(letter, jobz) A(size, m) A(size, n) A(reals, a) A(size, lda) A(reals, s) A(reals, u)     \
  A(size, ldu) A(reals, vt) A(size, ldvt) A(reals, work) A(size, lwork) A(reals, rwork)      \
  A(ints, iwork) Z(ints, info)
/* clang-format on */

/* As Fortran takes them.  The lengths of letters come last, as gfortran passes them. */
#define TH_FORTRAN_OF_letter(REAL, NAME) const char *NAME
#define TH_FORTRAN_OF_size(REAL, NAME)   const int *NAME
#define TH_FORTRAN_OF_value(REAL, NAME)  const REAL *NAME
#define TH_FORTRAN_OF_input(REAL, NAME)  const REAL *NAME
#define TH_FORTRAN_OF_reals(REAL, NAME)  REAL *NAME
#define TH_FORTRAN_OF_ints(REAL, NAME)   int *NAME
#define TH_FORTRAN_FLOAT(KIND, NAME)     TH_FORTRAN_OF_##KIND(float, NAME),
#define TH_FORTRAN_DOUBLE(KIND, NAME)    TH_FORTRAN_OF_##KIND(double, NAME),
#define TH_FORTRAN_FLOAT_Z(KIND, NAME)   TH_FORTRAN_OF_##KIND(float, NAME)
#define TH_FORTRAN_DOUBLE_Z(KIND, NAME)  TH_FORTRAN_OF_##KIND(double, NAME)
/* The parameters of a function, for REAL FLOAT or DOUBLE. */
#define TH_FORTRAN_PARAMETERS(ARGUMENTS, LETTERS, REAL) \
  (TH_FORTRAN_##ARGUMENTS(TH_FORTRAN_##REAL, TH_FORTRAN_##REAL##_Z) TH_FORTRAN_LENGTHS_##LETTERS)
#define TH_FORTRAN_LENGTHS_0
#define TH_FORTRAN_LENGTHS_1 , size_t
#define TH_FORTRAN_LENGTHS_2 , size_t, size_t
#define TH_FORTRAN_LENGTHS_3 , size_t, size_t, size_t
#define TH_FORTRAN_LENGTHS_4 , size_t, size_t, size_t, size_t

typedef struct THBlasLibrary {
#define TH_FORTRAN_OF_S(NAME, L)    void(*s##NAME) TH_FORTRAN_PARAMETERS(NAME, L, FLOAT);
#define TH_FORTRAN_OF_D(NAME, L)    void(*d##NAME) TH_FORTRAN_PARAMETERS(NAME, L, DOUBLE);
#define TH_FORTRAN_OF_C(NAME, A, L) void(*c##NAME) TH_FORTRAN_PARAMETERS(A, L, FLOAT);
#define TH_FORTRAN_OF_Z(NAME, A, L) void(*z##NAME) TH_FORTRAN_PARAMETERS(A, L, DOUBLE);
  TH_FOR_EACH_BLAS_FUNCTION(TH_FORTRAN_OF_S)
  TH_FOR_EACH_BLAS_FUNCTION(TH_FORTRAN_OF_D)
  TH_FOR_EACH_LAPACK_FUNCTION(TH_FORTRAN_OF_S)
  TH_FOR_EACH_LAPACK_FUNCTION(TH_FORTRAN_OF_D)
  TH_FOR_EACH_COMPLEX_LAPACK_FUNCTION(TH_FORTRAN_OF_C)
  TH_FOR_EACH_COMPLEX_LAPACK_FUNCTION(TH_FORTRAN_OF_Z)
} THBlasLibrary;

/* The function for the element type of a template: library->TH_FORTRAN(gemm) is sgemm or dgemm,
 * TH_FORTRAN_COMPLEX(getrf) is cgetrf or zgetrf. */
#if defined(TH_REAL_IS_FLOAT)
#define TH_FORTRAN(NAME)         s##NAME
#define TH_FORTRAN_COMPLEX(NAME) c##NAME
#elif defined(TH_REAL_IS_DOUBLE)
#define TH_FORTRAN(NAME)         d##NAME
#define TH_FORTRAN_COMPLEX(NAME) z##NAME
#endif

/* Loads the library if it is not there yet; an error that names it if it cannot be.  From any
 * thread, but not inside a parallel region unless an earlier call has returned. */
const THBlasLibrary *THBlasLibrary_get(void);

/* THBlasLibrary_get, but NULL instead of an error if the library cannot be loaded. */
const THBlasLibrary *THBlasLibrary_find(void);

/* An error: the library that was loaded has no function of that name. */
TH_NO_RETURN void THBlasLibrary_lacks(const char *name);

/* Whether the library is loaded and reports kernels for shorter vectors than the processor has:
 * then its products take twice as long as necessary. */
int THBlasLibrary_lags(void);

/* Whether it is OpenBLAS with kernels for the longest vectors, and so has our products. */
int THBlasLibrary_keepsUp(void);

/* Around each call: it runs on no more threads than can be started, and under THSetDeterministic(1)
 * on one.
 *
 *     const int threads = THBlasLibrary_begin();
 *     library->sgemm(...);
 *     THBlasLibrary_end(threads); */
int THBlasLibrary_begin(void);
void THBlasLibrary_end(int threads);

#endif
