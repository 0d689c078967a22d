/* BLAS's trsm, and LAPACK's functions of complex matrices with C's arguments, made from the list in THBlasLibrary.h:
 * THFloatLapack_complex_getrf calls cgetrf, THDoubleLapack_complex_getrf zgetrf.  Arrays of complex
 * numbers are given as pairs of reals. */
#ifndef TH_LAPACK_COMPLEX_H
#define TH_LAPACK_COMPLEX_H

#include "TH/linear/THBlasLibrary.h"

#define TH_COMPLEX_OF_letter(REAL, NAME) char NAME
#define TH_COMPLEX_OF_size(REAL, NAME)   int NAME
#define TH_COMPLEX_OF_value(REAL, NAME)  REAL NAME
#define TH_COMPLEX_OF_reals(REAL, NAME)  REAL *NAME
#define TH_COMPLEX_OF_ints(REAL, NAME)   int *NAME
#define TH_COMPLEX_FLOAT(KIND, NAME)     TH_COMPLEX_OF_##KIND(float, NAME),
#define TH_COMPLEX_DOUBLE(KIND, NAME)    TH_COMPLEX_OF_##KIND(double, NAME),
#define TH_COMPLEX_FLOAT_Z(KIND, NAME)   TH_COMPLEX_OF_##KIND(float, NAME)
#define TH_COMPLEX_DOUBLE_Z(KIND, NAME)  TH_COMPLEX_OF_##KIND(double, NAME)

#define TH_DECLARE_COMPLEX(NAME, ARGUMENTS, LETTERS)                                    \
  TH_API void THFloatLapack_complex_##NAME(TH_FORTRAN_##ARGUMENTS(TH_COMPLEX_FLOAT,     \
                                                                  TH_COMPLEX_FLOAT_Z)); \
  TH_API void THDoubleLapack_complex_##NAME(TH_FORTRAN_##ARGUMENTS(TH_COMPLEX_DOUBLE,   \
                                                                   TH_COMPLEX_DOUBLE_Z));
TH_FOR_EACH_COMPLEX_LAPACK_FUNCTION(TH_DECLARE_COMPLEX)
#undef TH_DECLARE_COMPLEX

/* Solves op(a) x = alpha b, or with side 'R' x op(a) = alpha b, and looks for no zero on the diagonal. */
TH_API void THFloatLapack_trsm(TH_FORTRAN_trsm(TH_COMPLEX_FLOAT, TH_COMPLEX_FLOAT_Z));
TH_API void THDoubleLapack_trsm(TH_FORTRAN_trsm(TH_COMPLEX_DOUBLE, TH_COMPLEX_DOUBLE_Z));

#endif
