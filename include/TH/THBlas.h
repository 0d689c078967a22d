/* Basic linear algebra on plain memory, in Fortran's order.
 *
 * A matrix of m rows and n columns lies column by column: element (i, j) is a[i + j * lda], and
 * lda, the leading dimension, is at least m.  A product of 2 x 3 and 3 x 4 into 2 x 4:
 *
 *     THFloatBlas_gemm('n', 'n', 2, 4, 3, 1, a, 2, b, 3, 0, c, 2);
 *
 * gemm and gemv of Float and Double are OpenBLAS's, loaded when first needed (the environment
 * variable TH_BLAS_LIBRARY names another library with Fortran's symbols); everything else is
 * computed here.  OpenBLAS's OpenMP build uses THGetNumThreads threads; any other library is held
 * to one.  Integers wrap around. */
#ifndef TH_BLAS_H
#define TH_BLAS_H

#include "THGeneral.h"

#define THBlas_(NAME) TH_CONCAT_4(TH, Real, Blas_, NAME)

#define TH_GENERIC_FILE "generic/THBlas.h"
#include "THGenerateAllTypes.h"

#endif
