/* Cholesky's factors with an order of rows, by LAPACK. */
#include "THTemplate.h"

#include "THTensorWork.h"

#define LD THTensor_(ld)

void THTensor_(pstrf)(THTensor *ra_, THIntTensor *rpiv_, THTensor *a, const char *uplo, real tol)
{
  a = a ? a : ra_;
  const int n = THTensor_(checkSquare)(a, "a", 3);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 4);
  int info, rank = 0;
  THWorks works = {0};
  real *factor = THTensor_(workOn)(&works, ra_, 1, a, n, n);
  int *pivots = THIntTensor_workVector(&works, rpiv_, 2, n);
  real *scratch = THTensor_(workVector)(&works, NULL, 0, 2 * (int64_t)n);
  THLapack_(pstrf)(triangle, n, factor, LD(n), pivots, &rank, tol, scratch, &info);
  THLapackCheck(
      "%s: the matrix is not positive semidefinite or has not full rank (info %d): "
      "%d columns of %d are computed",
      "pstrf", info, rank, n);
  THTensor_(clearOther)(factor, n, triangle);
  THWorks_deliver(&works);
}
